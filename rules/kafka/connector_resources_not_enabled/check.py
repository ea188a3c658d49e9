"""A KafkaConnect of Strimzi without the annotation that has its connectors made of resources, and resources for it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs.boundaries import folder_of, in_line
from shoal.model import Finding
from shoal.templates.strimzi import is_for


def check(job: Job, context: Context) -> Iterator[Finding]:
    managed = {usage.detail for usage in job.usages("connectors-managed")}
    connectors = [block for block in job.select("kafka-connect", ("connector",), ("manifest",)) if block.trait("kind") == "KafkaConnector"]
    paths: dict[str, set[str]] = {}
    for block in job.select("kafka-connect", ("worker",), ("manifest",)):
        paths.setdefault(block.name, set()).add(block.place.path)
    shared = {name for name, files in paths.items() if len(files) > 1}  # of several examples, which one a connector is for is not said
    for usage in job.usages("connectors-unmanaged"):
        worker = job.blocks.get(usage.block)
        # a patch lacks the brokers, and another one may annotate what is here, or whatever it is for
        if worker is None or {worker.name, ""} & managed or job.written(worker, "spec.bootstrapServers") is None:
            continue
        own = [block for block in connectors if is_for(block, worker) and block.trait("namespace") in ("", worker.trait("namespace"))]
        if own:
            message = (
                f"the operator ignores {_those(len(own))} KafkaConnect {worker.name}, "
                'which lacks the annotation strimzi.io/use-connector-resources: "true"'
            )
            beside = any(in_line(folder_of(worker.place.path), folder_of(block.place.path)) for block in own)
            related = [(block, "which is ignored") for block in own[:3]]
            sure = "" if beside else "low" if worker.name in shared else "medium"
            yield context.finding(message, usage.place, related, confidence=sure)


def _those(count: int) -> str:
    return "the KafkaConnector of the" if count == 1 else f"the {count} KafkaConnectors of the"
