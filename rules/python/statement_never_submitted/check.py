"""`wait()` and `print()` of a result come back when the job has ended, which one over an unbounded stream does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
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
    if not waits and not collected:
        return
    sources = tables.sources(job)
    if not sources or tables.is_batch(job) or not all(tables.never_ends(job, block) for block in sources):
        return
    for call in collected:
        message = "this never returns: to_pandas() collects the rows of its job until it ends, which one over an unbounded stream does not, and keeps them all"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    submits = [call for call in module.named(*_SUBMITS) if _submits(module, call)]
    for wait in waits:
        after = module.flow(wait.function).after(module.tree.statements[wait.spot.statement].node)
        for submit in submits:
            if submit.function is not wait.function or submit.spot.statement <= wait.spot.statement:
                continue
            if id(module.tree.statements[submit.spot.statement].node) not in after or any(
                arm not in submit.spot.arms for arm in wait.spot.arms
            ):
                continue
            message = f"what follows is never submitted: {wait.name}() returns when its job has ended, and over an unbounded stream it does not (put the INSERTs into one statement set)"
            yield context.finding(
                message, module.call_place(wait), [(module.call_place(submit), "never reached")], covers=[module.covers(wait)]
            )
            break


def _endless(module: Any, call: Call) -> bool:
    return not call.node.args and not call.spot.guarded and module.receiver_type(call) == "flink.TableResult"


def _submits(module: Any, call: Call) -> bool:
    if module.receiver_type(call) not in _SUBMITS[call.name]:
        return False
    if call.name != "execute_sql":
        return True
    node = call.argument(0, "stmt")
    text = text_of(module, node, call.spot) if node is not None else None
    return text is not None and text.text.split(None, 1)[:1] != [] and text.text.split(None, 1)[0].upper() in _RUNS
