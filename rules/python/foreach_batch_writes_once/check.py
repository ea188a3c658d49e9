"""A micro-batch that is written only where nothing was written before: the second one fails, or is dropped in silence, or the same one when it is run again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.batch_writes import does_with, parameters, save_format, save_mode, steps
from shoal.python.tree import Call, Function, descend, last_name
from shoal.python.values import names

# What these formats do with a target that is there is Spark's own doing; a connector may think otherwise, as that of Kafka does.
_FORMATS = ("jdbc", "parquet", "csv", "json", "orc", "delta", "text", "avro", "table")
# Those that write folders.
_FOLDERS = ("parquet", "csv", "json", "orc", "text", "avro", "delta")
_FAILS = ("", "error", "errorifexists", "default")
# Where a function sees to it that nothing is there, or asks whether something is.
_CLEARS = pattern(r"(?i)drop\s+table|truncate\s+table")
_REMOVES = names("rmtree rm delete unlink remove dropTable rename move")
_ASKS = pattern(r"(?i)exist|isDeltaTable|first|initial|created|catalog|describe")
# What else a folder's name is made of, so that it is another one when the batch is run again.
_ELSE = pattern(r"(?i)now|today|time|date|uuid|random|token_hex")
# Where a name of its own for each batch comes from.
_ANEW = pattern(r"(?i)now|today|time|date|uuid|random|token_hex|nextval|batch|epoch|\bid\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, at in module.contexts.running("foreach-batch"):
        entry = at.through[0] if at.through else function
        given = parameters(module, entry)
        if len(given) > 1 and does_with(module, entry, given[1]):
            if entry is function:
                yield from _by_batch(context, function, given[1])
            continue
        if any(_clears(module, call) for call in (*entry.calls, *function.calls)):
            continue
        for call, kind, _ in module.frames.batch_calls(function):
            if kind != "save" or module.target(call) is not None or call.name in ("insertInto", "append", "overwrite"):
                continue
            before = steps(module, call)
            mode, said = save_mode(module, call), before.get("mode")
            if "writeTo" in before or save_format(module, call) not in _FORMATS or _asked(call) or _anew(module, call, before, function):
                continue
            if mode == "ignore":
                message = "only the first batch is written: with mode ignore a write does nothing, and says nothing, where the target exists, and the offsets of what was dropped are committed (append)"
            elif _fails(call, mode, said):
                message = "only the first batch is written: a write without a mode, as with error, fails where the target exists, and each restart of the query meets the same batch (append, or a MERGE)"
            else:
                continue
            yield context.finding(message, module.call_place(said or call), covers=[module.covers(call)])


def _by_batch(context: Context, function: Function, batch_id: str) -> Iterator[Finding]:
    """Writes that fail where their folder is, and name it by the batch: a batch that is run again has the same id."""
    module = context.module
    if any(_clears(module, call) for call in function.calls):
        return
    for call, kind, _ in module.frames.batch_calls(function):
        if kind != "save" or module.target(call) is not None or save_format(module, call) not in _FOLDERS:
            continue
        before = steps(module, call)
        mode, said = save_mode(module, call), before.get("mode")
        if not _fails(call, mode, said) or _asked(call):
            continue
        code = _target(call, before, function)
        named = [name for text in code for name in re.findall(r"\w+", text)]
        if batch_id in named and not any(_ELSE.search(text.replace(batch_id, "")) for text in code):
            message = f"a batch that is run again after a failure has the same {batch_id}, meets the folder of its first run and fails, as it does at each restart (overwrite)"
            yield context.finding(message, module.call_place(said or call), confidence="low", covers=[module.covers(call)])


def _fails(call: Call, mode: str, said: Call | None) -> bool:
    """Whether a write ends the batch where its target exists: it has no mode, or one that says so."""
    return mode in _FAILS and (said is None or bool(mode)) and not _mode_given(call) and not call.spot.guarded


def _mode_given(call: Call) -> bool:
    """Whether the last call has a mode among its own arguments, or may have one."""
    return any(arg.star or (arg.keyword is not None and arg.keyword.value in ("mode", "saveMode")) for arg in call.node.args) or (
        len(call.node.args) > 1 and call.node.args[1].keyword is None
    )


def _clears(module: Any, call: Call) -> bool:
    if call.name in _REMOVES:
        return True
    return (
        call.name in ("sql", "execute")
        and bool(call.node.args)
        and _CLEARS.search(module.string(call.node.args[0].value, call.spot)) is not None
    )


def _asked(call: Call) -> bool:
    """Whether a write is for a certain case, such as that nothing is there yet."""
    tests = (cst.Module([]).code_for_node(arm.test) for arm in call.spot.arms if arm.kind in ("if", "else", "and") and arm.test is not None)
    return any(_ASKS.search(test) for test in tests)


def _named_in(call: Call, before: dict[str, Call]) -> list[Any]:
    """The expressions that say what is written to."""
    to = [arg.value for arg in call.node.args]
    for name in ("option", "options"):
        if name in before:
            to += [arg.value for arg in before[name].node.args]
    return to


def _target(call: Call, before: dict[str, Call], function: Function) -> list[str]:
    """What is written to, as it stands in the code, with what its names were given in the function."""
    code: list[str] = []
    waiting, seen = _named_in(call, before), set()
    while waiting:
        node = waiting.pop()
        code.append(cst.Module([]).code_for_node(node))
        for name in [at.value for at in descend(node) if isinstance(at, cst.Name)]:
            if name not in seen and function.param(name) is None:
                seen.add(name)
                waiting += [binding.node for binding in function.scope.bindings.get(name, ()) if binding.kind == "assign"]
    return code


def _anew(module: Any, call: Call, before: dict[str, Call], function: Function) -> bool:
    """Whether what is written to may be another one for each batch: its name is made of the time, or of what the function is given or asks for."""
    to = _named_in(call, before)
    code = [cst.Module([]).code_for_node(node) for node in to]
    waiting = [node.value for part in to for node in descend(part) if isinstance(node, cst.Name)]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in function.scope.bindings and function.param(name) is None:
            for binding in function.scope.bindings[name]:
                if binding.kind != "assign":
                    return True
                code.append(cst.Module([]).code_for_node(binding.node))
                waiting += [node.value for node in descend(binding.node) if isinstance(node, cst.Name)]
    if any(_ANEW.search(text) for text in code):
        return True
    if save_format(module, call) in ("jdbc", "table"):
        return False  # tables are made by hand, not for each batch
    calls = {last_name(node.func) for part in to for node in descend(part) if isinstance(node, cst.Call)}
    given = {param.name for param in function.params} & seen
    return bool(calls - {"str", "format", "join", "get", "getenv"}) or bool(given)
