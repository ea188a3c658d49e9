"""What code does that only a rule over the whole job can judge: APIs that some release lacks, parsing that nothing guards, state."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.facts import Block, Usage
from shoal.flink_methods import ASYNC_WAITS
from shoal.flink_time import times
from shoal.lazy import pattern
from shoal.model import Place, Span
from shoal.python.clients import comes_to_an_end
from shoal.python.contexts import TASK
from shoal.python.facts import Sheet
from shoal.python.flow import looks_first
from shoal.python.pipelines import defines
from shoal.python.tree import ASSIGNMENTS, dotted, last_name
from shoal.python.values import Known, Mapping, Millis, Symbol, names, options
from shoal.scripts import scripts_loaded
from shoal.values import dates

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call, Spot

# Methods of PyFlink 1.20.5 that 2.0.2 lacks, by the type they are called on (asked again of 2.0.0 and 2.2.0).
_METHODS = {
    "flink.Environment": names(
        "set_state_backend get_state_backend set_restart_strategy get_restart_strategy set_stream_time_characteristic get_stream_time_characteristic "
        "read_text_file register_type register_type_with_kryo_serializer add_default_kryo_serializer"
    ),
    "flink.CheckpointConfig": names(
        "set_checkpoint_storage set_checkpoint_storage_dir get_checkpoint_storage enable_externalized_checkpoints set_externalized_checkpoint_cleanup "
        "get_externalized_checkpoint_cleanup"
    ),
    # removed before, with 1.14 or 1.15
    "flink.TableEnvironment": names("connect execute sql_update insert_into"),
    "flink.Table": names("insert_into"),
    "flink.EnvironmentSettings": names("use_blink_planner use_old_planner use_any_planner"),
    "flink.ExecutionConfig": names("set_restart_strategy get_restart_strategy set_execution_mode get_execution_mode"),
}
# Not StreamingFileSink: Java's is in another package now, where PyFlink 2.0.0 and 2.2.0 find it, and a job with one runs.
_CLASSES = names(
    "FsStateBackend MemoryStateBackend RocksDBStateBackend RestartStrategies ExecutionMode "
    "TimeCharacteristic ExternalizedCheckpointCleanup CsvTableSink CsvTableSource TableSink TableSource WriteMode BatchTableEnvironment"
)
# These can still be imported from 2.0: what is gone is their Java twins.
_KAFKA = ("FlinkKafkaConsumer", "FlinkKafkaProducer")
# What pyflink.table.descriptors has had since 1.14.
_DESCRIPTORS = names("Descriptor Rowtime Schema")
# First release with a class.
_NEW = {"AsyncDataStream": "2.2", "AsyncFunction": "2.2", "AsyncRetryStrategy": "2.2"}
# Operators of Bytewax that keep something for each key: functions, and methods of a dataflow before 0.18.
_STATEFUL = names(
    "stateful stateful_batch stateful_map stateful_flat_map join window collect_window count_window fold_window join_window max_window min_window reduce_window"
)
_STATEFUL_BEFORE = names("stateful_map reduce reduce_window fold_window collect_window")
_PARSERS = frozenset(
    {
        "json.loads",
        "orjson.loads",
        "ujson.loads",
        "simplejson.loads",
        "json.load",
        "xml.etree.ElementTree.fromstring",
        "yaml.safe_load",
        "ast.literal_eval",
    }
)
_OLD_STREAMS = frozenset({"pyspark.streaming.kafka", "pyspark.streaming.flume"})
_FOREIGN = names("pyflink pyspark apache_beam kafka confluent_kafka aiokafka delta numpy pandas requests boto3 dotenv yaml")
# What Databricks' pipelines do in its larger editions only.
_STREAMS = frozenset({"flink.DataStream", "flink.KeyedStream"})
_FEATURES = {
    **dict.fromkeys(
        ("expect", "expect_or_drop", "expect_or_fail", "expect_all", "expect_all_or_drop", "expect_all_or_fail"), "expectations"
    ),
    **dict.fromkeys(
        ("apply_changes", "apply_changes_from_snapshot", "create_auto_cdc_flow", "create_auto_cdc_from_snapshot_flow"), "changes"
    ),
}
_PIPELINES = ("dlt", "pyspark.pipelines")  # the module of such pipelines, and its successor
_STATES = frozenset(
    {"ValueStateDescriptor", "ListStateDescriptor", "MapStateDescriptor", "ReducingStateDescriptor", "AggregatingStateDescriptor"}
)


# Functions of PySpark that take a pattern of dates as their second argument.
_OF_DATES = ("to_date", "to_timestamp", "date_format", "unix_timestamp", "to_unix_timestamp", "from_unixtime", "try_to_timestamp")


def _date_patterns(module: Module) -> Iterator[tuple[str, Any, Spot]]:
    """Patterns of dates that functions and sources of PySpark are given, each with what takes it."""
    for call in module.named(*_OF_DATES):
        node = call.argument(1, "format")
        if node is not None and module.qualified(call).startswith("pyspark."):
            yield call.name, node, call.spot
    for name, node, spot in _options(module):
        if name in dates.OPTIONS:
            yield name, node, spot


def _options(module: Module) -> Iterator[tuple[str, Any, Spot]]:
    """What `option` is called with: the name, and the value where it stands."""
    for call in module.named("option"):
        key, value = call.argument(0, "key"), call.argument(1, "value")
        if key is not None and value is not None:
            yield module.string(key, call.spot), value, call.spot


# Hudi's key generators take a pattern of Joda's, and look at it for fields that are times.
_OF_HUDI = pattern(r"hoodie\.(?:deltastreamer\.)?keygen\.timebased\.(?:input|output)\.dateformat")
_TIMES_OF_HUDI = pattern(r"\bTIMESTAMP\b|TimestampBased")


def _patterns_of_hudi(module: Module) -> Iterator[tuple[str, Any, Spot]]:
    given = list(_options(module))
    for node, _, spot in module.tree.of_kind(*ASSIGNMENTS):
        options = module.value(node.value, spot) if isinstance(node.value, cst.Dict) else None
        given += [(pair.key or "", pair.value_node, pair.spot) for pair in options.pairs] if isinstance(options, Mapping) else []
    for name, value, spot in given:
        if _OF_HUDI.fullmatch(name):
            yield name, value, spot


def collect(sheet: Sheet) -> None:
    module = sheet.module
    block = next((fact.id for fact in sheet.out.facts if isinstance(fact, Block) and fact.role == "job" and fact.engine == "flink"), "")

    def add(kind: str, detail: str, node: Any, spot: Any) -> None:
        sheet.out.facts.append(Usage(kind, detail, module.place(node, spot), block))

    def named(kind: str, detail: str, call: Call) -> None:
        sheet.out.facts.append(Usage(kind, detail, module.call_place(call), block))

    raw = sheet.out.raw
    patterns = [("spark", *found) for found in _date_patterns(module)] if "pyspark" in raw else []
    if "keygen.timebased" in raw and _TIMES_OF_HUDI.search(raw):
        patterns += [("hudi", *found) for found in _patterns_of_hudi(module)]
    for engine, by, node, spot in patterns:
        if detail := dates.told(engine, by, module.string(node, spot), years_of_weeks=engine != "hudi"):
            add("date-pattern", detail, node, spot)
    if "pyflink" in sheet.out.raw:
        for call in module.calls:
            for kind, names in _METHODS.items():
                if call.name in names and module.receiver_type(call) == kind and not looks_first(call.spot):
                    name = f"{kind[6:]}.{call.name}" if kind in ("flink.TableEnvironment", "flink.Table") else call.name
                    named("flink-api", name, call)
            if call.name in ASYNC_WAITS and module.qualified(call).startswith("pyflink."):
                node = call.argument(2, "timeout")
                value = module.value(node, call.spot) if node is not None else None
                if isinstance(value, (Known, Millis)) and isinstance(value.value, (int, float)) and 0 < value.value < math.inf:
                    add("async-timeout", str(int(value.value)), node, call.spot)
            if call.name in _KAFKA and module.qualified(call).startswith("pyflink."):
                add("flink-api", call.name, call.node.func, call.spot)
            if call.name in _FORMATS and module.type_of(call.node, call.spot) == "flink.FileSinkBuilder":
                add("file-sink", "FileSink", call.node.func, call.spot)
            if call.name in _ENDING and module.receiver_type(call) == "flink.Environment":
                add("bounded-input", call.name, call.node.func, call.spot)
            if call.name in _EXECUTES and module.receiver_type(call) == "flink.Environment":
                add("submits", call.name, call.node.func, call.spot)
            if call.name in _STATES and "pyflink" in module.qualified(call):
                add("keyed-state", call.name, call.node.func, call.spot)
            if call.name == "build" and (batch := _batch(sheet, call)) is not None and batch[0] > 1:
                add("rows-waiting", str(batch[0]), batch[1], call.spot)
        for statement in module.tree.statements:
            node = statement.node
            if isinstance(node, cst.ImportFrom) and not isinstance(node.names, cst.ImportStar) and _from(node).startswith("pyflink"):
                for alias in () if looks_first(statement.spot) else node.names:
                    name = alias.name.value if isinstance(alias.name, cst.Name) else ""
                    if name in _CLASSES:
                        add("flink-api", name, alias.name, statement.spot)
                    elif _from(node) == "pyflink.table.descriptors" and name not in _DESCRIPTORS:
                        add("flink-api", f"descriptors.{name}", alias.name, statement.spot)
                    elif name in _NEW and _from(node) in (
                        "pyflink.datastream",
                        "pyflink.datastream.functions",
                        "pyflink.datastream.async_data_stream",
                    ):
                        add("flink-api-since", name, alias.name, statement.spot)
        sheet.out.facts += [Usage("time", kind, Place(sheet.out.path, Span(start, end))) for kind, start, end in times(sheet.out.raw)]
        if (ending := _left_alone(sheet)) is not None:
            named("insert-not-awaited", ending.name, ending)
    if "kafka.vendor.six.moves" in sheet.out.raw:  # sys.modules is given what kafka-python does not find
        sheet.out.facts.append(Usage("six-moves-replaced", "", Place(sheet.out.path, Span(0, 0))))
    if "confluent_kafka" in sheet.out.raw:
        for call in module.named("close"):
            if module.receiver_type(call) == "confluent.Producer" and not looks_first(call.spot):
                named("confluent-api-since", "2.13 Producer.close", call)
        for statement in module.tree.of_kind(cst.With):
            for item in statement.node.items:
                kind = module.type_of(item.item, statement.spot) if isinstance(item.item, (cst.Call, cst.Name, cst.Attribute)) else ""
                if kind in ("confluent.Producer", "confluent.Consumer") and not looks_first(statement.spot):
                    add("confluent-api-since", f"2.13 {kind.partition('.')[2]}.__enter__", item.item, statement.spot)
    if "dlt" in sheet.out.raw or "pipelines" in sheet.out.raw:
        for call in module.calls:
            feature = _FEATURES.get(call.name, "")
            if feature and module.qualified(call) in [f"{name}.{call.name}" for name in _PIPELINES]:
                add("pipeline-feature", feature, call.node.func, call.spot)
    if "transformWithState" in sheet.out.raw:
        for call in module.named("transformWithState", "transformWithStateInPandas"):
            if module.frames.only_batches(module.frames.receivers(call)):  # tried on Spark 4.0.1: a batch does without
                continue
            if call.function is None or not defines(module, call.function):  # pipelines keep their state in RocksDB by themselves
                named("state-on-rocksdb", call.name, call)
    for call in module.named("withWatermark"):
        if (earlier := _marked_before(module, call)) is not None:
            related = (earlier._replace(role="related", label="the first watermark"),)
            sheet.out.oddity("watermark-again", "withWatermark", sheet.name_span(call), related=related)
    for call in module.named("awaitTermination", "awaitAnyTermination"):
        if not call.node.args and call.receiver_node is not None:
            add("waits-for-ever", call.name, call.node.func, call.spot)
    if "pyspark.streaming" in sheet.out.raw:
        for call in module.named("StreamingContext"):
            add("dstreams", "StreamingContext", call.node.func, call.spot)
        for statement in module.tree.statements:
            node = statement.node
            if isinstance(node, cst.ImportFrom) and _from(node) in _OLD_STREAMS and not statement.spot.guarded:
                add("spark-api", _from(node), node.module, statement.spot)
    started = "pyspark" in sheet.out.raw and "__main__" in sheet.out.raw  # a program whose session and queries other modules may make
    if started or sheet.out.aside or any(isinstance(fact, Block) for fact in sheet.out.facts):
        sheet.out.facts += [Usage("import", detail, Place(sheet.out.path, Span(0, 0))) for detail in _imports(sheet)]
        sheet.out.facts += scripts_loaded(sheet.out.raw, sheet.out.path)
    for call in module.named("ReadFromPubSub", "ReadFromPubSubLite", "MultipleReadFromPubSub"):
        if module.qualified(call).startswith("apache_beam."):
            add("reads-pubsub", call.name, call.node.func, call.spot)
    for call in module.named("ReadFromKafka", "ReadDataFromKinesis", "KafkaConsume"):
        ends = call.has_stars or call.has_keyword("max_num_records", "max_read_time")
        if not ends and module.qualified(call).startswith(("apache_beam.", "beam_nuggets.")):
            add("reads-endless", call.name, call.node.func, call.spot)
    if "bytewax" in sheet.out.raw:
        _dataflows(sheet)
    handled = bool(module.named("with_exception_handling"))
    for call, where in module.contexts.calls(*TASK):
        if call.name not in ("loads", "load", "fromstring", "safe_load", "literal_eval", "eval") or not _parses(sheet, call):
            continue
        if call.spot.guarded or where.guarded:
            add("guarded-parse", f"{where.engine}:{call.name}", call.node.func, call.spot)
            continue
        if from_state(module, call) or _from_file(module, call) or (where.engine == "beam" and handled):
            continue
        if any(isinstance(one, cst.Call) and last_name(one.func) == "suppress" for one in call.spot.withs):
            continue
        if not any(_guarded_site(sheet, function, where) for function in where.through):
            add("unguarded-parse", f"{where.engine}:{call.name}", call.node.func, call.spot)
    for call in () if handled else module.named("Map", "FlatMap"):
        given = call.node.args[0].value if call.node.args and module.qualified(call).startswith("apache_beam.") else None
        if given is not None and _parser(module, given, call.spot):
            add("unguarded-parse", f"beam:{call.name}", given, call.spot)
    for call in module.named("map", "flat_map", "key_by"):
        given = call.node.args[0].value if call.node.args and module.receiver_type(call) in _STREAMS else None
        if given is not None and _parser(module, given, call.spot):
            add("unguarded-parse", f"flink:{call.name}", given, call.spot)


def _marked_before(module: Module, call: Call) -> Place | None:
    """What sets a watermark on all that a call sets one on again; None where something may be a batch, or is grouped in between.

    A second one for the same column, with nothing kept in between, is left alone: Spark may make one of the two.
    """
    column, ways = module.string(call.argument(0, "eventTime"), call.spot), module.frames.of(call.receiver_node, call.spot)
    before = []
    for frame in ways:
        steps = frame.steps("withWatermark")
        marked = {name for name, _ in module.frames.watermarks(frame)}
        kept = frame.steps("dropDuplicates", "drop_duplicates", "dropDuplicatesWithinWatermark", "join", "union", "unionByName")
        if not steps or frame.steps("groupBy", "groupby") or not (frame.streams or not frame.followed):
            return None
        if not kept and (not column or marked != {*marked} - {"", column}):
            return None
        before.append(steps[0])
    return module.frames.place(before[0]) if before else None


def _dataflows(sheet: Sheet) -> None:
    """The first thing that a dataflow of Bytewax keeps, and the runs that are given nowhere to write it down."""
    module = sheet.module
    if "TestingSource" in sheet.out.raw or "TestingInput" in sheet.out.raw:
        return  # what a program makes up
    kept = next((call for call in module.calls if _keeps_items(module, call)), None)
    if kept is None:
        return
    sheet.out.facts.append(Usage("dataflow-state", kept.name, module.call_place(kept)))
    for call in module.named("run_main", "cluster_main", "spawn_cluster"):
        if module.qualified(call).startswith("bytewax.") and not call.has_stars and not call.has_keyword("recovery_config"):
            sheet.out.facts.append(Usage("dataflow-run", "", module.call_place(call)))


def _keeps_items(module: Module, call: Call) -> bool:
    """A state of its own has a Kafka source, too: where it is in each partition."""
    if call.name in ("KafkaSource", "KafkaInput", "KafkaInputConfig"):
        return module.qualified(call).startswith("bytewax.")
    if call.name == "input":
        return module.qualified(call) == "bytewax.connectors.kafka.operators.input"
    if call.name in _STATEFUL and module.qualified(call).startswith("bytewax.operators."):
        return True
    return call.name in _STATEFUL_BEFORE and any(obj.type == "bytewax.Dataflow" for obj in module.receivers(call))


def _batch(sheet: Sheet, built: Call) -> tuple[int, Any] | None:
    """How many rows a JDBC sink collects that no interval writes, and where that is said. By default there is no interval, and 5000 rows."""
    size, at, node = 5000, built.node.func, built.receiver_node
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        name = node.func.attr.value
        if name in ("builder", "Builder") and dotted(node.func.value).endswith("JdbcExecutionOptions"):
            return size, at
        value = sheet.module.value(node.args[0].value, built.spot) if node.args else None
        if name == "with_batch_interval_ms" and value != Known(0):
            return None
        if name == "with_batch_size":
            if not isinstance(value, Known) or not isinstance(value.value, int):
                return None
            size, at = value.value, node.func.attr
        node = node.func.value
    return None


_FORMATS = frozenset({"for_row_format", "for_bulk_format"})
# Input that ends, and is no connector's.
_ENDING = frozenset({"from_collection", "from_elements", "read_text_file"})
# What an environment submits its job by.
_EXECUTES = frozenset({"execute", "execute_async"})
# Types whose calls of this name submit a job of tables and return at once.
_SUBMITS = {
    "execute_sql": ("flink.TableEnvironment",),
    "execute_insert": ("flink.Table",),
    "execute": ("flink.StatementSet", "flink.TablePipeline"),
}
# What keeps a script running, or shows that it is not the whole program.
_STAYS = (
    "wait",
    "result",
    "collect",
    "print",
    "to_pandas",
    "get_job_client",
    "get_job_status",
    "join",
    "sleep",
    "input",
    "pause",
    "run_forever",
)


def _left_alone(sheet: Sheet) -> Call | None:
    """The last call that submits an INSERT of a script which waits for nothing."""
    module = sheet.module
    if module.notebook or any(_stays(module, call) for call in module.named(*_STAYS)) or module.named("execute_async", "wait_until_finish"):
        return None
    last = None
    for call in module.named(*_SUBMITS):
        kind = module.receiver_type(call)
        if (call.name == "execute" and kind not in _SUBMITS["execute"]) or call.use not in ("dropped", "assigned"):
            return None
        if kind in _SUBMITS[call.name] and (call.name != "execute_sql" or _inserts(sheet, call)):
            last = call
    return last if last is not None and comes_to_an_end(module, last) else None


def _stays(module: Any, call: Call) -> bool:
    if call.name == "join" and (given := call.argument(0)) is not None:  # paths and texts are joined too
        return isinstance(given, (cst.Integer, cst.Float))
    return call.receiver_node is not None or call.name in ("input", "sleep")


def _inserts(sheet: Sheet, call: Call) -> bool:
    from shoal.python.texts import text_of

    node = call.argument(0, "stmt")
    text = text_of(sheet.module, node, call.spot) if node is not None else None
    return text is not None and text.text.lstrip()[:6].upper() == "INSERT"


def _imports(sheet: Sheet) -> Iterator[str]:
    """Modules that may be the project's own, as `.package.module:name,name`: the dots of a relative import, and the names taken from it."""
    from shoal.python.tree import dotted

    for statement in sheet.module.tree.statements:
        node = statement.node
        if isinstance(node, cst.Import):
            found = [(dotted(alias.name), "") for alias in node.names]
        elif isinstance(node, cst.ImportFrom):
            taken = "" if isinstance(node.names, cst.ImportStar) else ",".join(dotted(alias.name) for alias in node.names)
            found = [("." * len(node.relative) + _from(node), taken)]
        else:
            continue
        for name, taken in found:
            top = name.partition(".")[0]
            if name and top not in sys.stdlib_module_names and top not in _FOREIGN:
                yield f"{name}:{taken}"
    if sheet.module.notebook:
        from shoal.python.notebook import runs

        yield from (f"{name}:" for name in runs(sheet.out.raw))


def _from(node: cst.ImportFrom) -> str:
    from shoal.python.tree import dotted

    return dotted(node.module) if node.module is not None else ""


def _parses(sheet: Sheet, call: Call) -> bool:
    # Python's own eval(), which many take for a parser
    by_name = call.name == "eval" and call.receiver_node is None and not sheet.module.lookup("eval", call.spot)
    return by_name or _parser(sheet.module, call.node.func, call.spot)


def _parser(module: Module, node: Any, spot: Spot) -> bool:
    return any(isinstance(option, Symbol) and option.name in _PARSERS for option in options(module.value(node, spot)))


def _from_file(module: Module, call: Call) -> bool:
    """Whether a call reads a file that the function opens: a schema or settings, and no record."""
    node = call.argument(0)
    bound = [binding for binding, _ in module.lookup(node.value, call.spot)] if isinstance(node, cst.Name) else []
    opened = [binding.node if binding.kind == "with" else None for binding in bound] or [node]
    return all(isinstance(one, cst.Call) and dotted(one.func) == "open" for one in opened)


def from_state(module: Module, call: Call) -> bool:
    """Whether a call is given what a state holds: no record, and something that the job wrote itself."""
    return _held(module, call.argument(0), call.spot, 4)


def _held(module: Module, node: Any, spot: Spot, level: int) -> bool:
    if isinstance(node, cst.Name):
        found = module.lookup(node.value, spot) if level else []
        return bool(found) and all(
            binding.kind in ("assign", "for") and _held(module, binding.node, binding.spot, level - 1) for binding, _ in found
        )
    if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
        return _held(module, node.left, spot, level)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    name, holder = node.func.attr.value, node.func.value
    if name in ("decode", "strip") and level:
        return _held(module, holder, spot, level - 1)
    if name == "value":
        return not node.args
    return name in ("get", "values", "items", "keys") and is_state(dotted(holder), spot)


def is_state(name: str, spot: Spot) -> bool:
    """`self.x` of a function that asks for a state and calls it so."""
    cls = spot.function.cls if spot.function is not None else None
    if cls is None or not name.startswith("self."):
        return False
    made = cls.attributes.get(name.removeprefix("self."), ())
    return any(
        isinstance(binding.node, cst.Call)
        and isinstance(binding.node.func, cst.Attribute)
        and re.fullmatch(r"get_(\w+_)?state", binding.node.func.attr.value)
        for binding in made
    )


def _guarded_site(sheet: Sheet, function: Any, where: Any) -> bool:
    """Whether a caller on the way here makes its call inside a `try`."""
    reached = {id(other) for other in (*where.through, where.entry)}
    for call in function.calls:
        if call.spot.guarded and (target := sheet.module.target(call)) is not None and (id(target) in reached or target is not function):
            return True
    return False
