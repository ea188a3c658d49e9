"""A handler in `async_invoke` that returns `[]` for a record whose request failed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import reraises


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("async"):
        for node, spot in function.returns:
            if not (isinstance(node, cst.List) and not node.elements):
                continue
            arm = next((arm for arm in spot.arms if arm.kind == "except"), None)
            if where.entry.name == "timeout":
                message = "a record that times out is dropped without a trace: give it back marked as failed, for a dead-letter output"
                yield context.finding(message, module.place(node, spot), confidence="low")
            elif arm is not None and not reraises(arm.test.handlers[arm.index - 1]):
                message = "the record is dropped without a trace when its request fails: raise, retry, or send it to a dead-letter output"
                yield context.finding(message, module.place(node, spot))
