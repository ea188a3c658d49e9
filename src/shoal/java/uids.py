"""Sources, stateful operators and sinks of a Java program that are given no uid, so that Flink names their state after their place in the graph."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.facts import Block, Usage
from shoal.java.constants import ENVIRONMENT
from shoal.java.sheet import Sheet
from shoal.java.source import chained, same
from shoal.python.values import names

# What is said of an operator before the next one begins.
SAYS = names(
    "name setParallelism setMaxParallelism returns disableChaining startNewChain slotSharingGroup setDescription setBufferTimeout setResources"
)
_NAMES = names("uid setUidHash uidHash")
_STATEFUL = names("process reduce aggregate apply sum min max minBy maxBy")
_KEYS = names("keyBy window windowAll timeWindow timeWindowAll countWindow countWindowAll")
_KEYED = frozenset({"KeyedStream", "WindowedStream", "AllWindowedStream"})
_BUILT = frozenset({"FlinkSink", "IcebergSink"})  # Iceberg's, which name several operators after a prefix


def collect(sheet: Sheet) -> None:
    """The most telling comes first: an operator with state, Iceberg's committer, a source."""
    source = sheet.source
    job = next((fact.id for fact in sheet.out.facts if isinstance(fact, Block) and fact.role == "job"), "")
    found = sorted(_nameless(sheet), key=lambda one: ("process", "iceberg", "source").index(one[0]))
    for _, call in found:
        sheet.out.facts.append(Usage("no-uid", source.name(call), sheet.out.place(source.span(source.name_node(call))), job))


def _nameless(sheet: Sheet) -> Iterator[tuple[str, Node]]:
    source = sheet.source
    for call in source.named("fromSource"):
        if source.type_of(call.child_by_field_name("object")) == ENVIRONMENT and not _named(sheet, call):
            yield "source", call
    for call in source.named(*_STATEFUL):
        if _keyed(sheet, call.child_by_field_name("object")) and not _named(sheet, call):
            yield "process", call
    for call in source.named("forRowData", "forRow", "builderFor"):
        owner = source.type_of(call.child_by_field_name("object")).removeprefix("class:")
        if owner in _BUILT and source.imports.get(owner, "").startswith("org.apache.iceberg.flink."):
            calls = [other for other in source.named("uidPrefix", "append") if same(source.origin(other), call)]
            if calls and all(source.name(other) == "append" for other in calls):
                yield "iceberg", call


def _keyed(sheet: Sheet, node: Node | None, level: int = 0) -> bool:
    """Whether what an operator is called on is a stream by keys or windows."""
    source = sheet.source
    while node is not None and node.type == "method_invocation":
        name = source.name(node)
        if name in _KEYS:
            return True
        if name not in ("trigger", "evictor", "allowedLateness", "sideOutputLateData"):
            return False
        node = node.child_by_field_name("object")
    if node is None or node.type != "identifier":
        return False
    declared = source.declaration(source.written(node), node)
    return declared is not None and (
        declared.type in _KEYED or (not declared.type and level < 4 and _keyed(sheet, source.given(declared), level + 1))
    )


def _named(sheet: Sheet, call: Node) -> bool:
    """Whether an operator is given a uid, or may be: in the chain, on the name it is given, or by whoever it is returned to."""
    source, at = sheet.source, call
    for at in chained(call):
        if source.name(at) in _NAMES:
            return True
        if source.name(at) not in SAYS:
            return False
    holder = at.parent
    if holder is None or holder.type == "expression_statement":
        return False
    if holder.type in ("variable_declarator", "assignment_expression"):
        name = holder.child_by_field_name("name") or holder.child_by_field_name("left")
        return re.search(rf"\b{re.escape(source.written(name))}\s*\.(?:[^;]*?\.)?\s*(?:uid|setUidHash)\(", source.text) is not None
    method = source.method_of(call)
    return (
        holder.type != "return_statement"
        or method is None
        or not source.written(method.child_by_field_name("type")).startswith("DataStream<")
    )
