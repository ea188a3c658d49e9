"""`topics` and `topics.regex` of a sink: Connect asks for exactly one of them (SinkConnectorConfig.validate)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.kafka import side_of

_REFUSES = "Kafka Connect refuses the configuration"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        made_of = job.get(block, "connector.class")
        if made_of is None or block.open or side_of(verbatim(made_of)) != "sink":
            continue
        listed, regex = job.written(block, "topics"), job.written(block, "topics.regex")
        if listed is None and regex is None:
            yield context.finding(f"{_REFUSES}: a sink is told by topics, or by topics.regex, what it reads, and neither is here", made_of)
        elif listed is not None and regex is not None and verbatim(listed) and verbatim(regex):
            message = f"{_REFUSES}: topics and topics.regex exclude each other"
            yield context.finding(message, regex, [(listed, "both are set")], confidence="high")
