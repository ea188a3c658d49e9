"""One kafka-python consumer in two threads: the loop in both, or in one, and `close()`, `commit()` or another call in the other.

confluent-kafka's may be used by several threads, but `close()` waits for what only the polling thread can give: with librdkafka's mock cluster, and a thread in
`while True: poll(…)`, it never comes back in 2.16.1, and in 2.11.1 the poll does not. Where the loop ends by itself it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import endless
from shoal.python.tree import Call, Function
from shoal.python.values import names

_KINDS = frozenset({"kafka.Consumer", "confluent.Consumer"})
_TOUCHES = names("poll close commit commit_async seek seek_to_beginning seek_to_end pause resume subscribe unsubscribe assign")
# What a thread is waited for with, before others touch what it had.
_WAITS = names("join result wait shutdown as_completed")
_LEVELS = 3


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    started = list(_started(module))
    if not started:
        return
    for consumer in clients.held(module, _KINDS):
        loops = clients.record_loops(module, consumer)
        reads = [statement for statement in module.tree.statements if id(statement.node) in loops]
        if consumer.type == "confluent.Consumer":
            yield from _never_closed(context, consumer, reads, started)
            continue
        touches = clients.uses(module, consumer, *_TOUCHES)
        for start, functions in started:
            classes = {function.cls for function in functions}
            within = [loop for loop in reads if loop.spot.function in functions]
            if within and _several(consumer, start, functions):
                message = "each of these threads reads from the one consumer: kafka-python's consumer is not made for two threads, and may fail, hang or lose its place in the middle of a fetch (a consumer for each)"
                related = [(module.place(within[0].node, within[0].spot), "read here")]
                yield context.finding(message, module.call_place(start), related, covers=[module.covers(start)])
                break
            if within:
                other = next(
                    (
                        call
                        for call in touches
                        if call.function not in functions
                        and _of(call, classes)
                        and _meanwhile(module, call, start)
                        and not _readied(consumer, call, start)
                    ),
                    None,
                )
            else:
                other = next((call for call in touches if call.function in functions), None) if reads else None
            loop = (within or reads)[0] if other is not None else None
            if other is None or loop is None:
                continue
            message = f"{other.name}() is called while another thread reads from this consumer: kafka-python's consumer is not made for two threads, and may fail, hang or lose its place in the middle of a fetch"
            related = [(module.place(loop.node, loop.spot), "read here"), (module.call_place(start), "the thread is started here")]
            yield context.finding(message, module.call_place(other), related, covers=[module.covers(other)])
            break


def _never_closed(context: Context, consumer: Any, reads: list[Any], started: list[tuple[Call, set[Function]]]) -> Iterator[Finding]:
    """`close()` of confluent-kafka while another thread polls in a loop that nothing ends."""
    module = context.module
    for start, functions in started:
        looping = (one for one in reads if one.spot.function in functions and endless(one.node) and not clients.left(one.node))
        loop = next(looping, None)
        classes = {function.cls for function in functions}
        closes = clients.uses(module, consumer, "close") if loop is not None else []
        close = next(
            (call for call in closes if call.function not in functions and _of(call, classes) and _meanwhile(module, call, start)), None
        )
        if loop is None or close is None:
            continue
        message = "close() is called while another thread polls this consumer in a loop that nothing ends: confluent-kafka's close() then waits for ever, or the poll does (let the loop look at a flag, and wait for its thread first)"
        related = [(module.place(loop.node, loop.spot), "polled here"), (module.call_place(start), "the thread is started here")]
        yield context.finding(message, module.call_place(close), related, covers=[module.covers(close)])
        return


def _started(module: Any) -> Iterator[tuple[Call, set[Function]]]:
    """The calls that start a thread, with the functions that run on it."""
    for call in module.named("Thread", "submit"):
        if call.name == "Thread":
            node = call.argument(1, "target") if module.qualified(call) == "threading.Thread" else None
        else:
            node = call.argument(0, "fn") if module.receiver_type(call) == "py.Executor" else None
        for function in module.function_of(node, call.spot) if node is not None else ():
            yield call, _reached(module, function)


def _reached(module: Any, function: Function) -> set[Function]:
    """A function and those of the module that it calls."""
    found, waiting = {function}, [(function, _LEVELS)]
    while waiting:
        at, levels = waiting.pop()
        for call in at.calls if levels else ():
            called = module.target(call)
            if called is not None and called not in found:
                found.add(called)
                waiting.append((called, levels - 1))
    return found


def _several(consumer: Any, start: Call, functions: set[Function]) -> bool:
    """Whether several threads are started for the loop over a consumer that is made once, outside of what they run."""
    made = consumer.spot
    return start.spot.in_loop() and made.function not in functions and not any(loop in made.loops for loop in start.spot.loops)


def _of(call: Call, classes: set[Any]) -> bool:
    """Whether a call speaks of the same object: a class below has a consumer of its own under the same name."""
    owner = call.function.cls if call.function is not None else None
    return owner is None or owner in classes or classes == {None}


def _readied(consumer: Any, call: Call, start: Call) -> bool:
    """Whether a call stands behind the making of the consumer, in a function that starts no thread for it: no thread has this one yet."""
    made = consumer.spot
    return made.function is not None and call.function is made.function is not start.function and call.spot.statement > made.statement


def _meanwhile(module: Any, call: Call, start: Call) -> bool:
    """Whether a call may come while the thread runs: not before it is started, nor once somebody has waited for it."""
    if call.function is start.function and call.spot.statement < start.spot.statement:
        return False
    function = call.function
    if function is None:
        return call.spot.statement > start.spot.statement
    sites = module.call_sites(function)
    if sites and all(site.function is start.function and site.spot.statement < start.spot.statement for site in sites):
        return False  # called on the way to the start, and nowhere else
    return function.name != "__init__" and not any(
        other.name in _WAITS and other.spot.statement < call.spot.statement for other in function.calls
    )
