"""Actions, batch writes, sorting and the like on what surely comes from `readStream`. Tried on Spark 3.5.9, distinct aggregations on 4.3.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import tried
from shoal.python.frame import ACTIONS, GROUPED, GROUPINGS, KEEPERS, SAVES, Frame
from shoal.python.tree import Call, descend

_DISTINCT = frozenset({"countDistinct", "count_distinct", "sumDistinct", "sum_distinct"})
# Spark's spellings of the joins that are more than inner ones, without underscores.
_HOW = {
    **dict.fromkeys(("left", "leftouter"), "left outer"),
    **dict.fromkeys(("right", "rightouter"), "right outer"),
    **dict.fromkeys(("outer", "full", "fullouter"), "full outer"),
    **dict.fromkeys(("semi", "leftsemi"), "left semi"),
    **dict.fromkeys(("anti", "leftanti"), "left anti"),
}
_AT_ONCE = "the script fails here with an AnalysisException"
_AT_START = "the query is refused when it starts"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*ACTIONS, *KEEPERS, *SAVES, "orderBy", "sort", "sample", "limit", "union", "unionAll", "unionByName", "join"):
        if call.receiver_node is None or _guarded(call):
            continue
        what = _wrong(module, call)
        if what:
            yield context.finding(what, module.call_place(call), covers=[module.covers(call)])
    if "rdd" in module.tree.attribute_names:
        for call in module.calls:
            node = call.receiver_node
            if not isinstance(node, cst.Attribute) or node.attr.value != "rdd" or _guarded(call):
                continue
            if _only_streams(module.frames.of(node.value, call.spot)):
                message = f"{_AT_ONCE}: a stream has no RDD; use foreachBatch, or mapInPandas for rows"
                yield context.finding(message, module.place(node.attr, call.spot), covers=[module.covers(call)])
    if module.named("over"):
        yield from _ranked(context)
    if module.named(*_DISTINCT):
        yield from _distinct(context)


def _distinct(context: Context) -> Iterator[Finding]:
    """Aggregations over distinct values, which Spark refuses on streams whatever the mode."""
    module = context.module
    for call in module.named("agg"):
        if call.receiver_node is None or not _only_streams(module.frames.receivers(call)):
            continue
        for at in descend(call.node):
            name = at.func if isinstance(at, cst.Call) else None
            name = name.attr if isinstance(name, cst.Attribute) else name
            if isinstance(name, cst.Name) and name.value in _DISTINCT:
                message = f"{_AT_START}: a stream cannot be aggregated over distinct values; approx_count_distinct can be, or drop the duplicates first"
                yield context.finding(message, module.place(name, call.spot))
                break


def _ranked(context: Context) -> Iterator[Finding]:
    """Window functions over rows (`row_number().over(…)`) on the way to a sink; on the batch side of a join they are right."""
    module = context.module
    seen: set[int] = set()
    for sink in module.frames.sinks():
        for step in {id(at.node): at for frame in sink.frames for at in frame.steps("withColumn", "withColumns", "select")}.values():
            if (
                id(step.node) in seen
                or not step.streams
                or not all(any(at.node is step.node for at in frame.all()) for frame in sink.frames)
            ):
                continue
            over = next((node for arg in step.arguments or () if (node := _over(module, arg.value, step)) is not None), None)
            if over is not None:
                seen.add(id(step.node))
                message = f"{_AT_START}: on a stream there are windows of time only, no ranks and offsets over rows; do it in foreachBatch, for each batch"
                written_here = any(at is over for at in descend(step.node))
                yield context.finding(
                    message, module.place(over if written_here else step.node.func.attr, step.spot), covers=[module.covers(step)]
                )


def _over(module: Any, node: Any, step: Frame) -> Any:
    """The `over(…)` in an expression, or in what its name stands for."""
    if isinstance(node, cst.Name):
        bindings = [binding for binding, _ in module.lookup(node.value, step.spot) if binding.kind == "assign"]
        node = bindings[0].node if len(bindings) == 1 else None
    return next(
        (at for at in descend(node) if isinstance(at, cst.Call) and isinstance(at.func, cst.Attribute) and at.func.attr.value == "over"),
        None,
    )


def _wrong(module: Any, call: Call) -> str:
    """What Spark makes of the call; empty when it is right or cannot be told."""
    name = call.name
    if name in SAVES:
        written = module.frames.written(call)
        if _only_streams(written):
            return f"{_AT_ONCE}: `write` is for batch frames, a stream is written with writeStream and start()"
        return ""
    if name in ("union", "unionAll", "unionByName"):
        return _union(module, call)
    if name == "join":
        return _join(module, call)
    ways = module.frames.receivers(call)
    if not _only_streams(ways):
        return ""
    if name in ACTIONS or name in KEEPERS:
        if name == "count" and any(frame.op in GROUPINGS or frame.op == "pivot" for frame in ways):
            return ""
        if name in ("head", "first", "count", "tail", "take", "append") and any(frame.op == "pivot" for frame in ways):
            return ""
        return f"{_AT_ONCE}: {name}() computes a result at once, and a stream has none until it is started with writeStream"
    if name == "sample":
        return f"{_AT_START}: a stream cannot be sampled"
    modes = {sink.mode for sink in module.frames.sinks_of(call)}
    if name == "limit":
        return f"{_AT_START}: limit() does not go with update mode" if modes == {"update"} else ""
    aggregated = all(frame.steps(*GROUPINGS, GROUPED, "agg") for frame in ways)
    if not aggregated and not any(frame.steps(*GROUPINGS, GROUPED, "agg") for frame in ways):
        return f"{_AT_START}: a stream never ends, so it cannot be sorted; only an aggregation in complete mode can"
    if aggregated and modes and modes <= {"append", "update"}:
        return f"{_AT_START}: an aggregation can be sorted in complete mode only, this one is written in {' and '.join(sorted(modes))} mode"
    return ""


def _union(module: Any, call: Call) -> str:
    node = call.argument(0, "other")
    if node is None:
        return ""
    left, right = module.frames.receivers(call), module.frames.of(node, call.spot)
    if (_only_streams(left) and module.frames.only_batches(right)) or (module.frames.only_batches(left) and _only_streams(right)):
        return f"{_AT_START}: a stream and a batch frame cannot be united"
    return ""


def _join(module: Any, call: Call) -> str:
    """A join that has to know whether a match will never come, from the side of a batch frame that waits for a stream (run on 4.3.0)."""
    node, kind = call.argument(0, "other"), call.argument(2, "how")
    how = _HOW.get(module.string(kind, call.spot).lower().replace("_", ""), "") if node is not None and kind is not None else ""
    if not how:
        return ""
    left, right = module.frames.receivers(call), module.frames.of(node, call.spot)
    if _only_streams(left) and module.frames.only_batches(right) and how in ("right outer", "full outer"):
        return f"{_AT_START}: a {how} join of a stream with a batch frame cannot tell which of the batch's rows will find no match"
    if module.frames.only_batches(left) and _only_streams(right) and how != "right outer":
        return f"{_AT_START}: a {how} join of a batch frame with a stream cannot tell which of the batch's rows will find a match; put the stream on the left"
    if _only_streams(left) and _only_streams(right) and how == "left anti":
        return (
            f"{_AT_START}: there is no left anti join of two streams; a left outer join within watermarks leaves the rows without a match"
        )
    return ""


def _only_streams(ways: tuple[Frame, ...]) -> bool:
    return bool(ways) and all(frame.streams for frame in ways)


def _guarded(call: Call) -> bool:
    """Whether it stands under a question for `isStreaming`, or where the failure is expected."""
    tests = (cst.Module([]).code_for_node(arm.test) for arm in call.spot.arms if isinstance(arm.test, cst.BaseExpression))
    return tried(call.spot) or any("isStreaming" in test for test in tests)
