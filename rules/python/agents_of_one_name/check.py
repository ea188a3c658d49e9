"""Two coroutines of one name that are decorated as agents of the same app."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Function, decorating, dotted


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    first: dict[tuple[str, str], Function] = {}
    for function, where in module.contexts.running("agent"):
        app = _app(function) if where.engine == "faust" and not where.through else ""
        if not app or function.spot.arms:
            continue
        other = first.setdefault((app, _path(function)), function)
        if other is not function:
            message = f"this agent takes the place of the one above it: {app} keeps its agents by name, so that the first {function.name} is never started and nobody reads its topic (give one another name, or name= )"
            related = [(module.place(other.node.name, other.spot), "never started")]
            yield context.finding(message, module.place(function.node.name, function.spot), related)


def _app(function: Function) -> str:
    """The app whose agent a function is, where it goes by its own name."""
    for decorator in function.decorators:
        node = decorating(decorator)
        if isinstance(node, cst.Attribute) and node.attr.value == "agent":
            given = decorator.args if isinstance(decorator, cst.Call) else ()
            named = any(arg.star or (arg.keyword is not None and arg.keyword.value == "name") for arg in given)
            return "" if named else dotted(node.value)
    return ""


def _path(function: Function) -> str:
    """The name of a function with those of what it stands in."""
    outer = f"{_path(function.outer)}." if function.outer is not None else ""
    return f"{outer}{function.cls.name}.{function.name}" if function.cls is not None else f"{outer}{function.name}"
