"""What parameters are: by what a library passes, by the calls in this module and in others, by their defaults and annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python import answers, libraries
from shoal.python.threaded import HANDS_ON, handed_on
from shoal.python.tree import Function, Spot, dotted, last_name
from shoal.python.values import (
    UNKNOWN,
    Choice,
    ClassValue,
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
    weakest,
)

if TYPE_CHECKING:
    from shoal.python.module import Module

_NAMED_PRODUCER = pattern(r"_?(?:kafka_?|k)?producer")
# What producers can do, by library: one of which more is asked is an object of the project's own, whatever its name.
_TRANSACTIONS = frozenset(
    {"init_transactions", "begin_transaction", "commit_transaction", "abort_transaction", "send_offsets_to_transaction"}
)
_METHODS = {
    "confluent.Producer": _TRANSACTIONS
    | {"produce", "produce_batch", "poll", "flush", "purge", "list_topics", "close", "set_sasl_credentials"},
    "kafka.Producer": _TRANSACTIONS | {"send", "flush", "close", "metrics", "partitions_for", "bootstrap_connected"},
    "aiokafka.Producer": _TRANSACTIONS
    | {"send", "send_and_wait", "send_batch", "create_batch", "start", "stop", "flush", "partitions_for", "transaction"},
}
# Calls whose arguments a parameter may have; beyond, nothing is known.
SITES = 40


def param(module: Module, function: Function, name: str) -> Value:
    """What a parameter is: `self`, what a library passes, what the calls in this module pass, its default, its annotation."""
    for applied, arguments in reversed(module.followed):
        if applied is function and name in arguments:
            return arguments[name]  # type: ignore[no-any-return]
    param = function.param(name)
    if param is None:
        return UNKNOWN
    if name == function.self_name and function.cls is not None:
        return Instance(function.cls)
    if function.cls is not None and param is function.params[0] and _is_classmethod(function):
        return ClassValue(function.cls)
    typed = module.contexts.param_types.get((id(function), name))
    if typed is not None:
        return typed  # type: ignore[no-any-return]
    if param.kind == "stars":
        return _keywords(module, function)
    if param.kind == "star":
        return UNKNOWN
    by_annotation = annotated(module, param.annotation, function.spot)
    if by_annotation is UNKNOWN:
        by_annotation = module.others.parameter(function, name)
    untyped = param.annotation is None or dotted(param.annotation).endswith("Any")
    if by_annotation is UNKNOWN and untyped and not module.others.give(function, name):
        by_annotation = _producer_named(module, function, name)
    found: list[Any] = []
    sites = module.call_sites(function)
    if len(sites) > SITES:
        return by_annotation
    for site in sites:
        node = module.given(site, function, param)
        if node is not None:
            found.append(module.value(node, site.spot))
        elif site.has_stars:
            found.append(UNKNOWN)
        elif param.default is not None:
            found.append(module.value(param.default, function.spot))
        else:
            found.append(UNKNOWN)
    if not sites:
        found = [module.value(node, spot) if node is not None else UNKNOWN for node, spot in handed_over(module, function, name)]
    if found:
        result = choice(found)
        if isinstance(result, Choice) and all(isinstance(option, (Known, Millis)) for option in result.options):
            return Choice(tuple(option._replace(sure="branch") for option in result.options))
        if result is UNKNOWN or (isinstance(result, Symbol) and isinstance(by_annotation, Object)):
            return by_annotation  # which says more than a name of another module: `SessionLocal()`
        return result
    if isinstance(by_annotation, (Object, Instance)):
        return by_annotation
    if not sites and (told := module.others.given_text(function, name)) is not UNKNOWN:
        return told
    if param.default is not None:
        value = module.value(param.default, function.spot)
        return (
            value._replace(sure=weakest(value.sure, "default"))
            if isinstance(value, (Known, Millis)) and value.value is not None
            else UNKNOWN
        )
    return by_annotation


def handed_over(module: Module, function: Function, name: str) -> list[tuple[Any, Spot]]:
    """What threads that run a function are given for one of its parameters: `Thread(target=beat, args=(producer,))`, `pool.submit(beat, producer)`."""
    plain = [param.name for param in function.params if param.kind == "plain"]
    position = plain.index(name) - (1 if function.self_name else 0) if name in plain else -1
    if position < 0 or function.is_lambda:
        return []
    found: list[tuple[Any, Spot]] = []
    for call in module.named(*HANDS_ON):
        handed = handed_on(call)
        if handed is None or last_name(handed[0]) != function.name or function not in module.function_of(handed[0], call.spot):
            continue
        given = [arg.value for arg in handed[1] if arg.keyword is None and not arg.star]
        by_name = next((arg.value for arg in handed[1] if arg.keyword is not None and arg.keyword.value == name), None)
        found.append((by_name or (given[position] if position < len(given) else None), call.spot))
    return found if len(found) <= SITES else []


def _producer_named(module: Module, function: Function, name: str) -> Value:
    """The producer that an untyped parameter is by its name, where a module imports one class of them: `def publish(producer, order)`.

    It is the one that the module makes, if it does, so that what is done with either is done with both; of several nobody knows.
    """
    if not _NAMED_PRODUCER.fullmatch(name):
        return UNKNOWN
    if module.producer is None:
        imports = [
            one
            for scope in (module.tree.root, *(function.scope for function in module.functions))
            for bound in scope.bindings.values()
            for one in bound
            if one.kind == "import"
        ]
        keys = {":".join(libraries.key_of(one.detail)): one.detail for one in imports if isinstance(one.detail, str)}
        kinds = {key: module.tables.calls.get(key, "").split("@")[0] for key in keys}
        found = [key for key, kind in kinds.items() if kind.endswith(".Producer") and answers.is_kafka(kind)]
        module.producer = UNKNOWN
        if len(found) == 1:
            made = [module.result(call) for call in module.named(keys[found[0]].rpartition(".")[2])]
            one = Object(kinds[found[0]], Standin(UNKNOWN, function.node, function.spot), function.spot, call="Producer")
            module.producer = one if not made else made[0] if len(made) == 1 and isinstance(made[0], Object) else UNKNOWN
    producer = module.producer
    return UNKNOWN if isinstance(producer, Object) and _asked_for_more(module, producer.type, name) else producer


def _asked_for_more(module: Module, kind: str, name: str) -> bool:
    """Whether something is asked of what is named so, or of a field that is given it, which the library's producers cannot do."""
    key = ("asked_for_more", name)
    if key not in module.answered:
        fields = {
            field
            for cls in module.classes
            for field, bindings in cls.attributes.items()
            if any(isinstance(one.node, cst.Name) and one.node.value == name for one in bindings)
        }
        module.answered[key] = kind in _METHODS and any(
            call.name not in _METHODS[kind]
            and call.receiver_node is not None
            and dotted(call.receiver_node).rpartition(".")[2] in {name, *fields}
            for call in module.calls
        )
    return bool(module.answered[key])


def _keywords(module: Module, function: Function) -> Value:
    """The keywords that the one call of a function in this module gives beyond those that it names: several calls make several things.

    Other modules may call it with more.
    """
    sites = module.call_sites(function)
    if len(sites) != 1:
        return UNKNOWN
    site = sites[0]
    named = {param.name for param in function.params if param.kind in ("plain", "keyword")}
    pairs: list[Pair] = []
    for arg in site.node.args:
        if arg.keyword is not None:
            pairs.append(Pair(arg.keyword.value, arg.keyword, arg.value, site.spot))
        elif arg.star == "**":
            inner = module.value(arg.value, site.spot)
            pairs += inner.pairs if isinstance(inner, Mapping) else ()
    return Mapping(tuple(pair for pair in pairs if pair.key not in named), True)


def annotated(module: Module, node: Any, spot: Spot) -> Value:
    """An object of the annotated type."""
    if node is None:
        return UNKNOWN
    if isinstance(node, cst.SimpleString):
        name = node.evaluated_value
        if not isinstance(name, str) or not name.isidentifier():
            return UNKNOWN
        value = module.name_value(name, spot)
    elif isinstance(node, cst.Subscript):
        outer = dotted(node.value).rsplit(".", 1)[-1]
        if outer in ("Optional", "Annotated") and isinstance(node.slice[0].slice, cst.Index):
            return annotated(module, node.slice[0].slice.value, spot)
        if outer not in ("Queue",):
            return UNKNOWN
        value = module.value(node.value, spot)
    elif isinstance(node, cst.BinaryOperation):
        return choice([v for v in (annotated(module, node.left, spot), annotated(module, node.right, spot)) if v is not UNKNOWN])
    else:
        value = module.value(node, spot)
    if isinstance(value, ClassValue):
        return Instance(value.cls)
    if isinstance(value, Symbol):
        package, rest = libraries.key_of(value.name)
        result = module.tables.calls.get(f"{package}:{rest}", "").split("@")[0]
        if result and "." not in rest:
            return module.made(result, node, spot, rest)
    return UNKNOWN


def _is_classmethod(function: Function) -> bool:
    return function.cls is not None and any(isinstance(d, cst.Name) and d.value == "classmethod" for d in function.decorators)
