"""`hash("a text")` in an operator, or as the key or partition of a record: it is the same within one process alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.contexts import TASK
from shoal.python.tree import Call, Spot, contains, descend, evaluated, last_name
from shoal.python.values import Known, names

# What gives a text or bytes, whatever it is called on.
_TEXTS = names(
    "str repr dumps lower upper casefold strip lstrip rstrip format join replace encode decode isoformat strftime hexdigest title"
)
_ANNOTATIONS = ("str", "bytes")
_NAMING = pattern(r"(?i)(?:id|key|name|code|email|symbol|uuid)[\"'\]]*$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    hashes = [call for call in module.named("hash", "__hash__") if _is_salted(module, call)]
    likely = [call for call in module.named("hash") if call not in hashes and _may_be_salted(module, call)]
    if not hashes and not likely:
        return
    # Spark gives all of its workers one PYTHONHASHSEED
    ran = {id(call.node): where for call, where in module.contexts.calls(*TASK) if where.engine != "spark"}
    sent = list(_sent(module))
    kept = list(_kept(module))
    for call in likely:
        if any(_is_part(module, call, node, spot) for node, spot in sent):
            what = "the hash of a text, if this is one, is salted anew in each process: the records of one key go elsewhere after a restart (hashlib, or zlib.crc32, gives one that stays)"
            yield context.finding(what, module.call_place(call), confidence="low", covers=[module.covers(call)])
    for call in hashes:
        where = ran.get(id(call.node))
        if where is not None:
            what = f"{where.told()}, and each Python process there salts the hashes of texts anew: the same value gets another number in the next worker, and after each restart"
        elif any(_is_part(module, call, node, spot) for node, spot in sent):
            what = "the hash of a text is salted anew in each process: the records of one key go elsewhere after a restart, and from another producer"
        elif any(_is_part(module, call, node, spot) for node, spot in kept):
            what = "the hash of a text is salted anew in each process: what the table holds is under another number after a restart, and in another worker, and is never found again"
        else:
            continue
        yield context.finding(
            f"{what} (hashlib, or zlib.crc32, gives one that stays)", module.call_place(call), covers=[module.covers(call)]
        )


def _is_salted(module: Any, call: Call) -> bool:
    """Whether a call is Python's own hash, of what is a text or bytes for certain. Where a class says how it is hashed, it is its own affair."""
    if call.function is not None and call.function.name == "__hash__":
        return False
    if call.name == "__hash__":
        return call.receiver_node is not None and not call.node.args and _is_text(module, call.receiver_node, call.spot)
    return _is_own(module, call) and _is_text(module, call.node.args[0].value, call.spot)


def _is_own(module: Any, call: Call) -> bool:
    """Whether it is Python's own, and not that of pyspark.sql.functions."""
    return call.receiver_node is None and len(call.node.args) == 1 and not module.lookup("hash", call.spot)


def _may_be_salted(module: Any, call: Call) -> bool:
    """Whether it is the hash of a field that goes by the name of an id, a key or a name, of which nothing is known: an id may be a number."""
    if not _is_own(module, call):
        return False
    node = call.node.args[0].value
    if not isinstance(node, (cst.Name, cst.Attribute, cst.Subscript)) or isinstance(module.value(node, call.spot), Known):
        return False
    return _NAMING.search(cst.Module([]).code_for_node(node)) is not None


def _is_text(module: Any, node: Any, spot: Spot, level: int = 0) -> bool:
    if level > 4:
        return False
    if isinstance(node, (cst.FormattedString, cst.ConcatenatedString)):
        return True
    if isinstance(node, cst.Call):
        return last_name(node.func) in _TEXTS
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        return _is_text(module, node.left, spot, level + 1) or _is_text(module, node.right, spot, level + 1)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        return _is_text(module, node.left, spot, level + 1)
    if isinstance(node, cst.Tuple):
        return any(_is_text(module, item.value, spot, level + 1) for item in node.elements)
    if isinstance(node, cst.Name):
        bound = [one for one, _ in module.lookup(node.value, spot)]
        if len(bound) == 1 and bound[0].kind == "param" and bound[0].detail is not None:
            param = bound[0].detail.param(node.value)
            annotation = getattr(param.annotation, "annotation", param.annotation) if param is not None else None
            return isinstance(annotation, cst.Name) and annotation.value in _ANNOTATIONS
        if len(bound) == 1 and bound[0].kind == "assign" and _is_text(module, bound[0].node, bound[0].spot, level + 1):
            return True
    value = module.value(node, spot)
    if isinstance(value, Known):
        return isinstance(value.value, (str, bytes))
    return isinstance(node, cst.Attribute) and _is_declared_text(module, node.attr.value)


def _is_declared_text(module: Any, name: str) -> bool:
    """Whether each class of the module that declares a field of this name says that it is a text: `html_url: str`."""
    declared = [
        line.body[0].annotation.annotation
        for found in descend(module.tree.node)
        if isinstance(found, cst.ClassDef)
        for line in found.body.body
        if isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.AnnAssign) and last_name(line.body[0].target) == name
    ]
    return bool(declared) and all(isinstance(said, cst.Name) and said.value in _ANNOTATIONS for said in declared)


def _sent(module: Any) -> Iterator[tuple[Any, Spot]]:
    """What says where records go: keys and partitions that producers are given, and keys by which streams are parted."""
    for _, producer in clients.made(module, clients.PRODUCERS):
        for call in clients.uses(module, producer, *clients.SENDS[producer.type]):
            for position, keyword in (clients.KEY, clients.PARTITIONS[producer.type]):
                if (node := call.argument(position, keyword)) is not None:
                    yield node, call.spot
    for call in module.named("key_by"):
        if call.node.args and any(obj.type.startswith("flink.") for obj in module.receivers(call)):
            for function in module.function_of(call.node.args[0].value, call.spot):
                yield from ((node, spot) for node, spot in function.returns if node is not None)


def _kept(module: Any) -> Iterator[tuple[Any, Spot]]:
    """What entries of a Faust table are found by: its changelog brings them back after a restart."""
    if not module.named("Table", "GlobalTable"):
        return
    for statement in module.tree.statements:
        for part in evaluated(statement.node):
            if isinstance(part, cst.Subscript) and any(obj.type == "faust.Table" for obj in module.objects(part.value, statement.spot)):
                yield from ((one.slice.value, statement.spot) for one in part.slice if isinstance(one.slice, cst.Index))


def _is_part(module: Any, call: Call, node: Any, spot: Spot, level: int = 0) -> bool:
    """Whether a hash goes into a value, by itself or through names."""
    if contains(node, call.node):
        return True
    if not isinstance(node, cst.Name) or level > 3:
        return False
    return any(
        one.kind == "assign" and one.node is not None and _is_part(module, call, one.node, one.spot, level + 1)
        for one, _ in module.lookup(node.value, spot)
    )
