"""A Spark data frame as it is known: the steps by which it is made, with what each is called, and the writer in which it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python.tree import Call, Function, Spot, dotted
from shoal.python.values import Object, names
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.facts import Origin
    from shoal.python.module import Module

STREAM, BATCH, MICRO_BATCH, UNKNOWN = "readStream", "read", "foreachBatch", "?"
GROUPINGS = frozenset({"groupBy", "groupby", "rollup", "cube"})
GROUPED = "GROUP BY"  # the step of a statement that groups the rows of one view
MEETINGS = frozenset({"join", "crossJoin", "union", "unionAll", "unionByName", "intersect", "intersectAll", "subtract", "exceptAll"})
_UNIONS = ("union", "unionAll", "unionByName")
KEEPERS = frozenset({"persist", "cache", "checkpoint", "localCheckpoint"})
# Grouped frames that keep state of the user's own, with timeouts of their own.
OWN_STATE = frozenset({"applyInPandasWithState", "transformWithState", "transformWithStateInPandas"})
SINKS = ("format", "foreach", "foreachBatch")
# Steps that leave the columns of a frame as they are.
SAME_COLUMNS = names(
    "filter where repartition coalesce withWatermark dropDuplicates drop_duplicates dropDuplicatesWithinWatermark distinct cache persist alias"
)
DEMO_SINKS = frozenset({"console", "memory", "noop"})
ACTIONS = names("count collect show toPandas take first head foreach foreachPartition isEmpty toLocalIterator tail")
SAVES = names(
    "save saveAsTable insertInto jdbc parquet json csv orc text append overwrite overwritePartitions create createOrReplace replace"
)
LOADS = ("load", "table", "json", "parquet", "csv", "orc", "text", "jdbc", "delta")
VIEWS = ("createOrReplaceTempView", "createTempView", "createGlobalTempView", "createOrReplaceGlobalTempView", "registerTempTable")
# A statement that picks rows and columns of one view, and functions that neither aggregate nor keep state.
_SELECT = pattern(r"\s*select\s(?P<what>.+?)\sfrom\s+`?(?P<view>[\w.]+)`?\s*(?:where\s(?P<rows>.+))?;?\s*", re.IGNORECASE | re.DOTALL)
_GROUP_BY = pattern(
    r"\s*select\s.+?\sfrom\s+`?(?P<view>[\w.]+)`?(?:\s+(?:as\s+)?(?!where\b|group\b)\w+)?\s+(?:where\s.+?\s)?group\s+by\s+(?P<keys>.+)",
    re.IGNORECASE | re.DOTALL,
)
_NESTED = pattern(r"\b(?:select|from|join|union|over|lateral)\b", re.IGNORECASE)
_MORE = pattern(r"\b(?:select|distinct|from|join|group|having|union|over|order|limit|window|lateral|explode)\b", re.IGNORECASE)
PLAIN = names(
    "cast from_json to_json get_json_object struct to_timestamp to_date date_format unix_timestamp from_unixtime unbase64 base64 split concat "
    "concat_ws coalesce lower upper trim substring length round abs if nvl in and or not int string double float decimal timestamp"
)


class Frame:
    """A frame made by `op` (a method's name, or one of the roots) from its `inputs`; `node` and `spot` are those of the call.

    A step that another module takes stands at `origin`; its node is that of the call here, in a `Standin`.
    """

    __slots__ = ("env", "inputs", "node", "op", "origin", "spot")

    def __init__(
        self,
        op: str,
        node: Any,
        spot: Any,
        inputs: tuple[Frame, ...] = (),
        env: Env | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.op = op
        self.node = node
        self.spot = spot
        self.inputs = inputs
        self.env = env
        self.origin = origin

    def line(self) -> Iterator[Frame]:
        """This frame and those it was made from, newest first; of two that met, the left one."""
        at: Frame | None = self
        while at is not None:
            yield at
            at = at.inputs[0] if at.inputs else None

    def all(self) -> Iterator[Frame]:
        """This frame and every one that it was made from."""
        waiting = [self]
        while waiting:
            at = waiting.pop()
            yield at
            waiting += at.inputs

    def roots(self) -> set[str]:
        return {at.op for at in self.all() if not at.inputs}

    @property
    def streams(self) -> bool:
        """Whether it surely is a streaming frame: one side of a join or union is enough."""
        return STREAM in self.roots()

    @property
    def followed(self) -> bool:
        """Whether all that it was made from is known."""
        return UNKNOWN not in self.roots()

    @property
    def batch(self) -> bool:
        """Whether it surely is none: of a union one side is enough, which Spark refuses of a stream and a batch."""
        waiting = [self]
        while waiting:
            at = waiting.pop()
            if at.op in (STREAM, UNKNOWN):
                return False
            if not (at.op in _UNIONS and any(side.followed and not side.streams for side in at.inputs)):
                waiting += at.inputs
        return True

    def steps(self, *ops: str) -> list[Frame]:
        """The steps of these names above this frame and the frame's own, newest first."""
        return [at for at in self.all() if at.op in ops and at.inputs]

    @property
    def arguments(self) -> tuple[Any, ...] | None:
        """What a step is given, as nodes of arguments; None for a step that another module takes."""
        return tuple(self.node.args) if isinstance(self.node, cst.Call) else None

    def argument(self, position: int, keyword: str = "") -> Any:
        return Call(self.node, self.op, self.spot, None, "").argument(position, keyword) if isinstance(self.node, cst.Call) else None


class Env(NamedTuple):
    """The arguments with which a function runs: name -> frames, or (node, spot, env of the caller)."""

    function: Function
    given: dict[str, Any]
    outer: Env | None


class Argument(NamedTuple):
    """What a call gives for a parameter."""

    node: Any
    spot: Spot
    env: Env | None


class Sink(NamedTuple):
    """A streaming writer, once for each call of the function it stands in.

    `mode` is `append`, `update` or `complete`, empty when it cannot be known; `format` likewise; `calls` are the writer's, by name: of
    several triggers, one by which the query ends, and in the order in which they are made.
    """

    frames: tuple[Frame, ...]
    mode: str
    format: str
    calls: dict[str, Call]
    writer: Object

    @property
    def demo(self) -> bool:
        return self.format in DEMO_SINKS

    @property
    def ends(self) -> bool:
        """Whether the query may end by itself (`once`, `availableNow`, or a trigger that cannot be read)."""
        trigger = self.calls.get("trigger")
        return trigger is not None and may_end(trigger)


def may_end(trigger: Call) -> bool:
    return trigger.has_stars or not trigger.has_keyword("processingTime", "continuous", "realTime")


def distinct(frames: Any) -> tuple[Frame, ...]:
    """Without those that are made by one call from one frame."""
    seen: dict[Any, Frame] = {}
    for frame in frames:
        seen.setdefault((frame.op, id(frame.node), tuple(map(id, frame.inputs))), frame)
    return tuple(seen.values())


def env_of(env: Env | None, function: Any) -> Env | None:
    """The arguments of a function among the calls under way."""
    while env is not None:
        if env.function is function:
            return env
        env = env.outer
    return None


def selected(text: str) -> str:
    """The view that a statement picks from, empty where it does more than that."""
    found = _SELECT.fullmatch(text)
    if found is None:
        return ""
    rest = f"{found['what']} {found['rows'] or ''}"
    if _MORE.search(rest) or not {name.lower() for name in re.findall(r"(\w+)\s*\(", rest)} <= PLAIN:
        return ""
    return found["view"]


def grouping(text: str) -> tuple[str, str] | None:
    """The one view whose rows a statement groups, and by what; None for any other statement."""
    if "group" not in text.lower() or len(_NESTED.findall(text)) != 2:  # counted first: with many of them the other would go on for long
        return None
    found = _GROUP_BY.fullmatch(text)
    return (found["view"], found["keys"]) if found is not None else None


def window_of(module: Module, node: Any, spot: Spot) -> Any:
    """The `window(…)` call among an expression and what its name stands for; None when it is no time window."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name"):
        node = node.func.value
    if isinstance(node, cst.Name):
        bindings = [binding for binding, _ in module.lookup(node.value, spot) if binding.kind == "assign"]
        return (
            window_of(module, bindings[0].node, bindings[0].spot)
            if len(bindings) == 1 and not isinstance(bindings[0].node, cst.Name)
            else None
        )
    if isinstance(node, cst.Call) and dotted(node.func).rsplit(".", 1)[-1] in ("window", "session_window"):
        return node
    return None


def keys_of(call: Call | Frame) -> list[Any]:
    """The keys of a `groupBy`, lists opened."""
    found: list[Any] = []
    for arg in call.node.args:
        node = arg.value
        found += [element.value for element in node.elements] if isinstance(node, (cst.List, cst.Tuple)) else [node]
    return found
