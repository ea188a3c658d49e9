"""`Thread(target=self.run)` in a PyFlink function or DoFn, where `run` is a loop without a way out."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import ALL, endless
from shoal.python.values import Object, options


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    said: set[int] = set()
    for call in module.named("Thread", "submit", "Timer"):
        owner = call.function.cls if call.function is not None else None
        if owner is None or id(owner) not in module.contexts.classes:
            continue
        if call.name == "submit":
            if module.receiver_type(call) != "py.Executor":
                continue
            target = call.argument(0, "fn")
        else:
            if not any(isinstance(option, Object) and option.type == "py.Thread" for option in options(module.result(call))):
                continue
            target = call.argument(1, "target" if call.name == "Thread" else "function")
        for function in module.function_of(target, call.spot) if target is not None else []:
            for statement in module.tree.statements:
                if statement.spot.function is not function or not isinstance(statement.node, cst.While) or not endless(statement.node):
                    continue
                if id(statement.node) in said or module.flow(function).escapes(statement.node, (), ALL):
                    continue
                said.add(id(statement.node))
                message = f"this loop runs in a thread of {owner.name} and has no way out: the thread outlives the task, and joining it never ends; look at an Event"
                yield context.finding(
                    message, module.place(statement.node.test, statement.spot), [(module.call_place(call), "started here")]
                )
