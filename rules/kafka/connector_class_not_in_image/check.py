"""The class of a KafkaConnector against the image of its KafkaConnect, where that is the operator's own."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.strimzi import has, workers_of

_OF_KAFKA = "org.apache.kafka."


def check(job: Job, context: Context) -> Iterator[Finding]:
    for connector in job.select("kafka-connect", ("connector",), ("manifest",)):
        made_of = job.get(connector, "connector.class")
        if connector.trait("operator") != "strimzi" or made_of is None or not made_of.known:
            continue
        name = made_of.text.strip()
        workers = workers_of(job, connector)
        # an alias, such as FileStreamSource, has no dot
        if "." not in name or name.startswith(_OF_KAFKA) or not workers or any(_has_plugins(job, worker) for worker in workers):
            continue
        message = f"the connector never starts: {workers[0].name} has neither an image nor a build of its own, and Strimzi's lacks {name}"
        yield context.finding(message, made_of, [(workers[0], "the KafkaConnect")])


def _has_plugins(job: Job, worker: Block) -> bool:
    """Whether a KafkaConnect, or a patch of it, says where it has more connectors from."""
    own = bool(worker.trait("plugins")) or job.written(worker, "spec.image") is not None or bool(job.images(worker))
    return own or has(job, worker, "spec.build.")
