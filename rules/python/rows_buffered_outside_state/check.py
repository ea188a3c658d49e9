"""`self.rows.append(…)` in record methods, emptied there too, with nothing that flushes the rest; lists and dicts of the module that are used so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Binding, Call, ClassInfo, Function, descend, dotted
from shoal.python.values import Mapping, Sequence, options

_RECORD = {
    "flink": ("process_element", "map", "flat_map", "eval", "invoke", "process_element1", "process_element2", "filter"),
    "beam": ("process",),
}
_FLUSH = {"flink": ("close",), "beam": ("finish_bundle",)}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        engine = module.contexts.classes.get(id(cls), "")
        if engine not in _RECORD:
            continue
        for attribute, call in _appended(module, cls, engine):
            if not _emptied(module, cls, attribute):
                continue
            flushes = [
                method
                for name in _FLUSH[engine]
                if (method := module.method(cls, name)) is not None and _touches(module, method, attribute)
            ]
            if engine == "beam":
                if flushes:
                    continue
                message = f"rows left in self.{attribute} when the bundle ends are committed as processed and never written: write them in finish_bundle()"
                yield context.finding(message, module.call_place(call), confidence="high", covers=[module.covers(call)])
            else:
                rest = "" if flushes else ", and close() does not write the rest"
                message = f"rows wait in self.{attribute} while checkpoints pass and offsets are committed: a failure loses them{rest}; keep them in state, or use a sink"
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    yield from _shared(context)


def _shared(context: Context) -> Iterator[Finding]:
    """Lists and dicts of the module, or of a function around, that an operator's function fills and something empties when there is enough in them."""
    module = context.module
    told: set[int] = set()
    for function, where in module.contexts.running("operator"):
        if where.engine != "flink" or function.is_lambda:
            continue
        for name, node, spot in _filled(module, function):
            made = [binding for binding, _ in module.lookup(name, spot)]
            first = next((one for one in made if one.kind == "assign" and one.spot.function is not function), None)
            if first is None or id(first.node) in told or not _is_buffer(module, first) or not _spent(module, name, made, function):
                continue
            told.add(id(first.node))
            message = (
                f"rows wait in {name}, in the memory of one worker, while checkpoints pass and offsets are committed: "
                "a failure loses them, and what another process has in a variable of this name is another; keep them in state, or use a sink"
            )
            yield context.finding(
                message, module.place(node, spot), [(module.place(first.node, first.spot), "begins anew in each process")]
            )


def _filled(module: Any, function: Function) -> Iterator[tuple[str, Any, Any]]:
    """Names that a function puts something into."""
    for call in function.calls:
        if call.name in ("append", "extend", "appendleft") and isinstance(call.receiver_node, cst.Name):
            yield call.receiver_node.value, call.node, call.spot
    for statement in module.tree.statements:
        target = statement.node.targets[0].target if isinstance(statement.node, cst.Assign) else None
        if statement.spot.function is not function or not isinstance(target, cst.Subscript) or not isinstance(target.value, cst.Name):
            continue
        if not _looked_up(function, target.value.value, target):
            yield target.value.value, target, statement.spot


def _looked_up(function: Function, name: str, put: cst.Subscript) -> bool:
    """Whether a record finds something in a dict by its key: it is a cache, and what it holds has gone on."""
    for node in descend(function.node):
        if isinstance(node, cst.Subscript) and node is not put and dotted(node.value) == name:
            return True
        if isinstance(node, cst.Call) and dotted(node.func) in (f"{name}.get", f"{name}.pop", f"{name}.setdefault"):
            return True
        if isinstance(node, cst.ComparisonTarget) and isinstance(node.operator, (cst.In, cst.NotIn)) and dotted(node.comparator) == name:
            return True
    return False


def _is_buffer(module: Any, binding: Binding) -> bool:
    value = module.value(binding.node, binding.spot)
    return any(isinstance(option, (Sequence, Mapping)) for option in options(value)) or (
        isinstance(binding.node, cst.Call)
        and isinstance(binding.node.func, cst.Name)
        and binding.node.func.value in ("list", "dict", "deque", "defaultdict", "OrderedDict")
    )


def _spent(module: Any, name: str, made: list[Binding], filler: Function) -> bool:
    """Whether it is emptied: elsewhere, or when there is enough in it; by a function that is given it, too."""
    if any(binding.kind == "assign" and binding.spot.function not in (None, filler) for binding in made[1:]):
        return True
    if any(binding.spot.function is filler and binding.spot.conditional for binding in made if binding.kind == "assign"):
        return True
    same = {id(binding.node) for binding in made}
    for call in module.calls:
        if not any(id(binding.node) in same for binding, _ in module.lookup(name, call.spot)):
            continue
        if call.name == "clear" and isinstance(call.receiver_node, cst.Name) and call.receiver_node.value == name:
            if call.function is not filler or call.spot.conditional:
                return True
            continue
        given = next((at for at, arg in enumerate(call.node.args) if isinstance(arg.value, cst.Name) and arg.value.value == name), None)
        target = module.target(call) if given is not None else None
        if target is not None and given is not None and given < len(target.params):
            param = target.params[given].name
            if any(
                other.name == "clear" and isinstance(other.receiver_node, cst.Name) and other.receiver_node.value == param
                for other in target.calls
            ):
                return True
    return False


def _appended(module: Any, cls: ClassInfo, engine: str) -> Iterator[tuple[str, Call]]:
    """Lists of the object that a record method appends to, each once."""
    seen = set()
    for name in _RECORD[engine]:
        function = cls.methods.get(name)
        for call in function.calls if function is not None else ():
            receiver = call.receiver_node
            if call.name != "append" or not isinstance(receiver, cst.Attribute) or not isinstance(receiver.value, cst.Name):
                continue
            attribute = receiver.attr.value
            if function is None or receiver.value.value != function.self_name or attribute in seen:
                continue
            if any(
                isinstance(option, Sequence)
                for binding in cls.attributes.get(attribute, ())
                for option in options(module.value(binding.node, binding.spot))
            ):
                seen.add(attribute)
                yield attribute, call


def _emptied(module: Any, cls: ClassInfo, attribute: str) -> bool:
    """Whether the list is emptied outside of the set-up: it is a buffer."""
    for binding in cls.attributes.get(attribute, ()):
        made_in = binding.spot.function.name if binding.spot.function is not None else ""
        if made_in not in ("__init__", "open", "setup", "start_bundle") and binding.kind == "assign":
            return True
    return any(
        call.name == "clear"
        and isinstance(call.receiver_node, cst.Attribute)
        and call.receiver_node.attr.value == attribute
        and call.function is not None
        and call.function.cls is cls
        for call in module.named("clear")
    )


def _touches(module: Any, method: Any, attribute: str) -> bool:
    reached = [method, *(target for call in method.calls if (target := module.target(call)) is not None)]
    return any(f".{attribute}" in module.tree.node.code_for_node(function.node) for function in reached)
