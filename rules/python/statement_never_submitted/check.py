"""`wait()` and `print()` of a result come back when the job has ended, which one over an unbounded stream does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import NORMAL
from shoal.python.texts import text_of
from shoal.python.tree import Call
from shoal.templates import tables

# Calls that start a job of their own, by what they are called on; execute_sql starts one for these words.
_SUBMITS = {
    "execute_insert": ("flink.Table",),
    "execute": ("flink.Table", "flink.StatementSet", "flink.TablePipeline", "flink.Environment"),
    "execute_sql": ("flink.TableEnvironment",),
}
_RUNS = ("INSERT", "SELECT", "EXECUTE")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    waits = [] if module.notebook else [call for call in module.named("wait", "print") if _endless(module, call)]
    collected = [call for call in module.named("to_pandas") if module.receiver_type(call) == "flink.Table"]
    if not waits and not collected and not module.named("execute"):
        return
    sources = tables.sources(job)
    if not sources or tables.is_batch(job) or not all(tables.never_ends(job, block) for block in sources):
        return
    for call in collected:
        message = "this never returns: to_pandas() collects the rows of its job until it ends, which one over an unbounded stream does not, and keeps them all"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    submits = [call for call in module.named(*_SUBMITS) if _submits(module, call)]
    for wait in waits:
        yield from _behind(context, wait, submits)
    executed = [] if module.notebook else [call for call in module.named("execute") if _executes(module, call)]
    reported: set[int] = set()
    for wait in (*waits, *executed):
        inner = module.call_place(wait)
        sure = "low" if wait.name == "execute" else ""
        for site in _callers(module, wait):
            if id(site.node) in reported:
                continue
            for submit in module.calls:
                if _follows(module, site, submit) and _reaches(module, submit, submits):
                    message = (
                        f"what follows is never submitted: {site.name}() waits until its job has ended, and over an unbounded stream that does not "
                        "end (put the INSERTs into one statement set, or start programs of their own)"
                    )
                    related = [(inner, "waits here for ever"), (module.call_place(submit), "never reached")]
                    reported.add(id(site.node))
                    yield context.finding(message, module.call_place(site), related, confidence=sure, covers=[module.covers(site)])
                    break


def _behind(context: Context, wait: Call, submits: list[Call]) -> Iterator[Finding]:
    module = context.module
    submit = next((one for one in submits if _follows(module, wait, one)), None)
    if submit is not None:
        message = f"what follows is never submitted: {wait.name}() returns when its job has ended, and over an unbounded stream it does not (put the INSERTs into one statement set)"
        related = [(module.call_place(submit), "never reached")]
        yield context.finding(message, module.call_place(wait), related, covers=[module.covers(wait)])


def _follows(module: Any, wait: Call, other: Call) -> bool:
    """Whether a call comes behind another one of the same function, on the same path."""
    if other.function is not wait.function or other.spot.statement <= wait.spot.statement or wait.spot.may_give_way(other.spot):
        return False
    after = module.flow(wait.function).after(module.tree.statements[wait.spot.statement].node)
    return id(module.tree.statements[other.spot.statement].node) in after and all(arm in other.spot.arms for arm in wait.spot.arms)


def _executes(module: Any, call: Call) -> bool:
    """`env.execute()`, which waits for the job unless the client is detached."""
    return bool(module.receiver_type(call) == "flink.Environment")


def _callers(module: Any, wait: Call) -> list[Call]:
    """The calls of functions of the module that surely come to a wait."""
    found: list[Call] = []
    waiting, seen = [wait], set()
    while waiting:
        call = waiting.pop()
        function = call.function
        if function is None or call.spot.guarded or id(function) in seen or function.is_async or function.yields:
            continue
        seen.add(id(function))
        if not module.flow(function).escapes(None, [module.tree.statements[call.spot.statement].node], NORMAL):
            sites = module.call_sites(function)
            found += sites
            waiting += sites
    return found


def _reaches(module: Any, call: Call, submits: list[Call]) -> bool:
    """Whether a call submits a job, or one of a function that does."""
    wanted = {id(submit.node) for submit in submits}
    waiting, seen = [call], set()
    while waiting:
        at = waiting.pop()
        if id(at.node) in wanted:
            return True
        target = module.target(at)
        if target is not None and id(target) not in seen:
            seen.add(id(target))
            waiting += target.calls
    return False


def _endless(module: Any, call: Call) -> bool:
    return not call.node.args and module.receiver_type(call) == "flink.TableResult"


def _submits(module: Any, call: Call) -> bool:
    if module.receiver_type(call) not in _SUBMITS[call.name]:
        return False
    if call.name != "execute_sql":
        return True
    node = call.argument(0, "stmt")
    text = text_of(module, node, call.spot) if node is not None else None
    return text is not None and text.text.split(None, 1)[:1] != [] and text.text.split(None, 1)[0].upper() in _RUNS
