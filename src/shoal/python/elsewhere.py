"""What a module takes from other modules of the project and gives to them: constants, and functions that run on an engine's threads.

Names are dotted as they are imported here (`settings.kafka.TOPIC`, `.helpers.fetch`); `shoal.across` finds the modules they mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.model import Finding, Place, Span
from shoal.python import answers, attributes, fallbacks, names_elsewhere
from shoal.python.conditions import asks_for_parameter
from shoal.python.tree import Spot, decorating
from shoal.python.values import (
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Instance,
    Known,
    Mapping,
    Object,
    Symbol,
    Value,
    names,
    options,
)

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Function

# Methods of dicts and texts: what stands before them is a constant that is asked for.
_OF_CONSTANTS = names("get copy items keys values pop format join replace strip lower upper split encode setdefault update")
_STATEMENT = pattern(r"(?i)\s*(?:create|insert|use|set|select|with|execute|begin)\s")
_LONGEST = 20_000
# Behind a function's name: what ends it (`endings`), where it sends what it does not speak of (`sends`), where it runs a job (`job_runs`), where it
# parses what it is given (`parses`), or takes a message's value without asking for its error, where it only queues a record (`queued`), or the loop that it never leaves (`staying`), rather than what it gives.
ENDS, QUIET, TOLD, RUNS, PARSES, QUEUES, STAYS = "<ends>", "<quiet>", "<told>", "<runs>", "<parses>", "<queues>", "<stays>"
EXECUTES, CONNECTS, VALUES = "<executes>", "<connects>", "<values>"
# Functions of Beam that run once a bundle: what is harmful for each record need not be there.
_PER_BUNDLE = frozenset({"start_bundle", "finish_bundle", "process_batch"})


# -- constants


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
    from shoal.python import dofns, endings, frames_elsewhere, handlers, job_runs, parses, queued, sends, staying, transactions

    if name.endswith((ENDS, QUIET, TOLD, RUNS, PARSES, QUEUES, STAYS, EXECUTES, CONNECTS, VALUES)):
        inner, asked = name[: name.rindex("<")], name[name.rindex("<") :]
        say: dict[str, Callable[[Module, Function], tuple[Place, str] | None]] = {
            ENDS: endings.of,
            QUIET: sends.quiet,
            TOLD: sends.told,
            RUNS: job_runs.of,
            PARSES: parses.unguarded,
            VALUES: parses.value_unasked,
            QUEUES: queued.of,
            STAYS: staying.of,
            EXECUTES: transactions.of,
            CONNECTS: transactions.connects,
        }
        said = function_said(module, inner, end, asked, say[asked])
        return ([said[0].path, list(said[0].span), said[1]] if said is not None else None), None
    if name.endswith(names_elsewhere.HERE):
        value = _reached(module, name.removesuffix(names_elsewhere.HERE), end)
        has = isinstance(value, FunctionValue | ClassValue) or (isinstance(value, Symbol) and not names_elsewhere.is_foreign(value.name))
        return (["here"] if has else None), None
    owner, _, last = name.rpartition(".")
    before = _reached(module, owner, end) if owner else None
    if not name.endswith("()"):
        value = _reached(module, name, end)
        return answers.encoded(module, value), _field(module, before, last) if owner else _assigned(module, name, end)
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
        return ["lost", answers.place(module, *where)], None
    if isinstance(named, FunctionValue) and (handed := fallbacks.handed_on(module, named.function)) is not None:
        return handed, None
    if tags := [tag for tag, _ in dofns.tags(module, named)]:
        return ["t", tags], None
    data = answers.encoded(module, _called(module, named, end))
    if data is not None and data[0] == "o" and isinstance(named, FunctionValue) and _makes_anew(module, named.function):
        return ["n", *data[1:]], None
    if data is not None and data[0] == "l" and not any(data[2]) and (frames := _frames(module, named)) is not None:
        return frames, None  # a tuple of nothing that is constant
    given = _loads_what_it_is_given(module, named)
    if data is None and given is None:
        return _frames(module, named) or _statement(module, named) or _object(module, named, end), _literal(module, named)
    if not isinstance(named, FunctionValue) or answers.holds_client(data):
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
    given = options(module.name_value(first, end))
    bases = [option.name for option in given if isinstance(option, Symbol)]
    cls = next((one for one in module.classes if one.name == first), None) if method else None
    if cls is None and method and len(given) == 1 and isinstance(given[0], Instance):
        cls = given[0].cls  # `orders = Orders()`, which others import
    if cls is not None:
        if (inherited := module.method(cls, method)) is not None:
            return say(module, inherited)
        bases += module.written_bases(cls)
    found = (module.others.said(f"{base}.{method}" if method else base, asked) for base in bases)
    return next((one for one in found if one is not None), None)


def _makes_anew(module: Module, function: Function) -> bool:
    """Whether each call of a function makes the client that it gives: it is returned as it is made, or kept under a name of its own alone."""
    from shoal.python import clients

    given = {id(option.node) for option in options(module.returned(function)) if isinstance(option, Object)}
    made = [call for call in function.calls if id(call.node) in given]
    return bool(made) and not function.decorators and all(clients.anew(module, call) for call in made)


def _clients_alone(data: Any) -> Any:
    """A tuple without all that may depend on the arguments of a call: clients are made whatever these are."""
    return ["l", data[1], [part if answers.holds_client(part) else None for part in data[2]], data[3]]


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
    return answers.place(module, *returns[0]) if len(returns) == 1 and isinstance(returns[0][0], texts) else None


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
            ["i", annotated.value]
            if isinstance(value, ClassValue) or (isinstance(value, Symbol) and not names_elsewhere.is_foreign(value.name))
            else None
        )
    made = {option.cls.name for option in options(module.returned(named.function)) if isinstance(option, Instance)}
    return ["i", made.pop()] if len(made) == 1 else None


def _frames(module: Module, named: Value) -> list[Any] | None:
    """The data frames that a function returns, of this module or of one that this one has it from."""
    from shoal.python import frames_elsewhere

    ways = None
    if isinstance(named, FunctionValue):
        ways = frames_elsewhere.made(module, named.function)
    elif isinstance(named, Symbol) and not names_elsewhere.is_foreign(named.name):
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
        given = module.returned(value.function)
        # what else is in a dict is decided by the arguments of each call, which are not seen here
        sure = tuple(pair for pair in given.pairs if not asks_for_parameter(pair.spot)) if isinstance(given, Mapping) else ()
        return given._replace(pairs=sure, open=True) if isinstance(given, Mapping) and len(sure) < len(given.pairs) else given
    return module.others.called(value, None, end) if isinstance(value, Symbol) else UNKNOWN


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
    return ["q", location.value, required, answers.place(module, *_default_of(module, *where))]


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
    return answers.place(module, binding.node, binding.spot) if binding is not None and binding.kind == "assign" else None


def _assigned(module: Module, name: str, end: Spot) -> list[Any] | None:
    """Where a module has the value of one of its names: in the one assignment to it, or where the module has it from."""
    bindings = module.tree.root.bindings.get(name, ())
    if len(bindings) != 1:
        return None
    binding = bindings[0]
    if binding.kind == "import":
        found = module.others.origin(cst.Name(name), end)
        return [found.path, *found.span] if found else None
    return answers.place(module, binding.node, binding.spot) if binding.kind == "assign" else None


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
        elif isinstance(call.node.func, cst.Attribute) and (
            owner := names_elsewhere.instance_name(module, call.node.func.value, call.spot)
        ):
            methods.add(f"{owner}.{call.node.func.attr.value}")
    for function in module.functions:
        for decorator in function.decorators:
            value = module.known(decorating(decorator))
            called.update([value.name] if isinstance(value, Symbol) else [])
    called.update(name for name, _, _ in module.contexts.handed)
    wanted = [name for name in module.others.asked if name not in called and name not in methods]
    everything = [*wanted, *called]
    kept = [
        name
        for name in wanted
        if names_elsewhere.is_client(name) or name.endswith("broker") or not any(other.startswith(name + ".") for other in everything)
    ]
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

    for text in module.told.runs:  # what this module takes from another one itself, to hand it on
        named, *rest = json.loads(text)
        made = "()" if named.endswith("()") else ""
        plain = named.removesuffix("()")
        for name in where_from(module, plain):
            detail = json.dumps([name + made, *rest])
            found.setdefault(detail, Usage("runs", detail, Place(module.path, _defined(module, plain.partition(".")[0]))))
    for name, context, call in contexts.handed:
        if not names_elsewhere.is_foreign(name):
            place = module.call_place(call)
            at = json.dumps([place.path, *place.span]) if context.kind == "coroutine" else ""
            add(name, context, at, f"{context.how} in {module.path}", False, True, place)
    for function in module.functions:
        for context in contexts.of(function):
            if (context.kind == "dofn" and context.entry.name in _PER_BUNDLE) or len(context.through) >= 6:
                continue
            origin = context.origin or f"{context.entry.qualname} in {module.path}"
            for call in function.calls:
                name = names_elsewhere.callee(module, call.node.func, call.spot)
                if not name or names_elsewhere.is_foreign(name):
                    continue
                how = context.how if context.kind != "record" or per_record.surely(module, call, context) else "called in the loop"
                guarded = context.guarded or bool(call.spot.guarded) or from_state(module, call)
                for run in names_elsewhere.entered(call, name):
                    add(run, context, origin, how, guarded, call.use == "awaited", module.call_place(call))
    return list(found.values())


def where_from(module: Module, named: str) -> list[str]:
    """What a name of this module is called where it comes from: one that it takes from another module itself, or a method that a class of it inherits from there."""
    first, *inner = named.split(".")
    value = module.name_value(first, at_the_end(module))
    names: list[str] = []
    if isinstance(value, Symbol):
        names.append(".".join([value.name, *inner]))
    elif isinstance(value, ClassValue) and len(inner) == 1 and module.method(value.cls, inner[0]) is None:
        bases = [module.base(base, at.spot) for at in module.parents(value.cls) for base in at.bases]
        names += [f"{base.name}.{inner[0]}" for base in bases if isinstance(base, Symbol)]
    return [name for name in names if not names_elsewhere.is_foreign(name)]


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
