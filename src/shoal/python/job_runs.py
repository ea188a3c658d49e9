"""Where a program runs a job and hears how it ends, and which function lets a failure of it through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from shoal.python.endings import caught

if TYPE_CHECKING:
    from shoal.model import Place
    from shoal.python.module import Module
    from shoal.python.tree import Call, Function

# The methods that raise what fails in a job, and on what.
RUNS = {
    "execute": ("flink.Environment", "flink.StatementSet", "flink.TablePipeline"),
    "wait": ("flink.TableResult",),
    "print": ("flink.TableResult",),
    "execute_insert": ("flink.Table",),
    "execute_sql": ("flink.TableEnvironment",),
    "awaitTermination": ("spark.StreamingQuery", "spark.QueryManager"),
    "awaitAnyTermination": ("spark.QueryManager",),
    "run": ("quix.Application", "beam.Pipeline"),
    "wait_until_finish": ("beam.Result",),
}
# What a result of a statement is asked that runs a job.
_HEARS = ("wait", "print")
# Statements that are done when the call comes back, and that run no job.
_DEFINES = ("CREATE", "DROP", "ALTER", "USE", "SHOW", "SET", "RESET", "DESCRIBE", "DESC", "LOAD", "UNLOAD", "ADD", "REMOVE", "EXPLAIN")
_LEVELS = 2


def runs(module: Module) -> Iterator[Call]:
    """The calls that run a job, in no function that an engine calls."""
    for call in module.named(*RUNS):
        known = module.receiver_type(call) in RUNS[call.name] and not module.contexts.of(call.function)
        if known and (call.name != "execute_sql" or _inserts(module, call)) and not (call.name in _HEARS and _only_defines(module, call)):
            yield call
    yield from entered(module)


def entered(module: Module) -> Iterator[Call]:
    """The calls that make a pipeline of Beam for a `with`, at whose end it runs and is waited for."""
    made = [call for call in module.named("Pipeline") if any(one.type == "beam.Pipeline" for one in module.objects(call.node, call.spot))]
    blocks = [one.node for one in module.tree.statements if isinstance(one.node, cst.With)] if made else []
    items = {id(item.item) for block in blocks for item in block.items}
    for call in made:
        if id(call.node) in items and not module.contexts.of(call.function):
            yield call


def of(module: Module, function: Function) -> tuple[Place, str] | None:
    """The call that runs a job in a function, or in what that calls, where nothing on the way catches what it raises."""
    return _of(module, function, [call for call in runs(module) if not caught(call)], _LEVELS)


def _of(module: Module, function: Function, jobs: list[Call], levels: int) -> tuple[Place, str] | None:
    own = next((call for call in jobs if call.function is function), None)
    if own is not None:
        return module.call_place(own), "the job runs here"
    for call in function.calls if levels else ():
        target = module.target(call)
        if target is not None and target is not function and not caught(call):
            found = _of(module, target, jobs, levels - 1)
            if found is not None:
                return found
    return None


def _inserts(module: Module, call: Call) -> bool:
    return _begins(module, call.argument(0, "stmt"), call) == "INSERT"


def _only_defines(module: Module, call: Call) -> bool:
    """Whether it is the result of a statement like `CREATE CATALOG …` that is waited for or printed; `CREATE TABLE … AS SELECT` runs a job."""
    asked = call.receiver_node
    made = [one.node for one in module.objects(asked, call.spot)] if isinstance(asked, cst.Name) else [asked]
    return bool(made) and all(
        isinstance(node, cst.Call) and bool(node.args) and _begins(module, node.args[0].value, call) in _DEFINES for node in made
    )


def _begins(module: Module, node: cst.BaseExpression | None, call: Call) -> str:
    """The first word of a statement; empty where it is not known, and where a table is made of a query."""
    from shoal.python.texts import text_of

    text = text_of(module, node, call.spot) if node is not None else None
    words = text.text.upper().split() if text is not None else []
    return "" if not words or ("AS" in words and "SELECT" in words) else words[0]
