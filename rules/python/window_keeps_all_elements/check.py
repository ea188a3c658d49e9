"""`process(self, key, context, elements)` that makes a count, a sum, a smallest or a largest value of a window's elements, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import ClassInfo, Function, descend, last_name
from shoal.python.values import names

# Which parameter has the elements, by the base class: of `process`, and of `apply`.
_GIVEN = {"ProcessWindowFunction": 3, "ProcessAllWindowFunction": 2, "WindowFunction": 3, "AllWindowFunction": 2}
_TAKES = names("process apply")
# What needs a number for all elements, and none of them again; `list` and the like only hand them on.
_FOLDS = names("sum len max min mean fmean")
_HANDS_ON = names("list tuple iter")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        base = next((last_name(one) for one in cls.bases if last_name(one) in _GIVEN), "")
        function = next((cls.methods[name] for name in ("process", "apply") if name in cls.methods), None) if base else None
        if function is None or len(function.params) <= _GIVEN[base] or not _given_all(module, cls):
            continue
        where = _folded(function, function.params[_GIVEN[base]].name)
        if where is not None:
            message = (
                "the window keeps every record until it ends, only to count or add them up here: aggregate() keeps one accumulator for each key and window, "
                "and gives its result to this function (window_function)"
            )
            yield context.finding(message, module.place(where, function.spot))


def _given_all(module: Any, cls: ClassInfo) -> bool:
    """Whether a stream of this module gives its windows to the function as they are, and none gives it what an aggregate made of them."""
    used = [call for call in module.calls if any(_makes(arg.value, cls.name) for arg in call.node.args)]
    return bool(used) and all(call.name in _TAKES for call in used)


def _makes(node: Any, name: str) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == name


def _folded(function: Function, name: str) -> Any:
    """The first place where the elements are gone through, where all that is done with them is adding up; None where anything else may be."""
    body = function.body
    others = {id(name) for node in descend(body) for name in _not_variables(node)}
    waiting = [name]
    places: list[Any] = []
    while waiting:
        kept = waiting.pop()
        folded: set[int] = set()
        for node in descend(body):
            value = node.value if isinstance(node, cst.Assign) else None
            if isinstance(node, cst.Call) and last_name(node.func) in _FOLDS:
                inside = [one for arg in node.args for one in descend(arg.value) if _is(one, kept)]
                if inside:
                    places.append(node)
                    folded |= {id(one) for one in inside}
            elif isinstance(node, cst.For) and _bare(node.iter, kept) is not None:
                if not _only_adds(node.body):
                    return None
                places.append(node.iter)
                folded.add(id(_bare(node.iter, kept)))
            elif value is not None and len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name):
                target = node.targets[0].target.value
                if (one := _bare(value, kept)) is not None or (one := _of_each(value, kept)) is not None:
                    folded.add(id(one))
                    if target != kept:
                        waiting.append(target)
        if any(_is(node, kept) and id(node) not in folded | others and not _asked(node, body) for node in descend(body)):
            return None
        if len(places) > 8:
            break
    return places[0] if places else None


def _not_variables(node: Any) -> Iterator[Any]:
    """The names in a node that are those of attributes and keywords."""
    if isinstance(node, cst.Attribute):
        yield node.attr
    elif isinstance(node, cst.Arg) and node.keyword is not None:
        yield node.keyword


def _is(node: Any, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _bare(node: Any, name: str) -> Any:
    """The name of the elements in `elements` or `list(elements)`; None in anything else."""
    if isinstance(node, cst.Call) and last_name(node.func) in _HANDS_ON and len(node.args) == 1:
        node = node.args[0].value
    return node if _is(node, name) else None


def _of_each(node: Any, name: str) -> Any:
    """The name of the elements in `[element.price for element in elements]`."""
    if isinstance(node, (cst.ListComp, cst.GeneratorExp)) and node.for_in.inner_for_in is None:
        return _bare(node.for_in.iter, name)
    return None


def _asked(node: Any, body: Any) -> bool:
    """Whether a name only stands in a condition, or gets a value: `if not elements:`, `elements = …`."""
    return any(
        (isinstance(one, cst.If) and any(part is node for part in descend(one.test)) and not isinstance(one.test, cst.Call))
        or (isinstance(one, cst.AssignTarget) and one.target is node)
        for one in descend(body)
    )


def _only_adds(block: Any) -> bool:
    """Whether a loop does no more than add up, count and compare."""
    adds = False
    for line in block.body:
        if isinstance(line, cst.If):
            other = line.orelse.body if isinstance(line.orelse, cst.Else) else line.orelse
            if isinstance(line.orelse, cst.If) or not _only_adds(line.body) or (other is not None and not _only_adds(other)):
                return False
            adds = True
            continue
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else [None]:
            if isinstance(small, cst.AugAssign) and isinstance(small.target, (cst.Name, cst.Attribute)):
                if not isinstance(small.operator, (cst.AddAssign, cst.SubtractAssign)) or isinstance(
                    small.value, (cst.List, cst.FormattedString)
                ):
                    return False
                adds = True
            elif isinstance(small, cst.Assign) and all(isinstance(one.target, cst.Name) for one in small.targets):
                adds = adds or (isinstance(small.value, cst.Call) and last_name(small.value.func) in ("max", "min"))
            else:
                return False
    return adds
