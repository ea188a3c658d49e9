"""Subclasses of PyFlink's schemas: these hold a schema of Java's, and connectors ask for that one alone (common/serialization.py, 1.12 to 2.1)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.values import Instance, options

_SCHEMA = pattern(r"pyflink\.[\w.]*?(SimpleStringSchema|\w*SerializationSchema|\w*DeserializationSchema)$")
_METHODS = ("deserialize", "serialize")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where no call is given an object, another module may; a program that calls the method itself has its own use for it."""
    module = context.module
    for cls in module.classes:
        base = next((found.group(1) for name in module.bases(cls) if (found := _SCHEMA.match(name))), "")
        method = next((name for name in _METHODS if name in cls.methods), "")
        if not base or not method:
            continue
        handed = next(
            (
                call
                for call in module.calls
                for arg in call.node.args
                if any(isinstance(made, Instance) and made.cls is cls for made in options(module.value(arg.value, call.spot)))
            ),
            None,
        )
        if handed is None and module.named(method):
            continue
        message = f"{method} is never called: connectors ask a {base} for the schema of Java's that it holds; work on the records in a map function"
        related = [(module.call_place(handed), "is given one")] if handed is not None else []
        yield context.finding(message, module.def_place(cls.methods[method]), related, confidence="" if handed is not None else "medium")
