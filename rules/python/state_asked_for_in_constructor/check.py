"""`runtime_context.get_state(…)` in `__init__`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.flink_methods import KEYED_STATE
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*KEYED_STATE):
        function = call.function
        if (
            function is None
            or function.name != "__init__"
            or function.cls is None
            or module.contexts.classes.get(id(function.cls)) != "flink"
        ):
            continue
        message = (
            "state exists only on the cluster: __init__ runs where the job is built and pickled; ask for it in open(self, runtime_context)"
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
