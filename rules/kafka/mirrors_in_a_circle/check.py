"""Both directions of a pair, with a policy that keeps the names of topics and so cannot tell where a record came from."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import mirror
from shoal.templates.common import verbatim

_POLICY = "replication.policy.class"
_IDENTITY = "IdentityReplicationPolicy"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for maker in mirror.makers(job):
        enabled = {flow.name: flow for flow in mirror.flows(job, maker) if mirror.enabled(job, flow)}
        for name, flow in enabled.items():
            source, _, target = name.partition("->")
            back = enabled.get(f"{target}->{source}")
            if back is None or name > back.name:
                continue
            policies = [mirror.option(job, one, _POLICY, "source") for one in (flow, back)]
            if not all(policy is not None and verbatim(policy).endswith(_IDENTITY) for policy in policies):
                continue
            both = _both(mirror.option(job, flow, "topics", "source"), mirror.option(job, back, "topics", "source"))
            if both:
                at = policies[0] or flow
                message = f"records go round between {source} and {target} for ever: {both} are copied both ways, and with {_IDENTITY} nothing tells a copy from what was there"
                yield context.finding(message, at, [(_place(job, flow), "one way"), (_place(job, back), "and back")])


def _place(job: Job, flow: Block) -> Block | Setting:
    return job.written(flow, "enabled") or flow


def _both(one: Setting | None, other: Setting | None) -> str:
    """Topics that both flows surely copy, in words."""
    texts = [verbatim(setting) if setting is not None and setting.known else ".*" if setting is None else "" for setting in (one, other)]
    if ".*" in texts:
        rest = next((text for text in texts if text != ".*"), ".*")
        return "all topics" if rest == ".*" else f"`{rest}`" if rest else ""
    shared = {part.strip() for part in texts[0].split(",")} & {part.strip() for part in texts[1].split(",")} - {""}
    return f"`{min(shared)}`" if shared else ""
