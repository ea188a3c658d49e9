"""Where functions run: on an operator's thread, in its timer, as a coroutine of an async operator, in a micro-batch, in a UDF or DoFn.

Found from how a function or class is used (its bases, what it is passed to, its decorators), and carried through the calls it makes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import libcst as cst

from shoal.lazy import pattern
from shoal.model import Place, Span
from shoal.python import clients, names_elsewhere
from shoal.python.threaded import handed_on
from shoal.python.tree import Call, ClassInfo, Function, beginning, decorating, dotted, last_name, targets
from shoal.python.values import UNKNOWN, ClassValue, FunctionValue, Instance, Known, Object, Symbol, Value, names, options
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.module import Module

_FLINK_BASES = names(
    "ProcessFunction KeyedProcessFunction CoProcessFunction KeyedCoProcessFunction BroadcastProcessFunction KeyedBroadcastProcessFunction "
    "ProcessWindowFunction ProcessAllWindowFunction WindowFunction AllWindowFunction MapFunction FlatMapFunction CoMapFunction CoFlatMapFunction "
    "FilterFunction ReduceFunction AggregateFunction KeySelector SinkFunction ScalarFunction TableFunction TableAggregateFunction AsyncFunction "
    "AsyncScalarFunction TimestampAssigner Trigger Partitioner BaseBroadcastProcessFunction UserDefinedFunction"
)
_RECORD = names(
    "process_element process_element1 process_element2 process_broadcast_element process apply map flat_map map1 map2 flat_map1 flat_map2 filter reduce "
    "eval accumulate retract merge add get_result get_value extract_timestamp get_key invoke emit_value on_element partition"
)
# Where the functions of windows are given their context.
_WINDOW_CONTEXTS = {"ProcessWindowFunction": 2, "ProcessAllWindowFunction": 1}
_BEAM_METHODS = {
    "process": "dofn",
    "process_batch": "dofn",
    "start_bundle": "dofn",
    "finish_bundle": "dofn",
    "setup": "open",
    "teardown": "close",
    "add_input": "dofn",
    "merge_accumulators": "dofn",
    "extract_output": "dofn",
    "create_accumulator": "dofn",
}
_STREAM_METHODS = names(
    "map flat_map filter process key_by reduce apply aggregate partition_custom min_by max_by add_sink with_timestamp_assigner"
)
_QUIX_METHODS = names("apply update filter")
# What Quix Streams before 2.0 calls with the data of a stream, and how its handlers say that they take it.
_QUIX_EVENTS = names(
    "on_data_received on_data_released on_dataframe_received on_dataframe_released on_raw_received on_raw_released on_message_received"
)
_QUIX_DATA = names("DataFrame TimeseriesData TimeseriesDataRaw EventData")
# What Bytewax calls for each item: operators take the function behind a step's name and the stream, methods of a dataflow (before 0.18) last.
_BYTEWAX = names("map flat_map flat_map_batch filter filter_map filter_value map_value key_on inspect")
# Where the methods of a project's own classes run: library, engine, classes of which they are, methods, kind. Quix Streams calls those of sources and sinks,
# Spark 4 those of what keeps state, reads a stream or writes one.
_LIBRARY_CLASSES = (
    ("quixstreams", "quix", names("Source StatefulSource"), ("run",), "source"),
    ("quixstreams", "quix", names("BaseSink"), ("add", "flush"), "step"),
    ("quixstreams", "quix", names("BatchingSink"), ("write",), "step"),
    ("pyspark", "spark", names("StatefulProcessor"), ("handleInputRows", "handleExpiredTimer", "handleInitialState"), "udf"),
    ("pyspark", "spark", names("StatefulProcessor"), ("close",), "close"),
    ("pyspark", "spark", names("DataSourceStreamReader SimpleDataSourceStreamReader"), ("read",), "source"),
    ("pyspark", "spark", names("DataSourceStreamWriter DataSourceStreamArrowWriter"), ("write",), "udf"),
)
_ROW_METHODS = names(
    "foreachPartition mapPartitions mapInPandas mapInArrow applyInPandas applyInPandasWithState transformWithState transformWithStateInPandas flatMap"
)
# What the old DStreams, and the RDDs that they are made of, call on the workers; `foreachRDD` and `transform` call in the driver, once for each batch.
_RDD_METHODS = names(
    "map flatMap filter mapValues flatMapValues mapPartitions mapPartitionsWithIndex foreach foreachPartition reduce reduceByKey updateStateByKey"
)
_OF_DSTREAMS = ("spark.DStream", "spark.RDD")
_BEAM_CALLS = names("Map FlatMap Filter MapTuple FlatMapTuple ParDo CombineGlobally CombinePerKey CombineValues")
# How a function of another module is called in the loop of a Kafka consumer: in each round, for one record, or in some way.
EACH = "called for each record of a Kafka consumer"
_IN_LOOP = "called in the loop of a Kafka consumer"
_FEEDS = "called in the loop that feeds Kafka"
# What speaks of Kafka in the dotted name of another module's function, and what coroutines are called that run once, before or after all others.
_OF_KAFKA = pattern(r"(?i)kafka|produce|publish|consum|broker|event_?bus")
_OF_DATABASE = pattern(
    r"(?i)(?:^|[._])db|database|repositor|repo\b|crud|\bdao|stor(?:e|age)|postgres|mysql|mongo|redis|sql|neo4j|graph|cassandra|insert|upsert|persist|save"
)
# Others that wait while a function holds up the event loop.
_SHARED = pattern(r"aiokafka|faust|fastapi|starlette|aiohttp|websocket|create_task|gather\(|TaskGroup|async for")
_ONCE = pattern(r"(?i)^_*(?:a|async_)?main$|lifespan|start|setup|\binit|stop|shut|clos|exit|tear|clean|disconnect|dispose|test")
_TRIAL = pattern(r"(?i)(?:^|[/\\_])(?:examples?|samples?|demos?|tests?|benchmarks?|docs?)(?:[/\\_.]|$)")
# Contexts on whose thread records, timers and barriers wait.
TASK = frozenset({"operator", "timer", "udf", "dofn", "sink", "dstream"})


class Context(NamedTuple):
    """`kind`: `operator`, `timer`, `async`, `udf`, `foreach-batch`, `foreach`, `dofn`, `agent`, `step`, `source`, `dataflow`, `record`, `feed` (in the loop of a program that sends to Kafka what it asks for), `open`, `close`,
    `dstream` (for the records of a DStream), `rdd` (for each of its batches, in the driver).

    `engine` is `flink`, `spark`, `beam`, `faust`, `quix`, `bytewax`, `kafka` or `asyncio`; `entry` the function the engine calls; `through` the helpers between it and this one.
    Where the function that the engine calls stands in another module, `origin` says which it is, and `entry` is the first one here;
    `guarded`: that module calls it inside a `try`.
    """

    kind: str
    engine: str
    entry: Function
    how: str
    through: tuple[Function, ...] = ()
    origin: str = ""
    guarded: bool = False

    def told(self) -> str:
        """Where this runs, in words."""
        words = {
            "operator": "on the operator's thread",
            "timer": "in a timer callback, on the operator's thread",
            "async": "in the async operator's event loop",
            "udf": "in a UDF, for each row or batch of rows",
            "foreach-batch": "inside foreachBatch",
            "foreach": "inside foreach, for each row",
            "dstream": "in a function of a DStream, for its records",
            "rdd": "inside foreachRDD, in the driver",
            "dofn": "in a DoFn, on the worker's bundle thread",
            "agent": "in a Faust agent, in the worker's event loop",
            "step": "in a handler of a Quix stream's data"
            if self.how.startswith(_HANDLES)
            else "in a step of a Quix Streams data frame, between two polls",
            "source": "in a source of Quix Streams" if self.engine == "quix" else "in the reader of a data source",
            "dataflow": "in a step of a Bytewax dataflow, for each item",
            "record": "in the loop of a Kafka consumer, between two polls",
            "feed": "in the loop that feeds Kafka",
            "open": "while the function is set up",
            "close": "while the function is shut down",
        }[self.kind]
        return words + (f" (called from {self.origin or self.entry.qualname})" if self.through else "")


_HANDLES = "handles"


class Contexts:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.param_types: dict[tuple[int, str], Value] = {}
        self._of: dict[int, list[Context]] = {}
        self._functions: dict[int, Function] = {}
        self.classes: dict[int, str] = {}  # id of a class -> the engine that runs its objects
        # id of a plain function -> the coroutine of another module that calls it, and where
        self.coroutines: dict[int, tuple[str, Place]] = {}
        self.handed: list[tuple[str, Context, Call]] = []  # functions of other modules that are handed to an engine, by dotted name
        self._own: dict[int, dict[str, str]] = {}  # id of a class -> the methods of its objects that it hands to foreachBatch, and how

    def of(self, function: Function | None) -> list[Context]:
        """The contexts a function runs in; none for code of the driver."""
        return self._of.get(id(function), [])

    def kinds(self, function: Function | None) -> frozenset[str]:
        return frozenset(context.kind for context in self.of(function))

    def running(self, *kinds: str) -> list[tuple[Function, Context]]:
        """The functions that run in one of these contexts, in source order, each with the first such context."""
        found = []
        for function in self.module.functions:
            context = next((context for context in self.of(function) if context.kind in kinds), None)
            if context is not None:
                found.append((function, context))
        return found

    def calls(self, *kinds: str) -> list[tuple[Call, Context]]:
        """The calls made in these contexts, in source order."""
        return [(call, context) for function, context in self.running(*kinds) for call in function.calls]

    # -- finding

    def find(self) -> None:
        for cls in self.module.classes:
            if cls.bases:
                self._by_bases(cls)
        for function in self.module.functions:
            for decorator in function.decorators:
                self._decorated(function, decorator)
        if "quixstreams" in self.module.raw:
            self._handlers_of_quix()
        for text in self.module.told.runs:
            self._told(*json.loads(text))
        # What fills parameters in comes first: values are kept once they are found.
        for call in self.module.named("foreachBatch", "forEachBatch"):
            self._foreach_batch(call)
        self.of_dstreams = "pyspark.streaming" in self.module.raw
        for call in self.module.named("foreachRDD", "transform") if self.of_dstreams else ():
            self._foreach_rdd(call)
        for cls in self.module.classes:
            self._overridden(cls)
        for call in self.module.calls:
            self._by_use(call)
        self._called_in_record_loops()
        self._called_in_feeding_loops()
        self._called_in_coroutines()
        self._carry()

    def _add(self, function: Function, context: Context) -> None:
        found = self._of.setdefault(id(function), [])
        for index, other in enumerate(found):
            if (other.kind, other.engine) == (context.kind, context.engine):
                if context.guarded:  # what one operator tries, those behind it need not
                    found[index] = other._replace(guarded=True)
                return
        found.append(context)
        self._functions[id(function)] = function

    def _told(self, name: str, kind: str, engine: str, origin: str, how: str, guarded: bool, awaited: bool) -> None:
        """A function of this module that another module runs; `name()` is one that a call of it gives."""
        for function in self.module.functions:
            if (not self._is_made_by(function, name[:-2]) if name.endswith("()") else not _is_called(function, name)) or (
                function.is_async and not awaited
            ):
                continue
            if kind == "coroutine":
                path, start, end = json.loads(origin)
                self.coroutines.setdefault(id(function), (how, Place(path, Span(start, end))))
                continue
            self._add(function, Context(kind, engine, function, how, (function,) if origin else (), origin, guarded))
            if kind == "foreach-batch" and not origin:
                self._fill(function, "foreachBatch", function)

    def _is_made_by(self, function: Function, maker: str) -> bool:
        """Whether a function stands in another one, which returns it, or is how an object of a class is called."""
        outer = function.outer
        if outer is None or outer.outer is not None or outer.qualname != maker:
            return function.outer is None and function.qualname == f"{maker}.__call__"
        given = options(self.module.returned(outer))
        return any(isinstance(option, FunctionValue) and option.function is function for option in given)

    def _handlers_of_quix(self) -> None:
        """What Quix Streams before 2.0 hands data to: `stream.timeseries.on_data_received = store`, or a function that says it takes a stream and its data."""
        handlers = [
            option.function
            for statement in self.module.tree.of_kind(cst.Assign)
            if any(isinstance(one, cst.Attribute) and one.attr.value in _QUIX_EVENTS for one in targets(statement.node))
            for option in options(self.module.value(statement.node.value, statement.spot))
            if isinstance(option, FunctionValue)
        ]
        for function in self.module.functions:
            takes = {last_name(param.annotation) for param in function.params}
            if "StreamConsumer" in takes and takes & _QUIX_DATA:
                handlers.append(function)
        for function in handlers:
            self._add(function, Context("step", "quix", function, f"{_HANDLES} the data of a stream"))

    def _by_bases(self, cls: ClassInfo) -> None:
        for base in self.module.bases(cls):
            top, last = base.split(".", 1)[0], base.rsplit(".", 1)[-1]
            if top == "pyflink" and last in _FLINK_BASES:
                self._flink_class(cls, last, ".table." in base)
            elif top == "apache_beam" and last in ("DoFn", "CombineFn"):
                self._beam_class(cls, last)
            for library, engine, classes, called, kind in _LIBRARY_CLASSES:
                if (top, last in classes) == (library, True):
                    for function in (cls.methods[name] for name in called if name in cls.methods):
                        self._add(function, Context(kind, engine, function, f"{cls.name} is a {last}"))

    def _flink_class(self, cls: ClassInfo, base: str, of_tables: bool) -> None:
        self.classes[id(cls)] = "flink"
        opened_with = "flink.FunctionContext" if of_tables else "flink.RuntimeContext"
        for at in reversed(self.module.parents(cls)):
            for name, function in at.methods.items():
                how = f"{cls.name} is a {base}"
                if name in _RECORD:
                    kind = "async" if function.is_async else "sink" if base == "SinkFunction" else "operator"
                    self._add(function, Context(kind if kind != "sink" else "operator", "flink", function, how))
                elif name == "on_timer" or name in ("on_processing_time", "on_event_time"):
                    self._add(function, Context("timer", "flink", function, how))
                elif name == "async_invoke" or (name == "timeout" and base == "AsyncFunction"):
                    self._add(function, Context("async", "flink", function, how))
                elif name in ("open", "close"):
                    self._add(function, Context(name, "flink", function, how))
                if name == "open" and len(function.params) > 1:
                    self.param_types[id(function), function.params[1].name] = Object(opened_with, function.node, function.spot)
                elif name.startswith(("process_element", "process_broadcast_element", "on_timer")) and len(function.params) > 2:
                    self.param_types[id(function), function.params[2].name] = Object("flink.Context", function.node, function.spot)
                elif name == "process" and len(function.params) == (place := _WINDOW_CONTEXTS.get(base, 99)) + 2:
                    self.param_types[id(function), function.params[place].name] = Object(
                        "flink.WindowContext", function.node, function.spot
                    )

    def _beam_class(self, cls: ClassInfo, base: str) -> None:
        self.classes[id(cls)] = "beam"
        for at in reversed(self.module.parents(cls)):
            for name, function in at.methods.items():
                if name in _BEAM_METHODS:
                    self._add(function, Context(_BEAM_METHODS[name], "beam", function, f"{cls.name} is a {base}"))
                elif any(isinstance(d, cst.Call) and dotted(d.func).endswith("on_timer") for d in function.decorators):
                    self._add(function, Context("timer", "beam", function, f"{cls.name} is a {base}"))

    def _decorated(self, function: Function, decorator: object) -> None:
        node = decorating(decorator)
        if isinstance(node, cst.Attribute) and node.attr.value == "agent" and function.is_async and self._takes_stream(function):
            self._add(function, Context("agent", "faust", function, "decorated as an agent"))
            return
        value = self.module.value(node, function.spot)
        if not isinstance(value, Symbol):
            return
        if value.last in ("udf", "udtf", "udaf", "udtaf", "pandas_udf") and value.top in ("pyflink", "pyspark"):
            engine = "flink" if value.top == "pyflink" else "spark"
            self._add(function, Context("udf", engine, function, f"decorated as {value.last}"))

    def _takes_stream(self, function: Function) -> bool:
        """Whether a coroutine goes over its first parameter with `async for`: agents of other frameworks do not."""
        stream = next(iter(function.given_names), "")
        return any(
            isinstance(statement.node, cst.For)
            and statement.node.asynchronous is not None
            and statement.spot.function is function
            and beginning(statement.node.iter) == stream
            for statement in self.module.tree.statements
        )

    def _handed(self, call: Call, node: object, kind: str, engine: str, how: str) -> list[Function]:
        """Functions that a call hands to an engine."""
        if node is None:
            return []
        found = []
        for option in options(self.module.value(node, call.spot)):
            if isinstance(option, Symbol):
                made = "()" if option.name.endswith("()") else ""
                name = option.name.replace("()", "") + made
            elif option is not UNKNOWN:
                name = ""
            elif isinstance(node, cst.Call):
                name = names_elsewhere.callee(self.module, node.func, call.spot)
                name = f"{name}()" if name else ""
            else:
                name = names_elsewhere.starred(self.module, node, call.spot) or names_elsewhere.method(self.module, node, call.spot)
            if isinstance(option, FunctionValue):
                found.append(option.function)
                self._add(option.function, Context(kind, engine, option.function, how))
            elif name:
                self._hand_on(name, kind, engine, how, call)
        return found

    def _hand_on(self, name: str, kind: str, engine: str, how: str, call: Call) -> None:
        """A function of another module, which has no entry here; `name()` is what a call of it gives."""
        self.handed.append((name, Context(kind, engine, call.function, how), call))  # type: ignore[arg-type]

    def _by_use(self, call: Call) -> None:
        name = call.name
        module = self.module
        args = call.node.args
        if name in _RDD_METHODS and self.of_dstreams and any(obj.type in _OF_DSTREAMS for obj in module.receivers(call)):
            for arg in args[:1]:
                self._handed(call, arg.value, "dstream", "spark", f"passed to {name}")
        elif name in _QUIX_METHODS and any(obj.type == "quix.Frame" for obj in module.receivers(call)):
            self._handed(call, call.argument(0, "func"), "step", "quix", f"passed to {name}")
        elif name in _BYTEWAX and args and (of := self._of_bytewax(call)) is not None:
            self._handed(call, of, "dataflow", "bytewax", f"passed to {name}")
        elif name in _STREAM_METHODS and args:
            self._stream_method(call)
        elif name == "foreach":
            if "spark.Writer" in {obj.type for obj in module.receivers(call)}:
                node = call.argument(0, "f")
                self._handed(call, node, "foreach", "spark", "passed to foreach")
                self._object_methods(call, node, {"process": "foreach", "open": "open", "close": "close"}, "spark")
        elif name in _ROW_METHODS:
            if any(obj.type.startswith("spark.") for obj in module.receivers(call)) or name.startswith(
                ("mapIn", "applyIn", "transformWith")
            ):
                self._handed(call, args[0].value if args else None, "udf", "spark", f"passed to {name}")
        elif name in ("udf", "udtf", "udaf", "udtaf", "pandas_udf") or name == "register":
            value = module.value(call.node.func, call.spot)
            top = value.top if isinstance(value, Symbol) else ""
            node = call.argument(1 if name == "register" else 0, "f")
            if top in ("pyflink", "pyspark") or (name == "register" and dotted(call.receiver_node).endswith(".udf")):
                self._handed(call, node, "udf", "flink" if top == "pyflink" else "spark", f"made a UDF by {name}")
        elif name in _BEAM_CALLS and args:
            value = module.value(call.node.func, call.spot)
            if isinstance(value, Symbol) and value.top == "apache_beam":
                self._handed(call, args[0].value, "dofn", "beam", f"passed to {name}")

    def _of_bytewax(self, call: Call) -> object:
        """The function that a step of a dataflow calls; None for any other call."""
        plain = [arg.value for arg in call.node.args if not arg.star]
        if self.module.qualified(call).startswith("bytewax.operators."):
            return plain[2] if len(plain) > 2 else None
        return plain[-1] if any(obj.type == "bytewax.Dataflow" for obj in self.module.receivers(call)) else None

    def _called_in_feeding_loops(self) -> None:
        """Functions of other modules that are called in the `while` of a function that makes a producer, its own or one in an object of the project's class."""
        module = self.module
        made = [call for call, _ in clients.made(module, clients.PRODUCERS)]
        made += [call for call in module.calls if "roducer" in call.name and clients.wrapped(module, call) in clients.PRODUCERS]
        makers = {id(call.function) for call in made if not call.spot.loops}
        for call in module.calls if makers else ():
            looped = any(isinstance(loop, cst.While) for loop in call.spot.loops)
            if not looped or id(call.function) not in makers or call.receiver_node is not None or module.target(call) is not None:
                continue
            name = names_elsewhere.callee(module, call.node.func, call.spot)
            for run in names_elsewhere.entered(call, name) if name else ():
                self._hand_on(run, "feed", "kafka", _FEEDS, call)

    def _called_in_record_loops(self) -> None:
        """Functions of other modules that are called in the loop of a Kafka consumer, or in a function that it calls; those of this one are seen without."""
        loops = clients.all_record_loops(self.module)
        single = clients.all_single_record_loops(self.module) if loops else set()
        for call in self.module.calls if loops else ():
            function = call.function
            if self.module.target(call) is not None:
                continue
            sites = self.module.call_sites(function) if function is not None else ()
            if clients.in_or_called_in(self.module, call, loops):
                name = names_elsewhere.callee(self.module, call.node.func, call.spot)
                if name:  # in a coroutine the event loop waits, too
                    engine = "asyncio" if function is not None and function.is_async else "kafka"
                    each = clients.in_each_round(call.spot, single) or (
                        not call.spot.conditional and any(clients.in_each_round(site.spot, single) for site in sites)
                    )
                    for run in names_elsewhere.entered(call, name):
                        self._hand_on(run, "record", engine, EACH if each else _IN_LOOP, call)
                        if function is not None and function.is_async and call.use != "awaited":
                            self._hand_on(run, "coroutine", "asyncio", f"async def {function.qualname}", call)

    def _called_in_coroutines(self) -> None:
        """Functions of other modules that deal with Kafka, or with a database, and that coroutines call in the event loop, not in a thread."""
        raw = self.module.raw  # what sleeps in a loop that another module runs leaves it to others meanwhile
        shared = _SHARED.search(raw) is not None or ("asyncio.sleep(" in raw and "asyncio.run(" not in raw)
        for function in self.module.functions if not _TRIAL.search(self.module.path) else ():
            for_records = any(context.kind == "record" and context.engine == "asyncio" for context in self.of(function))
            for call in function.calls if function.is_async else ():
                if (
                    call.use == "awaited"
                    or self.module.target(call) is not None
                    or not isinstance(call.node.func, (cst.Name, cst.Attribute))
                    or (_ONCE.search(function.name) and not call.spot.in_loop())
                ):
                    continue
                name = self.module.others.callee(call.node.func, call.spot)
                database = shared and _OF_DATABASE.search(name) and not _ONCE.search(name.rpartition(".")[2])  # `graph.setup_schema()`
                if name and (_OF_KAFKA.search(name) or database or for_records):
                    self._hand_on(name, "coroutine", "asyncio", f"async def {function.qualname}", call)

    def _foreach_batch(self, call: Call) -> None:
        # Glue's context has one of its own: forEachBatch(frame, batch_function, options)
        given = call.argument(0, "func") if call.name == "foreachBatch" else call.argument(1, "batch_function")
        self._handed(call, given, "foreach-batch", "spark", f"passed to {call.name}")
        self._object_methods(call, given, {"__call__": "foreach-batch"}, "spark")
        for option in options(self.module.value(given, call.spot)) if given is not None else ():
            if isinstance(option, FunctionValue):
                self._fill(option.function, "foreachBatch", call, option.given)
                self._passed_on(option.function, call)
            elif isinstance(option, Instance) and (method := self.module.method(option.cls, "__call__")) is not None:
                self._fill(method, "foreachBatch", call)

        function = call.function
        if (
            isinstance(given, cst.Attribute)
            and function is not None
            and function.cls is not None
            and dotted(given.value) == function.self_name
        ):
            self._own.setdefault(id(function.cls), {})[given.attr.value] = f"passed to {call.name}"

    def _foreach_rdd(self, call: Call) -> None:
        """A function that a DStream gives its RDDs to: the last parameter is the RDD, one before it the time of the batch."""
        if call.name == "transform" and not any(obj.type == "spark.DStream" for obj in self.module.receivers(call)):
            return
        for function in self._handed(call, call.argument(0, "func"), "rdd", "spark", f"passed to {call.name}"):
            plain = [param for param in function.params if param.name != function.self_name]
            if plain:
                self.param_types[id(function), plain[-1].name] = Object("spark.RDD", call.node, call.spot, call=call.name)

    def handed_on(self, cls: ClassInfo) -> dict[str, str]:
        """The methods of a class's objects that it, or a class that it is made of, hands to foreachBatch, and how."""
        found: dict[str, str] = {}
        for at in reversed(self.module.parents(cls)):
            found |= {**self.module.others.handed_on(at), **self._own.get(id(at), {})}
        return found

    def _overridden(self, cls: ClassInfo) -> None:
        """Methods that a class has in the place of those that its base hands on: `foreachBatch(self.store)` there."""
        if not cls.bases:
            return
        for name, how in self.handed_on(cls).items():
            if name in cls.methods and not self.of(cls.methods[name]):
                self._add(cls.methods[name], Context("foreach-batch", "spark", cls.methods[name], how))
                self._fill(cls.methods[name], "foreachBatch", cls.methods[name])

    def _passed_on(self, function: Function, at: Call) -> None:
        """`lambda batch, batch_id: store(batch, batch_id, table)`, with a function of another module, which is given the batch as though it were passed itself."""
        whole = next((call for call in function.calls if call.node is function.body), None) if function.is_lambda else None
        if whole is None or not whole.node.args or not function.params or self.module.target(whole) is not None:
            return
        first = whole.node.args[0]
        if first.keyword is None and not first.star and isinstance(first.value, cst.Name) and first.value.value == function.params[0].name:
            name = names_elsewhere.callee(self.module, whole.node.func, whole.spot)
            if name:
                self._hand_on(name, "foreach-batch", "spark", f"passed to {at.name}", at)

    def _fill(self, function: Function, how: str, at: Call | Function, before: int = 0) -> None:
        """The first parameter is the batch, behind those that `functools.partial` has given."""
        plain = [param for param in function.params if param.name != function.self_name][before:]
        if plain:
            self.param_types[id(function), plain[0].name] = Object("spark.DataFrame", at.node, at.spot, call=how)

    def _stream_method(self, call: Call) -> None:
        types = {obj.type for obj in self.module.receivers(call)}
        if not any(kind.startswith("flink.") for kind in types) and not call.has_keyword("output_type"):
            return
        if call.name == "map" and types and not any(kind.startswith("flink.") for kind in types):
            return
        self._handed(call, call.node.args[0].value, "operator", "flink", f"passed to {call.name}")

    def _object_methods(self, call: Call, node: object, kinds: dict[str, str], engine: str) -> None:
        if node is None:
            return
        for option in options(self.module.value(node, call.spot)):
            if isinstance(option, (Instance, ClassValue)):
                for name, kind in kinds.items():
                    method = self.module.method(option.cls, name)
                    if method is not None:
                        self._add(method, Context(kind, engine, method, f"an object passed to {call.name}"))

    def _carry(self) -> None:
        """Into the helpers that a function calls. What runs in another thread is not called, only named; a batch's function is done when its pool is."""
        waiting = [(function, context) for key, function in self._functions.items() for context in self._of[key]]
        while waiting:
            function, context = waiting.pop(0)
            if len(context.through) >= 6:
                continue
            for call in function.calls:
                if call.name == "super":
                    continue
                target = self.of_pool(call) if context.kind == "foreach-batch" else None
                target = target or self.module.target(call)
                if target is None or target is function or (target.is_async != (call.use == "awaited") and target.is_async):
                    continue
                carried = context._replace(through=(*context.through, function))
                before = len(self._of.get(id(target), ()))
                self._add(target, carried)
                if len(self._of[id(target)]) > before:
                    waiting.append((target, carried))

    def of_pool(self, call: Call) -> Function | None:
        """The function that a batch's has a pool, or a thread that it joins, run: `pool.submit(store, batch)`. The batch is done when these are."""
        joined = call.name.endswith("Thread") and call.function is not None and any(one.name == "join" for one in call.function.calls)
        handed = handed_on(call) if call.name in ("submit", "apply_async") or joined else None
        found = self.module.function_of(handed[0], call.spot) if handed is not None else []
        return found[0] if len(found) == 1 else None


def _is_called(function: Function, name: str) -> bool:
    return function.outer is None and function.qualname in (name, f"{name}.__init__")


def is_number(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.value, (int, float)) and not isinstance(value.value, bool)
