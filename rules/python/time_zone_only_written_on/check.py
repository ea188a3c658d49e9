"""Naive datetimes of one zone that are read as those of another: `replace(tzinfo=…)` changes the label and not the time, `timestamp()` takes what has no label for local time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Spot, is_none
from shoal.python.values import Symbol, options

_LOCAL = ("datetime.datetime.fromtimestamp", "datetime.datetime.now", "datetime.datetime.today")
_UTC = ("datetime.datetime.utcnow", "datetime.datetime.utcfromtimestamp")
_IS_UTC = ("datetime.timezone.utc", "datetime.UTC", "pytz.utc", "pytz.UTC", "dateutil.tz.UTC")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    made = {id(call.node): call for call in module.named("fromtimestamp", "now", "today", "utcnow", "utcfromtimestamp")}
    for call in module.named("replace", "localize") if made else ():
        zone = call.argument(99, "tzinfo") if call.name == "replace" else call.receiver_node
        time = call.receiver_node if call.name == "replace" else call.argument(0, "dt")
        if zone is not None and len(call.args) == 1 and _is_utc(module, zone, call.spot) and _naive(module, made, time, _LOCAL):
            message = "this is local time that is only labelled UTC: on a machine with another time zone every time, and what windows and watermarks make of it, is off by that (give the zone where the time is made: fromtimestamp(…, tz=timezone.utc))"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named("timestamp") if made else ():
        if not call.args and _naive(module, made, call.receiver_node, _UTC):
            message = "this is UTC without a zone, and timestamp() takes it for local time: on a machine with another time zone the seconds are off by that (time.time(), or now(timezone.utc).timestamp())"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _naive(module: Any, made: dict[int, Call], node: Any, of: tuple[str, ...]) -> bool:
    """Whether a datetime is made right there, without a zone."""
    call = made.get(id(node))
    if call is None or module.qualified(call) not in of or call.has_stars:
        return False
    zone = call.argument(1 if call.name == "fromtimestamp" else 0, "tz") if call.name in ("fromtimestamp", "now") else None
    return zone is None or is_none(zone)


def _is_utc(module: Any, node: Any, spot: Spot) -> bool:
    return any(isinstance(one, Symbol) and one.name in _IS_UTC for one in options(module.value(node, spot)))
