"""`truncate` and `numRows` on a streaming writer that is not the console's."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_CONSOLE = frozenset({"truncate", "numrows"})
# Sinks that have neither; what other projects bring may have an option of that name.
_OTHERS = frozenset({"kafka", "delta", "memory", "noop", *spark.FILES})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Beside foreachBatch, which takes the place of any sink, another rule speaks of them."""
    for block in job.select("spark", ("writer",)):
        form = block.trait("format")
        if form not in _OTHERS or block.trait("foreachBatch") == "true":
            continue
        for setting in job.of(block):
            if setting.key.lower() in _CONSOLE:
                message = f"{setting.key} has no effect: only the console sink reads it, and this writes to {form}"
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting])
