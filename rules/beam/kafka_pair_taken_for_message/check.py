"""Without `with_metadata`, `ReadFromKafka` gives tuples `(key, value)`: no objects with fields, and no text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, Function, descend, dotted, last_name

_STEPS = ("Map", "FlatMap", "Filter", "ParDo")
# What gives its records on as they are.
_SAME = ("WindowInto", "Reshuffle")
_TUPLE = frozenset(dir(tuple))
# What looks at a record before it takes it for something.
_TESTS = ("isinstance", "hasattr", "getattr", "type")
_PARSERS = ("json.loads", "orjson.loads", "ujson.loads", "simplejson.loads")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    reads = {id(read.node): read for read in module.named("ReadFromKafka") if _pairs(module, read)}
    if not reads:
        return
    before = dofns.pipeline(module)
    seen: set[int] = set()
    for call in module.named(*_STEPS):
        steps = (node for node, _ in dofns.steps_before(module, call, before) if last_name(node.func) not in _SAME)
        read = reads.get(id(next(steps, None)))
        if read is None or not call.node.args or call.node.args[0].star or not module.qualified(call).startswith("apache_beam."):
            continue
        for function, record in dofns.called_with_records(module, call):
            misuse = None if id(function) in seen else _misuse(function, record)
            seen.add(id(function))
            if misuse is not None:
                node, how = misuse
                message = f"each record ends here with {how}: ReadFromKafka gives pairs of key and value, so the value is {record}[1]"
                message += (
                    "; with_metadata=True gives rows with these names" if isinstance(node, cst.Name) and node.value in _FIELDS else ""
                )
                yield context.finding(
                    message,
                    module.place(node, function.spot),
                    [(module.call_place(read), "where the pairs come from")],
                    covers=[module.covers(call)],
                )


_FIELDS = ("key", "value", "topic", "partition", "offset", "timestamp", "headers")


def _pairs(module: Any, read: Call) -> bool:
    given = read.argument(99, "with_metadata")
    plain = len([arg for arg in read.node.args if arg.keyword is None]) <= 2  # further places have moved between releases
    return (
        plain
        and not read.has_stars
        and module.qualified(read).startswith("apache_beam.")
        and (given is None or module.constant(given, read.spot) is False)
    )


def _misuse(function: Function, record: str) -> tuple[Any, str] | None:
    """The first use of a record that no tuple bears: where, and what comes of it."""
    found: tuple[Any, str] | None = None
    for node in descend(function.body, (cst.Lambda, cst.FunctionDef)):
        if isinstance(node, cst.Call) and node.args and _is(node.args[0].value, record):
            name = dotted(node.func)
            if name in _TESTS:
                return None
            if name in _PARSERS:
                found = found or (node.func, "a TypeError")
        elif isinstance(node, cst.Attribute) and _is(node.value, record) and node.attr.value not in _TUPLE:
            found = found or (node.attr, "an AttributeError")
        elif isinstance(node, cst.Subscript) and _is(node.value, record) and len(node.slice) == 1:
            index = getattr(node.slice[0].slice, "value", None)
            if isinstance(index, cst.SimpleString):
                found = found or (index, "a TypeError")
        elif isinstance(node, cst.Assign) and _is(node.value, record) and _count(node.targets[-1].target) not in (None, 2):
            found = found or (node.value, "a ValueError")
    return found


def _count(target: Any) -> int | None:
    """How many names a record is taken apart into; None where it is not, or a star takes what is left."""
    if not isinstance(target, (cst.Tuple, cst.List)) or any(isinstance(element, cst.StarredElement) for element in target.elements):
        return None
    return len(target.elements)


def _is(node: Any, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
