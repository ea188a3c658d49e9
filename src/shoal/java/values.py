"""What Java's expressions are worth: literals, arithmetic, durations, and defaults of what is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from shoal.java.texts import literal
from shoal.lazy import pattern
from shoal.python.values import UNKNOWN, Known, Millis, Symbol, Value, choice, millis, weakest

if TYPE_CHECKING:
    from shoal.java.source import Source

_UNITS = {"Days": 86_400_000, "Hours": 3_600_000, "Minutes": 60_000, "Seconds": 1000, "Millis": 1, "Milliseconds": 1}
# What gives a text of the environment or of arguments, and takes a default as its last argument.
_DEFAULTED = frozenset({"get", "getInt", "getLong", "getBoolean", "getDouble", "getFloat", "getOrDefault", "getProperty", "orElse"})
# What a project calls its own way to read a file of properties; a map may be filled here.
_READS = pattern(
    r"(?:get|read)\w*(?:Property|Config|Setting|Option|Param|Env|Value|OrDefault|OrElse|Int|Long|Boolean|Double|Float|String)\w*"
)
_FILLED = ("Map", "HashMap", "LinkedHashMap", "ConcurrentHashMap", "TreeMap", "Configuration")
_PARSERS = frozenset({"parseInt", "parseLong", "parseBoolean", "parseDouble", "valueOf", "toString"})


def value(source: Source, node: Node, level: int) -> Value:
    """What an expression is worth: `Known`, `Millis`, the `Symbol` of an enumeration, a `Choice`, or UNKNOWN."""
    kind = node.type
    if kind == "string_literal":
        return Known("".join(part for part, _ in literal(source, node)))
    if kind in ("decimal_integer_literal", "hex_integer_literal"):
        digits = source.written(node).replace("_", "").rstrip("lL")
        return Known(int(digits, 16 if kind[0] == "h" else 10))
    if kind == "decimal_floating_point_literal":
        return Known(float(source.written(node).replace("_", "").rstrip("fFdD")))
    if kind in ("true", "false"):
        return Known(kind == "true")
    if kind == "class_literal":
        name = source.written(node).removesuffix(".class").strip()
        return Known(source.imports.get(name, name)) if "." in name or name in source.imports else UNKNOWN
    if kind in ("parenthesized_expression", "cast_expression"):
        return source.value(node.named_children[-1], level + 1) if node.named_children else UNKNOWN
    if kind == "unary_expression":
        inner = source.value(node.child_by_field_name("operand"), level + 1)
        if isinstance(inner, Known) and not isinstance(inner.value, (str, bool)) and source.written(node)[:1] == "-":
            return inner._replace(value=-inner.value)
        return UNKNOWN
    if kind == "binary_expression":
        return _computed(source, node, level)
    if kind == "ternary_expression":
        ways = [source.value(node.child_by_field_name(name), level + 1) for name in ("consequence", "alternative")]
        return choice(ways)
    if kind in ("identifier", "field_access"):
        return source.constant_value(node, level)
    if kind == "method_invocation":
        return _called(source, node, level)
    return UNKNOWN


def _computed(source: Source, node: Node, level: int) -> Value:
    left, right = (source.value(node.child_by_field_name(name), level + 1) for name in ("left", "right"))
    operator = source.written(node.child_by_field_name("operator"))
    if not (isinstance(left, Known) and isinstance(right, Known)):
        return UNKNOWN
    sure = left.sure if left.sure != "sure" else right.sure
    one, other = left.value, right.value
    if operator == "+" and (isinstance(one, str) or isinstance(other, str)):
        return Known("".join(str(part).lower() if isinstance(part, bool) else str(part) for part in (one, other)), sure)
    if any(isinstance(part, (str, bool)) for part in (one, other)):
        return UNKNOWN
    if operator in ("+", "-", "*"):
        return Known({"+": one + other, "-": one - other, "*": one * other}[operator], sure)
    if operator == "/" and other:
        return Known(one // other if isinstance(one, int) and isinstance(other, int) and one >= 0 < other else one / other, sure)
    return UNKNOWN


def _called(source: Source, node: Node, level: int) -> Value:
    name, owner, given = source.name(node), node.child_by_field_name("object"), source.arguments(node)
    made = source.written(owner).rpartition(".")[2] if owner is not None else ""
    if made in ("Duration", "Time") and (len(given) == 1 or (name == "of" and len(given) == 2)):
        unit = unit_of(source, given[1]) if len(given) == 2 else _UNITS.get(name.removeprefix("of").capitalize())
        inner = source.value(given[0], level + 1)
        if unit and isinstance(inner, Known) and isinstance(inner.value, (int, float)):
            return millis(inner.value * unit, inner.sure)
        return UNKNOWN
    if name == "toMillis" and owner is not None:
        inner = source.value(given[0] if given else owner, level + 1)
        if given and isinstance(inner, Known) and (unit := unit_of(source, owner)):
            return Known(inner.value * unit, inner.sure)
        return Known(int(inner.value), inner.sure) if isinstance(inner, Millis) else UNKNOWN
    if name in _PARSERS and len(given) == 1 and made in ("Integer", "Long", "Boolean", "Double", "String"):
        return _parsed(source.value(given[0], level + 1), made)
    if name == "join" and made == "String" and len(given) > 1:
        return _put_together([source.value(part, level + 1) for part in given])
    if name in ("getName", "toString", "intValue", "longValue", "strip", "trim", "name") and not given:
        inner = source.value(owner, level + 1)
        if name == "toString" and isinstance(inner, Symbol):
            return UNKNOWN  # some enumerations write themselves in another way
        return Known(inner.last, "sure") if isinstance(inner, Symbol) else inner
    if (
        name in _DEFAULTED
        and owner is not None
        and len(given) == (1 if name == "orElse" else 2)
        and (
            name == "orElse"
            or source.type_of(owner) in ("ParameterTool", "MultipleParameterTool", "Properties")
            or "getenv" in made + name
            or source.written(owner) == "System"
        )
    ):
        return _defaulted(source, given[-1], level)
    if len(given) == 2 and _READS.fullmatch(name) and source.type_of(owner) not in _FILLED and given[0].type == "string_literal":
        return _defaulted(source, given[1], level)
    own = source.method_called(node)
    if own is not None and not given:
        return source.value(source.returned(own), level + 1)
    return UNKNOWN


def _defaulted(source: Source, node: Node, level: int) -> Value:
    inner = source.value(node, level + 1)
    return inner._replace(sure="default") if isinstance(inner, (Known, Millis)) else UNKNOWN


def _put_together(parts: list[Value]) -> Value:
    """`String.join(",", "a:9092", "b:9092")`, where all of it is known."""
    texts = [part for part in parts if isinstance(part, Known) and isinstance(part.value, str)]
    if len(texts) < len(parts):
        return UNKNOWN
    between, *others = texts
    return Known(between.value.join(part.value for part in others), weakest(*(part.sure for part in texts)))


def _parsed(inner: Value, kind: str) -> Value:
    if not isinstance(inner, Known):
        return UNKNOWN
    text = str(inner.value).lower() if isinstance(inner.value, bool) else str(inner.value)
    if kind == "String":
        return inner._replace(value=text)
    if kind == "Boolean":
        return inner._replace(value=text.lower() == "true")
    try:
        return inner._replace(value=float(text) if kind == "Double" else int(text))
    except ValueError:
        return UNKNOWN


def unit_of(source: Source, node: Node) -> int:
    """The milliseconds of a `TimeUnit`; 0 for anything else."""
    return _UNITS.get(source.written(node).rpartition(".")[2].capitalize(), 0)
