"""`self.last = …` in `read()` of a `DataSourceStreamReader`, which `latestOffset()`, `commit()` and the like go by.

Tried on PySpark 4.1.4: `read` runs in a worker, on a copy of the reader that is made for each batch; in the driver's, whose other methods are called,
the attribute is what it was before.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import ClassInfo, Function, descend, targets

_READER = "DataSourceStreamReader"
_OF_DRIVER = ("latestOffset", "commit", "initialOffset", "partitions")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        read = cls.methods.get("read")
        if read is None or not any(base.startswith("pyspark.") and base.rpartition(".")[2] == _READER for base in module.bases(cls)):
            continue
        asked = _asked(cls)
        said: set[str] = set()
        for statement in module.tree.statements:
            for at in targets(statement.node) if statement.spot.function is read else ():
                name = at.attr.value if isinstance(at, cst.Attribute) and _own(at, read) else ""
                if name in asked and name not in said:
                    said.add(name)
                    method = asked[name]
                    message = f"read() runs in a worker, on a copy of the reader: {method}() is called in the driver, where self.{name} stays as it was"
                    covers = [module.place(statement.node, statement.spot)]
                    yield context.finding(message, module.place(at, statement.spot), covers=covers)


def _asked(cls: ClassInfo) -> dict[str, str]:
    """The attributes that the driver's methods ask for, be it by a method of the class that they call, each with the first of them."""
    found: dict[str, str] = {}
    for first in _OF_DRIVER:
        waiting, seen = [first], set()
        while waiting:
            name = waiting.pop()
            method = cls.methods.get(name)
            if method is None or name in seen:
                continue
            seen.add(name)
            given = {id(at) for node in descend(method.node) if isinstance(node, cst.Assign) for at in (one.target for one in node.targets)}
            for node in descend(method.node):
                if isinstance(node, cst.Attribute) and _own(node, method) and id(node) not in given:
                    found.setdefault(node.attr.value, first)
                    waiting.append(node.attr.value)
    return found


def _own(at: cst.Attribute, method: Function) -> bool:
    return isinstance(at.value, cst.Name) and at.value.value == method.self_name
