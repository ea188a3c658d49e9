"""`datetime.fromisoformat(text.replace("Z", "")).timestamp()`, `strptime` with a Z that is a letter, and `utcnow().timestamp()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import last_name

# What takes the mark of UTC away from a text and leaves the rest as it is.
_UNMARKED = pattern(
    r"\.(?:replace\(\s*['\"](?:Z|\+00:00)['\"]\s*,\s*(?:''|\"\")\s*\)|(?:r?strip|removesuffix)\(\s*['\"](?:Z|\+00:00)['\"]\s*\))"
)
# What gives a time of UTC that does not say so; those of pandas and arrow do.
_NAIVE = ("datetime.datetime.utcnow", "datetime.datetime.utcfromtimestamp")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("mktime"):
        parts = _made(module, call.argument(0), call.spot)
        if module.qualified(call) == "time.mktime" and isinstance(parts, cst.Call) and _is_utc(module, parts, call.spot):
            message = (
                "mktime() takes these parts of a time in UTC for local time: the result is off by the distance of the machine's zone from UTC wherever TZ is set "
                "(calendar.timegm takes them for what they are)"
            )
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named("timestamp"):
        made = _moment(module, call.receiver_node, call.spot)
        if call.node.args or not isinstance(made, cst.Call):
            continue
        how = last_name(made.func)
        if _is_naive(module, made):
            message = (
                f"{how}() gives a time that does not say it is of UTC, and timestamp() counts such a time in the zone of the machine: "
                "the result is off by its distance from UTC wherever TZ is set (time.time(), or datetime.now(timezone.utc).timestamp())"
            )
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
            continue
        if not made.args:
            continue
        if how == "fromisoformat":
            text = _made(module, made.args[0].value, call.spot)
            lost = text is not None and _UNMARKED.search(module.tree.node.code_for_node(text)) is not None
        else:
            form = module.string(made.args[1].value, call.spot) if how == "strptime" and len(made.args) == 2 else ""
            lost = form.endswith("Z") and "%z" not in form
        if lost:
            message = (
                "the text says UTC, and what is made of it no longer does: timestamp() counts a time without a zone in that of the machine, so that event times are off by its distance from UTC "
                "wherever TZ is set (replace(tzinfo=timezone.utc), or fromisoformat with +00:00 in the place of Z)"
            )
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _is_utc(module: Any, parts: cst.Call, spot: Any) -> bool:
    """Whether a call gives the parts of a time in UTC: `time.gmtime()`, `moment.utctimetuple()`, `datetime.utcnow().timetuple()`."""
    how = last_name(parts.func)
    if how != "timetuple" or not isinstance(parts.func, cst.Attribute):
        return how in ("gmtime", "utctimetuple")
    moment = _moment(module, parts.func.value, spot)
    return isinstance(moment, cst.Call) and _is_naive(module, moment)


def _is_naive(module: Any, made: cst.Call) -> bool:
    return any(call.node is made and module.qualified(call) in _NAIVE for call in module.named("utcnow", "utcfromtimestamp"))


def _moment(module: Any, node: Any, spot: Any) -> Any:
    """What a time is made of, whatever is added to it or taken from it."""
    made = _made(module, node, spot)
    while isinstance(made, cst.BinaryOperation) and isinstance(made.operator, (cst.Add, cst.Subtract)):
        made = _made(module, made.left, spot)
    return made


def _made(module: Any, node: Any, spot: Any) -> Any:
    """What a name is given once, else the expression itself."""
    if not isinstance(node, cst.Name):
        return node
    made = [binding for binding, _ in module.lookup(node.value, spot)]
    return made[0].node if len(made) == 1 and made[0].kind == "assign" else None
