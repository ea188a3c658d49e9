"""`collection.add(document)` and `collection.document().set(…)` of Firestore in code that an engine runs for each record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.contexts import TASK
from shoal.python.tree import Call, is_none
from shoal.python.values import Instance


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in module.contexts.calls(*TASK, "foreach", "foreach-batch"):
        added = call.name == "add" and len(call.node.args) == 1 and not call.has_stars
        made = call.name == "document" and not call.node.args
        if (added or made) and _is_collection(module, call.receiver_node, call, 0):
            message = f"each try stores the record once more, under an id that Firestore makes up, {where.told()}: what is done again after a failure is there twice; use an id that follows from the record"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _is_collection(module: Any, node: Any, call: Call, level: int) -> bool:
    """`client.collection(name)`, or a name or attribute that holds one."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Attribute) and node.func.attr.value == "collection"
    if level > 2:
        return False
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, call.spot)]
    elif isinstance(node, cst.Attribute) and isinstance(owner := module.value(node.value, call.spot), Instance):
        found = [binding for cls in module.parents(owner.cls) for binding in cls.attributes.get(node.attr.value, ())]
        found = [binding for binding in found if not is_none(binding.node)]
    else:
        return False
    return bool(found) and all(binding.kind == "assign" and _is_collection(module, binding.node, call, level + 1) for binding in found)
