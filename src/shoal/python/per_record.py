"""Calls that are made once for each record: in functions of an engine, and in loops over the records of a Kafka consumer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

import libcst as cst

from shoal.python import clients
from shoal.python.contexts import EACH, TASK, Context
from shoal.python.module import Module
from shoal.python.tree import Call, Function, dotted

# Spark's methods that take a function of a partition, or of all rows of a group.
_WHOLE = frozenset({"foreachPartition", "mapPartitions", "mapInPandas", "mapInArrow", "applyInPandas", "applyInPandasWithState"})


def calls(module: Module) -> Iterator[tuple[Call, str]]:
    """The calls that surely are made for each record, each once, with where they stand in words; those under a condition (`if self.model is None`) are not.

    A condition on what the object is made with is the same for each record.
    """
    seen = set()
    for call, where in module.contexts.calls(*TASK, "async", "foreach", "step", "dataflow", "record"):
        if where.engine == "beam" and where.entry.name in ("start_bundle", "finish_bundle", "process_batch"):
            continue
        if surely(module, call, where):
            seen.add(id(call.node))
            by = f" (called from {where.origin})" if where.origin else where.how.removeprefix(EACH)
            yield call, f"for each record of a Kafka consumer{by}" if where.kind == "record" else where.told()
    for call, caller in _in_loops(module):
        if id(call.node) not in seen:
            seen.add(id(call.node))
            yield call, "in the loop over the consumer's records" + (f" (called from {caller})" if caller else "")


def surely(module: Module, call: Call, where: Context) -> bool:
    """Whether a call is made each time that its function runs in this context."""
    if where.kind == "record" and not where.how.startswith(EACH):
        return False
    way = [*where.through, *([call.function] if call.function else [])]
    sites = _sites(module, way)
    if (
        (call.spot.conditional and not _by_configuration(module, call))
        or any(map(_cached, way))
        or _under_condition(sites)
        or _for_many(call, where, sites)
    ):
        return False
    return not any(map(_given_before, [call, *chain.from_iterable(sites)]))


def _by_configuration(module: Module, call: Call) -> bool:
    """Whether it is made under conditions on parameters of `__init__` alone (`if self.bucket is None`), and what it gives stays in a local name."""
    function = call.function
    name = module.assigned(call)
    if not name or function is None or function.cls is None or name not in function.scope.bindings:
        return False
    attributes = function.cls.attributes
    if any(isinstance(bound.node, cst.Name) and bound.node.value == name for found in attributes.values() for bound in found):
        return False  # kept after all: `self.client = client`
    return all(arm.kind == "loop" or (arm.kind in ("if", "else") and _is_given(function, arm.test)) for arm in call.spot.arms)


def _is_given(function: Function, test: cst.BaseExpression) -> bool:
    """Whether a condition asks for an attribute that has been what `__init__` was given since."""
    if isinstance(test, cst.UnaryOperation):
        test = test.expression
    elif isinstance(test, cst.Comparison) and len(test.comparisons) == 1 and not isinstance(test.comparisons[0].comparator, cst.Call):
        test = test.left
    if not isinstance(test, cst.Attribute) or not isinstance(test.value, cst.Name) or test.value.value != function.self_name:
        return False
    bound = function.cls.attributes.get(test.attr.value, []) if function.cls is not None else []
    return bool(bound) and all(
        one.kind == "assign"
        and isinstance(one.node, cst.Name)
        and one.spot.function is not None
        and one.spot.function.name == "__init__"
        and one.node.value in {param.name for param in one.spot.function.params}
        for one in bound
    )


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
        if not clients.in_each_round(call.spot, loops):
            continue
        yield call, ""
        helper = module.target(call)
        if helper is not None and not _cached(helper):
            caller = call.function.qualname if call.function else "the module"
            yield from ((inner, caller) for inner in helper.calls if not inner.spot.conditional and not _given_before(inner))


def _cached(function: Function | None) -> bool:
    """Whether `functools.cache` or its like keeps what it gives."""
    return function is not None and any("cache" in dotted(getattr(item, "func", item)) for item in function.decorators)


def _given_before(call: Call) -> bool:
    """Whether the function gives something that it has, before this: `if self._client is not None: return self._client`."""
    return call.function is not None and any(
        spot.statement < call.spot.statement
        and any(arm.kind == "if" for arm in spot.arms)
        and (
            isinstance(node, (cst.Attribute, cst.Subscript)) or (isinstance(node, cst.Name) and node.value not in ("None", "True", "False"))
        )
        for node, spot in call.function.returns
    )


def _under_condition(sites: list[list[Call]]) -> bool:
    """Whether one of the functions on the way is called under a condition alone: `if self.model is None: self._load()` is done once."""
    return any(calls and all(site.spot.conditional for site in calls) for calls in sites)


def _for_many(call: Call, where: Context, sites: list[list[Call]]) -> bool:
    """Whether it is made once for a partition: Spark gives such a function an iterator, and what stands before its loop runs once.

    What a function of another module does around its call is not seen here.
    """
    whole = not _WHOLE.isdisjoint(where.how.split()) or (where.how.endswith("pandas_udf") and where.entry.yields)
    return where.engine == "spark" and whole and not any(site.spot.in_loop() for site in (call, *chain.from_iterable(sites)))
