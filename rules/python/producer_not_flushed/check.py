"""A producer that is neither flushed nor closed in a program that comes to its end, or only behind a loop without end.

Tried with programs that send 1, 1,000 and 60,000 records to a broker on the same machine: all of the first and a third of the second are lost with kafka-python
2.0.2 and 2.2.15, and all with confluent-kafka 2.1.1 and 2.16.1; kafka-python 3.0.12 loses a third of the last, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import NORMAL
from shoal.python.tree import Call, Function, descend, dotted, is_none, kept_in, last_name
from shoal.python.values import Known, Object, names

_ENDS = ("flush", "close", "stop", "commit_transaction", "__exit__", "__aexit__")
# Methods by which who has an object says that it is done with it.
_DONE = ("close", "aclose", "stop", "shutdown", "disconnect", "terminate", "cleanup", "__exit__", "__aexit__")
_APPLICATIONS = ("FastAPI", "Flask", "Starlette", "Quart", "Sanic", "Litestar")
_FINITE = names(
    "range enumerate zip items keys values iterrows itertuples reader DictReader listdir splitlines readlines glob sorted reversed list open"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook:
        return
    yield from _never_come_to(context)
    yield from _of_batches(context)
    local = list(_local(module))
    for call, send, sure in local:
        message = "the producer goes with the function, without flush() or close(): records that it still holds are lost"
        related = [(module.call_place(call), "the producer is made here")]
        yield context.finding(
            message, module.call_place(send), related, confidence="medium" if sure else "low", covers=[module.covers(send)]
        )
    yield from _of_an_object(context)
    if local or module.tree.attribute_names & {"flush", "close"}:
        return
    for call in _for_an_application(module):
        message = (
            "the application ends after its lifespan's yield without flush() or close() on this producer: records still queued are lost"
        )
        yield context.finding(message, module.call_place(call), confidence="medium", covers=[module.covers(call)])
    if module.named(*_APPLICATIONS):
        yield from _of_an_application(context)
    said = set()
    for call, producer in [*clients.made(module, clients.PRODUCERS), *_of_quix(module)]:
        if call.use in ("entered", "argument", "yielded") or (
            call.use == "returned" and (call.function is None or not module.call_sites(call.function))
        ):
            continue
        sends = clients.uses(module, producer, "send", "produce", "send_and_wait")
        ends = clients.uses(module, producer, *_ENDS)
        if not sends or not all(_now_and_then(end, sends) for end in ends) or _hidden(module, producer):
            continue
        queued = [send for send in reversed(sends) if send.name != "send_and_wait"]
        last = next((send for send in queued if clients.comes_to_an_end(module, send, breaks=True) or _called_back(module, send)), None)
        if last is None or id(last) in said or _awaited(module, last) or _waits_behind(module, last):
            continue
        said.add(id(last))  # one of several producers, made in branches, sends here
        what = {
            "kafka-python": "its exit hook gives it a second in 3.0, and no time before",
            "confluent-kafka": "librdkafka drops its queue when the process ends",
            "aiokafka": "without stop() the batches in memory are dropped",
        }.get(clients.NAMES.get(producer.type.partition(".")[0], ""), "only leaving its `with` flushes it")
        message = f"the program ends without flush() or close() on this producer: records still queued are lost ({what})"
        if ends:
            message = f"flushed once every so many records, and not behind the loop: those that came after the last time and are still queued are lost ({what})"
        sure = last.function is None and clients.comes_to_an_end(module, last)
        confidence = "" if sure and producer.type != "kafka.Producer" and not ends else "medium"
        yield context.finding(
            message,
            module.call_place(last),
            [
                (module.call_place(call), "the producer is made here"),
                *((module.call_place(end), "flushed only now and then") for end in ends),
            ],
            confidence=confidence,
            covers=[module.covers(last)],
        )


def _now_and_then(end: Call, sends: list[Call]) -> bool:
    """Whether a flush stands in a loop that sends, under a condition that holds for each so many records (`if count % 1000 == 0`)."""
    loops = {id(loop) for send in sends for loop in send.spot.loops}
    tests = [list(_operators(arm.test)) for arm in end.spot.arms if arm.kind == "if" and isinstance(arm.test, cst.BaseExpression)]
    counts = any(any(isinstance(one, cst.Modulo) for one in test) and not any(isinstance(one, cst.Or) for one in test) for test in tests)
    return end.name == "flush" and counts and any(id(loop) in loops for loop in end.spot.loops)


def _operators(test: Any) -> Iterator[Any]:
    return (part.operator for part in (test, *descend(test)) if isinstance(part, (cst.BinaryOperation, cst.BooleanOperation)))


def _never_come_to(context: Context) -> Iterator[Finding]:
    """A producer whose only flush and close stand behind a loop that nothing leaves: who ends the program ends it there."""
    module = context.module
    for call, producer in clients.made(module, clients.PRODUCERS):
        ends = clients.uses(module, producer, *_ENDS)
        if (
            not ends
            or call.use in ("entered", "returned", "argument", "yielded")
            or _hidden(module, producer)
            or any(end.name.startswith("__") or clients.come_to(module, end) for end in ends)
            or not any(clients.come_to(module, send) for send in clients.uses(module, producer, "send", "produce", "send_and_wait"))
        ):
            continue
        message = "never come to: the loop above has no way out but an exception, and Ctrl-C or a failure ends the program there, with the records that the producer still holds (flush it in a finally)"
        yield context.finding(
            message,
            module.call_place(ends[0]),
            [(module.call_place(call), "the producer is made here")],
            confidence="medium",
            covers=[module.covers(end) for end in ends],
        )


def _of_batches(context: Context) -> Iterator[Finding]:
    """Records that foreachBatch sends with a producer which nothing ever flushes: Spark commits the batch when the function is back."""
    module = context.module
    if module.tree.attribute_names & {"flush", "close"}:  # handed on as functions
        return
    unseen = any(not module.receivers(call) for call in module.named("flush"))
    kept = {
        id(send.node): call
        for call, producer in clients.made(module, clients.PRODUCERS)
        if call.use != "entered" and not clients.uses(module, producer, *_ENDS) and not unseen
        for send in clients.uses(module, producer, "send", "produce")
    }
    for send, _ in module.contexts.calls("foreach-batch"):
        if id(send.node) in kept and send.use == "dropped":
            message = "the batch counts as done while its records still wait in the producer: what is there when the driver ends, and what the broker refuses, is lost (flush() at the end of the function, and look at the futures)"
            related = [(module.call_place(kept[id(send.node)]), "the producer is made here")]
            yield context.finding(message, module.call_place(send), related, confidence="medium", covers=[module.covers(send)])
            return


def _of_an_object(context: Context) -> Iterator[Finding]:
    """Producers that an object makes for itself and sends with, whose own `close()` leaves them alone."""
    module = context.module
    if "flush" in module.tree.attribute_names:
        return
    for call, producer in clients.made(module, clients.PRODUCERS):
        cls, kept = call.function.cls if call.function is not None else None, _kept_as(module, call)
        if cls is None or not kept.startswith("self.") or kept.count(".") > 1 or clients.uses(module, producer, *_ENDS):
            continue
        done = next((cls.methods[name] for name in _DONE if name in cls.methods), None)
        if done is None or done.decorators or any(one.name == "super" or dotted(one.receiver_node) == kept for one in done.calls):
            continue
        on = [one for method in cls.methods.values() for one in method.calls if dotted(one.receiver_node) == kept]
        sends = [one for one in on if one.name in ("send", "produce")]
        named = sum(1 for node in descend(cls.node) if isinstance(node, cst.Attribute) and dotted(node) == kept)
        if not sends or len(on) + _told(cls.node, kept) != named or any(_awaited(module, one) for one in sends):
            continue  # it is handed on, or what is sent is waited for
        unsure = producer.type == "kafka.Producer" or any(one.has_stars or one.has_keyword("callback", "on_delivery") for one in sends)
        message = f"{done.name}() neither flushes nor closes {kept}: records that the producer still holds when the program ends are lost"
        related = [(module.call_place(call), "the producer is made here"), (module.call_place(sends[0]), "records are queued here")]
        yield context.finding(
            message,
            module.place(done.node.name, done.spot),
            related,
            confidence="low" if unsure else "medium",
            covers=[module.covers(one) for one in sends],
        )


def _told(node: Any, kept: str) -> int:
    """How often a class gives a value to a field, or asks whether it has one."""
    found = 0
    for part in descend(node):
        if isinstance(part, (cst.AssignTarget, cst.AnnAssign)):
            found += dotted(part.target) == kept
        elif isinstance(part, (cst.If, cst.While)):
            found += dotted(part.test) == kept
        elif isinstance(part, cst.UnaryOperation):
            found += dotted(part.expression) == kept
        elif isinstance(part, cst.Comparison):
            found += dotted(part.left) == kept and is_none(part.comparisons[0].comparator)
    return found


def _called_back(module: Any, send: Call) -> bool:
    """Whether a record is sent by what a connection calls back, and the program goes on, and ends, when that is closed or on Ctrl-C.

    `WebSocketApp.run_forever` returns then, and so does `rospy.spin`.
    """
    function = send.function
    if function is None or function.name in ("<lambda>", "") or not module.named("run_forever", "spin"):
        return False
    if not module.flow(function).escapes(module.tree.statements[send.spot.statement].node, (), NORMAL):
        return False
    waits: list[Call] = []
    for made in module.named("WebSocketApp"):
        if module.qualified(made) == "websocket.WebSocketApp" and any(
            function in module.function_of(node, spot) for node, spot in _callbacks(module, made)
        ):
            waits += [call for call in module.named("run_forever") if _is_made(module, call.receiver_node, made) and not _reconnects(call)]
    for made in module.named("Subscriber"):
        handed = made.argument(2, "callback") if module.qualified(made) == "rospy.Subscriber" else None
        if handed is not None and function in module.function_of(handed, made.spot):
            waits += [call for call in module.named("spin") if module.qualified(call) == "rospy.spin"]
    return any(clients.comes_to_an_end(module, wait) for wait in waits)


def _callbacks(module: Any, made: Call) -> Iterator[tuple[Any, Any]]:
    """What a connection calls back: what its constructor is given, and what it is given later (`ws.on_message = take`)."""
    yield from ((arg.value, made.spot) for arg in made.args if arg.keyword is not None and arg.keyword.value.startswith("on_"))
    name = _kept_as(module, made)
    for target, node, spot in module.tree.attribute_sets if name else ():
        if target.attr.value.startswith("on_") and dotted(target.value) == name:
            yield node, spot


def _is_made(module: Any, node: Any, made: Call) -> bool:
    name = _kept_as(module, made)
    return node is made.node or (bool(name) and dotted(node) == name)


def _reconnects(call: Call) -> bool:
    return call.has_stars or call.has_keyword("reconnect", "dispatcher")


def _kept_as(module: Any, made: Call) -> str:
    """The name, or the field of an object (`self.ws`), that a statement gives to what a call returns."""
    given = kept_in(module.tree, made)
    return dotted(given[0]) if len(given) == 1 else ""


def _for_an_application(module: Any) -> Iterator[Call]:
    """Producers that an application is given while it starts, in modules that send something themselves."""
    sends = module.named("produce", "send")
    for call, producer in clients.made(module, clients.PRODUCERS) if sends else ():
        function = call.function
        if function is None or not function.yields or call.use != "assigned" or not producer.type.startswith(("kafka.", "confluent.")):
            continue
        if any(last_name(decorator) == "asynccontextmanager" for decorator in function.decorators) and not _hidden(module, producer):
            yield call


def _of_an_application(context: Context) -> Iterator[Finding]:
    """Producers of a module that its web application sends with while it answers: it is stopped with each deployment."""
    module = context.module
    for call, producer in clients.made(module, clients.PRODUCERS):
        sends = clients.uses(module, producer, "send", "produce")
        if call.function is not None or call.use != "assigned" or clients.uses(module, producer, *_ENDS) or _hidden(module, producer):
            continue
        queued = next(
            (send for send in sends if send.function is not None and send.function.decorators and not _awaited(module, send)), None
        )
        if queued is not None and all(send.function is not None for send in sends):
            message = "nothing flushes or closes this producer when the application is stopped, as it is with each deployment: records that it still holds are lost (flush() at the end of the lifespan)"
            related = [(module.call_place(call), "the producer is made here")]
            yield context.finding(message, module.call_place(queued), related, confidence="low", covers=[module.covers(queued)])


def _of_quix(module: Any) -> Iterator[tuple[Call, Object]]:
    """The producers that an application of Quix Streams gives, and which no `with` ends."""
    for call in module.named("get_producer"):
        for producer in module.objects(call.node, call.spot):
            sends = clients.uses(module, producer, "produce") if producer.type == "quix.Producer" and producer.node is call.node else []
            held = [one for send in sends for node in send.spot.withs for one in module.objects(node, send.spot)]
            if sends and all(one.node is not producer.node for one in held):
                yield call, producer


def _local(module: Any) -> Iterator[tuple[Call, Call, bool]]:
    """Producers that only a name of one function ever holds, the last record each sends, and whether the function surely gets past it."""
    for call, producer in clients.made(module, clients.PRODUCERS):
        for made in clients.makers(module, call, producer):
            function = made.function
            name = module.assigned(made)
            if function is None or not name or name in made.spot.scope.uses_globals:
                continue
            on = _calls_on(function, name)
            given = list(_given(module, function, name))
            if len(on) + len(given) != clients.reads(module, name, made.spot.scope) or any(one.name in _ENDS for one in on):
                continue  # it is handed on, or ended
            own = [one for one in on if one.name in ("send", "produce") and one.use == "dropped"]
            if len(own) != sum(1 for one in on if one.name in ("send", "produce", "send_and_wait")):
                continue
            sends = sorted([*((one, one) for one in own), *given], key=lambda pair: pair[0].spot.statement)
            if not sends:
                continue
            at, last = sends[-1]
            if any(clients.over_a_topic(module, loop, at.spot) and not clients.left(loop) for loop in at.spot.loops):
                continue
            waits = [module.tree.statements[one.spot.statement].node for one in function.calls if _lets_it_send(module, one)]
            if module.flow(function).escapes(module.tree.statements[at.spot.statement].node, waits, NORMAL):
                yield call, last, all(_finite(module, loop, at) for loop in at.spot.loops)


def _waits_behind(module: Any, send: Call) -> bool:
    """Whether each way on from the last record leads through a long sleep: the loop's own, before it looks whether it is over."""
    waits = [one for one in module.named("sleep") if one.function is send.function and _lets_it_send(module, one)]
    statements = [module.tree.statements[one.spot.statement].node for one in waits]
    return bool(waits) and not module.flow(send.function).escapes(module.tree.statements[send.spot.statement].node, statements, NORMAL)


def _lets_it_send(module: Any, call: Call) -> bool:
    """Whether a call sleeps for so long that the client's own thread has sent what it holds, if the brokers are there: `time.sleep(20)`."""
    length = module.value(call.node.args[0].value, call.spot) if call.name == "sleep" and call.node.args else None
    return isinstance(length, Known) and isinstance(length.value, (int, float)) and length.value >= 5


def _calls_on(function: Function, name: str) -> list[Call]:
    """The methods that a function calls of one of its names."""
    return [call for call in function.calls if isinstance(call.receiver_node, cst.Name) and call.receiver_node.value == name]


def _given(module: Any, function: Function, name: str) -> Iterator[tuple[Call, Call]]:
    """Functions of the module that a name is given to, and that do no more with it than send: the call, and the last record that is sent there."""
    for call in function.calls:
        helper = module.target(call)
        if helper is None or not any(isinstance(arg.value, cst.Name) and arg.value.value == name for arg in call.node.args):
            continue
        for param in helper.params:
            node = module.given(call, helper, param)
            on = _calls_on(helper, param.name) if isinstance(node, cst.Name) and node.value == name else []
            if (
                on
                and len(on) == clients.reads(module, param.name, helper.scope)
                and all(one.name in ("send", "produce") and one.use == "dropped" for one in on)
            ):
                yield call, on[-1]


def _finite(module: Any, loop: Any, call: Call) -> bool:
    """Whether a loop comes to an end of its own: not one over a consumer or over what some function hands out."""
    if not isinstance(loop, cst.For):
        return True  # the way out of a `while` has been found
    if isinstance(loop.iter, cst.Call):
        func = loop.iter.func
        return last_name(func) in _FINITE
    return not module.objects(loop.iter, call.spot)


def _hidden(module: Any, producer: Any) -> bool:
    """Whether some flush or close is on something that cannot be followed, or the producer is handed to other code."""
    for call in module.named("flush", "close", "stop"):
        if call.receiver_node is not None and not module.receivers(call) and not module.qualified(call):
            return True
    for call in module.calls:
        for arg in call.node.args:
            if any(obj.node is producer.node for obj in module.objects(arg.value, call.spot)) and module.target(call) is None:
                return True
    return False


def _awaited(module: Any, send: Any) -> bool:
    """Whether each future is waited for."""
    if send.use == "dropped":
        return False
    return any(
        call.function is send.function and any(obj.type == "kafka.Future" for obj in module.receivers(call))
        for call in module.named("get", "result")
    )
