"""`produce` over and over, on a producer that nothing polls.

Tried with 2.16: the queue fills up with delivered records, with a callback or without.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import catches_all, caught, endless
from shoal.python.handlers import TELLS, called, only_logs
from shoal.python.tree import Call, descend, last_name
from shoal.python.values import Object, names

# What gives rows of which nobody knows how many there are.
_MANY = names("open reader DictReader iterrows itertuples cursor readlines read_csv execute fetchall toLocalIterator")
# What gives events for as long as the other side sends some.
_FEEDS = names("iter_lines SSEClient EventSource")
_CLOSES = pattern(r"_*(?:a?close|stop|shut_?down|clean_?up|tear_?down|dispose|disconnect|terminate|exit|a?exit__|del__)(?:_\w+)?_*")
_LEVELS = 3


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    seen: set[int] = set()
    for call in module.named("produce"):
        producers = module.receivers(call)
        if len(producers) != 1 or producers[0].type != "confluent.Producer" or id(producers[0].node) in seen:
            continue
        producer = producers[0]
        loop = _endless(module, call, _LEVELS)
        handler = _handler(call, loop)
        if not isinstance(producer.node, cst.Call) or (
            handler is not None and not only_logs(module, handler, call.spot.scope, cst.Continue) and not _begins_anew(handler)
        ):
            continue
        if (loop is None and not _over_rows(module, call)) or _served(module, call, producer, loop):
            continue
        seen.add(id(producer.node))
        message = "nothing polls this producer while it sends: delivered records stay in its queue until poll() takes their reports, and after queue.buffering.max.messages records (100,000 by default) produce() raises BufferError"
        if handler is not None:
            message += ", which is only logged here: every record from then on is lost"
        yield context.finding(
            message, module.call_place(call), confidence="low" if loop is None or _left(loop) else "", covers=[module.covers(call)]
        )


def _handler(call: Call, loop: Any) -> Any:
    """What catches a full queue so that the loop goes on, which a `try` around the whole of it does not."""
    around = loop if loop in call.spot.loops else call.spot.loop
    inside = {id(node) for node in descend(around.body)} if around is not None else set()
    tries = [node for node in call.spot.guarded if around is None or id(node) in inside]
    handlers = [handler for node in tries for handler in getattr(node, "handlers", ())]
    return next((handler for handler in handlers if catches_all(handler) or "BufferError" in caught(handler)), None)


def _begins_anew(handler: Any) -> bool:
    """Whether a handler tells of the failure and sets variables to nothing: the record is not kept."""
    lines = [small for line in handler.body.body for small in (line.body if isinstance(line, cst.SimpleStatementLine) else (line,))]
    plain = all(
        isinstance(line, (cst.Expr, cst.Pass, cst.Continue))
        or (isinstance(line, cst.Assign) and cst.Module([]).code_for_node(line.value) in ("None", "''", '""', "[]", "{}", "0"))
        for line in lines
    )
    return plain and called(handler.body) <= TELLS


def _served(module: Any, call: Call, producer: Object, around: Any) -> bool:
    """Whether something may take the reports: any poll, a flush that is not just the last, or other code that is handed the producer."""
    # none where the endless loop is a caller's: then all of this function is in it
    loops = call.spot.loops if around is None else [loop for loop in call.spot.loops if loop is around]
    for other in module.named("poll", "flush", "commit_transaction", "__exit__"):
        found = module.receivers(other)
        if found and not any(one.node is producer.node for one in found):
            continue
        last = (  # behind the loop, where the queue may have been full for long
            other.name in ("flush", "poll")
            and bool(loops)
            and other.function is call.function
            and not any(arm.test in loops for arm in other.spot.arms)
        )
        if not last and not (other.name == "flush" and _ends(module, other, call, around)):
            return True
    if "poll" in module.tree.attribute_names and not module.named("poll"):  # handed on as a function
        return True
    for other in module.calls:
        for arg in other.node.args:
            if any(obj.node is producer.node for obj in module.objects(arg.value, other.spot)) and module.target(other) is None:
                return True
    return clients.given_back(module, producer)


def _ends(module: Any, flush: Call, call: Call, around: Any) -> bool:
    """Whether a flush is that of a function which closes what sends, and which the loop without an end does not call."""
    function = flush.function
    if around is None or function is None or function is call.function or not _CLOSES.fullmatch(function.name):
        return False
    return not any(
        around in site.spot.loops or (site.function is call.function and around not in call.spot.loops)
        for site in module.named(function.name)
    )


def _endless(module: Any, call: Call, levels: int) -> Any:
    """The loop without an end in which a call stands, or the call of the function around it, or one that only a flag or a function ends; None for none."""
    loops = call.spot.loops
    loop = next(filter(endless, loops), None) or next(filter(_asks, loops), None) or next(filter(_feeds, loops), None)
    if loop is None and levels and call.function is not None:
        sites = (_endless(module, site, levels - 1) for site in module.call_sites(call.function))
        loop = next((one for one in sites if one is not None), None)
    return loop


def _asks(loop: Any) -> bool:
    """`while self.running:`, `while is_up():`"""
    test = loop.test if isinstance(loop, cst.While) else None
    test = test.expression if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not) else test
    return isinstance(test, (cst.Name, cst.Attribute, cst.Call))


def _feeds(loop: Any) -> bool:
    """`for line in answer.iter_lines():`"""
    return isinstance(loop, cst.For) and isinstance(loop.iter, cst.Call) and last_name(loop.iter.func) in _FEEDS


def _left(loop: Any) -> bool:
    """Whether something may end the loop before the queue is full."""
    return not endless(loop) or any(isinstance(node, (cst.Break, cst.Return)) for node in descend(loop.body))


def _over_rows(module: Any, call: Call) -> bool:
    """Whether a call stands in a loop over a file, a cursor or the rows of a frame."""
    loop = call.spot.loop
    if not isinstance(loop, cst.For):
        return False
    given = [loop.iter]
    if isinstance(loop.iter, cst.Name):
        given += [binding.node for binding, _ in module.lookup(loop.iter.value, call.spot) if binding.kind in ("assign", "with")]
    return any(isinstance(node, cst.Call) and last_name(node.func) in _MANY for expression in given for node in descend(expression))
