"""`self.rows.append(…)` in record methods, emptied there too, with nothing that flushes the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, ClassInfo
from shoal.python.values import Sequence, options

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
