"""Calls that are made once for each record: in functions of an engine, and in loops over the records of a Kafka consumer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

from shoal.python import clients
from shoal.python.contexts import TASK, Context
from shoal.python.module import Module
from shoal.python.tree import Call, Function, dotted

# Spark's methods that take a function of a partition, or of all rows of a group.
_WHOLE = frozenset({"foreachPartition", "mapPartitions", "mapInPandas", "mapInArrow", "applyInPandas", "applyInPandasWithState"})


def calls(module: Module) -> Iterator[tuple[Call, str]]:
    """The calls that surely are made for each record, each once, with where they stand in words; those under a condition (`if self.model is None`) are not."""
    seen = set()
    for call, where in module.contexts.calls(*TASK, "async", "foreach", "step"):
        if where.engine == "beam" and where.entry.name in ("start_bundle", "finish_bundle", "process_batch"):
            continue
        way = [*where.through, *([call.function] if call.function else [])]
        if (
            not call.spot.conditional
            and not any(map(_cached, way))
            and not _under_condition(sites := _sites(module, way))
            and not _for_many(call, where, sites)
        ):
            seen.add(id(call.node))
            yield call, where.told()
    for call, caller in _in_loops(module):
        if id(call.node) not in seen:
            seen.add(id(call.node))
            yield call, "in the loop over the consumer's records" + (f" (called from {caller})" if caller else "")


def _sites(module: Module, way: list[Function]) -> list[list[Call]]:
    """The calls by which each function on the way is reached from the one before it."""
    return [
        [site for site in module.call_sites(function) if site.function is caller]
        for caller, function in pairwise(way)
        if caller is not function
    ]


def _in_loops(module: Module) -> Iterator[tuple[Call, str]]:
    """Calls that are made for each record of a consumer, those of helpers included, with where such a helper is called from."""
    loops = set().union(*(clients.single_record_loops(module, consumer) for _, consumer in clients.made(module, clients.CONSUMERS)))
    for call in module.calls if loops else ():
        arms = call.spot.arms
        last = max((number for number, arm in enumerate(arms) if arm.kind == "loop" and id(arm.test) in loops), default=None)
        if last is None or any(arm.kind != "loop" for arm in arms[last + 1 :]):
            continue
        yield call, ""
        helper = module.target(call)
        if helper is not None and not _cached(helper):
            caller = call.function.qualname if call.function else "the module"
            yield from ((inner, caller) for inner in helper.calls if not inner.spot.conditional)


def _cached(function: Function | None) -> bool:
    """Whether `functools.cache` or its like keeps what it gives."""
    return function is not None and any("cache" in dotted(getattr(item, "func", item)) for item in function.decorators)


def _under_condition(sites: list[list[Call]]) -> bool:
    """Whether one of the functions on the way is called under a condition alone: `if self.model is None: self._load()` is done once."""
    return any(calls and all(site.spot.conditional for site in calls) for calls in sites)


def _for_many(call: Call, where: Context, sites: list[list[Call]]) -> bool:
    """Whether it is made once for a partition: Spark gives such a function an iterator, and what stands before its loop runs once.

    What a function of another module does around its call is not seen here.
    """
    whole = not _WHOLE.isdisjoint(where.how.split()) or (where.how.endswith("pandas_udf") and where.entry.yields)
    return where.engine == "spark" and whole and not any(site.spot.in_loop() for site in (call, *chain.from_iterable(sites)))
