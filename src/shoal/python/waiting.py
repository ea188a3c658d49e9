"""Records that wait in something that outlives the round of their loop, until there are enough of them or it is time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.lazy import pattern
from shoal.model import Place
from shoal.python import clients, handlers
from shoal.python.module import Module
from shoal.python.tree import ASSIGNMENTS, Call, descend, dotted, last_name, targets
from shoal.records import NamedTuple

_EMPTY = (
    "[]",
    "{}",
    '""',
    "''",
    'b""',
    "b''",
    "list()",
    "dict()",
    "deque()",
    "defaultdict(list)",
    "collections.defaultdict(list)",
    "StringIO()",
)
_DROPS = pattern(r"(?:del )?([\w.]+)(?:\.(?:pop|popleft)\(0?\)|\[[^\]]*\]| = \1\[-[^\]]*:\])")


class Kept(NamedTuple):
    """What keeps a record in something that outlives the round of its loop, and what empties this; None where its length is asked for."""

    node: Any
    spot: Any
    name: str
    arm: Any = None
    sure: str = ""


def emptied(node: Any) -> Iterator[str]:
    """The list that a statement or call empties."""
    if isinstance(node, ASSIGNMENTS):
        for target, value in _assigned(node):
            if isinstance(target, (cst.Name, cst.Attribute, cst.Subscript)) and cst.Module([]).code_for_node(value) in _EMPTY:
                yield dotted(target) or cst.Module([]).code_for_node(target)
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "clear":
        yield dotted(node.func.value)
    elif isinstance(node, cst.Del) and isinstance(node.target, cst.Subscript):
        yield dotted(node.target.value)


def kept(module: Module, consumer: Any, loops: set[int]) -> Kept | None:
    """What keeps a record in a list which is worked on only when it is long enough, or once a count or the time says so."""
    tests: list[str] = []
    trimmed: set[str] = set()
    for node, _, _ in module.tree.statements_in(loops):
        if not isinstance(node, (cst.If, cst.Assign)):
            continue
        if name := _trimmed(node):
            trimmed.add(name)
        else:
            tests.append(cst.Module([]).code_for_node(node.test if isinstance(node, cst.If) else node.value))
    for call in module.named("append", "extend"):
        name = _list(call.receiver_node)
        if not name or name in trimmed or call.use != "dropped" or not clients.in_loops(call.spot, loops):
            continue
        long = enough(name, *(_aliases(module, name, loops) if isinstance(call.receiver_node, cst.Subscript) else ()))
        if any(long.search(test) for test in tests) and _begun(module, name, loops):
            return Kept(call.node, call.spot, name)
    return _poured_out(module, consumer, loops)


def kept_at(module: Module, one: Kept) -> Place:
    """Where a record is kept: at the method that is called, or at the whole statement."""
    return module.name_place(one.node, one.spot) if isinstance(one.node, cst.Call) else module.place(one.node, one.spot)


def _poured_out(module: Module, consumer: Any, loops: set[int]) -> Kept | None:
    """The same, of what the loop hands on and empties under a condition of its own, whatever this asks for: a count, the time."""
    for statement in module.tree.statements_in(loops):
        spot = statement.spot
        node = statement.node.value if isinstance(statement.node, cst.Expr) else statement.node
        for name in emptied(node):
            arm = _condition(spot, loops, name)
            if arm is None or not _begun(module, name, loops) or not _handed(module, spot, arm, name):
                continue
            found = next(_keeps(module, consumer, loops, name, arm, spot.function), None)
            if found is not None:
                return found
    return None


def _condition(spot: Any, loops: set[int], name: str) -> Any:
    """The innermost `if` around a spot in its loop that asks for more than whether there is anything in a container."""
    anything = re.compile(rf"\(*(?:{re.escape(name)}|len\({re.escape(name)}\)(?: > 0| != 0| >= 1)?)\)*")
    for arm in reversed(spot.arms):
        if arm.kind == "loop" and id(arm.test) in loops:
            return None
        if arm.kind == "if" and arm.test is not None and not anything.fullmatch(cst.Module([]).code_for_node(arm.test)):
            return arm
    return None


def _handed(module: Module, spot: Any, arm: Any, name: str) -> bool:
    """Whether what a container holds is given to a call, and not only told of, before it is emptied under the same condition."""
    return any(
        call.spot.function is spot.function
        and call.spot.statement < spot.statement
        and arm in call.spot.arms
        and call.name not in handlers.APART | handlers.TELLS
        and any(_holds_name(arg.value, name) for arg in call.node.args)
        for call in module.calls
    )


def _holds_name(node: Any, name: str) -> bool:
    return any(isinstance(part, (cst.Name, cst.Attribute)) and dotted(part) == name for part in (node, *descend(node)))


def _keeps(module: Module, consumer: Any, loops: set[int], name: str, arm: Any, function: Any) -> Iterator[Kept]:
    """What adds a record to a container in the loops, outside of what empties it."""
    held: dict[int, set[str]] = {}  # by loop
    for statement in module.tree.statements_in(loops):
        spot, node = statement.spot, statement.node
        if spot.function is not function or arm in spot.arms:
            continue
        loop = spot.loop_of(loops)
        if id(loop) not in held:
            held[id(loop)] = clients.records(module, consumer, loop)
        records = held[id(loop)]
        if isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign) and dotted(node.target) == name:
            if clients.mentions(node.value, records):
                yield Kept(node, spot, name, arm)
        elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call) and last_name(node.value.func) in ("append", "extend"):
            receiver = node.value.func.value if isinstance(node.value.func, cst.Attribute) else None
            if isinstance(receiver, cst.Call) and isinstance(receiver.func, cst.Attribute) and receiver.func.attr.value == "setdefault":
                receiver = receiver.func.value
            if _list(receiver) == name and any(clients.mentions(arg.value, records) for arg in node.value.args):
                yield Kept(node.value, spot, name, arm)
        elif isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Subscript) and clients.mentions(node.value, records):
            if _list(node.targets[0].target) != name:
                continue
            # the last record of each key may be all that is wanted, and come again with the next
            yield Kept(node, spot, name, arm, "low")


def kept_in_field(module: Module, loops: set[int]) -> tuple[Call, str] | None:
    """The call that keeps a record in a field which another method empties, and the field's name."""
    for call in module.named("append", "extend"):
        name = _list(call.receiver_node)
        if name.startswith("self.") and call.use == "dropped" and clients.in_loops(call.spot, loops) and _begun(module, name, loops):
            others = (
                statement.node
                for statement in module.tree.statements
                if statement.spot.function is not call.function
                and statement.spot.function is not None
                and statement.spot.function.name != "__init__"
            )
            if any(isinstance(node, cst.Del) and _list(node.target) == name for node in others) or any(
                other.name in ("clear", "popitem") and other.function is not call.function and _list(other.receiver_node) == name
                for other in module.named("clear", "popitem")
            ):
                return call, name
    return None


def _trimmed(node: Any) -> str:
    """The list of which all that happens is that the oldest is dropped: one of the last so many of something is no batch of records."""
    dropped = _DROPS.fullmatch(cst.Module([]).code_for_node(node.body).strip()) if isinstance(node, cst.If) else None
    return dropped[1] if dropped is not None else ""


def _list(node: Any) -> str:
    """The name of a list, or of the dict that holds one for each topic or key."""
    while isinstance(node, cst.Subscript):
        node = node.value
    return dotted(node) if node is not None else ""


def _aliases(module: Module, name: str, loops: set[int]) -> Iterator[str]:
    """What one of the lists in a dict is called in the loops."""
    for statement in module.tree.statements_in(loops):
        node = statement.node
        if not isinstance(node, ASSIGNMENTS) or not isinstance(node.value, cst.Subscript):
            continue
        target = targets(node)[0]
        if isinstance(target, cst.Name) and dotted(node.value.value) == name:
            yield target.value


def enough(*names: str) -> re.Pattern[str]:
    """What asks whether one of these lists is long enough: `len(rows) >= 500`."""
    listed = "|".join(re.escape(name) for name in names)
    return re.compile(rf"\blen\((?:{listed})(?:\[[^\]]*\])?\)\s*(?:>=?|==)(?!\s*0\b)")


def _begun(module: Module, name: str, loops: set[int]) -> bool:
    """Whether the list is made outside the loops, so that it outlives one round."""
    for statement in module.tree.statements:
        node = statement.node
        if not isinstance(node, ASSIGNMENTS) or clients.in_loops(statement.spot, loops):
            continue
        if any(isinstance(target, (cst.Name, cst.Attribute)) and dotted(target) == name for target, _ in _assigned(node)):
            return True
    return False


def _assigned(node: Any) -> Iterator[tuple[Any, Any]]:
    """What is given a value, and the value: `a = b = []`, `rows, count = [], 0`."""
    for target in targets(node):
        value = node.value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(target.elements) == len(value.elements):
            yield from ((each.value, of.value) for each, of in zip(target.elements, value.elements, strict=True))
        else:
            yield target, value
