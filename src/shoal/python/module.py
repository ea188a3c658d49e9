"""The semantic model of one Python module: what rules and fact makers ask about names, values, types, calls and places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst

from shoal.model import NOTHING, Place, Span, Told
from shoal.python import answers, attributes, calls, fallbacks, libraries
from shoal.python.bindings import WAYS, bound, free, reaching
from shoal.python.conditions import possible
from shoal.python.expressions import EXPRESSIONS
from shoal.python.others import Others
from shoal.python.parameters import SITES
from shoal.python.positions import Positions
from shoal.python.tree import (
    ASSIGNMENTS,
    Arm,
    Binding,
    Call,
    ClassInfo,
    Function,
    Param,
    Scope,
    Spot,
    Tree,
    dotted,
    last_name,
    targets,
    unawaited,
)
from shoal.python.values import (
    UNKNOWN,
    Choice,
    ClassValue,
    FunctionValue,
    Instance,
    Known,
    Mapping,
    Millis,
    Object,
    Pair,
    Standin,
    Symbol,
    Value,
    choice,
    holds_objects,
    names,
    options,
)
from shoal.text import Text

# Evaluations in one module, after which everything is unknown: a bound on time, far above what job code needs.
BUDGET = 300_000
# Values that wait for one another at most, each some four Python frames: `frame = frame.withColumn(…)` a hundred times is real code.
DEEP = 100
# Calls whose arguments are followed at once, one within the other, and evaluations that this may cost in a module.
APPLIED = 4
APPLYING = 60_000
# What a class must leave to the client that it derives from, for its objects to be used as that client is.
_OF_CLIENTS = names(
    "send produce flush poll close commit subscribe consume getone getmany start stop send_and_wait __iter__ __next__ __aiter__ __anext__"
)
# Decorators of functions whose calls `with` enters.
_ENTERED = frozenset({"contextmanager", "asynccontextmanager"})


class Module:
    """One module. `calls`, `functions` and `classes` are in source order; everything else is answered when asked."""

    def __init__(
        self, path: str, raw: str, text: Text, tree: Tree, positions: Positions, notebook: bool = False, told: Told | None = None
    ) -> None:
        self.path = path
        self.told = told or NOTHING
        self.others = Others(self, self.told)
        self.raw = raw  # the file's text
        self.of_spark = "spark" in raw.lower() or "Termination(" in raw
        self.of_tables = "execute_sql" in raw or "add_insert_sql" in raw
        self.text = text  # the Python in it, which is all of it but for notebooks
        self.notebook = notebook
        self.tree = tree
        self.calls = tree.calls
        self.functions = tree.functions
        self.classes = tree.classes
        self._positions = positions
        self.tables = libraries.tables()
        self._values: dict[int, Value] = {}
        self._valued: list[Any] = []  # the nodes of these: one that is made to be asked of must not give its id to another
        self._pending: set[int] = set()
        self._below = 0  # as many values wait for the call that is being followed
        self._too_deep = False
        self._provisional: list[int] = []  # values that are unknown only because something was too deep
        self._ordered = False
        self._budget = BUDGET
        self.followed: list[tuple[Function, dict[str, Value]]] = []  # of the calls that are being followed
        self._applying = 0
        self._by_name: dict[str, list[Call]] | None = None
        self._order: dict[int, int] = {}
        self._sites: dict[int, list[Call]] = {}
        self._names: dict[tuple[int, str, int, tuple[Arm, ...]], Value] = {}
        self.param_types: dict[tuple[int, str], Value] = {}  # parameters that a library fills in, set by `contexts`
        self._uses_of: dict[str, list[Call]] = {}
        self.producer: Value | None = None  # what parameters named so are
        self._contexts: Any = None
        self._flows: dict[int, Any] = {}
        self._frames: Any = None
        self._spots: dict[int, Spot] | None = None
        self.answered: dict[Any, Any] = {}  # what was looked for once, by who was asked

    # -- places

    def span(self, node: Any, spot: Spot) -> Span:
        inner = self.inner_span(node, spot)
        return self.text.span(inner.start, inner.end)

    def inner_span(self, node: Any, spot: Spot) -> Span:
        """The span in `text`, which in a notebook is not that in the file."""
        while isinstance(node, Standin):
            node, spot = node.node, node.spot
        return self._positions.span(node, spot.statement)

    def function_at(self, offset: int) -> Function | None:
        """The function whose code stands at an offset of the file, None outside of functions."""
        starts = [self._positions.statement_start(number) for number in range(len(self.tree.statements))]
        index = bisect_right(starts, offset) - 1
        return self.tree.statements[index].spot.function if index >= 0 else None

    def spot_of(self, node: Any) -> Spot | None:
        """Where a statement stands, a handler of a `try` among them; None for what is no statement."""
        if self._spots is None:
            self._spots = {id(one.node): one.spot for one in reversed(self.tree.statements)}
        return self._spots.get(id(node))

    def handler_place(self, handler: Any) -> Place:
        """The place of a handler: what it catches, or all of it."""
        spot = self.spot_of(handler)
        assert spot is not None
        return self.place(handler.type or handler, spot)

    def place(self, node: Any, spot: Spot, label: str = "") -> Place:
        return Place(self.path, self.span(node, spot), "primary", label)

    def call_place(self, call: Call, label: str = "") -> Place:
        """The called name: `set_checkpoint_timeout` of `env.get_checkpoint_config().set_checkpoint_timeout(500)`."""
        return self.name_place(call.node, call.spot, label)

    def name_place(self, call: cst.Call, spot: Spot, label: str = "") -> Place:
        """The same of a bare call."""
        return self.place(call.func.attr if isinstance(call.func, cst.Attribute) else call.func, spot, label)

    def covers(self, call: Call) -> Place:
        """Where a suppression comment counts: the whole statement of a call, of a compound one no more than the call."""
        node = self.tree.statements[call.spot.statement].node
        return Place(self.path, self.span(call.node if hasattr(node, "body") else node, call.spot), "covers")

    def def_place(self, function: Function, label: str = "") -> Place:
        node = function.node.name if not function.is_lambda else function.node
        return self.place(node, function.spot, label)

    def line_text(self, span: Span) -> str:
        """The stripped line on which a span starts."""
        start = self.raw.rfind("\n", 0, span.start) + 1
        end = self.raw.find("\n", span.start)
        return self.raw[start : len(self.raw) if end < 0 else end].strip()

    def comment_at(self, span: Span) -> str:
        """The comment at the end of the line on which a span ends, without its marker."""
        end = self.raw.find("\n", span.end)
        rest = self.raw[span.end : len(self.raw) if end < 0 else end]
        at = rest.find("#")
        return rest[at + 1 :].strip() if at >= 0 and not any(quote in rest[:at] for quote in "'\"") else ""

    # -- calls

    def named(self, *names: str) -> list[Call]:
        """The calls of these bare names, in source order."""
        if self._by_name is None:
            self._by_name = {}
            self._order = {id(call): number for number, call in enumerate(self.calls)}
            for call in self.calls:
                self._by_name.setdefault(call.name, []).append(call)
        if len(names) == 1:
            return self._by_name.get(names[0], [])
        # the names are often a set, whose order is another one in each process
        found = [call for name in sorted(set(names)) for call in self._by_name.get(name, ())]
        return sorted(found, key=lambda call: (call.spot.statement, self._order[id(call)]))

    def qualified(self, call: Call) -> str:
        """The dotted name of what is called (`time.sleep`, `kafka.KafkaConsumer`), empty when it is not an imported name."""
        value = self.value(call.node.func, call.spot)
        for option in options(value):
            if isinstance(option, Symbol):
                return option.name
        return ""

    def key(self, call: Call) -> str:
        """As `qualified`, in the library tables' form: `pyflink:KafkaSource.builder`."""
        name = self.qualified(call)
        if not name:
            return ""
        package, rest = libraries.key_of(name)
        return f"{package}:{rest}" if package else ""

    def receiver(self, call: Call) -> Value:
        """What the method is called on; UNKNOWN for a plain function."""
        node = call.receiver_node
        return self.value(node, call.spot) if node is not None else UNKNOWN

    def receivers(self, call: Call) -> list[Object]:
        found = [self.inherited(option, call.name) if isinstance(option, Instance) else option for option in options(self.receiver(call))]
        return [option for option in found if isinstance(option, Object)]

    def sure_receivers(self, call: Call) -> list[Object]:
        """The objects one of which a method is surely called on; none where it may be something else."""
        found = options(self.receiver(call))
        return [option for option in found if isinstance(option, Object)] if all(isinstance(option, Object) for option in found) else []

    def inherited(self, made: Instance, name: str) -> Object | None:
        """The Kafka client that an object of a class is, where the class leaves a method to it."""
        return None if not made.cls.bases or self.method(made.cls, name) is not None else self.client_of(made.cls, made)

    def client_of(self, cls: ClassInfo, made: Instance | None = None) -> Object | None:
        """The Kafka client that an object of a class is, where the class derives from one: made where the base class is initialized.

        A class without a constructor of its own has that of the client: there it is the call of the class that makes one.
        """
        for base in self.bases(cls):
            kind, rest = self.client_class(base)
            init = self.method(cls, "__init__") if kind else None
            if init is None:
                if kind and made is not None and isinstance(made.call, cst.Call):
                    return Object(kind, made.call, made.spot, call=rest)
                continue
            super_init = next((call for call in init.calls if call.name == "__init__"), None)
            if super_init is not None:
                return Object(kind, super_init.node, super_init.spot, call=rest)
        return None

    def client_class(self, base: str) -> tuple[str, str]:
        """The type of Kafka client that a base class is, by its dotted name, and what the library calls it; empty for any other class."""
        package, rest = libraries.key_of(base)
        kind = self.tables.calls.get(f"{package}:{rest}", "")
        return (kind, rest) if kind.split(".")[0] in ("kafka", "confluent", "aiokafka") else ("", "")

    def derived(self, cls: ClassInfo) -> tuple[str, str]:
        """The client that each object of a class is, for other modules: none where the class does something of its own when it is sent, read or closed with."""
        if cls.keywords or cls.decorators or self.method(cls, "__new__"):
            return "", ""
        found = [self.client_class(base) for base in self.bases(cls)]
        own = {name for at in self.parents(cls) for name in at.methods}
        return found[0] if len(found) == 1 and not own & _OF_CLIENTS else ("", "")

    def is_options(self, cls: ClassInfo) -> bool:
        """Whether a class adds options of its own to Beam's, and is made as they are."""
        kinds = {self.tables.calls.get(":".join(libraries.key_of(base))) for base in self.bases(cls)}
        return "beam.Options" in kinds and self.method(cls, "__init__") is None

    def receiver_type(self, call: Call) -> str:
        """The library type of the receiver, empty when it is not known or not one type."""
        types = {obj.type for obj in self.receivers(call)}
        return types.pop() if len(types) == 1 else ""

    def result(self, call: Call) -> Value:
        return self.value(call.node, call.spot)

    def target(self, call: Call) -> Function | None:
        """The function of this module that a call runs."""
        for option in options(self.value(call.node.func, call.spot)):
            if isinstance(option, FunctionValue):
                return option.function  # type: ignore[no-any-return]
            if isinstance(option, ClassValue) and (init := self.method(option.cls, "__init__")):
                return init
        return None

    def call_sites(self, function: Function) -> list[Call]:
        """The calls in this module that surely run a function."""
        found = self._sites.get(id(function))
        if found is None:
            self._sites[id(function)] = found = []
            name = function.cls.name if function.name == "__init__" and function.cls else function.name
            if function.is_lambda:
                return found
            for call in self.named(name) + (self.named("__init__") if function.name == "__init__" else []):
                for option in options(self.value(call.node.func, call.spot)):
                    if (isinstance(option, FunctionValue) and option.function is function) or (
                        isinstance(option, ClassValue) and self.method(option.cls, "__init__") is function
                    ):
                        found.append(call)
        return found

    def assigned(self, call: Call) -> str:
        """The name that a statement gives to what a call, or `await` of it, returns; empty where it does anything else with it."""
        node = self.tree.statements[call.spot.statement].node
        given = targets(node) if isinstance(node, ASSIGNMENTS) and unawaited(node.value) is call.node else []
        return given[0].value if len(given) == 1 and isinstance(given[0], cst.Name) else ""

    def given(self, call: Call, function: Function, param: Param) -> Any:
        """The node that a call passes for a parameter; None when it passes none."""
        position = -1
        names = [p.name for p in function.params if p.kind == "plain"]
        if (
            function.self_name
            or function.name == "__init__"
            or (
                function.cls is not None
                and names
                and any(isinstance(d, cst.Name) and d.value == "classmethod" for d in function.decorators)
            )
        ):
            names = names[1:]
        if param.name in names:
            position = names.index(param.name)
        return call.argument(position if position >= 0 else 10_000, param.name)

    # -- values

    def value(self, node: Any, spot: Spot) -> Value:
        """What an expression is worth at a spot."""
        if node is None:
            return UNKNOWN
        key = id(node)
        found = self._values.get(key)
        if found is not None:
            return found
        if key in self._pending or self._budget <= 0:
            return UNKNOWN
        if len(self._pending) + self._below >= DEEP:
            self._too_deep = True
            return UNKNOWN
        self._budget -= 1
        self._pending.add(key)
        try:
            handler = _HANDLERS.get(node.__class__)
            result = handler(self, node, spot) if handler is not None else UNKNOWN
            if isinstance(result, Symbol):
                result = self.others.value(result, node, spot)
        finally:
            self._pending.discard(key)
        self._values[key] = result
        self._valued.append(node)
        if self._too_deep:
            self._provisional.append(key)
            if not self._pending and not self._below:
                return self._from_the_top(node, spot)
        return result

    def known(self, node: Any) -> Value:
        """What an expression was found to be worth, UNKNOWN when nobody asked."""
        return self._values.get(id(node), UNKNOWN)

    def _from_the_top(self, node: Any, spot: Spot) -> Value:
        """A value at the end of a very long chain of assignments: found in source order, where each step stands on the one before."""
        self._too_deep = False
        for key in self._provisional:
            self._values.pop(key, None)
        self._provisional.clear()
        if self._ordered:
            return UNKNOWN
        self._ordered = True
        for call in self.calls:
            self.value(call.node, call.spot)
        return self.value(node, spot)

    def constant(self, node: Any, spot: Spot) -> Any:
        """The Python constant of an expression, None when it is unknown or one of several."""
        value = self.value(node, spot)
        return value.value if isinstance(value, (Known, Millis)) else None

    def string(self, node: Any, spot: Spot) -> str:
        found = self.constant(node, spot)
        return found if isinstance(found, str) else ""

    def objects(self, node: Any, spot: Spot) -> list[Object]:
        found = [
            self.client_of(option.cls, option) if isinstance(option, Instance) and option.cls.bases else option
            for option in options(self.value(node, spot))
        ]
        return [option for option in found if isinstance(option, Object)]

    def type_of(self, node: Any, spot: Spot) -> str:
        types = {obj.type for obj in self.objects(node, spot)}
        return types.pop() if len(types) == 1 else ""

    def function_of(self, node: Any, spot: Spot) -> list[Function]:
        """The functions an expression may be: a name, a lambda, a bound method, `functools.partial(f, …)`."""
        found = []
        for option in options(self.value(node, spot)):
            if isinstance(option, FunctionValue):
                found.append(option.function)
        return found

    def class_of(self, node: Any, spot: Spot) -> ClassInfo | None:
        """The class of this module an expression makes an object of, or is."""
        for option in options(self.value(node, spot)):
            if isinstance(option, (Instance, ClassValue)):
                return option.cls  # type: ignore[no-any-return]
        return None

    # -- names

    def lookup(self, name: str, spot: Spot) -> list[tuple[Binding, bool]]:
        """The bindings a name may have at a spot, nearest first; whether each holds on every path there."""
        scope: Scope | None = spot.scope
        direct = True
        while scope is not None:
            if (
                (scope.kind != "class" or scope is spot.scope)
                and name in scope.bindings
                and name not in (scope.uses_globals if scope.outer else ())
            ):
                found = reaching(scope.bindings[name], spot, direct)
                if not found and self.notebook and scope.outer is None:  # its cells may be run in another order
                    found = reaching([binding for binding in scope.bindings[name] if binding.kind == "function"], spot, False)
                if found or not direct:
                    return found
                if scope.kind == "function":
                    return []
            if scope.kind == "function":
                direct = False
            scope = scope.outer
        return []

    def _name(self, node: cst.Name, spot: Spot) -> Value:
        return self.name_value(node.value, spot)

    def name_value(self, name: str, spot: Spot) -> Value:
        if name in ("True", "False", "None"):
            return Known({"True": True, "False": False, "None": None}[name])
        key = (id(spot.scope), name, spot.statement, spot.arms)
        if key in self._names:
            return self._names[key]
        bindings = self.lookup(name, spot)
        if not bindings:
            return free(self, name, spot)
        found = []
        for binding, _ in bindings:
            value = bound(self, name, binding, spot)
            if spot.arms:
                value = possible(name, value, binding.spot, spot)
            if isinstance(value, Symbol) and len(bindings) > 1:  # `try: from settings import X`, `except ImportError: X = …`
                there = self.others.value(value, None, spot)
                value = there if isinstance(there, (Known, Millis)) else value
            if isinstance(value, (Known, Millis)) and len(bindings) > 1:
                value = value._replace(sure="branch")
            found.append(value)
        result = fallbacks.of_bindings(self, choice(found), bindings, spot)
        if not self._pending:
            self._names[key] = result
        return result

    def made(self, result: str, node: Any, spot: Spot, call: str) -> Object:
        """An object that a library's function or property gives, by the table's word for it."""
        return Object(result.lstrip("+"), node, spot, call=call)

    # -- attributes and classes

    def bases(self, cls: ClassInfo) -> list[str]:
        """The dotted names of a class's imported bases, through bases in this module."""
        found: list[str] = []
        seen: set[int] = set()
        waiting = [cls]
        while waiting:
            at = waiting.pop()
            if id(at) in seen:
                continue
            seen.add(id(at))
            for base in at.bases:
                value = self.base(base, at.spot)
                if isinstance(value, Symbol):
                    found += self.others.bases(value)
                elif isinstance(value, ClassValue):
                    waiting.append(value.cls)
        return found

    def written_bases(self, cls: ClassInfo) -> list[str]:
        """The imported bases as they stand there, of the class and of its parents in this module: one of the project's own brings what it likes."""
        values = (self.base(base, at.spot) for at in self.parents(cls) for base in at.bases)
        return [value.name for value in values if isinstance(value, Symbol)]

    def parents(self, cls: ClassInfo) -> list[ClassInfo]:
        """The class and its bases in this module, nearest first."""
        found: list[ClassInfo] = []
        waiting = [cls]
        while waiting:
            at = waiting.pop(0)
            if at in found:
                continue
            found.append(at)
            for base in at.bases:
                value = self.base(base, at.spot)
                if isinstance(value, ClassValue):
                    waiting.append(value.cls)
        return found

    def base(self, node: Any, spot: Spot) -> Value:
        """What a base of a class is worth: of `Generic[T]` the class without its parameters."""
        return self.value(node.value if isinstance(node, cst.Subscript) else node, spot)

    def method(self, cls: ClassInfo, name: str) -> Function | None:
        for at in self.parents(cls):
            if name in at.methods:
                return at.methods[name]
        return None

    # -- calls

    def applied(self, function: Function, node: cst.Call, spot: Spot) -> Value:
        """What one call of a function gives: constants by this call's arguments, anything else as every call does.

        `env("TOPIC", "orders")` is not what `env("GROUP", "g1")` is.
        """
        common = self.returned(function)
        takes = any(param.kind != "star" and param.name != function.self_name for param in function.params)
        if not takes or holds_objects(common) or function.yields:
            return common
        with self.calling(function, node, spot) as followed:
            if not followed:
                return UNKNOWN
            result = self.returned(function)
            if isinstance(result, Mapping):
                pairs = tuple(self._settled(pair) for pair in result.pairs)
                result = result._replace(pairs=pairs)
        return common if holds_objects(result) else result

    @contextmanager
    def calling(self, function: Function, node: cst.Call, spot: Spot) -> Iterator[bool]:
        """While it lasts, a function's parameters are what one call gives them; False where the call cannot be followed."""
        if (
            len(function.returns) > WAYS
            or len(self.followed) >= APPLIED
            or self._applying > APPLYING
            or any(applied is function for applied, _ in self.followed)  # it calls itself
            or (arguments := self._arguments(function, node, spot)) is None
        ):
            yield False
            return
        kept = self._values, self._names, self._pending, self._below, self._budget
        self._values, self._names, self._pending, self._below = {}, {}, set(), self._below + len(self._pending)
        self.followed.append((function, arguments))
        try:
            yield True
        finally:
            self.followed.pop()
            self._applying += kept[-1] - self._budget
            self._values, self._names, self._pending, self._below, self._budget = kept

    def _arguments(self, function: Function, node: cst.Call, spot: Spot) -> dict[str, Value] | None:
        """What a call gives a function's parameters; None where a list, or a dict that is not all in sight, is spread over them."""
        spread: list[Pair] = []
        for arg in node.args:
            value = self.value(arg.value, spot) if arg.star == "**" else None
            if isinstance(value, Mapping) and not value.open:
                spread += value.pairs
            elif arg.star:
                return None
            elif arg.keyword is not None:
                spread.append(Pair(arg.keyword.value, arg.keyword, arg.value, spot))
        if any(pair.key is None for pair in spread):
            return None
        plain, named, call = _plain(function), Mapping(tuple(spread), False), Call(node, "", spot, None, "")
        arguments: dict[str, Value] = {}
        for param in plain:
            given, pair = self.given(call, function, param), named.get(param.name)
            if given is not None:
                arguments[param.name] = self.value(given, spot)
            elif pair is not None:
                arguments[param.name] = self.value(pair.value_node, pair.spot)
            else:
                arguments[param.name] = self.value(param.default, function.spot) if param.default is not None else UNKNOWN
        for param in function.params:
            if param.kind == "stars":
                rest = [pair for pair in spread if pair.key not in arguments]
                arguments[param.name] = Mapping(tuple([self._settled(pair) for pair in rest]), False)
        return arguments

    def _settled(self, pair: Pair) -> Pair:
        """An entry of a dict with the value that it has in this call."""
        if isinstance(pair.value_node, (cst.SimpleString, cst.Integer, cst.Float)):
            return pair
        value = self.value(pair.value_node, pair.spot)
        if not isinstance(value, (Known, Millis)) and not (isinstance(value, Choice) and not holds_objects(value)):
            return pair
        return pair._replace(value_node=Standin(value, pair.value_node, pair.spot))

    def returned(self, function: Function) -> Value:
        """What a function gives, whoever calls it; of a context manager what `with` gets."""
        given = function.returns
        if function.yields:
            given = function.yielded if any(last_name(one) in _ENTERED for one in function.decorators) else []
        if len(given) > SITES:
            return UNKNOWN
        result = choice([self.value(node, spot) for node, spot in given if node is not None])
        if not isinstance(result, Choice) or function.yields:
            return result
        return fallbacks.of_ways(self, result, [(node, spot, spot.arms) for node, spot in given if node is not None])

    def made_with(self, cls: ClassInfo) -> Object | None:
        """The Kafka client that the constructor of a class makes each time; none where the class may see to it that there is one object."""
        init = self.method(cls, "__init__") if not (cls.keywords or cls.decorators or self.method(cls, "__new__")) else None
        own = [call for call in init.calls if not call.spot.conditional] if init is not None else []
        helpers = [target for call in own if (target := self.target(call)) is not None and target.cls is not None and target is not init]
        for call in [*own, *(call for helper in helpers for call in helper.calls if helper.self_name and not call.spot.conditional)]:
            for made in options(self.result(call)):
                if isinstance(made, Object) and made.node is call.node and answers.is_kafka(made.type):
                    return made
        return None

    def opened_by(self, cls: ClassInfo) -> tuple[str, list[str]]:
        """The Kafka client that methods of a class make and keep in their object, and those methods: `connect`."""
        found: dict[str, list[str]] = {}
        for function in () if cls.keywords or cls.decorators or self.method(cls, "__new__") else cls.methods.values():
            for call in function.calls if function.self_name and function.name != "__init__" else ():
                kept = targets(node) if isinstance(node := self.tree.statements[call.spot.statement].node, ASSIGNMENTS) else []
                if call.spot.conditional or not any(dotted(one).startswith(f"{function.self_name}.") for one in kept):
                    continue
                for made in options(self.result(call)):
                    if isinstance(made, Object) and made.node is call.node and answers.is_kafka(made.type):
                        found.setdefault(made.type, []).append(function.name)
        return next(iter(found.items())) if len(found) == 1 else ("", [])

    # -- more views, made when first asked for

    @property
    def contexts(self) -> Any:
        """Where each function runs (`contexts.Contexts`)."""
        if self._contexts is None:
            from shoal.python.contexts import Contexts

            self._contexts = Contexts(self)
            self._contexts.find()
        return self._contexts

    @property
    def frames(self) -> Any:
        """What Spark's data frames are made from (`frames.Frames`)."""
        if self._frames is None:
            from shoal.python.frames import Frames

            self._frames = Frames(self)
        return self._frames

    def flow(self, function: Function | None) -> Any:
        """The control-flow graph of a function, or of the module's own statements."""
        from shoal.python.flow import Flow

        key = id(function)
        if key not in self._flows:
            program = function is None or (function.name == "main" and function.cls is None)
            self._flows[key] = Flow(self.tree.node.body if function is None else function.body, program)
        return self._flows[key]


def _plain(function: Function) -> list[Param]:
    """The parameters that each call gives, or leaves at their defaults."""
    return [param for param in function.params if param.kind in ("plain", "keyword") and param.name != function.self_name]


_HANDLERS: dict[type, Any] = {
    **EXPRESSIONS,
    cst.Name: Module._name,
    cst.Attribute: attributes.attribute,
    cst.Call: calls.call,
}
