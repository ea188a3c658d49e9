"""`price DECIMAL`, which is `DECIMAL(10, 0)` in Flink (DecimalType.DEFAULT_SCALE): what comes in is rounded to whole numbers."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

# What is hardly ever a whole number.
_FRACTION = pattern(
    r"(?i)(?:^|_)(?:price|amount|amt|cost|fee|fare|tip|tax|total|balance|revenue|salary|discount|rate|ratio|percent(?:age)?|pct|avg|average|mean|score|sentiment|"
    r"vwap|lat(?:itude)?|lon(?:gitude)?|lng|temp(?:erature)?|humidity|weight|voltage|speed|probability|open|close|high|low|bid|ask)(?:_|$)|(?:Price|Amount|Rate|Total|Cost)$"
)
_MADE_UP = ("datagen", "print", "blackhole")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        block = job.blocks.get(oddity.block)
        if oddity.kind != "whole-decimal" or block is None or block.trait("connector") in _MADE_UP:
            continue
        name = oddity.subject.strip("`")
        message = f"{name} holds whole numbers of at most ten digits: DECIMAL alone is DECIMAL(10, 0) in Flink, so 0.4 is read as 0 and 99.95 as 100"
        yield context.finding(message, oddity, confidence="" if _FRACTION.search(name) else "low")
