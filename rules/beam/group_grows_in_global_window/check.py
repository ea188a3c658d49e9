"""`GroupByKey` behind `WindowInto(GlobalWindows(), trigger=…, accumulation_mode=ACCUMULATING)`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, last_name

# What keeps the elements themselves: a combiner keeps what it has made of them.
_KEEPS = ("GroupByKey", "CoGroupByKey")
_UNBOUNDED = pattern(r"ReadFrom(?:Kafka|PubSub|Kinesis)|PeriodicImpulse|[\"']--streaming|\bstreaming\s*=\s*True")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    steps = dofns.pipeline(module)
    for group in module.named(*_KEEPS):
        if not module.qualified(group).startswith("apache_beam."):
            continue
        for node, spot in dofns.steps_before(module, group, steps):
            if last_name(node.func) != "WindowInto":
                continue
            windows = Call(node, "WindowInto", spot, None, "")
            into, _ = dofns.made_by_beam(module, windows.argument(0, "windowfn"), spot)
            fires, _ = dofns.made_by_beam(module, windows.argument(1, "trigger"), spot)
            accumulates = dofns.member(module, windows, 2, "accumulation_mode") == "ACCUMULATING"
            if into is None or fires is None or not accumulates or windows.has_stars or last_name(into.func) != "GlobalWindows":
                break
            message = "this group is never let go of: the global window has no end, and what accumulates keeps every element of a key, and puts all of them out again each time it fires (DISCARDING, a combiner, or windows that end)"
            related = [(module.place(windows.argument(2, "accumulation_mode"), spot), "keeps what it has put out")]
            sure = "" if _UNBOUNDED.search(module.raw) else "low"
            yield context.finding(message, module.call_place(group), related, confidence=sure, covers=[module.covers(group)])
            break
