"""`CombineGlobally` and what is made of it, in windows, with its default value (run on 2.66 and 2.77; read in 2.30)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, last_name
from shoal.python.values import Symbol

_COMBINES = ("CombineGlobally", "Globally", "Of", "Largest", "Smallest", "ToList", "FixedSizeGlobally")
_FUNCTIONS = ("Largest", "Smallest")  # these have no methods
_WINDOWS = ("FixedWindows", "SlidingWindows", "Sessions")
# Methods behind which it still puts out the default.
_PLAIN = ("with_fanout", "with_input_types", "with_output_types", "with_resource_hints")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    steps = dofns.pipeline(module)
    for call in module.named(*_COMBINES):
        name, step = module.qualified(call), steps.get(id(call.node))
        if not name.startswith("apache_beam.") or (call.name != "CombineGlobally" and ".combiners." not in name):
            continue
        if (
            step is None
            or call.has_stars
            or (call.name in _FUNCTIONS and call.argument(1, "has_defaults") is not None)
            or any(last_name(method.func) not in _PLAIN for method in step.methods)
        ):
            continue
        window = _window(module, call, steps)
        if window is not None:
            node, spot = window
            shown = call.name if call.name in ("CombineGlobally", "ToList") else f"{last_name(call.receiver_node)}.{call.name}"
            message = f"the pipeline ends here with a ValueError: in windows, {shown} has no default for what is empty; {'give it has_defaults=False' if call.name in _FUNCTIONS else 'add .without_defaults()'}"
            yield context.finding(
                message, module.call_place(call), [(module.place(node, spot), "the windows")], covers=[module.covers(call)]
            )


def _window(module: Any, call: Call, steps: dict[int, dofns.Step]) -> tuple[Any, Any] | None:
    """The windows that a step works in, where they are others than the global one."""
    for node, spot in dofns.steps_before(module, call, steps):
        made = module.value(node.func, spot)
        if not isinstance(made, Symbol) or made.top != "apache_beam":
            return None
        name = last_name(node.func)
        if name == "WindowInto":
            windows = node.args[0].value if node.args else None
            if not isinstance(windows, cst.Call) or last_name(windows.func) not in _WINDOWS:
                return None
            return (windows, spot) if isinstance(module.value(windows.func, spot), Symbol) else None
        if name not in dofns.EACH:
            return None
    return None
