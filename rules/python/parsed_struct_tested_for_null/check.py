"""`isNull()` and `isNotNull()` of the struct that `from_json` made of a stream's records.

Tried on Spark 3.5.7 and 4.3.0: for text that is no JSON, and for JSON of another kind, the struct is there and its fields are null. NULL comes of a value
that is NULL, empty or blank. Of arrays and maps NULL comes of malformed text, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.frame import Frame
from shoal.python.tree import Call, Spot, descend, dotted, key_of, last_name
from shoal.python.values import Known, Mapping, Sequence
from shoal.records import NamedTuple

# Steps that leave every column as it is.
_KEEP = frozenset(
    {"filter", "where", "withWatermark", "dropDuplicates", "dropDuplicatesWithinWatermark", "repartition", "coalesce", "alias"}
)
_NAMED = pattern(
    r"invalid|error|corrupt|malform|\bbad|bad_|dead|dlq|quarantin|fail|reject|pars(?:e|ing)_|unpars|broken|poison", re.IGNORECASE
)
_TEXT = pattern(r"(?<![\w.`])`?([A-Za-z_]\w*)`?\s+is\s+(not\s+)?null\b", re.IGNORECASE)
_ANY_TEXT = pattern(r"\bis\s+(?:not\s+)?null\b", re.IGNORECASE)
_DDL = pattern(r"\s*(?:struct\s*<|(?!(?:array|map)\s*<)`?\w+`?[\s:]+\w)", re.IGNORECASE)


class _Test(NamedTuple):
    """A question whether `column` (or what the node itself computes, when empty) is NULL; `wants` it to be."""

    node: Any
    spot: Spot
    column: str
    asked: Any
    wants: bool


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Who speaks of corrupt records looks for them in another way."""
    module = context.module
    version = job.version("spark") or job.version("spark-kafka")
    if "corrupt" in module.raw.lower() or (version is not None and version.below("3.0")) or module.frames.demo:
        return
    tests = list(_tests(module))
    found = [(test, made) for test in tests if (made := _parsed(module, test)) is not None]
    columns = {test.column for test, _ in found}
    others = [test for test in tests if test.column not in columns]
    told: set[int] = set()
    for test, (parse, spot) in sorted(found, key=lambda one: not one[0].wants):
        if id(parse) in told or (not test.wants and others) or _beside(module, test):
            continue
        told.add(id(parse))
        related = [(module.place(parse.func, spot), "parsed here")]
        if test.wants:
            message = "no malformed record is found here: from_json gives a struct of nulls for it, and NULL for an empty value alone (since Spark 3.0); ask for a field that is always set, or for columnNameOfCorruptRecord"
            sure = "" if _named(module, test) else "low"
        else:
            message = "malformed records pass here as rows of nulls: from_json gives a struct of nulls for them, and NULL for an empty value alone (since Spark 3.0); ask for a field that is always set"
            sure = "low"
        yield context.finding(message, module.place(test.node, test.spot), related, confidence=sure)


def _tests(module: Any) -> Iterator[_Test]:
    for call in module.named("isNull", "isNotNull"):
        if call.receiver_node is not None:
            yield _Test(call.node.func.attr, call.spot, _column(call.receiver_node), call.receiver_node, call.name == "isNull")
    for call in module.named("isnull", "isnotnull"):
        if module.qualified(call).startswith("pyspark.") and (given := call.argument(0, "col")) is not None:
            yield _Test(call.node.func, call.spot, _column(given), given, call.name == "isnull")
    for call in module.named("filter", "where", "expr"):
        given = call.argument(0)
        text = module.string(given, call.spot) if given is not None else ""
        asked = _TEXT.findall(text)
        if len(asked) == len(_ANY_TEXT.findall(text)) == 1:
            yield _Test(given, call.spot, asked[0][0], None, not asked[0][1])
        elif _ANY_TEXT.search(text):
            yield _Test(given, call.spot, "?", None, True)
    for call in module.named("dropna", "drop"):
        if call.name == "dropna" or dotted(call.receiver_node).endswith(".na"):
            yield _Test(call.node.func, call.spot, "?", None, False)


def _column(node: Any) -> str:
    """The whole column that is named: no field of one."""
    if isinstance(node, cst.SimpleString):
        text = node.evaluated_value
        return text if isinstance(text, str) else ""
    if isinstance(node, cst.Call) and last_name(node.func) in ("col", "column") and len(node.args) == 1:
        return _column(node.args[0].value)
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name):
        return str(node.attr.value)
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name) and (key := key_of(node)) is not None:
        return _column(key) if isinstance(key, cst.SimpleString) else "?"
    return ""


def _parsed(module: Any, test: _Test) -> tuple[Any, Spot] | None:
    """The `from_json(…)` that surely made what a test asks about, in a stream."""
    asked = test.asked
    if not test.column and asked is not None:
        made = _json(module, asked, test.spot, False)
        ways = [module.frames.receivers(call) for call in _uses(module, test)]
        return made if made is not None and any(module.frames.flow(way) for way in ways) else None
    if not test.column.isidentifier():
        return None
    found: list[tuple[Any, Spot]] = []
    for call in _uses(module, test):
        ways = module.frames.receivers(call)
        if not ways or not module.frames.flow(ways):
            return None
        for frame in ways:
            made = _made(module, frame, test.column)
            if made is None:
                return None
            found.append(made)
    return found[0] if found else None


def _uses(module: Any, test: _Test) -> list[Call]:
    """The calls on frames in which a test is evaluated: those around it, or around the name that it is given in the same function."""
    if test.asked is None:  # a text
        return [call for call in module.named("filter", "where") if call.argument(0) is test.node] or list(
            module.frames.around(test.node, test.spot)
        )
    around = module.frames.around(test.node, test.spot)
    if around:
        return list(around[-1:])
    statement = module.tree.statements[test.spot.statement].node
    target = statement.targets[0].target if isinstance(statement, cst.Assign) and len(statement.targets) == 1 else None
    if not isinstance(target, cst.Name):
        return []
    return [
        call
        for call in module.named("select", "withColumn", "filter", "where")
        if call.function is test.spot.function
        and call.spot.statement > test.spot.statement
        and any(isinstance(at, cst.Name) and at.value == target.value for arg in call.node.args for at in descend(arg.value))
    ]


def _made(module: Any, frame: Frame, name: str) -> tuple[Any, Spot] | None:
    """The `from_json(…)` behind a column of a frame."""
    for at in frame.line():
        args = at.arguments or ()
        if at.op == "withColumn" and len(args) == 2:
            if module.frames.text(args[0].value, at.spot, at.env) == name:
                return _json(module, args[1].value, at.spot, True, name)
        elif at.op == "select":
            picked = _picked(module, args, at.spot)
            named = next((one for one in picked if _alias(one[0]) == name), None)
            if named is not None:
                return _json(module, named[0].func.value, named[1], True, name)
            if not any(_column(node) in (name, "*") for node, _ in picked):
                return None
        elif at.op not in _KEEP:
            return None
    return None


def _picked(module: Any, args: Any, spot: Spot) -> list[tuple[Any, Spot]]:
    found = []
    for arg in args:
        value = module.value(arg.value, spot) if isinstance(arg.value, (cst.List, cst.Tuple)) or arg.star else None
        if isinstance(value, Sequence):
            found += [(node, value.spot) for node in value.nodes]
        else:
            found.append((arg.value, spot))
    return found


def _alias(node: Any) -> str:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name") and node.args:
        given = node.args[0].value
        return str(given.evaluated_value) if isinstance(given, cst.SimpleString) else ""
    return ""


def _json(module: Any, node: Any, spot: Spot, column: bool, name: str = "") -> tuple[Any, Spot] | None:
    """A call of `from_json` in the default mode that surely makes a struct; also through a name."""
    if isinstance(node, cst.Name):
        bound = [binding for binding, _ in module.lookup(node.value, spot)]
        if len(bound) != 1 or bound[0].kind != "assign" or isinstance(bound[0].node, cst.Name):
            return None
        return _json(module, bound[0].node, bound[0].spot, column, name)
    if not isinstance(node, cst.Call) or last_name(node.func) != "from_json":
        return None
    call = Call(node, "from_json", spot, None, "")
    if not module.qualified(call).startswith("pyspark.") or call.has_stars or not _permissive(module, call):
        return None
    schema = call.argument(1, "schema")
    expanded = bool(name) and re.search(rf"[\"']{name}\.\*[\"']", module.raw) is not None
    return (node, spot) if schema is not None and (expanded or _is_struct(module, schema, spot, 4)) else None


def _permissive(module: Any, call: Call) -> bool:
    """Whether nothing is said of the mode, nor of a column for what is malformed."""
    given = call.argument(2, "options")
    if given is None:
        return True
    value = module.value(given, call.spot)
    if isinstance(value, Mapping):
        keys = {(pair.key or "").lower(): pair for pair in value.pairs}
        mode = module.string(keys["mode"].value_node, keys["mode"].spot).upper() if "mode" in keys else "PERMISSIVE"
        return not value.open and mode == "PERMISSIVE" and "columnnameofcorruptrecord" not in keys and "" not in keys
    return bool(value == Known(None))


def _is_struct(module: Any, node: Any, spot: Spot, level: int) -> bool:
    """Whether a schema is one of a struct: `StructType(…)` and what is added to it, a text of columns, or what stands for either."""
    text = module.string(node, spot)
    if text:
        return _DDL.match(text) is not None
    if isinstance(node, cst.Call):
        if last_name(node.func) == "StructType":
            return True
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "add":
            return _is_struct(module, node.func.value, spot, level)
        functions = module.function_of(node.func, spot)
        results = [(result, at) for function in functions for result, at in function.returns]
        return level > 0 and bool(results) and all(_is_struct(module, result, at, level - 1) for result, at in results)
    if isinstance(node, cst.Name) and level:
        bound = [binding for binding, _ in module.lookup(node.value, spot)]
        return bool(bound) and all(one.kind == "assign" and _is_struct(module, one.node, one.spot, level - 1) for one in bound)
    if isinstance(node, cst.Attribute) and level and isinstance(node.value, cst.Name) and node.value.value == "self":
        cls = spot.function.cls if spot.function is not None else None
        kept = cls.attributes.get(node.attr.value, ()) if cls is not None else ()
        return bool(kept) and all(one.kind == "assign" and _is_struct(module, one.node, one.spot, level - 1) for one in kept)
    return False


def _beside(module: Any, test: _Test) -> bool:
    """Whether a condition asks for more than this: what is malformed may be caught by the rest of it."""
    statement = module.tree.statements[test.spot.statement].node
    return any(
        isinstance(at, cst.BinaryOperation)
        and isinstance(at.operator, cst.BitOr if test.wants else cst.BitAnd)
        and any(part is test.node for part in descend(at))
        for at in descend(statement)
    )


def _named(module: Any, test: _Test) -> bool:
    """Whether what is found is called bad near by: in the statement, or by the function's name."""
    statement = module.tree.statements[test.spot.statement].node
    words = [at.value for at in descend(statement) if isinstance(at, (cst.Name, cst.SimpleString))]
    function = test.spot.function
    return any(_NAMED.search(word) for word in (*words, function.name if function is not None else "") if word != "from_json")
