"""`XREADGROUP` that asks for `>` alone, in a module that acknowledges and never claims: `>` gives what was never delivered to anybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import Mapping

_ACKNOWLEDGES = pattern(r"(?i)\bxack\b")
# What comes back to them, here or in a function that is named after it.
_COMES_BACK = pattern(r"(?i)x(?:auto)?claim|xpending|\w*(?:claim|pending|recover|stale|orphan|abandon)\w*\(")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if not _ACKNOWLEDGES.search(module.raw) or _COMES_BACK.search(module.raw):
        return
    reads = module.named("xreadgroup")
    if not reads or not all(_only_new(module, call) for call in reads):
        return
    for call in reads:
        if call.has_stars or call.argument(5, "noack") is not None or not _again_and_again(module, call, 2):
            continue
        message = (
            "entries that were delivered and not acknowledged, as after a crash or a failure, are never read again: '>' gives new ones alone "
            "(read from '0' first when the consumer starts, or take them over with XAUTOCLAIM)"
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _only_new(module: Any, call: Call) -> bool:
    """Whether all that is read is what was never delivered: `{"orders": ">"}`, also of several streams."""
    streams = call.argument(2, "streams")
    node = _made(module, streams, call)
    if isinstance(node, cst.DictComp):
        return _new(module, node.value, call)
    value = module.value(streams, call.spot) if streams is not None else None
    if not isinstance(value, Mapping):
        return False
    return bool(value.pairs) and all(module.string(pair.value_node, pair.spot) == ">" for pair in value.pairs)


def _made(module: Any, node: Any, call: Call) -> Any:
    """The comprehension that a name is given where it is bound but once."""
    if not isinstance(node, cst.Name):
        return node
    bound = [binding for binding, _ in module.lookup(node.value, call.spot)]
    return bound[0].node if len(bound) == 1 and bound[0].kind == "assign" else node


def _new(module: Any, node: Any, call: Call) -> bool:
    return bool(module.string(node, call.spot) == ">")


def _again_and_again(module: Any, call: Call, levels: int) -> bool:
    """Whether entries are read in a loop, or in a function that one calls."""
    if any(isinstance(loop, cst.While) for loop in call.spot.loops):
        return True
    sites = module.call_sites(call.function) if levels and call.function is not None else ()
    return any(_again_and_again(module, site, levels - 1) for site in sites)
