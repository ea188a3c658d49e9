"""`foreachBatch(f)` calls `f(frame, batch_id)`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import FunctionValue


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("foreachBatch"):
        node = call.argument(0, "func")
        value = module.value(node, call.spot)
        if isinstance(node, cst.Call) or not isinstance(value, FunctionValue) or value.function.decorators:
            continue
        function = value.function
        plain = [param for param in function.params if param.kind == "plain"]
        if function.self_name and (value.bound is not None or not isinstance(node, cst.Name)):
            plain = plain[1:]
        stars = any(param.kind == "star" for param in function.params)
        needed = sum(1 for param in plain if param.default is None)
        needed_names = [param.name for param in function.params if param.kind == "keyword" and param.default is None]
        if needed > 2 or needed_names or (len(plain) < 2 and not stars):
            takes = "one argument" if len(plain) == 1 else "no arguments" if not plain else f"{needed} arguments"
            message = f"the first batch fails: the function is called with a frame and a batch id, and takes {'more than that' if needed_names else takes}"
            related = [(module.def_place(function), "this function")]
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
