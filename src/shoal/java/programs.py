"""What the `main` of a Flink program in Java does besides building a job: it ends its process, or submits what was submitted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.facts import Block, Usage
from shoal.java.constants import ENVIRONMENT, TABLE_ENVIRONMENTS
from shoal.java.functions import (
    METHODS,
    OPERATOR,
    STREAMS,
    following,
    kinds_of,
    loop_around,
    on_task_thread,
    own_nodes,
    statements_of,
    with_helpers,
)
from shoal.java.sheet import Sheet
from shoal.java.source import below, same
from shoal.java.writes import only_logs
from shoal.lazy import pattern
from shoal.python.values import names

# What puts operators on an environment, or may.
_STREAMS = pattern(
    r"\.\s*(?:from(?:Source|Collection|Elements|Data|Sequence|ParallelCollection)|addSource|addSink|sinkTo|addOperator|generateSequence|createInput"
    r"|readTextFile|readFile|socketTextStream|to(?:Data|Append|Retract|Changelog)Stream|attachAsDataStream|sinkFor\w*|build\w*Stream)\s*[(<]|Transformation"
)
# Which of them are only sources: those put nothing on it until something is done with the stream (run on 1.18.1 and 1.20.1).
_ONLY_SOURCES = names("fromElements fromCollection fromSource fromSequence fromData fromParallelCollection addSource generateSequence")
_SET_ON_SOURCES = names("setParallelism setMaxParallelism name uid returns slotSharingGroup")
_ON_STREAMS = names(
    "map flatMap filter process keyBy union connect join coGroup intervalJoin reduce aggregate window windowAll countWindow broadcast rebalance rescale shuffle forward "
    "global partitionCustom project iterate split assignTimestampsAndWatermarks transform writeAsText writeAsCsv writeToSocket"
)
_TABLE_OF_STREAM = names("fromDataStream createTemporaryView fromChangelogStream")
# What runs a job, or gives its graph away.
_RUNS = names(
    "execute executeAsync executeAndCollect collectAsync executeInsert getStreamGraph getJobGraph getExecutionPlan submitJob run start submit"
)
_SINKS = ("print", "printToErr", "addSink", "sinkTo", "writeAsText", "writeAsCsv")
_MADE = pattern(r"StreamExecutionEnvironment\s*\.\s*(?:getExecutionEnvironment|create\w*Environment\w*)\(")
_STREAM_TYPES = (*STREAMS[1:], "WindowedStream", "ConnectedStreams")
_COMBINES = names("union connect join coGroup intervalJoin orderedWait unorderedWait pattern sink forRow builderFor")
_EVENT_TIME = pattern(
    r"\b(?:Tumbling|Sliding)EventTimeWindows\b|\bEventTimeSessionWindows\b|\bregisterEventTimeTimer\b|\bCEP\s*\.\s*pattern\b"
)
_STRATEGIES = ("forBoundedOutOfOrderness", "forMonotonousTimestamps")
_ANY_FAILURE = pattern(r"\b(?:Exception|Throwable|JobExecutionException|StreamingQueryException)\b")
_SUBMITS = pattern(r"\s*(?:INSERT|EXECUTE)\b", re.IGNORECASE)


def collect(sheet: Sheet) -> None:
    _exits_of_program(sheet)
    _submitted_twice(sheet)
    _nothing_to_execute(sheet)
    _never_executed(sheet)
    _never_idle(sheet)
    _views(sheet)
    _failure_logged(sheet)


def of_beam(sheet: Sheet) -> None:
    """The same of a pipeline of Beam's, of which `waitUntilFinish` tells that it failed."""
    for call in sheet.source.named("waitUntilFinish"):
        run = call.child_by_field_name("object")
        if sheet.source.type_of(run) == "PipelineResult" or (
            run is not None and run.type == "method_invocation" and sheet.source.name(run) == "run"
        ):
            _failure_of(sheet, call, "the program")


def of_spark(sheet: Sheet) -> None:
    """The same of a query of Structured Streaming, of which the wait for its end tells that it failed."""
    for call in sheet.source.named("awaitTermination", "awaitAnyTermination"):
        if not sheet.source.arguments(call):
            _failure_of(sheet, call, "the driver")


def _failure_logged(sheet: Sheet) -> None:
    """A handler in `main`, or in what it calls last, around the execution of the job that does no more than log, after which the program ends as if all were well."""
    for call in sheet.source.named("execute"):
        if sheet.source.type_of(call.child_by_field_name("object")) == ENVIRONMENT:
            _failure_of(sheet, call, "`flink run`")


def _failure_of(sheet: Sheet, call: Node, ends: str) -> None:
    """Of one call; `ends`: what then ends as if all were well."""
    source = sheet.source
    method = source.method_of(call)
    body = method.child_by_field_name("body") if method is not None and _is_last_of_main(sheet, method) else None
    if body is None or not on_task_thread(call, body):
        return
    for clause in own_nodes(body, "catch_clause"):
        attempt, inner = clause.parent, clause.child_by_field_name("body")
        guarded = attempt.child_by_field_name("body") if attempt is not None else None
        if attempt is None or inner is None or guarded is None or not guarded.start_byte <= call.start_byte < guarded.end_byte:
            continue
        goes_on = any(list(below(node, "throw_statement")) for node in following(attempt, body)) or loop_around(clause, body) is not None
        if _ANY_FAILURE.search(source.written(clause.named_children[0])) and only_logs(sheet, inner) is not None and not goes_on:
            sheet.out.oddity("job-failure-logged", source.name(call), source.span(clause.children[0]), ends)
            break


def _is_last_of_main(sheet: Sheet, method: Node) -> bool:
    """Whether nothing is done behind a method: it is `main`, or the one that `main` ends by calling, and gives nothing back."""
    source = sheet.source
    if source.name(method) == "main":
        return True
    if source.written(method.child_by_field_name("type")) != "void":
        return False
    mains = [other for other in source.methods if source.name(other) == "main"]
    for body in (other.child_by_field_name("body") for other in mains):
        last = statements_of(body)[-1:] if body is not None else []
        call = last[0].named_children[0] if last and last[0].type == "expression_statement" else None
        if call is not None and call.type == "method_invocation" and source.name(call) == source.name(method):
            return True
    return False


def _views(sheet: Sheet) -> None:
    """The views that statements read a stream by."""
    source = sheet.source
    for call in source.named("createTemporaryView", "registerDataStream"):
        given = source.arguments(call)
        name = source.text_of(given[0]) if len(given) > 1 else None
        origin = source.origin(given[1]) if name is not None else None
        made = origin is not None and origin.type == "method_invocation" and source.name(origin) in _TABLE_OF_STREAM
        if name is not None and (made or source.type_of(given[1]) in _STREAM_TYPES):
            sheet.out.facts.append(Usage("stream-view", name.text, sheet.out.place(sheet.name_span(call))))


def _submitted_twice(sheet: Sheet) -> None:
    """A table whose query is submitted by each of two calls in a method."""
    source = sheet.source
    if "inBatchMode" in source.text or "RuntimeExecutionMode.BATCH" in source.text:
        return  # a query that ends may well be run again
    first: dict[tuple[object, int], Node] = {}
    for call in sorted(source.named("executeInsert", "execute"), key=lambda node: source.name_node(node).start_byte):
        owner = call.child_by_field_name("object")
        if owner is None or owner.type != "identifier" or source.type_of(owner) != "Table" or source.conditional(call):
            continue
        method = source.method_of(call)
        key = (source.declaration(source.written(owner), owner), method.start_byte if method is not None else -1)
        before = first.setdefault(key, call)
        if before is not call:
            place = sheet.out.place(sheet.name_span(before))._replace(role="related", label="submitted here")
            sheet.out.oddity("submitted-twice", source.name(call), sheet.name_span(call), source.written(owner), related=(place,))


def _nothing_to_execute(sheet: Sheet) -> None:
    """`execute` of an environment on which this file puts no stream, beside statements that are submitted already."""
    source = sheet.source
    executes = [
        call for call in source.named("execute", "executeAsync") if source.type_of(call.child_by_field_name("object")) == ENVIRONMENT
    ]
    for call in executes:
        sheet.out.facts.append(Usage("submits", source.name(call), sheet.out.place(sheet.name_span(call))))
    submits = [call for call in source.named("executeSql", "executeInsert", "execute") if _submits(sheet, call)]
    if not executes or not submits or _has_operators(sheet) or _handed_on(sheet):
        return
    place = sheet.out.place(sheet.name_span(submits[0]))._replace(role="related", label="submitted here")
    sheet.out.oddity("nothing-to-execute", source.name(submits[0]), sheet.name_span(executes[0]), related=(place,))


def _has_operators(sheet: Sheet) -> bool:
    """Whether this file puts operators on an environment, or may: a source that is only made a table is none."""
    source = sheet.source
    if {found.group().strip(".(< \t\r\n") for found in _STREAMS.finditer(source.text)} - _ONLY_SOURCES:
        return True
    if source.named(*_ON_STREAMS) or any(
        source.type_of(call.child_by_field_name("object")) in _STREAM_TYPES and source.name(call) not in _SET_ON_SOURCES
        for call in source.calls
    ):
        return True
    return any(
        source.type_of(given) in _STREAM_TYPES and source.name(call) not in _TABLE_OF_STREAM
        for pairs in source.handed.values()
        for call, given in pairs
    )


def _never_executed(sheet: Sheet) -> None:
    """Sinks that a `main` puts on an environment of its own, in a file that executes nothing and hands neither the environment nor a stream on."""
    source = sheet.source
    if source.named(*_RUNS) or _handed_on(sheet) or _streams_handed_on(sheet):
        return
    last = None
    for call in source.named(*_SINKS):
        method, origin = source.method_of(call), source.origin(call.child_by_field_name("object"))
        main = method is not None and source.name(method) == "main" and "static" in source.written(method.children[0])
        if main and origin is not None and origin != call and _MADE.match(source.written(origin)):
            last = call
    if last is not None:
        sheet.out.oddity("never-executed", source.name(last), sheet.name_span(last))


def _streams_handed_on(sheet: Sheet) -> bool:
    source = sheet.source
    for pairs in source.handed.values():
        for call, given in pairs:
            kind = source.type_of(given)
            inferred = not kind and (origin := source.origin(given)) is not None and _MADE.match(source.written(origin))  # `var`
            if (kind in _STREAM_TYPES or inferred) and source.name(call) not in _COMBINES:
                return True
    return False


def _never_idle(sheet: Sheet) -> None:
    """Watermarks of what comes from Kafka that wait for each partition, in a file with windows, timers or patterns of event time."""
    source = sheet.source
    used = {found.group()[:3] for found in _EVENT_TIME.finditer(source.text)}
    if "withIdleness" in source.text or not used or (used == {"CEP"} and "inProcessingTime" in source.text):
        return
    for call in source.named("fromSource", "assignTimestampsAndWatermarks"):
        of_source = source.name(call) == "fromSource"
        given = source.arguments(call)[1 if of_source else 0 :]
        from_kafka = source.type_of(source.arguments(call)[0]) == "KafkaSource" if of_source and given else "KafkaSource" in source.imports
        strategy = source.origin(given[0]) if given else None
        made = [inner for inner in source.named(*_STRATEGIES) if given and same(source.origin(inner), strategy)]
        alone = not of_source and re.search(r"\.setParallelism\(\s*1\s*\)", source.text)
        if from_kafka and made and not alone:
            sheet.out.oddity("never-idle", source.name(call), sheet.name_span(made[0]))


def _submits(sheet: Sheet, call: Node) -> bool:
    source, name = sheet.source, sheet.source.name(call)
    kind = source.type_of(call.child_by_field_name("object"))
    if name == "executeSql":
        text = source.text_of(next(iter(source.arguments(call)), None))
        return kind in TABLE_ENVIRONMENTS and text is not None and bool(_SUBMITS.match(text.text))
    return kind in (("Table",) if name == "executeInsert" else ("StatementSet",))


def _handed_on(sheet: Sheet) -> bool:
    """Whether an environment is given to code of another file, which may put streams on it."""
    source = sheet.source
    fixed = {source.name(method) for method in source.methods if re.search(r"\b(?:static|private)\b", source.written(method.children[0]))}
    for pairs in source.handed.values():
        for call, given in pairs:
            here = call.type == "method_invocation" and call.child_by_field_name("object") is None and source.name(call) in fixed
            if source.type_of(given) in (ENVIRONMENT, *TABLE_ENVIRONMENTS) and source.type_of(call) not in TABLE_ENVIRONMENTS and not here:
                return True
    return False


def _exits_of_program(sheet: Sheet) -> None:
    source = sheet.source
    job = next((fact for fact in sheet.out.facts if isinstance(fact, Block) and fact.role == "job" and fact.engine == "flink"), None)
    exits = [call for call in source.named("exit", "halt") if _ends_process(sheet, call)]
    mains = [method for method in source.methods if source.name(method) == "main" and "static" in source.written(method.children[0])]
    if exits and job is not None and job.trait("local") != "yes":
        for run in _run_by(sheet, mains):
            _exits(sheet, run, exits, "main-ends-process", "main")
    seen: set[int] = set()
    for method in source.methods if exits else ():
        body = method.child_by_field_name("body")
        if body is not None and source.name(method) in METHODS and any(map(OPERATOR.fullmatch, kinds_of(sheet, method))):
            for run in with_helpers(sheet, body, seen):
                _exits(sheet, run, exits, "operator-ends-process", source.name(method))


def _ends_process(sheet: Sheet, call: Node) -> bool:
    owner = sheet.source.written(call.child_by_field_name("object")).removeprefix("java.lang.")
    return owner == "Runtime.getRuntime()" or (owner == "System" and sheet.source.name(call) == "exit")


def _exits(sheet: Sheet, body: Node, exits: list[Node], kind: str, method: str) -> None:
    for call in exits:
        if body.start_byte <= call.start_byte < body.end_byte and on_task_thread(call, body) and not sheet.source.local_only(call):
            sheet.out.oddity(kind, method, sheet.name_span(call))


def _run_by(sheet: Sheet, methods: list[Node]) -> Iterator[Node]:
    """The bodies of methods and of those of this file that they call, directly or through another."""
    source, waiting = sheet.source, list(methods)
    seen: set[int] = set()
    while waiting:
        method = waiting.pop(0)
        body = method.child_by_field_name("body")
        if body is None or method.start_byte in seen:
            continue
        seen.add(method.start_byte)
        yield body
        called = [source.method_called(call) for call in source.within(body) if on_task_thread(call, body)]
        waiting += [other for other in called if other is not None]
