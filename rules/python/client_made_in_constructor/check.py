"""`self.client = bigquery.Client()` in the `__init__` of a DoFn, or of a function of PyFlink."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import pickled
from shoal.python.tree import Call

_WRITES_ITSELF = ("__getstate__", "__reduce__", "__reduce_ex__", "__setstate__")
_PLACES = {"beam": ("DoFn", "setup()"), "flink": ("function", "open()")}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.calls:
        function = call.function
        if function is None or function.name != "__init__" or function.cls is None or call.spot.conditional or call.spot.guarded:
            continue
        engine = module.contexts.classes.get(id(function.cls), "")
        if engine not in _PLACES or not _kept(module, call, function.self_name) or not pickled.refused(module, call, engine):
            continue
        if any(module.method(function.cls, name) is not None for name in _WRITES_ITSELF):
            continue
        kind, better = _PLACES[engine]
        message = (
            f"the job ends here while it is built: a {kind} goes to the workers with all that __init__ keeps, and what {call.name} gives cannot be "
            f"pickled; make it in {better}"
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _kept(module: Any, call: Call, own: str) -> bool:
    """Whether a statement puts what a call gives into a field of the object."""
    node = module.tree.statements[call.spot.statement].node
    if not isinstance(node, (cst.Assign, cst.AnnAssign)) or node.value is not call.node:
        return False
    target = node.targets[0].target if isinstance(node, cst.Assign) else node.target
    return isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name) and target.value.value == own
