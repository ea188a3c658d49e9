"""`except Exception: pass` (or a log line) where an engine hands over records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import handlers
from shoal.python.flow import catches_all, caught
from shoal.python.tree import Function, descend, dotted, is_none
from shoal.python.values import names

_LOGS = names("debug info warning warn error exception critical log print print_exc inc")


# What tells of an end, of something that is not installed, or of nothing to do, and not of a failure.
_EXPECTED = names(
    "StopIteration StopAsyncIteration GeneratorExit ImportError ModuleNotFoundError CancelledError Empty QueueEmpty KeyboardInterrupt InterruptedError"
)
# Methods of clients that write what they are given.
_WRITES = names(
    "bulk index bulk_write insert_one insert_many replace_one update_one executemany put_item put_record put_records put_object publish xadd hset "
    "setex write_points send_message batch_writer insert_rows_json"
)
# Methods that undo, or close, and take no record.
_ENDS = names("rollback abort close disconnect quit terminate shutdown cancel aclose abort_transaction")
# Errors that answer a question: it is there, it is not there; and ends.
_ANSWERS = pattern(
    r"(?i)exist|found|duplicate|unique|integrity|conflict|stop|empty|import|interrupt|cancel|exit|key|value|type|index|attribute|decode"
)

# Where a record that fails goes.
_PUT = {"agent": "a topic of its own", "step": "a topic of its own", "foreach": "a place of its own"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    at: Any
    for function, where in module.contexts.running("operator", "timer", "dofn", "agent", "step", "foreach"):
        if where.kind == "dofn" and where.entry.name in ("finish_bundle", "start_bundle"):
            continue
        for statement in module.tree.statements:
            handler, spot = statement.node, statement.spot
            if spot.function is not function or spot.cleanup or any(arm.kind == "except" for arm in spot.arms):
                continue  # after a failure that another handler has in hand
            if isinstance(handler, cst.With):
                logged, every, at = (False, True, handler.items[0]) if _suppresses(module, function, handler) else (None, True, handler)
            elif isinstance(handler, cst.ExceptHandler):
                told, paces = _told(function, handler), _paces(function, spot, handler)
                if _tries_again(spot, handler, paces) or _raised_behind(module, function, spot, handler):
                    continue
                refuses = function.name == "filter" or _reports(function, handler)
                logged, every, at = _only_logs(handler.body, told, refuses, paces), catches_all(handler), handler.type
            else:
                continue
            if logged is None or _puts_away(function, handler):
                continue
            if where.kind == "agent" and not where.through and not spot.in_loop():
                continue  # that ends the agent, it drops no record
            whole = not where.through and _whole(function, handler)
            of_client = not every and set(caught(handler)) <= handlers.OUTAGES
            if not every and not of_client and (not whole or _EXPECTED & set(caught(handler))) and not _lost_write(function, handler):
                continue  # what only this can raise may be one field of the record
            put = _PUT.get(where.kind, "a side output")
            how = "logged" if logged else "dropped without a word"
            message = (
                f"a record that fails here is {how} {where.told()}, and counts as processed: send it to {put}, so that it can be read again"
            )
            sure = every and (whole or (not logged and not _goes_on(module, function, handler)))
            if ((where.through or _reports(function, handler)) and _answers(function)) or _counts(handler):
                sure = False  # it may be one field of a record that goes on without it; a metric is seen by whoever watches the job
            yield context.finding(message, module.place(at or handler, spot), confidence="" if sure else "low")


def _suppresses(module: Any, function: Function, statement: cst.With) -> bool:
    """`with contextlib.suppress(Exception)`."""
    items = [item.item for item in statement.items]
    return any(
        call.node in items
        and module.qualified(call) == "contextlib.suppress"
        and any(dotted(arg.value) in ("Exception", "BaseException") for arg in call.node.args)
        for call in function.calls
        if call.name == "suppress"
    )


def _try_of(handler: Any, within: Any) -> Any:
    return next((node for node in descend(within) if isinstance(node, cst.Try) and any(one is handler for one in node.handlers)), None)


def _tries_again(spot: Any, handler: Any, paces: frozenset[str]) -> bool:
    """Whether this is in a loop that goes on until it has succeeded: `while True: try: return …`, `while not done: try: …; done = True`; none that counts."""
    loop = spot.loop
    if isinstance(loop, cst.While) and any(isinstance(node, cst.Name) and node.value in paces for node in descend(loop.test)):
        return False
    guarded = _try_of(handler, loop) if isinstance(loop, cst.While) else None
    if guarded is None:
        return False
    asked = {node.value for node in descend(loop.test) if isinstance(node, cst.Name)} - {"True"}
    tried = [guarded.body, guarded.orelse] if guarded.orelse is not None else [guarded.body]
    return not _leaves(handler) and any(
        isinstance(node, (cst.Return, cst.Break)) or (isinstance(node, cst.AssignTarget) and dotted(node.target) in asked)
        for part in tried
        for node in descend(part)
    )


def _raised_behind(module: Any, function: Function, spot: Any, handler: Any) -> bool:
    """Whether the function raises once the attempts of a loop are used up."""
    if spot.loop is None or function.is_lambda or _leaves(handler):
        return False
    inside = {id(node) for node in descend(spot.loop)}
    after = module.flow(function).after(handler)
    return any(isinstance(node, cst.Raise) and id(node) in after and id(node) not in inside for node in descend(function.body))


def _puts_away(function: Function, handler: Any) -> bool:
    """Whether all that is guarded undoes a write or closes what it was for: `try: self.connection.rollback()`. What failed before that has its own handler."""
    guarded = _try_of(handler, function.node) if isinstance(handler, cst.ExceptHandler) else handler
    calls = [at for at in descend(guarded.body) if isinstance(at, cst.Call)] if guarded is not None else []
    return bool(calls) and all(isinstance(at.func, cst.Attribute) and at.func.attr.value in _ENDS for at in calls)


def _lost_write(function: Function, handler: Any) -> bool:
    """Whether a handler catches what a client raises that writes something, other than that it is there already or is not there."""
    guarded = _try_of(handler, function.node) if isinstance(handler, cst.ExceptHandler) else None
    return (
        guarded is not None
        and not any(_ANSWERS.search(name) for name in caught(handler))
        and any(
            isinstance(at, cst.Call) and isinstance(at.func, cst.Attribute) and at.func.attr.value in _WRITES
            for at in descend(guarded.body)
        )
    )


def _reports(function: Function, handler: Any) -> bool:
    """Whether a function that writes says no more than whether it has: True, and False where it failed, which takes the record's place in the stream."""
    said = [node.value for node, _ in function.returns if isinstance(node, cst.Name)]
    guarded = _try_of(handler, function.node) if len(said) == len(function.returns) and set(said) == {"True", "False"} else None
    return guarded is not None and any(
        isinstance(at, cst.Call)
        and isinstance(at.func, cst.Attribute)
        and (at.func.attr.value in _WRITES or at.func.attr.value == "commit")
        for at in descend(guarded.body)
    )


def _leaves(handler: Any) -> bool:
    return any(isinstance(node, (cst.Return, cst.Break, cst.Raise)) for node in descend(handler))


def _goes_on(module: Any, function: Function, handler: Any) -> bool:
    """Whether the function gives something for the record after a handler that only passes: what failed was a part of it."""
    if function.is_lambda or isinstance(handler, cst.With):
        return True
    guarded = _try_of(handler, function.node)
    inside = {id(node) for node in descend(guarded)} if guarded is not None else set()
    after = module.flow(function).after(handler)
    return any(
        id(node) in after
        and id(node) not in inside
        and (
            (isinstance(node, cst.Return) and not _idle(node))
            or (isinstance(node, cst.Expr) and isinstance(node.value, (cst.Yield, cst.Call)) and not _logs(node))
        )
        for node in descend(function.body)
    )


def _answers(function: Function) -> bool:
    return any(node is not None and not is_none(node) for node, _ in function.returns)


def _whole(function: Function, handler: Any) -> bool:
    """Whether the record is surely lost: what is guarded is all that the function does with it, before and after nothing is given on."""
    if function.is_lambda:
        return False
    body = list(function.body.body)
    for _ in range(6):
        while body and _trivial(body[-1]):
            body.pop()
        if not body or any(_gives(statement) for statement in body[:-1]):
            return False
        last = body[-1]
        if last is handler or (isinstance(last, cst.Try) and any(one is handler for one in last.handlers)):
            return True
        if not isinstance(last, (cst.Try, cst.For, cst.With, cst.If)) or (isinstance(last, cst.If) and last.orelse is not None):
            return False
        body = list(last.body.body)
    return False


def _trivial(statement: Any) -> bool:
    """`pass`, `return`, or a log line."""
    return isinstance(statement, cst.SimpleStatementLine) and all(_idle(small) or _logs(small) for small in statement.body)


def _gives(node: Any) -> bool:
    """Whether a statement yields something or calls something for what it does."""
    return any(
        isinstance(at, cst.Yield) or (isinstance(at, cst.Expr) and isinstance(at.value, cst.Call) and not _logs(at)) for at in descend(node)
    )


def _idle(small: Any, filters: bool = False) -> bool:
    if isinstance(small, cst.Return):
        nothing = ("None", "False") if filters else ("None",)
        return small.value is None or (isinstance(small.value, cst.Name) and small.value.value in nothing)
    return isinstance(small, (cst.Pass, cst.Continue))


def _logs(small: Any) -> bool:
    return isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and dotted(small.value.func).rsplit(".", 1)[-1] in _LOGS


def _counts(handler: Any) -> bool:
    """Whether a handler counts its records in a metric: `self.errors.inc()`."""
    return any(isinstance(at, cst.Call) and isinstance(at.func, cst.Attribute) and at.func.attr.value == "inc" for at in descend(handler))


def _only_logs(block: Any, told: frozenset[str], filters: bool = False, paces: frozenset[str] = frozenset()) -> bool | None:
    """Whether a handler does nothing (False) or only logs (True), now or after some more attempts; None when it does more.

    `told`: names that are the handler's own; `filters`: False is a no to the record; `paces`: names that attempts are counted with.
    """
    logged = False
    for line in block.body:
        if isinstance(line, cst.If):
            arms = [line.body, line.orelse.body if isinstance(line.orelse, cst.Else) else line.orelse]
            inside = [_only_logs(arm, told, filters, paces) for arm in arms if isinstance(arm, cst.BaseSuite)]
            if None in inside or isinstance(line.orelse, cst.If) or _tells_apart(line.test, told):
                return None
            logged = logged or True in inside
            continue
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else [line]:
            if _logs(small):
                logged = True
            elif isinstance(small, cst.AugAssign) and dotted(small.target) in paces:
                continue
            elif not _idle(small, filters) and not _waits(small) and not _words(small, told) and not isinstance(small, _IMPORTS):
                return None
    return logged


# `import traceback`, of what the log line needs.
_IMPORTS = (cst.Import, cst.ImportFrom)


def _words(small: Any, told: frozenset[str]) -> bool:
    """What is put together for the log line: `trace = traceback.format_exc()`."""
    return isinstance(small, cst.Assign) and all(isinstance(one.target, cst.Name) and one.target.value in told for one in small.targets)


def _waits(small: Any) -> bool:
    """A pause, or the end of a transaction that failed."""
    name = dotted(small.value.func) if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) else ""
    return name in ("time.sleep", "sleep") or name.endswith(".rollback")


def _told(function: Function, handler: Any) -> frozenset[str]:
    """The name that a handler gives its exception, and those of what it makes of it: they stand nowhere else in the function."""
    made = {node.target.value for node in descend(handler.body) if isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Name)}
    inside = {id(node) for node in descend(handler)} if made else set()
    if made:
        made -= {node.value for node in descend(function.node) if isinstance(node, cst.Name) and id(node) not in inside}
    named = handler.name.name if handler.name is not None else None
    return frozenset(made | {named.value} if isinstance(named, cst.Name) else made)


def _paces(function: Function, spot: Any, handler: Any) -> frozenset[str]:
    """What a handler in a loop counts its attempts and stretches its pauses with: `attempt += 1`, `delay *= 2`, which nobody asks for behind the loop."""
    counted = {node.target.value for node in descend(handler.body) if isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name)}
    if not counted or not isinstance(spot.loop, cst.While):
        return frozenset()
    begun = {id(part) for node in descend(function.body) if isinstance(node, cst.AssignTarget) for part in descend(node.target)}
    inside = {id(node) for node in descend(spot.loop)}
    asked = {node.value for node in descend(function.body) if isinstance(node, cst.Name) and id(node) not in inside | begun}
    return frozenset(counted - asked)


def _tells_apart(test: Any, told: frozenset[str]) -> bool:
    """Whether a condition asks what has failed: such an error may be one that is expected."""
    return any(isinstance(at, cst.Call) or (isinstance(at, cst.Name) and at.value in told) for at in descend(test))
