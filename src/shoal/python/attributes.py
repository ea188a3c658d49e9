"""What `x.name` is worth: attributes of a library's objects, of the module's classes and their instances, and of the program's arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python import answers, calls, expressions, libraries, names_elsewhere
from shoal.python.bindings import bound
from shoal.python.conditions import possible
from shoal.python.tree import Binding, Call, ClassInfo, Spot, decorating, dotted, inside, is_none
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
    Standin,
    Symbol,
    Value,
    choice,
    options,
    weakest,
)

if TYPE_CHECKING:
    from shoal.python.module import Module

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag"})
_SETTINGS_BASES = frozenset({"BaseSettings", "BaseModel", "NamedTuple"})
# Attributes that only Spark's sessions and frames have, whatever they are called on; and the session that notebooks are given.
_STREAM_ATTRIBUTES = {"readStream": "spark.Reader", "writeStream": "spark.Writer"}
_PROPERTIES = {"pyspark:SparkSession.builder", "pyspark:DatabricksSession.builder"}


def attribute(module: Module, node: cst.Attribute, spot: Spot) -> Value:
    """What the expression `x.name` is worth at a spot."""
    inherited = _of_super(module, node, spot)
    if inherited is not None:
        return inherited
    owner = module.value(node.value, spot)
    found = attribute_of(module, owner, node.attr.value, node, spot)
    if found is UNKNOWN and all(one is UNKNOWN or (isinstance(one, Known) and one.value is None) for one in options(owner)):
        found = of_instance(module, node, node.attr.value, spot)
    return possible(dotted(node), found, None, spot) if spot.arms and any(isinstance(one, Known) for one in options(found)) else found


def _of_super(module: Module, node: cst.Attribute, spot: Spot) -> FunctionValue | None:
    """The method of a base in this module that `super().name` is; None for anything else."""
    call, cls = node.value, spot.function.cls if spot.function is not None else None
    if cls is None or not isinstance(call, cst.Call) or call.args or not isinstance(call.func, cst.Name) or call.func.value != "super":
        return None
    found = next((at.methods[node.attr.value] for at in module.parents(cls)[1:] if node.attr.value in at.methods), None)
    return FunctionValue(found, Instance(cls)) if found is not None else None


def of_instance(module: Module, node: cst.Attribute, name: str, spot: Spot) -> Value:
    """What an object of another module's class has, or its method gives (`name()`), unless somebody gives it something else."""
    owner = names_elsewhere.instance_name(module, node.value, spot)
    if not owner:
        return UNKNOWN
    asked = f"{owner}.{name}"
    value = answers.decoded(answers.result(module.others.ask(asked), None), node, spot)
    return value._replace(sure="default") if isinstance(value, Known) else value


def attribute_of(module: Module, value: Value, name: str, node: Any, spot: Spot) -> Value:
    """What `name` is of a value; `node` and `spot` say where that is asked, and become those of an object that a library makes."""
    if isinstance(value, Symbol):
        if name in _STREAM_ATTRIBUTES and not names_elsewhere.is_foreign(value.name):
            return Object(_STREAM_ATTRIBUTES[name], node, spot, call=name)  # a session that another module made
        full = Symbol(inside(value.name, name))
        package, rest = libraries.key_of(full.name)
        if f"{package}:{rest}" in _PROPERTIES:
            return module.made(module.tables.calls[f"{package}:{rest}"], node, spot, name)
        return full
    if isinstance(value, Object):
        if value.type == "py.Arguments":
            return program_argument(module, value, name)
        if value.type == "beam.Options":
            return pipeline_option(module, name)
        found = module.tables.attributes.get(value.type, {})
        result = found.get(name) or found.get("*", "")
        return calls.made_from(module, result, value, node, spot, name) if result else UNKNOWN
    if value is UNKNOWN and name in _STREAM_ATTRIBUTES:
        return Object(_STREAM_ATTRIBUTES[name], node, spot, call=name)
    if value is UNKNOWN and name == "read" and isinstance(node, cst.Attribute) and dotted(node.value) == "spark":
        return Object("spark.BatchReader", node, spot, call=name)  # the session that notebooks are given
    if isinstance(value, Instance):
        return instance_attribute(module, value, name, spot)
    if isinstance(value, ClassValue):
        return class_attribute(module, value.cls, name)
    if isinstance(value, Member):
        if name == "value":
            return module.value(value.node, value.cls.spot)
        return Known(value.name) if name == "name" else UNKNOWN
    if isinstance(value, Choice):
        return choice([attribute_of(module, option, name, node, spot) for option in value.options])
    return UNKNOWN


def program_argument(module: Module, arguments: Object, name: str) -> Value:
    """What a command-line argument is when it is not given."""
    for call in module.named("add_argument"):
        if _destination(module, call) == name and any(obj.root is arguments.root for obj in module.receivers(call)):
            return _when_not_given(module, call)
    return UNKNOWN


def pipeline_option(module: Module, name: str) -> Value:
    """What an option of a class of the module's own, which adds to Beam's, is when it is not given; none where two of them have the name."""
    found = [
        call
        for call in module.named("add_argument")
        if call.function is not None
        and call.function.name == "_add_argparse_args"
        and call.function.cls is not None
        and module.is_options(call.function.cls)
        and _destination(module, call) == name
    ]
    return _when_not_given(module, found[0]) if len(found) == 1 else UNKNOWN


def _destination(module: Module, call: Call) -> str:
    """The name under which `add_argument` puts what is given."""
    flags = [module.string(arg.value, call.spot) for arg in call.node.args if arg.keyword is None]
    given = module.string(call.argument(99, "dest"), call.spot)
    longest = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
    return given or longest.lstrip("-").replace("-", "_")


def _when_not_given(module: Module, call: Call) -> Value:
    default = module.value(call.argument(99, "default"), call.spot)
    action = module.string(call.argument(99, "action"), call.spot)
    if call.argument(99, "default") is None and action in ("store_true", "store_false"):
        return Known(action == "store_false", "default")
    if not isinstance(default, Known) or default.value is None:
        return UNKNOWN
    kind = call.argument(99, "type")
    if isinstance(kind, cst.Name) and kind.value in ("int", "float") and isinstance(default.value, str):
        converted = expressions.convert(kind.value, default.value)
        return Known(converted, "default") if converted is not None else UNKNOWN
    return Known(default.value, "default")


def class_attribute(module: Module, cls: ClassInfo, name: str) -> Value:
    """A method, constant or member of an enum of a class or of its bases in the module."""
    for at in module.parents(cls):
        if name in at.methods:
            return FunctionValue(at.methods[name])
        bindings = at.scope.bindings.get(name)
        if bindings:
            if bindings[-1].kind == "assign" and is_enum(module, cls):
                return Member(at, name, bindings[-1].node)
            return bound(module, name, bindings[-1], bindings[-1].spot)
    return UNKNOWN


def instance_attribute(module: Module, value: Instance, name: str, spot: Spot) -> Value:
    """What an object of a class of the module has under a name: a property's value, a method, a record's field, or what `self.name` is given anywhere.

    In the method that gives it, where one does, what is put into it on another way than to `spot` does not count.
    """
    cls: ClassInfo = value.cls
    function = module.method(cls, name)
    if function is not None:
        if any(isinstance(d, cst.Name) and d.value in ("property", "cached_property") for d in function.decorators):
            return module.returned(function)
        return FunctionValue(function, value)
    if is_record(module, cls) and not _made_afterwards(module, cls, name):
        return _field(module, value, name)
    bindings = [binding for at in module.parents(cls) for binding in at.attributes.get(name, ())]
    useful = [binding for binding in bindings if not (binding.kind == "assign" and is_none(binding.node))]
    if useful:
        return choice(
            [bound(module, f"self.{name}", one, spot if len(useful) == 1 and _leads(one.spot, spot) else _end(one.spot)) for one in useful]
        )
    if bindings:
        return UNKNOWN
    found_there = class_attribute(module, cls, name)
    return found_there if found_there is not UNKNOWN else module.others.inherited_client(cls, name, cls.spot)


def _made_afterwards(module: Module, cls: ClassInfo, name: str) -> bool:
    """Whether the constructor of a record does not fill an attribute, and `__post_init__` may: no field, or one with `init=False`."""
    field = fields(module, cls).get(name)
    if field is None:
        return True
    node = field.node
    return isinstance(node, cst.Call) and any(
        arg.keyword is not None and arg.keyword.value == "init" and module.value(arg.value, field.spot) == Known(False) for arg in node.args
    )


def _leads(given: Spot, spot: Spot) -> bool:
    """Whether what is given at one spot of a method is what is asked for at another, farther down."""
    return given.function is not None and given.scope is spot.scope and given.statement < spot.statement and not spot.in_loop()


def _end(spot: Spot) -> Spot:
    """Where all that a method does is done."""
    return Spot(spot.scope, 10**9, (), spot.function, (), (), False)


def fields(module: Module, cls: ClassInfo) -> dict[str, Binding]:
    """The fields of a record in the order of its constructor, each with what gives it its default."""
    found: dict[str, Binding] = {}
    for at in reversed(module.parents(cls)):
        for field, bindings in at.scope.bindings.items():
            if bindings[0].kind in ("assign", "declared"):
                found[field] = bindings[-1]
    return found


def as_dict(module: Module, value: Instance) -> Value:
    """A record as a dict: `asdict(record)`, `record.model_dump()`."""
    if not is_record(module, value.cls):
        return UNKNOWN
    pairs = [
        Pair(field, binding.node, Standin(_field(module, value, field), binding.node, binding.spot), binding.spot)
        for field, binding in fields(module, value.cls).items()
    ]
    return Mapping(tuple(pairs), False)


def _field(module: Module, value: Instance, name: str) -> Value:
    """A field of a record: what its constructor call passes, or every one in the module; else its default."""
    cls: ClassInfo = value.cls
    order = list(fields(module, cls))
    calls = (
        [(value.call, value.spot)]
        if value.call is not None
        else [(call.node, call.spot) for call in module.named(cls.name) if _makes(module, call, cls)]
    )
    default = _default(module, cls, name)
    found: list[Any] = []
    for node, spot in calls:
        given = None
        starred = False
        for position, arg in enumerate(node.args):
            if (arg.keyword is not None and arg.keyword.value == name) or (
                arg.keyword is None and arg.star == "" and position < len(order) and order[position] == name
            ):
                given = arg.value
            elif arg.star:
                starred = True
        if given is not None:
            found.append(module.value(given, spot))
        elif starred:
            found.append(UNKNOWN)
        else:
            found.append(default)
    if not found:
        return default._replace(sure=weakest(default.sure, "default")) if isinstance(default, (Known, Millis)) else default
    if any(base.rsplit(".", 1)[-1] == "BaseSettings" for base in module.bases(cls)):
        return choice([v._replace(sure=weakest(v.sure, "default")) if isinstance(v, (Known, Millis)) else v for v in found])
    return choice(found)


def _makes(module: Module, call: Call, cls: ClassInfo) -> bool:
    value = module.value(call.node.func, call.spot)
    return isinstance(value, ClassValue) and cls in module.parents(value.cls)


def _default(module: Module, cls: ClassInfo, name: str) -> Value:
    for at in module.parents(cls):
        bindings = at.scope.bindings.get(name)
        if not bindings:
            continue
        binding = bindings[-1]
        if binding.kind != "assign":
            return bound(module, name, binding, binding.spot)
        node = binding.node
        if isinstance(node, cst.Call) and dotted(node.func).rsplit(".", 1)[-1] in ("field", "Field", "ib", "attrib"):
            for position, arg in enumerate(node.args):
                keyword = arg.keyword.value if arg.keyword is not None else ("default" if position == 0 and not arg.star else "")
                if keyword == "default":
                    return module.value(arg.value, binding.spot)
                if keyword in ("default_factory", "factory"):
                    value = module.value(arg.value, binding.spot)
                    if isinstance(value, ClassValue):
                        return Instance(value.cls)
                    return module.returned(value.function) if isinstance(value, FunctionValue) else UNKNOWN
            return UNKNOWN
        return module.value(node, binding.spot)
    return UNKNOWN


def is_record(module: Module, cls: ClassInfo) -> bool:
    """Whether the constructor fills the class's annotated fields: a dataclass, NamedTuple or pydantic model."""
    for at in module.parents(cls):
        for decorator in at.decorators:
            name = dotted(decorating(decorator))
            if name.rsplit(".", 1)[-1] in ("dataclass", "define", "frozen", "attrs"):
                return True
    return any(base.rsplit(".", 1)[-1] in _SETTINGS_BASES for base in module.bases(cls))


def is_enum(module: Module, cls: ClassInfo) -> bool:
    return any(base.rsplit(".", 1)[-1] in _ENUMS for base in module.bases(cls))
