"""What names are bound to: which bindings may be in force at a spot, what each gives, and what has been put into it since."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python import libraries, names_elsewhere, parameters
from shoal.python.conditions import ruled_out
from shoal.python.tree import Binding, Scope, Spot, inside
from shoal.python.values import (
    UNKNOWN,
    Choice,
    ClassValue,
    FunctionValue,
    Known,
    Mapping,
    Object,
    Pair,
    Sequence,
    Standin,
    Symbol,
    Value,
    choice,
    names,
)

if TYPE_CHECKING:
    from shoal.python.module import Module

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
_BUILTINS = names(
    "int str float bool dict list tuple set frozenset len max min round abs open print range sorted input bytes isinstance super"
)
# What every notebook has.
_OF_NOTEBOOKS = names("spark sc sqlContext dbutils display displayHTML getArgument table sql udf")
# What a loop over an object of a library yields.
_ELEMENTS = {"confluent.Messages": "confluent.Message"}
# Bindings that may be in force at once, and changes to one dict or list; beyond, nothing is known.
WAYS = 12
CHANGES = 400


def bound(module: Module, name: str, binding: Binding, spot: Spot) -> Value:
    """What a binding gives its name, asked at a spot."""
    kind, node, at, detail = binding
    if kind == "assign" or kind == "with":
        value = module.value(node, at)
        if value is UNKNOWN and kind == "assign" and isinstance(node, cst.Call):
            value = _handed_back(module, name, node, at)
        if value is UNKNOWN and kind == "assign" and _filled(module, name, at, spot):
            value = Mapping((), True)
        if isinstance(value, Choice):  # what is put into one of two is put into either
            return choice([_changed(module, name, one, at, spot) if isinstance(one, Mapping) else one for one in value.options])
        return _changed(module, name, value, at, spot) if isinstance(value, (Mapping, Sequence)) else value
    if kind == "import":
        if not names_elsewhere.is_foreign(detail) and _filled(module, name, at, spot):
            there = module.others.value(Symbol(detail), None, spot)
            return _changed(module, name, there if isinstance(there, Mapping) else Mapping((), True), at, spot)
        return Symbol(detail)
    if kind == "function":
        return FunctionValue(node)
    if kind == "class":
        return ClassValue(node)
    if kind == "param":
        value = parameters.param(module, detail, name)
        if value is UNKNOWN and name in at.scope.changes and (param := detail.param(name)) is not None and param.kind == "stars":
            value = Mapping((), True)  # other modules may give any keywords
        elif value is UNKNOWN and _filled(module, name, at, spot):
            value = Mapping((), True)
        return _changed(module, name, value, at, spot) if isinstance(value, Mapping) else value
    if kind == "unpack":
        value = _item(module, module.value(node, at), detail)
        return _changed(module, name, value, at, spot) if isinstance(value, Sequence) else value
    if kind == "for":
        return _each(module, node, at) if detail is None else _numbered(module, node, at, detail)
    if kind == "declared":
        return parameters.annotated(module, detail, at)
    return UNKNOWN


def free(module: Module, name: str, spot: Spot) -> Value:
    """What a name may be that nothing here binds: one of a module all of whose names are imported, or a builtin."""
    scope: Scope | None = spot.scope
    while scope is not None:
        for star in scope.stars:
            if not names_elsewhere.is_foreign(star):
                full = inside(star, name)
                if name.isupper() or (module.notebook and name not in _BUILTINS and name not in _OF_NOTEBOOKS):
                    module.others.asked[full] = None
                if full in module.others.given or f"{full}()" in module.others.given:
                    return Symbol(full)
                if names_elsewhere.is_client(name) or names_elsewhere.is_config(name):
                    module.others.asked[f"{full}()"] = None
            package = libraries.PACKAGES.get(star.split(".")[0], "")
            if package and (f"{package}:{name}" in module.tables.calls or name[:1].isupper() or name in _STARRED.get(star, ())):
                return Symbol(f"{star}.{name}")
        scope = scope.outer
    return Symbol(f"builtins.{name}") if name in _BUILTINS else UNKNOWN


def reaching(bindings: list[Binding], spot: Spot, direct: bool) -> list[tuple[Binding, bool]]:
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
    return _installed(found[:WAYS]) if len(found) > 1 else found


def _installed(found: list[tuple[Binding, bool]]) -> list[tuple[Binding, bool]]:
    """Without what only stands in for a library that is not there: `except ImportError: Producer = None`, or a class without methods."""
    tries = {
        id(node)
        for binding, _ in found
        if binding.kind == "import" and binding.detail.partition(".")[0] in libraries.PACKAGES
        for node in binding.spot.guarded
    }
    if not tries:
        return found
    return [
        (binding, always)
        for binding, always in found
        if binding.kind == "import" or not any(arm.kind == "except" and id(arm.test) in tries for arm in binding.spot.arms)
    ]


def _handed_back(module: Module, name: str, call: cst.Call, spot: Spot) -> Value:
    """An environment that a function out of sight gets and gives back: `t_env = make_tables(t_env)`."""
    handed = next((arg.value for arg in call.args if isinstance(arg.value, cst.Name) and arg.value.value == name), None)
    given = UNKNOWN if handed is None else module.value(handed, spot)
    return given if isinstance(given, Object) and given.type in ("flink.TableEnvironment", "flink.Environment") else UNKNOWN


def _filled(module: Module, name: str, made: Spot, spot: Spot) -> bool:
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


def _item(module: Module, value: Value, index: int) -> Value:
    if isinstance(value, Sequence) and not value.open and index < len(value.nodes):
        return module.value(value.nodes[index], value.spot)
    if isinstance(value, Choice):
        return choice([_item(module, option, index) for option in value.options])
    if isinstance(value, Object) and value.type == "py.KnownArguments":
        # what the parser does not know is a list, which programs put more into
        return Object("py.Arguments", value.node, value.spot, value, part=True) if index == 0 else Sequence((), value.spot, True, "list")
    return UNKNOWN


def _each(module: Module, node: Any, spot: Spot) -> Value:
    """What a loop takes out of something, also the objects that a comprehension makes, or that are appended to a list: futures, say."""
    found = _element(module, module.value(node, spot))
    if found is not UNKNOWN:
        return found
    appended: list[Any] = []
    if isinstance(node, cst.Name):
        bindings = module.lookup(node.value, spot)
        if len(bindings) != 1 or bindings[0][0].kind != "assign":
            return UNKNOWN
        made, changes = bindings[0][0], bindings[0][0].spot.scope.changes.get(node.value, ())
        node = made.node
        if isinstance(node, cst.List) and not node.elements and all(how == "append" for how, _, _, _ in changes):
            appended = [module.value(element, at) for _, element, _, at in changes[:CHANGES]]
    if isinstance(node, cst.ListComp) and (within := module.tree.comprehensions.get(id(node))) is not None:
        appended = [module.value(node.elt, within)]
    types = {option.type if isinstance(option, Object) else "" for option in appended}
    return appended[0] if len(types) == 1 and "" not in types else UNKNOWN


def _element(module: Module, value: Value) -> Value:
    if isinstance(value, Sequence) and not value.open and 0 < len(value.nodes) <= 20:
        return choice([module.value(node, value.spot) for node in value.nodes])
    if isinstance(value, Object) and value.type in _ELEMENTS:
        return Object(_ELEMENTS[value.type], value.node, value.spot, value.source, call=value.call)
    return UNKNOWN


def _numbered(module: Module, node: Any, spot: Spot, index: int) -> Value:
    """What a loop over `enumerate(…)` takes out of it."""
    if index == 1 and isinstance(node, cst.Call) and node.args and isinstance(node.func, cst.Name) and node.func.value == "enumerate":
        return _element(module, module.value(node.args[0].value, spot))
    return UNKNOWN


def _changed(module: Module, name: str, value: Mapping | Sequence, made: Spot, spot: Spot) -> Value:
    """A dict or list with what is put into it between its making and a spot."""
    changes = made.scope.changes.get(name, ())
    if spot.scope is not made.scope:
        changes = [*changes, *spot.scope.changes.get(name, ())] if name not in spot.scope.bindings else list(changes)
    if len(changes) > CHANGES:
        return value._replace(open=True)
    for how, key_node, value_node, at in changes:
        if at.scope is made.scope and at.statement <= made.statement:
            continue
        if at.scope is spot.scope and (at.statement >= spot.statement or _passed_by(module, at, spot)):
            continue
        if module.followed and ruled_out(module, at):
            continue
        if isinstance(value, Sequence):
            more = (key_node,) if how == "append" else _listed(key_node) if how == "extend" else ()
            for one in more:
                module.value(one, at)  # while the names in it still mean what they do there
            if more and not at.in_loop():
                value = value._replace(nodes=(*value.nodes, *more)) if at.scope is value.spot.scope else value._replace(open=True)
            else:
                value = value._replace(open=True)
            continue
        if how in ("set", "setdefault"):
            key = module.constant(key_node, at)
            if how == "setdefault":
                if isinstance(key, str) and value.get(key) is not None:
                    continue
                given = module.value(value_node, at) if value.open else UNKNOWN
                if isinstance(given, Known):  # whoever made the dict may have said something else
                    value_node = Standin(given._replace(sure="default"), value_node, at)
            value = value._replace(pairs=(*value.pairs, Pair(key if isinstance(key, str) else None, key_node, value_node, at)))
        elif how == "update":
            other = module.value(key_node, at)
            value = (
                value._replace(pairs=(*value.pairs, *other.pairs), open=value.open or other.open)
                if isinstance(other, Mapping)
                else value._replace(open=True)
            )
        elif how != "add":
            value = value._replace(open=True)
    return value


def _passed_by(module: Module, change: Spot, spot: Spot) -> bool:
    """Whether nothing leads from a change to a spot of the same function: it stands in the other arm of an `if`, or in one that ends with `return`."""
    statements = module.tree.statements
    if not change.arms or change.function is not spot.function or spot.statement >= len(statements):
        return False
    flow = module.flow(change.function)
    return not flow.reaches(statements[change.statement].node, [statements[spot.statement].node], ())


def _listed(node: Any) -> tuple[Any, ...]:
    """The elements of a list that is written out; none where others are unpacked into it."""
    elements = node.elements if isinstance(node, (cst.List, cst.Tuple)) else ()
    return tuple(one.value for one in elements) if all(isinstance(one, cst.Element) for one in elements) else ()
