"""PyFlink's SinkFunction and SourceFunction hold a Java object; what a subclass defines in Python never runs."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.python.values import ClassValue, Instance, options

_RUN = {"SinkFunction": ("invoke", "add_sink"), "SourceFunction": ("run", "add_source")}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        for base in module.bases(cls):
            name = base.rpartition(".")[2]
            if not base.startswith("pyflink.") or name not in _RUN or _RUN[name][0] not in cls.methods:
                continue
            method, adds = _RUN[name]
            used: list[tuple[Place, str]] = []
            for call in module.named(adds):
                node = call.node.args[0].value if call.node.args else None
                if node is not None and any(
                    isinstance(one, (Instance, ClassValue)) and one.cls is cls for one in options(module.value(node, call.spot))
                ):
                    used.append((module.call_place(call), "the program stops here"))
            message = (
                f"{method} is never called: {adds} asks a {name} for the Java object that it holds, and one that is written in Python has none; "
                + ("write in a map or process function, or through a connector" if name == "SinkFunction" else "read through a connector")
            )
            yield context.finding(message, module.place(cls.node.name, cls.spot), used)
            break
