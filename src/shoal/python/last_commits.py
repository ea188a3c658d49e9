"""Commits on the way out, which are made after a failure, too: the position is past the record that failed, and past what was taken with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.model import Place
from shoal.python import clients, endings
from shoal.python.handlers import TELLS
from shoal.python.tree import contains, descend
from shoal.python.values import Object
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call, Function

_EXITS = ("__exit__", "__aexit__")


class Last(NamedTuple):
    """`commit` is made whatever became of what `at` was doing."""

    commit: Call
    at: Place
    why: str


def last(module: Module, consumer: Object, commits: list[Call]) -> Last | None:
    """The first commit without offsets that a `finally` or `__exit__` makes, itself or in a method that it calls, after a failure in the loop, too."""
    for commit in commits:
        if not clients.whole(commit) or commit.function is None or any(arm.kind == "except" for arm in commit.spot.arms):
            continue
        if commit.spot.cleanup:
            ways = [commit]
        else:
            ways = [
                site
                for site in module.call_sites(commit.function)
                if site.spot.cleanup or (site.function is not None and _of_exit(site.function))
            ]
            ways = ways if any(_same(module, other, consumer) for other in commit.function.calls if other.name in ("close", "stop")) else []
        for way in ways:
            if way.spot.cleanup and _written_first(module, commit, way):
                continue
            if way.function is not None and _of_exit(way.function) and not _looks(way.function):
                return Last(commit, module.call_place(way), "runs after a failure, too")
            found = _left_undone(module, consumer, way) if way.spot.cleanup else None
            if found is not None:
                return Last(commit, *found)
    return None


def _written_first(module: Module, commit: Call, way: Call) -> bool:
    """Whether, above the commit, the `finally` or the method does something with what waits: `insert_rows(batch)`, `self.write()`."""
    tried = next((one.node for one in module.tree.statements if isinstance(one.node, cst.Try) and _ends_with(one.node, way)), None)
    above = [call for call in module.calls if call.spot.statement < way.spot.statement and tried is not None and _ends_with(tried, call)]
    if commit is not way and commit.function is not None:
        above += [call for call in commit.function.calls if call.spot.statement < commit.spot.statement]
    return any(
        module.target(call) is not None
        or (call.name not in TELLS and any(isinstance(arg.value, (cst.Name, cst.Attribute)) for arg in call.args))
        for call in above
    )


def _same(module: Module, call: Call, consumer: Object) -> bool:
    return any(other.node is consumer.node for other in module.receivers(call))


def _of_exit(function: Function) -> bool:
    return function.name in _EXITS


def _looks(function: Function) -> bool:
    """Whether `__exit__` looks at what it is told of a failure."""
    params = set(function.given_names)
    return any(isinstance(part, cst.Name) and part.value in params for part in descend(function.body))


def _left_undone(module: Module, consumer: Object, way: Call) -> tuple[Place, str] | None:
    """What a loop over records, in the `try` that a `finally` belongs to, may leave undone: a record whose work fails, or the rest of a batch."""
    loops = clients.record_loops(module, consumer)
    for statement in module.tree.statements:
        spot, node = statement.spot, statement.node
        tried = [one for one in spot.guarded if _ends_with(one, way)]
        if not tried or spot.function is not way.function:
            continue
        if id(node) in loops:
            for call in module.calls:
                bare = call.function is way.function and any(loop is node for loop in call.spot.loops) and not endings.caught(call)
                if bare and endings.works(module, call) and _is_of(call, tried[-1]):
                    return module.call_place(call), "may fail"
        inner = spot.loop
        if isinstance(node, cst.Return) and inner is not None and id(inner) not in loops and clients.in_loops(spot, loops):
            return module.place(node, spot), "leaves the rest of the batch undone"
    return None


def _ends_with(tried: Any, way: Call) -> bool:
    """Whether a call stands in the `finally` of a `try`."""
    return contains(getattr(tried, "finalbody", None), way.node)


def _is_of(call: Call, tried: Any) -> bool:
    return any(one is tried for one in call.spot.guarded)
