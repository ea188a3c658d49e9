"""What modules tell one another, as JSON: constants, clients, and what their functions give.

A value is a list whose first item says of what kind it is; where something is written is a list of path, start and end.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.facts import Origin
from shoal.model import Span, Told
from shoal.python.libraries import PACKAGES
from shoal.python.values import (
    UNKNOWN,
    Choice,
    ClassValue,
    Known,
    Mapping,
    Member,
    Millis,
    Object,
    Pair,
    Sequence,
    Standin,
    Symbol,
    Value,
    choice,
)
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Spot

_CLIENTS = ("kafka.", "confluent.", "aiokafka.", "faststream.")
_DEEPEST = 6


def is_kafka(kind: str) -> bool:
    """Whether a type is that of a client of Kafka."""
    return kind.startswith(_CLIENTS) and kind.endswith(("Consumer", "Producer", "KafkaBroker"))


def encoded(module: Module, value: Value, level: int = 0) -> Any:
    """A value as lists and texts; None for one that another module could do nothing with."""
    if isinstance(value, Known):
        return ["k", value.value, value.sure] if value.value is None or isinstance(value.value, (str, int, float, bool)) else None
    if isinstance(value, Millis):
        return ["m", value.value, value.sure]
    if isinstance(value, Member):
        return encoded(module, module.value(value.node, value.cls.spot), level + 1) if level < _DEEPEST else None
    if isinstance(value, Symbol):
        return ["s", value.name] if value.top in PACKAGES else None
    if isinstance(value, ClassValue):
        hands = {name: how if " in " in how else f"{how} in {module.path}" for name, how in module.contexts.handed_on(value.cls).items()}
        return ["b", sorted(set(module.bases(value.cls))), hands] if value.cls.bases or hands else None
    if isinstance(value, Object):
        return ["o", value.type, value.call] if is_kafka(value.type) else None
    if level >= _DEEPEST:
        return None
    if isinstance(value, Mapping):
        last = {pair.key: pair for pair in value.pairs if pair.key is not None}
        inner = [
            [key, encoded(module, module.value(pair.value_node, pair.spot), level + 1), place(module, pair.value_node, pair.spot)]
            for key, pair in last.items()
        ]
        return ["d", inner, value.open]
    if isinstance(value, Sequence):
        return ["l", value.kind, [encoded(module, module.value(node, value.spot), level + 1) for node in value.nodes], value.open]
    if isinstance(value, Choice):
        parts = [encoded(module, option, level + 1) for option in value.options]
        return ["c", parts] if all(part is not None for part in parts) else None
    return None


def decoded(data: Any, node: Any, spot: Spot) -> Value:
    """The inverse, for a name that stands at a node."""
    if data is None:
        return UNKNOWN
    kind = data[0]
    if kind == "k":
        return Known(data[1], data[2])
    if kind == "m":
        return Millis(data[1], data[2])
    if kind == "s":
        return Symbol(data[1])
    if kind == "d":
        pairs = [
            Pair(key, Standin(Known(key), node, spot), Standin(decoded(inner, node, spot), node, spot, origin(at)), spot)
            for key, inner, at in data[1]
        ]
        return Mapping(tuple(pairs), data[2], node)
    if kind == "l":
        return Sequence(tuple(Standin(decoded(inner, node, spot), node, spot) for inner in data[2]), spot, data[3], data[1])
    if kind in ("o", "n"):  # a client that is made there, and a class of clients, whose call makes one here
        return Object(data[1], Standin(UNKNOWN, node, spot), spot, call=data[2])
    if kind == "q":
        return Object("spark.StreamingQuery", Standin(UNKNOWN, node, spot), spot, call="start")
    if kind == "c":
        return choice([decoded(part, node, spot) for part in data[1]])
    return UNKNOWN


def place(module: Module, node: Any, spot: Spot) -> list[Any]:
    """Where a value is written, for other modules."""
    path, span = module.others.origin(node, spot) or Origin(module.path, module.span(node, spot))
    return [path, span.start, span.end]


def origin(data: list[Any]) -> Origin:
    path, start, end = data
    return Origin(path, Span(start, end))


def given(told: Told) -> tuple[dict[str, Any], dict[str, Origin]]:
    """What other modules say of names that are imported from them, and where they have it."""
    values, origins = {}, {}
    for name, text in told.constants:
        data, at = json.loads(text)
        values[name] = data
        if at is not None:
            origins[name] = origin(at)
    return values, origins


def holds_client(data: Any) -> bool:
    """Whether a value is a Kafka client, one of several that it may be, or has one in a tuple."""
    if data is None or data[0] not in ("o", "c", "l"):
        return False
    return data[0] == "o" or any(holds_client(part) for part in (data[1] if data[0] == "c" else data[2]))


class Started(NamedTuple):
    """A query that a call of another module's function starts, and that does not end by itself.

    `location`: its checkpoint location, where no call changes it that gives no more than `required` arguments; `at`: where that stands.
    """

    location: str
    required: int
    at: Origin | None


def started(data: Any) -> Started | None:
    return Started(data[1], data[2], origin(data[3]) if data[3] else None) if data[0] == "q" else None


def write_swallowed(data: Any) -> Origin | None:
    """Where a function of another module only logs that its write failed, of what that says of it."""
    return origin(data[1]) if data is not None and data[0] == "lost" else None


def result(data: Any, node: Any) -> Any:
    """What a call of another module's function gives, of what that says of it; None where the call gives more arguments than it must."""
    if data is None or data[0] != "f":
        return data
    args = node.args if isinstance(node, cst.Call) else ()
    return data[2] if len(args) <= data[1] and not any(arg.star for arg in args) else None


def loads(data: Any) -> tuple[int, str] | None:
    """The parameter that names the file which another module's function loads, of what that says of it."""
    return (data[3][0], data[3][1]) if data is not None and data[0] == "f" and len(data) > 3 else None
