"""Of what type a column of a Spark frame is, as far as schemas, casts and functions tell: a walk up the steps that made the frame."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python.frame import SAME_COLUMNS, STREAM, Frame
from shoal.python.tree import Call, Spot, last_name
from shoal.python.values import Sequence, names
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.frame import Env
    from shoal.python.module import Module

TIMESTAMP, STRUCT = "timestamp", "struct"
_TYPES = {
    **dict.fromkeys(("string", "stringtype", "varchar", "varchartype", "char", "chartype"), "string"),
    **dict.fromkeys(("timestamp", "timestamptype", "timestamp_ntz", "timestampntztype", "timestamp_ltz"), TIMESTAMP),
    **dict.fromkeys(("date", "datetype"), "date"),
    **dict.fromkeys(("long", "bigint", "longtype"), "bigint"),
    **dict.fromkeys(("int", "integer", "integertype"), "int"),
    **dict.fromkeys(("double", "doubletype"), "double"),
    **dict.fromkeys(("float", "real", "floattype"), "float"),
    **dict.fromkeys(("boolean", "booleantype"), "boolean"),
    **dict.fromkeys(("binary", "binarytype"), "binary"),
}
# What Spark's functions give, whatever they are given.
_GIVES = {
    **dict.fromkeys(
        names(
            "to_timestamp to_timestamp_ltz to_timestamp_ntz current_timestamp now localtimestamp from_utc_timestamp to_utc_timestamp timestamp_seconds "
            "timestamp_millis timestamp_micros date_trunc make_timestamp window_time"
        ),
        TIMESTAMP,
    ),
    **dict.fromkeys(names("from_unixtime date_format concat_ws lower upper trim regexp_replace regexp_extract get_json_object"), "string"),
    **dict.fromkeys(names("to_date current_date date_add date_sub"), "date"),
    "unix_timestamp": "bigint",
}
_KAFKA = {
    "key": "binary",
    "value": "binary",
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "timestamp": TIMESTAMP,
    "timestampType": "int",
}
_RATE = {"timestamp": TIMESTAMP, "value": "bigint"}
_CAST = pattern(r"(?is)\s*cast\s*\(.*\bas\s+(\w+)\s*\)(?:\s+as)?(?:\s+`?(\w+)`?)?\s*")
_NAMED = pattern(r"\s*([\w.]+|\*|\w+\.\*)(?:(?:\s+as)?\s+(\w+))?\s*", re.IGNORECASE)
_TUPLE = pattern(r"(?is)\s*json_tuple\s*\(.*\)\s*as\s*\(([\w\s,`]+)\)\s*")
_LEVELS = 12


class Typed(NamedTuple):
    """A column's type, `timestamp`, `string`, …, and the node that says so; of a struct, the node of its schema."""

    kind: str
    node: Any
    spot: Spot


class _Picked(NamedTuple):
    """An expression that a step makes columns of: what they are called, and a text instead of a node where SQL says it."""

    name: str
    node: Any
    spot: Spot
    cast: str = ""


def type_of(module: Module, frame: Frame, name: str, level: int = _LEVELS) -> Typed | None:
    """The type of a frame's column; None where it cannot be told. `data.time` is a field of a struct."""
    outer, _, inner = name.partition(".")
    found = _column(module, frame, outer, level) if level else None
    if not inner or found is None:
        return found
    return _field(module, found, inner) if found.kind == STRUCT else None


def _column(module: Module, frame: Frame, name: str, level: int) -> Typed | None:
    for at in frame.line():
        if not at.inputs:
            return _of_source(module, at, name)
        if at.arguments is None:
            return None
        below = at.inputs[0]
        if at.op in ("select", "selectExpr"):
            return _selected(module, at, below, name, level)
        if at.op == "withColumn":
            made = module.frames.text(at.argument(0, "colName"), at.spot, at.env)
            if not made:
                return None
            if made.lower() == name.lower():
                return _expression(module, at.argument(1, "col"), at.spot, at.env, below, level)
        elif at.op == "withColumnRenamed":
            old, new = (module.frames.text(at.argument(*one), at.spot, at.env).lower() for one in ((0, "existing"), (1, "new")))
            if not old or not new or old == name.lower():
                return None
            name = old if new == name.lower() else name
        elif at.op == "drop":
            dropped = [module.frames.column(arg.value, at.spot).lower() for arg in at.arguments]
            if not all(dropped) or name.lower() in dropped:
                return None
        elif at.op not in SAME_COLUMNS:
            return None
    return None


def _of_source(module: Module, frame: Frame, name: str) -> Typed | None:
    """A column that a streaming source gives."""
    if frame.op != STREAM or not isinstance(frame.node, cst.Call):
        return None
    before = module.frames.set_before(frame)
    given = before.get("format")
    form = module.string(given.argument(0, "source"), given.spot).lower() if given is not None else last_name(frame.node.func)
    known = {"kafka": _KAFKA, "rate": _RATE}.get(form)
    if known is not None:
        kind = next((kind for key, kind in known.items() if key.lower() == name.lower()), "")
        return Typed(kind, frame.node, frame.spot) if kind else None
    if "schema" not in before or form not in ("json", "csv", "parquet", "orc", "avro"):
        return None
    schema = before["schema"].argument(0, "schema")
    return _field(module, Typed(STRUCT, schema, frame.spot), name) if schema is not None else None


def _selected(module: Module, at: Frame, below: Frame, name: str, level: int) -> Typed | None:
    """The one expression of a projection that gives a column of this name."""
    found: list[Typed | None] = []
    for one in _picked(module, at):
        if one.name == "*":
            found.append(_column(module, below, name, level - 1))
        elif one.name.endswith(".*"):
            struct = type_of(module, below, one.name[:-2], level - 1)
            if struct is None or struct.kind != STRUCT:
                return None
            fields = _fields(module, struct.node, struct.spot)
            if fields is None:
                return None
            found += [fields[name.lower()]] if name.lower() in fields else []
        elif not one.name:
            return None
        elif one.name.rsplit(".", 1)[-1].lower() == name.lower():
            if one.cast:
                found.append(Typed(_TYPES[one.cast], one.node, one.spot) if one.cast in _TYPES else None)
            else:
                found.append(_expression(module, one.node, one.spot, at.env, below, level))
    return found[0] if len(found) == 1 else None


def projected(module: Module, frame: Frame) -> tuple[Frame, list[str]] | None:
    """The last projection of a frame with the names of its columns, in its order; None where it does not name them all."""
    for at in frame.line():
        if at.op in ("select", "selectExpr") and at.arguments:
            found = [one.name.rsplit(".", 1)[-1] for one in _picked(module, at)]
            return (at, found) if all(found) and "*" not in found else None
        if at.op not in SAME_COLUMNS:
            return None
    return None


def _picked(module: Module, at: Frame) -> list[_Picked]:
    found = []
    for arg in at.arguments or ():
        value = module.value(arg.value, at.spot) if isinstance(arg.value, (cst.List, cst.Tuple, cst.Name)) or arg.star else None
        if isinstance(value, Sequence):
            found += [_named(module, node, value.spot, at) for node in value.nodes]
            if value.open:
                found.append(_Picked("", arg.value, at.spot))
        elif at.op == "selectExpr" and not arg.star and (several := _TUPLE.fullmatch(module.frames.text(arg.value, at.spot, at.env) or "")):
            found += [_Picked(name.strip(" `\n\t"), arg.value, at.spot, "string") for name in several[1].split(",")]
        else:
            found.append(_Picked("", arg.value, at.spot) if arg.star else _named(module, arg.value, at.spot, at))
    return found


def _named(module: Module, node: Any, spot: Spot, at: Frame) -> _Picked:
    """What a projection calls an expression; an empty name where that is not known."""
    text = module.frames.text(node, spot, at.env)
    if text and at.op == "selectExpr":
        if cast := _CAST.fullmatch(text):
            plain = re.match(r"\s*cast\s*\(\s*([\w.]+)\s+as", text, re.IGNORECASE)
            return _Picked(cast[2] or (plain[1] if plain else ""), node, spot, cast[1].lower())
        same = _NAMED.fullmatch(text)
        if same is None:
            alias = re.search(r"(?i)\sas\s+`?(\w+)`?\s*$", text)
            return _Picked(alias[1] if alias else "", node, spot, _given_by(text[: alias.start()]) if alias else "")
        return _Picked(same[2] or same[1], cst.SimpleString(repr(same[1])), spot)
    if text:
        return _Picked(text, node, spot)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name") and node.args:
        return _Picked(module.frames.text(node.args[0].value, spot, at.env), node.func.value, spot)
    if isinstance(node, cst.Call) and last_name(node.func) in ("col", "column") and len(node.args) == 1:
        return _Picked(module.frames.text(node.args[0].value, spot, at.env), node, spot)
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        return _Picked(module.frames.column(node, spot), node, spot)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("cast", "astype"):
        return _Picked(_named(module, node.func.value, spot, at).name, node, spot)
    return _Picked("", node, spot)


def _given_by(text: str) -> str:
    """The type that one call of a function gives, in SQL; `?` for anything else."""
    name, paren, rest = text.strip().partition("(")
    depth = 1
    for at, sign in enumerate(rest):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return _GIVES.get(name.strip().lower(), "?") if paren and at == len(rest) - 1 else "?"
    return "?"


def _expression(module: Module, node: Any, spot: Spot, env: Env | None, below: Frame, level: int) -> Typed | None:
    """The type that an expression of columns gives."""
    if node is None or level <= 0:
        return None
    if isinstance(node, cst.Name):
        bound = [binding for binding, _ in module.lookup(node.value, spot)]
        one = bound[0] if len(bound) == 1 and bound[0].kind == "assign" else None
        return _expression(module, one.node, one.spot, env, below, level - 1) if one is not None else None
    if isinstance(node, cst.SimpleString):
        text = node.evaluated_value
        return type_of(module, below, text, level - 1) if isinstance(text, str) else None
    if not isinstance(node, cst.Call):
        return None
    made = last_name(node.func)
    if isinstance(node.func, cst.Attribute) and made in ("alias", "name"):
        return _expression(module, node.func.value, spot, env, below, level)
    if isinstance(node.func, cst.Attribute) and made in ("cast", "astype"):
        kind = _type_named(module, node.args[0].value, spot) if node.args else ""
        return Typed(kind, node, spot) if kind else None
    call = Call(node, made, spot, None, "")
    if not module.qualified(call).startswith("pyspark."):
        return None
    if made in ("col", "column"):
        name = module.frames.text(call.argument(0, "col"), spot, env)
        return type_of(module, below, name, level - 1) if name else None
    if made == "from_json":
        schema = call.argument(1, "schema")
        return Typed(STRUCT, schema, spot) if schema is not None else None
    return Typed(_GIVES[made], node, spot) if made in _GIVES else None


def _type_named(module: Module, node: Any, spot: Spot) -> str:
    """The type that `StringType()`, `T.LongType` or `"timestamp"` stands for; empty for one that is not known."""
    if isinstance(node, cst.Call):
        return _TYPES.get(last_name(node.func).lower(), "")
    text = module.string(node, spot)
    return _TYPES.get((text or last_name(node)).strip().lower(), "")


def _field(module: Module, struct: Typed, name: str) -> Typed | None:
    outer, _, inner = name.partition(".")
    found = (_fields(module, struct.node, struct.spot) or {}).get(outer.lower())
    if not inner or found is None:
        return found
    return _field(module, found, inner) if found.kind == STRUCT else None


def _fields(module: Module, node: Any, spot: Spot, level: int = 5) -> dict[str, Typed | None] | None:
    """The fields of a schema, in lower case, with their types where those are known; None where there may be others."""
    text = module.string(node, spot)
    if text:
        return _of_text(text, node, spot)
    if isinstance(node, cst.Call):
        if last_name(node.func) == "StructType":
            return _listed(module, node, spot)
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "add":
            found = _fields(module, node.func.value, spot, level)
            added = _made(module, Call(node, "add", spot, None, ""))
            return {**found, **added} if found is not None and added is not None else None
        results = [(result, at) for function in module.function_of(node.func, spot) for result, at in function.returns]
        return _fields(module, *results[0], level - 1) if len(results) == 1 and level else None
    if not level:
        return None
    bound: list[Any] = []
    if isinstance(node, cst.Name):
        bound = [binding for binding, _ in module.lookup(node.value, spot)]
    elif isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value in ("self", "cls"):
        cls = spot.function.cls if spot.function is not None else None
        bound = list(cls.attributes.get(node.attr.value, ())) if cls is not None else []
    one = bound[0] if len(bound) == 1 else None
    if one is not None and one.kind == "param" and len(sites := module.call_sites(one.detail)) == 1:
        given = module.given(sites[0], one.detail, one.detail.param(node.value))
        return _fields(module, given, sites[0].spot, level - 1) if given is not None else None
    return _fields(module, one.node, one.spot, level - 1) if one is not None and one.kind == "assign" else None


def _listed(module: Module, node: cst.Call, spot: Spot) -> dict[str, Typed | None] | None:
    """The fields in `StructType([StructField(…), …])`."""
    if not node.args:
        return {}
    value = module.value(node.args[0].value, spot)
    if not isinstance(value, Sequence) or value.open:
        return None
    found: dict[str, Typed | None] = {}
    for field in value.nodes:
        made = _made(module, Call(field, "StructField", value.spot, None, "")) if isinstance(field, cst.Call) else None
        if made is None:
            return None
        found.update(made)
    return found


def _made(module: Module, call: Call) -> dict[str, Typed | None] | None:
    """The field of `StructField(name, type)` or `add(name, type)`."""
    name, kind = (
        module.string(call.argument(0, "name" if call.name == "StructField" else "field"), call.spot),
        call.argument(1, "dataType" if call.name == "StructField" else "data_type"),
    )
    if not name or kind is None:
        return None
    known = _type_named(module, kind, call.spot)
    if known:
        return {name.lower(): Typed(known, call.node, call.spot)}
    nested = _fields(module, kind, call.spot)
    return {name.lower(): Typed(STRUCT, kind, call.spot) if nested is not None else None}


def _of_text(text: str, node: Any, spot: Spot) -> dict[str, Typed | None] | None:
    """The fields of `id STRING, time TIMESTAMP`."""
    if not re.fullmatch(r"\s*[\w`]+:?\s+\w+(?:\s*,\s*[\w`]+:?\s+\w+)*\s*", text):
        return None
    pairs = [part.replace(":", " ").split() for part in text.split(",")]
    return {name.strip("`").lower(): Typed(_TYPES[kind.lower()], node, spot) if kind.lower() in _TYPES else None for name, kind in pairs}
