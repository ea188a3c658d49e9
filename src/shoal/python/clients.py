"""How Kafka clients are used: which calls are made on one client object, and whether the code after a call comes to an end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import libcst as cst

from shoal.lazy import pattern
from shoal.python import threaded
from shoal.python.flow import NORMAL, caught, endless
from shoal.python.names_elsewhere import is_client
from shoal.python.tree import ASSIGNMENTS, Call, contains, descend, dotted, is_none, last_name, parts, targets, unawaited
from shoal.python.values import ClassValue, Object, Symbol, options

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Function, Spot, Statement

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")

PRODUCERS = frozenset({"kafka.Producer", "confluent.Producer", "aiokafka.Producer"})
CONSUMERS = frozenset({"kafka.Consumer", "confluent.Consumer", "aiokafka.Consumer"})
# What else takes records off Kafka in a loop: `app.get_consumer()` of Quix Streams, which commits and is closed in a way of its own.
READERS = CONSUMERS | {"quix.Consumer"}
# What sends a record, and where it takes the record's key and partition: by position and name.
SENDS = {"kafka.Producer": ("send",), "confluent.Producer": ("produce",), "aiokafka.Producer": ("send", "send_and_wait")}
KEY = (2, "key")
PARTITIONS = {"kafka.Producer": (4, "partition"), "confluent.Producer": (3, "partition"), "aiokafka.Producer": (3, "partition")}
# Of modules that have a client for Kinesis: one that another module makes is named after the service.
KINESIS = pattern(r"(?i)boto|kinesis")
NAMES = {"kafka": "kafka-python", "confluent": "confluent-kafka", "aiokafka": "aiokafka", "quix": "Quix Streams"}

# clients of server-sent events that connect again when the server closes the stream
_RECONNECT = ("sseclient.SSEClient", "requests_sse.EventSource")

_FAILURES = ("Exception", "BaseException", "KafkaError", "KafkaTimeoutError", "KafkaException")


def _once(ask: Callable[Concatenate[Module, _Given], _Answer]) -> Callable[Concatenate[Module, _Given], _Answer]:
    """What many rules ask of a module in the same words is looked for once."""

    @wraps(ask)
    def asked(module: Module, /, *given: _Given.args, **named: _Given.kwargs) -> _Answer:
        key = (ask.__name__, given, tuple(named.items()))
        if key not in module.answered:
            module.answered[key] = ask(module, *given, **named)
        return module.answered[key]  # type: ignore[no-any-return]

    return asked


def library(obj: Object) -> str:
    """`kafka-python`, `confluent-kafka` or `aiokafka`."""
    return NAMES[obj.type.split(".", 1)[0]]


@_once
def made(module: Module, kinds: frozenset[str]) -> list[tuple[Call, Object]]:
    """The constructor calls of clients of these types."""
    found = []
    for call in module.calls:
        if call.name[:1].isupper() or call.name == "__init__":  # `super().__init__(…)` of a class that derives from one
            for option in module.objects(call.node, call.spot):
                if option.node is call.node and option.type in kinds:
                    found.append((call, option))
    return found


def wrapped(module: Module, call: Call) -> str:
    """The type of the client that an object of the project's own class makes with itself, `OrderProducer()`, or another module's function: empty for none."""
    kind, methods = wrapper(module, call.node.func, call.spot)
    return kind if not methods else ""


def wrapper(module: Module, node: Any, spot: Spot) -> tuple[str, list[str]]:
    """The type of the client that objects of the project's own class make, and the methods that do; none of them where its constructor does.

    Also that of the client which a function of another module makes each time.
    """
    name = last_name(node)
    if not (name[:1].isupper() or is_client(name)):
        return "", []
    value = module.value(node, spot)
    if isinstance(value, ClassValue):
        made = module.made_with(value.cls)
        return (made.type, []) if made is not None else module.opened_by(value.cls)
    if not isinstance(value, Symbol):
        return "", []
    return module.others.opened_by(value.name) if value.last[:1].isupper() else (module.others.made_by(value.name), [])


@_once
def held(module: Module, kinds: frozenset[str]) -> list[Object]:
    """The clients of these types: those made here, and those given to a function or kept in a field, as their annotation tells."""
    found = [obj for _, obj in made(module, kinds)]
    for call in module.named("poll", "consume", "getone", "getmany"):
        found += [obj for obj in module.receivers(call) if obj.type in kinds]
    for statement in module.tree.of_kind(cst.For):
        found += [obj for obj in module.objects(statement.node.iter, statement.spot) if obj.type in kinds]
    return list({id(obj.node): obj for obj in found}.values())


def received(module: Module, kinds: frozenset[str]) -> list[Object]:
    """Those of them that the module does not make: another one does, or whoever calls."""
    own = {id(obj.node) for _, obj in made(module, kinds)}
    return [obj for obj in held(module, kinds) if id(obj.node) not in own]


@_once
def _on(module: Module, *names: str) -> dict[int, list[Call]]:
    """The calls of these methods by the ids of what makes the clients that they may be on."""
    found: dict[int, list[Call]] = {}
    for call in module.named(*names):
        for node in {id(obj.node) for obj in module.receivers(call)}:
            found.setdefault(node, []).append(call)
    return found


@_once
def _over(module: Module) -> dict[int, list[Statement]]:
    """The `for` loops by the ids of what makes the clients that they may go over."""
    found: dict[int, list[Statement]] = {}
    for statement in module.tree.of_kind(cst.For):
        for node in {id(obj.node) for obj in module.objects(statement.node.iter, statement.spot)}:
            found.setdefault(node, []).append(statement)
    return found


def uses(module: Module, obj: Object, *names: str) -> list[Call]:
    """The calls of these methods that may be on one client, and those by which a thread is asked for them."""
    plain = list(_on(module, *names).get(id(obj.node), ()))
    asked, inside = threaded.uses(module, obj, names)
    return sorted([*(call for call in plain if id(call) not in inside), *asked], key=lambda call: call.spot.statement) if asked else plain


def whole(commit: Call) -> bool:
    """Whether a commit names no offsets, and so is of all that was taken."""
    return all(arg.keyword is not None and arg.keyword.value == "asynchronous" for arg in commit.args)


def handed_on(module: Module, client: Object) -> bool:
    """Whether a client is given to what another module, or a library, does with it as it likes: `Shutdown(consumer=consumer)`."""
    for call in module.calls:
        held = [arg.value for arg in call.node.args if isinstance(arg.value, (cst.Name, cst.Attribute))]
        if not held or module.target(call) is not None or call.receiver_node is not None:
            continue
        if any(obj.node is client.node for node in held for obj in module.objects(node, call.spot)):
            return True
    return False


def given_back(module: Module, client: Object, but: Function | None = None) -> bool:
    """Whether a function of the module, another one than `but`, returns a client."""
    return any(
        isinstance(option, Object) and option.node is client.node
        for function in module.functions
        if function is not but
        for node, spot in function.returns
        if node is not None
        for option in options(module.value(node, spot))
    )


def makers(module: Module, call: Call, client: Object) -> list[Call]:
    """The call that makes a client, and those of the function that makes and returns a new one each time."""
    function = call.function
    if function is None or not anew(module, call):
        return [call]
    given = [(site, options(module.result(site))) for site in module.call_sites(function)]
    return [call, *(site for site, found in given if any(isinstance(one, Object) and one.node is client.node for one in found))]


def anew(module: Module, call: Call) -> bool:
    """Whether what a call in a function makes is kept by nothing that outlives the function, so that the next call makes another one."""
    node = module.tree.statements[call.spot.statement].node
    assigns = isinstance(node, ASSIGNMENTS)
    kept = assigns and not all(isinstance(one, cst.Name) and one.value not in call.spot.scope.uses_globals for one in targets(node))
    decorated = call.function is not None and bool(call.function.decorators)
    return not (kept or decorated or (assigns and stored(module, node, call.spot.scope)))


def stored(module: Module, made: Any, scope: Any) -> bool:
    """Whether one of the names that are given a client here is put into something else: a cache that hands out the same one again."""
    names = {one.value for one in targets(made) if isinstance(one, cst.Name)}
    stores = [one.node for one in module.tree.of_kind(*ASSIGNMENTS) if one.spot.scope is scope]
    return any(
        isinstance(node.value, cst.Name) and node.value.value in names and any(not isinstance(to, cst.Name) for to in targets(node))
        for node in stores
    )


def comes_to_an_end(module: Module, call: Call, seen: set[int] | None = None, breaks: bool = False) -> bool:
    """Whether the program surely runs on past a call and may end: no endless loop around it, here or where it is called from.

    False also for a function that nothing in the module calls: who knows what its caller does. `main` is called as the program, and so is a command.
    `breaks`: an endless loop may have a way out, a `break` or a handler around it.
    """
    function = call.function
    statement = module.tree.statements[call.spot.statement].node
    if not breaks and any(endless(loop) for loop in call.spot.loops):
        return False
    if any(over_a_topic(module, loop, call.spot) and not (breaks and left(loop)) for loop in call.spot.loops):
        return False
    own = [one for one in module.tree.of_kind(cst.For) if one.spot.function is function]
    waits = [one.node for one in own if over_a_topic(module, one.node, one.spot) and not left(one.node)]
    if not module.flow(function).escapes(statement, waits, NORMAL):
        return False
    if function is None:
        return True
    seen = set() if seen is None else seen
    if id(function) in seen:
        return False
    seen.add(id(function))
    sites = module.call_sites(function)
    if not sites and function.name == "main" and function.cls is None:
        return True
    if any(isinstance(one, cst.Call) and last_name(one.func) == "command" for one in function.decorators):  # of Click and Typer
        return True
    return any(comes_to_an_end(module, site, seen, breaks) for site in sites)


def come_to(module: Module, call: Call) -> bool:
    """Whether some path through its function leads to a call; a finally block is come to by any exception."""
    return call.spot.cleanup or bool(module.flow(call.function).reaches(None, [module.tree.statements[call.spot.statement].node], ()))


def over_a_topic(module: Module, loop: Any, spot: Spot) -> bool:
    """Whether a loop is over what waits for the next record as long as it takes: a consumer, or a stream of server-sent events."""
    if not isinstance(loop, cst.For):
        return False
    if any(_waits(module, node, at) for node, at in _bound(module, loop.iter, spot)):
        return True
    made = [obj for obj in module.objects(loop.iter, spot) if obj.type in CONSUMERS]
    return any(isinstance(obj.node, cst.Call) and not _given(obj.node, "consumer_timeout_ms") for obj in made)


def _bound(module: Module, node: Any, spot: Spot) -> list[tuple[Any, Spot]]:
    """What an expression is, or what the name was bound to."""
    return [(one.node, one.spot) for one, _ in module.lookup(node.value, spot)] if isinstance(node, cst.Name) else [(node, spot)]


def _waits(module: Module, node: Any, spot: Spot) -> bool:
    return isinstance(node, cst.Call) and any(
        isinstance(one, Symbol) and one.name in _RECONNECT for one in options(module.value(node.func, spot))
    )


def _given(made: cst.Call, keyword: str) -> bool:
    return any(arg.star or (arg.keyword is not None and arg.keyword.value == keyword) for arg in made.args)


def left(loop: Any) -> bool:
    """Whether a loop has a way out that it takes by itself."""
    return any(isinstance(node, (cst.Break, cst.Return)) for node in descend(loop.body))


def handlers(call: Call) -> list[Any]:
    """The handlers of the `try` statements around a call, innermost first."""
    return [handler for statement in reversed(call.spot.guarded) for handler in getattr(statement, "handlers", ())]


def catches_failures(handler: Any) -> bool:
    """Whether a handler is there for what a client raises, and not for Ctrl-C or a missing file."""
    return handler.type is None or any(name in _FAILURES for name in caught(handler))


def where_wrong(test: Any, call: Any) -> bool | None:
    """Whether a test of a message holds when there is an error: True for `m.error()`, False for `m.error() is None`; None where it is more than that."""
    if test is call:
        return True
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = where_wrong(test.expression, call)
        return None if inner is None else not inner
    if isinstance(test, cst.BooleanOperation):
        found = [where_wrong(side, call) for side in (test.left, test.right) if contains(side, call)]
        wanted = isinstance(test.operator, cst.Or)  # `a or error`, `a and not error`: of both the whole says what the part says
        return found[0] if len(found) == 1 and found[0] is wanted else None
    if isinstance(test, cst.Comparison) and test.left is call and len(test.comparisons) == 1:
        operator, other = test.comparisons[0].operator, test.comparisons[0].comparator
        if is_none(other) and isinstance(operator, (cst.Is, cst.IsNot, cst.Equal, cst.NotEqual)):
            return isinstance(operator, (cst.IsNot, cst.NotEqual))
    return None


def loops_over(module: Module, consumer: Object) -> list[Statement]:
    """The loops `for record in consumer`."""
    return _over(module).get(id(consumer.node), [])


def record_loops(module: Module, consumer: Object) -> set[int]:
    """Ids of the loops over a consumer, or in which it is polled."""
    return _loops(module, consumer, "poll", "consume", "getone", "getmany")


@_once
def all_record_loops(module: Module) -> set[int]:
    """Those of all consumers that the module makes or is given."""
    return {loop for consumer in held(module, READERS) for loop in record_loops(module, consumer)}


def single_record_loops(module: Module, consumer: Object) -> set[int]:
    """The same, of loops each round of which takes one record."""
    return _loops(module, consumer, *_takes_one(consumer))


def takes_one(module: Module, consumer: Object) -> list[Call]:
    """The calls by which one record is taken from a consumer."""
    return uses(module, consumer, *_takes_one(consumer))


def _takes_one(consumer: Object) -> tuple[str, ...]:
    return ("poll", "getone") if library(consumer) in ("confluent-kafka", "Quix Streams") else ("getone",)


@_once
def all_single_record_loops(module: Module) -> set[int]:
    """Those of all consumers that the module makes or is given."""
    return {loop for consumer in held(module, READERS) for loop in single_record_loops(module, consumer)}


def in_or_called_in(module: Module, call: Call, loops: set[int]) -> bool:
    """Whether a call stands in one of the loops, or in a function that one of them calls."""
    if in_loops(call.spot, loops):
        return True
    return call.function is not None and any(in_loops(site.spot, loops) for site in module.call_sites(call.function))


def called_in(module: Module, call: Call, loops: set[int], levels: int) -> bool:
    """Whether a call stands in a function that one of the loops calls, itself or through so many others."""
    if call.function is None or not levels:
        return False
    return any(in_loops(site.spot, loops) or called_in(module, site, loops, levels - 1) for site in module.call_sites(call.function))


def in_each_round(spot: Any, loops: set[int]) -> bool:
    """Whether a spot is in one of these loops, and there under no condition."""
    last = max((number for number, arm in enumerate(spot.arms) if arm.kind == "loop" and id(arm.test) in loops), default=None)
    return last is not None and all(arm.kind == "loop" for arm in spot.arms[last + 1 :])


def _loops(module: Module, consumer: Object, *taking: str) -> set[int]:
    found = {id(statement.node) for statement in loops_over(module, consumer)}
    for call in uses(module, consumer, *taking):
        found |= {id(loop) for loop in call.spot.loops}
    return found


def in_loops(spot: Any, loops: set[int]) -> bool:
    return any(arm.kind == "loop" and id(arm.test) in loops for arm in spot.arms)


def inside(spot: Any, handler: Any) -> bool:
    """Whether a spot is in the body of an exception handler."""
    return any(arm.kind == "except" and handler in getattr(arm.test, "handlers", ())[arm.index - 1 : arm.index] for arm in spot.arms)


def tried(spot: Spot, handler: Any) -> Any:
    """The `try` around a spot that a handler belongs to; None where it is that of something else."""
    return next((node for node in spot.guarded if handler in getattr(node, "handlers", ())), None)


def reads(module: Module, name: str, scope: Any) -> int:
    """How often a name of a scope is read, nested functions included but for those that have one of their own."""
    return sum(1 for at in module.tree.name_uses.get(name, ()) if _sees(at, scope, name))


def unread(module: Module, call: Call) -> bool:
    """Whether what a call gives back is kept under a name that nobody reads; a global is held, which may be all that is wanted."""
    name = module.assigned(call)
    return bool(name) and name not in call.spot.scope.uses_globals and reads(module, name, call.spot.scope) == 0


def unread_futures(module: Module, client: str, method: str) -> Iterator[Call]:
    """The calls of a method on a client of Pub/Sub that the module makes (`PublisherClient`), of whose futures nothing is made."""

    def makes(node: Any) -> bool:
        return isinstance(node, cst.Call) and last_name(node.func) == client

    nodes = [statement.node for statement in module.tree.of_kind(*ASSIGNMENTS)]
    names = {dotted(target) for node in nodes if makes(node.value) for target in targets(node)} - {""}
    for call in module.named(method):
        on = call.receiver_node
        if (makes(on) or dotted(on) in names) and (call.use == "dropped" or unread(module, call) or _given_to_nobody(module, call)):
            yield call


def _given_to_nobody(module: Module, call: Call) -> bool:
    """Whether a function gives back what a call gives, and all that call it here drop that."""
    sites = module.call_sites(call.function) if call.use == "returned" and call.function is not None else []
    return bool(sites) and all(site.use == "dropped" for site in sites)


def unheard(module: Module, call: Call) -> bool:
    """Whether nobody can see what becomes of a record that is sent: the future is dropped, or heard by `add_callback` alone."""
    if call.use == "dropped" or unread(module, call) or _only_shown(module, call) or put_by(module, call):
        return True
    if call.use == "chained":
        chain = [
            other for other in module.named("add_callback", "add_errback", "add_both", "get") if other.spot.statement == call.spot.statement
        ]
        return bool(chain) and all(other.name == "add_callback" for other in chain)
    return False


def put_by(module: Module, call: Call) -> bool:
    """Whether what a call gives back, or `await` of it, is put into a list that nobody looks into: `futures.append(await producer.send(…))`."""
    scope = call.spot.scope
    node = module.tree.statements[call.spot.statement].node
    given: Any = call.node
    if isinstance(node, ASSIGNMENTS) and node.value is not None:
        names = targets(node)
        if (
            unawaited(node.value) is not call.node
            or len(names) != 1
            or not isinstance(names[0], cst.Name)
            or reads(module, names[0].value, scope) != 1
        ):
            return False
        given = names[0].value
    for other in module.named("append"):
        arg = unawaited(other.node.args[0].value) if len(other.node.args) == 1 else None
        kept = other.receiver_node
        if (
            isinstance(kept, cst.Name)
            and (arg is given or (isinstance(arg, cst.Name) and arg.value == given))
            and other.spot.scope is scope
        ):
            return _never_read(module, kept.value, scope)
    return False


def _never_read(module: Module, name: str, scope: Any) -> bool:
    """Whether a list of a function is only added to, and counted."""
    bound = scope.bindings.get(name, ())
    if scope.kind != "function" or name in scope.uses_globals or not bound or any(one.kind != "assign" for one in bound):
        return False
    own = [one for one in module.named("append", "len") if _sees(one.spot.scope, scope, name)]
    used = [one.receiver_node if one.name == "append" else one.node.args[0].value for one in own if one.node.args]
    return reads(module, name, scope) == sum(isinstance(node, cst.Name) and node.value == name for node in used)


def _only_shown(module: Module, call: Call) -> bool:
    """Whether the name of what a call gives back is only printed or logged as it is: of a future that is not what became of it."""
    name = module.assigned(call)
    scope = call.spot.scope
    if not name or name in scope.uses_globals:
        return False
    shown = 0
    for other in module.named("print", "pprint", "debug", "info"):
        for arg in other.node.args if _sees(other.spot.scope, scope, name) else ():
            texts = arg.value.parts if isinstance(arg.value, cst.FormattedString) else ()
            nodes = [arg.value, *(part.expression for part in texts if isinstance(part, cst.FormattedStringExpression))]
            shown += sum(isinstance(node, cst.Name) and node.value == name for node in nodes)
    return shown > 0 and reads(module, name, scope) == shown


def _sees(scope: Any, wanted: Any, name: str) -> bool:
    at = scope
    while at is not None:
        if at is wanted:
            return True
        if name in at.bindings:
            return False
        at = at.outer
    return False


def records(module: Module, consumer: Object, loop: Any) -> set[str]:
    """The names that hold a record, or what was taken out of it, in the body of a loop."""
    polls = {id(call.node) for call in uses(module, consumer, "poll", "consume", "getone", "getmany")}
    found: set[str] = target_names(loop.target) if isinstance(loop, cst.For) else set()
    for statement in module.tree.statements_in({id(loop)}):
        node = statement.node
        if isinstance(node, cst.For) and mentions(node.iter, found):
            found |= target_names(node.target)
        elif isinstance(node, ASSIGNMENTS) and node.value is not None:
            value = unawaited(node.value)
            if id(value) in polls or mentions(value, found):
                found |= {name for target in targets(node) for name in target_names(target)}
    return found


def target_names(node: Any) -> set[str]:
    """The names that a target gives a value: `a`, `a, b`."""
    if isinstance(node, cst.Name):
        return {node.value}
    return {name for item in node.elements for name in target_names(item.value)} if isinstance(node, (cst.Tuple, cst.List)) else set()


def mentions(node: Any, wanted: set[str]) -> bool:
    """Whether an expression has one of these names in it; what stands behind a dot is none, nor is the name of an argument."""
    if isinstance(node, cst.Name):
        return node.value in wanted
    if isinstance(node, (cst.Attribute, cst.Arg)):
        return mentions(node.value, wanted)
    return any(mentions(child, wanted) for child in parts(node))
