"""By what dotted names that which belongs to other modules is called in one: their functions, classes, and objects of these.

Names are dotted as they are imported here (`settings.kafka.TOPIC`, `.helpers.fetch`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python.libraries import PACKAGES
from shoal.python.tree import Spot, dotted, inside, is_none
from shoal.python.values import UNKNOWN, Instance, Symbol, names, options

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call

# Packages that are never the project's own; others are looked for among its files.
_FOREIGN = names(
    "builtins numpy np pandas pd boto3 botocore dotenv yaml pydantic pydantic_settings attr attrs click typer fastapi flask django sqlalchemy "
    "psycopg2 psycopg pymongo google azure aws_cdk avro fastavro orjson ujson simplejson simple_parsing structlog loguru pytest pyarrow scipy sklearn "
    "torch tensorflow faust faststream quixstreams bytewax dlt typing_extensions decouple environs environ starlette py4j prometheus_client opentelemetry ddtrace sentry_sdk"
)
# What other modules make for all is found by its name: a client of Kafka, or a function that gives one.
_CLIENT = pattern(r"(?i)consumer|producer|kafka")
# A function that gives an object of the project's own that sends, or takes.
_MAKER = pattern(r"(?i)consumer|producer|kafka|publisher|broker|event_?bus")
_CONFIG = pattern(r"(?i)conf|propert|props|option|setting|param|kwargs|as_?dict|to_?dict")
_VALUE = pattern(
    r"(?i)interval|timeout|checkpoint|savepoint|bootstrap|broker|servers|parallelism|retention|millis|(?:_|\b)(?:ms|seconds|secs)$"
)
# How the variables of an environment are named.
_VARIABLE = pattern(r"(['\"])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\1")
# Behind a name that one of several stars may have given: whether a module has it.
HERE = "<here>"
_SQL = pattern(r"(?i)sql|ddl|dml|quer(?:y|ies)|table|statement|stmt|create|insert|source|sink|view")


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


def is_value(name: str) -> bool:
    """Whether a dotted name may be that of a function that gives the value of an option: `checkpoint_timeout_ms`."""
    return _VALUE.search(name.rpartition(".")[2]) is not None


def is_of_environment(node: Any) -> bool:
    """Whether a call may ask for a variable of the environment, and say what is used without it: `env("WAIT_MS", 500)`."""
    first = node.args[0].value if isinstance(node, cst.Call) and node.args else None
    return isinstance(first, cst.SimpleString) and _VARIABLE.fullmatch(first.value) is not None


def is_sql(name: str) -> bool:
    """Whether a dotted name may be that of a function that gives SQL."""
    return _SQL.search(name.rpartition(".")[2]) is not None


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
    """The dotted name of what nothing but `from stores.orders import *` can have given: the only star that stands there, or one whose module has it."""
    if not isinstance(node, cst.Name) or module.lookup(node.value, spot):
        return ""
    scope: Any = spot.scope
    stars: list[str] = []
    while scope is not None:
        stars += scope.stars
        scope = scope.outer
    fulls = [inside(star, node.value) for star in stars if not is_foreign(star)]
    if len(stars) == 1 or not fulls:
        return "".join(fulls)
    # the last one that has it; all are asked
    said = [full for full in fulls if module.others.ask(f"{full}{HERE}") is not None]
    return said[-1] if said else ""


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
        if binding.kind in ("assign", "with") and is_none(binding.node):
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
