"""`Producer.produce` without a delivery callback, where nothing else tells of failures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, dotted, sure_imports
from shoal.python.values import FunctionValue

# What topics of dead letters are called.
_PUT_ASIDE = pattern(r"(?i)dlq|dlt\b|dead.?letter|quarantine|invalid|poison|(?:failed|error|bad)(?:_|-|\.|\b)|_errors?\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    reported: set[tuple[int, int]] = set()  # a producer and the function that sends with it
    yield from _deaf(context)
    yield from _unserved(context)
    aside = list(_dead_letters(module))
    for call in aside:
        message = "nobody hears whether the broker took the dead letter, and the record's own offset is committed: one that is refused is in neither topic (wait for the delivery here: such records are few)"
        yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])
    for call in module.named("produce"):
        producers = [obj for obj in module.receivers(call) if obj.type == "confluent.Producer"]
        if not producers or call.has_stars or call.has_keyword("callback") or call.argument(4, "on_delivery") is not None:
            continue
        ways = [_configured(module, producer) for producer in producers]  # one for each way to make it
        at = (id(producers[0].node), id(call.function))
        if at in reported or any(ways) or call in aside:
            continue
        if any(clients.uses(module, producer, "commit_transaction") for producer in producers):
            continue  # which fails where a record of the transaction was not taken
        reported.add(at)
        flushes = [other for producer in producers for other in clients.uses(module, producer, "flush")]
        counted = any(other.use != "dropped" for other in flushes)
        tail = "flush() gives back how many are left, which is dropped too" if flushes else "and a full queue raises BufferError"
        if counted:
            tail = "what flush() gives back counts those that still wait, and not those that were given up"
        message = (
            f"no delivery callback: a record the broker refuses is lost without a word ({tail}); pass on_delivery and serve it with poll(0)"
        )
        elsewhere = flushes or None in ways or any(clients.handed_on(module, producer) for producer in producers)
        yield context.finding(
            message,
            module.call_place(call),
            severity="info" if counted else "",
            confidence="low" if elsewhere else "",
            covers=[module.covers(call)],
        )
    yield from _lent(context, module, aside)
    yield from _futures(context, module, reported, aside)


def _lent(context: Context, module: Any, aside: list[Call]) -> Iterator[Finding]:
    """A producer that a function is lent, in a module of confluent-kafka's: a callback goes with the record, and there is none."""
    imported = any(
        dotted(node.module) == "confluent_kafka"
        and not isinstance(node.names, cst.ImportStar)
        and {"Producer"} & {dotted(one.name) for one in node.names}
        for node, _ in sure_imports(module.tree)
    )
    imported = imported and "on_delivery" not in module.text.text  # who makes producers here may tell them once for all records
    told: set[int] = set()
    for call in module.named("produce") if imported else ():
        function, receiver = call.function, call.receiver_node
        lent = function is not None and isinstance(receiver, cst.Name) and receiver.value in {param.name for param in function.params}
        if not lent or call in aside or id(function) in told or module.receivers(call) or call.has_stars:
            continue
        plain = call.has_keyword("topic") and call.has_keyword("value") and not call.has_keyword("callback", "on_delivery")
        if not plain:
            continue
        told.add(id(function))
        message = "no delivery callback: a record the broker refuses is lost without a word; pass on_delivery and serve it with poll(0)"
        yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])


def _dead_letters(module: Any) -> Iterator[Call]:
    """Records that are put aside in the loop of a consumer, where nobody hears whether the broker took them."""
    loops = clients.all_record_loops(module)
    for call in module.named("send", "produce") if loops else ():
        if not clients.in_loops(call.spot, loops) and not any(clients.in_loops(site.spot, loops) for site in _sites(module, call)):
            continue
        producers = [obj for obj in module.receivers(call) if obj.type in clients.PRODUCERS]
        topic = call.argument(0, "topic")
        if (
            len(producers) != 1
            or topic is None
            or not _PUT_ASIDE.search(cst.Module([]).code_for_node(topic) + module.string(topic, call.spot))
        ):
            continue
        if call.name == "produce":
            unseen = not call.has_stars and not call.has_keyword("on_delivery", "callback") and _configured(module, producers[0]) is False
            unseen = unseen and all(other.use == "dropped" for other in clients.uses(module, producers[0], "flush"))
        else:
            unseen = call.use == "dropped" or clients.unread(module, call) or _sent_alone(module, call)
        if unseen:
            yield call


def _sites(module: Any, call: Call) -> list[Call]:
    return module.call_sites(call.function) if call.function is not None else []


def _sent_alone(module: Any, call: Call) -> bool:
    """`await producer.send(…)` as a statement: what is awaited is that there is room, and what it gives is the future."""
    statement = module.tree.statements[call.spot.statement].node
    return call.use == "awaited" and isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Await)


def _deaf(context: Context) -> Iterator[Finding]:
    """Callbacks that never look at the error they are given."""
    module = context.module
    seen: set[int] = set()
    for call in module.named("produce"):
        node = call.argument(99, "on_delivery") or call.argument(99, "callback")
        value = module.value(node, call.spot) if node is not None else None
        if not isinstance(value, FunctionValue) or not any(obj.type == "confluent.Producer" for obj in module.receivers(call)):
            continue
        function = value.function
        params = [param for param in function.params if param.kind == "plain"]
        error = params[1 if function.self_name and value.bound is not None else 0 :][:1]
        if len(params) != len(function.params) or not error or id(function) in seen or function.decorators:
            continue
        seen.add(id(function))
        # a message's own error() is the same one
        if not clients.reads(module, error[0].name, function.scope) and not any(own.function is function for own in module.named("error")):
            message = f"the delivery callback never looks at {error[0].name}: a record the broker refuses is lost without a word"
            yield context.finding(message, module.def_place(function), [(module.place(node, call.spot), "given here")])


def _unserved(context: Context) -> Iterator[Finding]:
    """Callbacks that nothing ever calls: librdkafka hands reports out in poll() and flush() alone, and flushes itself as it commits or aborts a transaction."""
    module = context.module
    if "poll" in module.tree.attribute_names or module.named("poll", "commit_transaction", "abort_transaction", "__exit__"):
        return
    flushed = "flush" in module.tree.attribute_names or bool(module.named("flush"))
    for call in module.named("produce"):
        if not call.has_keyword("on_delivery", "callback") or (flushed and not _for_ever(module, call)):
            continue
        for producer in module.receivers(call):
            if producer.type != "confluent.Producer" or clients.handed_on(module, producer) or clients.given_back(module, producer):
                continue  # who gets it may serve them
            if isinstance(producer.node, cst.Call):
                when = "before the end" if flushed else "at all"
                message = f"the delivery callback is never called: only poll() and flush() serve it, and nothing calls them {when}; once 100000 reports wait, produce() raises BufferError"
                confidence = "low" if flushed else "medium"
                yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
                return


def _for_ever(module: Any, call: Any) -> bool:
    """Whether records come in a function that something else calls, over and over, and that flushes nothing itself."""
    function = call.function
    return (
        function is not None and not module.call_sites(function) and not any(other.function is function for other in module.named("flush"))
    )


def _futures(context: Context, module: Any, reported: set[tuple[int, int]], aside: list[Call]) -> Iterator[Finding]:
    """kafka-python's and aiokafka's `send`, and aiokafka's `send_batch`, where a function looks at no future of the producer."""
    for call in module.named("send", "send_batch"):
        if call in aside:
            continue
        producers = [obj for obj in module.receivers(call) if obj.type in ("kafka.Producer", "aiokafka.Producer")]
        if (
            not producers
            or (id(producers[0].node), id(call.function)) in reported
            or any(map(clients.catches_failures, clients.handlers(call)))
        ):
            continue
        if any(clients.uses(module, producer, "transaction", "begin_transaction") for producer in producers):
            continue
        sends = [
            other
            for producer in producers
            for other in clients.uses(module, producer, "send", "send_batch")
            if other.function is call.function and other not in aside
        ]
        if not all(other.use == "awaited" or clients.unheard(module, other) for other in sends):
            continue
        if call.use == "awaited" and not (_sent_alone(module, call) or clients.put_by(module, call)):
            continue
        reported.add((id(producers[0].node), id(call.function)))
        instead = (
            "await it, or send_and_wait" if producers[0].type.startswith("aiokafka.") else "add_errback, or look at the futures after flush"
        )
        message = (
            f"the future that tells whether the broker took the record is dropped: a refused record is lost without a word ({instead})"
        )
        others = [(module.call_place(other), "so is this one") for other in sends if other is not call]
        yield context.finding(message, module.call_place(call), others, severity="info", confidence="low", covers=[module.covers(call)])


def _configured(module: Any, producer: Any) -> bool | None:
    """Whether the configuration itself names a callback; None when it, or a part of it, cannot be seen."""
    from shoal.python.values import Mapping

    if not isinstance(producer.node, cst.Call):
        return None  # another module makes it
    for arg in producer.node.args:
        value = module.value(arg.value, producer.spot)
        if not isinstance(value, Mapping):
            if arg.keyword is None:
                return None
            continue
        if value.get("on_delivery") or value.get("dr_cb") or value.get("dr_msg_cb") or value.get("error_cb"):
            return True
        if value.open:
            return None
    return False
