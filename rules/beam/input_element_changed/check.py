"""`element["at"] = …; yield element` in a DoFn, or in a function that Map calls, and the same of `key, record = element`. A worker hands one object to all the steps that it runs in one go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import CHANGES, Function, Spot, beginning, contains, targets
from shoal.python.values import names

# Transforms whose function is given elements; a combiner may change what it gathers in.
_GIVEN = names("ParDo Map FlatMap Filter MapTuple FlatMapTuple")
# What takes a part of an element, however deep: `element["a"]["b"]`, `element.tags`.
_PARTS = (cst.Subscript, cst.Attribute)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("dofn"):
        given = _elements(function) if not where.through and _takes_elements(function, where.how) else []
        given += _taken_out(module, function, given)
        node, spot, name = next(_changed(module, function, given), (None, None, ""))
        if node is None:
            continue
        shared = _shared(module, function)
        if shared is not None:
            why = "another step reads the same collection, and sees the change or not, as the runner puts steps together"
            yield context.finding(
                f"{name} is changed in place: {why}; change a copy of it",
                module.place(node, spot),
                [(shared, "reads it too")],
                confidence="medium",
            )
        else:
            why = "every other step that reads the collection sees the change or not, as the runner puts steps together"
            yield context.finding(f"{name} is changed in place, which Beam forbids: {why}; change a copy of it", module.place(node, spot))


def _takes_elements(function: Function, how: str) -> bool:
    if function.cls is not None and not how.startswith("passed to "):
        return function.name == "process" and how.endswith("is a DoFn")
    return how.removeprefix("passed to ") in _GIVEN


def _elements(function: Function) -> list[str]:
    """The parameter that the element comes in, unless its name is given another value."""
    plain = [param.name for param in function.params if param.kind == "plain" and param.name != function.self_name][:1]
    return [name for name in plain if len(function.scope.bindings.get(name, ())) == 1]


def _taken_out(module: Any, function: Function, elements: list[str]) -> list[str]:
    """Names of what was taken out of an element, which is the same object: `key, record = element`, `record = element[1]`; a slice is a copy."""
    taken: list[str] = []
    for statement in module.tree.statements if elements else ():
        node = statement.node
        if statement.spot.function is not function or not isinstance(node, cst.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0].target, node.value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Name) and value.value in elements:
            parts = [one.value for one in target.elements if isinstance(one, cst.Element)]
        elif isinstance(value, cst.Subscript) and beginning(value, _PARTS) in elements:
            parts = [target] if all(isinstance(one.slice, cst.Index) for one in value.slice) else []
        else:
            continue
        taken += [one.value for one in parts if isinstance(one, cst.Name) and len(function.scope.bindings.get(one.value, ())) == 1]
    return taken


def _changed(module: Any, function: Function, elements: list[str]) -> Iterator[tuple[Any, Spot, str]]:
    """What is put into or taken out of an element, or something inside it."""
    for statement in module.tree.statements if elements else ():
        if statement.spot.function is not function:
            continue
        changed: list[Any] = [target for target in targets(statement.node) if isinstance(target, cst.Subscript)]
        if isinstance(statement.node, cst.Del):
            gone = statement.node.target
            changed += [one.value for one in gone.elements] if isinstance(gone, cst.Tuple) else [gone]
        for target in changed:
            if isinstance(target, cst.Subscript) and (name := beginning(target.value, _PARTS)) in elements:
                yield target, statement.spot, name
    for call in function.calls if elements else ():
        # what changes an object gives nothing back, but for these: `schema = record.schema.remove(1)` makes another one
        changes = call.name in CHANGES and (call.use == "dropped" or call.name in ("pop", "popitem", "popleft", "setdefault"))
        if changes and call.receiver_node is not None and (name := beginning(call.receiver_node, _PARTS)) in elements:
            yield call.node.func, call.spot, name


def _shared(module: Any, function: Function) -> Any:
    """Another step that reads the collection which comes to this function, under the name that it has."""
    steps = dofns.pipeline(module)
    own = [
        call
        for call in module.named(*_GIVEN)
        if id(call.node) in steps
        and call.node.args
        and (
            module.class_of(call.node.args[0].value, call.spot) is function.cls
            if function.cls is not None
            else function in module.function_of(call.node.args[0].value, call.spot)
        )
    ]
    for call in own:
        left = steps[id(call.node)].left
        if not isinstance(left, cst.Name):
            continue
        for other in module.calls:
            step = steps.get(id(other.node))
            if step is None or other.node is call.node or not isinstance(step.left, cst.Name) or step.left.value != left.value:
                continue
            if other.function is call.function and not contains(call.node, other.node) and not other.spot.excludes(call.spot):
                if any(binding.node is None for binding, _ in module.lookup(left.value, call.spot)):
                    continue
                if [binding for binding, _ in module.lookup(left.value, other.spot)] == [
                    binding for binding, _ in module.lookup(left.value, call.spot)
                ]:
                    return module.call_place(other)
    return None
