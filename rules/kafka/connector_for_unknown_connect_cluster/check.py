"""`strimzi.io/cluster` of connectors, topics, users, node pools and rebalances, against the names of the clusters that the project has."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Usage
from shoal.job import Job
from shoal.jobs.boundaries import folder_of, in_line
from shoal.lazy import pattern
from shoal.model import Finding

_LABEL = "strimzi.io/cluster"
_NAME = pattern(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
# Words with blanks between them: anything else that no label may hold is a placeholder, which a script fills in.
_WORDS = pattern(r"[A-Za-z0-9][\w.-]*(?: +[\w.-]+)+")


def check(job: Job, context: Context) -> Iterator[Finding]:
    labels = {usage.block: usage for usage in job.usages("cluster-label")}
    misspelt = {usage.block: usage for usage in job.usages("cluster-label-misspelt")}
    # whose brokers something asks, and which may well be there without a resource here
    used = {usage.detail for usage in job.usages("strimzi-address")}
    connectors = [block for block in job.select("kafka-connect", ("connector",), ("manifest",)) if block.trait("operator") == "strimzi"]
    workers = [block for block in job.select("kafka-connect", ("worker",), ("manifest",)) if block.trait("operator") == "strimzi"]
    made = job.select("kubernetes", ("kafkatopic", "kafkauser", "kafkanodepool", "kafkarebalance"))
    kafkas = [block for block in job.select("kafka", ("broker",), ("manifest",)) if block.trait("operator") == "strimzi"]
    if not any(worker.trait("kind") == "KafkaConnect" for worker in workers):
        workers = []  # connectors of a mirror are its own
    for resources, clusters in ((connectors, workers), (made, kafkas)):
        for block in resources:
            label = labels.get(block.id)
            if label is not None and not (clusters is kafkas and label.detail in used):
                yield from _labelled(context, block, label, clusters)
            elif label is None and block.id in misspelt:
                wrong = misspelt[block.id]
                message = f"the operator ignores this {block.trait('kind')}: its label is {wrong.detail}, not {_LABEL}"
                yield context.finding(message, wrong.place, confidence="high")
            elif label is None and _forgotten(block, resources, labels):
                message = f"the operator ignores this {block.trait('kind')}: it has no label {_LABEL}, which others here have"
                yield context.finding(message, block)


def _labelled(context: Context, block: Block, label: Usage, clusters: list[Block]) -> Iterator[Finding]:
    """A label that Kubernetes refuses, or that names no cluster where all their names are known."""
    kind, names, name = block.trait("kind"), {cluster.name for cluster in clusters}, label.detail
    here = [(cluster.place, f"{cluster.trait('kind')} {cluster.name}") for cluster in clusters][:3]
    if _WORDS.fullmatch(name) and not name.isupper():
        message = f"Kubernetes refuses this {kind}: a label may not hold a blank, as `{name}` does"
        yield context.finding(message, label.place, here, confidence="high")
    elif _NAME.fullmatch(name) and names and name not in names and all(map(_NAME.fullmatch, names)):
        there = ", ".join(sorted(names)[:3])
        message = f"the operator makes nothing of this {kind}: there is no {_cluster(block)} `{name}` here, but {there}"
        yield context.finding(message, label.place, here, confidence="" if len(names) == 1 and _beside(block, clusters, name) else "low")


def _cluster(block: Block) -> str:
    """The kind of cluster that a resource is for."""
    return "KafkaConnect" if block.trait("kind") == "KafkaConnector" else "Kafka"


def _beside(block: Block, clusters: list[Block], name: str) -> bool:
    """Whether a resource surely goes with a cluster: in a folder of its own, above or below, in one namespace.

    Kustomize puts words before and behind names, and leaves labels as they are.
    """
    folder, namespace = folder_of(block.place.path), block.trait("namespace")
    return any(
        in_line(folder_of(cluster.place.path), folder)
        and cluster.trait("namespace") in ("", namespace)
        and not name.startswith(f"{cluster.name}-")
        and not name.endswith(f"-{cluster.name}")
        for cluster in clusters
    )


def _forgotten(block: Block, resources: list[Block], labels: dict[str, Usage]) -> bool:
    """Whether a label is missing that nothing adds: others of the folder have it, and this is no patch of another resource."""
    folder = folder_of(block.place.path)
    same = [one for one in resources if one is not block and (one.name, one.trait("kind")) == (block.name, block.trait("kind"))]
    beside = any(folder_of(one.place.path) == folder for one in resources if one.id in labels)
    template = block.role == "kafkarebalance"  # which is for no cluster
    return beside and not same and not template and not block.open and bool(_NAME.fullmatch(block.name))
