"""What is used where a variable of the environment is not set, however that is written: `if value is None: return default`, `except KeyError`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import Arm, Binding, Call, Function, Spot, descend, dotted
from shoal.python.values import UNKNOWN, Choice, Known, Millis, Standin, Symbol, Value, by_default, choice, options, weakest

if TYPE_CHECKING:
    from shoal.python.module import Module

READS = frozenset({"os.environ.get", "os.getenv", "environ.get"})
_ENVIRONMENT = ("os.environ", "environ")
_LEVELS = 3
# Libraries that read the environment: where a call has the default and what the text is made, as positions; and what its methods are called.
_LIBRARIES = {
    "decouple.config": (1, 2),
    "decouple.Config": (1, 2),
    "decouple.AutoConfig": (1, 2),
    "starlette.config.Config": (2, 1),
    "environ.Env": (2, 1),
    "environs.Env": (1, 10_000),
}
READERS = frozenset(_LIBRARIES) - {"decouple.config"}
READER = "py.EnvironmentReader"
_KINDS = {"__call__": "", "str": "str", "int": "int", "float": "float", "bool": "bool"}


def of_ways(module: Module, value: Value, ways: list[tuple[Any, Spot, tuple[Arm, ...]]]) -> Value:
    """Of what several expressions give, each with the arms it stands in: the constant that is used where the environment has nothing.

    All else that they may give must be made of the environment, and nothing but that must decide between them.
    """
    if not isinstance(value, Choice):
        return value
    found = [option for option in value.options if isinstance(option, (Known, Millis))]
    known = found[0] if found else None
    if known is None or any(type(one.value) is not type(known.value) or one.value != known.value for one in found):
        return value
    if len(found) == len(value.options):  # `try: return int(os.environ.get(name, 500))`, `except ValueError: return 500`
        return known._replace(sure=weakest(*(one.sure for one in found)))
    if len(ways) < 2 or known.value is None or any(option not in found and option is not UNKNOWN for option in value.options):
        return value
    for node, spot, arms in ways:
        if any(arm.kind not in ("except", "loop", "main") and not _asks(module, arm.test, spot) for arm in arms):
            return value
        if any(option is UNKNOWN for option in options(module.value(node, spot))) and not reads(module, node, spot):
            return value
    return by_default(known)


def of_ternary(module: Module, node: cst.IfExp, spot: Spot) -> Value:
    """The same of `int(value) if value else 500`; UNKNOWN where that is anything else."""
    value = choice([module.value(node.body, spot), module.value(node.orelse, spot)])
    arms = (Arm(0, 0, "if", node.test),)
    found = of_ways(module, value, [(node.body, spot, arms), (node.orelse, spot, arms)])
    return UNKNOWN if found is value else found


def of_bindings(module: Module, value: Value, bindings: list[tuple[Binding, bool]], spot: Spot) -> Value:
    """The same of `value = os.environ.get(name)`, `if value is None: value = 500`."""
    if not isinstance(value, Choice) or UNKNOWN not in value.options or any(binding.kind != "assign" for binding, _ in bindings):
        return value
    found = of_ways(
        module, value, [(one.node, one.spot, tuple(arm for arm in one.spot.arms if arm not in spot.arms)) for one, _ in bindings]
    )
    return found._replace(sure="default") if isinstance(found, (Known, Millis)) else found


def reads(module: Module, node: Any, spot: Spot, level: int = 0) -> bool:
    """Whether an expression is made of a variable of the environment."""
    return any(
        (isinstance(part, (cst.Call, cst.Subscript)) and _is_read(module, part, spot))
        or (isinstance(part, cst.Name) and level < _LEVELS and _named(module, part.value, spot, level))
        for part in descend(node, without=(cst.Lambda,))
    )


def _is_read(module: Module, node: cst.Call | cst.Subscript, spot: Spot) -> bool:
    first = node.func if isinstance(node, cst.Call) else node.value
    if not isinstance(first, (cst.Name, cst.Attribute)):
        return False
    value = module.value(first, spot)
    return isinstance(value, Symbol) and (value.name in READS if isinstance(node, cst.Call) else value.name in _ENVIRONMENT)


def _named(module: Module, name: str, spot: Spot, level: int) -> bool:
    found = [binding for binding, _ in module.lookup(name, spot)]
    return any(
        binding.kind == "assign" and binding.spot is not spot and reads(module, binding.node, binding.spot, level + 1) for binding in found
    )


def _asks(module: Module, test: Any, spot: Spot) -> bool:
    """Whether a condition asks for nothing but what the environment has: `value is None`, `name in os.environ`, `not value or not value.strip()`."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _asks(module, test.expression, spot)
    if isinstance(test, cst.BooleanOperation):
        return _asks(module, test.left, spot) and _asks(module, test.right, spot)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1 and isinstance(test.comparisons[0].operator, (cst.In, cst.NotIn)):
        where = test.comparisons[0].comparator
        value = module.value(where, spot) if dotted(where) else UNKNOWN
        if isinstance(value, Symbol) and value.name in _ENVIRONMENT:
            return True
    return test is not None and reads(module, test, spot)


# -- libraries that read the environment


def of_library(module: Module, reader: str, method: str, node: cst.Call, spot: Spot) -> Value:
    """What a library gives that reads the environment, where that has nothing: `config("WAIT", default=500, cast=int)`, `env.int("WAIT", 500)`."""
    if reader not in _LIBRARIES or method not in _KINDS:
        return UNKNOWN
    call = Call(node, "", spot, None, "")
    default_at, cast_at = _LIBRARIES[reader] if method == "__call__" else (1, 10_000)
    value = by_default(module.value(call.argument(default_at, "default"), spot))
    cast = call.argument(cast_at, "cast")
    kind = _KINDS[method] or (dotted(cast) or "?" if cast is not None else "")
    if not kind or not isinstance(value, Known):
        return value if not kind else UNKNOWN
    from shoal.python.expressions import from_settings

    made = from_settings(kind, value.value)
    return UNKNOWN if made is None else value._replace(value=made)


# -- functions of other modules that hand a default on

# What a function is given to see what it makes of it: a text that is no number, numbers, and how flags are written.
_PROBES: tuple[Any, ...] = ("Qx7", "7310587", 7310587, 73105.5, True, False, "true", "false", "True", "False", "1", "0")
_FIRST = ("Qx7", "7310587", 7310587, True, "true")  # which tell whether it is handed on at all
_PARAMETERS = 6


def handed_on(module: Module, function: Function) -> list[Any] | None:
    """What a function makes of the default that it is given for a variable of the environment: by position and name of the parameter, what each
    kind of default becomes, and what is used where a call gives none. None for a function that does anything else."""
    plain = [param for param in function.params if param.kind in ("plain", "keyword") and param.name != function.self_name]
    if not 2 <= len(plain) <= _PARAMETERS or len(plain) < len(function.given_names) or not _of_environment(module, function):
        return None
    for position, param in enumerate(plain):
        if not any(_is_handed(probe, _probed(module, function, plain, param.name, probe)) for probe in _FIRST):
            continue
        became = [_probed(module, function, plain, param.name, probe) for probe in _PROBES]
        own = _probed(module, function, plain, "", None) if param.default is not None else None
        required = [other.name for other in plain if other.default is None and other is not param]
        return ["e", position if param.kind == "plain" else 10_000, param.name, required, became, own]
    return None


def _is_handed(probe: Any, became: list[Any] | None) -> bool:
    """Whether a default came back as it was, or as the number or flag that its text says."""
    if became is None:
        return False
    flag = isinstance(became[0], bool) and str(probe).lower() == str(became[0]).lower()
    return bool(flag or (not isinstance(became[0], bool) and str(became[0]).removesuffix(".0") == str(probe)))


def _of_environment(module: Module, function: Function) -> bool:
    """Each asked about where it stands: what a name is worth elsewhere would be kept for what it is worth there."""
    if not function.returns:
        return False
    if any(_is_read(module, call.node, call.spot) for call in function.calls):
        return True
    parts = (part for part in descend(function.node) if isinstance(part, cst.Subscript) and dotted(part.value).endswith("environ"))
    return any(_is_read(module, part, function.returns[0][1]) for part in parts)


def _probed(module: Module, function: Function, plain: list[Any], name: str, probe: Any) -> list[Any] | None:
    """What a call gives that gives one parameter a constant and all that it must something unknown."""
    stood: Any = [(one, Standin(Known(probe) if one.name == name else UNKNOWN, function.node, function.spot)) for one in plain]
    args = [cst.Arg(value, keyword=cst.Name(one.name)) for one, value in stood if one.name == name or one.default is None]
    value = module.applied(function, cst.Call(cst.Name(function.name), args), function.spot)
    known = isinstance(value, Known) and value.sure == "default" and isinstance(value.value, (str, int, float))
    return [value.value] if isinstance(value, Known) and known else None


def given(module: Module, told: list[Any], call: Call) -> Value:
    """What a call of such a function gives, as its own module says (`handed_on`)."""
    _, position, name, required, became, own = told
    node = call.argument(position, name)
    others = [arg for arg in call.args if arg.value is not node]
    if any(arg.star or (arg.keyword is not None and arg.keyword.value not in required) for arg in others) or len(others) > len(required):
        return UNKNOWN
    if node is None:
        return Known(own[0], "default") if own is not None else UNKNOWN
    value = module.value(node, call.spot)
    if not isinstance(value, Known) or not isinstance(value.value, (str, int, float)):
        return UNKNOWN
    result = _made(value.value, became)
    return UNKNOWN if result is None else Known(result, weakest(value.sure, "default"))


def _made(value: Any, became: list[Any]) -> Any:
    """What a default becomes, as the probes of its kind did; None where they say nothing."""
    from shoal.python.expressions import convert

    said = {(type(probe), probe): one for probe, one in zip(_PROBES, became, strict=True)}
    if isinstance(value, bool) or (isinstance(value, str) and value.lower() in ("true", "false", "1", "0")):
        exact = said.get((type(value), value))
        return exact[0] if exact is not None else None
    probe: Any = _PROBES[0]
    if isinstance(value, float):
        probe = _PROBES[3]
    elif isinstance(value, int) or (isinstance(value, str) and value.strip().isdigit()):
        probe = _PROBES[2] if isinstance(value, int) else _PROBES[1]
    one = said[type(probe), probe]
    if one is None:
        return None
    kind = type(one[0]).__name__
    return convert(kind, value) if kind in ("int", "float", "str") and convert(kind, probe) == one[0] else None
