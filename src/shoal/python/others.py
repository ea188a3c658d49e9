"""What other modules of the project say of the names that one module takes from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.facts import Origin
from shoal.model import Place, Span, Told
from shoal.python import answers, fallbacks, files, names_elsewhere
from shoal.python.answers import Started
from shoal.python.tree import Call, ClassInfo, Function, Spot, dotted, last_name
from shoal.python.values import UNKNOWN, Known, Mapping, Object, Standin, Symbol, Value, choice

if TYPE_CHECKING:
    from shoal.python.module import Module


class Others:
    """`given` is what is known by now; what is asked for beyond that is noted in `asked`, and told at the next look at the module."""

    def __init__(self, module: Module, told: Told) -> None:
        self._module = module
        self.asked: dict[str, None] = {}  # names whose values were needed
        self.given, self._origins = answers.given(told)
        self._clients: dict[str, Value] = {}  # by their dotted names
        self._parameters: dict[tuple[int, str], Value] = {}
        self.calls_of: dict[str, list[Any]] = {}  # what other modules give functions of this one, by their names (`frames_elsewhere.given`)
        for text in told.given:
            called, arguments = json.loads(text)
            self.calls_of.setdefault(called, []).append(arguments)

    def ask(self, name: str) -> Any:
        """What another module of the project says of a name, which it is asked for when it has not been told of yet."""
        self.asked[name] = None
        return self.given.get(name)

    def value(self, value: Value, node: Any, spot: Spot) -> Value:
        """What stands for an imported name of another module of the project: its constant, where that is known. Notes what is asked for."""
        if not isinstance(value, Symbol) or names_elsewhere.is_foreign(value.name):
            return value
        last = value.last
        if not last[:1].isupper() or last.isupper():
            self.asked[value.name] = None
        data = self.given.get(value.name)
        if answers.holds_client(data):
            return self._client(value.name, data, node, spot)
        return value if data is None or data[0] == "b" else answers.decoded(data, node, spot)

    def _client(self, name: str, data: Any, node: Any, spot: Spot) -> Value:
        """A client that another module makes for all: one object, wherever it is named here."""
        if name not in self._clients:
            self._clients[name] = answers.decoded(data, node, spot)
        return self._clients[name]

    def inherited_client(self, cls: ClassInfo, name: str, spot: Spot) -> Value:
        """The client under a name that a class has from one of another module: `self.consumer`."""
        if not names_elsewhere.is_client(name):
            return UNKNOWN
        for base in (base for at in self._module.parents(cls) for base in at.bases):
            value = self._module.base(base, spot)
            if isinstance(value, Symbol) and not names_elsewhere.is_foreign(value.name):
                asked = f"{value.name}().{name}"
                data = self.ask(asked)
                if answers.holds_client(data):
                    return self._client(asked, data, base, spot)
        return UNKNOWN

    def called(self, symbol: Symbol, node: Any, spot: Spot) -> Value:
        """What another module's function gives; an object of its class that is made without arguments goes by the name of the call.

        What depends on the arguments of a call is known to no other module: a call that gives more of them than it must gives an object or
        nothing.
        """
        plain = not isinstance(node, cst.Call) or not node.args
        if names_elsewhere.is_foreign(symbol.name):
            return UNKNOWN
        asked = f"{symbol.name}()"
        client = names_elsewhere.is_client(symbol.name)
        a_class = symbol.last[:1].isupper()
        # a second look at two modules is worth it for clients, options, queries and SQL
        sql = self._module.of_tables and names_elsewhere.is_sql(symbol.name)
        said = names_elsewhere.is_config(symbol.name) or names_elsewhere.is_value(symbol.name) or names_elsewhere.is_of_environment(node)
        if not (client or sql or said or self._module.of_spark or (a_class and plain)):
            return UNKNOWN
        if client or not a_class:
            self.asked[asked] = None
        told = self.given.get(asked)
        if isinstance(node, cst.Call) and told is not None and told[0] == "e":
            return fallbacks.given(self._module, told, Call(node, "", spot, None, ""))
        loads = answers.loads(told) if isinstance(node, cst.Call) else None
        if loads is not None and (path := Call(node, "", spot, None, "").argument(*loads)) is not None:
            return self.file(files.named(self._module, path, spot), node, spot)
        data = answers.result(told, node)
        if data is not None:
            return answers.decoded(data, node, spot)
        return Symbol(asked) if a_class and plain else UNKNOWN

    def loaded(self, node: cst.Call, spot: Spot) -> Value:
        """What a YAML or JSON file of the project holds that is loaded here."""
        return self.file(files.opened(self._module, node.args[0].value, spot), node, spot)

    def file(self, name: str, node: Any, spot: Spot) -> Value:
        """What a YAML, JSON or INI file of the project holds, by its relative path."""
        if not name:
            return UNKNOWN
        asked = f"file:{name}"
        return answers.decoded(self.ask(asked), node, spot)

    def bases(self, base: Symbol) -> list[str]:
        """The library's classes behind an imported base."""
        if names_elsewhere.is_foreign(base.name):
            return [base.name]
        data = self.ask(base.name)
        return list(data[1]) if data is not None and data[0] == "b" else [base.name]

    def handed_on(self, cls: ClassInfo) -> dict[str, str]:
        """The methods of its objects that the imported bases of a class hand to foreachBatch, and how (`Contexts.handed_on`)."""
        found: dict[str, str] = {}
        for base in cls.bases:
            value = self._module.base(base, cls.spot)
            data = self.given.get(value.name) if isinstance(value, Symbol) else None
            if data is not None and data[0] == "b":
                found |= data[2]
        return found

    def opened_by(self, name: str) -> tuple[str, list[str]]:
        """The type of the Kafka client that an object of another module's class makes, and the methods that do; none of them for its constructor."""
        data = self.ask(f"{name}()") if not names_elsewhere.is_foreign(name) else None
        if data is not None and data[0] == "n":
            return data[1], []
        return (data[1], data[2]) if data is not None and data[0] == "w" else ("", [])

    def made_by(self, name: str) -> str:
        """The type of the Kafka client that each call of another module's function makes anew; empty for any other function."""
        data = self.ask(f"{name}()") if names_elsewhere.is_client(name) and not names_elsewhere.is_foreign(name) else None
        return str(data[1]) if data is not None and data[0] == "n" else ""

    def tags(self, name: str) -> list[str]:
        """The tags of Beam's outputs that another module's DoFn or function puts elements out to (`dofns.tags`)."""
        if names_elsewhere.is_foreign(name):
            return []
        data = self.ask(f"{name}()")
        return list(data[1]) if data is not None and data[0] == "t" else []

    def query(self, call: Call) -> Started | None:
        """What another module's function says of the query that a call of it starts."""
        data = self._told_of(call)
        return answers.started(data) if data is not None else None

    def helped(self, call: Call) -> list[tuple[Any, str]]:
        """The arguments of a call that another module's function writes (`save`) or computes (`action`), as nodes."""
        data = self._told_of(call)
        found = data[1] if data is not None and data[0] == "h" else []
        return [(node, kind) for position, name, kind in found if (node := call.argument(position, name)) is not None]

    def write_swallowed(self, call: Call) -> Origin | None:
        """Where another module's function that writes what a call gives it only logs that it failed (`handlers.write_swallowed`)."""
        name = self.callee(call.node.func, call.spot)
        data = self.ask(f"{name}()") if name else None
        return answers.write_swallowed(data)

    def said(self, name: str, asked: str) -> tuple[Place, str] | None:
        """What another module says of one of its functions, by its dotted name: `elsewhere.ENDS`, `elsewhere.QUIET`."""
        data = self.ask(f"{name}{asked}") if name and not names_elsewhere.is_foreign(name) else None
        match data:
            case [str(path), [int(start), int(end)], str(what)]:
                return Place(path, Span(start, end)), what
        return None

    def frames(self, func: Any, spot: Spot) -> Any:
        """The data frames that a function of another module gives, as that says (`frames_elsewhere.made`); None where it says nothing."""
        name = self.callee(func, spot)
        return self.frames_of(name) if name else None

    def callee(self, func: Any, spot: Spot) -> str:
        """The dotted name of a function or method of another module of the project that an expression names; empty for anything else."""
        name = self._own(func, spot)
        return "" if _is_class(name) else name

    def runs_of(self, func: Any, spot: Spot) -> str:
        """As `callee`, of what a call of it runs there: of a class its `__init__`."""
        name = self._own(func, spot)
        return f"{name}.__init__" if _is_class(name) else name

    def _own(self, func: Any, spot: Spot) -> str:
        name = names_elsewhere.callee(self._module, func, spot)
        return name if name and not names_elsewhere.is_foreign(name) else ""

    def parameter(self, function: Function, name: str) -> Value:
        """The object that other modules give a function for a parameter; one and the same each time it is asked for."""
        key = (id(function), name)
        if key not in self._parameters:
            from shoal.python import frames_elsewhere

            kind = frames_elsewhere.type_of(self._module, function, name) if self._module.told.given else ""
            made = Object(kind, Standin(UNKNOWN, function.node, function.spot), function.spot) if kind else UNKNOWN
            self._parameters[key] = made
        return self._parameters[key]

    def give(self, function: Function, name: str) -> bool:
        """Whether other modules give a function objects of libraries for a parameter, of one type or of several."""
        if not self._module.told.given:
            return False
        from shoal.python import frames_elsewhere

        return bool(frames_elsewhere.types_of(self._module, function, name))

    def given_text(self, function: Function, name: str) -> Value:
        """The text that other modules give a function for a parameter: one of several where they differ."""
        if not self._module.told.given:
            return UNKNOWN
        from shoal.python import frames_elsewhere

        texts = dict.fromkeys(text for text, _ in frames_elsewhere.texts_of(self._module, function, name))
        if not texts or None in texts:
            return UNKNOWN
        return choice([Known(text, "default" if len(texts) == 1 else "branch") for text in texts])

    def _where_given(self, function: Function, name: str) -> Origin | None:
        """Where the one text stands that other modules give a function for a parameter."""
        from shoal.python import frames_elsewhere

        texts = frames_elsewhere.texts_of(self._module, function, name) if self._module.told.given else []
        return texts[0][1] if len({text for text, _ in texts}) == 1 else None

    def frames_of(self, name: str) -> Any:
        """The same for a function's dotted name."""
        data = self.ask(f"{name}()")
        return data[-1] if data is not None and data[0] in ("frames", "h") else None

    def _told_of(self, call: Call) -> Any:
        """What another module says of its function that a call runs; None for any other call, and for what it does not say."""
        name = self._module.qualified(call)
        if not name or names_elsewhere.is_foreign(name) or self._module.result(call) is None:
            return None
        return self.given.get(f"{name}()")

    def origin(self, node: Any, spot: Spot, level: int = 0) -> Origin | None:
        """Where another module of the project has the value that an expression names; None where it stands here, or that is not known."""
        while isinstance(node, Standin):
            if node.origin is not None:
                return node.origin
            node, spot = node.node, node.spot
        if isinstance(node, cst.Call) and len(node.args) == 1 and last_name(node.func) in ("str", "int"):
            node = node.args[0].value
        if self.given and level <= 4 and (parts := self._made_of(node, spot)):
            return next((origin for part, at in parts if (origin := self.origin(part, at, level + 1)) is not None), None)
        if isinstance(node, cst.Name) and self._module.told.given:
            params = [binding.detail for binding, _ in self._module.lookup(node.value, spot) if binding.kind == "param"]
            if len(params) == 1 and params[0] is not None and not self._module.call_sites(params[0]):
                return self._where_given(params[0], node.value)
        if self._origins and isinstance(node, cst.Call):
            return self._origins.get(f"{names_elsewhere.callee(self._module, node.func, spot)}()")
        if not self._origins or not isinstance(node, (cst.Name, cst.Attribute)) or level > 4:
            return None
        first, *rest = dotted(node).split(".")
        found = [binding for binding, _ in self._module.lookup(first, spot)] if first else []
        if len(found) == 1 and found[0].kind == "assign":
            made = self._module.value(found[0].node, found[0].spot) if rest else UNKNOWN
            if isinstance(made, Symbol):
                return self._origins.get(".".join([made.name, *rest]))
            return self.origin(found[0].node, found[0].spot, level + 1) if not rest else None
        names = [".".join([binding.detail, *rest]) for binding in found if binding.kind == "import"]
        return self._origins.get(names[0]) if len(names) == 1 else None

    def _made_of(self, node: Any, spot: Spot) -> list[tuple[Any, Spot]]:
        """What an f-string is put together of, the entry of a dict that is taken out, and what the one call of a function gives for a parameter."""
        if isinstance(node, cst.FormattedString):
            return [(part.expression, spot) for part in node.parts if isinstance(part, cst.FormattedStringExpression)]
        if isinstance(node, cst.Subscript):
            index = node.slice[0].slice
            key = self._module.string(index.value, spot) if isinstance(index, cst.Index) else ""
            holder = self._module.value(node.value, spot) if key else UNKNOWN
            pair = holder.get(key) if isinstance(holder, Mapping) else None
            return [(pair.value_node, pair.spot)] if pair is not None else []
        if isinstance(node, cst.Call) and (pair := files.entry(self._module, node, spot)) is not None:
            return [(pair.value_node, pair.spot)]
        found = [binding for binding, _ in self._module.lookup(node.value, spot)] if isinstance(node, cst.Name) else []
        if len(found) != 1 or found[0].kind != "param":
            return []
        function, param = found[0].detail, found[0].detail.param(node.value)
        sites = self._module.call_sites(function)
        given = self._module.given(sites[0], function, param) if len(sites) == 1 and param is not None else None
        return [(given, sites[0].spot)] if given is not None else []


def _is_class(name: str) -> bool:
    return name.rpartition(".")[2][:1].isupper()
