"""Replication factors of 1 for what MirrorMaker makes in its target, whose list of brokers, or whose Strimzi resource, has three or more."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting, Usage
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import mirror, strimzi
from shoal.templates.common import verbatim
from shoal.templates.kafka import amount

_FEWEST = 3
# Of the file that comes with Kafka, which is often committed along with the rest of it.
_EXAMPLE = pattern(r"[AB]_host\d:9092")
# For each, what is gone with the one broker that has it.
_FACTORS = {
    "replication.factor": "a part of each copied topic cannot be read or written, and is lost with its disk",
    "offset.storage.replication.factor": "MirrorMaker does not know how far it has copied, and begins anew where that is lost",
    "offset-syncs.topic.replication.factor": "offsets of groups cannot be translated",
    "checkpoints.topic.replication.factor": "offsets of groups are not known in the other cluster",
    "config.storage.replication.factor": "MirrorMaker stands still",
    "status.storage.replication.factor": "MirrorMaker stands still",
}


# What a resource of Strimzi's makes in the cluster that it copies to, by the connector that is told.
_IN_TARGET = {"source": "replication.factor", "checkpoint": "checkpoints.topic.replication.factor"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    yield from _of_files(job, context)
    for target in job.usages("mirror-target"):
        yield from _of_resource(job, context, target)


def _of_resource(job: Job, context: Context, target: Usage) -> Iterator[Finding]:
    """A flow into a cluster that is a resource as well; of several of one name those nearest to the flow, of which each has to have the brokers."""
    clusters = [one for one in job.select("kafka", ("broker",), ("manifest",)) if one.name == target.detail and strimzi.is_whole(job, one)]
    clusters = [one for one in clusters if folder_of(one.place.path) == folder_of(target.place.path)] or clusters
    brokers = min(((strimzi.brokers_of(job, one) or 0) for one in clusters), default=0)
    if brokers < _FEWEST:
        return
    parts = [one for one in job.children(job.blocks[target.block]) if one.role == "connector"]
    told = [(key, job.written(one, key)) for one in parts if (key := _IN_TARGET.get(one.trait("connector"), ""))]
    once = [(key, setting) for key, setting in told if setting is not None and verbatim(setting) == "1"]
    if once:
        (key, first), *others = once
        wanted = min((amount(job, one, "min.insync.replicas", 1).value or 0) for one in clusters)
        if key == "replication.factor" and wanted > 1:
            message = f"nothing is copied: topics get one replica, and brokers of {target.detail} refuse what fewer than {wanted} have (min.insync.replicas), since MirrorMaker asks for acks=all"
        else:
            message = f"while one of the {brokers} brokers of {target.detail} is down, {_FACTORS[key]}: {key} is 1"
        yield context.finding(message, first, [(clusters[0], "the brokers"), *((other, "this too") for _, other in others)])


def _of_files(job: Job, context: Context) -> Iterator[Finding]:
    for maker in job.select("kafka-mirror", ("maker",)):
        targets = {flow.name.partition("->")[2] for flow in mirror.flows(job, maker) if mirror.enabled(job, flow)}
        said: set[Setting] = set()
        for name in sorted(targets):
            cluster = mirror.cluster(job, maker, name)
            servers = job.written(cluster, "bootstrap.servers") if cluster is not None else None
            brokers = {entry.strip() for entry in verbatim(servers).split(",") if entry.strip()}
            if cluster is None or servers is None or len(brokers) < _FEWEST or all(_EXAMPLE.fullmatch(entry) for entry in brokers):
                continue
            into = [flow for flow in mirror.flows(job, maker) if flow.name.endswith(f"->{name}")]
            found = [(key, one) for key in _FACTORS for block in (*into, cluster, maker) if (one := job.written(block, key)) is not None]
            once = [(key, one) for key, one in found if verbatim(one) == "1" and one not in said]
            if once:
                (key, first), *others = once
                said.update(one for _, one in once)
                message = f"while one of the {len(brokers)} brokers of {name} is down, {_FACTORS[key]}: {key} is 1"
                yield context.finding(message, first, [(servers, "the brokers"), *((other, "this too") for _, other in others[:5])])
