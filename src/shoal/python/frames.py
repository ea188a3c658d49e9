"""Spark data frames: where each comes from and what has been done to it, followed call by call through variables and functions.

A frame that cannot be followed is `unknown`, and so is whatever it flows into: rules that ask for an absence are silent then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.model import Place
from shoal.python.conditions import for_batches
from shoal.python.tree import Call, Function, Spot, beginning, chain, descend, dotted, key_of, last_name
from shoal.python.values import ClassValue, Instance, Known, Mapping, Object, Sequence, Symbol, names, options
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.facts import Origin
    from shoal.python.module import Module
    from shoal.python.tree import Binding

STREAM, BATCH, MICRO_BATCH, UNKNOWN = "readStream", "read", "foreachBatch", "?"
_ROOTS = frozenset({STREAM, BATCH, MICRO_BATCH, UNKNOWN})
_DLT = {"read_stream": STREAM, "readStream": STREAM, "read": BATCH}  # tables of a Delta Live Tables pipeline
_LOADS = ("load", "table", "json", "parquet", "csv", "orc", "text", "jdbc", "delta")
GROUPINGS = frozenset({"groupBy", "groupby", "rollup", "cube"})
_CHECKPOINT = "checkpointlocation"
GROUPED = "GROUP BY"  # the step of a statement that groups the rows of one view
MEETINGS = frozenset({"join", "crossJoin", "union", "unionAll", "unionByName", "intersect", "intersectAll", "subtract", "exceptAll"})
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
_LOOKS = frozenset({"isEmpty", "take", "first", "head"})  # at a few rows
SAVES = names(
    "save saveAsTable insertInto jdbc parquet json csv orc text append overwrite overwritePartitions create createOrReplace replace"
)
_VIEWS = ("createOrReplaceTempView", "createTempView", "createGlobalTempView", "createOrReplaceGlobalTempView", "registerTempTable")
# A statement that picks rows and columns of one view, and functions that neither aggregate nor keep state.
_SELECT = pattern(r"\s*select\s(?P<what>.+?)\sfrom\s+`?(?P<view>[\w.]+)`?\s*(?:where\s(?P<rows>.+))?;?\s*", re.IGNORECASE | re.DOTALL)
_GROUP_BY = pattern(
    r"\s*select\s.+?\sfrom\s+`?(?P<view>[\w.]+)`?(?:\s+(?:as\s+)?(?!where\b|group\b)\w+)?\s+(?:where\s.+?\s)?group\s+by\s+(?P<keys>.+)",
    re.IGNORECASE | re.DOTALL,
)
_WRITES = pattern(r"(?i)\s*(?:merge\s+into|insert\s+(?:into|overwrite)|create\s+(?:or\s+replace\s+)?table)\b")
_NESTED = pattern(r"\b(?:select|from|join|union|over|lateral)\b", re.IGNORECASE)
_MORE = pattern(r"\b(?:select|distinct|from|join|group|having|union|over|order|limit|window|lateral|explode)\b", re.IGNORECASE)
PLAIN = names(
    "cast from_json to_json get_json_object struct to_timestamp to_date date_format unix_timestamp from_unixtime unbase64 base64 split concat "
    "concat_ws coalesce lower upper trim substring length round abs if nvl in and or not int string double float decimal timestamp"
)
# More ways than this by which a frame may have come about, and nothing is said about it.
_WAYS = 12
_DEPTH = 80
_BUDGET = 20_000
_HELPERS = 4  # that call each other


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


def _of_notebook(node: Any) -> bool:
    """Whether a reader is that of the session which a notebook finds under the name `spark`: `spark.read.format("delta").load(…)`."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value
    return (
        isinstance(node, cst.Attribute) and node.attr.value == "read" and isinstance(node.value, cst.Name) and node.value.value == "spark"
    )


def may_end(trigger: Call) -> bool:
    return trigger.has_stars or not trigger.has_keyword("processingTime", "continuous", "realTime")


class BatchCall(NamedTuple):
    """An `action` or `save` on a micro-batch, or on what is made from it; the call of a helper counts as what the helper does.

    `merge`: Delta's `merge(batch, …)`, or a statement that writes what it reads from a view of the batch.
    """

    call: Call
    kind: str
    frames: tuple[Frame, ...]


class Frames:
    """Asked through `Module.frames`."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._pending: set[tuple[int, int]] = set()
        self._found: dict[tuple[int, int], tuple[Frame, ...]] = {}
        self._envs: dict[tuple[int, int, int], Env] = {}
        self._told: dict[int, list[Env]] = {}
        self._unknown = Frame(UNKNOWN, None, None)
        self._cuts = 0
        self._too_deep = False
        self._provisional: list[tuple[int, int]] = []  # what is unknown only because something was too deep
        self._ordered = False
        self._budget = _BUDGET
        self._sinks: list[Sink] | None = None

    # -- questions

    def of(self, node: Any, spot: Spot, env: Env | None = None) -> tuple[Frame, ...]:
        """The frames an expression may be; what cannot be followed is among them as an unknown one."""
        key = (id(node), id(env))
        found = self._found.get(key)
        if found is not None:
            return found
        if key in self._pending:
            self._cuts += 1
            return ()  # around a loop: nothing that the other ways do not bring
        if self._budget <= 0:
            return (self._unknown,)
        if len(self._pending) >= _DEPTH:
            self._too_deep = True
            return (self._unknown,)
        self._budget -= 1
        self._pending.add(key)
        before = self._cuts
        try:
            result = self._ways(node, spot, env)
        finally:
            self._pending.discard(key)
        if len(result) > _WAYS:
            result = (self._unknown,)
        if self._cuts == before or not self._pending or self._too_deep:
            self._found[key] = result
        if self._too_deep:
            self._provisional.append(key)
            if not self._pending:
                return self._from_the_top(node, spot, env)
        return result

    def _from_the_top(self, node: Any, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        """A frame at the end of a very long chain: followed in source order, where each step stands on the one before."""
        self._too_deep = False
        for key in self._provisional:
            self._found.pop(key, None)
        self._provisional.clear()
        if self._ordered:
            return (self._unknown,)
        self._ordered = True
        for call in self.module.calls:
            self.receivers(call)
        return self.of(node, spot, env)

    def receivers(self, call: Call) -> tuple[Frame, ...]:
        """The frames a method is called on."""
        return self.of(call.receiver_node, call.spot) if call.receiver_node is not None else ()

    def column(self, node: Any, spot: Spot) -> str:
        """The column that an expression names: `"x"`, `col("x")`, `frame.x`, `frame["x"]`, with an alias or not; empty for anything else.

        A name may stand for it (`col(EVENT_TIME)`, `config.EVENT_TIME`): one whose text is not known is no column of that name.
        """
        while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name"):
            node = node.func.value
        if isinstance(node, cst.Call) and last_name(node.func) in ("col", "column") and len(node.args) == 1:
            return self.column(node.args[0].value, spot)
        if isinstance(node, cst.Subscript) and (key := key_of(node)) is not None:
            node = key
            return self.column(node, spot) if isinstance(node, cst.SimpleString) else ""
        if isinstance(node, cst.SimpleString):
            text = node.evaluated_value
            return text.rsplit(".", 1)[-1] if isinstance(text, str) else ""
        if not isinstance(node, (cst.Name, cst.Attribute)):
            return ""
        if text := self.module.string(node, spot):
            return text.rsplit(".", 1)[-1]
        if isinstance(node, cst.Name) or not isinstance(node.value, cst.Name):
            return ""
        of_frame = not isinstance(self.module.value(node.value, spot), (Symbol, Instance, ClassValue))
        return node.attr.value if of_frame else ""

    def set_before(self, loaded: Frame) -> dict[str, Call]:
        """The steps of the reader that a frame is loaded with, by name: in one expression with the load, or on a reader that has a name."""
        load = Call(loaded.node, "load", loaded.spot, None, "")
        found = chain(load)
        if "format" in found:
            return found
        readers = {id(obj.node) for obj in self.module.receivers(load)}
        steps = [
            call for call in self.module.named("format", "schema") if any(id(obj.node) in readers for obj in self.module.receivers(call))
        ]
        return {**{call.name: call for call in steps}, **found}

    def streams(self, node: Any, spot: Spot) -> list[Frame]:
        """The streaming frames an expression may be, if all that it may be is followed; else none."""
        ways = self.of(node, spot)
        if not ways or not all(frame.followed for frame in ways) or self._for_batches(spot):
            return []
        return [frame for frame in ways if frame.streams]

    def _for_batches(self, spot: Spot) -> bool:
        return "isStreaming" in self.module.tree.attribute_names and for_batches(self.module, spot)

    def around(self, node: Any, spot: Spot) -> list[Call]:
        """The calls that pick columns or rows of a frame by an expression, in the expression's own statement."""
        return [
            call
            for call in self.module.named("select", "withColumn", "withColumns", "filter", "where")
            if call.spot.statement == spot.statement
            and call.receiver_node is not None
            and any(at is node for arg in call.node.args for at in descend(arg.value))
        ]

    def flow(self, ways: tuple[Frame, ...]) -> bool:
        """Whether frames are surely of a stream, or micro-batches of one. What cannot be followed is where a module reads streams and nothing else."""
        if ways and all(frame.followed for frame in ways):
            return all(frame.streams or MICRO_BATCH in frame.roots() for frame in ways)
        reads = {obj.type for call in self.module.named(*_LOADS) for obj in self.module.receivers(call)}
        return "spark.Reader" in reads and "spark.BatchReader" not in reads

    @property
    def demo(self) -> bool:
        """Whether all that the module writes of streams is only shown."""
        return bool(self.sinks()) and all(sink.demo for sink in self.sinks())

    def sinks(self) -> list[Sink]:
        """The streaming writers of the module, with the frames that end in them."""
        if self._sinks is None:
            self._sinks = list(self._writers())
        return self._sinks

    def sinks_of(self, call: Call) -> list[Sink]:
        """The sinks that what a call makes may flow into."""
        return [sink for sink in self.sinks() if any(at.node is call.node for frame in sink.frames for at in frame.all())]

    def text(self, node: Any, spot: Spot, env: Env | None = None) -> str:
        """A known text, looked up in the arguments of the call at hand first."""
        if env is not None and isinstance(node, cst.Name):
            for binding, _ in self.module.lookup(node.value, spot):
                at = _env_of(env, binding.detail) if binding.kind == "param" else None
                if at is not None:
                    given = at.given.get(node.value)
                    if isinstance(given, Argument):
                        return self.text(given.node, given.spot, given.env)
                    return ""
        value = self.module.value(node, spot)
        return value.value if isinstance(value, Known) and isinstance(value.value, str) else ""

    def names(self, frame: Frame) -> list[str]:
        """The texts among a step's arguments, lists opened; an empty text for one that is not known."""
        found: list[str] = []
        for arg in frame.node.args if isinstance(frame.node, cst.Call) else ():
            value = self.module.value(arg.value, frame.spot)
            if isinstance(value, Sequence) and not arg.star and not value.open:
                found += [self.text(node, value.spot, frame.env) for node in value.nodes]
            else:
                found.append("" if arg.star else self.text(arg.value, frame.spot, frame.env))
        return found

    def watermarks(self, frame: Frame) -> list[tuple[str, Frame]]:
        """The event-time columns declared above a frame, each with its step; the column is empty when it is not known."""
        found = []
        for at in frame.steps("withWatermark"):
            node = at.argument(0, "eventTime")
            found.append((self.text(node, at.spot, at.env) if node is not None else "", at))
        return found

    def sink_of(self, query: Object) -> Sink | None:
        """The sink that a `StreamingQuery` object runs."""
        made = {id(step.node) for step in query.line() if step.type == "spark.Writer"}
        return next((sink for sink in self.sinks() if id(sink.writer.node) in made), None)

    def checkpoint_of(self, sink: Sink) -> tuple[Any, Spot] | None:
        """The expression that a sink's writer is given as its checkpoint location, with its spot; None where it is given none, or hidden."""
        found = None
        for call in self.module.named("option", "options"):
            if not any(obj.node is sink.writer.node for obj in self.module.receivers(call)):
                continue
            if call.name == "option" and self.module.string(call.argument(0, "key"), call.spot).lower() == _CHECKPOINT:
                found = (call.argument(1, "value"), call.spot)
            for arg in call.node.args if call.name == "options" else ():
                if arg.keyword is not None and arg.keyword.value.lower() == _CHECKPOINT:
                    found = (arg.value, call.spot)
                given = self.module.value(arg.value, call.spot) if arg.star == "**" else None
                for pair in given.pairs if isinstance(given, Mapping) else ():
                    found = (pair.value_node, pair.spot) if (pair.key or "").lower() == _CHECKPOINT else found
        return found

    def place(self, step: Frame) -> Place:
        """Where a step is named, in this module or in another one."""
        if step.origin is not None:
            return Place(step.origin.path, step.origin.span)
        func = step.node.func
        return self.module.place(func.attr if isinstance(func, cst.Attribute) else func, step.spot)

    def helps(self, function: Function) -> list[tuple[int, str, str]]:
        """The parameters whose frames a function saves or computes, each by position and name; none where it keeps one of them."""
        names = [param.name for param in function.params if param.kind == "plain" and param.name != function.self_name]
        if any(call.name in KEEPERS for call in function.calls):
            return []
        found: dict[str, str] = {}
        for call in function.calls:
            kind = (
                "save"
                if call.name in SAVES and {"write", "writeTo"} & _attributes(call)
                else "action"
                if call.name in ACTIONS - _LOOKS and not GROUPINGS & _attributes(call)
                else ""
            )
            name = beginning(call.node.func)
            if kind and name in names and not call.spot.conditional:
                found[name] = "save" if "save" in (kind, found.get(name)) else kind
        return [(names.index(name), name, kind) for name, kind in found.items()]

    def batch_calls(self, function: Function) -> list[BatchCall]:
        """What a foreachBatch function does with its batch, in source order."""
        found = []
        for call in function.calls:
            helper = self.module.target(call)
            if helper is not None:
                ways, kind = (
                    self._handed(call),
                    self._helps(helper, self._entered(helper, call.node, call.spot, None)) if helper is not function else "",
                )
            elif call.name in SAVES:
                ways, kind = self._saved(call, function), "save"
            elif call.name in ACTIONS:
                ways, kind = self.receivers(call), "action"
            elif call.name == "merge":
                ways, kind = self._handed(call), "merge"
            elif call.name == "sql":
                ways, kind = self._viewed(call, function), "merge"
            else:
                ways, kind = self._handed_elsewhere(call)
            if kind and self._of_batch(ways) and not any(frame.op in GROUPINGS for frame in ways):
                found.append(BatchCall(call, kind, ways))
        return found

    def _viewed(self, call: Call, function: Function) -> tuple[Frame, ...]:
        """The frames behind the temporary views of a function's batch that a statement reads while it writes."""
        from shoal.python.texts import text_of

        asked = call.argument(0, "sqlQuery")
        text = text_of(self.module, asked, call.spot) if asked is not None else None
        if text is None or not _WRITES.match(text.text):
            return ()
        for made in function.calls:
            name = self.module.string(made.argument(0, "name"), made.spot) if made.name in _VIEWS else ""
            if name and re.search(rf"(?i)(?<![\w.])`?(?:global_temp\.)?{re.escape(name)}\b", text.text):
                return self.receivers(made)
        return ()

    def follows(self, function: Function, one: Call, other: Call) -> bool:
        """Whether the second call happens after the first in one run of a function; a handler's do not."""
        arms = {arm.group: arm.index for arm in one.spot.arms}
        if any(arms.get(arm.group, arm.index) != arm.index or arm.kind == "except" for arm in other.spot.arms):
            return False
        first, second = (self.module.tree.statements[at.spot.statement].node for at in (one, other))
        return first is second or id(second) in self.module.flow(function).after(first)

    def written(self, call: Call, env: Env | None = None) -> tuple[Frame, ...]:
        """The frames that a batch writer's last call saves: those before `.write` or `.writeTo(…)`; none when it is no such call."""
        node, spot = call.receiver_node, call.spot
        while node is not None:
            if isinstance(node, cst.Attribute):
                if node.attr.value == "write":
                    return self.of(node.value, spot, env)
                node = node.value
            elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
                if node.func.attr.value == "writeTo":
                    return self.of(node.func.value, spot, env)
                node = node.func.value
            elif (held := self.goes_on_from(node, spot)) is not None:
                node, spot = held
            else:
                return ()
        return ()

    def goes_on_from(self, node: Any, spot: Spot) -> tuple[Any, Spot] | None:
        """The call that the name at the start of a chain was given, where it was given one thing only."""
        name = beginning(node)
        found = [binding for binding, _ in self.module.lookup(name, spot)] if name else []
        if len(found) != 1 or found[0].kind != "assign" or found[0].spot.statement >= spot.statement:
            return None
        return (found[0].node, found[0].spot) if isinstance(found[0].node, cst.Call) else None

    def _saved(self, call: Call, function: Function) -> tuple[Frame, ...]:
        """What a call saves; of a helper that is given several frames a micro-batch, if that is one of them."""
        ways = self.written(call)
        if ways and not self._of_batch(ways) and self.module.contexts.kinds(function) == {"foreach-batch"}:
            sites = self.module.call_sites(function)
            given = (self.written(call, self._entered(function, site.node, site.spot, None)) for site in sites)
            return next(filter(self._of_batch, given), ways)
        return ways

    def _helps(self, helper: Function, env: Env, depth: int = 0) -> str:
        """What a helper does with the micro-batch it is given, itself or by helpers of its own."""
        kinds = set()
        for call in helper.calls:
            inner = self.module.target(call)
            if inner is not None:
                if inner is not helper and depth < _HELPERS and self._of_batch(self._handed(call, env)):
                    kinds.add(self._helps(inner, self._entered(inner, call.node, call.spot, env), depth + 1))
            elif call.name in SAVES and self._of_batch(self.written(call, env)):
                kinds.add("save")
            elif call.name in ACTIONS and call.receiver_node is not None and self._of_batch(self.of(call.receiver_node, call.spot, env)):
                kinds.add("action")
        return "save" if "save" in kinds else "action" if "action" in kinds else ""

    def _handed_elsewhere(self, call: Call) -> tuple[tuple[Frame, ...], str]:
        """What a helper of another module is given and writes or computes."""
        for node, kind in self.module.others.helped(call):
            ways = self.of(node, call.spot)
            if self._of_batch(ways):
                return ways, kind
        return (), ""

    def _handed(self, call: Call, env: Env | None = None) -> tuple[Frame, ...]:
        """The first micro-batch among the arguments of a call."""
        for arg in call.node.args:
            ways = self.of(arg.value, call.spot, env)
            if self._of_batch(ways):
                return ways
        return ()

    def _of_batch(self, ways: tuple[Frame, ...]) -> bool:
        return bool(ways) and all(MICRO_BATCH in frame.roots() for frame in ways)

    # -- following

    def _ways(self, node: Any, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        if isinstance(node, cst.Name):
            return self._name(node.value, spot, env)
        if isinstance(node, cst.Call):
            return self._call(node, spot, env)
        if isinstance(node, cst.IfExp):
            return _distinct((*self.of(node.body, spot, env), *self.of(node.orelse, spot, env)))
        if isinstance(node, cst.NamedExpr):
            return self.of(node.value, spot, env)
        if isinstance(node, cst.Attribute):
            return self._attribute(node, spot)
        if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Call) and (index := _index(node)) is not None:
            return self._item(node.value, spot, env, index)
        return (self._unknown,)

    def _name(self, name: str, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        found: list[Frame] = []
        for binding, _ in self.module.lookup(name, spot):
            kind, node, at, detail = binding
            inside = env if _env_of(env, at.function) is not None else None
            if kind == "assign":
                found += self.of(node, at, inside)
            elif kind == "param":
                found += self._param(detail, name, env)
            elif kind == "unpack":
                found += self._item(node, at, inside, detail)
            elif kind == "for" and detail is None:
                value = self.module.value(node, at)
                if not isinstance(value, Sequence) or value.open:
                    return (self._unknown,)
                for element in value.nodes:
                    found += self.of(element, value.spot)
            else:
                return (self._unknown,)
        if not found:
            return () if self._cuts and self.module.lookup(name, spot) else (self._unknown,)
        return _distinct(found)

    def _item(self, node: Any, spot: Spot, env: Env | None, index: int) -> tuple[Frame, ...]:
        """One of several values taken apart: a tuple, or a call of a function that returns one."""
        if isinstance(node, cst.Tuple):
            return self.of(node.elements[index].value, spot, env) if index < len(node.elements) else (self._unknown,)
        if isinstance(node, cst.Call):
            functions = self.module.function_of(node.func, spot)
            if len(functions) == 1:
                return self.returned(functions[0], self._entered(functions[0], node, spot, env), index) or (self._unknown,)
            if not functions and (told := self.module.others.frames(node.func, spot)) is not None:
                from shoal.python import frames_elsewhere

                return _distinct(frames_elsewhere.of_call(self.module, told, node, spot, env, item=index))
        return (self._unknown,)

    def _param(self, function: Function, name: str, env: Env | None) -> tuple[Frame, ...]:
        typed = self.module.contexts.param_types.get((id(function), name))
        if isinstance(typed, Object) and typed.call == "foreachBatch":
            return (Frame(MICRO_BATCH, typed.node, typed.spot),)
        at = _env_of(env, function)
        if at is not None:
            return self._given(at, name)
        param = function.param(name)
        if param is None or param.kind in ("star", "stars"):
            return (self._unknown,)
        found: list[Frame] = []
        for site in self.module.call_sites(function):
            node = self.module.given(site, function, param)
            if node is None:
                return (self._unknown,)
            found += self.of(node, site.spot)
        for told in self._told_calls(function):
            found += self._given(told, name)
        if function.params and function.params[0].name == name:
            for call in self.module.named("transform"):
                if call.node.args and function in self.module.function_of(call.node.args[0].value, call.spot):
                    found += self.receivers(call)
        return _distinct(found) or (() if self._cuts else (self._unknown,))

    def _given(self, env: Env, name: str) -> tuple[Frame, ...]:
        """The frames that a call gives for a parameter."""
        given = env.given.get(name)
        if isinstance(given, Argument):
            return self.of(given.node, given.spot, given.env)
        return given if given is not None else (self._unknown,)

    def _attribute(self, node: cst.Attribute, spot: Spot) -> tuple[Frame, ...]:
        """`self.frame`: whatever the class's methods put there."""
        found: list[Frame] = []
        for owner in options(self.module.value(node.value, spot)):
            if not isinstance(owner, Instance):
                return (self._unknown,)
            bindings = [binding for cls in self.module.parents(owner.cls) for binding in cls.attributes.get(node.attr.value, ())]
            for binding in self._at_hand(bindings, node, spot):
                if binding.kind == "assign" and _no_frame(binding.node):
                    continue
                found += self.of(binding.node, binding.spot) if binding.kind == "assign" else (self._unknown,)
        return _distinct(found) or (self._unknown,)

    def _at_hand(self, bindings: list[Binding], node: cst.Attribute, spot: Spot) -> list[Binding]:
        """Which bindings of an attribute may hold at a spot: those from the last one of its own function on that surely is run before.

        All of them where a method or function of this module that is called in between may bind it anew.
        """
        own = [one for one in bindings if spot.function is not None and one.spot.function is spot.function]
        before = [one for one in own if one.spot.statement < spot.statement and one.spot.loops == spot.loops]
        sure = [one.spot.statement for one in before if one.kind == "assign" and one.spot.arms == spot.arms[: len(one.spot.arms)]]
        if not sure or any(one.spot.loops != spot.loops for one in own):
            return bindings
        last, owner = max(sure), dotted(node.value)
        for call in self.module.calls:
            if call.function is spot.function and last < call.spot.statement < spot.statement:
                func = call.node.func
                if (isinstance(func, cst.Attribute) and dotted(func.value) == owner) or self.module.function_of(func, call.spot):
                    return bindings
        return [one for one in before if one.spot.statement >= last]

    def _call(self, node: cst.Call, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        func = node.func
        functions = self.module.function_of(func, spot)
        if functions:
            found: list[Frame] = []
            for function in functions:
                found += self.returned(function, self._entered(function, node, spot, env))
            return _distinct(found)
        if (told := self.module.others.frames(func, spot)) is not None:
            from shoal.python import frames_elsewhere

            return _distinct(frames_elsewhere.of_call(self.module, told, node, spot, env))
        if dotted(func).rsplit(".", 1)[-1] == "broadcast" and node.args:  # a hint: the frame itself
            return self.of(node.args[0].value, spot, env)
        if not isinstance(func, cst.Attribute):
            return (self._unknown,)
        name = func.attr.value
        if isinstance(func.value, cst.Attribute) and func.value.attr.value == "na":
            return _distinct(Frame(f"na.{name}", node, spot, (frame,), env) for frame in self.of(func.value.value, spot, env))
        types = {obj.type for obj in self.module.objects(func.value, spot)}
        if types & {"spark.Reader", "spark.BatchReader"}:
            if len(types) > 1:
                return (self._unknown,)
            return (Frame(STREAM if "spark.Reader" in types else BATCH, node, spot, (), env),)
        if glue := self._glue(node, name, spot):
            return (Frame(glue, node, spot, (), env),)
        if not types and name in _LOADS and _of_notebook(func.value) and not self.module.lookup("spark", spot):
            return (Frame(BATCH, node, spot, (), env),)
        if isinstance(func.value, cst.Name) and name in _DLT and self.module.value(func.value, spot) == Symbol("dlt"):
            return (Frame(_DLT[name], node, spot, (), env),)
        if "spark.Session" in types:
            if name in ("sql", "table"):
                return self._view(node, name, spot, env)
            return (Frame(BATCH, node, spot),) if name in ("createDataFrame", "range") else (self._unknown,)
        if types and not types <= {"spark.DataFrame", "spark.Grouped"}:
            return (self._unknown,)
        made: list[Frame] = []
        for frame in self.of(func.value, spot, env):
            if name == "transform" and node.args:
                made += self._transformed(frame, node, spot, env)
            elif name in MEETINGS:
                other = Call(node, name, spot, None, "").argument(0, "other")
                made += [
                    Frame(name, node, spot, (frame, side), env)
                    for side in (self.of(other, spot, env) if other is not None else (self._unknown,))
                ]
            else:
                made.append(Frame(name, node, spot, (frame,), env))
        return _distinct(made)

    def _glue(self, node: cst.Call, name: str, spot: Spot) -> str:
        """What AWS Glue's context reads: `create_dynamic_frame.from_catalog(…)` is no stream, `create_data_frame.from_options("kinesis", …)` is one."""
        of = node.func.value.attr.value if isinstance(node.func, cst.Attribute) and isinstance(node.func.value, cst.Attribute) else ""
        reads = f"{of}_{name}" if name in ("from_options", "from_catalog") else name
        if reads in ("create_dynamic_frame_from_options", "create_dynamic_frame_from_catalog"):
            return BATCH
        if reads != "create_data_frame_from_options":
            return ""
        kind = Call(node, name, spot, None, "").argument(0, "connection_type")
        return STREAM if kind is not None and self.module.string(kind, spot) in ("kinesis", "kafka") else ""

    def _view(self, node: cst.Call, op: str, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        """`spark.table("v")`, or a plain `SELECT … FROM v WHERE …`, of a temporary view that the module itself makes."""
        asked = Call(node, op, spot, None, "").argument(0, "tableName" if op == "table" else "sqlQuery")
        text = self.text(asked, spot, env) if asked is not None else ""
        name = text.strip() if op == "table" else _selected(text)
        if op == "sql" and not name and (grouped := grouping(text)):
            op, name = GROUPED, grouped[0]
        found: list[Frame] = []
        for call in self.module.named(*_VIEWS):
            given = call.argument(0, "name")
            known = self.module.string(given, call.spot) if given is not None else ""
            if not known:
                return (self._unknown,)
            if known.lower() == name.lower().removeprefix("global_temp."):
                found += [Frame(op, node, spot, (frame,), env) for frame in self.receivers(call)]
        return _distinct(found) or (self._unknown,)

    def _transformed(self, frame: Frame, node: cst.Call, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        functions = self.module.function_of(node.args[0].value, spot)
        if not functions and (told := self.module.others.frames(node.args[0].value, spot)) is not None:
            from shoal.python import frames_elsewhere

            return frames_elsewhere.of_call(self.module, told, node, spot, env, frame)
        if len(functions) != 1 or not functions[0].params:
            return (Frame("transform", node, spot, (frame, self._unknown), env),)
        function = functions[0]
        given: dict[str, Any] = {function.params[0].name: (frame,)}
        for param, arg in zip(function.params[1:], node.args[1:], strict=False):
            given[arg.keyword.value if arg.keyword is not None else param.name] = Argument(arg.value, spot, env)
        return self.returned(function, Env(function, given, env))

    def _entered(self, function: Function, node: cst.Call, spot: Spot, env: Env | None) -> Env:
        key = (id(function), id(node), id(env))
        if key not in self._envs:
            call = Call(node, "", spot, None, "")
            given: dict[str, Any] = {}
            for param in function.params:
                passed = self.module.given(call, function, param)
                if passed is not None:
                    given[param.name] = Argument(passed, spot, env)
                elif param.default is not None:
                    given[param.name] = Argument(param.default, function.spot, None)
            self._envs[key] = Env(function, given, env)
        return self._envs[key]

    def _told_calls(self, function: Function) -> list[Env]:
        """The calls by which other modules give streams to a function."""
        if not self.module.told.given:
            return []
        if id(function) not in self._told:
            from shoal.python import frames_elsewhere

            self._told[id(function)] = frames_elsewhere.calls_of(self.module, function)
        return self._told[id(function)]

    def returned(self, function: Function, env: Env, item: int | None = None) -> tuple[Frame, ...]:
        """The frames that a function returns when it runs with some arguments, or those at one place of the tuples that it returns."""
        depth, at = 0, env.outer
        while at is not None:
            depth, at = depth + 1, at.outer
        if function.yields or not function.returns or depth > 8:
            return (self._unknown,)
        found: list[Frame] = []
        for node, spot in function.returns:
            if item is not None:
                if not isinstance(node, cst.Tuple) or item >= len(node.elements):
                    return (self._unknown,)
                found += self.of(node.elements[item].value, spot, env)
            elif node is not None and not (isinstance(node, cst.Name) and node.value == "None"):
                found += self.of(node, spot, env)
        return _distinct(found)

    # -- sinks

    def _writers(self) -> Iterator[Sink]:
        module = self.module
        groups: dict[int, tuple[Object, dict[str, Call]]] = {}
        for call in module.calls:
            for obj in module.receivers(call):
                if obj.type == "spark.Writer":
                    known = groups.setdefault(id(obj.node), (obj, {}))[1]
                    if call.name != "trigger" or "trigger" not in known or not may_end(known["trigger"]):
                        known.pop(call.name, None)
                        known[call.name] = call
        for obj, calls in groups.values():
            if not isinstance(obj.node, cst.Attribute):
                continue
            function = obj.spot.function
            sites = module.call_sites(function) if function is not None else []
            envs: list[Env | None] = [self._entered(function, site.node, site.spot, None) for site in sites] if function is not None else []
            envs += self._told_calls(function) if function is not None else []
            for env in envs or [None]:
                ways = self.of(obj.node.value, obj.spot, env)
                yield Sink(ways, self._mode(calls, obj, env), self._format(calls, obj, env), calls, obj)

    def _mode(self, calls: dict[str, Call], writer: Object, env: Env | None) -> str:
        call = calls.get("outputMode")
        node = call.argument(0, "outputMode") if call is not None else None
        if call is None:
            start = calls.get("start") or calls.get("toTable")
            node = start.argument(99, "outputMode") if start is not None else None
            if node is None:
                return "append" if start is not None and not start.has_stars else ""
            return self.text(node, start.spot, env).lower() if start is not None else ""
        if call.spot.on_some_paths(writer.spot) or node is None:
            return ""
        value = self.module.value(node, call.spot) if env is None else None
        # a default of a parameter that callers in other modules may give
        return "" if isinstance(value, Known) and value.sure == "default" else self.text(node, call.spot, env).lower()

    def _format(self, calls: dict[str, Call], writer: Object, env: Env | None) -> str:
        """The sink: of `format`, `foreach` and `foreachBatch`, the one that is called last sets it (DataStreamWriter of Spark 4.1)."""
        named = [name for name in calls if name in SINKS]
        chosen = any(calls[name].spot.on_some_paths(writer.spot) for name in named)  # by a branch, not by the order
        last = "format" if chosen and "format" in named else next(reversed(named), "")
        if last != "format":
            return last
        call = calls[last]
        node = call.argument(0, "source")
        return self.text(node, call.spot, env).lower() if node is not None else ""


class Argument(NamedTuple):
    """What a call gives for a parameter."""

    node: Any
    spot: Spot
    env: Env | None


def _no_frame(node: Any) -> bool:
    """Whether a value only keeps an attribute's place until there is a frame: `None`, `[]`."""
    return isinstance(node, (cst.List, cst.Dict, cst.SimpleString, cst.Integer)) or (isinstance(node, cst.Name) and node.value == "None")


def _attributes(call: Call) -> set[str]:
    """The attributes and methods in the chain before a call."""
    return (
        {at.attr.value for at in descend(call.receiver_node, (cst.Arg,)) if isinstance(at, cst.Attribute)} if call.receiver_node else set()
    )


def _env_of(env: Env | None, function: Any) -> Env | None:
    """The arguments of a function among the calls under way."""
    while env is not None:
        if env.function is function:
            return env
        env = env.outer
    return None


def _index(node: cst.Subscript) -> int | None:
    """The number in `x[0]`; None for any other subscript."""
    key = key_of(node)
    return key.evaluated_value if isinstance(key, cst.Integer) else None


def _distinct(frames: Any) -> tuple[Frame, ...]:
    """Without those that are made by one call from one frame."""
    seen: dict[Any, Frame] = {}
    for frame in frames:
        seen.setdefault((frame.op, id(frame.node), tuple(map(id, frame.inputs))), frame)
    return tuple(seen.values())


def _selected(text: str) -> str:
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


def keys_of(call: Call) -> list[Any]:
    """The keys of a `groupBy`, lists opened."""
    found: list[Any] = []
    for arg in call.node.args:
        node = arg.value
        found += [element.value for element in node.elements] if isinstance(node, (cst.List, cst.Tuple)) else [node]
    return found
