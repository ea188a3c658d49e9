"""What Python's literals, operators and builtins are worth: constants are worked out, and what holds anything unknown is unknown."""

from __future__ import annotations

import posixpath
from ast import literal_eval
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python import attributes, calls, conditions, fallbacks, files
from shoal.python.threaded import AWAITED
from shoal.python.tree import Spot, dotted, key_of, last_name
from shoal.python.values import (
    UNKNOWN,
    Choice,
    ClassValue,
    FunctionValue,
    Known,
    Mapping,
    Member,
    Millis,
    Object,
    Pair,
    Partial,
    Sequence,
    Standin,
    Symbol,
    Value,
    by_default,
    choice,
    holds_objects,
    in_branch,
    millis,
    options,
    weakest,
)

if TYPE_CHECKING:
    from shoal.python.module import Module

# Half of a character that takes two code units.
_HALF = pattern("[\ud800-\udfff]")
# A width or precision of a format that makes a text of millions of characters.
_WIDE = pattern(r"\d{4}|\*")
UNIT_MILLIS = {
    "of_days": 86_400_000,
    "of_hours": 3_600_000,
    "of_minutes": 60_000,
    "of_seconds": 1000,
    "of_millis": 1,
    "days": 86_400_000,
    "hours": 3_600_000,
    "minutes": 60_000,
    "seconds": 1000,
    "milliseconds": 1,
    "weeks": 604_800_000,
    "microseconds": 0.001,
}


def builtin(module: Module, name: str, node: cst.Call, spot: Spot) -> Value:
    if name == "dict":
        return _dict_call(module, node, spot)
    values = [module.value(arg.value, spot) for arg in node.args if arg.star == "" and arg.keyword is None]
    if name in ("list", "tuple", "sorted", "set", "frozenset"):
        return (
            values[0]
            if len(values) == 1 and isinstance(values[0], Sequence)
            else (Sequence((), spot, False, name) if not node.args else UNKNOWN)
        )
    if name == "super":
        return UNKNOWN
    known = [value for value in values if isinstance(value, Known)]
    if not known or len(known) != len(node.args):
        return (
            choice(
                [
                    Known(convert(name, option.value), option.sure)
                    for option in values[0].options
                    if isinstance(option, Known) and convert(name, option.value) is not None
                ]
            )
            if len(values) == 1 and isinstance(values[0], Choice) and all(isinstance(option, Known) for option in values[0].options)
            else UNKNOWN
        )
    sure = weakest(*(value.sure for value in known))
    if name in ("max", "min") and len(known) > 1 and all(is_number(value.value) for value in known):
        return Known((max if name == "max" else min)(value.value for value in known), sure)
    if len(known) == 1 and name in ("int", "float", "str", "bool", "abs", "round"):
        converted = convert(name, known[0].value)
        return UNKNOWN if converted is None else Known(converted, sure)
    return UNKNOWN


def timedelta(module: Module, node: cst.Call, spot: Spot) -> Value:
    total = 0.0
    sure = "sure"
    names = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
    for position, arg in enumerate(node.args):
        unit = arg.keyword.value if arg.keyword is not None else names[position] if position < len(names) else ""
        amount = module.value(arg.value, spot)
        if unit not in UNIT_MILLIS or not isinstance(amount, Known) or not is_number(amount.value):
            return UNKNOWN
        total += amount.value * UNIT_MILLIS[unit]
        sure = weakest(sure, amount.sure)
    return millis(total, sure)


def path(module: Module, node: cst.Call, spot: Spot) -> Value:
    """`os.path.join(…)`, as it is where the jobs run."""
    parts = [part for arg in node.args if isinstance(part := module.value(arg.value, spot), Known) and isinstance(part.value, str)]
    if len(parts) < len(node.args) or not parts or any(arg.star for arg in node.args):
        return Partial(node, spot)
    return _bounded(posixpath.join(*(part.value for part in parts)), weakest(*(part.sure for part in parts)))


def text_method(module: Module, receiver: Known, name: str, node: cst.Call, spot: Spot) -> Value:
    text: str = receiver.value
    if name in ("strip", "lower", "upper", "rstrip", "lstrip", "title") and not node.args:
        return Known(getattr(text, name)(), receiver.sure)
    values = [module.value(arg.value, spot) for arg in node.args]
    if name in ("strip", "rstrip", "lstrip", "removeprefix", "removesuffix"):
        cut = values[0] if len(values) == 1 else UNKNOWN
        if not isinstance(cut, Known) or not isinstance(cut.value, str):
            return Partial(node, spot)
        return Known(getattr(text, name)(cut.value), weakest(receiver.sure, cut.sure))
    if name == "format":
        fill: list[Any] = []
        named: dict[str, Any] = {}
        sure = [receiver.sure]
        for arg, value in zip(node.args, values, strict=True):
            if arg.star or not isinstance(value, Known):
                return Partial(node, spot)
            sure.append(value.sure)
            if arg.keyword is not None:
                named[arg.keyword.value] = value.value
            else:
                fill.append(value.value)
        if _WIDE.search(text):
            return UNKNOWN
        try:
            return Known(text.format(*fill, **named), weakest(*sure))
        except (IndexError, KeyError, ValueError, AttributeError, TypeError):
            return UNKNOWN
    if name == "join" and len(values) == 1 and isinstance(values[0], Sequence) and not values[0].open and values[0].kind != "set":
        parts = [part for node_ in values[0].nodes if isinstance(part := module.value(node_, values[0].spot), Known)]
        if len(parts) == len(values[0].nodes) and all(isinstance(part.value, str) for part in parts):
            return _bounded(text.join(str(part.value) for part in parts), weakest(receiver.sure, *(part.sure for part in parts)))
        return Partial(node, spot)
    if name == "replace" and len(values) == 2 and isinstance(values[0], Known) and isinstance(values[1], Known):
        return _bounded(text.replace(str(values[0].value), str(values[1].value)), receiver.sure)
    if name == "split" and (not values or (isinstance(values[0], Known) and isinstance(values[0].value, str))):
        return UNKNOWN
    if name in ("replace", "join", "expandtabs", "encode"):
        return Known(text.encode(), receiver.sure) if name == "encode" else Partial(node, spot)
    return UNKNOWN


def mapping_method(module: Module, receiver: Mapping, name: str, node: cst.Call, spot: Spot) -> Value:
    if name == "copy":
        return receiver
    if name in ("get", "pop") and node.args:
        key = module.constant(node.args[0].value, spot)
        pair = receiver.get(key) if isinstance(key, str) else None
        if pair is not None:
            return module.value(pair.value_node, pair.spot)
        if not receiver.open and isinstance(key, str):
            return module.value(node.args[1].value, spot) if len(node.args) > 1 else Known(None)
    return UNKNOWN


def _integer(module: Module, node: cst.Integer, spot: Spot) -> Value:
    try:
        return Known(int(node.value.replace("_", ""), 0))
    except ValueError:
        return UNKNOWN


def _float(module: Module, node: cst.Float, spot: Spot) -> Value:
    return Known(float(node.value.replace("_", "")))


def _string(module: Module, node: cst.SimpleString, spot: Spot) -> Value:
    text = node.value
    if text[0] in "'\"" and "\\" not in text and text[1:2] != text[0]:  # as most are written: as it stands
        return _whole(text[1:-1], "sure")
    try:
        return _whole(literal_eval(text), "sure")
    except (ValueError, SyntaxError):
        return UNKNOWN


def _concatenated(module: Module, node: cst.ConcatenatedString, spot: Spot) -> Value:
    left, right = module.value(node.left, spot), module.value(node.right, spot)
    return _joined(module, left, right, node, spot)


def _joined(module: Module, left: Value, right: Value, node: Any, spot: Spot) -> Value:
    if isinstance(left, Known) and isinstance(right, Known) and isinstance(left.value, str) and isinstance(right.value, str):
        return _bounded(left.value + right.value, weakest(left.sure, right.sure))
    return Partial(node, spot)


def _formatted(module: Module, node: cst.FormattedString, spot: Spot) -> Value:
    parts: list[str] = []
    sure = ["sure"]
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            parts.append(part.value.replace("{{", "{").replace("}}", "}"))
            continue
        if not isinstance(part, cst.FormattedStringExpression):
            return Partial(node, spot)
        value = module.value(part.expression, spot)
        if not isinstance(value, Known) or not isinstance(value.value, (str, int, float)) or part.format_spec or part.conversion:
            return Partial(node, spot)
        parts.append(str(value.value))
        sure.append(value.sure)
    body = "".join(parts)
    if "\\" in body and "r" not in node.start.lower():
        try:
            body = literal_eval('"""' + body.replace('"', '\\"') + '"""')
        except (ValueError, SyntaxError):
            return Partial(node, spot)
    return _bounded(body, weakest(*sure))


def _unary(module: Module, node: cst.UnaryOperation, spot: Spot) -> Value:
    value = module.value(node.expression, spot)
    if isinstance(node.operator, cst.Minus) and isinstance(value, (Known, Millis)) and is_number(value.value):
        return value._replace(value=-value.value)
    if isinstance(node.operator, cst.Not) and isinstance(value, Known):
        return Known(not value.value, value.sure)
    return value if isinstance(node.operator, cst.Plus) else UNKNOWN


def _binary(module: Module, node: cst.BinaryOperation, spot: Spot) -> Value:
    left, right = module.value(node.left, spot), module.value(node.right, spot)
    operator = node.operator.__class__
    if isinstance(left, Choice) or isinstance(right, Choice):
        pairs = [(a, b) for a in options(left) for b in options(right)]
        if len(pairs) > 8:
            return UNKNOWN
        return choice([_operate(module, operator, a, b, node, spot) for a, b in pairs])
    return _operate(module, operator, left, right, node, spot)


def _operate(module: Module, operator: type, left: Value, right: Value, node: Any, spot: Spot) -> Value:
    if isinstance(left, Mapping) and isinstance(right, Mapping) and operator is cst.BitOr:
        return Mapping(left.pairs + right.pairs, left.open or right.open, node)
    if isinstance(left, Sequence) and isinstance(right, Sequence) and operator is cst.Add:
        if left.spot is right.spot or (left.spot.scope is right.spot.scope):
            return Sequence(left.nodes + right.nodes, right.spot, left.open or right.open, left.kind)
        return Sequence(left.nodes, left.spot, True, left.kind)
    if operator is cst.Modulo and isinstance(left, Known) and isinstance(left.value, str) and isinstance(right, Sequence):
        parts = [part for inner in right.nodes if isinstance(part := module.value(inner, right.spot), Known)]
        if len(parts) == len(right.nodes):
            sure = weakest(left.sure, *(part.sure for part in parts))
            return _arithmetic(operator, left, Known(tuple(part.value for part in parts), sure))
    if (
        isinstance(left, (Partial, Known))
        and isinstance(right, (Partial, Known))
        and (isinstance(left, Partial) or isinstance(right, Partial))
    ):
        return Partial(node, spot)
    if operator in (cst.Add, cst.Modulo) and isinstance(left, Known) and isinstance(left.value, str) and not isinstance(right, Known):
        return Partial(node, spot)
    if operator is cst.Add and isinstance(right, Known) and isinstance(right.value, str) and not isinstance(left, Known):
        return Partial(node, spot)
    if isinstance(left, (Known, Millis)) and isinstance(right, (Known, Millis)):
        return _arithmetic(operator, left, right)
    return UNKNOWN


def _boolean(module: Module, node: cst.BooleanOperation, spot: Spot) -> Value:
    left = module.value(node.left, spot)
    if isinstance(left, Known):
        if left.sure == "sure":
            return module.value(node.right, spot) if bool(left.value) != isinstance(node.operator, cst.Or) else left
        return left if isinstance(node.operator, cst.Or) and left.value else UNKNOWN
    right = module.value(node.right, spot)
    if isinstance(node.operator, cst.Or):
        if (isinstance(left, Mapping) and left.pairs) or (isinstance(left, Sequence) and left.nodes):
            return left
        if left is UNKNOWN and isinstance(right, Mapping):
            return right._replace(open=True)  # what is unknown may hold anything
        if left is UNKNOWN and not holds_objects(right):
            # `timeout or 0` only says what nothing becomes, not what stands there when nothing is said
            return by_default(right) if not isinstance(right, Known) or right.value else UNKNOWN
        return choice([value for value in (left, right) if value is not UNKNOWN]) if left is not UNKNOWN else right
    return UNKNOWN


def _ternary(module: Module, node: cst.IfExp, spot: Spot) -> Value:
    found: list[Any] = []
    for child, held in ((node.body, True), (node.orelse, False)):
        value = module.value(child, spot)
        if isinstance(child, (cst.Name, cst.Attribute)):  # `None if name == "none" else name`
            value = conditions.where(node.test, held, dotted(child), value)
        found.append(value._replace(sure="branch") if isinstance(value, (Known, Millis)) else value)
    result = choice(found)
    fallback = fallbacks.of_ternary(module, node, spot) if isinstance(result, Choice) else UNKNOWN
    return result if fallback is UNKNOWN else fallback


def _comparison(module: Module, node: cst.Comparison, spot: Spot) -> Value:
    """How a flag is read from a text: `os.getenv("TLS", "true").lower() == "true"`, `… in ("1", "true")`."""
    left = module.value(node.left, spot)
    if len(node.comparisons) != 1 or not isinstance(left, Known):
        return UNKNOWN
    operator, right = node.comparisons[0].operator, module.value(node.comparisons[0].comparator, spot)
    if isinstance(operator, (cst.Equal, cst.NotEqual)):
        others, positive = [right], isinstance(operator, cst.Equal)
    elif isinstance(operator, (cst.In, cst.NotIn)) and isinstance(right, Sequence) and not right.open:
        others, positive = [module.value(other, right.spot) for other in right.nodes], isinstance(operator, cst.In)
    else:
        return UNKNOWN
    known = [other for other in others if isinstance(other, Known)]
    if len(known) < len(others):
        return UNKNOWN
    held = any(left.value == other.value for other in known)
    return Known(held == positive, weakest(left.sure, *(other.sure for other in known)))


def _subscript(module: Module, node: cst.Subscript, spot: Spot) -> Value:
    index = key_of(node)
    if index is None:
        return UNKNOWN
    value = module.value(node.value, spot)
    if isinstance(value, Symbol) and not value.name.startswith("os."):
        return value if value.last[:1].isupper() else UNKNOWN
    if isinstance(value, Object) and value.type == files.INI:
        value = files.ini(module, value)
    if isinstance(value, Object):
        return calls.made_from(module, module.tables.attributes.get(value.type, {}).get("*", ""), value, node, spot, "")
    key = module.constant(index, spot)
    if isinstance(value, Mapping) and isinstance(key, str):
        pair = value.get(key)
        return module.value(pair.value_node, pair.spot) if pair is not None else UNKNOWN
    if isinstance(value, Sequence) and isinstance(key, int) and not value.open and -len(value.nodes) <= key < len(value.nodes):
        return module.value(value.nodes[key], value.spot)
    if isinstance(value, ClassValue) and isinstance(key, str) and attributes.is_enum(module, value.cls):
        return attributes.class_attribute(module, value.cls, key)
    return UNKNOWN


def as_one(module: Module, value: Value) -> Value:
    """A dict that branches of the program make in several ways: `if tls: options = {**options, **tls_options()}`.

    An entry that all of them have holds; one that some have may, and one that they have with several values is there, whatever it is.
    """
    ways = options(value)
    if len(ways) < 2 or not all(isinstance(way, Mapping) for way in ways):
        return value
    pairs = []
    for key in dict.fromkeys(pair.key for way in ways for pair in way.pairs if pair.key is not None):
        found = [pair for way in ways if (pair := way.get(key)) is not None]
        last = found[-1]
        if any(pair.value_node is not last.value_node for pair in found):
            last = last._replace(value_node=Standin(UNKNOWN, last.value_node, last.spot))
        elif len(found) < len(ways):
            last = last._replace(value_node=Standin(in_branch(module.value(last.value_node, last.spot)), last.value_node, last.spot))
        pairs.append(last)
    return Mapping(tuple(pairs), any(way.open for way in ways))


def _dict(module: Module, node: cst.Dict, spot: Spot) -> Value:
    pairs: list[Pair] = []
    open_ = False
    for element in node.elements:
        if isinstance(element, cst.StarredDictElement):
            inner = as_one(module, module.value(element.value, spot))
            if isinstance(inner, Mapping):
                pairs += inner.pairs
                open_ = open_ or inner.open
            else:
                open_ = True
            continue
        if not isinstance(element, cst.DictElement):
            open_ = True
            continue
        key = module.value(element.key, spot)
        text = key.value if isinstance(key, Known) and isinstance(key.value, str) else None
        if isinstance(key, Member):
            text = None
        pairs.append(Pair(text, element.key, element.value, spot))
    return Mapping(tuple(pairs), open_ or any(pair.key is None for pair in pairs), node)


def _dict_call(module: Module, node: cst.Call, spot: Spot) -> Value:
    pairs: list[Pair] = []
    open_ = False
    for arg in node.args:
        if arg.keyword is not None:
            pairs.append(Pair(arg.keyword.value, arg.keyword, arg.value, spot))
            continue
        inner = as_one(module, module.value(arg.value, spot))
        entries = pairs_of(module, inner) if isinstance(inner, Sequence) and not arg.star else inner
        if isinstance(entries, Mapping):
            pairs += entries.pairs
            open_ = open_ or entries.open
        else:
            open_ = True
    return Mapping(tuple(pairs), open_, node)


def pairs_of(module: Module, value: Sequence) -> Mapping:
    """The entries of a list of pairs: `[("a", 1), ("b", 2)]`."""
    pairs: list[Pair] = []
    for node in value.nodes:
        inner = module.value(node, value.spot)
        if isinstance(inner, Sequence) and not inner.open and len(inner.nodes) == 2:
            name = module.value(inner.nodes[0], inner.spot)
            known = name.value if isinstance(name, Known) and isinstance(name.value, str) else None
            pairs.append(Pair(known, inner.nodes[0], inner.nodes[1], inner.spot))
    return Mapping(tuple(pairs), value.open or len(pairs) < len(value.nodes) or any(pair.key is None for pair in pairs))


def _dict_comprehension(module: Module, node: Any, spot: Spot) -> Value:
    return Mapping((), True, node)


def _sequence(module: Module, node: Any, spot: Spot) -> Value:
    nodes = []
    open_ = False
    for element in node.elements:
        if isinstance(element, cst.StarredElement):
            open_ = True
        else:
            nodes.append(element.value)
    return Sequence(tuple(nodes), spot, open_, {cst.List: "list", cst.Tuple: "tuple", cst.Set: "set"}[node.__class__])


def _lambda(module: Module, node: cst.Lambda, spot: Spot) -> Value:
    return FunctionValue(module.tree.lambdas[id(node)]) if id(node) in module.tree.lambdas else UNKNOWN


def _await(module: Module, node: cst.Await, spot: Spot) -> Value:
    value = _of_thread(module, node.expression, spot) if isinstance(node.expression, cst.Call) else UNKNOWN
    if value is not UNKNOWN:
        return value
    value = module.value(node.expression, spot)
    return UNKNOWN if isinstance(value, Object) and value.type.endswith(("Future", "Task")) else value


def _of_thread(module: Module, node: cst.Call, spot: Spot) -> Value:
    """What the method of an object gives that a thread is asked to run: `asyncio.to_thread(consumer.poll, 1.0)`, `loop.run_in_executor(None, lambda: consumer.poll(1.0))`."""
    position = AWAITED.get(last_name(node.func), len(node.args))
    given = node.args[position].value if position < len(node.args) else None
    if isinstance(given, cst.Lambda):
        return module.value(given.body, spot) if not given.params.params else UNKNOWN
    if not isinstance(given, cst.Attribute):
        return UNKNOWN
    objects = [one for one in options(module.value(given.value, spot)) if isinstance(one, Object)]
    return choice([calls.method_call(module, one, given.attr.value, node, spot) for one in objects]) if objects else UNKNOWN


def _walrus(module: Module, node: cst.NamedExpr, spot: Spot) -> Value:
    return module.value(node.value, spot)


def _standin(module: Module, node: Standin, spot: Spot) -> Value:
    return node.value  # type: ignore[no-any-return]


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def convert(name: str, value: Any) -> Any:
    """What `int`, `float`, `str`, `bool`, `abs` or `round` makes of a constant; None where it fails, and for the text of None, which nobody means to write."""
    try:
        if name == "int":
            return int(value)
        if name == "float":
            return float(value)
        if name == "str":
            return None if value is None else str(value)
        if name == "bool":
            return bool(value)
        if name == "abs":
            return abs(value)
        if name == "round":
            return round(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return None


# What libraries of settings take for a flag (configparser, environs, django-environ, decouple).
_FLAGS = {**dict.fromkeys(("1", "true", "yes", "on"), True), **dict.fromkeys(("0", "false", "no", "off"), False)}


def from_settings(kind: str, value: Any) -> Any:
    """What a library of settings makes of a text, or of a default; None where it fails."""
    if kind == "bool":
        return value if isinstance(value, bool) else _FLAGS.get(str(value).lower())
    return convert(kind, value) if kind in ("str", "int", "float") else None


def _whole(text: str | bytes, sure: str) -> Value:
    """A text of whole characters: one that holds half of a pair of surrogates cannot be written to any file."""
    return Known(text, sure) if isinstance(text, bytes) or text.isascii() or not _HALF.search(text) else UNKNOWN


def _bounded(text: str, sure: str) -> Value:
    """A text that was put together, unless it grew beyond what any setting is."""
    return _whole(text, sure) if len(text) <= 1_000_000 else UNKNOWN


def _arithmetic(operator: type, left: Known | Millis, right: Known | Millis) -> Value:
    sure = weakest(left.sure, right.sure)
    a, b = left.value, right.value
    if isinstance(a, str) and isinstance(b, str) and operator is cst.Add:
        return _bounded(a + b, sure)
    if operator is cst.Modulo and isinstance(a, str):
        if _WIDE.search(a):
            return UNKNOWN
        try:
            return Known(a % b, sure)
        except (TypeError, ValueError):
            return UNKNOWN
    if not is_number(a) or not is_number(b) or abs(a) > 1e30 or abs(b) > 1e30:
        return UNKNOWN
    try:
        if operator is cst.Add:
            result: Any = a + b
        elif operator is cst.Subtract:
            result = a - b
        elif operator is cst.Multiply:
            result = a * b
        elif operator is cst.Divide:
            result = a / b
        elif operator is cst.FloorDivide:
            result = a // b
        elif operator is cst.Modulo:
            result = a % b
        elif operator is cst.Power and abs(b) <= 64 and abs(a) <= 1e6:
            result = a**b
        elif operator is cst.LeftShift and 0 <= b <= 64:
            result = int(a) << int(b)
        else:
            return UNKNOWN
    except (ZeroDivisionError, OverflowError, TypeError):
        return UNKNOWN
    if isinstance(result, complex):
        return UNKNOWN
    if isinstance(left, Millis) or isinstance(right, Millis):
        return millis(result, sure)
    return Known(result, sure)


# What each kind of expression is worth, as `(module, node, spot)`; names, attributes and calls are the module's own.
EXPRESSIONS: dict[type, Any] = {
    cst.Integer: _integer,
    cst.Float: _float,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: _formatted,
    cst.UnaryOperation: _unary,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _comparison,
    cst.IfExp: _ternary,
    cst.Subscript: _subscript,
    cst.Dict: _dict,
    cst.DictComp: _dict_comprehension,
    cst.List: _sequence,
    cst.Tuple: _sequence,
    cst.Set: _sequence,
    cst.Lambda: _lambda,
    cst.Await: _await,
    cst.NamedExpr: _walrus,
    Standin: _standin,
}
