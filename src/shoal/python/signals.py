"""What a program does when it is told to stop: the functions that it has signals call."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.python.module import Module
from shoal.python.tree import Call, Function, last_name

# With the keyword of what is called, the second argument of each.
REGISTERS = {"signal": "handler", "add_signal_handler": "callback"}


def handled(module: Module) -> Iterator[tuple[Call, str, list[Function]]]:
    """Each `signal.signal(…)` and `loop.add_signal_handler(…)`, the name of its signal (empty where it cannot be known), and what it has called."""
    for call in module.named(*REGISTERS):
        node = call.argument(1, REGISTERS[call.name])
        if node is not None and (call.name != "signal" or module.qualified(call) == "signal.signal"):
            yield call, last_name(call.argument(0, "signalnum")), module.function_of(node, call.spot)
