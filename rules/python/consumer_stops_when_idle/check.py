"""`consumer_timeout_ms` on a consumer of a service: its only loop is left when the topic is quiet, and the program with it.

`KafkaConsumer.__next__` asks for records while `time() < now + consumer_timeout_ms / 1000` (tried with kafka-python 2.0.2, 2.2.15 and 3.0.12): with 0 it never asks, a negative
number sets no end, and the default is infinite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import NORMAL
from shoal.python.tree import Function, contains, descend

# What a program writes with, and what it writes about a topic that it means to read to its end.
_WRITES = pattern(r"(?i)insert|upsert|save|store|persist|upload|execute|commit|produce|^send|^index|^put")
_MEANT = pattern(
    r"(?i)no (?:more|new|further) (?:message|record|event)|timed out|\bidle\b|drain|caught up|catch.?up|backlog|\b(?:end|stop|exit|quit|give up)\w*\s+(?:when|after|if|once|reading|of)\b"
    r"|until (?:the )?(?:end|empty)|\bcron|\bschedul|\bairflow|\bdagster|\bprefect|one.?shot|\bbackfill|\bpytest\b|\bunittest\b"
)
# `if not self.running:`, `if stop_event.is_set():`, `if shutdown_requested:`
_STOP = pattern(r"(?i)(?:not )?[\w.]*(?:running|alive|active|stop|shutdown|exit|quit|cancel|terminat)\w*(?:\.is_set\(\))?")
_ONCE = pattern(
    r"(?i)test|example|demo|batch|drain|backfill|replay|reprocess|dump|export|check|verif|inspect|peek|sample|report|count|once|read_all|tutorial|exercise"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for call, consumer in clients.made(module, frozenset({"kafka.Consumer"})):
        block = blocks.get(module.call_place(call).span)
        timeout = job.written(block, "consumer.timeout.ms") if block is not None else None
        if block is None or timeout is None or not timeout.known or timeout.sure != "sure":
            continue
        loops = clients.loops_over(module, consumer)
        millis = _number(timeout)
        if not loops or millis is None:
            continue
        at = module.place(loops[0].node.iter, loops[0].spot)
        if millis == 0:
            message = "the loop over the consumer ends at once, before it has asked for a record: 0 is no time at all (leave it out to wait for ever)"
            yield context.finding(message, timeout, [(at, "reads nothing")], severity="error", confidence="medium")
        elif (
            0 < millis < float("inf")
            and len(loops) == 1
            and (ends := _stops_a_service(context, job.written(block, "group.id"), timeout, loops[0], consumer))
        ):
            message = (
                f"{ends} as soon as no record comes for {timeout.text} ms: a quiet topic stops this consumer "
                "(leave consumer_timeout_ms out, or poll in an endless loop)"
            )
            yield context.finding(message, timeout, [(at, "ends then")])


def _number(setting: Setting) -> float | None:
    try:
        return float(setting.text.replace("_", ""))
    except ValueError:
        return None


def _works(module: Any, loop: cst.For) -> bool:
    """Whether a loop writes what it reads, and has no way out of its own, as one that counts has: being told to stop is none."""
    stops = [
        part.body
        for part in loop.body.body
        if isinstance(part, cst.If) and part.orelse is None and _STOP.fullmatch(cst.Module([]).code_for_node(part.test))
    ]
    ways_out = [part for part in descend(loop.body) if isinstance(part, (cst.Break, cst.Return, cst.Yield))]
    if any(not any(contains(stop, part) for stop in stops) for part in ways_out):
        return False
    for call in module.calls:
        if any(inner is loop for inner in call.spot.loops):
            target = module.target(call)
            called = [call, *(target.calls if target is not None else ())]
            if any(_WRITES.search(one.name) for one in called):
                return True
    return False


def _stops_a_service(context: Context, group: Setting | None, timeout: Setting, loop: Any, consumer: Any) -> str:
    """What ends with a loop in which a group's records are written, where nothing says that it is to read what there is; empty where nothing does."""
    module = context.module
    if group is None or _ONCE.search(timeout.path) or _MEANT.search(module.raw) or not _works(module, loop.node):
        return ""
    if _ends(module, loop, set()):
        return "the loop and then the program end"
    return "the loop ends and the consumer is closed" if _closes_behind(module, loop, consumer) else ""


def _closes_behind(module: Any, loop: Any, consumer: Any) -> bool:
    """Whether a method that nothing calls here closes, behind its loop, the consumer that another one has made: whoever calls it finds it closed."""
    function: Function | None = loop.spot.function
    if (
        function is None
        or function.cls is None
        or consumer.spot.function is function
        or module.call_sites(function)
        or loop.spot.in_loop()
        or _ONCE.search(function.name)
    ):
        return False
    closes = [call for call in clients.uses(module, consumer, "close") if not call.spot.in_loop()]
    sites = [site for call in closes for site in [call, *(module.call_sites(call.function) if call.function is not None else ())]]
    return any(site.function is function and not site.spot.in_loop() for site in sites)


def _ends(module: Any, statement: Any, seen: set[int]) -> bool:
    """Whether the program surely ends behind a statement that is run once."""
    function: Function | None = statement.spot.function
    if statement.spot.in_loop() or module.notebook or not module.flow(function).escapes(statement.node, (), NORMAL):
        return False
    if function is None:
        return True
    if id(function) in seen or _ONCE.search(function.name) or function.yields or function.decorators:
        return False
    seen.add(id(function))
    sites = module.call_sites(function)
    return bool(sites) and all(_ends(module, module.tree.statements[site.spot.statement], seen) for site in sites)
