"""What an expression is worth: constants, library objects, functions, dicts. Anything that cannot be told is `UNKNOWN`."""

from __future__ import annotations

import math
from typing import Any, Union

from shoal.facts import Origin
from shoal.records import NamedTuple

SURE = ("branch", "default", "sure")


class _Unknown:
    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __bool__(self) -> bool:
        return False


UNKNOWN = _Unknown()


class Known(NamedTuple):
    """A Python constant. `sure` is that of a `Setting`: `sure`, `default` (an environment's default) or `branch`."""

    value: Any
    sure: str = "sure"


class Millis(NamedTuple):
    """A length of time (`timedelta`, Flink's `Duration` and `Time`), in milliseconds."""

    value: float
    sure: str = "sure"


def millis(amount: float, sure: str = "sure") -> Value:
    """A length of time, if it is one: no number of `1e400` milliseconds is."""
    return Millis(amount, sure) if isinstance(amount, int) or math.isfinite(amount) else UNKNOWN


class Partial(NamedTuple):
    """A text that is known in part; `texts.text_of` puts it together."""

    node: Any
    spot: Any


class Pair(NamedTuple):
    """An entry of a dict: `key` as text, None when it is not a known text."""

    key: str | None
    key_node: Any
    value_node: Any
    spot: Any


class Mapping(NamedTuple):
    """A dict, entries in order, later ones win; `open` when entries may be missing here."""

    pairs: tuple[Pair, ...]
    open: bool
    node: Any = None

    def get(self, key: str) -> Pair | None:
        return next((pair for pair in reversed(self.pairs) if pair.key == key), None)


class Standin:
    """Stands for the node of a value that another module has, at `origin`; `node` and `spot` are where this one names it."""

    __slots__ = ("node", "origin", "spot", "value")

    def __init__(self, value: Any, node: Any, spot: Any, origin: Origin | None = None) -> None:
        self.value = value
        self.origin = origin
        self.node = node
        self.spot = spot


class Sequence(NamedTuple):
    """A list, tuple or set of element nodes; `open` when it may have more."""

    nodes: tuple[Any, ...]
    spot: Any
    open: bool
    kind: str


class Symbol(NamedTuple):
    """Something imported, by its dotted name: `pyflink.datastream.CheckpointingMode.EXACTLY_ONCE`."""

    name: str

    @property
    def top(self) -> str:
        return self.name.split(".", 1)[0]

    @property
    def last(self) -> str:
        return self.name.rsplit(".", 1)[-1]


class Object:
    """An object of a library, by its type's name in `libraries`.

    `source` is the object a method of which made this one; `root` is the object it is part of (a `CheckpointConfig`'s environment).
    """

    __slots__ = ("call", "node", "root", "source", "spot", "type")

    def __init__(
        self, type_: str, node: Any, spot: Any, source: Object | None = None, part: bool = False, call: str = "", root: Object | None = None
    ) -> None:
        self.type = type_
        self.node = node
        self.spot = spot
        self.source = source
        self.call = call  # the method or constructor that made it
        self.root: Object = root or (source.root if part and source is not None else self)

    def __repr__(self) -> str:
        return f"<{self.type}>"

    def line(self) -> list[Object]:
        """This object and those it was made from, newest first."""
        found: list[Object] = []
        at: Object | None = self
        while at is not None and len(found) < 200:
            found.append(at)
            at = at.source
        return found


class FunctionValue(NamedTuple):
    function: Any
    bound: Any = None  # the Instance it is a method of
    given: int = 0  # how many arguments `functools.partial` has given it in front


class ClassValue(NamedTuple):
    cls: Any


class Instance(NamedTuple):
    """An object of a class of the module; `call` is the constructor call's node, None for `self` and annotated parameters."""

    cls: Any
    call: Any = None
    spot: Any = None


class Member(NamedTuple):
    """A member of an Enum class."""

    cls: Any
    name: str
    node: Any


class Choice(NamedTuple):
    """One of several, depending on the path."""

    options: tuple[Any, ...]


Value = Union[_Unknown, Known, Millis, Partial, Mapping, Sequence, Symbol, Object, FunctionValue, ClassValue, Instance, Member, Choice]


def weakest(*sure: str) -> str:
    return min(sure, key=SURE.index, default="sure")


# More values than this for one expression are no knowledge; every step of a chain under an `if` would double them.
WAYS = 24


def choice(options: list[Any]) -> Value:
    """One value for several: equal ones collapse, and too many are unknown."""
    flat: list[Any] = []
    for option in options:
        if len(flat) > WAYS:
            return UNKNOWN
        for part in option.options if isinstance(option, Choice) else (option,):
            if not any(
                part is other or (isinstance(part, (Known, Millis, Symbol)) and part == other and type(part) is type(other))
                for other in flat
            ):
                flat.append(part)
    if not flat:
        return UNKNOWN
    return flat[0] if len(flat) == 1 else Choice(tuple(flat))


def options(value: Value) -> tuple[Any, ...]:
    return value.options if isinstance(value, Choice) else (value,)


def names(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def by_default(value: Value) -> Value:
    """What is used where nothing else is given: known, but less sure."""
    if isinstance(value, (Known, Millis)):
        return value._replace(sure=weakest(value.sure, "default")) if value.value is not None else UNKNOWN
    if isinstance(value, Choice):
        return choice([by_default(option) for option in value.options])
    return UNKNOWN if not isinstance(value, (Mapping, Partial)) else value


def in_branch(value: Value) -> Value:
    """What a value is where it is one of several."""
    return value._replace(sure=weakest(value.sure, "branch")) if isinstance(value, (Known, Millis)) else value


def holds_objects(value: Value) -> bool:
    """Whether a value is or may be an object, which is one and the same wherever it is spoken of."""
    return any(not isinstance(option, (Known, Millis, Partial, Mapping, Symbol)) and option is not UNKNOWN for option in options(value))
