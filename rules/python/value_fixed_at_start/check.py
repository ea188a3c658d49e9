"""Clocks and ids of Python's in a step on a stream: the driver asks them once, when it builds the plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call, descend, last_name

_IDS = frozenset(["uuid.uuid1", "uuid.uuid4"])
_CLOCKS = frozenset(
    f"{kind}.{name}"
    for kind, names in (
        ("datetime.datetime", ("now", "utcnow", "today")),
        ("datetime.date", ("today",)),
        ("pandas.Timestamp", ("now", "utcnow", "today")),
        ("time", ("time", "time_ns")),
    )
    for name in names
)
_NAMES = frozenset(name.rpartition(".")[2] for name in _CLOCKS | _IDS)
_PICKS = ("filter", "where")
# Columns that say which run of the job a row comes from.
_OF_RUN = pattern(r"(?i)run|start|launch|session|job|version|deploy|load|batch")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    asked = {id(call.node): name for call in module.named(*_NAMES) if (name := module.qualified(call)) in _CLOCKS | _IDS}
    for step in module.named("select", "withColumn", "withColumns", *_PICKS) if asked else ():
        found = list(_found(module, step, asked))
        ways = module.frames.receivers(step) if found else ()
        if not ways or not all(frame.followed and frame.streams for frame in ways) or _is_of_run(module, step):
            continue
        sinks = module.frames.sinks_of(step)
        if sinks and all(sink.ends for sink in sinks):  # each start is a batch, and has a time of its own
            continue
        for node, name, sure in found:
            confidence = "" if sure else "low"
            yield context.finding(_message(name, step), module.place(node, step.spot), confidence=confidence, covers=[module.covers(step)])


def _message(name: str, step: Call) -> str:
    called = f"{name.rpartition('.')[2]}() is called once, when the plan is built"
    if name in _IDS:
        return f'every row has the same id for as long as the job runs: {called}; expr("uuid()") is evaluated for each row'
    what = "rows are compared with" if step.name in _PICKS else "every row gets"
    return f"{what} the time at which the job was started, for as long as it runs: {called}; current_timestamp() is evaluated in each batch"


def _found(module: Any, step: Call, asked: dict[int, str]) -> Iterator[tuple[Any, str, bool]]:
    """What stands among a step's arguments, and whether there itself or in a variable; not what is called later, for a row."""
    for arg in step.node.args:
        for node in descend(arg.value, without=(cst.Lambda,)):
            if id(node) in asked:
                yield node, asked[id(node)], True
            elif isinstance(node, cst.Call) and last_name(node.func) == "lit" and node.args and isinstance(node.args[0].value, cst.Name):
                given = node.args[0].value
                bindings = [binding for binding, _ in module.lookup(given.value, step.spot)]
                if len(bindings) == 1 and bindings[0].kind == "assign":
                    inside = descend(bindings[0].node, without=(cst.Lambda,))
                    name = next((asked[id(at)] for at in inside if id(at) in asked), "")
                    if name:
                        yield given, name, False


def _is_of_run(module: Any, step: Call) -> bool:
    """Whether what a step makes says which run a row comes from."""
    named = [step.argument(0, "colName")] if step.name == "withColumn" else []
    for arg in step.node.args:
        named += [
            node.args[0].value
            for node in descend(arg.value)
            if isinstance(node, cst.Call) and last_name(node.func) == "alias" and node.args
        ]
    return any(node is not None and _OF_RUN.search(module.string(node, step.spot)) for node in named)
