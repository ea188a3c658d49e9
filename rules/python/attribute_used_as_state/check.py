"""`self.count += 1` and `self.seen[key] = …` in a function of PyFlink's, with what is kept flowing into the output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python.tree import ClassInfo, Function, last_name
from shoal.python.values import Known, Mapping, Sequence, Symbol, options

_KEYED = ("KeyedProcessFunction", "KeyedCoProcessFunction", "KeyedBroadcastProcessFunction", "ProcessWindowFunction", ".Trigger")
# Functions without keys have no keyed state either; what they keep is as little in a checkpoint.
_UNKEYED = frozenset({"MapFunction", "FlatMapFunction", "FilterFunction", "ProcessFunction", "CoProcessFunction", "CoMapFunction"})
_HARMLESS = pattern(
    r"(?i)cache|lru|metric|counter|gauge|meter|log|debug|client|conn|timer_service|last_(?:log|report|print)|processed|errors?$|lookup|pool|session"
)

_PER_RECORD = [
    "process_element",
    "process_element1",
    "process_element2",
    "on_timer",
    "process",
    "map",
    "flat_map",
    "filter",
    "map1",
    "map2",
    "on_element",
]

# What counts for the log; by record it counts for the job.
_COUNTED = pattern(r"(?i)stat(?!e)")
_LOST = (
    "and in no checkpoint: after a restart it starts from nothing, "
    "and with another parallelism it counts something else; keep it in keyed state"
)
_OF_PROCESS = {
    "flink": _LOST,
    "quix": "and not in the application's state: it is gone with a restart, and does not follow a key whose partition moves; keep it in state (`stateful=True`)",
    "bytewax": "and in no snapshot: it is gone with a restart, and each worker has its own; keep it in stateful_map()",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        bases = [base for base in module.bases(cls) if base.startswith("pyflink.")]
        keyed = any(base.endswith(_KEYED) for base in bases)
        if not keyed and not any(base.rpartition(".")[2] in _UNKEYED for base in bases):
            continue
        plain, unset = _plain(module, cls), _plain(module, cls, unset=True)
        said: set[str] = set()
        for name in _PER_RECORD:
            function = cls.methods.get(name)
            if function is None:
                continue
            for attribute, node, spot, by_record in _changes(module, cls, function):
                harmless = _HARMLESS.search(attribute) or (_COUNTED.search(attribute) and not by_record)
                begins = plain.get(attribute) or (unset.get(attribute) if by_record is None else None)
                if begins is None or attribute in said or harmless:
                    continue
                told = _told(module, cls, function, attribute)
                if not told and by_record is not None:
                    continue
                said.add(attribute)
                whose = "shared by all keys of this task" if keyed else "this task's own"
                message = f"self.{attribute} is {whose} {_LOST}"
                covers = [module.place(module.tree.statements[spot.statement].node, spot)]
                sure = "" if attribute in plain and told and (keyed or told == "emitted") else "low"
                yield context.finding(message, module.place(node, spot), [(begins, "begins anew here")], confidence=sure, covers=covers)
    yield from _closures(context)
    yield from _objects(context)
    yield from _collected(context)


def _closures(context: Context) -> Iterator[Finding]:
    """Dicts of a module, or of a function around it, in which a function of an operator remembers something for each key."""
    module = context.module
    for function, where in module.contexts.running("operator", "step", "dataflow"):
        lost = _OF_PROCESS.get(where.engine, "") if where.kind == "operator" or where.how.startswith("passed to") else ""
        said: set[str] = set()
        for statement in module.tree.statements if lost else ():
            node = statement.node
            target = node.targets[0].target if isinstance(node, cst.Assign) else None
            if statement.spot.function is not function or not isinstance(target, cst.Subscript) or not isinstance(target.value, cst.Name):
                continue
            name = target.value.value
            made = [binding for binding, _ in module.lookup(name, statement.spot)]
            outside = made and all(binding.kind == "assign" and binding.spot.function is not function for binding in made)
            if not outside or name in said or _HARMLESS.search(name) or not _by_record(target):
                continue
            read = re.compile(rf"\b{re.escape(name)}(?:\.get\(|\[)")
            if not any(_is_plain(module, module.value(one.node, one.spot), one) for one in made) or not any(
                read.search(module.tree.node.code_for_node(other.node.value if isinstance(other.node, cst.Assign) else other.node))
                for other in module.tree.statements
                if other.spot.function is function and isinstance(other.node, (cst.Assign, cst.Return))
            ):
                continue
            said.add(name)
            message = f"{name} is this process's own {lost}"
            yield context.finding(
                message,
                module.place(target.value, statement.spot),
                [(module.place(made[0].node, made[0].spot), "begins anew here")],
                confidence="low",
            )


def _objects(context: Context) -> Iterator[Finding]:
    """Objects of a class of this module, made where the job is put together, that count or collect when a function of an operator calls them."""
    module = context.module
    classes = {cls.name: cls for cls in module.classes if not module.bases(cls)}
    for function, where in module.contexts.running("operator"):
        said: set[str] = set()
        for call in function.calls if where.engine == "flink" else ():
            receiver = call.receiver_node
            if not isinstance(receiver, cst.Name) or receiver.value in said:
                continue
            made = [binding for binding, _ in module.lookup(receiver.value, call.spot)]
            if len(made) != 1 or made[0].kind != "assign" or made[0].spot.function is function or not isinstance(made[0].node, cst.Call):
                continue
            cls = classes.get(made[0].node.func.value) if isinstance(made[0].node.func, cst.Name) else None
            method = cls.methods.get(call.name) if cls is not None else None
            if cls is None or method is None or _HARMLESS.search(cls.name) or _COUNTED.search(cls.name):
                continue
            plain = _plain(module, cls)
            changed = next((name for name, *_ in _changes(module, cls, method) if name in plain and not _HARMLESS.search(name)), "")
            if changed and _used(module, cls, changed):
                said.add(receiver.value)
                message = f"{receiver.value}.{changed} is this process's own {_LOST}"
                begins = [(module.place(made[0].node, made[0].spot), "begins anew here")]
                yield context.finding(message, module.place(receiver, call.spot), begins, confidence="low")


def _used(module: Any, cls: ClassInfo, attribute: str) -> bool:
    """Whether a loop, a condition or a result of the class goes by what is kept."""
    return any(_told(module, cls, function, attribute) for function in cls.methods.values())


def _collected(context: Context) -> Iterator[Finding]:
    """Sets of a module that a function of an operator asks and adds to."""
    module = context.module
    for function, where in module.contexts.running("operator"):
        if where.engine != "flink" or function.is_lambda:
            continue
        for call in function.calls:
            name = call.receiver_node.value if call.name == "add" and isinstance(call.receiver_node, cst.Name) else ""
            made = [binding for binding, _ in module.lookup(name, call.spot)] if name and not _HARMLESS.search(name) else []
            if len(made) != 1 or made[0].kind != "assign" or made[0].spot.function is not None:
                continue
            asked = re.search(rf"\bin {re.escape(name)}\b", module.tree.node.code_for_node(function.node))
            if asked and any(_is_plain(module, value, made[0]) for value in options(module.value(made[0].node, made[0].spot))):
                message = f"{name} is this process's own {_LOST}"
                begins = [(module.place(made[0].node, made[0].spot), "begins anew here")]
                yield context.finding(message, module.place(call.receiver_node, call.spot), begins, confidence="low")
                break


def _by_record(node: Any) -> bool:
    """Whether an entry of a dict is meant that the record names, and not one by a name of the program's own."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return False
    index = node.slice[0].slice
    return isinstance(index, cst.Index) and not isinstance(index.value, (cst.SimpleString, cst.Integer, cst.FormattedString))


def _plain(module: Any, cls: ClassInfo, unset: bool = False) -> dict[str, Place]:
    """Attributes that begin as a number, a list, a dict or a set (or `unset`, as None), and where: what `open` puts there replaces what `__init__` did."""
    found: dict[str, Place] = {}
    for attribute, bindings in cls.attributes.items():
        made = [b for b in bindings if b.kind == "assign" and b.spot.function is not None and b.spot.function.name in ("__init__", "open")]
        opened = [binding for binding in made if binding.spot.function is not None and binding.spot.function.name == "open"]
        of_class = cls.scope.bindings.get(attribute, ()) if not made else ()
        for binding in opened or made or of_class:
            values = options(module.value(binding.node, binding.spot))
            nothing = all(isinstance(value, Known) and value.value is None for value in values)
            if nothing if unset else any(_is_plain(module, value, binding) for value in values):
                found[attribute] = module.place(binding.node, binding.spot)
    return found


def _is_plain(module: Any, value: Any, binding: Any) -> bool:
    if isinstance(value, Known):
        return isinstance(value.value, (int, float)) and not isinstance(value.value, bool)
    if isinstance(value, (Mapping, Sequence)):
        return True
    callee = module.value(binding.node.func, binding.spot) if isinstance(binding.node, cst.Call) else None
    return isinstance(callee, Symbol) and callee.last in ("defaultdict", "Counter", "OrderedDict", "deque")


def _changes(module: Any, cls: ClassInfo, function: Function) -> Iterator[tuple[str, Any, Any, bool | None]]:
    """The attributes that a method changes: name, node, spot, and whether it is an entry for the record at hand; None for the record instead of the last one."""
    for statement in module.tree.statements:
        if statement.spot.function is not function:
            continue
        node = statement.node
        targets = (
            [node.target] if isinstance(node, cst.AugAssign) else [t.target for t in node.targets] if isinstance(node, cst.Assign) else []
        )
        for target in targets:
            whole = isinstance(node, cst.AugAssign) or _of_before(module, node, target, function)
            at = target.value if isinstance(target, cst.Subscript) else target if whole else None
            if isinstance(at, cst.Attribute) and isinstance(at.value, cst.Name) and at.value.value == function.self_name:
                yield at.attr.value, at, statement.spot, None if at is target and isinstance(node, cst.Assign) else _by_record(target)
    for call in function.calls:
        receiver = call.receiver_node
        if call.name not in ("append", "add", "extend", "appendleft", "setdefault") or not isinstance(receiver, cst.Attribute):
            continue
        if isinstance(receiver.value, cst.Name) and receiver.value.value == function.self_name:
            yield receiver.attr.value, receiver, call.spot, False


def _of_before(module: Any, node: cst.Assign, target: Any, function: Function) -> bool:
    """`self.total = self.total + value`, and `self.last = value` of the record at hand, which the next one is compared with."""
    if not isinstance(target, cst.Attribute):
        return False
    before = re.compile(rf"\b{re.escape(module.tree.node.code_for_node(target))}\b(?!\s*=[^=])")
    value = module.tree.node.code_for_node(node.value)
    records = function.given_names[:1]
    of_record = not isinstance(node.value, cst.Call) and any(re.search(rf"\b{re.escape(name)}\b", value) for name in records)
    earlier = module.tree.node.code_for_node(function.node).partition(module.tree.node.code_for_node(node).strip())[0]
    return bool(before.search(value)) or (of_record and bool(before.search(earlier)))


def _told(module: Any, cls: ClassInfo, function: Function, attribute: str) -> str:
    """Whether what is kept is `emitted`, standing in a yield or a return, or is at least `asked` for in a condition; empty for neither."""
    text = re.compile(rf"\b{re.escape(function.self_name)}\.{re.escape(attribute)}\b")
    found = ""
    for statement in module.tree.statements:
        if (
            statement.spot.function is None
            or statement.spot.function.cls is not cls
            or statement.spot.function.name in ("__init__", "open", "close")
        ):
            continue
        node = statement.node
        shown: Any = None
        emits = isinstance(node, cst.Return) or (isinstance(node, cst.Expr) and isinstance(node.value, cst.Yield))
        if emits:
            shown = node
        elif isinstance(node, cst.While) or (isinstance(node, cst.If) and not _only_logs(node)):
            shown = node.test
        elif isinstance(node, cst.For):
            shown = node.iter
        elif isinstance(node, cst.Assign) and statement.spot.function is function and _looked_up(node.value):
            shown = node.value
        if shown is not None and text.search(module.tree.node.code_for_node(shown)):
            if emits:
                return "emitted"
            found = "asked"
    return found


def _looked_up(node: cst.BaseExpression) -> bool:
    """`self.last.get(key, 0)` or `self.last[key]`, which the next record of the key is compared with."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Attribute) and node.func.attr.value in ("get", "setdefault")
    return isinstance(node, cst.Subscript)


_LOGGERS = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "print"})


def _only_logs(node: cst.If) -> bool:
    """`if self.seen % 1000 == 0: log.info(…)`."""
    if node.orelse is not None or not isinstance(node.body, cst.IndentedBlock):
        return False
    for line in node.body.body:
        if not isinstance(line, cst.SimpleStatementLine):
            return False
        for part in line.body:
            call = part.value if isinstance(part, cst.Expr) else None
            if not isinstance(call, cst.Call):
                return False
            name = last_name(call.func)
            if name not in _LOGGERS:
                return False
    return True
