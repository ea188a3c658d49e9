"""Names that PyFlink does not have: Java's API has more classes, other methods and a collector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.catalogue import pyflink
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import looks_first
from shoal.python.tree import Call, dotted, sure_imports
from shoal.python.values import Known, Object, Symbol, names, options

_TYPES = {
    "flink.Environment": "StreamExecutionEnvironment",
    "flink.TableEnvironment": "StreamTableEnvironment",
    "flink.CheckpointConfig": "CheckpointConfig",
    "flink.KafkaSourceBuilder": "KafkaSourceBuilder",
    "flink.KafkaSinkBuilder": "KafkaSinkBuilder",
    "flink.SerializerBuilder": "KafkaRecordSerializationSchemaBuilder",
    "flink.WatermarkStrategy": "WatermarkStrategy",
    "flink.DataStream": "DataStream",
    "flink.KeyedStream": "KeyedStream",
    "flink.WindowedStream": "WindowedStream",
    "flink.ConnectedStreams": "ConnectedStreams",
    "flink.DataStreamSink": "DataStreamSink",
    "flink.StatementSet": "StatementSet",
    "flink.TableResult": "TableResult",
    "flink.Table": "Table",
    "flink.TableConfig": "TableConfig",
    "flink.ExecutionConfig": "ExecutionConfig",
    "flink.Configuration": "Configuration",
    "flink.ElasticsearchSinkBuilder": "Elasticsearch7SinkBuilder",
    "flink.FileSourceBuilder": "FileSourceBuilder",
    "flink.OldKafkaSource": "FlinkKafkaConsumer",
    "flink.OldKafkaSink": "FlinkKafkaProducer",
    "flink.PulsarSourceBuilder": "PulsarSourceBuilder",
    "flink.PulsarSinkBuilder": "PulsarSinkBuilder",
    "flink.JdbcConnectionBuilder": "JdbcConnectionOptions.JdbcConnectionOptionsBuilder",
    "flink.JdbcExecutionBuilder": "JdbcExecutionOptions.Builder",
    "flink.OutputFileConfigBuilder": "OutputFileConfig.OutputFileConfigBuilder",
    "flink.SchemaBuilder": "Schema.Builder",
    "flink.TableDescriptorBuilder": "TableDescriptor.Builder",
    "flink.FormatDescriptorBuilder": "FormatDescriptor.Builder",
    "flink.StateTtlBuilder": "StateTtlConfig.Builder",
    "flink.StateTtl": "StateTtlConfig",
    "flink.JobExecutionResult": "JobExecutionResult",
    "flink.JobClient": "JobClient",
    "flink.RuntimeContext": "RuntimeContext",
    "flink.FunctionContext": "FunctionContext",
    "flink.TimerService": "TimerService",
    "flink.ValueState": "ValueState",
    "flink.ListState": "ListState",
    "flink.MapState": "MapState",
    "flink.ReducingState": "ReducingState",
    "flink.AggregatingState": "AggregatingState",
}
# What one function gives, where others give what is of the same type and another class.
_GIVES = {
    "TableEnvironment.create": "TableEnvironment",
    "FileSink.for_row_format": "FileSink.RowFormatBuilder",
    "FileSink.for_bulk_format": "FileSink.BulkFormatBuilder",
    "StreamingFileSink.for_row_format": "StreamingFileSink.DefaultRowFormatBuilder",
    "KinesisStreamsSink.builder": "KinesisStreamsSinkBuilder",
    "KinesisFirehoseSink.builder": "KinesisFirehoseSinkBuilder",
    **{name: name for name in (f"{kind}StateDescriptor" for kind in ("Value", "List", "Map", "Reducing", "Aggregating"))},
}
# Of these an object of Python's own stands behind the interface, in the task, and can do a little more.
_IN_TASK = {
    "RuntimeContext": (),
    "FunctionContext": (),
    "TimerService": ("advance_watermark",),
    **dict.fromkeys(
        ("ValueState", "ListState", "MapState", "ReducingState", "AggregatingState"),
        ("enable_time_to_live", "get_internal_state", "set_current_namespace"),
    ),
}
# What the contexts have that a function is given: of process functions of all kinds and of both ways to run Python, and of windows.
_OF_CONTEXTS = {
    "flink.Context": names(
        "timer_service timestamp get_current_key time_domain current_processing_time current_watermark get_broadcast_state "
        "set_timestamp set_current_key set_time_domain"
    ),
    "flink.WindowContext": names("window current_processing_time current_watermark window_state global_state"),
}
# What confluent-flink-table-api-python-plugin puts beside PyFlink's own modules.
_PLUGIN = "pyflink.table.confluent."
# Packages beside those whose modules are known, of PyFlink's own and of what is installed into it.
_PACKAGES = (
    "agents",
    "dataset",
    "examples",
    "fn_execution",
    "metrics",
    "ml",
    "testing",
    "util",
    "find_flink_home",
    "gen_protos",
    "java_gateway",
    "pyflink_callback_server",
    "pyflink_gateway_server",
    "serializers",
    "shell",
    "version",
)
# What another class of PyFlink has, and how one comes by it.
_OTHERS = {
    "StreamExecutionEnvironment": ("StreamTableEnvironment", "StreamTableEnvironment.create(env) makes an environment that has it"),
    "DataStream": ("KeyedStream", "a stream has it behind key_by()"),
    "TableEnvironment": ("StreamTableEnvironment", "StreamTableEnvironment.create(env) makes an environment that has it"),
    "StreamTableEnvironment": ("StreamExecutionEnvironment", "the StreamExecutionEnvironment that it is made of has it"),
}
# What programs take from Java.
_INSTEAD = {
    "RichSinkFunction": "sinks are connectors, or a map that writes",
    "RichSourceFunction": "sources are connectors",
    "ParallelSourceFunction": "sources are connectors",
    "KafkaSinkBuilder.set_topic": "the topic goes to KafkaRecordSerializationSchema.builder()",
    "KafkaSinkBuilder.set_value_serialization_schema": "the schema goes to KafkaRecordSerializationSchema.builder()",
    "OffsetsInitializer": "KafkaOffsetsInitializer",
    "col": "it is in pyflink.table.expressions",  # pyflink.table.table only passes it on
    "Elasticsearch7SinkBuilder.set_index": "the index goes to ElasticsearchEmitter.static_index()",
    "ElasticsearchEmitter.static": "static_index may be meant",
    "JobExecutionResult.wait": "execute() has waited already",
    "FlinkKafkaConsumer.assign_timestamps_and_watermarks": "the stream that add_source() gives has it",
    "TableDescriptor.Builder.options": "option() takes one at a time",
    "ValueState.get": "its value is value()",
    "Table.print": "execute() gives a result that has it",
    "Table.show": "execute().print() prints it",
    **{
        f"ExecutionConfig.{name}": "options go into a Configuration, which configure() of the environment takes"
        for name in ("set", "set_string")
    },
    "Configuration.set": "set_string() takes a key and a text",
    "DataStream.window": "a stream has it behind key_by(), this one has window_all()",
    **{f"WindowedStream.{name}": "a window has reduce() and aggregate()" for name in ("sum", "min", "max", "min_by", "max_by")},
    **{f"{kind}.join": "streams are joined as tables, or connected" for kind in ("DataStream", "KeyedStream")},
}

_INSTEAD_OF_CONTEXTS = {
    "collect": "; results are yielded",
    "output": "; results are yielded, for a side output together with its tag: `yield tag, value`",
    **{f"{verb}_{time}_time_timer": "; ctx.timer_service() has it" for verb in ("register", "delete") for time in ("event", "processing")},
    **dict.fromkeys(("get_state", "get_list_state", "get_map_state"), "; open() is given the runtime context, which has it"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module, known = context.module, pyflink()
    if "pyflink" in module.path.split("/")[:-1]:
        return  # PyFlink's own source, maybe of a later release
    for node, spot in sure_imports(module.tree):
        name = dotted(node.module)
        if not name.startswith("pyflink.") or name == "pyflink.table.descriptors" or f"{name}.".startswith(_PLUGIN):
            continue  # descriptors went with 1.14
        if name not in known:
            if name.split(".")[1] not in _PACKAGES and "._" not in name:
                first = "" if isinstance(node.names, cst.ImportStar) else dotted(node.names[0].name)
                where = next((f"; {first} is in {has}" for has in _modules(first, known)), "")
                message = f"the import fails: no release of PyFlink has a module {name}{where}"
                yield context.finding(message, module.place(node.module, spot))
            continue
        for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
            wanted = dotted(alias.name)
            if wanted not in known[name] and wanted[:1] != "_":
                message = f"the import fails: no release of PyFlink has {wanted} in {name}{_instead(wanted, known[name], known)}"
                yield context.finding(message, module.place(alias.name, spot))
    for call in module.calls:
        func = call.node.func
        if not isinstance(func, cst.Attribute) or looks_first(call.spot):
            continue
        owner_of = (
            (func.value,) if isinstance(func.value, cst.Attribute) else ()
        )  # Java's classes within classes: KafkaSource.Offsets.earliest()
        for node in (func, *owner_of, *(arg.value for arg in call.node.args if isinstance(arg.value, cst.Attribute))):
            yield from _member(context, known, node, call)
        if call.name == "get_runtime_context" and _of_itself(module, call):
            message = "the task ends here with an AttributeError: functions of PyFlink have no get_runtime_context(); open() is given the runtime context"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        elif call.name[:1] != "_" and call.name not in _OF_CONTEXTS.get(module.receiver_type(call), (call.name,)):
            message = f"each record ends here with an AttributeError: a context of PyFlink has no {call.name}(){_INSTEAD_OF_CONTEXTS.get(call.name, '')}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        elif call.name[:1] != "_":
            owner = _owner(module, call)
            if owner and call.name not in known[f":{owner}"] and call.name not in _IN_TASK.get(owner, ()):
                what = "the task ends" if _opens(module, call) else "each record ends" if owner in _IN_TASK else "the program stops"
                message = f"{what} here with an AttributeError: no release of PyFlink has {call.name} in {owner}"
                message += _instead(call.name, known[f":{owner}"], known, owner)
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _opens(module: Any, call: Call) -> bool:
    return bool(module.contexts.kinds(call.function) & {"open", "close"})


def _owner(module: Any, call: Call) -> str:
    """The class of PyFlink's that a method is called on; empty where it may be another one."""
    # an attribute that is None until open() sets it
    made = [option for option in options(module.receiver(call)) if not (isinstance(option, Known) and option.value is None)]
    found = [option for option in made if isinstance(option, Object)]
    if len(found) != len(made):
        return ""
    owners = {_class(obj) for obj in found}
    owner = owners.pop() if len(owners) == 1 else ""
    other = _OTHERS.get(owner, ("", ""))[0]
    # an annotation is wrong more often than a program that never ran
    annotated = all(not isinstance(obj.node, cst.Call) for obj in found)
    return "" if other and annotated and call.name in pyflink()[f":{other}"] else owner


def _class(obj: Object) -> str:
    return _GIVES.get(obj.call) or _TYPES.get(obj.type, "")


def _of_itself(module: Any, call: Call) -> bool:
    """Whether a function of PyFlink's calls a method on itself that its class does not define."""
    function, receiver = call.function, call.receiver_node
    cls = function.cls if function is not None else None
    return (
        function is not None
        and cls is not None
        and module.contexts.classes.get(id(cls)) == "flink"
        and isinstance(receiver, cst.Name)
        and receiver.value == function.self_name
        and module.method(cls, call.name) is None
        and all(base.startswith(("pyflink.", "typing.", "abc.")) for base in module.written_bases(cls))
    )


def _member(context: Context, known: dict[str, frozenset[str]], node: cst.Attribute, call: Call) -> Iterator[Finding]:
    """A member of one of PyFlink's classes, as in `Types.TEXT()`."""
    if not isinstance(node.value, cst.Name) or node.attr.value[:1] == "_":
        return
    module, wanted = context.module, node.attr.value
    owners: list[Any] = [one for one in options(module.value(node.value, call.spot)) if isinstance(one, Symbol)]
    members = known.get(f":{owners[0].last}") if len(owners) == 1 and owners[0].top == "pyflink" else None
    if members is None or wanted in members:
        return
    owner = owners[0].last
    message = f"the program stops here with an AttributeError: no release of PyFlink has {owner}.{wanted}{_instead(wanted, members, known, owner)}"
    yield context.finding(message, module.place(node.attr, call.spot), covers=[module.covers(call)])


def _instead(wanted: str, members: frozenset[str], known: dict[str, frozenset[str]], owner: str = "") -> str:
    """What may be meant, with what comes before it in the message."""
    if hint := _INSTEAD.get(f"{owner}.{wanted}") or _INSTEAD.get(wanted):
        return f"; {hint}"
    other, how = _OTHERS.get(owner, ("", ""))
    if other and wanted in known[f":{other}"]:
        return f"; {how}"
    if wanted.startswith("Rich") and wanted[4:] in members:
        return f"; {wanted[4:]} has open() and close() itself"
    if not owner and (elsewhere := _modules(wanted, known)):
        return f"; it is in {elsewhere[0]}"
    import difflib

    near = difflib.get_close_matches(wanted, sorted(members), 1, 0.7)
    return f"; {near[0]} may be meant" if near else ""


def _modules(wanted: str, known: dict[str, frozenset[str]]) -> list[str]:
    """The modules that have a name, the shortest first: packages pass on what their modules define."""
    return sorted((name for name, names in known.items() if wanted in names and name[0] != ":"), key=lambda name: (len(name), name))
