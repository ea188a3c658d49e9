"""`CoGroupByKey` gives, under each key, a list for each side: of all its values, and an empty one where it has none (read in the SDK)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, Function, descend, dotted, last_name
from shoal.templates import beam

_STEPS = ("Map", "FlatMap", "Filter", "ParDo", "MapTuple", "FlatMapTuple")
# What gives its records on as they are.
_SAME = ("WindowInto", "Reshuffle")
_LIST = frozenset(dir(list))
_PARSERS = ("json.loads", "orjson.loads", "ujson.loads", "simplejson.loads")
# What looks at a list before it takes it for something.
_TESTS = ("isinstance", "hasattr", "getattr", "type")
# What may look whether a list has anything in it.
_CHOICES = (cst.If, cst.IfExp, cst.Try, cst.BooleanOperation, cst.While, cst.Match, cst.Assert, cst.CompIf)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    joins = {id(call.node): call for call in module.named("CoGroupByKey") if module.qualified(call).startswith("apache_beam.")}
    if not joins:
        return
    before = dofns.pipeline(module)
    streams = beam.unbounded(job, module) is True
    seen: set[int] = set()
    for call in module.named(*_STEPS):
        steps = (node for node, _ in dofns.steps_before(module, call, before) if last_name(node.func) not in _SAME)
        join = joins.get(id(next(steps, None)))
        if join is None or not call.node.args or call.node.args[0].star or not module.qualified(call).startswith("apache_beam."):
            continue
        numbered = isinstance(before[id(join.node)].left, (cst.Tuple, cst.List))
        for function, record in dofns.called_with_records(module, call):
            found = None if id(function) in seen else _misuse(_Sides(function, record, call, numbered), streams)
            seen.add(id(function))
            if found is not None:
                node, message, confidence = found
                related = [(module.call_place(join), "gives the lists")]
                place = module.place(node, function.spot)
                yield context.finding(message, place, related, confidence=confidence, covers=[module.covers(call)])


class _Sides:
    """What stands for the lists of a joined record in a function that is called with it."""

    def __init__(self, function: Function, record: str, step: Call, numbered: bool) -> None:
        self.function = function
        self.record = "" if step.name.endswith("Tuple") else record
        self.numbered = numbered
        second = [param.name for param in function.params if param.kind == "plain" and param.name != function.self_name][1:2]
        self.all = {name for name in second if not self.record and self.once(name)}
        self.lists: set[str] = set()
        for node in descend(function.body, (cst.Lambda, cst.FunctionDef)):
            if isinstance(node, cst.Assign) and len(node.targets) == 1:
                self.assigned(node.targets[0].target, node.value)

    def once(self, name: str) -> bool:
        return len(self.function.scope.bindings.get(name, ())) <= 1

    def assigned(self, target: Any, value: Any) -> None:
        if isinstance(target, (cst.Tuple, cst.List)):
            names = [element.value for element in target.elements if not isinstance(element, cst.StarredElement)]
            if len(names) == len(target.elements) == 2 and self.record and _is(value, self.record) and isinstance(names[1], cst.Name):
                self.all |= {names[1].value} if self.once(names[1].value) else set()
        elif isinstance(target, cst.Name) and self.once(target.value):
            if self.is_all(value):
                self.all.add(target.value)
            elif self.is_list(value):
                self.lists.add(target.value)

    def is_all(self, node: Any) -> bool:
        """Whether a node is what holds the lists: `record[1]`."""
        if isinstance(node, cst.Name):
            return node.value in self.all
        return bool(self.record) and isinstance(node, cst.Subscript) and _is(node.value, self.record) and _number(_index(node)) == 1

    def is_list(self, node: Any) -> bool:
        """Whether a node is the list of a side: `record[1]["orders"]`, `sides.get("orders")`."""
        if isinstance(node, cst.Name):
            return node.value in self.lists
        if isinstance(node, cst.Subscript) and self.is_all(node.value):
            return isinstance(_index(node), cst.SimpleString) or (self.numbered and _number(_index(node)) is not None)
        return (
            isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and node.func.attr.value == "get"
            and self.is_all(node.func.value)
            and len(node.args) == 1
            and isinstance(node.args[0].value, cst.SimpleString)
        )


def _misuse(sides: _Sides, streams: bool) -> tuple[Any, str, str] | None:
    """The first use of a list that no list bears, else of the first value of one that may be empty: where, what is said of it, and how sure that is."""
    first: Any = None
    found: tuple[Any, str] | None = None
    chooses = False
    for node in descend(sides.function.body, (cst.Lambda, cst.FunctionDef)):
        chooses = chooses or isinstance(node, _CHOICES)
        if isinstance(node, cst.Call) and node.args:
            name, given = dotted(node.func), node.args[0].value
            if name in _TESTS and sides.is_list(given):
                return None
            if name in _PARSERS and sides.is_list(given):
                found = found or (node.func, "a TypeError")
            if name == "next" and len(node.args) == 1 and isinstance(given, cst.Call) and dotted(given.func) == "iter" and given.args:
                first = first or (node.func if sides.is_list(given.args[0].value) else None)
        elif isinstance(node, cst.Attribute) and sides.is_list(node.value) and node.attr.value not in _LIST:
            found = found or (node.attr, "an AttributeError")
        elif isinstance(node, cst.Subscript) and sides.is_list(node.value):
            if isinstance(_index(node), (cst.SimpleString, cst.FormattedString)):
                found = found or (_index(node), "a TypeError")
            elif _number(_index(node)) is not None:
                first = first or _index(node)
    if found is not None:
        node, how = found
        return (
            node,
            f"each record ends here with {how}: CoGroupByKey gives a list for each side, of all that has the key there; go through it",
            "",
        )
    if first is not None and streams and not chooses:
        message = "a key that this side does not have in a window ends the bundle here: CoGroupByKey gives it an empty list, and a streaming runner tries the bundle again for ever"
        return first, message, "low"
    return None


def _index(node: cst.Subscript) -> Any:
    return getattr(node.slice[0].slice, "value", None) if len(node.slice) == 1 else None


def _number(node: Any) -> int | None:
    """A whole number that stands there, as the number of an element."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        node = node.expression
    return int(node.value, 0) if isinstance(node, cst.Integer) else None


def _is(node: Any, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
