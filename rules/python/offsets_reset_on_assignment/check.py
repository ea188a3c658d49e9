"""`partition.offset = OFFSET_BEGINNING` in `on_assign`, `seek_to_beginning()` or a seek to a time in `on_partitions_assigned`: done at each rebalance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Function
from shoal.python.values import FunctionValue, Symbol, names, options

_SEEKS = names("seek_to_beginning seek_to_end")
_MESSAGE = "this runs at every rebalance, not only at the start: each time a member of the group comes, goes or is late, its partitions are {how}, whatever was committed"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("subscribe"):
        node = call.argument(1, "on_assign")
        if node is None or module.receiver_type(call) != "confluent.Consumer":
            continue
        for value in options(module.value(node, call.spot)):
            if not isinstance(value, FunctionValue) or not any(other.name == "assign" for other in value.function.calls):
                continue
            for target, spot, how in _moved(module, value.function):
                related = [(module.call_place(call), "for each assignment")]
                yield context.finding(_MESSAGE.format(how=how), module.place(target, spot), related)
            yield from _to_a_time(context, value.function, "assign")
    for function in module.functions:
        if function.name != "on_partitions_assigned" or function.cls is None:
            continue
        for call in function.calls:
            if call.name in _SEEKS and not _wanted(call.spot):
                how = "read from the beginning" if call.name == "seek_to_beginning" else "skipped to their end"
                yield context.finding(_MESSAGE.format(how=how), module.call_place(call), covers=[module.covers(call)])
        yield from _to_a_time(context, function, "seek")


def _to_a_time(context: Context, function: Function, puts: str) -> Iterator[Finding]:
    """What puts partitions to the offsets of a time that was asked for: in the callback, or in a function that it calls."""
    module = context.module
    for call in function.calls:
        helper = module.target(call)
        calls = helper.calls if helper is not None else function.calls
        made = {one.name: one for one in calls if one.name == puts or one.name in ("offsets_for_times", "committed")}
        # one that looks at what is committed may leave those alone that have been read
        there = helper is not None or call is made.get(puts)
        if there and {puts, "offsets_for_times"} == set(made) and not any(_wanted(one.spot) for one in (call, made[puts])):
            related = [(module.call_place(made["offsets_for_times"]), "asked for here")]
            yield context.finding(
                _MESSAGE.format(how="read from that time on"), module.call_place(call), related, covers=[module.covers(call)]
            )


def _moved(module: Any, function: Function) -> Iterator[tuple[Any, Any, str]]:
    """Where a callback gives partitions a fixed offset, and what that does."""
    for statement in module.tree.statements:
        node = statement.node
        if statement.spot.function is not function or not isinstance(node, cst.Assign) or _wanted(statement.spot):
            continue
        target = node.targets[0].target
        if not isinstance(target, cst.Attribute) or target.attr.value != "offset":
            continue
        value = module.constant(node.value, statement.spot)
        known = {option.name for option in options(module.value(node.value, statement.spot)) if isinstance(option, Symbol)}
        if value in (0, -2) or "confluent_kafka.OFFSET_BEGINNING" in known:
            yield target, statement.spot, "read from the beginning"
        elif value == -1 or "confluent_kafka.OFFSET_END" in known:
            yield target, statement.spot, "skipped to their end"


def _wanted(spot: Any) -> bool:
    """Whether a test around asks for it by its name, as the `--reset` of a script."""
    tests = [cst.Module([]).code_for_node(arm.test) for arm in spot.arms if arm.kind == "if" and arm.test is not None]
    return any("reset" in test or "first" in test or "replay" in test for test in tests)
