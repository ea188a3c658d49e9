"""A list in the endless loop of a consumer that is written, and its offsets committed, when `len(batch) >= N` and at no other time.

Every place that may take the records out is looked for: each of them in the loop, or in a function that the loop calls, must stand under the test of
the length. One that does not (where `poll` gives nothing, after some time) is what was asked for, and what cannot be followed is taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, Function, Spot, descend, dotted, last_name, parts
from shoal.python.values import Known, names
from shoal.records import NamedTuple

_TELLS = names("len print error warning exception info debug warn critical log append extend str repr bool")
_WRITES = pattern(
    r"(?i)flush|write|insert|upsert|save|store|persist|upload|send|produce|publish|execute|index|bulk|copy|put|post|export|dump|sink|commit|load|merge"
)
# What is called at the end, or by the group's coordinator: no clock.
_ENDS = pattern(r"(?i)close|stop|shut|exit|__del__|term|signal|sig|handler|revok|assign|lost|clean|finish|final|teardown")
# Who calls a function that is handed over by its name, without a clock.
_CALLED_LATER = names("signal add_signal_handler register subscribe")
_CLOCK = pattern(
    r"\bTimer\(|\bThread\(|create_task|ensure_future|call_later|call_at\b|[sS]cheduler|\bsetitimer|\balarm\(|TaskGroup|run_in_executor"
)
# A way out of the loop when there is nothing more to read, or enough was read.
_IDLE = pattern(r"(?i)None|^not \w+$|empty|idle|eof|time|max|limit|count|[<>]|==\s*\d")


class _Batch(NamedTuple):
    name: str
    call: Call  # that keeps a record
    loops: set[int]
    enough: re.Pattern[str]


class _Site(NamedTuple):
    """Where records are taken out of a batch, or where a function is called that does."""

    node: Any
    spot: Spot


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    commits = [call for call in module.named("commit") if module.receiver_type(call) in clients.CONSUMERS]
    loops, endless = _loops(job, module) if commits else (set(), set())
    if not endless:
        return
    seen = set()
    for call in module.named("append", "extend"):
        name = dotted(call.receiver_node) if isinstance(call.receiver_node, (cst.Name, cst.Attribute)) else ""
        if not name or call.use != "dropped" or (name, call.function) in seen or not clients.in_or_called_in(module, call, endless):
            continue
        seen.add((name, call.function))
        batch = _Batch(name, call, loops, re.compile(rf"\blen\({re.escape(name)}\)\s*(?:>=?|==)(?!\s*[01]\b)"))
        test = _full(module, batch, commits)
        if test is not None:
            message = (
                f"records wait in {name} until there are enough, and on a quiet topic for ever: those that wait are neither written nor committed "
                "(write them as well when poll gives nothing, or after some time)"
            )
            yield context.finding(message, module.place(test.node.test, test.spot), [(module.call_place(call), "they wait from here on")])
            return


def _loops(job: Job, module: Any) -> tuple[set[int], set[int]]:
    """The loops in which records of consumers are taken, with those around them; and of these, those that go on for ever."""
    ending = set()  # consumers whose iterator stops when no record comes, or may
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for call, consumer in clients.made(module, frozenset({"kafka.Consumer"})):
        block = blocks.get(module.call_place(call).span)
        if block is None or block.open or job.written(block, "consumer.timeout.ms") is not None:
            ending.add(id(consumer.node))
    loops, endless = set(), set()
    for consumer in clients.held(module, clients.CONSUMERS):
        taking = clients.record_loops(module, consumer)
        for statement in module.tree.statements:
            node = statement.node
            if id(node) not in taking or not isinstance(node, (cst.While, cst.For)):
                continue
            loops |= {id(node), *(id(loop) for loop in statement.spot.loops)}
            if isinstance(node, cst.While):
                on = not _compares(node.test)
            else:
                objects = module.objects(node.iter, statement.spot)
                on = bool(objects) and all(obj.type in clients.CONSUMERS and id(obj.node) not in ending for obj in objects)
            if on and not _left_when_idle(module, node):
                endless.add(id(node))
    return loops, endless


def _compares(test: Any) -> bool:
    return any(
        isinstance(part, cst.ComparisonTarget) and not isinstance(part.operator, (cst.Is, cst.IsNot, cst.Equal, cst.NotEqual))
        for part in descend(test)
    )


def _left_when_idle(module: Any, loop: Any) -> bool:
    """Whether the loop is left where it finds nothing, or once it found enough."""
    for statement in module.tree.statements:
        if not isinstance(statement.node, (cst.Break, cst.Return)) or not any(arm.test is loop for arm in statement.spot.arms):
            continue
        within = statement.spot.arms[next(at for at, arm in enumerate(statement.spot.arms) if arm.test is loop) + 1 :]
        tests = [_text(arm.test) for arm in within if arm.kind in ("if", "else", "and") and isinstance(arm.test, cst.BaseExpression)]
        if any(_IDLE.search(test) for test in tests):
            return True
    return False


def _text(node: Any) -> str:
    return cst.Module([]).code_for_node(node)


def _full(module: Any, batch: _Batch, commits: list[Call]) -> Any:
    """The `if` that asks for the length of a batch, when all that takes records out of it in the loop stands below it; else None."""
    field = "." in batch.name
    if field and (not batch.name.startswith("self.") or _CLOCK.search(module.raw)):
        return None
    test = next(
        (
            statement
            for statement in module.tree.statements
            if isinstance(statement.node, cst.If)
            and _asks(statement.node.test, batch)
            and (_same_batch(statement.spot, batch) if field else statement.spot.function is batch.call.function)
        ),
        None,
    )
    if test is None or _small(module, test, batch) or not _begun(module, batch):
        return None
    if any(clients.in_loops(commit.spot, batch.loops) and not _guarded(commit.spot, batch) for commit in commits):
        return None
    sites = [_Site(node, spot) for node, spot in _taken(module, batch)]
    if not _emptied(module, test, batch) or not _written(module, test, batch):
        return None
    homes = {statement.spot.function for statement in module.tree.statements if id(statement.node) in batch.loops}
    seen: set[int] = set()
    while sites:
        site = sites.pop()
        function = site.spot.function
        if id(site.node) in seen or _guarded(site.spot, batch):
            continue
        seen.add(id(site.node))
        if clients.in_loops(site.spot, batch.loops) or (function not in homes and _waits(site)):
            return None
        if function is None or function in homes:
            if isinstance(site.node, cst.Call) and site.spot.statement < batch.call.spot.statement and function is batch.call.function:
                return None  # handed to a thread or task before the loop
            continue
        callers = module.call_sites(function)
        if _handed_over(module, function) or (not callers and not _ENDS.search(function.name)):
            return None
        sites += [_Site(caller.node, caller.spot) for caller in callers]
    return test


def _asks(test: Any, batch: _Batch) -> bool:
    """Whether a condition holds for a full batch and for no other."""
    return batch.enough.search(_text(test)) is not None and not any(isinstance(part, (cst.Or, cst.Not)) for part in _parts(test))


def _parts(test: Any) -> Iterator[Any]:
    for part in descend(test):
        yield part
        if isinstance(part, (cst.BooleanOperation, cst.UnaryOperation)):
            yield part.operator


def _guarded(spot: Spot, batch: _Batch) -> bool:
    return any(arm.kind in ("if", "and") and isinstance(arm.test, cst.BaseExpression) and _asks(arm.test, batch) for arm in spot.arms)


def _small(module: Any, test: Any, batch: _Batch) -> bool:
    """Whether one record is enough."""
    for part in descend(test.node.test):
        if isinstance(part, cst.Comparison) and batch.enough.search(_text(part)):
            value = module.value(part.comparisons[0].comparator, test.spot)
            return isinstance(value, Known) and isinstance(value.value, int) and value.value <= 1
    return False


def _begun(module: Any, batch: _Batch) -> bool:
    """Whether the list is made empty outside of the loop."""
    for statement in module.tree.statements:
        if not clients.in_loops(statement.spot, batch.loops) and _empties(statement.node, batch.name):
            function = statement.spot.function
            if function is batch.call.function or ("." in batch.name and function is not None and function.name == "__init__"):
                return True
    return False


def _empties(node: Any, name: str) -> bool:
    """`batch = []`, `self.batch: list = []`."""
    targets = (
        [one.target for one in node.targets] if isinstance(node, cst.Assign) else [node.target] if isinstance(node, cst.AnnAssign) else []
    )
    value = node.value if targets else None
    empty = (isinstance(value, cst.List) and not value.elements) or (
        isinstance(value, cst.Call) and not value.args and last_name(value.func) in ("list", "deque")
    )
    return empty and any(isinstance(target, (cst.Name, cst.Attribute)) and dotted(target) == name for target in targets)


def _taken(module: Any, batch: _Batch) -> Iterator[tuple[Any, Spot]]:
    """What may take records out of a batch: whatever names it, but for those that keep one, ask for its length or tell of it."""
    for call in module.calls:
        if not _same_batch(call.spot, batch):
            continue
        own = dotted(call.receiver_node) == batch.name if call.receiver_node is not None else False
        if (own and call.name not in _TELLS) or (
            call.name not in _TELLS and any(_mentions(arg.value, batch.name) for arg in call.node.args)
        ):
            yield call.node, call.spot
    for statement in module.tree.statements:
        node = statement.node
        if not _same_batch(statement.spot, batch):
            continue
        if not isinstance(node, (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Del, cst.Return, cst.For)):
            continue
        function = statement.spot.function
        within = (node.iter,) if isinstance(node, cst.For) else parts(node)
        if (function is None or function.name != "__init__") and any(_mentions(part, batch.name) for part in within):
            yield node, statement.spot


def _same_batch(spot: Spot, batch: _Batch) -> bool:
    """Whether the name stands for the batch here: a field in its class, a variable in its function and those inside."""
    function: Function | None = spot.function
    if "." in batch.name:
        return function is not None and batch.call.function is not None and function.cls is batch.call.function.cls
    while function is not None and function is not batch.call.function:
        if batch.name in function.scope.bindings and any(binding.kind == "param" for binding in function.scope.bindings[batch.name]):
            return False
        function = function.outer
    return function is batch.call.function


def _mentions(node: Any, name: str) -> bool:
    """Whether an expression is made of a list, and not of its length alone."""
    if isinstance(node, cst.Call) and last_name(node.func) == "len":
        return False
    if isinstance(node, (cst.Name, cst.Attribute)) and dotted(node) == name:
        return True
    return any(_mentions(child, name) for child in parts(node))


def _emptied(module: Any, test: Any, batch: _Batch) -> bool:
    """Whether what stands below the test begins the list anew, itself or by a function that it calls."""
    return any(_clears(node, called) for node, called in _below(module, test, batch))


def _clears(node: Any, name: str) -> bool:
    if _empties(node, name):
        return True
    if isinstance(node, cst.Del) and isinstance(node.target, cst.Subscript):
        return dotted(node.target.value) == name
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value == "clear"
        and dotted(node.func.value) == name
    )


def _written(module: Any, test: Any, batch: _Batch) -> bool:
    """Whether what stands below the test writes."""
    return any(isinstance(node, cst.Call) and _WRITES.search(last_name(node.func)) for node, _ in _below(module, test, batch))


def _below(module: Any, test: Any, batch: _Batch, levels: int = 2) -> Iterator[tuple[Any, str]]:
    """The nodes below the test and in functions that are called there, each with what the batch is called."""
    waiting = [(test.node.body, batch.name, levels)]
    while waiting:
        body, name, left = waiting.pop()
        nodes = list(descend(body))
        for node in nodes:
            yield node, name
        inside = {id(node) for node in nodes}
        for call in module.calls if left else ():
            if id(call.node) in inside:
                function = module.target(call)
                if function is not None and not function.is_lambda:
                    given = [
                        param.name
                        for param in function.params
                        if isinstance(at := module.given(call, function, param), (cst.Name, cst.Attribute)) and dotted(at) == name
                    ]
                    waiting.append((function.body, given[0] if given else name, left - 1))


def _waits(site: _Site) -> bool:
    """Whether the loop around a site of another function goes on by itself, as that of a thread does."""
    return any(isinstance(loop, cst.While) for loop in site.spot.loops)


def _handed_over(module: Any, function: Function) -> bool:
    """Whether a function is given to others by its name, who may call it by the clock."""
    return any(
        isinstance(arg.value, (cst.Name, cst.Attribute)) and last_name(arg.value) == function.name
        for call in module.calls
        if call.name not in _CALLED_LATER
        for arg in call.node.args
    )
