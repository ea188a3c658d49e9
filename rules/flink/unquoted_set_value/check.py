"""SET statements that the parser refuses: `SET key = value` ends at the first blank of the value (1.15 to 2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Fix


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        block = job.blocks.get(oddity.block)
        if oddity.kind != "unquoted-set" or block is None or block.engine != "flink" or " " not in oddity.detail.strip():
            continue
        fixes = [Fix("quote key and value", "safe", oddity.edits)] if oddity.edits else []
        yield context.finding(
            f"the script stops here: without quotes the value ends at the first blank of `{oddity.detail.strip()}`", oddity, fixes=fixes
        )
