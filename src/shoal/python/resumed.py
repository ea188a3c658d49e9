"""Loops that go back to the same consumer after a failure: its position is past the record that failed.

`while True: try: async for record in consumer: … except Exception: log`, also where the inner loop stands in a function that the outer one calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.model import Place
from shoal.python import clients, endings, handlers
from shoal.python.flow import catches_all, reraises
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call, Function, Spot
    from shoal.python.values import Object

# What makes a consumer begin at what was committed, or elsewhere.
_ANEW = ("start", "stop", "close", "seek", "seek_to_committed", "seek_to_beginning", "subscribe", "assign", "unsubscribe", "pause")
_LEVELS = 2


class Resumed(NamedTuple):
    """`handler` catches what `at`, in the inner loop, may raise, and the outer loop goes on with the next record."""

    handler: Any
    at: Place
    loop: Any


def resumed(module: Module, consumer: Object, loops: set[int]) -> Resumed | None:
    for statement in module.tree.statements:
        node, spot = statement.node, statement.spot
        if id(node) not in loops or not isinstance(node, cst.For) or clients.in_loops(spot, loops):
            continue
        work = next((call for call in module.calls if any(loop is node for loop in call.spot.loops) and _fails(module, call, loops)), None)
        handler = _around(module, consumer, spot, _LEVELS) if work is not None else None
        if work is not None and handler is not None:
            return Resumed(handler, module.call_place(work), node)
    return None


def _fails(module: Module, call: Call, loops: set[int]) -> bool:
    """Whether what a call raises leaves the inner loop."""
    if not endings.works(module, call):
        return False
    target = module.target(call)
    if target is not None and handlers.swallowing(module, target) is not None:
        return False
    return not any(
        (catches_all(one) or clients.catches_failures(one)) and handlers.inside(module, one, loops) for one in clients.handlers(call)
    )


def _around(module: Module, consumer: Object, spot: Spot, levels: int) -> Any:
    """The handler, in a loop around, that does no more than tell."""
    for guard in reversed(spot.guarded):
        for handler in getattr(guard, "handlers", ()):
            if not catches_all(handler) or reraises(handler):
                continue
            at = module.spot_of(handler)
            if at is None or at.loop is None or handlers.leaves_loop(handler) or not handlers.called(handler.body) <= handlers.TELLS:
                return None
            return handler if not _begun_anew(module, consumer, at.loop) else None
    if levels and spot.function is not None:
        for site in module.call_sites(spot.function):
            if (found := _around(module, consumer, site.spot, levels - 1)) is not None:
                return found
    return None


def _begun_anew(module: Module, consumer: Object, loop: Any) -> bool:
    """Whether the outer loop, or what it calls, makes the consumer, or begins anew with it."""
    maker = next((call for call in module.calls if call.node is consumer.node), None)
    renews = [*clients.uses(module, consumer, *_ANEW), *([maker] if maker is not None else [])]
    reached = _reached(module, [call for call in module.calls if any(one is loop for one in call.spot.loops)])
    return any(any(one is loop for one in call.spot.loops) or id(call.function) in reached for call in renews)


def _reached(module: Module, calls: list[Call]) -> set[int]:
    """Ids of the functions of the module that these calls run, straight or through others."""
    found: set[int] = set()
    while calls:
        targets: list[Function] = [target for call in calls if (target := module.target(call)) is not None and id(target) not in found]
        found.update(id(target) for target in targets)
        calls = [call for target in targets for call in target.calls]
    return found
