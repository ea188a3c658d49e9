"""What a module takes from other modules of the project and gives to them: constants, and functions that run on an engine's threads.

Names are dotted as they are imported here (`settings.kafka.TOPIC`, `.helpers.fetch`); `shoal.across` finds the modules they mean.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.facts import Origin, Usage
from shoal.lazy import pattern
from shoal.model import Finding, Place, Span, Told
from shoal.python import attributes
from shoal.python.libraries import PACKAGES
from shoal.python.tree import Spot, dotted, inside
from shoal.python.values import (
    UNKNOWN,
    Choice,
    ClassValue,
    FunctionValue,
    Instance,
    Known,
    Mapping,
    Member,
    Millis,
    Object,
    Pair,
    Sequence,
    Standin,
    Symbol,
    Value,
    choice,
    names,
    options,
)
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call, Function

# Packages that are never the project's own; others are looked for among its files.
_FOREIGN = names(
    "builtins numpy np pandas pd boto3 botocore dotenv yaml pydantic pydantic_settings attr attrs click typer fastapi flask django sqlalchemy "
    "psycopg2 psycopg pymongo google azure aws_cdk avro fastavro orjson ujson simplejson simple_parsing structlog loguru pytest pyarrow scipy sklearn "
    "torch tensorflow faust faststream quixstreams bytewax dlt typing_extensions py4j prometheus_client opentelemetry ddtrace sentry_sdk"
)
# Methods of dicts and texts: what stands before them is a constant that is asked for.
_OF_CONSTANTS = names("get copy items keys values pop format join replace strip lower upper split encode setdefault update")
# What other modules make for all is found by its name: a client of Kafka, or a function that gives one.
_CLIENT = pattern(r"(?i)consumer|producer|kafka")
# A function that gives an object of the project's own that sends, or takes.
_MAKER = pattern(r"(?i)consumer|producer|kafka|publisher|broker|event_?bus")
_CONFIG = pattern(r"(?i)conf|propert|props|option|setting|param|kwargs|as_?dict|to_?dict")
_SQL = pattern(r"(?i)sql|ddl|dml|quer(?:y|ies)|table|statement|stmt|create|insert|source|sink|view")
_STATEMENT = pattern(r"(?i)\s*(?:create|insert|use|set|select|with|execute|begin)\s")
_CLIENTS = ("kafka.", "confluent.", "aiokafka.")
_DEEPEST = 6
_LONGEST = 20_000
# Behind a function's name: what ends it (`endings`), or where it sends what it does not speak of (`sends`), rather than what it gives.
ENDS, QUIET, TOLD = "<ends>", "<quiet>", "<told>"
# Functions of Beam that run once a bundle: what is harmful for each record need not be there.
_PER_BUNDLE = frozenset({"start_bundle", "finish_bundle", "process_batch"})


def is_foreign(name: str) -> bool:
    """Whether a dotted name surely is a library's."""
    if name.startswith("."):
        return False
    top = name.partition(".")[0]
    return top in PACKAGES or top in _FOREIGN or top in sys.stdlib_module_names


def is_client(name: str) -> bool:
    """Whether a dotted name may be that of a Kafka client, or of a function that gives one."""
    return _CLIENT.search(name.rpartition(".")[2]) is not None


def is_config(name: str) -> bool:
    """Whether a dotted name may be that of a function, or method, that gives options."""
    return _CONFIG.search(name.rpartition(".")[2]) is not None


def is_sql(name: str) -> bool:
    """Whether a dotted name may be that of a function that gives SQL."""
    return _SQL.search(name.rpartition(".")[2]) is not None


def is_kafka(kind: str) -> bool:
    """Whether a type is that of a client of Kafka."""
    return kind.startswith(_CLIENTS) and kind.endswith(("Consumer", "Producer"))


# -- constants


def encoded(module: Module, value: Value, level: int = 0) -> Any:
    """A value as lists and texts; None for one that another module could do nothing with."""
    if isinstance(value, Known):
        return ["k", value.value, value.sure] if value.value is None or isinstance(value.value, (str, int, float, bool)) else None
    if isinstance(value, Millis):
        return ["m", value.value, value.sure]
    if isinstance(value, Member):
        return encoded(module, module.value(value.node, value.cls.spot), level + 1) if level < _DEEPEST else None
    if isinstance(value, Symbol):
        return ["s", value.name] if value.top in PACKAGES else None
    if isinstance(value, ClassValue):
        hands = {name: how if " in " in how else f"{how} in {module.path}" for name, how in module.contexts.handed_on(value.cls).items()}
        return ["b", sorted(set(module.bases(value.cls))), hands] if value.cls.bases or hands else None
    if isinstance(value, Object):
        return ["o", value.type, value.call] if is_kafka(value.type) else None
    if level >= _DEEPEST:
        return None
    if isinstance(value, Mapping):
        last = {pair.key: pair for pair in value.pairs if pair.key is not None}
        inner = [
            [key, encoded(module, module.value(pair.value_node, pair.spot), level + 1), _plain(module, pair.value_node, pair.spot)]
            for key, pair in last.items()
        ]
        return ["d", inner, value.open]
    if isinstance(value, Sequence):
        return ["l", value.kind, [encoded(module, module.value(node, value.spot), level + 1) for node in value.nodes], value.open]
    if isinstance(value, Choice):
        parts = [encoded(module, option, level + 1) for option in value.options]
        return ["c", parts] if all(part is not None for part in parts) else None
    return None


def decoded(data: Any, node: Any, spot: Spot) -> Value:
    """The inverse, for a name that stands at a node."""
    if data is None:
        return UNKNOWN
    kind = data[0]
    if kind == "k":
        return Known(data[1], data[2])
    if kind == "m":
        return Millis(data[1], data[2])
    if kind == "s":
        return Symbol(data[1])
    if kind == "d":
        pairs = [
            Pair(key, Standin(Known(key), node, spot), Standin(decoded(inner, node, spot), node, spot, _origin(at)), spot)
            for key, inner, at in data[1]
        ]
        return Mapping(tuple(pairs), data[2], node)
    if kind == "l":
        return Sequence(tuple(Standin(decoded(inner, node, spot), node, spot) for inner in data[2]), spot, data[3], data[1])
    if kind in ("o", "n"):  # a client that is made there, and a class of clients, whose call makes one here
        return Object(data[1], Standin(UNKNOWN, node, spot), spot, call=data[2])
    if kind == "q":
        return Object("spark.StreamingQuery", Standin(UNKNOWN, node, spot), spot, call="start")
    if kind == "c":
        return choice([decoded(part, node, spot) for part in data[1]])
    return UNKNOWN


def _plain(module: Module, node: Any, spot: Spot) -> list[Any]:
    """Where a value is written, for other modules."""
    path, span = module.others.origin(node, spot) or Origin(module.path, module.span(node, spot))
    return [path, span.start, span.end]


def _origin(data: list[Any]) -> Origin:
    path, start, end = data
    return Origin(path, Span(start, end))


def given(told: Told) -> tuple[dict[str, Any], dict[str, Origin]]:
    """What other modules say of names that are imported from them, and where they have it."""
    values, origins = {}, {}
    for name, text in told.constants:
        data, at = json.loads(text)
        values[name] = data
        if at is not None:
            origins[name] = _origin(at)
    return values, origins


def has(module: Module) -> list[Usage]:
    """What other modules ask this one for, as far as it is here and constant."""
    found = []
    end = at_the_end(module)
    for name in module.told.wanted:
        first = name.partition(".")[0].removesuffix("()")
        data, at = _answer(module, name, end)
        text = json.dumps([data, at], separators=(",", ":"))
        if data is not None and len(text) <= _LONGEST:
            found.append(Usage("has", f"{name}={text}", Place(module.path, _defined(module, first))))
    return found


def _answer(module: Module, name: str, end: Spot) -> tuple[Any, list[Any] | None]:
    """What a module says of a name that is asked for, and where it has it."""
    from shoal.python import dofns, endings, frames_elsewhere, handlers, sends

    if name.endswith((ENDS, QUIET, TOLD)):
        inner, asked = name[: name.rindex("<")], name[name.rindex("<") :]
        say: dict[str, Callable[[Module, Function], tuple[Place, str] | None]] = {ENDS: endings.of, QUIET: sends.quiet, TOLD: sends.told}
        told = function_said(module, inner, end, asked, say[asked])
        return ([told[0].path, list(told[0].span), told[1]] if told is not None else None), None
    owner, _, last = name.rpartition(".")
    before = _reached(module, owner, end) if owner else None
    if not name.endswith("()"):
        value = _reached(module, name, end)
        return encoded(module, value), _field(module, before, last) if owner else _assigned(module, name, end)
    named = _reached(module, name.removesuffix("()"), end)
    kind, called = module.derived(named.cls) if isinstance(named, ClassValue) else ("", "")
    if kind:
        return ["n", kind, called], None
    client = module.made_with(named.cls) if isinstance(named, ClassValue) else None
    if client is not None:
        return ["w", client.type, []], None
    if isinstance(named, ClassValue) and (opened := module.opened_by(named.cls))[0]:
        return ["w", *opened], None
    if isinstance(named, FunctionValue) and (query := _query(module, named.function)) is not None:
        return query, None
    if isinstance(named, FunctionValue) and (helps := module.frames.helps(named.function)):
        return ["h", helps, frames_elsewhere.made(module, named.function)], None
    if isinstance(named, FunctionValue) and (where := handlers.write_swallowed(module, named.function)) is not None:
        return ["lost", _plain(module, *where)], None
    if tags := [tag for tag, _ in dofns.tags(module, named)]:
        return ["t", tags], None
    data = encoded(module, _called(module, named, end))
    if data is not None and data[0] == "o" and isinstance(named, FunctionValue) and _makes_anew(module, named.function):
        return ["n", *data[1:]], None
    if data is not None and data[0] == "l" and not any(data[2]) and (frames := _frames(module, named)) is not None:
        return frames, None  # a tuple of nothing that is constant
    given = _loads_what_it_is_given(module, named)
    if data is None and given is None:
        return _frames(module, named) or _statement(module, named) or _object(module, named, end), _literal(module, named)
    if not isinstance(named, FunctionValue) or holds_client(data):
        return data if data is None or data[0] != "l" else _clients_alone(data), None
    return ["f", _required(named.function), data, *([given] if given is not None else [])], _literal(module, named)


def function_said(
    module: Module, name: str, end: Spot, asked: str, say: Callable[[Module, Function], tuple[Place, str] | None]
) -> tuple[Place, str] | None:
    """What a module says of its function, or method, of a dotted name; what it has from another one, or inherits from one, that says."""
    function = next((one for one in module.functions if one.qualname == name and one.outer is None), None)
    if function is not None:
        return say(module, function)
    first, _, method = name.partition(".")
    bases = [option.name for option in options(module.name_value(first, end)) if isinstance(option, Symbol)]
    cls = next((one for one in module.classes if one.name == first), None) if method else None
    if cls is not None:
        if (inherited := module.method(cls, method)) is not None:
            return say(module, inherited)
        values = (module.base(base, at.spot) for at in module.parents(cls) for base in at.bases)
        bases += [value.name for value in values if isinstance(value, Symbol)]
    found = (module.others.said(f"{base}.{method}" if method else base, asked) for base in bases)
    return next((one for one in found if one is not None), None)


def _makes_anew(module: Module, function: Function) -> bool:
    """Whether each call of a function makes the client that it gives: it is returned as it is made, or kept under a name of its own alone."""
    from shoal.python import clients

    given = {id(option.node) for option in options(module.returned(function)) if isinstance(option, Object)}
    made = [call for call in function.calls if id(call.node) in given]
    return bool(made) and not function.decorators and all(clients.anew(module, call) for call in made)


def holds_client(data: Any) -> bool:
    """Whether a value is a Kafka client, one of several that it may be, or has one in a tuple."""
    if data is None or data[0] not in ("o", "c", "l"):
        return False
    return data[0] == "o" or any(holds_client(part) for part in (data[1] if data[0] == "c" else data[2]))


def _clients_alone(data: Any) -> Any:
    """A tuple without all that may depend on the arguments of a call: clients are made whatever these are."""
    return ["l", data[1], [part if holds_client(part) else None for part in data[2]], data[3]]


def _loads_what_it_is_given(module: Module, named: Value) -> list[Any] | None:
    """The parameter, by position and name, that names the YAML or JSON file whose content a function gives."""
    from shoal.python import files

    if not isinstance(named, FunctionValue):
        return None
    function = named.function
    found = {name for node, spot in function.returns if node is not None and (name := files.parameter(module, node, spot))}
    plain = [param.name for param in function.params if param.kind == "plain" and param.name != function.self_name]
    return [plain.index(next(iter(found))), *found] if len(found) == 1 and found <= set(plain) else None


def _literal(module: Module, named: Value) -> list[Any] | None:
    """Where the one literal text stands that a function gives."""
    returns = [(node, spot) for node, spot in named.function.returns if node is not None] if isinstance(named, FunctionValue) else []
    texts = (cst.SimpleString, cst.FormattedString)
    return _plain(module, *returns[0]) if len(returns) == 1 and isinstance(returns[0][0], texts) else None


def _statement(module: Module, named: Value) -> list[Any] | None:
    """The SQL that a function gives, with what depends on its arguments masked."""
    from shoal.python.texts import text_of

    returns = [(node, spot) for node, spot in named.function.returns if node is not None] if isinstance(named, FunctionValue) else []
    text = text_of(module, *returns[0]) if len(returns) == 1 else None
    if text is None or not isinstance(named, FunctionValue) or not _STATEMENT.match(text.text):
        return None
    return ["f", _required(named.function), ["k", text.text, "sure"]]


def _object(module: Module, named: Value, end: Spot) -> list[Any] | None:
    """The class, as it is called here, whose objects a function gives: `def get_producer() -> EventProducer`, or what it returns is one."""
    if not isinstance(named, FunctionValue):
        return None
    returns = getattr(named.function.node, "returns", None)
    annotated = returns.annotation if returns is not None else None
    if isinstance(annotated, cst.Name):
        value = module.name_value(annotated.value, end)
        return (
            ["i", annotated.value] if isinstance(value, ClassValue) or (isinstance(value, Symbol) and not is_foreign(value.name)) else None
        )
    made = {option.cls.name for option in options(module.returned(named.function)) if isinstance(option, Instance)}
    return ["i", made.pop()] if len(made) == 1 else None


def _frames(module: Module, named: Value) -> list[Any] | None:
    """The data frames that a function returns, of this module or of one that this one has it from."""
    from shoal.python import frames_elsewhere

    ways = None
    if isinstance(named, FunctionValue):
        ways = frames_elsewhere.made(module, named.function)
    elif isinstance(named, Symbol) and not is_foreign(named.name):
        ways = module.others.frames_of(named.name)
    return ["frames", ways] if ways is not None else None


def _reached(module: Module, name: str, end: Spot) -> Value:
    """What a dotted name means at the end of a module; a part of it may be a call without arguments."""
    value: Value = UNKNOWN
    for index, part in enumerate(name.split(".")):
        plain = part.removesuffix("()")
        value = module.name_value(plain, end) if index == 0 else attributes.attribute_of(module, value, plain, None, end)
        value = module.others.value(value, None, end)
        value = _called(module, value, end) if part != plain else value
    return value


def _called(module: Module, value: Value, end: Spot) -> Value:
    """What a call without arguments gives."""
    if isinstance(value, ClassValue):
        return Instance(value.cls) if not attributes.is_enum(module, value.cls) else UNKNOWN
    if isinstance(value, FunctionValue):
        return module.returned(value.function)
    return module.others.called(value, None, end) if isinstance(value, Symbol) else UNKNOWN


class Started(NamedTuple):
    """A query that a call of another module's function starts, and that does not end by itself.

    `location`: its checkpoint location, where no call changes it that gives no more than `required` arguments; `at`: where that stands.
    """

    location: str
    required: int
    at: Origin | None


def started(data: Any) -> Started | None:
    return Started(data[1], data[2], _origin(data[3]) if data[3] else None) if data[0] == "q" else None


def write_swallowed(data: Any) -> Origin | None:
    """Where a function of another module only logs that its write failed, of what that says of it."""
    return _origin(data[1]) if data is not None and data[0] == "lost" else None


def result(data: Any, node: Any) -> Any:
    """What a call of another module's function gives, of what that says of it; None where the call gives more arguments than it must."""
    if data is None or data[0] != "f":
        return data
    args = node.args if isinstance(node, cst.Call) else ()
    return data[2] if len(args) <= data[1] and not any(arg.star for arg in args) else None


def loads(data: Any) -> tuple[int, str] | None:
    """The parameter that names the file which another module's function loads, of what that says of it."""
    return (data[3][0], data[3][1]) if data is not None and data[0] == "f" and len(data) > 3 else None


def _required(function: Function) -> int:
    """How many arguments a call must give."""
    return sum(
        param.default is None for param in function.params if param.name != function.self_name and param.kind in ("plain", "keyword")
    )


def _query(module: Module, function: Function) -> list[Any] | None:
    """What is known of the query that a function starts and returns, where it surely goes on when the function has returned."""
    sinks = [
        module.frames.sink_of(query)
        for query in options(module.returned(function))
        if isinstance(query, Object) and query.type == "spark.StreamingQuery"
    ]
    if not sinks or len(sinks) != len(options(module.returned(function))) or any(sink is None or sink.ends for sink in sinks):
        return None
    if any(call.name.startswith(("await", "processAll")) for call in function.calls):
        return None
    where = module.frames.checkpoint_of(sinks[0]) if len(sinks) == 1 else None
    required = _required(function)
    if where is None or not isinstance(location := module.value(*where), Known) or not isinstance(location.value, str):
        return ["q", "", required, None]
    return ["q", location.value, required, _plain(module, *_default_of(module, *where))]


def _default_of(module: Module, node: Any, spot: Spot) -> tuple[Any, Spot]:
    """Where the text that a parameter has by default stands; the node itself for anything else."""
    found = [binding for binding, _ in module.lookup(node.value, spot)] if isinstance(node, cst.Name) else []
    param = found[0].detail.param(node.value) if len(found) == 1 and found[0].kind == "param" else None
    return (param.default, found[0].detail.spot) if param is not None and param.default is not None else (node, spot)


def _field(module: Module, owner: Value | None, name: str) -> list[Any] | None:
    """Where the default of a record's field stands."""
    if not isinstance(owner, Instance) or not attributes.is_record(module, owner.cls):
        return None
    binding = attributes.fields(module, owner.cls).get(name)
    return _plain(module, binding.node, binding.spot) if binding is not None and binding.kind == "assign" else None


def _assigned(module: Module, name: str, end: Spot) -> list[Any] | None:
    """Where a module has the value of one of its names: in the one assignment to it, or where the module has it from."""
    bindings = module.tree.root.bindings.get(name, ())
    if len(bindings) != 1:
        return None
    binding = bindings[0]
    if binding.kind == "import":
        found = module.others.origin(cst.Name(name), end)
        return [found.path, *found.span] if found else None
    return _plain(module, binding.node, binding.spot) if binding.kind == "assign" else None


def at_the_end(module: Module) -> Spot:
    """Where all names of a module have the values that others see."""
    return Spot(module.tree.root, 10**9, (), None, (), (), False)


def _defined(module: Module, name: str) -> Span:
    bindings = module.tree.root.bindings.get(name, ())
    for binding in bindings:
        if binding.kind == "assign":
            return module.span(binding.node, binding.spot)
    return Span(0, 0)


def asked(module: Module) -> list[Usage]:
    """The names of other modules whose values somebody needed here, without those that are called."""
    if not module.others.asked:
        return []
    called: set[str] = set()
    methods: set[str] = set()
    for call in module.calls:
        value = module.known(call.node.func)
        if isinstance(value, Symbol):
            before, _, method = value.name.rpartition(".")
            (methods if method in _OF_CONSTANTS and before in module.others.asked else called).add(value.name)
        elif isinstance(call.node.func, cst.Attribute) and (owner := instance_name(module, call.node.func.value, call.spot)):
            methods.add(f"{owner}.{call.node.func.attr.value}")
    for function in module.functions:
        for decorator in function.decorators:
            value = module.known(decorator.func if isinstance(decorator, cst.Call) else decorator)
            called.update([value.name] if isinstance(value, Symbol) else [])
    called.update(name for name, _, _ in module.contexts.handed)
    wanted = [name for name in module.others.asked if name not in called and name not in methods]
    everything = [*wanted, *called]
    kept = [name for name in wanted if is_client(name) or not any(other.startswith(name + ".") for other in everything)]
    return [Usage("asks", name, Place(module.path, Span(0, 0))) for name in sorted(set(kept))]


# -- where functions of other modules run


def runs(module: Module) -> list[Usage]:
    """Functions of other modules that this one calls on an engine's threads, or hands to an engine."""
    from shoal.python import per_record
    from shoal.python.facts_usage import from_state

    contexts = module.contexts
    found: dict[str, Usage] = {}

    def add(name: str, context: Any, origin: str, how: str, guarded: bool, awaited: bool, place: Place) -> None:
        detail = json.dumps([name, context.kind, context.engine, origin, how, guarded, awaited])
        found.setdefault(detail, Usage("runs", detail, place))

    end = at_the_end(module)
    for text in module.told.runs:  # what this module takes from another one itself, to hand it on
        named, *rest = json.loads(text)
        made = "()" if named.endswith("()") else ""
        first, *inner = named.removesuffix("()").split(".")
        value = module.name_value(first, end)
        if isinstance(value, Symbol) and not is_foreign(value.name):
            detail = json.dumps([".".join([value.name, *inner]) + made, *rest])
            found.setdefault(detail, Usage("runs", detail, Place(module.path, _defined(module, first))))
    for name, context, call in contexts.handed:
        if not is_foreign(name):
            place = module.call_place(call)
            at = json.dumps([place.path, *place.span]) if context.kind == "coroutine" else ""
            add(name, context, at, f"{context.how} in {module.path}", False, True, place)
    for function in module.functions:
        for context in contexts.of(function):
            if (context.kind == "dofn" and context.entry.name in _PER_BUNDLE) or len(context.through) >= 6:
                continue
            origin = context.origin or f"{context.entry.qualname} in {module.path}"
            for call in function.calls:
                name = callee(module, call.node.func, call.spot)
                if not name or is_foreign(name):
                    continue
                how = context.how if context.kind != "record" or per_record.surely(module, call, context) else "called in the loop"
                guarded = context.guarded or bool(call.spot.guarded) or from_state(module, call)
                for run in entered(call, name):
                    add(run, context, origin, how, guarded, call.use == "awaited", module.call_place(call))
    return list(found.values())


def entered(call: Call, name: str) -> list[str]:
    """What a call of a function or class of another module runs there: of an object that `with` takes, `__enter__`, too."""
    return [name, f"{name}.__enter__"] if call.use == "entered" else [name]


def callee(module: Module, func: Any, spot: Spot) -> str:
    """The dotted name of what a call of an expression runs in another module: a function, or a method of a class from there."""
    value = module.value(func, spot)
    for option in options(value):
        if isinstance(option, Symbol):
            return option.name.replace("()", "")
    return (starred(module, func, spot) or method(module, func, spot)) if value is UNKNOWN else ""


def starred(module: Module, node: Any, spot: Spot) -> str:
    """The dotted name of what nothing but `from stores.orders import *` can have given: no other star stands there."""
    if not isinstance(node, cst.Name) or module.lookup(node.value, spot):
        return ""
    scope: Any = spot.scope
    stars: list[str] = []
    while scope is not None:
        stars += scope.stars
        scope = scope.outer
    if len(stars) != 1 or is_foreign(stars[0]):
        return ""
    return inside(stars[0], node.value)


def method(module: Module, node: Any, spot: Spot) -> str:
    """The dotted name of a method, as `writer.save`, of an object whose class is another module's."""
    if not isinstance(node, cst.Attribute):
        return ""
    cls = class_name(module, node.value, spot)
    return f"{cls}.{node.attr.value}" if cls else ""


def class_name(module: Module, node: Any, spot: Spot, level: int = 0) -> str:
    """The dotted name of another module's class of which an expression makes or holds an object."""
    if level > 4:
        return ""
    if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):  # `settings or get_settings()`
        return class_name(module, node.left, spot, level + 1)
    if isinstance(node, cst.Await):
        return class_name(module, node.expression, spot, level + 1)
    if isinstance(node, cst.Call):
        value = module.value(node.func, spot)
        if not isinstance(value, Symbol) or is_foreign(value.name):
            return ""
        return value.name if value.last[:1].isupper() else _given_by(module, value.name)
    bindings: list[Any] = []
    if isinstance(node, cst.Name):
        bindings = [binding for binding, _ in module.lookup(node.value, spot)]
    elif isinstance(node, cst.Attribute):
        owner = module.value(node.value, spot)
        if isinstance(owner, Instance):
            bindings = [binding for at in module.parents(owner.cls) for binding in at.attributes.get(node.attr.value, ())]
    found = set()
    for binding in bindings:
        if binding.kind in ("assign", "with") and isinstance(binding.node, cst.Name) and binding.node.value == "None":
            continue
        annotation = binding.detail if binding.kind == "declared" else None
        if binding.kind == "param" and binding.detail is not None:
            name = node.value if isinstance(node, cst.Name) else ""
            param = binding.detail.param(name)
            annotation = param.annotation if param is not None else None
        if annotation is not None:
            found.add(_annotated(module, annotation, binding.spot))
        elif binding.kind == "assign" and binding.spot.arms and _configures(module, binding.node, binding.spot):
            continue  # what stands in for an object that nobody gave is one of the same class
        elif binding.kind in ("assign", "with"):
            found.add(class_name(module, binding.node, binding.spot, level + 1))
        else:
            found.add("")
    return found.pop() if len(found) == 1 else ""


def _given_by(module: Module, name: str) -> str:
    """The dotted name of the class whose objects another module's function gives: `get_producer()`."""
    before, _, last = name.rpartition(".")
    data = module.others.ask(f"{name}()") if before and _MAKER.search(last) else None
    return f"{before}.{data[1]}" if data is not None and data[0] == "i" else ""


def _annotated(module: Module, node: Any, spot: Spot) -> str:
    """The dotted name of another module's class that an annotation names: `Settings`, `"Settings"`, `Optional[Settings]` and `Settings | None`."""
    if isinstance(node, cst.Annotation):
        node = node.annotation
    if isinstance(node, cst.Subscript) and dotted(node.value).rpartition(".")[2] == "Optional":
        index = node.slice[0].slice
        return _annotated(module, index.value, spot) if isinstance(index, cst.Index) else ""
    if isinstance(node, cst.BinaryOperation):
        return next(filter(None, (_annotated(module, side, spot) for side in (node.left, node.right))), "")
    name = node.evaluated_value if isinstance(node, cst.SimpleString) else None
    value = module.name_value(name, spot) if isinstance(name, str) and name.isidentifier() else module.value(node, spot)
    return value.name if isinstance(value, Symbol) and not is_foreign(value.name) else ""


def _configures(module: Module, node: Any, spot: Spot) -> str:
    """The dotted name of another module's function that gives what is set, where an expression calls it without arguments: `get_settings()`."""
    value = module.value(node.func, spot) if isinstance(node, cst.Call) and not node.args else UNKNOWN
    plain = isinstance(value, Symbol) and not value.last[:1].isupper() and not is_foreign(value.name) and is_config(value.name)
    return value.name if isinstance(value, Symbol) and plain else ""


def instance_name(module: Module, node: Any, spot: Spot, level: int = 0) -> str:
    """The dotted name, as `settings.Settings().kafka`, of an object of another module's class, or of what one has; empty for anything else."""
    if level > 4 or not isinstance(node, (cst.Name, cst.Attribute, cst.Call)):
        return ""
    if cls := class_name(module, node, spot):
        # an object that is made with arguments may have other values than its class
        return "" if any(call.node.args for call in module.named(cls.rpartition(".")[2])) else f"{cls}()"
    if isinstance(node, cst.Attribute):
        owner = instance_name(module, node.value, spot, level + 1)
        return f"{owner}.{node.attr.value}" if owner else ""
    if isinstance(node, cst.Call):
        return f"{name}()" if (name := _configures(module, node, spot)) else ""
    bindings = [binding for binding, _ in module.lookup(node.value, spot)]
    if len(bindings) == 1 and bindings[0].kind == "assign" and isinstance(bindings[0].node, (cst.Attribute, cst.Call)):
        return instance_name(module, bindings[0].node, bindings[0].spot, level + 1)
    return ""


def where_told(module: Module, findings: list[Finding]) -> list[Finding]:
    """Of a module that is read only because others call it: what is found in the functions that they run, or that those call, or give streams to."""
    given = {json.loads(text)[0].removesuffix(".__init__") for text in module.told.given}
    return [finding for finding in findings if _runs_somewhere(module, finding.primary.span, given)]


def _runs_somewhere(module: Module, span: Span, given: set[str]) -> bool:
    at: Function | None = module.function_at(span.start)
    while at is not None:
        if module.contexts.of(at) or at.qualname in given or (at.cls is not None and at.cls.name in given) or _in_coroutine(module, at, 3):
            return True
        at = at.outer
    return False


def _in_coroutine(module: Module, function: Function, levels: int) -> bool:
    """Whether a coroutine of another module calls a function, straight or through others of this module."""
    if id(function) in module.contexts.coroutines:
        return True
    callers = {id(site.function): site.function for site in module.call_sites(function)} if levels and module.contexts.coroutines else {}
    return any(_in_coroutine(module, caller, levels - 1) for caller in callers.values() if caller is not None and caller is not function)
