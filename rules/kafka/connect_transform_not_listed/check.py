"""`transforms.unwrap.type` where `transforms` does not name `unwrap`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.kafka import side_of

_GROUPS = "topic.creation."


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for each name, at the first of its settings."""
    for block in job.select("kafka-connect", ("connector",)):
        if block.open or job.get(block, "connector.class") is None:
            continue
        for kind in ("transforms", "predicates"):
            listed = job.written(block, kind)
            if listed is not None and not listed.known:
                continue
            named = {name.strip() for name in listed.text.split(",")} if listed is not None else set()
            seen: set[str] = set()
            for setting in job.of(block):
                parts = setting.key.split(".", 2)
                if parts[0] != kind or len(parts) < 3 or parts[1] in named or parts[1] in seen:
                    continue
                seen.add(parts[1])
                what = f"`{kind}` does not name it" if listed is not None else f"there is no `{kind}` that names it"
                message = f"{parts[1]} is never applied: {what}, and Connect ignores what is set for it"
                yield context.finding(message, setting, [(listed, "the names")] if listed is not None else [])
        yield from _groups(job, context, block)


def _groups(job: Job, context: Context, block: Block) -> Iterator[Finding]:
    """`topic.creation.compacted.cleanup.policy` where `topic.creation.groups` does not name `compacted`."""
    made_of, listed = job.get(block, "connector.class"), job.written(block, f"{_GROUPS}groups")
    if made_of is None or side_of(verbatim(made_of)) == "sink" or (listed is not None and not listed.known):
        return
    named = {"default", "groups", "enable", *(name.strip() for name in verbatim(listed).split(","))}
    for setting in job.of(block):
        group, _, option = setting.key.removeprefix(_GROUPS).partition(".")
        if setting.key.startswith(_GROUPS) and option and group not in named:
            named.add(group)
            what = "topic.creation.groups does not name it" if listed is not None else "there is no topic.creation.groups that names it"
            message = f"no topic is made as `{setting.key}` says: {what}, and Connect ignores what is set for the group"
            # what looks like a variable may be filled in before it is posted
            sure = "low" if "$" in group else ""
            yield context.finding(message, setting, [(listed, "the names")] if listed is not None else [], confidence=sure)
