"""`df.groupBy("state").count().alias("total")`: the frame is called `total` then, its column still `count`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_COUNTS = frozenset({"count", "sum", "avg", "mean", "max", "min", "agg"})
_GROUPS = frozenset({"groupBy", "groupby", "rollup", "cube", "pivot"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("alias"):
        ways = list(module.frames.of(call.receiver_node, call.spot)) if call.receiver_node is not None else []
        counted = all(way.followed and way.op in _COUNTS and any(above.op in _GROUPS for above in way.inputs) for way in ways)
        name = module.string(call.argument(0, "alias"), call.spot) if ways and counted else ""
        # what is asked for as `total.count` needs the name of the frame
        if not name or re.search(rf"\b{re.escape(name)}\.", module.raw):
            continue
        op = ways[0].op
        column = "count" if op == "count" else f"{op}(…)" if op != "agg" else "as agg() has called it"
        better = f'withColumnRenamed("count", "{name}")' if op == "count" else "an alias for the column, within agg()"
        message = f"{name} is a name for the frame here, and no column: that is still called {column}, and whoever reads {name} of the rows finds none ({better})"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
