"""Classes of PyFlink's whose methods are abstract, in every release that has them (1.12 to 2.3 read; run on 1.20.5): Python makes no object of a subclass that lacks one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.python.flow import tried
from shoal.python.tree import Call, ClassInfo
from shoal.python.values import ClassValue, Symbol, options

_ELEMENTS = ("process_element1", "process_element2")
_BROADCAST = ("process_element", "process_broadcast_element")
_NEEDS = {
    "MapFunction": ("map",),
    "FlatMapFunction": ("flat_map",),
    "FilterFunction": ("filter",),
    "ReduceFunction": ("reduce",),
    "AggregateFunction": ("create_accumulator", "add", "get_result", "merge"),
    "CoMapFunction": ("map1", "map2"),
    "CoFlatMapFunction": ("flat_map1", "flat_map2"),
    "ProcessFunction": ("process_element",),
    "KeyedProcessFunction": ("process_element",),
    "CoProcessFunction": _ELEMENTS,
    "KeyedCoProcessFunction": _ELEMENTS,
    "BroadcastProcessFunction": _BROADCAST,
    "KeyedBroadcastProcessFunction": _BROADCAST,
    "ProcessWindowFunction": ("process",),
    "ProcessAllWindowFunction": ("process",),
    "WindowFunction": ("apply",),
    "AllWindowFunction": ("apply",),
    "KeySelector": ("get_key",),
    "Partitioner": ("partition",),
    "TimestampAssigner": ("extract_timestamp",),
    "Trigger": ("on_element", "on_processing_time", "on_event_time", "on_merge", "clear"),
}
_OF_TABLES = {
    "ScalarFunction": ("eval",),
    "TableFunction": ("eval",),
    "AggregateFunction": ("create_accumulator", "accumulate", "get_value"),
    "TableAggregateFunction": ("create_accumulator", "accumulate", "emit_value"),
}
# Bases that bring no methods.
_PLAIN = ("abc.ABC", "object", "typing.Generic")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A class that nothing makes an object of may be the base of others."""
    module = context.module
    for cls in module.classes:
        lacks = _lacks(module, cls)
        made = _made(module, cls) if lacks else None
        if made is None:
            continue
        names = " and ".join(lacks)
        message = f"the program stops with a TypeError where it makes {cls.name}: {names} {'is' if len(lacks) == 1 else 'are'} abstract, and the class does not define {'it' if len(lacks) == 1 else 'them'}"
        java = [name for name in cls.methods if _plain(name) in map(_plain, lacks)]
        message += f" ({', '.join(java)} is Java's spelling)" if java else ""
        related: list[tuple[Place, str]] = [(module.call_place(made), "made here")]
        yield context.finding(message, module.place(cls.node.name, cls.spot), related)


def _lacks(module: Any, cls: ClassInfo) -> list[str]:
    """The abstract methods that neither the class nor those of the module that it is made from define; none where other bases may."""
    found: list[str] = []
    parents = module.parents(cls)
    for at in parents:
        if at.decorators or at.keywords:
            return []
        for node in at.bases:
            base = module.base(node, at.spot)
            if isinstance(base, ClassValue) or (isinstance(base, Symbol) and base.name in _PLAIN):
                continue
            if not isinstance(base, Symbol) or base.top != "pyflink":
                return []  # one whose name is not known, or of a module that is not this one
            needs = _OF_TABLES.get(base.last) if ".table." in base.name else _NEEDS.get(base.last)
            if needs is None:
                return []
            found += needs
    has = {name for at in parents for name in (*at.methods, *at.scope.bindings)}
    return [name for name in dict.fromkeys(found) if name not in has]


def _made(module: Any, cls: ClassInfo) -> Call | None:
    for call in module.named(cls.name):
        if not tried(call.spot) and any(
            isinstance(one, ClassValue) and one.cls is cls for one in options(module.value(call.node.func, call.spot))
        ):
            return call  # type: ignore[no-any-return]
    return None


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
