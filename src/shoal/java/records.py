"""Records that cannot be read, and whether that fails the job: parsers in operators, and what schemas' handlers throw."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from shoal.java.functions import METHODS, OPERATOR, TRIES, applied, is_operator, kinds_of, own_nodes
from shoal.java.sheet import Sheet
from shoal.lazy import pattern
from shoal.python.values import names

# By the type of what is called (`class:` where that is a class) the methods that parse.
PARSERS = {
    **dict.fromkeys(("ObjectMapper", "JsonMapper", "XmlMapper", "YAMLMapper", "CsvMapper", "ObjectReader"), names("readValue readTree")),
    "Gson": names("fromJson"),
    **dict.fromkeys(("JsonParser", "JSONParser"), names("parse")),
    "class:JSON": names("parseObject parseArray parse"),
    "class:JSONObject": names("parseObject parse"),
    "class:JsonParser": names("parseString"),
}
# Those of numbers, which say so of what is no number: of a line of text that is split, anything may be a field.
_OF_NUMBERS = {
    **dict.fromkeys(("class:Integer", "class:Long", "class:Short"), names("parseInt parseLong parseShort valueOf")),
    **dict.fromkeys(("class:Double", "class:Float"), names("parseDouble parseFloat valueOf")),
}
_SCHEMAS = pattern(r"\w*DeserializationSchema")
# What is no record: the job's own state, a file.
_KEPT = pattern(r"(?i:state)\w*\s*\.\s*(?:value|get)\(|\bnew\s+(?:File|FileReader|FileInputStream)\(|getResource")
_NOT_OF_RECORDS = pattern(r"Interrupted|RestClient|Timeout|Connect|Socket|Execution")
_OF_OPTIONAL = names("isPresent isEmpty ifPresent ifPresentOrElse orElse orElseGet orElseThrow map flatMap filter stream")
_DEEP = 3  # calls of the class's own methods that are followed


def parses(sheet: Sheet, call: Node) -> bool:
    """Whether a call parses what no one can know to be well-formed: a record, as far as it shows."""
    source = sheet.source
    name, owner = source.name(call), source.type_of(call.child_by_field_name("object"))
    if name in _OF_NUMBERS.get(owner, ()):
        return _of_split(sheet, call)
    protobuf = name == "parseFrom" and owner.startswith("class:") and not _optional(sheet, call)
    return (name in PARSERS.get(owner, ()) or protobuf) and not _of_state(sheet, call)


def of_flink(sheet: Sheet, run: Node) -> bool:
    """Whether Flink runs a lambda, a method, or one that is referred to, for each record."""
    if run.type != "method_declaration":
        return bool(applied(sheet, run)) or (run.type == "lambda_expression" and is_operator(sheet, run))
    name, kinds = sheet.source.name(run), kinds_of(sheet, run)
    if name == "deserialize" and any(_SCHEMAS.fullmatch(kind) for kind in kinds):
        return True
    return name in METHODS and any(OPERATOR.fullmatch(kind) for kind in kinds)


def fails_the_job(sheet: Sheet, call: Node, runs: Callable[[Sheet, Node], bool] = of_flink, level: int = 0) -> bool:
    """Whether an exception of a call reaches the engine, which `runs` some code: it stands in an operator, in a lambda that is one, or in a method that one of these calls
    or that a stream applies by its name, and nothing around it catches. A handler that always throws on catches nothing."""
    source = sheet.source
    at, inside = call.parent, call
    while at is not None:
        if at.type in TRIES and at.child_by_field_name("body") == inside and not all(map(_throws_on, at.children)):
            return False
        if at.type == "lambda_expression":
            return runs(sheet, at)
        if at.type == "method_declaration":
            name = source.name(at)
            referred = (other for other in source.references.get(name, ()) if source.method_referred(other) == at)
            if runs(sheet, at) or any(runs(sheet, other) for other in referred):
                return True
            callers = [other for other in source.named(name) if source.method_called(other) == at] if level < _DEEP else []
            return any(fails_the_job(sheet, other, runs, level + 1) for other in callers)
        inside = at
        at = at.parent
    return False


def rethrown(sheet: Sheet) -> Iterator[Node]:
    """What handlers in a `deserialize` throw that catch what a record brings about, whatever reads it."""
    for clause in handlers_of_schemas(sheet):
        throws, caught = _thrown(clause), sheet.source.written(clause.named_children[0])
        if throws is not None and _throws_on(clause) and not _NOT_OF_RECORDS.search(caught):
            yield throws


def handlers_of_schemas(sheet: Sheet) -> Iterator[Node]:
    """The handlers in a `deserialize` around something that is done with the record."""
    source = sheet.source
    for method in source.methods if "DeserializationSchema" in source.text else ():
        body, parameters = method.child_by_field_name("body"), method.child_by_field_name("parameters")
        if (
            body is None
            or parameters is None
            or source.name(method) != "deserialize"
            or not any(map(_SCHEMAS.fullmatch, kinds_of(sheet, method)))
        ):
            continue
        record = next((source.written(node.child_by_field_name("name")) for node in parameters.named_children), "")
        for clause in own_nodes(body, "catch_clause"):
            guarded = clause.parent.child_by_field_name("body") if clause.parent is not None else None
            if record and re.search(rf"\b{re.escape(record)}\b", source.written(guarded)):
                yield clause


def thrown_on(call: Node) -> Node | None:
    """Where the handler around a call throws on, which is what to change; None where there is none."""
    at = call.parent
    while at is not None and at.type not in ("method_declaration", *TRIES):
        at = at.parent
    clause = next((child for child in at.children if child.type == "catch_clause"), None) if at is not None else None
    return _thrown(clause) if clause is not None else None


def _thrown(clause: Node) -> Node | None:
    """The word with which a handler's last statement begins."""
    body = clause.child_by_field_name("body")
    last = body.named_children[-1] if body is not None and body.named_children else None
    return next(iter(last.children), None) if last is not None else None


def _throws_on(child: Node) -> bool:
    """Whether a part of a `try` is no handler, or one that ends by throwing."""
    body = child.child_by_field_name("body") if child.type == "catch_clause" else None
    return child.type != "catch_clause" or (
        body is not None
        and bool(body.named_children)
        and body.named_children[-1].type == "throw_statement"
        and not any(own_nodes(body, "return_statement"))
    )


def _optional(sheet: Sheet, call: Node) -> bool:
    """Whether a call gives an `Optional`, as no message of Protobuf does: a class of the project's own, which says so what does not parse."""
    around = call.parent
    if around is None:
        return False
    if around.type == "method_invocation":
        return sheet.source.name(around) in _OF_OPTIONAL
    if around.type != "variable_declarator" or around.parent is None:
        return False
    source, declared = sheet.source, around.child_by_field_name("name")
    inferred = source.written(around.parent.child_by_field_name("type")) == "var"
    return "Optional<" in source.written(around.parent) or (
        inferred
        and any(source.written(one.child_by_field_name("object")) == source.written(declared) for one in source.named(*_OF_OPTIONAL))
    )


def _of_split(sheet: Sheet, call: Node) -> bool:
    """Whether a call is given a field of a text that is split, trimmed perhaps: `fields[2]`, `line.split(",")[2].trim()`.

    A socket, as demonstrations read, gives no line twice.
    """
    source = sheet.source
    if "socketTextStream" in source.text:
        return False
    node = next(iter(source.arguments(call)), None)
    while node is not None and node.type == "method_invocation" and source.name(node) in ("trim", "strip"):
        node = node.child_by_field_name("object")
    held = node.child_by_field_name("array") if node is not None and node.type == "array_access" else None
    if held is not None and held.type == "identifier":
        declared = source.declaration(source.written(held), held)
        held = source.given(declared) if declared is not None else None
    return held is not None and held.type == "method_invocation" and source.name(held) == "split"


def _of_state(sheet: Sheet, call: Node) -> bool:
    """Whether a call is given what the job itself kept in its state, or a file."""
    source, given = sheet.source, sheet.source.arguments(call)[:1]
    for node in given:
        if node.type == "identifier" and (declared := source.declaration(source.written(node), node)) is not None:
            node = source.given(declared) or given[0]
        if _KEPT.search(source.written(node)):
            return True
    return False
