"""`upsertEnabled` or `deleteEnabled` of the BigQuery sink without `kafkaKeyFieldName` (the connector's UpsertDeleteValidator)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_CLASS = "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector"
_KEY = "kafkaKeyFieldName"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        if block.open or verbatim(job.get(block, "connector.class")) != _CLASS or job.written(block, _KEY) is not None:
            continue
        modes = [
            found for key in ("upsertEnabled", "deleteEnabled") if (found := job.written(block, key)) is not None and text(found) == "true"
        ]
        if modes:
            message = f"the connector refuses the configuration: {modes[0].key} needs {_KEY}, the column that the record's key goes to"
            yield context.finding(message, modes[0], [(other, "so does this") for other in modes[1:]])
