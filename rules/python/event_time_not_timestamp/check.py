"""`withWatermark()` and `window()` over a column of another type.

Tried on Spark 4.3, with ANSI mode and without: a watermark takes timestamps and windows alone, and casts nothing; a window makes timestamps of texts and dates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.columns import STRUCT, TIMESTAMP, Typed, type_of
from shoal.python.frame import GROUPINGS, Frame
from shoal.python.tree import Call, descend

_CAST = ("string", "date")  # to a timestamp, by a window


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("withWatermark"):
        node = call.argument(0, "eventTime")
        ways = module.frames.receivers(call) if node is not None and not call.spot.expects_error() else ()
        name = module.string(node, call.spot) if ways else ""
        found = _types(module, ways, name) if name else []
        if found and all(one.kind not in (TIMESTAMP, STRUCT) for one in found):
            message = f"the query is refused when it is built: a watermark needs a timestamp, and {name} is {_article(found[0].kind)} (to_timestamp)"
            yield context.finding(message, module.place(node, call.spot), [_said(module, found[0])], covers=[module.covers(call)])
    for call in module.named(*GROUPINGS):
        ways = module.frames.receivers(call) if not call.spot.expects_error() else ()
        for inner in _windows(module, call) if ways else ():
            node = inner.argument(0, "timeColumn")
            name = _named(module, node, call) if node is not None else ""
            found = _types(module, ways, name) if name else []
            if found and all(one.kind not in (TIMESTAMP, STRUCT, *_CAST) for one in found):
                message = f"the query is refused when it is built: a window needs a timestamp, and {name} is {_article(found[0].kind)}"
                yield context.finding(message, module.place(node, call.spot), [_said(module, found[0])], covers=[module.covers(call)])


def _types(module: Any, ways: tuple[Frame, ...], name: str) -> list[Typed]:
    """The types that a column may have; none where one of them is not known."""
    found = [type_of(module, frame, name) for frame in ways if frame.streams]
    return [one for one in found if one is not None] if found and None not in found and len(found) == len(ways) else []


def _windows(module: Any, call: Call) -> Iterator[Call]:
    for arg in call.node.args:
        for node in descend(arg.value):
            inner = next((one for one in module.named("window") if one.node is node), None)
            if inner is not None and module.qualified(inner).startswith("pyspark."):
                yield inner


def _named(module: Any, node: Any, call: Call) -> str:
    """The column that a window is over."""
    text = module.string(node, call.spot)
    inner = next((one for one in module.named("col", "column") if one.node is node), None)
    return str(module.string(inner.argument(0, "col"), inner.spot) if inner is not None else text)


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _said(module: Any, found: Typed) -> tuple[Any, str]:
    return module.place(found.node, found.spot), "its type"
