"""`sasl.mechanism=AWS_MSK_IAM` of a Java client without `sasl.client.callback.handler.class`: Kafka's own handler knows no credentials of AWS."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text

_MECHANISM, _HANDLER = "sasl.mechanism", "sasl.client.callback.handler.class"
# Debezium's connectors that keep no history of schemas, and make no clients for it.
_HISTORY = "schema.history.internal."
_WITHOUT_HISTORY = (".PostgresConnector", ".MongoDbConnector", ".VitessConnector", ".SpannerConnector")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for engine in ("flink", "spark", "kafka", "kafka-connect"):
        for block in job.select(engine):
            # kafka-python has the mechanism built in
            if block.open or (engine == "kafka" and block.form == "python"):
                continue
            yield from _of(job, context, block)


def _of(job: Job, context: Context, block: Block) -> Iterator[Finding]:
    made_of = job.get(block, "connector.class")
    unread = _HISTORY if made_of is not None and made_of.text.strip().endswith(_WITHOUT_HISTORY) else "\n"
    settings = [setting for setting in job.of(block) if not setting.key.startswith(unread)]
    for setting in settings:
        if not setting.key.endswith(_MECHANISM) or text(setting).strip() != "aws_msk_iam":
            continue
        if any(other.key.endswith(_HANDLER) for other in settings):
            return
        message = f"the client cannot log in: Kafka's own callback handler does not know what IAMLoginModule asks for; {_HANDLER}=software.amazon.msk.auth.iam.IAMClientCallbackHandler"
        yield context.finding(message, setting)
        return
