"""Keys that come twice, and what each format makes of that."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        block = job.blocks.get(oddity.block)
        if block is None or block.engine != "flink":
            continue
        if oddity.kind == "overridden-set":
            if catalogue.load("flink").option(oddity.subject) is None:
                continue  # what a tool of its own may read between two statements
            message = f"this SET does nothing: a later one replaces the value of {oddity.subject} before any statement runs"
            yield context.finding(message, oddity, oddity.related, severity="info")
        elif oddity.kind == "duplicate-key":
            if block.form == "flink-yaml" or block.trait("file").startswith("config.y"):
                message = f"Flink does not start: `{oddity.subject}` comes twice, and config.yaml may hold a key only once"
                yield context.finding(message, oddity, oddity.related, severity="error")
            elif block.form == "manifest" and block.role in ("deployment", "sessionjob"):
                message = f"`{oddity.subject}` comes twice: the API server refuses the manifest, or keeps the last one"
                yield context.finding(message, oddity, oddity.related)
            else:
                message = f"the earlier `{oddity.subject}` does nothing: the last one counts"
                yield context.finding(message, oddity, oddity.related)
