"""Replication factors of 1 for what MirrorMaker makes in its target, whose list of brokers has three or more."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import mirror
from shoal.templates.common import verbatim

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


def check(job: Job, context: Context) -> Iterator[Finding]:
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
