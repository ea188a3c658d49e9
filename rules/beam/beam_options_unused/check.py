"""`beam.Pipeline()` beside a `PipelineOptions(…)` that goes nowhere: no pipeline, runner or step is given it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import Object, options


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    pipelines = [
        call for call in module.named("Pipeline") if module.qualified(call) in ("apache_beam.Pipeline", "apache_beam.pipeline.Pipeline")
    ]
    if not pipelines or any(call.has_stars or call.argument(1, "options") or call.argument(2, "argv") for call in pipelines):
        return
    made = [call for call in module.calls if _makes(module, call)]
    if not made or not all(_stays(module, call) for call in made):
        return
    message = "the options have no effect: this pipeline is made without them, and runs on the direct runner with Beam's defaults"
    related = [(module.call_place(made[0]), "these options")]
    confidence = "" if made[0].node.args else "low"  # what stands on the command line, if anything
    for call in pipelines:
        yield context.finding(message, module.call_place(call), related, confidence=confidence, covers=[module.covers(call)])


def _makes(module: Any, call: Call) -> bool:
    """Whether a call makes new options; a view is a part of others."""
    return call.name != "view_as" and any(
        isinstance(one, Object) and one.type == "beam.Options" and one.node is call.node for one in options(module.result(call))
    )


def _stays(module: Any, made: Call) -> bool:
    """Whether options are only kept under names, and nothing is done with these but to set options."""
    if made.use == "dropped":
        return True
    names = {
        name
        for scope in _scopes(module)
        for name, bindings in scope.bindings.items()
        if any(_holds(module, name, one, made) for one in bindings)
    }
    if made.use not in ("assigned", "chained") or not names or _in_attribute(module, made):
        return False
    return all(_reads(module, name) == _harmless(module, name) for name in names)


def _scopes(module: Any) -> list[Any]:
    return [module.tree.root, *(function.scope for function in module.functions), *(cls.scope for cls in module.classes)]


def _holds(module: Any, name: str, binding: Any, made: Call) -> bool:
    """Whether a name is bound to the options, or to a view of them."""
    if binding.kind == "param":
        param = binding.detail.param(name)
        return param is not None and param.default is not None and _is(module, param.default, binding.detail.spot, made)
    return binding.kind == "assign" and _is(module, binding.node, binding.spot, made)


def _is(module: Any, node: Any, spot: Any, made: Call) -> bool:
    return any(one.type == "beam.Options" and one.root.node is made.node for one in module.objects(node, spot))


def _in_attribute(module: Any, made: Call) -> bool:
    sets = [(value, spot) for _, value, spot in module.tree.attribute_sets]
    sets += [
        (one.node, one.spot) for cls in module.classes for bindings in cls.attributes.values() for one in bindings if one.kind == "assign"
    ]
    return any(_is(module, value, spot, made) for value, spot in sets)


def _reads(module: Any, name: str) -> int:
    return len(module.tree.name_uses.get(name, ()))


def _harmless(module: Any, name: str) -> int:
    """How often a name is read to set an option, to get at a view that is kept as well, or as a parameter's default."""
    views = [call for call in module.named("view_as") if isinstance(call.receiver_node, cst.Name) and call.receiver_node.value == name]
    set_on = [target.value for target, _, _ in module.tree.attribute_sets]
    kept = [call for call in views if call.use in ("assigned", "dropped") or any(node is call.node for node in set_on)]
    direct = sum(isinstance(node, cst.Name) and node.value == name for node in set_on)
    defaults = sum(
        isinstance(param.default, cst.Name) and param.default.value == name for function in module.functions for param in function.params
    )
    return len(kept) + direct + defaults
