"""`replication.policy.…` of the source connector against that of the one for checkpoints: in Strimzi's resource each is told its own config alone."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import mirror
from shoal.templates.common import verbatim

_CLASS, _IDENTITY = "replication.policy.class", "IdentityReplicationPolicy"
_DEFAULTS = {
    _CLASS: "org.apache.kafka.connect.mirror.DefaultReplicationPolicy",
    "replication.policy.separator": ".",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for maker in mirror.makers(job):
        for flow in mirror.flows(job, maker):
            source, checkpoint = (_connector(job, flow, name) for name in ("source", "checkpoint"))
            if source is None or checkpoint is None or flow.open:
                continue
            identity = verbatim(job.written(source, _CLASS)).endswith(_IDENTITY)
            for key, default in _DEFAULTS.items():
                if key != _CLASS and identity:
                    continue  # names are kept, and a separator is for none but internal topics
                one, other = job.written(source, key), job.written(checkpoint, key)
                if any(setting is not None and not setting.known for setting in (one, other)):
                    continue
                values = [verbatim(setting) if setting is not None else default for setting in (one, other)]
                at = one or other
                if values[0] != values[1] and at is not None:
                    lacks = "checkpointConnector" if other is None else "sourceConnector" if one is None else ""
                    how = f"{lacks} has no {key}, and {default} by default" if lacks else f"{key} is `{values[0]}` and `{values[1]}`"
                    message = f"offsets of groups are translated for topics that are not there: the connectors of {flow.name} name the copies differently, {how}"
                    related = (
                        [(other, "there")]
                        if one is not None and other is not None
                        else [(source if one is None else checkpoint, "not set here")]
                    )
                    yield context.finding(message, at, related)
                    break


def _connector(job: Job, flow: Block, name: str) -> Block | None:
    return next((block for block in job.children(flow) if block.role == "connector" and block.trait("connector") == name), None)
