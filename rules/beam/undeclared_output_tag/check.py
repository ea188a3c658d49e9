"""Elements with a tag (`TaggedOutput`) out of a transform that has no output of that tag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns, names_elsewhere
from shoal.python.tree import Call, last_name
from shoal.python.values import UNKNOWN, Symbol

# What changes nothing about a transform's outputs.
_PLAIN = ("with_input_types", "with_output_types", "with_resource_hints")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    steps: dict[int, dofns.Step] | None = None
    for call in module.named("ParDo", "FlatMap", "Map", "FlatMapTuple", "MapTuple"):
        if not call.node.args or call.node.args[0].star or not module.qualified(call).startswith("apache_beam."):
            continue
        given = call.node.args[0].value
        value = module.value(given, call.spot)
        if value is UNKNOWN and (name := names_elsewhere.class_name(module, given, call.spot)):
            value = Symbol(name)
        tags = dofns.tags(module, value)
        if not tags:
            continue
        steps = dofns.pipeline(module) if steps is None else steps
        declared = _declared(module, call, steps.get(id(call.node)))
        if declared is None:
            continue
        for tag, made in tags:
            if tag in declared or (not tag and declared):
                continue
            shown = f"the output `{tag}`" if tag else "an output with a tag"
            has = (
                f"with_outputs() here names {', '.join(f'`{one}`' for one in sorted(declared))}"
                if declared
                else "there is no with_outputs() here"
            )
            message = f"elements that go to {shown} are dropped without a word: {has}"
            related = [(module.call_place(made), "put out here")] if made is not None else []
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
            break


def _declared(module: Any, call: Call, step: dofns.Step | None) -> set[str] | None:
    """The tags that a transform's outputs have; None where that cannot be known, or any is taken."""
    if step is None:
        return None
    found: set[str] = set()
    for method in step.methods:
        name = last_name(method.func)
        if name in _PLAIN:
            continue
        if name != "with_outputs" or not method.args:
            return None
        for arg in method.args:
            tag = module.constant(arg.value, call.spot)
            if arg.star or (arg.keyword is not None and arg.keyword.value != "main") or not isinstance(tag, str):
                return None
            found.add(tag)
    return found
