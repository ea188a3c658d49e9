"""`TimestampedValue` between `ReadFromPubSub`, whose watermark knows when messages were published, and windows without a lateness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, descend, last_name
from shoal.python.values import Known

_WINDOWS = ("FixedWindows", "SlidingWindows", "Sessions")
# Times that are not before the one of the read.
_LATER = ("time", "now", "utcnow", "publish_time")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    steps, told = dofns.pipeline(module), set[int]()
    for call in module.named("WindowInto"):
        windows, _ = dofns.made_by_beam(module, call.argument(0, "windowfn"), call.spot)
        if windows is None or last_name(windows.func) not in _WINDOWS or call.has_stars or call.argument(4, "allowed_lateness") is not None:
            continue
        stamp: Call | None = None
        for node, spot in dofns.steps_before(module, call, steps):
            step = Call(node, last_name(node.func), spot, None, "")
            if step.name == "WindowInto":
                break
            # the last one counts
            stamp = stamp or _stamp(module, step)
            if step.name != "ReadFromPubSub":
                continue
            if stamp is not None and id(stamp.node) not in told and not step.has_stars and not _told_the_time(module, step):
                told.add(id(stamp.node))
                message = "the watermark follows the time at which messages were published, since the read knows nothing of this one: what happened in a window, and is read after its end, is late, and dropped; give ReadFromPubSub a timestamp_attribute, or the windows an allowed_lateness"
                related = [(module.place(node.func, spot), "the read"), (module.call_place(call), "the windows")]
                yield context.finding(message, module.call_place(stamp), related, covers=[module.covers(stamp)])
            break


def _told_the_time(module: Any, read: Call) -> bool:
    """Whether a read of Pub/Sub is told where the event time stands; `timestamp_attribute=None` says what is so without it."""
    given = read.argument(4, "timestamp_attribute")
    value = module.value(given, read.spot) if given is not None else Known(None)
    return not isinstance(value, Known) or value.value is not None


def _stamp(module: Any, step: Call) -> Call | None:
    """The call by which a step sets the time of records, from what is in them."""
    given = step.node.args[0].value if step.node.args else None
    if given is None:
        return None
    cls = module.class_of(given, step.spot) if step.name == "ParDo" else None
    process = cls.methods.get("process") if cls is not None else None
    for function in [process] if process is not None else module.function_of(given, step.spot):
        stamps = [call for call in function.calls if call.name == "TimestampedValue" and module.qualified(call).startswith("apache_beam.")]
        names = {str(node.value) for node in descend(function.node) if isinstance(node, cst.Name)}
        if stamps and names.isdisjoint(_LATER) and "TimestampParam" not in names:
            time = stamps[0].argument(1, "timestamp")
            if time is not None and module.constant(time, stamps[0].spot) is None:
                return stamps[0]  # type: ignore[no-any-return]
    return None
