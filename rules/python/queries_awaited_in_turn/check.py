"""`q1.awaitTermination(); q2.awaitTermination()`: the second is reached only after the first has ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import reads
from shoal.python.tree import ASSIGNMENTS, Call, dotted, is_none, targets
from shoal.python.values import Instance, Object, Sequence, Standin

_INSTEAD = "use spark.streams.awaitAnyTermination()"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    groups: dict[int, list[tuple[Call, list[Object]]]] = {}
    for call in module.named("awaitTermination"):
        if call.node.args:
            continue
        loop = _loop_over(call)
        confidence = _each(module, call, loop) if loop is not None and not _stopped(module, call) else ""
        if confidence or (confidence := _of_store(module, call)):
            message = (
                f"each query is awaited only after the one before it has ended: if a later one fails meanwhile, nobody sees it; {_INSTEAD}"
            )
            yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
            continue
        queries = module.receivers(call)
        if queries and all(query.type == "spark.StreamingQuery" and not _ends(module, query) for query in queries):
            groups.setdefault(id(call.function), []).append((call, queries))
    for calls in groups.values():
        first, awaited = calls[0]
        if len(calls) == 1:
            yield from _alone(context, first, awaited)
        for call, queries in calls[1:]:
            if {id(query.node) for query in queries} & {id(query.node) for query in awaited} and not _made_apart(module, first, call):
                continue
            if any(arm not in call.spot.arms for arm in first.spot.arms) or any(
                query.spot.statement > first.spot.statement for query in queries
            ):
                continue  # on another path, or a query that is not even started before the first wait
            message = f"this query is awaited only after the one above has ended: if it fails meanwhile, nobody sees it; {_INSTEAD}"
            related = [(module.call_place(first), "waits here for ever")]
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
            break


def _alone(context: Context, call: Call, awaited: list[Object]) -> Iterator[Finding]:
    """The only wait of a function that starts other queries too, of which nobody asks anything."""
    module = context.module
    if (
        module.named("awaitAnyTermination", "exception", "addListener")
        or "isActive" in module.tree.attribute_names
        or len({id(query.node) for query in awaited}) != 1
    ):
        return
    for sink in module.frames.sinks():
        start = sink.calls.get("start") or sink.calls.get("toTable")
        if start is None or sink.ends:
            continue
        started = _again(module, start, call) if start.node is awaited[0].node else _here(module, start, call)
        if started is None or started.spot.statement >= call.spot.statement or any(arm not in call.spot.arms for arm in started.spot.arms):
            continue
        same = start.node is awaited[0].node
        if not same and any(query.node is start.node for other in module.named("awaitTermination") for query in module.receivers(other)):
            continue
        message = f"only this query is awaited: if the other one fails, nobody sees it; {_INSTEAD}"
        related = [(module.call_place(started if same else start), "the other one")]
        yield context.finding(
            message, module.call_place(call), related, confidence="low" if sink.demo else "medium", covers=[module.covers(call)]
        )
        return


def _here(module: Any, start: Call, call: Call) -> Call | None:
    """Where a query is started in the function that waits: there itself, or in a helper that is called there and nowhere else."""
    if start.function is call.function or start.function is None:
        return start if start.function is call.function else None
    sites = module.call_sites(start.function)
    return sites[0] if len(sites) == 1 and sites[0].function is call.function and not start.spot.arms else None


def _again(module: Any, start: Call, call: Call) -> Call | None:
    """Another call of the helper that has started the awaited query, in the function that waits: `q1 = write(a); q2 = write(b); q2.awaitTermination()`."""
    given = _given(module, call)
    if start.function is None or start.function is call.function or len(given) != 1:
        return None
    sites: list[Call] = [site for site in module.call_sites(start.function) if site.function is call.function]
    if not any(site.node is given[0] for site in sites):
        return None
    for site in sites:
        name = module.assigned(site)
        if site.node is not given[0] and site.spot.statement < call.spot.statement and not (name and reads(module, name, site.spot.scope)):
            return site
    return None


def _made_apart(module: Any, first: Call, call: Call) -> bool:
    """Whether two names, or two attributes of an object, hold what two calls of one helper have given back."""
    makers = set()
    for one in (first, call):
        found = _given(module, one)
        if len(found) != 1 or not isinstance(found[0], cst.Call):
            return False
        makers.add(id(found[0]))
    return len(makers) == 2


def _given(module: Any, call: Call) -> list[Any]:
    """What is assigned to the name or attribute on which a method is called."""
    node = call.receiver_node
    if isinstance(node, cst.Name):
        return [binding.node for binding, _ in module.lookup(node.value, call.spot)]
    owner = module.value(node.value, call.spot) if isinstance(node, cst.Attribute) else None
    bindings = owner.cls.attributes.get(node.attr.value, ()) if isinstance(owner, Instance) else ()
    return [binding.node for binding in bindings if not is_none(binding.node)]


def _ends(module: Any, query: Object) -> bool:
    if isinstance(query.node, Standin):  # other modules tell of queries that go on
        return False
    sink = module.frames.sink_of(query)
    return sink is None or bool(sink.ends)


def _loop_over(call: Call) -> cst.For | None:
    """The loop whose variable is awaited."""
    loop = call.spot.loop
    target = call.receiver_node
    if not isinstance(loop, cst.For) or not isinstance(target, cst.Name) or not isinstance(loop.target, cst.Name):
        return None
    return loop if target.value == loop.target.value else None


def _stopped(module: Any, call: Call) -> bool:
    """Whether the awaited queries were told to stop before: in the same loop, or in one like it above."""
    name = dotted(call.receiver_node)
    return any(
        one.function is call.function
        and one.spot.statement < call.spot.statement
        and dotted(one.receiver_node) == name
        and all(arm in call.spot.arms or arm.kind in ("loop", "if") for arm in one.spot.arms)
        for one in module.named("stop")
    )


def _each(module: Any, call: Call, loop: cst.For) -> str:
    """How sure it is that the loop waits for all active queries, or all of a list, one by one; empty where it does not."""
    if dotted(loop.iter).endswith("streams.active"):
        sinks = module.frames.sinks()
        return "high" if len(sinks) > 1 and not any(sink.ends for sink in sinks) else ""
    queries = module.receivers(call)
    listed = module.value(loop.iter, call.spot)
    if isinstance(listed, Sequence) and len(listed.nodes) > 1 and queries:
        lines = _lines(module, call, loop)
        if any(one.spot.on_some_paths(call.spot) for one in lines):
            several = len(listed.nodes) > len(lines) or _several(lines)
            return "medium" if several and _endless(module, queries) else ""
        return "high" if _endless(module, queries) else ""
    gathered = _gathered(module, call, loop)
    made = [option for node, spot in gathered for option in module.objects(node, spot)]
    if made:
        return "medium" if _endless(module, made) else ""
    return "low" if gathered and not queries else ""


def _of_store(module: Any, call: Call) -> str:
    """How sure it is that a loop waits for all that a dict, or an attribute of the object, holds, one by one; empty where it does not."""
    store = _store(call)
    kept = _kept(module, call, store) if store is not None else []
    several = any(spot.in_loop() for _, spot in kept) or any(
        one is not other and not one[1].excludes(other[1]) for one in kept for other in kept
    )
    stops = [one for one in module.named("stop") if one.function is call.function and one.spot.statement <= call.spot.statement]
    if not several or stops:  # what was told to stop is waited for
        return ""
    made = [module.objects(node, spot) for node, spot in kept]
    if all(made):
        return "medium" if _endless(module, [query for some in made for query in some]) else ""
    return "" if any(made) else "low"


def _store(call: Call) -> Any:
    """What holds the queries that a loop goes over: the dict in `for name, query in started.items()`, the list in `for query in self.started`."""
    loop, awaited = call.spot.loop, call.receiver_node
    if not isinstance(loop, cst.For) or not isinstance(awaited, cst.Name):
        return None
    over: Any = loop.iter
    target: Any = loop.target
    if (
        isinstance(over, cst.Call)
        and isinstance(over.func, cst.Attribute)
        and not over.args
        and over.func.attr.value in ("values", "items")
    ):
        if over.func.attr.value == "items":
            target = target.elements[1].value if isinstance(target, cst.Tuple) and len(target.elements) == 2 else None
        over = over.func.value
    elif not isinstance(over, cst.Attribute):
        return None  # a list of the function's own
    return over if isinstance(target, cst.Name) and target.value == awaited.value and dotted(over) else None


def _kept(module: Any, call: Call, store: Any) -> list[tuple[Any, Any]]:
    """What is put into a dict or a list, each with its spot: in the function that waits, or anywhere in its class where it is an attribute."""
    name, of_object = dotted(store), isinstance(store, cst.Attribute)
    cls = call.function.cls if call.function is not None else None
    if of_object and cls is None:
        return []
    found = [
        (one.node.args[0].value, one.spot)
        for one in module.named("append")
        if one.receiver_node is not None and dotted(one.receiver_node) == name and one.node.args
    ]
    for statement in module.tree.statements:
        node = statement.node
        given = node.value if isinstance(node, ASSIGNMENTS) else None
        for target in targets(node) if given is not None else ():
            if isinstance(target, cst.Subscript) and dotted(target.value) == name:
                found.append((given, statement.spot))
            elif dotted(target) == name and isinstance(given, cst.Dict):
                found += [(one.value, statement.spot) for one in given.elements if isinstance(one, cst.DictElement)]
    return [
        (node, spot)
        for node, spot in found
        if (spot.function is not None and spot.function.cls is cls if of_object else spot.function is call.function)
    ]


def _endless(module: Any, queries: list[Object]) -> bool:
    return all(query.type == "spark.StreamingQuery" and not _ends(module, query) for query in queries)


def _gathered(module: Any, call: Call, loop: cst.For) -> list[tuple[Any, Any]]:
    """What another loop, a comprehension, or several lines one after the other put into the list that a loop goes over, each with its spot."""
    if not isinstance(loop.iter, cst.Name):
        return []
    made = [binding.node for binding, _ in module.lookup(loop.iter.value, call.spot)]
    if len(made) == 1 and isinstance(made[0], cst.ListComp):
        return [(made[0].elt, module.tree.comprehensions[id(made[0])])]
    lines = _lines(module, call, loop)
    looped = [(one.node.args[0].value, one.spot) for one in _appended(module, loop) if one.spot.in_loop()]
    return looped + ([(one.node.args[0].value, one.spot) for one in lines] if _several(lines) else [])


def _appended(module: Any, loop: cst.For) -> list[Call]:
    """What is appended to the list that a loop goes over."""
    name = loop.iter.value if isinstance(loop.iter, cst.Name) else ""
    return [
        one
        for one in module.named("append")
        if isinstance(one.receiver_node, cst.Name) and one.receiver_node.value == name and one.node.args
    ]


def _lines(module: Any, call: Call, loop: cst.For) -> list[Call]:
    """Those of them that stand in no loop themselves, in the function that waits."""
    return [one for one in _appended(module, loop) if one.function is call.function and not one.spot.in_loop()]


def _several(lines: list[Call]) -> bool:
    """Whether two of them may be run."""
    return any(one is not other and not one.spot.excludes(other.spot) for one in lines for other in lines)
