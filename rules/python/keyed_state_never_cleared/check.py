"""A state descriptor in a class that neither sets a time-to-live nor clears anything; a state of a DoFn that is written and never cleared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.flink_methods import KEYED_STATE
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, ClassInfo
from shoal.python.values import Known
from shoal.templates import beam

_DESCRIPTORS = (
    "ValueStateDescriptor",
    "ListStateDescriptor",
    "MapStateDescriptor",
    "ReducingStateDescriptor",
    "AggregatingStateDescriptor",
)
_PASSING = pattern(
    r"(?i)\b(event|order|transaction|txn|trx|message|msg|session|request|trace|trip|payment|invoice|correlation)_?u?id\b|\buuid\b"
)
_WINDOWS = ("FixedWindows", "SlidingWindows", "Sessions(")
_UNBOUNDED = ("from_source", "add_source", "execute_sql", "from_table", "to_data_stream", "to_append_stream", "to_changelog_stream")


def check(job: Job, context: Context) -> Iterator[Finding]:
    yield from _flink(context, context.module)
    yield from _beam(job, context, context.module)


def _flink(context: Context, module: Any) -> Iterator[Finding]:
    if (
        module.named("enable_time_to_live")
        or "BATCH" in module.tree.attribute_names
        or (module.named("from_collection") and not module.named(*_UNBOUNDED))
    ):
        return  # a demonstration on a handful of rows, or a batch job
    for cls in module.classes:
        calls = [call for call in module.calls if call.function is not None and call.function.cls is cls]
        asked = [call for call in calls if call.name in KEYED_STATE and (call.function.name == "open" or _of_all_windows(call))]
        one_input = [*_of_one_input(context, module, cls, calls, asked)] if asked else []
        if not asked or one_input or module.contexts.classes.get(id(cls)) != "flink":
            yield from one_input  # also in a class that another hands its inputs on to
            continue
        if any(call.name in ("clear", "remove") for call in calls):
            found = [*_sometimes(context, module, cls, calls, asked)]
            yield from found or _beside(context, module, cls, asked)
            continue
        made = next(
            (call for call in calls if call.name in _DESCRIPTORS and call.function.name in ("open", asked[0].function.name)), asked[0]
        )
        message = (
            f"{cls.name} keeps an entry for every key it ever saw: its state has no time-to-live and is never cleared. "
            "That is fine for a fixed set of keys; else enable_time_to_live(…), or clear it in a timer"
        )
        sure = "medium" if _key_goes(module, cls.name) else ""
        yield context.finding(message, module.call_place(made), confidence=sure, covers=[module.covers(call) for call in asked])


def _sometimes(context: Context, module: Any, cls: ClassInfo, calls: list[Call], asked: list[Call]) -> Iterator[Finding]:
    """A list that grows with each record, and is cleared under a condition alone, in a class without timers."""
    if any("_timer" in call.name for call in calls):
        return
    lists = [call for call in asked if call.name == "get_list_state"]
    code = _code(module, cls)
    kept = re.findall(r"\bself\.(\w+)(?:\s*:[^=\n]+)?\s*=\s*[\w.()]+\.get_list_state\(", code)
    for made, name in zip(lists, kept if len(kept) == len(lists) else (), strict=False):
        used = [call for call in calls if _is_field(call.receiver_node, name)]
        clears, adds = ([call for call in used if call.name == word] for word in ("clear", "add"))
        whole = len({call.function.name for call in used if call.function is not None}) == 1 and not re.search(
            rf"[(,]\s*self\.{name}\s*[,)]", code
        )
        if whole and clears and all(call.spot.conditional for call in clears) and any(not call.spot.conditional for call in adds):
            message = f"{name} is kept for every key that never meets the condition under which {cls.name} clears it: it has no time-to-live, and the class has no timer"
            yield context.finding(message, module.call_place(made), covers=[module.covers(made)])


def _of_one_input(context: Context, module: Any, cls: ClassInfo, calls: list[Call], asked: list[Call]) -> Iterator[Finding]:
    """A state that one of two inputs sets and arms no timer for, which only the timer of the other clears."""
    code = _code(module, cls)
    kept = re.findall(r"\bself\.(\w+)(?:\s*:[^=\n]+)?\s*=\s*[\w.()]+\.(?:" + "|".join(KEYED_STATE) + r")\(", code)
    for first, second in (("process_element1", "process_element2"), ("process_element2", "process_element1")):
        own, other = _reached(calls, first), _reached(calls, second)
        armed = {call.function.name for call in calls if call.function is not None and "register_" in call.name and "_timer" in call.name}
        if not {first, second} <= cls.methods.keys() or armed & own or not armed & other:
            continue
        for made, name in zip(asked, kept if len(kept) == len(asked) else (), strict=False):
            used = [call for call in calls if call.function is not None and _is_field(call.receiver_node, name)]
            sets = [
                call
                for call in used
                if call.name in ("update", "add", "put")
                and call.function is not None
                and call.function.name == first
                and not call.spot.conditional
            ]
            clears = [call for call in used if call.name == "clear"]
            always = any(call.function is not None and call.function.name in own and not call.spot.conditional for call in clears)
            if sets and clears and not always and not re.search(rf"[(,]\s*self\.{name}\s*[,)]", code):
                message = (
                    f"{name} is kept for every key of which {second} sees nothing: {first} sets it and registers no timer, "
                    f"and what clears it waits for the other input; register one here as well, or enable_time_to_live(…)"
                )
                yield context.finding(message, module.call_place(sets[0]), [(module.call_place(made), "the state")])


def _reached(calls: list[Call], start: str) -> set[str]:
    """The methods that one calls, by way of others too, and itself."""
    found, more = {start}, [start]
    while more:
        name = more.pop()
        for call in calls:
            if (
                call.function is not None
                and call.function.name == name
                and isinstance(call.receiver_node, cst.Name)
                and call.receiver_node.value == "self"
                and call.name not in found
            ):
                found.add(call.name)
                more.append(call.name)
    return found


def _beside(context: Context, module: Any, cls: ClassInfo, asked: list[Call]) -> Iterator[Finding]:
    """A state that is written and never cleared, in a class that clears another one, or one that is broadcast."""
    code = _code(module, cls)
    kept = re.findall(r"\bself\.(\w+)(?:\s*:[^=\n]+)?\s*=\s*[\w.()]+\.(?:" + "|".join(KEYED_STATE) + r")\(", code)
    for made, name in zip(asked, kept if len(kept) == len(asked) else (), strict=False):
        said = re.findall(rf"\bself\.{name}\b(?:\s*(?::[^=\n]+)?=(?!=)|\s+is\b|\.(\w+)\()?", code)
        whole = len(said) == len(re.findall(rf"\bself\.{name}\b(?=\s*(?::[^=\n]+)?=(?!=)|\s+is\b|\.\w+\()", code))
        emptied = {"clear", "remove"} & {*said} or re.search(rf"\bself\.{name}\.update\((?:None|\[\])", code)
        if whole and not emptied and {"update", "add", "put", "put_all"} & {*said}:
            message = f"{name} is never cleared, and has no time-to-live: {cls.name} keeps it for every key it ever saw. That is fine for a fixed set of keys; else enable_time_to_live(…), or clear it in a timer"
            yield context.finding(message, module.call_place(made), covers=[module.covers(made)])


def _is_field(node: Any, name: str) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == name and isinstance(node.value, cst.Name) and node.value.value == "self"


def _beam(job: Job, context: Context, module: Any) -> Iterator[Finding]:
    """Beam drops the state of a window when the window ends, and the global one ends never. Who windows in another module says so in words."""
    if beam.unbounded(job, module) is False or any(name in module.raw for name in _WINDOWS):
        return
    for cls in module.classes:
        if module.contexts.classes.get(id(cls)) != "beam" or re.search(r"(?i)(?<!global)(?<!global[ _-])window", _code(module, cls)):
            continue
        timers = any(
            call.name == "clear"
            for function in cls.methods.values()
            if "timer" in module.contexts.kinds(function)
            for call in function.calls
        )
        kept = [] if timers else [cell for cell in dofns.cells(module, cls, *dofns.STATES) if _only_written(cell)]
        before = dofns.keys(module, cls)
        constant = before and all(isinstance(module.value(node, spot), Known) for node, spot in before)
        grows = next((cell for cell in kept if any(not call.spot.conditional for call in cell.called("add")) and _lists(cell)), None)
        if not kept or (constant and grows is None):
            continue
        cell = grows or kept[0]
        if grows is not None:
            message = f"{cls.name} adds each record to `{cell.name}` and never clears it: in the global window Beam keeps it as long as the pipeline runs; clear what is too old, in a timer or when it is read"
        else:
            message = (
                f"{cls.name} keeps `{cell.name}` for every key it ever saw: in the global window Beam never drops state, and nothing clears it. "
                "That is fine for a fixed set of keys; else clear it in a timer"
            )
        here = module.named("Pipeline")
        passing = any(_PASSING.search(module.tree.node.code_for_node(node)) for node, _ in before)
        sure = "medium" if here and (grows is not None or passing) else ""
        yield context.finding(message, module.call_place(cell.made), confidence=sure, covers=[module.covers(one.made) for one in kept])


def _only_written(cell: dofns.Cell) -> bool:
    return not cell.shared and bool(cell.called("add", "write")) and not cell.called("clear", "clear_range")


def _lists(cell: dofns.Cell) -> bool:
    """Whether the state has an entry for each record, not a value that is made of them all."""
    return cell.made.name in ("BagStateSpec", "OrderedListStateSpec")


def _code(module: Any, cls: ClassInfo) -> str:
    return str(module.tree.node.code_for_node(cls.node))


def _key_goes(module: Any, name: str) -> bool:
    """Whether a stream that this class processes is keyed by something that comes once or a few times, and never again."""
    for call in module.named("process", "map", "flat_map"):
        made = call.argument(0)
        if not isinstance(made, cst.Call) or not isinstance(made.func, cst.Name) or made.func.value != name:
            continue
        for obj in module.receivers(call):
            keyed = next((step for step in obj.line() if isinstance(step.node, cst.Call) and _is_key_by(step.node)), None)
            if keyed is not None and keyed.node.args:
                span = module.inner_span(keyed.node.args[0].value, keyed.spot)
                if _PASSING.search(module.text.text[span.start : span.end]):
                    return True
    return False


def _is_key_by(node: cst.Call) -> bool:
    return isinstance(node.func, cst.Attribute) and node.func.attr.value == "key_by"


def _of_all_windows(call: Call) -> bool:
    """`context.global_state().get_state(…)`: a window's function keeps something of its key beyond the window."""
    node = call.receiver_node
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "global_state"
