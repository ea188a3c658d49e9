"""`execute()` of an environment without operators of its own, with streams that only SQL reads, or with streams that SQL reads as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.texts import text_of

# What puts operators on the environment, and what gives streams an end of their own.
_STREAMS = frozenset(
    {"from_source", "add_source", "from_collection", "from_parallel_collection", "generate_sequence", "read_text_file", "read_file"}
    | {"create_input", "socket_text_stream"}
)
_SINKS = frozenset(
    {"sink_to", "add_sink", "execute_and_collect", "to_data_stream", "to_append_stream", "to_retract_stream", "to_changelog_stream"}
    | {"attach_as_datastream", "insert_into", "output_to", "write_as_text", "write_as_csv"}
)
_TO_SQL = frozenset({"from_data_stream", "from_changelog_stream", "create_temporary_view"})
_TABLES = frozenset({"sql_query", "from_path", "create_temporary_table", "create_table", "execute_sql", "connect"})
_ENVIRONMENTS = ("flink.Environment", "flink.TableEnvironment")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Checked with PyFlink 1.20: the first fails, the others run a second job."""
    module = context.module
    yield from _both(context)
    executes = [call for call in module.named("execute", "execute_async") if module.receiver_type(call) == "flink.Environment"]
    used = {call.name for call in module.calls} | module.tree.attribute_names if executes else frozenset()
    if module.notebook or not executes or used & _SINKS:
        return
    submit = next((call for call in module.named("execute_sql", "execute_insert", "execute") if _submits(module, call)), None)
    if _leaves(module) or any(_shows(module, call) for call in module.named("print")):
        return
    streams = used & _STREAMS
    if submit is None:
        if not streams and _only_tables(module, executes[0], used):
            message = "the program fails here, `No operators defined in streaming topology`: tables and queries are no part of the stream environment; submit them with execute_insert(), or execute_sql() and an INSERT"
            yield context.finding(message, module.call_place(executes[0]), covers=[module.covers(executes[0])], confidence="medium")
        return
    if streams and not used & _TO_SQL:
        return
    at, name = executes[0], submit.name
    if streams:
        message = f"a second job: {name}() has submitted the statement and the streams that it reads; this one reads the sources again and writes nowhere"
        confidence, severity = "medium", "warning"
    else:
        message = f"the program fails here, `No operators defined in streaming topology`: {name}() has submitted the statement, and there is no stream to execute"
        confidence = severity = ""
    related = [(module.call_place(submit), "submitted here")]
    yield context.finding(message, module.call_place(at), related, covers=[module.covers(at)], confidence=confidence, severity=severity)


def _only_tables(module: Any, execute: Any, used: frozenset[str]) -> bool:
    """Whether an environment that is made here serves a table environment, and nothing gives it an operator."""
    here = {id(call.node) for call in module.named("get_execution_environment")}
    own = any(id(made.node) in here for made in module.receivers(execute))
    return own and bool(used & _TABLES) and not used & {"sql_update", *_TO_SQL} and "_j_stream_execution_environment" not in used


def _both(context: Context) -> Iterator[Finding]:
    """A stream with a sink of its own, in a program that submits a statement over the same stream."""
    module = context.module
    ends = [call for call in module.named("execute", "execute_async") if module.receiver_type(call) == "flink.Environment"]
    if not ends or module.named("attach_as_datastream"):
        return
    given = [(call, call.argument(call.name == "create_temporary_view", "data_stream")) for call in module.named(*_TO_SQL)]
    read = {id(made.node) for call, node in given if node is not None for made in _origins(module, node, call.spot)}
    sinks = [
        call
        for call in module.named("sink_to", "add_sink", "print")
        if module.receiver_type(call) in ("flink.DataStream", "flink.KeyedStream")
    ]
    shared = next((call for call in sinks if any(id(made.node) in read for made in _origins(module, call.receiver_node, call.spot))), None)
    submit = next((call for call in module.named("execute_sql", "execute_insert", "execute") if _submits(module, call)), None)
    if shared is None or submit is None or submit.spot.excludes(ends[0].spot) or shared.spot.excludes(ends[0].spot):
        return
    message = f"a second job: {submit.name}() has submitted the statement as a job of its own; this one reads the same source again for the stream that has a sink of its own"
    related = [(module.call_place(submit), "submitted here"), (module.call_place(shared), "the other sink")]
    yield context.finding(
        message, module.call_place(ends[0]), related, covers=[module.covers(ends[0])], confidence="low", severity="warning"
    )


def _origins(module: Any, node: Any, spot: Any) -> list[Any]:
    """The sources that a stream comes from."""
    return [made for stream in module.objects(node, spot) for made in stream.line() if made.call in _STREAMS]


def _submits(module: Any, call: Any) -> bool:
    kind: str = module.receiver_type(call)
    if call.name == "execute_insert":
        return kind == "flink.Table"
    if call.name == "execute":
        return kind in ("flink.StatementSet", "flink.Table")
    node = call.argument(0, "stmt")
    text = text_of(module, node, call.spot) if kind == "flink.TableEnvironment" and node is not None else None
    return text is not None and text.text.split(None, 1)[:1] != [] and text.text.split(None, 1)[0].upper() in ("INSERT", "EXECUTE")


def _shows(module: Any, call: Any) -> bool:
    """A stream's `print()`, which is a sink."""
    return isinstance(call.node.func, cst.Attribute) and module.receiver_type(call) != "flink.TableResult"


def _leaves(module: Any) -> bool:
    """Whether an environment is handed to code that is not here, which may put streams on it."""
    for call in module.calls:
        if module.target(call) is None and not module.key(call).startswith("pyflink:"):
            for arg in call.node.args:
                if any(obj.type in _ENVIRONMENTS for obj in module.objects(arg.value, call.spot)):
                    return True
    return False
