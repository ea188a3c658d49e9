"""A state whose parameter is only ever added to: `rides.add(element)`, and no `rides.read()` in any method of the class."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import last_name


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    bases = {last_name(base) for cls in module.classes for base in cls.bases}
    for cls in module.classes:
        if module.contexts.classes.get(id(cls)) != "beam" or cls.name in bases:
            continue
        for cell in dofns.cells(module, cls, *dofns.STATES):
            written = cell.called("add", "write")
            if not written or cell.shared or cell.called("read", "read_range"):
                continue
            message = f"`{cell.name}` is written and read nowhere: the runner stores it for every key, writes it with each bundle, and nobody asks for it"
            yield context.finding(
                message, module.call_place(written[0]), [(module.call_place(cell.made), "the state")], covers=[module.covers(written[0])]
            )
