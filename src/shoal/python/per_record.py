"""Calls that are made once for each record: in functions of an engine, and in loops over the records of a Kafka consumer."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.python import clients
from shoal.python.contexts import TASK, Context
from shoal.python.module import Module
from shoal.python.tree import Call, Function, dotted

# Spark's methods that take a function of a partition, or of all rows of a group.
_WHOLE = frozenset({"foreachPartition", "mapPartitions", "mapInPandas", "mapInArrow", "applyInPandas", "applyInPandasWithState"})


def calls(module: Module) -> Iterator[tuple[Call, str]]:
    """The calls that surely are made for each record, each once, with where they stand in words; those under a condition (`if self.model is None`) are not."""
    seen = set()
    for call, where in module.contexts.calls(*TASK, "foreach", "step"):
        if where.engine == "beam" and where.entry.name in ("start_bundle", "finish_bundle", "process_batch"):
            continue
        if (
            not call.spot.conditional
            and _surely_reached(module, call, where)
            and not _for_many(module, call, where)
            and not any(map(_cached, (*where.through, call.function)))
        ):
            seen.add(id(call.node))
            yield call, where.told()
    for call, caller in _in_loops(module):
        if id(call.node) not in seen:
            seen.add(id(call.node))
            yield call, "in the loop over the consumer's records" + (f" (called from {caller})" if caller else "")


def _ways(module: Module, call: Call, where: Context) -> list[list[Call]]:
    """The calls by which each helper on the way is reached from the function before it."""
    chain = (*where.through, call.function)
    return [
        [at for at in outer.calls if inner is not outer and module.target(at) is inner]
        for outer, inner in zip(where.through, chain[1:], strict=True)
    ]


def _surely_reached(module: Module, call: Call, where: Context) -> bool:
    """Whether no helper on the way is called under a condition alone: `if self.model is None: self._load()` is done once."""
    return not any(sites and all(at.spot.conditional for at in sites) for sites in _ways(module, call, where))


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


def _for_many(module: Module, call: Call, where: Context) -> bool:
    """Whether it is made once for a partition: Spark gives such a function an iterator, and what stands before its loop runs once.

    What a function of another module does around its call is not seen here.
    """
    whole = where.how.rpartition(" ")[2] in _WHOLE or (where.how.endswith("pandas_udf") and where.entry.yields)
    if where.engine != "spark" or not whole or call.spot.in_loop():
        return False
    return bool(where.origin) or not any(at.spot.in_loop() for sites in _ways(module, call, where) for at in sites)
