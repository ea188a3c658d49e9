"""HTTP, gRPC and database calls that wait for ever, in code an engine runs for each record."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import blocking, clients
from shoal.python.contexts import TASK
from shoal.python.flow import endless
from shoal.python.threaded import HANDS_ON, handed_on
from shoal.python.tree import Call, decorating, dotted, kept_in, last_name

_COMMENT = pattern(r"#.*")
# What has timeouts of its own in the driver.
_BOUNDED = ("psycopg", "a Redis")
_ASKS = frozenset({"get", "post", "request", "urlopen", "create_connection"})
_SENDS = ("send", "produce", "send_and_wait")
_AIRFLOW = pattern(r"(?m)^\s*(?:from|import)\s+airflow\b")
_BYTEWAX = pattern(r"(?m)^\s*(?:from|import)\s+bytewax\b")
# How many calls deep a loop is looked for.
_LEVELS = 3


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in module.contexts.calls(
        *TASK, "foreach", "foreach-batch", "rdd", "async", "open", "step", "source", "dataflow", "record", "feed"
    ):
        found = blocking.network(module, call)
        if found is None or (where.kind in ("record", "feed") and found.what.startswith(_BOUNDED)):
            continue
        # one connection a batch; the driver's own timeouts bound the query
        bounded = where.kind in ("foreach-batch", "rdd") and found.what.startswith(_BOUNDED)
        lazy = found.what.startswith("a Redis")  # connects with its first command
        if lazy and where.kind == "open" and not _kept_and_used(module, call):
            continue
        effect = {
            "foreach-batch": "the query makes no progress, and says nothing, until it answers",
            "rdd": "the batches behind this one wait, and their number grows, until it answers",
            "open": "the task never leaves its start until it answers",
            "record": "the consumer polls no more and is put out of its group after max.poll.interval.ms",
            "feed": "no record is sent any more, and the program looks alive",
            "step": "no record is taken until it answers, and after max.poll.interval.ms the group goes on without this member",
            "dataflow": "its worker takes no item until it answers",
            "source": "the source sends nothing any more, and the program looks alive",
            "async": "the event loop of all requests stands still until it answers",
        }.get("" if lazy and where.kind == "open" else where.kind, "the task takes no record, timer or checkpoint barrier until it answers")
        message = f"{found.what} has no timeout {where.told()}: when the other side hangs, {effect}"
        severity = "info" if bounded or (where.kind == "open" and not lazy) else ""
        yield context.finding(
            message,
            module.call_place(call),
            severity=severity,
            confidence="low"
            if bounded or where.kind == "feed"
            else "medium"
            if where.kind == "record" or found.what.startswith("Vertex")
            else "",
            covers=[module.covers(call)],
        )
    asked = yield from _consumers(context, module)
    yield from _feeds(context, module)
    if not asked:
        yield from _clients(context, module)
    yield from _starts(context, module)
    yield from _tasks(context, module)


def _kept_and_used(module: Any, call: Call) -> bool:
    """Whether anything is done with a client that `open` keeps under a name of its object; where it is kept in another way, it may be."""
    statement = module.tree.statements[call.spot.statement].node
    kept = dotted(statement.targets[0].target) if isinstance(statement, cst.Assign) and statement.value is call.node else ""
    return not kept.startswith("self.") or len(re.findall(rf"\b{re.escape(kept)}\b", _COMMENT.sub("", module.raw))) > 1


def _clients(context: Context, module: Any) -> Iterator[Finding]:
    """What a Kafka client asks its brokers anywhere else, such as at the start: once a file."""
    for call in module.named("list_topics", "list_groups", "committed", "get_watermark_offsets", "offsets_for_times"):
        found = blocking.network(module, call) if not module.contexts.of(call.function) else None
        if found is not None:
            message = f"{found.what} has no timeout: while no broker answers it waits for ever, and raises nothing"
            yield context.finding(message, module.call_place(call), severity="info", confidence="low", covers=[module.covers(call)])
            return


def _starts(context: Context, module: Any) -> Iterator[Finding]:
    """What the driver of a streaming query asks before it starts it, such as a schema of its registry: once a file."""
    sinks = module.frames.sinks() if "writeStream" in module.raw else ()
    if all(sink.demo for sink in sinks):
        return
    loops = clients.all_record_loops(module)
    once = (call for call in module.calls if not call.spot.in_loop() and not clients.in_or_called_in(module, call, loops))
    then = "in the driver of a streaming query: when the other side hangs, the query never starts, and the program looks alive"
    yield from _first(context, module, once, then)


def _tasks(context: Context, module: Any) -> Iterator[Finding]:
    """The same in a task of Airflow, which ends nothing by itself: once a file."""
    if not _AIRFLOW.search(module.raw) or "execution_timeout" in module.raw or "dagrun_timeout" in module.raw:
        return
    given = [(node, call.spot) for call in module.calls if (node := call.argument(99, "python_callable")) is not None]
    tasks = {id(function) for node, spot in given for function in module.function_of(node, spot)}
    tasks |= {id(function) for function in module.functions if any(dotted(decorating(one)) == "task" for one in function.decorators)}
    once = (call for call in module.calls if tasks and not _again_and_again(module, call, _LEVELS))
    run = (call for call in once if any(id(one.function) in tasks for one in _reaching(module, call, _LEVELS)))
    then = "in a task of Airflow without execution_timeout: when the other side hangs, the task holds its slot for good, and runs that wait for it never start"
    yield from _first(context, module, run, then)


def _first(context: Context, module: Any, calls: Iterator[Call], then: str) -> Iterator[Finding]:
    """The first of some calls that waits for ever, where no engine runs it."""
    for call in calls:
        found = blocking.network(module, call) if not module.contexts.of(call.function) else None
        if found is not None and not found.what.startswith((*_BOUNDED, "confluent")):
            message = f"{found.what} has no timeout {then}"
            yield context.finding(message, module.call_place(call), severity="info", confidence="low", covers=[module.covers(call)])
            return


def _consumers(context: Context, module: Any) -> Generator[Finding, None, bool]:
    """The same in the loop of a Kafka consumer, or in a function it calls: the consumer does not poll meanwhile.

    True where it is the client itself that asks.
    """
    asked = False
    loops = clients.all_record_loops(module)
    anew = _read_anew(module)
    if loops:
        for call in module.calls:
            if module.contexts.of(call.function) or (call.function is not None and call.function.is_async):
                continue
            between = not _in_loops(module, call, loops, _LEVELS)
            if between and not _in_loops(module, call, anew, _LEVELS):
                continue
            found = blocking.network(module, call)
            if found is None or found.what.startswith(_BOUNDED):
                continue
            if between:
                message = f"{found.what} has no timeout in the loop that reads anew after a failure: when the other side hangs, the consumer never comes back, and the program looks alive"
            else:
                message = f"{found.what} has no timeout in the loop of a consumer: when the other side hangs, the consumer polls no more and is put out of its group after max.poll.interval.ms"
            yield context.finding(message, module.call_place(call), confidence="low" if between else "medium", covers=[module.covers(call)])
            asked = asked or found.what.startswith("confluent")
        yield from _in_threads(context, module, loops)
    return asked


def _in_threads(context: Context, module: Any, loops: set[int]) -> Iterator[Finding]:
    """The same in a function that the loop of a consumer hands to a thread for its records: the consumer goes on, its threads do not."""
    handed = [
        (start, function)
        for start in module.named(*HANDS_ON)
        if (given := handed_on(start)) is not None and _in_loops(module, start, loops, _LEVELS)
        for function in module.function_of(given[0], start.spot)
    ]
    for call in module.calls if handed else ():
        if module.contexts.of(call.function) or call.function is None or call.function.is_async or _in_loops(module, call, loops, _LEVELS):
            continue
        reached = {id(one.function) for one in _reaching(module, call, _LEVELS)}
        start = next((start for start, function in handed if id(function) in reached), None)
        found = blocking.network(module, call) if start is not None else None
        if start is None or found is None or found.what.startswith(_BOUNDED):
            continue
        message = f"{found.what} has no timeout in the thread that works on a record: when the other side hangs, one thread after the other waits for ever, and the records that come then are not worked on"
        related = [(module.call_place(start), "handed to a thread here")]
        yield context.finding(message, module.call_place(call), related, confidence="low", covers=[module.covers(call)])


def _read_anew(module: Any) -> set[int]:
    """The loops without an end around `for record in consumer`, in which what fails is begun again."""
    return {
        id(loop)
        for consumer in clients.held(module, clients.CONSUMERS)
        for statement in clients.loops_over(module, consumer)
        for loop in statement.spot.loops
        if endless(loop)
    }


def _in_loops(module: Any, call: Call, loops: set[int], levels: int) -> bool:
    """Whether a call stands in one of these loops, or in a function that is called there, by way of others too."""
    return any(clients.in_loops(one.spot, loops) for one in _reaching(module, call, levels))


def _reaching(module: Any, call: Call, levels: int) -> Iterator[Call]:
    """A call, and those by which its function is come to, by way of so many others."""
    yield call
    for site in module.call_sites(call.function) if levels and call.function is not None else ():
        yield from _reaching(module, site, levels - 1)


def _feeds(context: Context, module: Any) -> Iterator[Finding]:
    """The same in the loop of a program that asks some server for what it sends to Kafka, or gives to a dataflow of Bytewax."""
    fed = _fed(module)
    if not fed:
        return
    said = False
    for call in module.calls:
        if call.name not in _ASKS or module.contexts.of(call.function):
            continue
        found = blocking.network(module, call) if _again_and_again(module, call, _LEVELS) or _listened_to(module, call) else None
        if found is not None:
            then = "no record is sent" if fed == "Kafka" else "no item comes"
            message = f"{found.what} has no timeout in the loop that feeds {fed}: when the other side hangs, {then} any more, and the program looks alive"
            yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])
            said = True
    if fed == "Kafka" and not said and not _AIRFLOW.search(module.raw):
        sends = [call for call in module.named(*_SENDS, "flush") if call.function is not None and _sends(module, call)]
        sending = {id(call.function) for call in sends}
        # `send(ask())`, and the two one after the other
        behind = [site for function in {call.function for call in sends} for site in module.call_sites(function)]
        before = (
            call
            for call in module.calls
            if any(id(one.function) in sending or _followed_by(one, behind) for one in _reaching(module, call, _LEVELS))
        )
        then = "on the way to what is sent to Kafka: when the other side hangs, nothing is sent any more, and the program looks alive"
        yield from _first(context, module, before, then)


def _followed_by(call: Call, others: list[Call]) -> bool:
    """Whether one of these stands behind a call in the same function, or statement."""
    return any(other.function is call.function and other.spot.statement >= call.spot.statement for other in others)


def _sends(module: Any, call: Call) -> bool:
    return any(obj.type in (*clients.PRODUCERS, "quix.Producer") for obj in module.receivers(call))


def _fed(module: Any) -> str:
    """What a module gives records to: Kafka, a dataflow of Bytewax, or nothing."""
    producers = clients.made(module, clients.PRODUCERS)
    if any(clients.uses(module, producer, *_SENDS) for _, producer in producers):
        return "Kafka"
    if any(module.receiver_type(call) == "quix.Producer" for call in module.named("produce")):
        return "Kafka"
    # a dataflow, or what goes into one: `ManualInputConfig(ticks)`, `class Ticks(StatelessSourcePartition)`
    return "the dataflow" if _BYTEWAX.search(module.raw) else ""


def _listened_to(module: Any, made: Call) -> bool:
    """Whether a websocket is opened before the loop that then waits for its messages, in a variable or a field of an object."""
    kept = set(map(last_name, kept_in(module.tree, made)))
    if made.name != "create_connection" or not kept:
        return False
    return any(
        last_name(call.receiver_node) in kept and (_again_and_again(module, call, _LEVELS) or _asked_by_engine(call))
        for call in module.named("recv")
    )


def _asked_by_engine(call: Call) -> bool:
    """Whether Bytewax calls this over and over."""
    return call.function is not None and call.function.name in ("next_batch", "next_item")


def _again_and_again(module: Any, call: Call, levels: int) -> bool:
    """Whether a call stands in a `while`, or in a function that is called there."""
    return any(isinstance(loop, cst.While) for one in _reaching(module, call, levels) for loop in one.spot.loops)
