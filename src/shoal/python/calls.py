"""What a call is worth: objects that libraries make, methods of what is known, and functions of the module and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python import attributes, expressions, fallbacks, files, libraries, names_elsewhere
from shoal.python.tree import Call, Spot, dotted
from shoal.python.values import (
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Instance,
    Known,
    Mapping,
    Millis,
    Object,
    Partial,
    Symbol,
    Value,
    by_default,
    choice,
    in_branch,
    millis,
    options,
)

if TYPE_CHECKING:
    from shoal.python.module import Module

_AS_DICT = frozenset({"model_dump", "_asdict"})


def call(module: Module, node: cst.Call, spot: Spot) -> Value:
    """What a call is worth at a spot."""
    func = node.func
    if isinstance(func, cst.Attribute):
        receiver = module.value(func.value, spot)
        if receiver is not UNKNOWN and not isinstance(receiver, Symbol):
            ways = options(receiver)
            found = [method_call(module, option, func.attr.value, node, spot) for option in ways]
            return choice(found if len(ways) == 1 else [in_branch(value) for value in found])
        if receiver is UNKNOWN and func.attr.value == "__init__" and spot.function is not None and spot.function.cls is not None:
            client = module.client_of(spot.function.cls)
            return client if client is not None and client.node is node else UNKNOWN
        if receiver is UNKNOWN and names_elsewhere.is_config(func.attr.value):
            return attributes.of_instance(module, func, f"{func.attr.value}()", spot)
        if func.attr.value == "get" and dotted(func) == "dbutils.widgets.get":
            return _widget(module, node, spot)
        if receiver is UNKNOWN and func.attr.value == "from_path" and node.args and "pyflink" in module.text.text:
            # of an environment that is made out of sight: nothing else has this method
            return Object("flink.Table", node, spot, call="from_path")
    callee = module.value(func, spot)
    return choice([called(module, option, node, spot) for option in options(callee)])


def _widget(module: Module, node: cst.Call, spot: Spot) -> Value:
    """What a parameter of a Databricks notebook is when the job gives none: `dbutils.widgets.text(name, default)`."""
    name = module.string(Call(node, "", spot, None, "").argument(0, "name"), spot)
    for call in module.named("text", "dropdown", "combobox") if name else ():
        if dotted(call.receiver_node) == "dbutils.widgets" and module.string(call.argument(0, "name"), call.spot) == name:
            return by_default(module.value(call.argument(1, "defaultValue"), call.spot))
    return UNKNOWN


def method_call(module: Module, receiver: Any, name: str, node: cst.Call, spot: Spot) -> Value:
    """What a method of a value gives."""
    if isinstance(receiver, Object):
        if receiver.type == files.INI:
            return files.ini_method(module, receiver, name, Call(node, "", spot, None, ""))
        if receiver.type == fallbacks.READER:
            return fallbacks.of_library(module, receiver.call, name, node, spot)
        methods = module.tables.methods.get(receiver.type, {})
        result = methods.get(name)
        if result is None:
            result = methods.get("*", "")
        return made_from(module, result, receiver, node, spot, name)
    if isinstance(receiver, Known) and isinstance(receiver.value, str):
        return expressions.text_method(module, receiver, name, node, spot)
    if isinstance(receiver, Partial):
        return Partial(node, spot)
    if isinstance(receiver, Mapping) and name in ("getint", "getfloat", "getboolean") and node.args:
        return files.of_section(module, receiver, name, node.args[0].value, spot)
    if isinstance(receiver, Mapping):
        return expressions.mapping_method(module, receiver, name, node, spot)
    if isinstance(receiver, Millis) and name in ("total_seconds", "to_milliseconds", "to_millis", "get_seconds"):
        return Known(receiver.value / (1 if "mill" in name else 1000), receiver.sure)
    if isinstance(receiver, Instance) and name in _AS_DICT and not node.args and module.method(receiver.cls, name) is None:
        return attributes.as_dict(module, receiver)
    if isinstance(receiver, Instance) and (client := module.inherited(receiver, name)) is not None:
        return method_call(module, client, name, node, spot)
    if isinstance(receiver, (Instance, ClassValue)):
        return called(module, attributes.attribute_of(module, receiver, name, node.func, spot), node, spot)
    return UNKNOWN


def made_from(module: Module, result: str, receiver: Object, node: Any, spot: Spot, name: str) -> Value:
    """What a library's table says that a method or attribute of an object gives: `=` the object itself, `+` a part of it, `@1:name` a part of that argument."""
    if result == "":
        return UNKNOWN
    if result == "=":
        return receiver
    kind, _, link = result.partition("@")
    return Object(kind.lstrip("+"), node, spot, receiver, part=kind.startswith("+"), call=name, root=_linked(module, link, node, spot))


def _linked(module: Module, link: str, node: cst.Call, spot: Spot) -> Object | None:
    """The root of the argument an object is part of."""
    if not link:
        return None
    position, _, keyword = link.partition(":")
    argument = Call(node, "", spot, None, "").argument(int(position), keyword)
    found = module.objects(argument, spot) if argument is not None else []
    return found[0].root if len(found) == 1 else None


def called(module: Module, callee: Any, node: cst.Call, spot: Spot) -> Value:
    """What a call of a value gives: a library's object, a function's result, a new object of a class."""
    if isinstance(callee, Symbol):
        return _symbol_call(module, callee, node, spot)
    if isinstance(callee, FunctionValue):
        return module.applied(callee.function, node, spot)
    if isinstance(callee, ClassValue):
        if attributes.is_enum(module, callee.cls):
            return UNKNOWN
        if callee.cls.bases and module.is_options(callee.cls):
            return Object("beam.Options", node, spot, call=callee.cls.name)
        return Instance(callee.cls, node, spot)
    if isinstance(callee, Object) and callee.type == fallbacks.READER:
        return fallbacks.of_library(module, callee.call, "__call__", node, spot)
    if isinstance(callee, Object) and (result := module.tables.methods.get(callee.type, {}).get("__call__")):
        return made_from(module, result, callee, node, spot, "__call__")
    return UNKNOWN


def _symbol_call(module: Module, symbol: Symbol, node: cst.Call, spot: Spot) -> Value:
    name = symbol.name
    package, rest = libraries.key_of(name)
    if package:
        result = module.tables.calls.get(f"{package}:{rest}")
        if result:
            kind, _, link = result.partition("@")
            made = Object(kind.lstrip("+"), node, spot, call=rest, root=_linked(module, link, node, spot))
            if kind == "spark.Builder":
                found = module.objects(node.args[0].value, spot) if node.args else []
                return found[0] if found else made
            return made
        if package == "pyflink" and rest.split(".")[0] in ("Duration", "Time"):
            unit = expressions.UNIT_MILLIS.get(rest.split(".")[-1])
            amount = module.value(node.args[0].value, spot) if node.args else UNKNOWN
            if unit and isinstance(amount, Known) and expressions.is_number(amount.value):
                return millis(amount.value * unit, amount.sure)
        if package == "concurrent" or rest.startswith("asyncio"):
            return UNKNOWN
    if symbol.last.endswith("Stub") and "_grpc." in name:
        return Object("py.GrpcStub", node, spot, call=symbol.last)
    if name in ("datetime.timedelta", "timedelta"):
        return expressions.timedelta(module, node, spot)
    if name in fallbacks.READS:
        default = Call(node, "", spot, None, "").argument(1, "default")
        return by_default(module.value(default, spot))
    if name in files.PARSERS:
        return Object(files.INI, node, spot, call=name)
    if name in fallbacks.READERS:
        return Object(fallbacks.READER, node, spot, call=name)
    if name == "decouple.config":
        return fallbacks.of_library(module, name, "__call__", node, spot)
    if name == "functools.partial" and node.args:
        value = module.value(node.args[0].value, spot)
        front = sum(arg.keyword is None for arg in node.args[1:])
        return value._replace(given=front) if isinstance(value, FunctionValue) else value
    if (
        name
        in (
            "asyncio.coroutine",
            "copy.copy",
            "copy.deepcopy",
            "textwrap.dedent",
            "inspect.cleandoc",
            "typing.cast",
        )
        and node.args
    ):
        return module.value(node.args[-1 if name == "typing.cast" else 0].value, spot)
    if name in ("os.path.join", "posixpath.join"):
        return expressions.path(module, node, spot)
    if name in files.LOADS and node.args:
        return module.others.loaded(node, spot)
    if name == "dataclasses.asdict" and len(node.args) == 1:
        record = module.value(node.args[0].value, spot)
        return attributes.as_dict(module, record) if isinstance(record, Instance) else UNKNOWN
    if name.startswith("builtins."):
        return expressions.builtin(module, name[9:], node, spot)
    return module.others.called(symbol, node, spot)
