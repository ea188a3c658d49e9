"""Keyed state that nothing clears, and types that Flink has no serializer for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.functions import METHODS
from shoal.java.sheet import Sheet
from shoal.java.source import below, same
from shoal.lazy import pattern
from shoal.python.values import names

# A class, or a hint of one: what it may hold besides is in its own brackets.
_HINT = pattern(r"([\w.]+)\.class|new\s+TypeHint\s*<\s*([\w.]+)\s*(?:<.*>)?\s*>\s*\(\)\s*\{\s*\}", re.DOTALL)
# Types that Flink has no serializer for unless it is told more, and their packages.
_GENERIC = {
    **dict.fromkeys(("RowData", "GenericRowData"), "org.apache.flink.table.data"),
    "Row": "org.apache.flink.types",
    **dict.fromkeys(names("Map List Set Collection HashMap LinkedHashMap TreeMap ArrayList LinkedList HashSet"), "java.util"),
    "JsonNode": "com.fasterxml.jackson.databind",
    **dict.fromkeys(names("ObjectNode ArrayNode"), "com.fasterxml.jackson.databind.node"),
    "JSONObject": "org.json com.alibaba.fastjson com.alibaba.fastjson2 org.json.simple net.sf.json",
    **dict.fromkeys(names("JsonObject JsonElement"), "com.google.gson"),
    **dict.fromkeys(names("GenericRecord IndexedRecord"), "org.apache.avro.generic"),
}
_TWO_INPUTS = pattern(r"(?:Keyed)?CoProcessFunction|(?:Rich)?Co(?:Flat)?MapFunction")
DESCRIPTORS = pattern(r"(?:Value|List|Map|Reducing|Aggregating)StateDescriptor")


def generic_types(sheet: Sheet) -> Iterator[tuple[Node, str]]:
    """Types that are given to Flink by a class or hint from which it cannot tell what they hold, so that Kryo serializes them."""
    source = sheet.source
    for call in (*source.calls, *source.news):
        made, given = call.type == "object_creation_expression", source.arguments(call)
        kind = source.type_of(call) if made else source.type_of(call.child_by_field_name("object"))
        name = "" if made else source.name(call)
        if given and ((made and kind == "GenericTypeInfo") or (kind == "class:Types" and name == "GENERIC")):
            where = call.child_by_field_name("type") if made else source.name_node(call)
            yield where or call, source.written(given[0]).removesuffix(".class")
        elif (
            (kind == "class:TypeInformation" and name == "of")
            or (name == "returns" and len(given) == 1)
            or (made and DESCRIPTORS.fullmatch(kind))
        ):
            for node in given:
                found = _HINT.fullmatch(source.written(node))
                if found and _kryo(sheet, found.group(1) or found.group(2)):
                    yield node, found.group(1) or found.group(2)


def _kryo(sheet: Sheet, name: str) -> bool:
    """Whether Flink surely has no serializer for a type."""
    source = sheet.source
    full = source.imports.get(name.rpartition(".")[2], name if "." in name else "")
    if name == "Object":
        return not full
    homes = _GENERIC.get(name.rpartition(".")[2], "")
    packages = [full.rpartition(".")[0]] if full else source.starred
    return bool(homes) and any(one in homes.split() for one in packages)


def why_it_grows(sheet: Sheet, descriptor: Node, owned: Node, kinds: list[str]) -> str:
    """Why the state of a descriptor may stay for ever; empty where it may not, or where that cannot be told."""
    source = sheet.source
    text = source.written(owned)
    if not re.search(r"\.(?:clear|remove)\(", text):
        return "is kept for every key that ever came: it has no time-to-live, and the class never clears it"
    name = state_name(sheet, descriptor)
    if not name or name in source.handed:
        return ""
    used = [
        call
        for call in source.within(owned)
        if source.written(call.child_by_field_name("object")).removeprefix("this.") == name and source.class_of(call) == owned
    ]
    clears = [call for call in used if source.name(call) in ("clear", "remove")]
    fills = [call for call in used if source.name(call) in ("add", "addAll", "put", "putAll", "update")]
    if fills and not clears and not _may_be_emptied(sheet, name, used, text):
        return "is kept for every key that ever came: it has no time-to-live, and what the class clears is other state"
    if re.search(r"register\w*Timer\(", text):
        return ""
    clearing, filling = ({source.name(method) for call in calls if (method := source.method_of(call))} for calls in (clears, fills))
    if any(_TWO_INPUTS.fullmatch(kind) for kind in kinds):
        apart = len(clearing) == len(filling) == 1 and clearing != filling and clearing | filling <= METHODS
        waits = "waits for ever where no record of the other input comes: it has no time-to-live, and the class has no timer"
        return waits if apart else ""
    once = clearing == filling and len(filling) == 1 and filling <= METHODS
    added = any(source.name(call) == "add" and not source.conditional(call) for call in fills)
    if once and added and source.type_of(descriptor) == "ListStateDescriptor" and all(map(source.conditional, clears)):
        return "is kept for every key that never meets the condition under which the class clears it: it has no time-to-live, and the class has no timer"
    return ""


def _may_be_emptied(sheet: Sheet, name: str, used: list[Node], text: str) -> bool:
    """Whether a state is emptied by another means than `clear`: a null or a shorter list put into it, its iterator, or under another name."""
    for call in used:
        given = [sheet.source.written(node) for node in sheet.source.arguments(call)]
        if sheet.source.name(call) in ("iterator", "entries", "keys", "values", "getInternal") or given == ["null"]:
            return True
        if sheet.source.name(call) == "update" and any(sheet.source.name(other) == "add" for other in used):
            return True
    return re.search(rf"(?:[=(,:?]|\breturn)\s*(?:this\.)?{re.escape(name)}\s*[;,):]", text) is not None


# What reads a state, what gives it a value, and what changes the value that was read where it is a statement of its own.
_READS = {"ValueState": "value", "MapState": "get"}
_GIVES = names("update put putAll add addAll clear remove")
_CHANGES = pattern(
    r"(?:set|add|put|remove|increment|decrement|append|push|offer|merge)(?:[A-Z]\w*)?|poll(?:First|Last)?|pop|clear|retainAll|replace(?:All)?|sort|compute\w*"
)
_LOOKS = names("collect println printf format valueOf info debug warn error trace requireNonNull isNull nonNull equals toString")


def changed_in_place(sheet: Sheet) -> None:
    """Objects that are taken from keyed state, changed and not given back: only on the heap are they the state itself."""
    source = sheet.source
    for read in source.named("value", "get"):
        owner, kept, method = read.child_by_field_name("object"), read.parent, source.method_of(read)
        kind, body = source.type_of(owner), method.child_by_field_name("body") if method is not None else None
        if _READS.get(kind) != source.name(read) or not source.is_of(kind, "org.apache.flink.") or body is None or kept is None:
            continue
        if kept.type != "variable_declarator":
            continue
        state, name = source.written(owner).removeprefix("this."), source.written(kept.child_by_field_name("name"))
        calls = [call for call in source.within(body) if call.start_byte > read.end_byte]
        if any(
            source.name(call) in _GIVES and source.written(call.child_by_field_name("object")).removeprefix("this.") == state
            for call in calls
        ):
            continue
        handed = any(source.name(call) not in _LOOKS and name in map(source.written, source.arguments(call)) for call in calls)
        if handed or re.search(rf"(?:\breturn|[=(,:?])\s*{re.escape(name)}\s*[;:]", source.text[read.end_byte : body.end_byte]):
            continue
        if (change := next(_changes(sheet, body, kept, name), None)) is not None:
            sheet.out.oddity("state-changed-in-place", f"{state}.{source.name(read)}()", source.span(change), state)


def _changes(sheet: Sheet, body: Node, kept: Node, name: str) -> Iterator[Node]:
    """Where an object that a variable has is changed: by a method that is called for that alone, or by what is put into one of its fields."""
    source = sheet.source
    for call in source.within(body):
        target, holder = call.child_by_field_name("object"), call.parent
        if target is None or holder is None or holder.type != "expression_statement" or not _CHANGES.fullmatch(source.name(call)):
            continue
        declared = source.declared_by(target) if source.written(target) == name else None
        if declared is not None and declared.node == kept:
            yield source.name_node(call)
    for kind in ("assignment_expression", "update_expression"):
        for node in below(body, kind):
            target = node.child_by_field_name("left") or (node.named_children[0] if node.named_children else None)
            first = target.child_by_field_name("object") if target is not None and target.type == "field_access" else None
            declared = source.declared_by(first) if first is not None and source.written(first) == name else None
            if declared is not None and declared.node == kept and target is not None:
                yield target


def state_name(sheet: Sheet, descriptor: Node) -> str:
    """What the state of a descriptor is called in its class."""
    source = sheet.source
    for call in source.named("getState", "getListState", "getMapState", "getReducingState", "getAggregatingState"):
        if any(same(source.origin(given), descriptor) for given in source.arguments(call)[:1]) and call.parent is not None:
            kept = call.parent.child_by_field_name("left") or call.parent.child_by_field_name("name")
            return source.written(kept).removeprefix("this.")
    return ""
