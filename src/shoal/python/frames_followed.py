"""Spark data frames followed call by call, through variables, functions, methods and views, to where each comes from.

A frame that cannot be followed is `unknown`, and so is whatever it flows into: rules that ask for an absence are silent then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python.frame import (
    BATCH,
    GROUPED,
    LOADS,
    MEETINGS,
    MICRO_BATCH,
    STREAM,
    UNKNOWN,
    VIEWS,
    Argument,
    Env,
    Frame,
    distinct,
    env_of,
    grouping,
    selected,
)
from shoal.python.parameters import handed_over
from shoal.python.tree import Call, Function, Spot, dotted, is_none, key_of
from shoal.python.values import Instance, Known, Object, Sequence, Symbol, options

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Binding

_DLT = {"read_stream": STREAM, "readStream": STREAM, "read": BATCH}  # tables of a Delta Live Tables pipeline
# What gives a frame's rows, or a frame of pandas, which has methods of the same names: `toPandas().drop(…, inplace=True)`.
_ROWS = frozenset({"toPandas", "collect", "take", "first", "head", "tail", "toLocalIterator"})
_LEARNING = ("pyspark.ml.", "sparknlp.", "synapse.ml.", "xgboost.spark.")
_KEEPS = pattern(r"(?:fit|copy|read|load|set[A-Z]\w*)$")  # gives another model, or the same
_HELPERS = 8  # steps by which a model is come to
# More ways than this by which a frame may have come about, and nothing is said about it.
_WAYS = 12
_DEPTH = 80
_BUDGET = 20_000


class Followed:
    """The frames that expressions of one module may be."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._pending: set[tuple[int, int]] = set()
        self._found: dict[tuple[int, int], tuple[Frame, ...]] = {}
        self._asked: list[Any] = []  # what these were found for: one that is made to be asked of must not give its id to another
        self._envs: dict[tuple[int, int, int], Env] = {}
        self._told: dict[int, list[Env]] = {}
        self._unknown = Frame(UNKNOWN, None, None)
        self._cuts = 0
        self._too_deep = False
        self._provisional: list[tuple[int, int]] = []  # what is unknown only because something was too deep
        self._ordered = False
        self._budget = _BUDGET

    def of(self, node: Any, spot: Spot, env: Env | None = None) -> tuple[Frame, ...]:
        """The frames an expression may be; what cannot be followed is among them as an unknown one."""
        key = (id(node), id(env))
        found = self._found.get(key)
        if found is not None:
            return found
        if key in self._pending:
            self._cuts += 1
            return ()  # around a loop: nothing that the other ways do not bring
        if self._budget <= 0:
            return (self._unknown,)
        if len(self._pending) >= _DEPTH:
            self._too_deep = True
            return (self._unknown,)
        self._budget -= 1
        self._pending.add(key)
        before = self._cuts
        try:
            result = self._ways(node, spot, env)
        finally:
            self._pending.discard(key)
        if len(result) > _WAYS:
            result = (self._unknown,)
        if self._cuts == before or not self._pending or self._too_deep:
            self._found[key] = result
            self._asked += (node, env)
        if self._too_deep:
            self._provisional.append(key)
            if not self._pending:
                return self._from_the_top(node, spot, env)
        return result

    def _from_the_top(self, node: Any, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        """A frame at the end of a very long chain: followed in source order, where each step stands on the one before."""
        self._too_deep = False
        for key in self._provisional:
            self._found.pop(key, None)
        self._provisional.clear()
        if self._ordered:
            return (self._unknown,)
        self._ordered = True
        for call in self.module.calls:
            self.receivers(call)
        return self.of(node, spot, env)

    def receivers(self, call: Call) -> tuple[Frame, ...]:
        """The frames a method is called on."""
        return self.of(call.receiver_node, call.spot) if call.receiver_node is not None else ()

    def text(self, node: Any, spot: Spot, env: Env | None = None) -> str:
        """A known text, looked up in the arguments of the call at hand first."""
        if env is not None and isinstance(node, cst.Name):
            for binding, _ in self.module.lookup(node.value, spot):
                at = env_of(env, binding.detail) if binding.kind == "param" else None
                if at is not None:
                    given = at.given.get(node.value)
                    if isinstance(given, Argument):
                        return self.text(given.node, given.spot, given.env)
                    return ""
        value = self.module.value(node, spot)
        return value.value if isinstance(value, Known) and isinstance(value.value, str) else ""

    # -- one step

    def _ways(self, node: Any, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        if isinstance(node, cst.Name):
            return self._name(node.value, spot, env)
        if isinstance(node, cst.Call):
            return self._call(node, spot, env)
        if isinstance(node, cst.IfExp):
            return distinct((*self.of(node.body, spot, env), *self.of(node.orelse, spot, env)))
        if isinstance(node, cst.NamedExpr):
            return self.of(node.value, spot, env)
        if isinstance(node, cst.Attribute):
            return self._attribute(node, spot)
        if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Call) and (index := _index(node)) is not None:
            return self._item(node.value, spot, env, index)
        return (self._unknown,)

    def _name(self, name: str, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        found: list[Frame] = []
        for binding, _ in self.module.lookup(name, spot):
            kind, node, at, detail = binding
            inside = env if env_of(env, at.function) is not None else None
            if kind == "assign":
                found += self.of(node, at, inside)
            elif kind == "param":
                found += self._param(detail, name, env)
            elif kind == "unpack":
                found += self._item(node, at, inside, detail)
            elif kind == "for" and detail is None:
                value = self.module.value(node, at)
                if not isinstance(value, Sequence) or value.open:
                    return (self._unknown,)
                for element in value.nodes:
                    found += self.of(element, value.spot)
            else:
                return (self._unknown,)
        if not found:
            return () if self._cuts and self.module.lookup(name, spot) else (self._unknown,)
        return distinct(found)

    def _item(self, node: Any, spot: Spot, env: Env | None, index: int) -> tuple[Frame, ...]:
        """One of several values taken apart: a tuple, or a call of a function that returns one."""
        if isinstance(node, cst.Tuple):
            return self.of(node.elements[index].value, spot, env) if index < len(node.elements) else (self._unknown,)
        if isinstance(node, cst.Call):
            functions = self.module.function_of(node.func, spot)
            if len(functions) == 1:
                return self.returned(functions[0], self._entered(functions[0], node, spot, env), index) or (self._unknown,)
            if not functions and (told := self.module.others.frames(node.func, spot)) is not None:
                from shoal.python import frames_elsewhere

                return distinct(frames_elsewhere.of_call(self.module, told, node, spot, env, item=index))
        return (self._unknown,)

    def _param(self, function: Function, name: str, env: Env | None) -> tuple[Frame, ...]:
        typed = self.module.contexts.param_types.get((id(function), name))
        if isinstance(typed, Object) and typed.call == "foreachBatch":
            return (Frame(MICRO_BATCH, typed.node, typed.spot),)
        at = env_of(env, function)
        if at is not None:
            return self._given(at, name)
        param = function.param(name)
        if param is None or param.kind in ("star", "stars"):
            return (self._unknown,)
        found: list[Frame] = []
        for site in self.module.call_sites(function):
            node = self.module.given(site, function, param)
            if node is None:
                return (self._unknown,)
            found += self.of(node, site.spot)
        for node, at_hand in handed_over(self.module, function, name):  # to a pool or a thread
            found += self.of(node, at_hand) if node is not None else (self._unknown,)
        for told in self._told_calls(function):
            found += self._given(told, name)
        if function.params and function.params[0].name == name:
            for call in self.module.named("transform"):
                if call.node.args and function in self.module.function_of(call.node.args[0].value, call.spot):
                    found += self.receivers(call)
        return distinct(found) or (() if self._cuts else (self._unknown,))

    def _given(self, env: Env, name: str) -> tuple[Frame, ...]:
        """The frames that a call gives for a parameter."""
        given = env.given.get(name)
        if isinstance(given, Argument):
            return self.of(given.node, given.spot, given.env)
        return given if given is not None else (self._unknown,)

    def _attribute(self, node: cst.Attribute, spot: Spot) -> tuple[Frame, ...]:
        """`self.frame`: whatever the class's methods put there."""
        found: list[Frame] = []
        for owner in options(self.module.value(node.value, spot)):
            if not isinstance(owner, Instance):
                return (self._unknown,)
            bindings = [binding for cls in self.module.parents(owner.cls) for binding in cls.attributes.get(node.attr.value, ())]
            for binding in self._at_hand(bindings, node, spot):
                if binding.kind == "assign" and _no_frame(binding.node):
                    continue
                found += self.of(binding.node, binding.spot) if binding.kind == "assign" else (self._unknown,)
        return distinct(found) or (self._unknown,)

    def _at_hand(self, bindings: list[Binding], node: cst.Attribute, spot: Spot) -> list[Binding]:
        """Which bindings of an attribute may hold at a spot: those from the last one of its own function on that surely is run before.

        All of them where a method or function of this module that is called in between may bind it anew.
        """
        own = [one for one in bindings if spot.function is not None and one.spot.function is spot.function]
        before = [one for one in own if one.spot.statement < spot.statement and one.spot.loops == spot.loops]
        sure = [one.spot.statement for one in before if one.kind == "assign" and one.spot.arms == spot.arms[: len(one.spot.arms)]]
        if not sure or any(one.spot.loops != spot.loops for one in own):
            return bindings
        last, owner = max(sure), dotted(node.value)
        for call in self.module.calls:
            if call.function is spot.function and last < call.spot.statement < spot.statement:
                func = call.node.func
                if (isinstance(func, cst.Attribute) and dotted(func.value) == owner) or self.module.function_of(func, call.spot):
                    return bindings
        return [one for one in before if one.spot.statement >= last]

    def _call(self, node: cst.Call, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        func = node.func
        functions = self.module.function_of(func, spot)
        if functions:
            found: list[Frame] = []
            for function in functions:
                found += self.returned(function, self._entered(function, node, spot, env))
            return distinct(found)
        if (told := self.module.others.frames(func, spot)) is not None:
            from shoal.python import frames_elsewhere

            return distinct(frames_elsewhere.of_call(self.module, told, node, spot, env))
        if dotted(func).rsplit(".", 1)[-1] == "broadcast" and node.args:  # a hint: the frame itself
            return self.of(node.args[0].value, spot, env)
        if dotted(func).endswith("DynamicFrame.fromDF") and node.args:  # Glue's, with the same rows
            return self.of(node.args[0].value, spot, env)
        if not isinstance(func, cst.Attribute):
            return (self._unknown,)
        name = func.attr.value
        if isinstance(func.value, cst.Attribute) and func.value.attr.value == "na":
            return distinct(Frame(f"na.{name}", node, spot, (frame,), env) for frame in self.of(func.value.value, spot, env))
        types = {obj.type for obj in self.module.objects(func.value, spot)}
        if types & {"spark.Reader", "spark.BatchReader"}:
            if len(types) > 1:
                return (self._unknown,)
            return (Frame(STREAM if "spark.Reader" in types else BATCH, node, spot, (), env),)
        if glue := self._glue(node, name, spot):
            return (Frame(glue, node, spot, (), env),)
        if not types and name in LOADS and _of_notebook(func.value) and not self.module.lookup("spark", spot):
            return (Frame(BATCH, node, spot, (), env),)
        if isinstance(func.value, cst.Name) and name in _DLT and self.module.value(func.value, spot) == Symbol("dlt"):
            return (Frame(_DLT[name], node, spot, (), env),)
        if "spark.Session" in types:
            if name in ("sql", "table"):
                return self._view(node, name, spot, env)
            return (Frame(BATCH, node, spot),) if name in ("createDataFrame", "range") else (self._unknown,)
        if types and not types <= {"spark.DataFrame", "spark.Grouped"}:
            return (self._unknown,)
        if name == "transform" and node.args and self._learnt(func.value, spot):
            return distinct(Frame(name, node, spot, (frame,), env) for frame in self.of(node.args[0].value, spot, env))
        if name in _ROWS:
            return (self._unknown,)
        made: list[Frame] = []
        for frame in self.of(func.value, spot, env):
            if name == "transform" and node.args:
                made += self._transformed(frame, node, spot, env)
            elif name in MEETINGS:
                other = Call(node, name, spot, None, "").argument(0, "other")
                made += [
                    Frame(name, node, spot, (frame, side), env)
                    for side in (self.of(other, spot, env) if other is not None else (self._unknown,))
                ]
            else:
                made.append(Frame(name, node, spot, (frame,), env))
        return distinct(made)

    def _glue(self, node: cst.Call, name: str, spot: Spot) -> str:
        """What AWS Glue's context reads: `create_dynamic_frame.from_catalog(…)` is no stream, `create_data_frame.from_options("kinesis", …)` is one."""
        of = node.func.value.attr.value if isinstance(node.func, cst.Attribute) and isinstance(node.func.value, cst.Attribute) else ""
        reads = f"{of}_{name}" if name in ("from_options", "from_catalog") else name
        if reads in ("create_dynamic_frame_from_options", "create_dynamic_frame_from_catalog"):
            return BATCH
        if reads != "create_data_frame_from_options":
            return ""
        kind = Call(node, name, spot, None, "").argument(0, "connection_type")
        return STREAM if kind is not None and self.module.string(kind, spot) in ("kinesis", "kafka") else ""

    def _view(self, node: cst.Call, op: str, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        """`spark.table("v")`, or a plain `SELECT … FROM v WHERE …`, of a temporary view that the module itself makes."""
        asked = Call(node, op, spot, None, "").argument(0, "tableName" if op == "table" else "sqlQuery")
        text = self.text(asked, spot, env) if asked is not None else ""
        name = text.strip() if op == "table" else selected(text)
        if op == "sql" and not name and (grouped := grouping(text)):
            op, name = GROUPED, grouped[0]
        found: list[Frame] = []
        for call in self.module.named(*VIEWS):
            given = call.argument(0, "name")
            known = self.module.string(given, call.spot) if given is not None else ""
            if not known:
                return (self._unknown,)
            if known.lower() == name.lower().removeprefix("global_temp."):
                found += [Frame(op, node, spot, (frame,), env) for frame in self.receivers(call)]
        return distinct(found) or (self._unknown,)

    def _transformed(self, frame: Frame, node: cst.Call, spot: Spot, env: Env | None) -> tuple[Frame, ...]:
        functions = self.module.function_of(node.args[0].value, spot)
        if not functions and (told := self.module.others.frames(node.args[0].value, spot)) is not None:
            from shoal.python import frames_elsewhere

            return frames_elsewhere.of_call(self.module, told, node, spot, env, frame)
        if len(functions) != 1 or not functions[0].params:
            return (Frame("transform", node, spot, (frame, self._unknown), env),)
        function = functions[0]
        given: dict[str, Any] = {function.params[0].name: (frame,)}
        for param, arg in zip(function.params[1:], node.args[1:], strict=False):
            given[arg.keyword.value if arg.keyword is not None else param.name] = Argument(arg.value, spot, env)
        return self.returned(function, Env(function, given, env))

    def _learnt(self, node: Any, spot: Spot, depth: int = 0) -> bool:
        """Whether it surely is a model or a transformer of Spark's ML, whose `transform` is given the frame: what it makes has its rows, and more columns."""
        if depth > _HELPERS:
            return False
        if isinstance(node, cst.Call):
            func = node.func
            known = self.module.value(func.value if isinstance(func, cst.Attribute) else func, spot)
            if isinstance(known, Symbol):
                return known.name.startswith(_LEARNING)
            return isinstance(func, cst.Attribute) and bool(_KEEPS.match(func.attr.value)) and self._learnt(func.value, spot, depth + 1)
        if isinstance(node, cst.Name):
            held = [binding for binding, _ in self.module.lookup(node.value, spot)]
        elif isinstance(node, cst.Attribute):
            owners = options(self.module.value(node.value, spot))
            classes = [cls for owner in owners if isinstance(owner, Instance) for cls in self.module.parents(owner.cls)]
            held = [binding for cls in classes for binding in cls.attributes.get(node.attr.value, ())]
        else:
            return False
        held = [one for one in held if not (one.kind == "assign" and _no_frame(one.node))]
        return bool(held) and all(one.kind == "assign" and self._learnt(one.node, one.spot, depth + 1) for one in held)

    def _entered(self, function: Function, node: cst.Call, spot: Spot, env: Env | None) -> Env:
        key = (id(function), id(node), id(env))
        if key not in self._envs:
            call = Call(node, "", spot, None, "")
            given: dict[str, Any] = {}
            for param in function.params:
                passed = self.module.given(call, function, param)
                if passed is not None:
                    given[param.name] = Argument(passed, spot, env)
                elif param.default is not None:
                    given[param.name] = Argument(param.default, function.spot, None)
            self._envs[key] = Env(function, given, env)
        return self._envs[key]

    def _told_calls(self, function: Function) -> list[Env]:
        """The calls by which other modules give streams to a function."""
        if not self.module.told.given:
            return []
        if id(function) not in self._told:
            from shoal.python import frames_elsewhere

            self._told[id(function)] = frames_elsewhere.calls_of(self.module, function)
        return self._told[id(function)]

    def returned(self, function: Function, env: Env, item: int | None = None) -> tuple[Frame, ...]:
        """The frames that a function returns when it runs with some arguments, or those at one place of the tuples that it returns."""
        depth, at = 0, env.outer
        while at is not None:
            depth, at = depth + 1, at.outer
        if function.yields or not function.returns or depth > 8:
            return (self._unknown,)
        found: list[Frame] = []
        for node, spot in function.returns:
            if item is not None:
                if not isinstance(node, cst.Tuple) or item >= len(node.elements):
                    return (self._unknown,)
                found += self.of(node.elements[item].value, spot, env)
            elif node is not None and not is_none(node):
                found += self.of(node, spot, env)
        return distinct(found)


def _of_notebook(node: Any) -> bool:
    """Whether a reader is that of the session which a notebook finds under the name `spark`: `spark.read.format("delta").load(…)`."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value
    return (
        isinstance(node, cst.Attribute) and node.attr.value == "read" and isinstance(node.value, cst.Name) and node.value.value == "spark"
    )


def _no_frame(node: Any) -> bool:
    """Whether a value only keeps an attribute's place until there is a frame: `None`, `[]`."""
    return isinstance(node, (cst.List, cst.Dict, cst.SimpleString, cst.Integer)) or is_none(node)


def _index(node: cst.Subscript) -> int | None:
    """The number in `x[0]`; None for any other subscript."""
    key = key_of(node)
    return key.evaluated_value if isinstance(key, cst.Integer) else None
