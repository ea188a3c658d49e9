"""A field or a list that records wait in, emptied whether or not the write of them succeeded: the handler around the write only logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, committing, handlers, waiting
from shoal.python.facts_usage import is_state
from shoal.python.flow import reraises
from shoal.python.tree import ASSIGNMENTS, Arm, Call, Function, Param, Statement, contains, dotted, parts, targets

_WRITES = pattern(
    r"(?i)write|insert|upsert|save|store|persist|upload|put_|fput|bulk|execute|index|copy_|to_(?:sql|parquet|csv|gbq|delta)|send_|post|load_"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        lines = [statement for statement in module.tree.statements if statement.spot.function is function] if function.self_name else []
        for tried in lines:
            handler = _logging(module, tried)
            found = _let_go(module, lines, tried) if handler is not None else None
            if handler is None or found is None:
                continue
            emptied, name, write = found
            message = f"the records in {name} are let go here whether or not they were written: where {write.name} fails, that is logged, and they are gone (empty it right behind the write, inside the try)"
            related = [(module.call_place(write), "may fail"), (module.handler_place(handler), "only logs")]
            place = module.place(emptied.node, emptied.spot)
            yield context.finding(message, place, related, covers=[place])
            break
        else:
            yield from _given_up(context, lines)
            yield from _by_a_helper(context, function, lines)
    for one in committing.consumers(job, module):
        if not one.commits:  # where the program commits behind such a write, that is what is wrong
            yield from _of_a_loop(context, one)


def _of_a_loop(context: Context, one: committing.Committing) -> Iterator[Finding]:
    """The same, of a list of the loop that takes the records."""
    module = context.module
    kept = waiting.kept(module, one.consumer, one.loops)
    if kept is None or not kept.name.isidentifier():
        return
    for call in module.tree.calls_in(one.loops):
        helper = module.target(call) if call.function is kept.spot.function else None
        given = any(isinstance(arg.value, cst.Name) and arg.value.value == kept.name for arg in call.node.args)
        swallowed = handlers.write_swallowed(module, helper) if helper is not None and given and _unasked(module, call) else None
        line = next((line for line in module.tree.statements if _empties_behind(line, call, kept.name)), None) if swallowed else None
        if helper is None or swallowed is None or line is None:
            continue
        message = f"the records in {kept.name} are let go here whether or not they were written: {helper.name} only logs that a write fails, and they are gone (let it raise, or ask what it gives back)"
        related = [(module.call_place(call), "writes them"), (module.place(*swallowed), "only logs")]
        place = module.place(line.node, line.spot)
        yield context.finding(message, place, related, covers=[place])
        return


def _empties_behind(line: Statement, call: Call, name: str) -> bool:
    """Whether a line empties a list on each way on which a call above it is made."""
    arms = line.spot.arms
    behind = line.spot.function is call.function and line.spot.statement > call.spot.statement and call.spot.arms[: len(arms)] == arms
    return behind and line.spot.loop is call.spot.loop and name in _emptied(line)


def _unasked(module: Any, call: Call) -> bool:
    """Whether what a call gives back is dropped, or only told of."""
    name = module.assigned(call)
    if call.use == "dropped" or not name:
        return call.use == "dropped"
    for line in module.tree.statements:
        if line.spot.function is not call.function or line.spot.statement <= call.spot.statement:
            continue
        asked = isinstance(line.node, (cst.If, cst.While)) and clients.mentions(line.node.test, {name})
        ways = filter(None, (line.node.body, line.node.orelse)) if asked else ()
        if asked and (isinstance(line.node, cst.While) or not all(map(handlers.only_tells, ways))):
            return False
        if isinstance(line.node, cst.Return) and line.node.value is not None and clients.mentions(line.node.value, {name}):
            return False
    return True


def _given_up(context: Context, lines: list[Statement]) -> Iterator[Finding]:
    """The same where the handler itself empties the field, and does nothing else but log."""
    module = context.module
    for tried in lines:
        for handler in tried.node.handlers if isinstance(tried.node, cst.Try) else ():
            if not isinstance(handler.body, cst.IndentedBlock) or reraises(handler) or not handlers.catches_outages(handler):
                continue
            empties = {id(line.node): (line, name) for line in lines if contains(handler.body, line.node) for name in _fields(line)}
            rest = [one for one in handler.body.body if not (isinstance(one, cst.SimpleStatementLine) and id(one.body[0]) in empties)]
            if len(rest) == len(handler.body.body):
                continue
            logs = handler.with_changes(body=cst.IndentedBlock(rest))
            if not handlers.only_logs(module, logs, tried.spot.scope, cst.AugAssign):
                continue
            for line, name in empties.values():
                write = _written(module, lines, tried, line, name)
                if write is not None:
                    message = f"the records in {name} are let go here because {write.name} failed: that is logged, and they are gone (leave them for the next attempt, or raise)"
                    place = module.place(line.node, line.spot)
                    yield context.finding(message, place, [(module.call_place(write), "may fail")], covers=[place])
                    return


def _fields(line: Statement) -> Iterator[str]:
    """The fields of an object that a line empties."""
    return (name for name in _emptied(line) if name.startswith("self."))


def _emptied(line: Statement) -> Iterator[str]:
    """What a line empties."""
    return waiting.emptied(line.node.value if isinstance(line.node, cst.Expr) else line.node)


def _by_a_helper(context: Context, function: Function, lines: list[Statement]) -> Iterator[Finding]:
    """The same where another function of the module writes what it is given, and only logs when that fails."""
    module = context.module
    for call in function.calls:
        helper = module.target(call)
        if helper is None or helper is function or call.use != "dropped":
            continue
        for param, write, handler in _swallowed(module, helper):
            given = module.given(call, helper, param)
            emptied = _emptied_after(lines, call, given) if given is not None else None
            if emptied is None:
                continue
            line, name = emptied
            message = f"the records in {name} are let go here whether or not they were written: where {write.name} fails in {helper.name}, that is logged, and they are gone (let it raise, or say whether it wrote them)"
            related = [(module.call_place(write), "may fail"), (module.handler_place(handler), "only logs")]
            place = module.place(line.node, line.spot)
            yield context.finding(message, place, related, covers=[place])
            return


def _swallowed(module: Any, helper: Function) -> Iterator[tuple[Param, Call, Any]]:
    """Parameters of a function that it writes in a `try` whose handler only logs: the parameter, the write, the handler."""
    lines = [statement for statement in module.tree.statements if statement.spot.function is helper]
    for tried in lines:
        handler = _logging(module, tried)
        for param in helper.params if handler is not None else ():
            write = _written(module, lines, tried, tried, param.name) if param.name != helper.self_name else None
            if write is not None:
                yield param, write, handler


def _emptied_after(lines: list[Statement], call: Call, given: Any) -> tuple[Statement, str] | None:
    """What empties the field that a call is given, or what was made of it, on every way on which it is called; swapped above the call, or emptied below it."""
    for line in lines:
        above, arms = line.spot.statement < call.spot.statement, _arms(line, call)
        if above != _swaps(line.node) or call.spot.arms[: len(arms)] != arms:
            continue
        if any(not isinstance(arm.test, cst.For) for arm in call.spot.arms[len(arms) :]):
            continue
        for name in _emptied(line):
            if _waits_in(name, line.spot) and _speaks_of(given, name.partition("[")[0], _made(lines, line, name, call.spot.statement)):
                return line, name
    return None


def _waits_in(name: str, spot: Any) -> bool:
    """Whether records wait in a field: what is written beside a Flink state is as a rule an alarm about what it remembers."""
    return name.startswith("self.") and not is_state(name.partition("[")[0], spot)


def _arms(line: Statement, call: Call) -> tuple[Arm, ...]:
    """On which ways a line is run: `for key in done: del self.waiting[key]` where `done` gets its keys."""
    arms = line.spot.arms
    loop = arms[-1].test if arms and isinstance(line.node, cst.Del) else None
    if isinstance(loop, cst.For) and isinstance(loop.iter, cst.Name) and call.function is not None:
        for other in call.function.calls:
            if other.name == "append" and other.receiver_node is not None and dotted(other.receiver_node) == loop.iter.value:
                return other.spot.arms
    return arms


def _made(lines: list[Statement], emptied: Statement, name: str, end: int) -> set[str]:
    """The names of what is made of a field before some statement: of a loop over it, too."""
    root = name.partition("[")[0]
    made: set[str] = set()
    for line in lines:
        node = line.node
        value = node.iter if isinstance(node, cst.For) else node.value if isinstance(node, ASSIGNMENTS) else None
        if value is None or line.spot.statement > end or (line is emptied and not _swaps(node)) or not _speaks_of(value, root, made):
            continue
        made |= {
            one for target in (targets(node) if isinstance(node, ASSIGNMENTS) else [node.target]) for one in clients.target_names(target)
        }
    return made


def _logging(module: Any, statement: Statement) -> Any:
    """The handler of a `try` for every failure, or for those of a store, if it does no more than log and count it, and goes on below."""
    if not isinstance(statement.node, cst.Try):
        return None
    handler = next((one for one in statement.node.handlers if handlers.catches_outages(one)), None)
    if handler is None or reraises(handler) or not handlers.only_logs(module, handler, statement.spot.scope, cst.AugAssign):
        return None
    return handler


def _let_go(module: Any, lines: list[Statement], tried: Statement) -> tuple[Statement, str, Call] | None:
    """What empties a field on every way through a `try`, the field's name, and the write in the `try` of what waits in it."""
    node = tried.node
    for line in lines:
        beside = line.spot.arms == tried.spot.arms and node not in line.spot.guarded and line.node is not node
        if not beside and not (node.finalbody is not None and contains(node.finalbody, line.node) and _plain(line, tried)):
            continue
        for name in _fields(line):
            write = _written(module, lines, tried, line, name)
            if write is not None:
                return line, name, write
    return None


def _plain(line: Statement, tried: Statement) -> bool:
    """Whether a line of a `finally` is run each time."""
    return not any(arm.kind in ("if", "loop", "except") for arm in line.spot.arms[len(tried.spot.arms) :])


def _written(module: Any, lines: list[Statement], tried: Statement, emptied: Statement, name: str) -> Call | None:
    """The write, in the body of a `try`, that is given a field or what was made of it; above it, where it is emptied there."""
    root = name.partition("[")[0]
    made = _made(lines, emptied, name, len(module.tree.statements))
    for call in module.calls:
        if (
            call.spot.function is not tried.spot.function
            or not any(one is tried.node for one in call.spot.guarded)
            or not _WRITES.search(call.name)
        ):
            continue
        given = [arg.value for arg in call.node.args]
        if call.receiver_node is not None:
            given.append(call.receiver_node)
        if any(_speaks_of(part, root, made) for part in given):
            return call  # type: ignore[no-any-return]
    return None


def _swaps(node: Any) -> bool:
    """`batch, self.buffer = self.buffer, []`"""
    return isinstance(node, cst.Assign) and isinstance(node.value, cst.Tuple)


def _speaks_of(node: Any, field: str, names: set[str]) -> bool:
    """Whether an expression has a field or one of these names in it."""
    if isinstance(node, cst.Attribute) and dotted(node) == field:
        return True
    if isinstance(node, cst.Name):
        return node.value == field or node.value in names
    return any(_speaks_of(child, field, names) for child in parts(node))
