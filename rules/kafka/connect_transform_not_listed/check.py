"""`transforms.unwrap.type` where `transforms` does not name `unwrap`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


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
