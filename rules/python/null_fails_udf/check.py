"""A UDF of a stream that uses its parameter as a text, in itself or in a helper, and never asks for None, behind `from_json` or over a table of Flink in JSON.

Flink calls a UDF in Python with None for a NULL, as Spark does, and its json format makes NULL of a field that a record does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Function, Spot, descend
from shoal.templates import tables

# What takes rows without a value out, or fills it in, anywhere in the file.
_MINDED = pattern(r"(?i)isnotnull|dropna|\bna\.|fillna|coalesce\(\s*[^\d\s)]|is\s+not\s+null|\bnvl\b|ifnull")
_TESTS = (cst.If, cst.IfExp, cst.BooleanOperation, cst.Comparison, cst.UnaryOperation, cst.Assert, cst.While, cst.Match)
_ORDERS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
_LEVELS = 3
_HOW = ("made a UDF by udf", "decorated as udf")
_TEXT = frozenset(dir(str))


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    made = _nulls(job, module) if not _MINDED.search(module.raw) else {}
    if not made:
        return
    said = set()
    for function, where in module.contexts.running("udf", "operator"):
        why = made.get(where.engine)
        if where.through or why is None or not (where.how in _HOW or _evaluates(function, where)):
            continue
        for param in function.params:
            found = _used(module, function, param.name) if param.name != function.self_name else None
            if found is None or id(found[0]) in said:
                continue
            at, user = found
            if where.engine == "flink" and not isinstance(at, cst.Comparison) and not _is_text(at, user):
                continue
            said.add(id(at))
            through = f" (called from {function.qualname})" if user is not function and not function.is_lambda else ""
            message = why.format(udf=f"the UDF{through} does not expect None")
            yield context.finding(message, module.place(at, _inside(user)))


def _nulls(job: Job, module: Any) -> dict[str, str]:
    """What makes nulls of a stream's records in this file, by engine, as the message that tells of it."""
    made = {}
    if module.named("from_json") and module.frames.sinks():
        made["spark"] = (
            "a record that is no JSON, or has no such field, fails the query, and each restart reads it again: from_json makes null of it, and {udf}"
        )
    if "pandas" not in module.raw and any(
        tables.never_ends(job, table) and "json" in tables.text(tables.option(job, table, "value.format", "format"))
        for table in tables.tables(job)
    ):
        made["flink"] = (
            "a record that has no such field fails the job, and each restart reads it again: the format makes NULL of it, and {udf}"
        )
    return made


def _evaluates(function: Function, where: Any) -> bool:
    return function.name == "eval" and bool(where.how.endswith(" is a ScalarFunction"))


def _is_text(at: Any, user: Function) -> bool:
    """Whether it is a text that is used there: rows and series, which have attributes too, are none."""
    called = [one.func for one in descend(user.body) if isinstance(one, cst.Call) and isinstance(one.func, cst.Attribute)]
    return isinstance(at, cst.Call) or any(one.value is at and one.attr.value in _TEXT for one in called)


def _inside(function: Function) -> Spot:
    return function.calls[0].spot if function.calls else function.spot


def _used(module: Any, function: Function, name: str, level: int = 0) -> tuple[Any, Function] | None:
    """Where a parameter is used as a text surely is, with the function that does so; None where somebody asks what it is, or tries."""
    nodes = list(descend(function.body))
    ordered = [one for one in nodes if _is_ordered(one, name)]
    inside = {id(part) for one in ordered for part in descend(one)}
    if any(isinstance(one, cst.Try) for one in nodes) or any(_names(one, name, inside) for one in nodes if isinstance(one, _TESTS)):
        return None
    if ordered:
        return ordered[0], function
    for one in nodes:
        if isinstance(one, (cst.Attribute, cst.Subscript)) and isinstance(one.value, cst.Name) and one.value.value == name:
            return one.value, function
        if (
            isinstance(one, cst.Call)
            and isinstance(one.func, cst.Name)
            and one.func.value == "len"
            and one.args
            and _is(one.args[0].value, name)
        ):
            return one, function
    for call in function.calls if level < _LEVELS else ():
        target = module.target(call)
        if target is None or target is function or call.has_stars:
            continue
        plain = [param for param in target.params if param.name != target.self_name]
        for at, arg in enumerate(call.node.args):
            given = next((param.name for param in plain if arg.keyword is not None and param.name == arg.keyword.value), "")
            given = given or (plain[at].name if arg.keyword is None and at < len(plain) else "")
            if given and _is(arg.value, name) and (found := _used(module, target, given, level + 1)) is not None:
                return found
    return None


def _is(node: Any, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _is_ordered(node: Any, name: str) -> bool:
    """Whether something is `amount > 1000` of the parameter, which None is not to be compared by."""
    if not isinstance(node, cst.Comparison) or not all(isinstance(one.operator, _ORDERS) for one in node.comparisons):
        return False
    return any(_is(side, name) for side in (node.left, *(one.comparator for one in node.comparisons)))


def _names(node: Any, name: str, without: set[int]) -> bool:
    """Whether a test has the parameter in it, but for what is left out."""
    test = getattr(node, "test", None) or (node if not isinstance(node, (cst.If, cst.While, cst.Match)) else getattr(node, "subject", None))
    return test is not None and any(_is(one, name) and id(one) not in without for one in descend(test))
