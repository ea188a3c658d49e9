"""`get_shard_iterator(ShardId=stream["Shards"][0]["ShardId"])` before a `while` of `get_records()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Spot, descend, key_of


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A module that goes through a stream's shards anywhere may read the others, too."""
    module = context.module
    reads = [call for call in module.named("get_records") if isinstance(call.spot.loop, cst.While)]
    if not reads or not clients.KINESIS.search(module.raw):
        return
    if any(_through_shards(module, node, spot) for node, spot in _rounds(module)):
        return
    for call in module.named("get_shard_iterator"):
        node = call.argument(None, "ShardId")
        first = _first(module, node, call.spot) if node is not None else None
        if first is not None:
            message = "only the first shard is read: what producers put under keys of the others is read by nobody, from the second shard on, which an on-demand stream has from its beginning (list_shards(), and a reader for each)"
            yield context.finding(message, module.place(*first), [(module.call_place(reads[0]), "read here")], covers=[module.covers(call)])


def _first(module: Any, node: Any, spot: Spot, level: int = 0) -> tuple[Any, Spot] | None:
    """Where the id of the first shard is taken out of what a stream has."""
    for part in descend(node):
        if isinstance(part, cst.Subscript) and isinstance(key_of(part), cst.Integer) and _are_shards(module, part.value, spot):
            return part, spot
    if isinstance(node, cst.Name) and level < 4:
        bound = [one for one, _ in module.lookup(node.value, spot)]
        if len(bound) == 1 and bound[0].kind == "assign" and bound[0].node is not None:
            return _first(module, bound[0].node, bound[0].spot, level + 1)
    return None


def _are_shards(module: Any, node: Any, spot: Spot, level: int = 0) -> bool:
    """`stream["StreamDescription"]["Shards"]`, or a name for it."""
    if isinstance(node, cst.Subscript):
        key = key_of(node)
        return isinstance(key, cst.SimpleString) and key.evaluated_value == "Shards"
    if isinstance(node, cst.Name) and level < 4:
        bound = [one for one, _ in module.lookup(node.value, spot)]
        return len(bound) == 1 and bound[0].kind == "assign" and _are_shards(module, bound[0].node, bound[0].spot, level + 1)
    return False


def _rounds(module: Any) -> Iterator[tuple[Any, Spot]]:
    """What loops and comprehensions of the module go through."""
    for statement in module.tree.statements:
        if isinstance(statement.node, cst.For):
            yield statement.node.iter, statement.spot
        elif not hasattr(statement.node, "body"):
            yield from ((part.iter, statement.spot) for part in descend(statement.node) if isinstance(part, cst.CompFor))


def _through_shards(module: Any, node: Any, spot: Spot) -> bool:
    return any(_are_shards(module, part, spot) for part in descend(node) if isinstance(part, (cst.Name, cst.Subscript)))
