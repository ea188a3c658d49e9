"""The semantic model of one Python module: what rules and fact makers ask about names, values, types, calls and places."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst

from shoal.lazy import pattern
from shoal.model import NOTHING, Place, Span, Told
from shoal.python import attributes, calls, elsewhere, libraries
from shoal.python.conditions import possible
from shoal.python.expressions import EXPRESSIONS
from shoal.python.others import Others
from shoal.python.positions import Positions
from shoal.python.tree import ASSIGNMENTS, Arm, Binding, Call, ClassInfo, Function, Param, Scope, Spot, Tree, dotted, last_name, targets
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
    Sequence,
    Standin,
    Symbol,
    Value,
    choice,
    holds_objects,
    names,
    options,
    weakest,
)
from shoal.text import Text

# Evaluations in one module, after which everything is unknown: a bound on time, far above what job code needs.
BUDGET = 300_000
# Bindings that may be in force at once, calls whose arguments a parameter may have, and changes to one dict; beyond, nothing is known.
WAYS = 12
SITES = 40
CHANGES = 400
# Values that wait for one another at most, each some four Python frames: `frame = frame.withColumn(…)` a hundred times is real code.
DEEP = 100
# Calls whose arguments are followed at once, one within the other, and evaluations that this may cost in a module.
APPLIED = 4
APPLYING = 60_000
# Functions that rules look for, of modules whose every name is imported.
_STARRED = {
    "pyspark.sql.functions": names(
        "udf udtf pandas_udf window session_window col column lit expr when from_json to_json struct explode broadcast to_timestamp to_timestamp_ltz "
        "to_timestamp_ntz current_timestamp localtimestamp from_utc_timestamp to_utc_timestamp timestamp_seconds timestamp_millis "
        "timestamp_micros date_trunc make_timestamp window_time from_unixtime unix_timestamp date_format concat_ws lower upper trim regexp_replace "
        "regexp_extract get_json_object to_date current_date date_add date_sub count countDistinct count_distinct approx_count_distinct"
    ),
    "pyflink.table.udf": names("udf udtf udaf udtaf"),
}
_NAMED_PRODUCER = pattern(r"_?(?:kafka_?|k)?producer")
_BUILTINS = names(
    "int str float bool dict list tuple set frozenset len max min round abs open print range sorted input bytes isinstance super"
)
# What a loop over an object of a library yields.
_ELEMENTS = {"confluent.Messages": "confluent.Message"}
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
        self._pending: set[int] = set()
        self._below = 0  # as many values wait for the call that is being followed
        self._too_deep = False
        self._provisional: list[int] = []  # values that are unknown only because something was too deep
        self._ordered = False
        self._budget = BUDGET
        self._arguments: list[tuple[Function, dict[str, Value]]] = []  # of the calls that are being followed
        self._applying = 0
        self._by_name: dict[str, list[Call]] | None = None
        self._order: dict[int, int] = {}
        self._sites: dict[int, list[Call]] = {}
        self._names: dict[tuple[int, str, int, tuple[Arm, ...]], Value] = {}
        self.param_types: dict[tuple[int, str], Value] = {}  # parameters that a library fills in, set by `contexts`
        self._uses_of: dict[str, list[Call]] = {}
        self._producer: Value | None = None  # what parameters named so are
        self._contexts: Any = None
        self._flows: dict[int, Any] = {}
        self._frames: Any = None
        self._spots: dict[int, Spot] | None = None

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
        func = call.node.func
        return self.place(func.attr if isinstance(func, cst.Attribute) else func, call.spot, label)

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
        found = [
            self.inherited(option.cls, call.name) if isinstance(option, Instance) else option for option in options(self.receiver(call))
        ]
        return [option for option in found if isinstance(option, Object)]

    def sure_receivers(self, call: Call) -> list[Object]:
        """The objects one of which a method is surely called on; none where it may be something else."""
        found = options(self.receiver(call))
        return [option for option in found if isinstance(option, Object)] if all(isinstance(option, Object) for option in found) else []

    def inherited(self, cls: ClassInfo, name: str) -> Object | None:
        """The Kafka client that an object of a class is, where the class leaves a method to it."""
        return None if not cls.bases or self.method(cls, name) is not None else self.client_of(cls)

    def client_of(self, cls: ClassInfo) -> Object | None:
        """The Kafka client that an object of a class is, where the class derives from one: made where the base class is initialized."""
        for base in self.bases(cls):
            package, rest = libraries.key_of(base)
            kind = self.tables.calls.get(f"{package}:{rest}", "")
            init = self.method(cls, "__init__") if kind.split(".")[0] in ("kafka", "confluent", "aiokafka") else None
            made = next((call for call in init.calls if call.name == "__init__"), None) if init is not None else None
            if made is not None:
                return Object(kind, made.node, made.spot, call=rest)
        return None

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
        """The name that a statement gives to what a call returns; empty where it does anything else with it."""
        node = self.tree.statements[call.spot.statement].node
        given = targets(node) if isinstance(node, ASSIGNMENTS) and node.value is call.node else []
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
            self.client_of(option.cls) if isinstance(option, Instance) and option.cls.bases else option
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
                found = _reaching(scope.bindings[name], spot, direct)
                if not found and self.notebook and scope.outer is None:  # its cells may be run in another order
                    found = _reaching([binding for binding in scope.bindings[name] if binding.kind == "function"], spot, False)
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
            return self._free(name, spot)
        found = []
        for binding, _ in bindings:
            value = self.bound(name, binding, spot)
            if spot.arms:
                value = possible(name, value, binding.spot, spot)
            if isinstance(value, Symbol) and len(bindings) > 1:  # `try: from settings import X`, `except ImportError: X = …`
                there = self.others.value(value, None, spot)
                value = there if isinstance(there, (Known, Millis)) else value
            if isinstance(value, (Known, Millis)) and len(bindings) > 1:
                value = value._replace(sure="branch")
            found.append(value)
        result = choice(found)
        if not self._pending:
            self._names[key] = result
        return result

    def _free(self, name: str, spot: Spot) -> Value:
        scope: Scope | None = spot.scope
        while scope is not None:
            for star in scope.stars:
                if not elsewhere.is_foreign(star):
                    full = f"{star}.{name}" if star.strip(".") else star + name
                    if name.isupper():
                        self.others.asked[full] = None
                    if full in self.others.given or f"{full}()" in self.others.given:
                        return Symbol(full)
                    if elsewhere.is_client(name) or elsewhere.is_config(name):
                        self.others.asked[f"{full}()"] = None
                package = libraries.PACKAGES.get(star.split(".")[0], "")
                if package and (f"{package}:{name}" in self.tables.calls or name[:1].isupper() or name in _STARRED.get(star, ())):
                    return Symbol(f"{star}.{name}")
            scope = scope.outer
        return Symbol(f"builtins.{name}") if name in _BUILTINS else UNKNOWN

    def bound(self, name: str, binding: Binding, spot: Spot) -> Value:
        """What a binding gives its name, asked at a spot."""
        kind, node, at, detail = binding
        if kind == "assign" or kind == "with":
            value = self.value(node, at)
            if value is UNKNOWN and kind == "assign" and isinstance(node, cst.Call):
                value = self._handed_back(name, node, at)
            if value is UNKNOWN and kind == "assign" and self._filled(name, at, spot):
                value = Mapping((), True)
            return self._changed(name, value, at, spot) if isinstance(value, (Mapping, Sequence)) else value
        if kind == "import":
            if not elsewhere.is_foreign(detail) and self._filled(name, at, spot):
                there = self.others.value(Symbol(detail), None, spot)
                return self._changed(name, there if isinstance(there, Mapping) else Mapping((), True), at, spot)
            return Symbol(detail)
        if kind == "function":
            return FunctionValue(node)
        if kind == "class":
            return ClassValue(node)
        if kind == "param":
            value = self.param(detail, name)
            if value is UNKNOWN and name in at.scope.changes and (param := detail.param(name)) is not None and param.kind == "stars":
                value = Mapping((), True)  # other modules may give any keywords
            elif value is UNKNOWN and self._filled(name, at, spot):
                value = Mapping((), True)
            return self._changed(name, value, at, spot) if isinstance(value, Mapping) else value
        if kind == "unpack":
            value = self._item(self.value(node, at), detail)
            return self._changed(name, value, at, spot) if isinstance(value, Sequence) else value
        if kind == "for":
            return self._each(node, at) if detail is None else self._numbered(node, at, detail)
        if kind == "declared":
            return self._annotated(detail, at)
        return UNKNOWN

    def _handed_back(self, name: str, call: cst.Call, spot: Spot) -> Value:
        """An environment that a function out of sight gets and gives back: `t_env = make_tables(t_env)`."""
        handed = next((arg.value for arg in call.args if isinstance(arg.value, cst.Name) and arg.value.value == name), None)
        given = UNKNOWN if handed is None else self.value(handed, spot)
        return given if isinstance(given, Object) and given.type in ("flink.TableEnvironment", "flink.Environment") else UNKNOWN

    def _filled(self, name: str, made: Spot, spot: Spot) -> bool:
        """Whether texts are the keys of what is put into something whose making is not in sight: `conf = load()`, `conf["acks"] = "all"`."""
        changes = [*made.scope.changes.get(name, ()), *(spot.scope.changes.get(name, ()) if spot.scope is not made.scope else ())]
        return any(
            isinstance(node, cst.SimpleString)
            if how == "set"
            else how == "update"
            and isinstance(node, cst.Dict)
            and any(isinstance(one, cst.DictElement) and isinstance(one.key, cst.SimpleString) for one in node.elements)
            for how, node, _, _ in changes
        )

    def _item(self, value: Value, index: int) -> Value:
        if isinstance(value, Sequence) and not value.open and index < len(value.nodes):
            return self.value(value.nodes[index], value.spot)
        if isinstance(value, Choice):
            return choice([self._item(option, index) for option in value.options])
        if isinstance(value, Object) and value.type == "py.KnownArguments":
            # what the parser does not know is a list, which programs put more into
            return (
                Object("py.Arguments", value.node, value.spot, value, part=True) if index == 0 else Sequence((), value.spot, True, "list")
            )
        return UNKNOWN

    def _each(self, node: Any, spot: Spot) -> Value:
        """What a loop takes out of something, also the objects that a comprehension makes, or that are appended to a list: futures, say."""
        found = self._element(self.value(node, spot))
        if found is not UNKNOWN:
            return found
        appended: list[Any] = []
        if isinstance(node, cst.Name):
            bindings = self.lookup(node.value, spot)
            if len(bindings) != 1 or bindings[0][0].kind != "assign":
                return UNKNOWN
            made, changes = bindings[0][0], bindings[0][0].spot.scope.changes.get(node.value, ())
            node = made.node
            if isinstance(node, cst.List) and not node.elements and all(how == "append" for how, _, _, _ in changes):
                appended = [self.value(element, at) for _, element, _, at in changes[:CHANGES]]
        if isinstance(node, cst.ListComp) and (within := self.tree.comprehensions.get(id(node))) is not None:
            appended = [self.value(node.elt, within)]
        types = {option.type if isinstance(option, Object) else "" for option in appended}
        return appended[0] if len(types) == 1 and "" not in types else UNKNOWN

    def _element(self, value: Value) -> Value:
        if isinstance(value, Sequence) and not value.open and 0 < len(value.nodes) <= 20:
            return choice([self.value(node, value.spot) for node in value.nodes])
        if isinstance(value, Object) and value.type in _ELEMENTS:
            return Object(_ELEMENTS[value.type], value.node, value.spot, value.source, call=value.call)
        return UNKNOWN

    def _numbered(self, node: Any, spot: Spot, index: int) -> Value:
        """What a loop over `enumerate(…)` takes out of it."""
        if index == 1 and isinstance(node, cst.Call) and node.args and isinstance(node.func, cst.Name) and node.func.value == "enumerate":
            return self._element(self.value(node.args[0].value, spot))
        return UNKNOWN

    def _changed(self, name: str, value: Mapping | Sequence, made: Spot, spot: Spot) -> Value:
        """A dict or list with what is put into it between its making and a spot."""
        changes = made.scope.changes.get(name, ())
        if spot.scope is not made.scope:
            changes = [*changes, *spot.scope.changes.get(name, ())] if name not in spot.scope.bindings else list(changes)
        if len(changes) > CHANGES:
            return value._replace(open=True)
        for how, key_node, value_node, at in changes:
            if at.scope is made.scope and at.statement <= made.statement:
                continue
            if at.scope is spot.scope and at.statement >= spot.statement:
                continue
            if isinstance(value, Sequence):
                more = (key_node,) if how == "append" else self._listed(key_node) if how == "extend" else ()
                if more and not at.in_loop():
                    value = value._replace(nodes=(*value.nodes, *more)) if at.scope is value.spot.scope else value._replace(open=True)
                else:
                    value = value._replace(open=True)
                continue
            if how in ("set", "setdefault"):
                key = self.constant(key_node, at)
                if how == "setdefault":
                    if isinstance(key, str) and value.get(key) is not None:
                        continue
                    given = self.value(value_node, at) if value.open else UNKNOWN
                    if isinstance(given, Known):  # whoever made the dict may have said something else
                        value_node = Standin(given._replace(sure="default"), value_node, at)
                value = value._replace(pairs=(*value.pairs, Pair(key if isinstance(key, str) else None, key_node, value_node, at)))
            elif how == "update":
                other = self.value(key_node, at)
                value = (
                    value._replace(pairs=(*value.pairs, *other.pairs), open=value.open or other.open)
                    if isinstance(other, Mapping)
                    else value._replace(open=True)
                )
            elif how != "add":
                value = value._replace(open=True)
        return value

    def _listed(self, node: Any) -> tuple[Any, ...]:
        """The elements of a list that is written out; none where others are unpacked into it."""
        elements = node.elements if isinstance(node, (cst.List, cst.Tuple)) else ()
        return tuple(one.value for one in elements) if all(isinstance(one, cst.Element) for one in elements) else ()

    def param(self, function: Function, name: str) -> Value:
        """What a parameter is: `self`, what a library passes, what the calls in this module pass, its default, its annotation."""
        for applied, arguments in reversed(self._arguments):
            if applied is function and name in arguments:
                return arguments[name]  # type: ignore[no-any-return]
        param = function.param(name)
        if param is None:
            return UNKNOWN
        if name == function.self_name and function.cls is not None:
            return Instance(function.cls)
        if function.cls is not None and param is function.params[0] and _is_classmethod(function):
            return ClassValue(function.cls)
        typed = self.contexts.param_types.get((id(function), name))
        if typed is not None:
            return typed  # type: ignore[no-any-return]
        if param.kind == "stars":
            return self._keywords(function)
        if param.kind == "star":
            return UNKNOWN
        annotated = self._annotated(param.annotation, function.spot)
        if annotated is UNKNOWN:
            annotated = self.others.parameter(function, name)
        if annotated is UNKNOWN and (param.annotation is None or dotted(param.annotation).endswith("Any")):
            annotated = self._producer_named(function, name)
        found: list[Any] = []
        sites = self.call_sites(function)
        if len(sites) > SITES:
            return annotated
        for site in sites:
            node = self.given(site, function, param)
            if node is not None:
                found.append(self.value(node, site.spot))
            elif site.has_stars:
                found.append(UNKNOWN)
            elif param.default is not None:
                found.append(self.value(param.default, function.spot))
            else:
                found.append(UNKNOWN)
        if found:
            result = choice(found)
            if isinstance(result, Choice) and all(isinstance(option, (Known, Millis)) for option in result.options):
                return Choice(tuple(option._replace(sure="branch") for option in result.options))
            if result is UNKNOWN or (isinstance(result, Symbol) and isinstance(annotated, Object)):
                return annotated  # which says more than a name of another module: `SessionLocal()`
            return result
        if isinstance(annotated, (Object, Instance)):
            return annotated
        if not sites and (told := self.others.given_text(function, name)) is not UNKNOWN:
            return told
        if param.default is not None:
            value = self.value(param.default, function.spot)
            return (
                value._replace(sure=weakest(value.sure, "default"))
                if isinstance(value, (Known, Millis)) and value.value is not None
                else UNKNOWN
            )
        return annotated

    def _producer_named(self, function: Function, name: str) -> Value:
        """The producer that an untyped parameter is by its name, where a module imports one class of them: `def publish(producer, order)`.

        It is the one that the module makes, if it does, so that what is done with either is done with both; of several nobody knows.
        """
        if not _NAMED_PRODUCER.fullmatch(name):
            return UNKNOWN
        if self._producer is None:
            imports = [one for scope in self._scopes() for bound in scope.bindings.values() for one in bound if one.kind == "import"]
            keys = {":".join(libraries.key_of(one.detail)): one.detail for one in imports if isinstance(one.detail, str)}
            kinds = {key: self.tables.calls.get(key, "").split("@")[0] for key in keys}
            found = [key for key, kind in kinds.items() if kind.endswith(".Producer") and elsewhere.is_kafka(kind)]
            self._producer = UNKNOWN
            if len(found) == 1:
                made = [self.result(call) for call in self.named(keys[found[0]].rpartition(".")[2])]
                one = Object(kinds[found[0]], Standin(UNKNOWN, function.node, function.spot), function.spot, call="Producer")
                self._producer = one if not made else made[0] if len(made) == 1 and isinstance(made[0], Object) else UNKNOWN
        return self._producer

    def _scopes(self) -> list[Scope]:
        return [self.tree.root, *(function.scope for function in self.functions)]

    def _keywords(self, function: Function) -> Value:
        """The keywords that the one call of a function in this module gives beyond those that it names: several calls make several things.

        Other modules may call it with more.
        """
        sites = self.call_sites(function)
        if len(sites) != 1:
            return UNKNOWN
        site = sites[0]
        named = {param.name for param in function.params if param.kind in ("plain", "keyword")}
        pairs: list[Pair] = []
        for arg in site.node.args:
            if arg.keyword is not None:
                pairs.append(Pair(arg.keyword.value, arg.keyword, arg.value, site.spot))
            elif arg.star == "**":
                inner = self.value(arg.value, site.spot)
                pairs += inner.pairs if isinstance(inner, Mapping) else ()
        return Mapping(tuple(pair for pair in pairs if pair.key not in named), True)

    def _annotated(self, node: Any, spot: Spot) -> Value:
        """An object of the annotated type."""
        if node is None:
            return UNKNOWN
        if isinstance(node, cst.SimpleString):
            name = node.evaluated_value
            if not isinstance(name, str) or not name.isidentifier():
                return UNKNOWN
            value = self.name_value(name, spot)
        elif isinstance(node, cst.Subscript):
            outer = dotted(node.value).rsplit(".", 1)[-1]
            if outer in ("Optional", "Annotated") and isinstance(node.slice[0].slice, cst.Index):
                return self._annotated(node.slice[0].slice.value, spot)
            if outer not in ("Queue",):
                return UNKNOWN
            value = self.value(node.value, spot)
        elif isinstance(node, cst.BinaryOperation):
            return choice([v for v in (self._annotated(node.left, spot), self._annotated(node.right, spot)) if v is not UNKNOWN])
        else:
            value = self.value(node, spot)
        if isinstance(value, ClassValue):
            return Instance(value.cls)
        if isinstance(value, Symbol):
            package, rest = libraries.key_of(value.name)
            result = self.tables.calls.get(f"{package}:{rest}", "").split("@")[0]
            if result and "." not in rest:
                return self.made(result, node, spot, rest)
        return UNKNOWN

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
        if not _plain(function) or holds_objects(common) or function.yields:
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
            or len(self._arguments) >= APPLIED
            or self._applying > APPLYING
            or any(applied is function for applied, _ in self._arguments)  # it calls itself
            or any(arg.star for arg in node.args)
        ):
            yield False
            return
        call = Call(node, "", spot, None, "")
        arguments: dict[str, Value] = {}
        for param in _plain(function):
            given = self.given(call, function, param)
            if given is not None:
                arguments[param.name] = self.value(given, spot)
            else:
                arguments[param.name] = self.value(param.default, function.spot) if param.default is not None else UNKNOWN
        kept = self._values, self._names, self._pending, self._below, self._budget
        self._values, self._names, self._pending, self._below = {}, {}, set(), self._below + len(self._pending)
        self._arguments.append((function, arguments))
        try:
            yield True
        finally:
            self._arguments.pop()
            self._applying += kept[-1] - self._budget
            self._values, self._names, self._pending, self._below, self._budget = kept

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
        return choice([self.value(node, spot) for node, spot in given if node is not None]) if len(given) <= SITES else UNKNOWN

    def made_with(self, cls: ClassInfo) -> Object | None:
        """The Kafka client that the constructor of a class makes each time; none where the class may see to it that there is one object."""
        init = self.method(cls, "__init__") if not (cls.keywords or cls.decorators or self.method(cls, "__new__")) else None
        own = [call for call in init.calls if not call.spot.conditional] if init is not None else []
        helpers = [target for call in own if (target := self.target(call)) is not None and target.cls is not None and target is not init]
        for call in [*own, *(call for helper in helpers for call in helper.calls if helper.self_name and not call.spot.conditional)]:
            for made in options(self.result(call)):
                if isinstance(made, Object) and made.node is call.node and elsewhere.is_kafka(made.type):
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
                    if isinstance(made, Object) and made.node is call.node and elsewhere.is_kafka(made.type):
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


def _reaching(bindings: list[Binding], spot: Spot, direct: bool) -> list[tuple[Binding, bool]]:
    """The bindings that may be in force at a spot, latest first, as far back as one that surely is."""
    found: list[tuple[Binding, bool]] = []
    loops = {(arm.group, arm.index) for arm in spot.arms if arm.kind == "loop"}
    arms = {(arm.group, arm.index) for arm in spot.arms}
    groups = {arm.group: arm.index for arm in spot.arms}
    last = len(bindings)
    if direct:
        # Bindings stand in source order: what is bound at or after the spot counts only around a loop.
        last = bisect_right(bindings, spot.statement, key=lambda binding: binding.spot.statement)
        if loops:
            for binding in bindings[bisect_left(bindings, spot.statement, key=lambda binding: binding.spot.statement) :][:WAYS]:
                if binding.kind == "param" or (binding.kind in ("for", "with") and binding.spot.statement == spot.statement):
                    continue
                if any((arm.group, arm.index) in loops for arm in binding.spot.arms):
                    found.append((binding, False))  # carried around the loop
    for index in range(last - 1, -1, -1):
        binding = bindings[index]
        at = binding.spot
        if direct and at.statement >= spot.statement and not (binding.kind in ("param", "for", "with") and at.statement == spot.statement):
            continue
        if direct and any(arm.group in groups and groups[arm.group] != arm.index for arm in at.arms):
            continue
        always = all(arm.kind == "main" or (direct and (arm.group, arm.index) in arms) for arm in at.arms)
        found.append((binding, always))
        if always or len(found) >= WAYS:
            break
    return found[:WAYS]


def _plain(function: Function) -> list[Param]:
    """The parameters that each call gives, or leaves at their defaults."""
    return [param for param in function.params if param.kind in ("plain", "keyword") and param.name != function.self_name]


def _is_classmethod(function: Function) -> bool:
    return function.cls is not None and any(isinstance(d, cst.Name) and d.value == "classmethod" for d in function.decorators)


_HANDLERS: dict[type, Any] = {
    **EXPRESSIONS,
    cst.Name: Module._name,
    cst.Attribute: attributes.attribute,
    cst.Call: calls.call,
}
