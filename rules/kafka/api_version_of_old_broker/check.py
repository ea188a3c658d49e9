"""`api_version=(0, 10)`: kafka-python then asks no broker what it can do, and uses the requests and the format of messages of that release."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka

_PARTS = pattern(r"\d+(?:\s*[.,]\s*\d+)*")
_FIRST = (0, 11)  # with messages of format 2: headers, idempotence, transactions


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer", "producer", "admin"), ("python",)):
        said = job.get(block, "api.version") if kafka.library(block) == "kafka-python" else None
        text = said.text.strip() if said is not None and said.known else ""
        if said is None or not _PARTS.fullmatch(text):
            continue
        release = tuple(int(part) for part in text.replace(".", ",").split(","))
        if release < _FIRST:
            shown = ".".join(str(part) for part in release)
            message = f"the client speaks as to a broker of Kafka {shown}, whatever its brokers are: its records have no headers and are never idempotent, and brokers from 4.0 on take such requests no more; leave api_version out, and it asks them"
            yield context.finding(message, said)
