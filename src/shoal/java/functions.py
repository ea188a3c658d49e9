"""Which classes of Java are functions that Flink runs, which of their methods a task calls for each record, and what in these runs on its one thread."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.sheet import Sheet
from shoal.java.source import below
from shoal.lazy import pattern
from shoal.python.values import names

# Classes with methods that a task runs for records and timers; `METHODS` are these.
# What writes the records of a sink; those of a search engine make its requests.
WRITERS = r"(?:Stateful|Committing|TwoPhaseCommitting)?SinkWriter|(?:Elastic|Open)search(?:SinkFunction|Emitter)"
OPERATOR = pattern(
    r"(?:Rich)?(?:(?:Flat)?Map|CoMap|CoFlatMap|Filter|Sink|Reduce|Aggregate|Join|CoGroup|FlatJoin|Window|AllWindow)Function|TwoPhaseCommitSinkFunction"
    r"|(?:Keyed|Co|KeyedCo|Broadcast|KeyedBroadcast|ProcessWindow|ProcessAllWindow|ProcessJoin)?(?:Process)?Function|(?:Rich)?AsyncFunction"
    rf"|{WRITERS}"
)
# Functions of SQL, whose `eval` is a row's.
OF_SQL = pattern(r"(?:Async)?(?:Scalar|Table)Function")
SOURCE = pattern(r"(?:Rich)?(?:Parallel)?SourceFunction")
METHODS = names(
    "map map1 map2 flatMap flatMap1 flatMap2 filter invoke reduce process processElement processElement1 processElement2 processBroadcastElement "
    "onTimer asyncInvoke apply join write flush"
)
# What a handler of everything names.
EVERYTHING = pattern(r"\b(?:Exception|RuntimeException|Throwable)\b")
_LOOPS = frozenset({"for_statement", "enhanced_for_statement", "while_statement", "do_statement"})
_DECLARES = frozenset({"method_declaration", "local_variable_declaration", "field_declaration"})
# Executors that run what they are given where they are given it.
_DIRECT = pattern(rb"(?:[\w.]+\.)?directExecutor\(\s*\)|Runnable\s*::\s*run|(?:[\w.]+\.)?DirectExecutor\.INSTANCE")
_NESTED = frozenset({"lambda_expression", "class_body", "class_declaration"})
_APPLIES = names("map flatMap filter process")
# Input that ends, and is no connector's.
ENDING = names("fromCollection fromElements fromData fromParallelCollection fromSequence generateSequence readTextFile")
STREAMS = ("", "DataStream", "DataStreamSource", "SingleOutputStreamOperator", "KeyedStream", "BroadcastStream")
# Streams of Java's own.
_COLLECTED = pattern(r"\.(?:parallelS|s)tream\(\)|\bArrays\s*\.\s*stream\(|\b(?:Stream|Optional|IntStream)\s*\.")
# Where the classes of Beam are.
BEAM = "org.apache.beam."
TRIES = ("try_statement", "try_with_resources_statement")


def kinds_of(sheet: Sheet, inside: Node, home: str = "org.apache.flink.") -> list[str]:
    """What the class around a method or a node extends and implements, by simple names: Flink's alone, as far as imports say whose they are.

    `home`: the package, for those of another library.
    """
    source = sheet.source
    owner = source.class_of(inside)
    if owner is None:
        return []
    if owner.type == "object_creation_expression":
        named = [source.type_of(owner)]
    else:
        named = []
        for field in ("superclass", "interfaces"):
            part = owner.child_by_field_name(field)
            named += re.findall(r"([A-Z]\w*)(?=\s*(?:<|,|\{|$))", _without_arguments(source.written(part))) if part else []
    return [name for name in named if source.imports.get(name, home).startswith(home)]


def _without_arguments(text: str) -> str:
    """Types without what stands in their brackets, those of several types one by one."""
    depth, kept = 0, []
    for part in re.split(r"([<>])", text):
        if part in ("<", ">"):
            depth = max(0, depth + (1 if part == "<" else -1))
        elif depth == 0:
            kept.append(part)
    return "".join(kept)


def statements_of(body: Node) -> list[Node]:
    return [node for node in body.named_children if not node.type.endswith("comment")]


def leaves(work: Node) -> bool:
    """Whether a branch ends by leaving the method."""
    statements = statements_of(work) if work.type == "block" else [work]
    return bool(statements) and statements[-1].type in ("return_statement", "throw_statement")


def asks(sheet: Sheet, condition: Node) -> set[str]:
    return {sheet.source.written(node) for node in below(condition, "identifier")}


def lambda_of(node: Node) -> Node | None:
    at = node.parent
    while at is not None and at.type not in _NESTED:
        at = at.parent
    return at


def own_nodes(body: Node, kind: str) -> Iterator[Node]:
    """The nodes of a type that belong to a method itself: not those of lambdas and classes in it."""
    for node in below(body, kind):
        at = node.parent
        while at is not None and at != body and at.type not in _NESTED:
            at = at.parent
        if at == body:
            yield node


def preceding(node: Node, body: Node) -> Iterator[Node]:
    """What surely or possibly ran before a statement: those before it in each block around it, and the heads of what it stands in."""
    at = node
    while at != body and at.parent is not None:
        parent = at.parent
        if parent.type in ("block", "switch_block_statement_group", "try_statement", "try_with_resources_statement", "catch_clause"):
            yield from (child for child in parent.named_children if child.end_byte <= at.start_byte)
        elif (head := parent.child_by_field_name("condition")) is not None and head != at:
            yield head
        at = parent


def following(node: Node, body: Node) -> Iterator[Node]:
    """What runs after a statement, and its `finally`."""
    yield from (child for child in node.children if child.type == "finally_clause")
    at = node
    while at != body and at.parent is not None:
        if at.parent.type == "block":
            yield from (child for child in at.parent.named_children if child.start_byte >= at.end_byte)
        at = at.parent


def around(node: Node, top: Node) -> Iterator[Node]:
    """What a node stands in, the innermost first, as far as `top`, which is not among them."""
    at = node.parent
    while at is not None and at != top:
        yield at
        at = at.parent


def tries_around(node: Node, body: Node) -> Iterator[Node]:
    return (at for at in around(node, body) if at.type in TRIES)


def of_elements(sheet: Sheet) -> Iterator[tuple[Node, Node]]:
    """The methods to which Beam hands each element of a collection, and their bodies."""
    for method in sheet.source.methods:
        body = method.child_by_field_name("body")
        if body is not None and takes_elements(sheet, method):
            yield method, body


def takes_elements(sheet: Sheet, method: Node) -> bool:
    """Whether Beam hands a method of a `DoFn` each element."""
    return "@ProcessElement" in sheet.source.written(method.children[0]) and "DoFn" in kinds_of(sheet, method, BEAM)


def with_helpers(sheet: Sheet, body: Node, looked_at: set[int]) -> Iterator[Node]:
    """A body and those of the methods of its class, or of one around it, that it calls itself, directly or through another; without the ones in `looked_at` (where a
    body begins), to which they are added."""
    waiting = [body]
    while waiting:
        run = waiting.pop(0)
        if run.start_byte not in looked_at:
            looked_at.add(run.start_byte)
            yield run
            waiting += _helpers(sheet, run)


def _helpers(sheet: Sheet, body: Node) -> Iterator[Node]:
    """The bodies of the methods of its own class, or of one around it, that a method of an operator calls itself."""
    source = sheet.source
    for call in source.within(body):
        if source.written(call.child_by_field_name("object")) not in ("", "this") or not on_task_thread(call, body):
            continue
        method = source.method_called(call)
        inner = method.child_by_field_name("body") if method is not None else None
        if inner is not None and source.name(call) not in METHODS and _sees(source.class_of(body), source.class_of(inner)):
            yield inner


def _sees(inside: Node | None, owner: Node | None) -> bool:
    """Whether a class is another one, or stands in it."""
    return inside == owner or (inside is not None and owner is not None and owner.start_byte <= inside.start_byte < owner.end_byte)


def on_task_thread(call: Node, body: Node) -> bool:
    """Whether a call runs where the method does: not in a lambda or class that something else may run."""
    at = call.parent
    while at is not None and at != body:
        if at.type in _NESTED and not _run_at_once(at):
            return False
        at = at.parent
    return True


def _run_at_once(work: Node) -> bool:
    """Whether a lambda is handed over with an executor that runs it where it is called."""
    given = work.parent
    if work.type != "lambda_expression" or given is None or given.type != "argument_list":
        return False
    return any(_DIRECT.fullmatch(other.text or b"") for other in given.named_children if other != work)


def loop_around(node: Node, body: Node | None) -> Node | None:
    at = node.parent
    while at is not None and at != body and at.type not in ("method_declaration", *_NESTED):
        if at.type in _LOOPS:
            return at
        at = at.parent
    return None


def is_operator(sheet: Sheet, work: Node) -> bool:
    """Whether a lambda is declared as a function of Flink's: by the method that returns it, or by what keeps it."""
    source, at = sheet.source, work.parent
    while at is not None and at.type in ("cast_expression", "parenthesized_expression", "variable_declarator"):
        at = at.parent
    holder = source.method_of(at) if at is not None and at.type == "return_statement" else at
    kind = source.declared_type(holder) if holder is not None and holder.type in _DECLARES else ""
    return bool(OPERATOR.fullmatch(kind)) and source.imports.get(kind, "").startswith("org.apache.flink.")


def applied(sheet: Sheet, work: Node) -> str:
    """The method by which a stream applies a lambda to its records; empty where it is something else."""
    source, at = sheet.source, work.parent
    while at is not None and at.type in ("cast_expression", "parenthesized_expression"):
        at = at.parent
    given = at.parent if at is not None and at.type == "argument_list" else None
    if given is None or source.name(given) not in _APPLIES:
        return ""
    stream = given.child_by_field_name("object")
    ours = source.type_of(stream) in STREAMS and not _COLLECTED.search(source.written(stream))
    return source.name(given) if ours else ""
