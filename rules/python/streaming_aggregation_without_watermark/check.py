"""`groupBy` on a frame from `readStream` with no `withWatermark` above it, or with one on a column that is not among its keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import GROUPED, GROUPINGS, MEETINGS, OWN_STATE, Frame, grouping, keys_of, window_of
from shoal.python.tree import Call, descend, last_name
from shoal.python.values import names

# Steps that leave the columns as they are.
_NEUTRAL = names(
    "filter where repartition coalesce dropDuplicates dropDuplicatesWithinWatermark alias hint drop dropna fillna na.drop na.fill"
)
_PARTS = names("to_date date_trunc trunc date_format year quarter month weekofyear dayofyear dayofmonth dayofweek day hour minute second")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    own = {
        id(at.node)
        for call in module.named(*OWN_STATE)
        for frame in module.frames.of(call.receiver_node, call.spot)
        for at in frame.steps(*GROUPINGS)[:1]
    }
    for call in module.named(*GROUPINGS):
        streams = module.frames.streams(call.receiver_node, call.spot)
        unknown = [] if streams else module.frames.shown_by_sink(call)  # a helper of another module may have set a watermark
        streams = streams or unknown
        if unknown and any(sink.mode == "append" for sink in module.frames.sinks_of(call)):
            continue  # it runs, so there is one
        if not streams or id(call.node) in own or any(frame.steps(*GROUPINGS) for frame in streams):
            continue
        sinks = module.frames.sinks_of(call)
        modes = {sink.mode for sink in sinks}
        demo = bool(unknown) or (bool(sinks) and all(sink.demo for sink in sinks))
        windows = [window for key in keys_of(call) if (window := window_of(module, key, call.spot)) is not None]
        if any(frame.steps("withWatermark") for frame in streams):
            wrong = _elsewhere(module, streams, windows)
            if wrong is not None:
                name, step, key = wrong
                what = "the query is refused when it starts" if modes == {"append"} else "the state of every window there ever was is kept"
                message = f"{what}: the windows are over {key}, and the watermark is on {name}"
                related = [(module.frames.place(step), "on another column")]
                yield context.finding(
                    message, module.call_place(call), related, "error" if modes == {"append"} else "", covers=[module.covers(call)]
                )
            elif windows and "complete" in modes:
                yield from _complete(context, sinks, next(step for frame in streams for step in frame.steps("withWatermark")))
            elif (off := _off_the_keys(module, streams, keys_of(call))) is not None:
                yield _no_key(context, call, *off, modes)
            continue
        if len(modes) > 1:
            yield from _appended(context, call, sinks)
        late = next((step for sink in sinks for frame in sink.frames for step in frame.steps("withWatermark")), None)
        related = [(module.frames.place(late), "only here, after the aggregation")] if late is not None else []
        if modes == {"append"}:
            message = "an aggregation without a watermark above it cannot be written in append mode: the query is refused when it starts"
            yield context.finding(
                message, module.call_place(call), related, severity="error", confidence="high", covers=[module.covers(call)]
            )
        elif windows:
            message = "no withWatermark above this windowed aggregation: the state of every window there ever was is kept, until the executors run out of memory"
            yield context.finding(
                message, module.call_place(call), related, confidence="low" if demo else "high", covers=[module.covers(call)]
            )
        elif call.node.args:
            message = "no withWatermark above this aggregation: the state of every key there ever was is kept, which is fine only for a fixed set of keys"
            yield context.finding(
                message, module.call_place(call), related, severity="info", confidence="low", covers=[module.covers(call)]
            )
    yield from _statements(context)
    yield from _from_elsewhere(context)


def _from_elsewhere(context: Context) -> Iterator[Finding]:
    """Writers in append mode of what another module has aggregated."""
    module = context.module
    seen: set[int] = set()
    for sink in module.frames.sinks():
        grouped = [next((at for at in frame.steps(*GROUPINGS) if at.origin and at.streams), None) for frame in sink.frames]
        first = grouped[0] if grouped and all(frame.followed for frame in sink.frames) else None
        bare = all(at is not None and not at.steps("withWatermark") for at in grouped)
        if first is None or not bare or sink.mode != "append" or id(sink.writer.node) in seen:
            continue
        seen.add(id(sink.writer.node))
        yield context.finding(
            "an aggregation without a watermark above it cannot be written in append mode: the query is refused when it starts",
            module.place(sink.writer.node.attr, sink.writer.spot),
            [(module.frames.place(first), "without a watermark")],
            severity="error",
            confidence="high",
        )


def _statements(context: Context) -> Iterator[Finding]:
    """`spark.sql("… GROUP BY …")` over a view of a stream."""
    module = context.module
    for call in module.named("sql"):
        ways = module.frames.of(call.node, call.spot)
        if not ways or not all(frame.op == GROUPED and frame.followed for frame in ways):
            continue
        if not any(frame.streams for frame in ways) or any(frame.steps("withWatermark", *GROUPINGS) for frame in ways):
            continue
        sinks = module.frames.sinks_of(call)
        modes = {sink.mode for sink in sinks}
        keys = grouping(module.string(call.argument(0, "sqlQuery"), call.spot))
        if modes == {"append"}:
            message = (
                "an aggregation without a watermark above its view cannot be written in append mode: the query is refused when it starts"
            )
            yield context.finding(message, module.call_place(call), severity="error", covers=[module.covers(call)])
        elif keys is not None and re.search(r"\b(?:session_)?window\s*\(", keys[1], re.IGNORECASE):
            message = "no withWatermark above the view that this statement groups by window: the state of every window there ever was is kept, until the executors run out of memory"
            demo = bool(sinks) and all(sink.demo for sink in sinks)
            yield context.finding(message, module.call_place(call), confidence="low" if demo else "", covers=[module.covers(call)])
        else:
            message = "no withWatermark above the view that this statement groups: the state of every key there ever was is kept, which is fine only for a fixed set of keys"
            yield context.finding(message, module.call_place(call), severity="info", confidence="low", covers=[module.covers(call)])


def _no_key(context: Context, call: Call, name: str, step: Frame, modes: set[str]) -> Finding:
    what = "the query is refused when it starts" if modes == {"append"} else "the state of every key there ever was is kept"
    return context.finding(
        f"{what}: the watermark is on {name}, and neither that column nor a window over it is among the keys",
        context.module.call_place(call),
        [(context.module.frames.place(step), "drops nothing here")],
        severity="error" if modes == {"append"} else "info" if modes == {"complete"} else "",
        confidence="low" if modes == {"complete"} else "",
        covers=[context.module.covers(call)],
    )


def _complete(context: Context, sinks: list[Any], step: Frame) -> Iterator[Finding]:
    """Complete mode shows every window there ever was, so it has to keep them, watermark or not."""
    module = context.module
    for sink in sinks:
        asked = sink.calls.get("outputMode")
        if sink.mode == "complete" and asked is not None:
            message = "complete mode keeps the state of every window there ever was: the watermark above the aggregation drops nothing (append and update let it)"
            related = [(module.frames.place(step), "drops nothing here")]
            yield context.finding(
                message, module.call_place(asked), related, severity="info", confidence="low", covers=[module.covers(asked)]
            )


def _appended(context: Context, call: Call, sinks: list[Any]) -> Iterator[Finding]:
    """Of several queries over one aggregation those in append mode are refused."""
    for sink in sinks:
        asked = sink.calls.get("outputMode")
        if sink.mode == "append" and asked is not None and all(any(at.node is call.node for at in frame.all()) for frame in sink.frames):
            message = "an aggregation without a watermark above it cannot be written in append mode: the query is refused when it starts"
            related = [(context.module.call_place(call), "without a watermark")]
            yield context.finding(
                message,
                context.module.call_place(asked),
                related,
                severity="error",
                confidence="high",
                covers=[context.module.covers(asked)],
            )


def _elsewhere(module: Any, streams: list[Frame], windows: list[Any]) -> tuple[str, Frame, str] | None:
    """The watermark's column, its step and the window's column, where these surely are two columns."""
    for frame in streams:
        marks = module.frames.watermarks(frame)
        if len(marks) != 1 or not marks[0][0] or len(windows) != 1 or not windows[0].args:
            return None
        name, step = marks[0]
        key = module.frames.column(Call(windows[0], "window", frame.spot, None, "").argument(0, "timeColumn"), frame.spot)
        made = {key}
        for at in frame.line():
            if at is step:
                break
            names = module.frames.names(at) if at.op == "withColumn" else []
            if at.op in ("select", "selectExpr") and at.arguments and not any(_may_rename(module, arg, at, name) for arg in at.arguments):
                continue
            if at.op not in _NEUTRAL and not (names and names[0] and names[0] not in made | {name}):
                return None
        if not key or key == name.rsplit(".", 1)[-1]:
            return None
        return name, step, key
    return None


def _may_rename(module: Any, arg: cst.Arg, at: Frame, name: str) -> bool:
    """Whether an argument of `select` may give a column another name: all but the column itself, and expressions that surely are of others."""
    node = arg.value
    if isinstance(node, (cst.Name, cst.Attribute)) and module.frames.column(node, at.spot):
        return False
    if arg.star or not isinstance(node, (cst.Call, cst.SimpleString)):
        return True
    if module.frames.column(node, at.spot) == name:
        return last_name(getattr(node, "func", node)) in ("alias", "name")
    parts = list(descend(node))
    by_name = any(isinstance(at, cst.Call) and last_name(at.func) in ("col", "column", "expr") and not _literal(at) for at in parts)
    return by_name or any(isinstance(at, (cst.SimpleString, cst.Name)) and name in at.value for at in parts)


def _literal(call: cst.Call) -> bool:
    return len(call.args) == 1 and isinstance(call.args[0].value, cst.SimpleString)


def _off_the_keys(module: Any, streams: list[Frame], keys: list[Any]) -> tuple[str, Frame] | None:
    """The watermark's column and its step, where the keys surely are other columns."""
    grouped = {module.frames.column(key, streams[0].spot).lower() for key in keys}
    if not grouped or "" in grouped:
        return None
    found = None
    for frame in streams:
        marks = {id(step.node): (name, step) for name, step in module.frames.watermarks(frame)}
        name, step = next(iter(marks.values())) if len(marks) == 1 else ("", frame)
        if not name or name.rsplit(".", 1)[-1].lower() in grouped or not _under_its_name(module, frame, name, grouped):
            return None
        found = name, step
    return found


def _under_its_name(module: Any, frame: Frame, name: str, grouped: set[str]) -> bool:
    """Whether no step below the watermark makes a key of its column, by another name or by a window over it."""
    if frame.op == "withWatermark":
        return True
    told = frame.arguments or ()
    if frame.op == "withColumn":
        made = (module.frames.names(frame) or [""])[0].lower()
        itself = bool(told) and module.frames.column(told[-1].value, frame.spot).lower() == name.rsplit(".", 1)[-1].lower()
        if not made or (made in grouped and not _loses(told[-1].value) and (itself or _may_rename(module, told[-1], frame, name))):
            return False
    elif frame.op == "select":
        if not told or any(_may_rename(module, arg, frame, name) and not _loses(arg.value) for arg in told):
            return False
    elif frame.op not in _NEUTRAL and frame.op not in MEETINGS:
        return False
    above = [one for one in frame.inputs if any(at.op == "withWatermark" for at in one.all())]
    return bool(above) and all(_under_its_name(module, one, name, grouped) for one in above)


def _loses(node: Any) -> bool:
    """Whether an expression is a part of a time, which the engine does not take for the time that the watermark is on."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name"):
        node = node.func.value
    return isinstance(node, cst.Call) and last_name(node.func) in _PARTS
