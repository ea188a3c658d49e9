"""`start()` after an `awaitTermination()` that returns only when another query has ended; and writers without a `start()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, query_waits
from shoal.python.frame import may_end
from shoal.python.tree import Call, chain, dotted
from shoal.python.values import Object, options


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook:
        return  # a wait in a cell is interrupted by hand
    yield from _left(context)
    starts = [call for call in module.named("start", "toTable") if any(obj.type == "spark.Writer" for obj in module.receivers(call))]
    named = module.named("awaitTermination", "awaitAnyTermination")
    waits = [wait for wait in named if not wait.node.args and query_waits.endless(module, wait)]
    yield from _helped(context, waits, starts)
    at_times = {id(wait): arms for wait in named if not wait.node.args and (arms := _ends_at_times(module, wait))}
    for wait in [*waits, *(wait for wait in named if id(wait) in at_times)]:
        statement = module.tree.statements[wait.spot.statement].node
        after = module.flow(wait.function).after(statement)
        for start in starts:
            if start.function is not wait.function or id(module.tree.statements[start.spot.statement].node) not in after:
                continue
            if wait.spot.may_give_way(start.spot) or _when(start) & at_times.get(id(wait), set()):
                continue
            if any(arm not in start.spot.arms for arm in wait.spot.arms if arm.kind != "loop"):
                continue
            again = start.spot.statement <= wait.spot.statement
            if again and not _once_for_each(start, wait):
                continue
            if again:
                message = "only the first round of the loop starts a query: the wait in it returns only when that one has ended, and it does not end"
            else:
                message = "this query never starts: the wait above returns only when the query there has ended, and it does not end"
            sure = ""
            if id(wait) in at_times:
                message, sure = f"{message} with every trigger that it may be given", "medium"
            yield context.finding(
                message,
                module.call_place(start),
                [(module.call_place(wait), "waits for ever")],
                confidence=sure,
                covers=[module.covers(start)],
            )
            break


def _helped(context: Context, waits: list[Call], starts: list[Call]) -> Iterator[Finding]:
    """The same where a helper starts a query and waits for it: whatever is called behind it starts none."""
    module = context.module
    begin = {id(start.function) for start in starts if start.function is not None}
    for wait in waits:
        function = wait.function
        if function is None or wait.spot.arms or wait.spot.guarded or function.is_lambda:
            continue
        for first in module.call_sites(function):
            after = module.flow(first.function).after(module.tree.statements[first.spot.statement].node)
            for call in module.calls:
                if call.function is not first.function or id(module.target(call)) not in begin or first.spot.may_give_way(call.spot):
                    continue
                if id(module.tree.statements[call.spot.statement].node) not in after or any(
                    arm not in call.spot.arms for arm in first.spot.arms
                ):
                    continue
                again = call.spot.statement <= first.spot.statement
                if again and not _once_for_each(call, first):
                    continue
                message = (
                    f"only the first round of the loop starts a query: {call.name}() waits until that one has ended, and it does not end"
                    if again
                    else f"this starts no query: the call of {function.name}() above returns only when the query that it starts has ended, and it does not end"
                )
                related = [(module.call_place(first), "waits for ever"), (module.call_place(wait), "here")]
                yield context.finding(message, module.call_place(call), related, confidence="medium", covers=[module.covers(call)])
                break


def _left(context: Context) -> Iterator[Finding]:
    """Writers that are set up in a statement, or under a name that nobody reads."""
    module = context.module
    for call in module.calls:
        if call.spot.expects_error():
            continue
        if call.use == "dropped" or (call.use == "assigned" and clients.unread(module, call)):
            made = module.sure_receivers(call) and [one for one in options(module.result(call)) if isinstance(one, Object)]
            if made and all(one.type == "spark.Writer" for one in made):
                message = "this query never starts: the writer is set up, and nobody calls start()"
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _once_for_each(start: Call, wait: Call) -> bool:
    """Whether both stand in a `for` over things to start queries for; `while` and `range` are how a query is started again after a failure."""
    loops = [arm.test for arm in start.spot.arms if arm.kind == "loop" and arm in wait.spot.arms]
    if not loops or not isinstance(loops[-1], cst.For):
        return False
    over = loops[-1].iter
    return not (isinstance(over, cst.Call) and dotted(over.func).rsplit(".", 1)[-1] in ("range", "count", "repeat"))


def _ends_at_times(module: Any, wait: Call) -> set[tuple[str, str]]:
    """Of a query that an `if` starts with a trigger that ends it or with one that does not: the tests on the way to the former; empty for any other."""
    starts = {id(call.node): call for call in module.named("start", "toTable")}
    made = {id(obj.node): starts.get(id(obj.node)) for obj in module.receivers(wait)}
    triggers = [trigger for start in made.values() if start is not None and (trigger := chain(start).get("trigger")) is not None]
    if wait.name != "awaitTermination" or not len(made) == len(triggers) == 2 or may_end(triggers[0]) == may_end(triggers[1]):
        return set()
    ending, endless = (trigger.spot.arms for trigger in sorted(triggers, key=may_end, reverse=True))
    if not any(one.group == other.group and one.index != other.index for one in ending for other in endless):
        return set()
    return {(arm.kind, _code(arm.test)) for arm in ending if arm not in endless}


def _when(call: Call) -> set[tuple[str, str]]:
    return {(arm.kind, _code(arm.test)) for arm in call.spot.arms}


def _code(node: Any) -> str:
    return cst.Module([]).code_for_node(node) if node is not None else ""
