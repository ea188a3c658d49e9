"""`self.rows.append(…)` in record methods, or `ROWS.append(…)` in functions, emptied there too, with nothing that flushes the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import per_record
from shoal.python.tree import Call, ClassInfo, Function, beginning, descend, last_name, targets
from shoal.python.values import Sequence, names, options

_RECORD = {
    "flink": ("process_element", "map", "flat_map", "eval", "invoke", "process_element1", "process_element2", "filter"),
    "beam": ("process",),
}
# What looks at a container, or takes a part of it.
_LOOKS = names(
    "len iter next list dict set tuple sorted min max sum any all enumerate print debug info warning error str repr format range islice"
)
_FLUSH = {"flink": ("close",), "beam": ("finish_bundle",)}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    yield from _of_module(context)
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


def _of_module(context: Context) -> Iterator[Finding]:
    """Containers of the module that an operator of Flink fills, until there are so many in them that it hands them on."""
    module = context.module
    seen = set()
    for function, where in module.contexts.running("operator", "udf", "timer"):
        if where.engine != "flink":
            continue
        for node, spot, name in _filled(module, function):
            if name not in seen and per_record.of_module(module, function, name) and _full(function, name):
                seen.add(name)
                message = (
                    f"rows wait in {name} of the worker's process while checkpoints pass and offsets are committed: a failure, a rescale or the "
                    "end of the job loses them; keep them in state, or use a sink"
                )
                yield context.finding(message, module.place(node, spot))


def _filled(module: Any, function: Function) -> Iterator[tuple[Any, Any, str]]:
    """What a function puts into containers: `rows.append(row)`, `rows[key] = row`."""
    for call in function.calls:
        if call.name in ("append", "add", "extend", "appendleft") and isinstance(call.receiver_node, cst.Name):
            yield call.node.func, call.spot, call.receiver_node.value
    for statement in module.tree.statements:
        if statement.spot.function is function and isinstance(statement.node, cst.Assign):
            for target in targets(statement.node):
                if isinstance(target, cst.Subscript) and (name := beginning(target, (cst.Subscript,))):
                    yield target, statement.spot, name


def _full(function: Function, name: str) -> bool:
    """Whether a function asks how many there are, and hands them on where these are enough. A cache that is full is only emptied."""
    return any(
        isinstance(node, cst.If)
        and any(_length_of(at, name) for at in descend(node.test) if isinstance(at, cst.Call))
        and any(_handed(at, name) for at in descend(node.body) if isinstance(at, cst.Call))
        for node in descend(function.body)
    )


def _handed(call: cst.Call, name: str) -> bool:
    """Whether a call that does more than look is given a container, or what is in it."""
    return (
        last_name(call.func) not in _LOOKS
        and beginning(call.func) != name
        and any(isinstance(at, cst.Name) and at.value == name for arg in call.args for at in descend(arg.value))
    )


def _length_of(call: cst.Call, name: str) -> bool:
    return (
        isinstance(call.func, cst.Name)
        and call.func.value == "len"
        and len(call.args) == 1
        and isinstance(call.args[0].value, cst.Name)
        and call.args[0].value.value == name
    )


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
