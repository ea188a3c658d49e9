"""What rules ask of the Spark data frames of a module: where each comes from, what has been done to it, and in which writers it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.model import Place
from shoal.python.conditions import for_batches
from shoal.python.frame import LOADS, MICRO_BATCH, SINKS, Env, Frame, Sink, may_end
from shoal.python.frames_of_batches import Batches
from shoal.python.tree import Call, Spot, chain, descend, key_of, last_name
from shoal.python.values import ClassValue, Instance, Known, Mapping, Object, Sequence, Symbol

if TYPE_CHECKING:
    from shoal.python.module import Module

_CHECKPOINT = "checkpointlocation"


class Frames(Batches):
    """Asked through `Module.frames`."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._sinks: list[Sink] | None = None

    def streams(self, node: Any, spot: Spot) -> list[Frame]:
        """The streaming frames an expression may be, if all that it may be is followed; else none."""
        ways = self.of(node, spot)
        if not ways or not all(frame.followed for frame in ways) or self._for_batches(spot):
            return []
        return [frame for frame in ways if frame.streams]

    def _for_batches(self, spot: Spot) -> bool:
        return "isStreaming" in self.module.tree.attribute_names and for_batches(self.module, spot)

    def flow(self, ways: tuple[Frame, ...]) -> bool:
        """Whether frames are surely of a stream, or micro-batches of one. What cannot be followed is where a module reads streams and nothing else."""
        if ways and all(frame.followed for frame in ways):
            return all(frame.streams or MICRO_BATCH in frame.roots() for frame in ways)
        reads = {obj.type for call in self.module.named(*LOADS) for obj in self.module.receivers(call)}
        return "spark.Reader" in reads and "spark.BatchReader" not in reads

    @staticmethod
    def only_batches(ways: tuple[Frame, ...]) -> bool:
        """Whether frames are surely no streams, whichever of them it is."""
        return bool(ways) and all(frame.batch for frame in ways)

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

    def shown_by_sink(self, call: Call) -> list[Frame]:
        """The frames of unknown origin that a call is made on, if what it gives ends in a `writeStream`, as only a stream can; where no watermark is to be seen at all."""
        if call.receiver_node is None or "withWatermark" in self.module.raw or not self.sinks_of(call):
            return []
        ways = self.of(call.receiver_node, call.spot)
        return list(ways) if ways and not all(frame.followed for frame in ways) else []

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

    def around(self, node: Any, spot: Spot) -> list[Call]:
        """The calls that pick columns or rows of a frame by an expression, in the expression's own statement."""
        return [
            call
            for call in self.module.named("select", "withColumn", "withColumns", "filter", "where")
            if call.spot.statement == spot.statement
            and call.receiver_node is not None
            and any(at is node for arg in call.node.args for at in descend(arg.value))
        ]

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

    def place(self, step: Frame) -> Place:
        """Where a step is named, in this module or in another one."""
        if step.origin is not None:
            return Place(step.origin.path, step.origin.span)
        return self.module.name_place(step.node, step.spot)

    def _writers(self) -> Iterator[Sink]:
        module = self.module
        groups: dict[int, tuple[Object, list[Call]]] = {}
        for call in module.calls:
            for obj in module.receivers(call):
                if obj.type == "spark.Writer":
                    groups.setdefault(id(obj.node), (obj, []))[1].append(call)
        for obj, calls in ((obj, calls) for obj, made in groups.values() for calls in self._calls_of(made)):
            if not isinstance(obj.node, cst.Attribute):
                continue
            function = obj.spot.function
            sites = module.call_sites(function) if function is not None else []
            envs: list[Env | None] = [self._entered(function, site.node, site.spot, None) for site in sites] if function is not None else []
            envs += self._told_calls(function) if function is not None else []
            for env in envs or [None]:
                ways = self.of(obj.node.value, obj.spot, env)
                yield Sink(ways, self._mode(calls, obj, env), self._format(calls, obj, env), calls, obj)

    def _calls_of(self, made: list[Call]) -> Iterator[dict[str, Call]]:
        """The calls of a writer by name: where branches end it each in its own way, those of each way."""
        ends = [call for call in made if call.name in ("start", "toTable")]
        apart: list[Call | None] = [end for end in ends if any(self._apart(end, other) for other in ends)]
        for end in apart or [None]:
            known: dict[str, Call] = {}
            for call in made:
                if end is not None and self._apart(call, end):
                    continue
                if call.name != "trigger" or "trigger" not in known or not may_end(known["trigger"]):
                    known.pop(call.name, None)
                    known[call.name] = call
            yield known

    def _apart(self, one: Call, other: Call) -> bool:
        """Whether only one of the two is made: in different branches, or in functions that are called there."""
        return any(here.excludes(there) for here in self._standing(one, other) for there in self._standing(other, one))

    def _standing(self, call: Call, beside: Call) -> list[Spot]:
        """Where a call stands, or where the one call of its function does, if another call is in another function."""
        sites = self.module.call_sites(call.function) if call.function is not None and call.function is not beside.function else []
        return [call.spot, sites[0].spot] if len(sites) == 1 else [call.spot]

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
