"""Comparisons with confluent-kafka's `KafkaError`, which knows numbers and its like alone, and what is caught that nobody raises.

Seen with 2.3 and 2.16: `error == None` leaves a TypeError behind that comes up there or in a later call. aiokafka took its errors from kafka-python up to 0.8;
since 0.9 it has its own (`aiokafka/errors.py` of 0.8.1 and 0.13.0).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.flow import catches_all, caught
from shoal.python.tree import descend, dotted
from shoal.python.values import Known, Symbol

_ERROR = "confluent_kafka.KafkaError"
_CLASSES = (_ERROR, "confluent_kafka.KafkaException")
_NEVER_RAISED = pattern(r"confluent_kafka(\.\w+)?\.KafkaError")
_NO_CLASS = pattern(r"(aio)?kafka\.errors\.kafka_errors")
_OF_KAFKA_PYTHON = pattern(r"kafka\.(?:errors|common)\.\w+|kafka\.errors")
_EQUAL = (cst.Equal, cst.NotEqual)
_COMPARES = (*_EQUAL, cst.Is, cst.IsNot, cst.In, cst.NotIn)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    told = _told(module)
    raised = any(_raises(module, statement, told) for statement in module.tree.of_kind(cst.Raise))
    for statement in module.tree.of_kind(cst.ExceptHandler):
        if why := _uncaught(module, statement, raised):
            beside = next((s.node.handlers for s in module.tree.statements if statement.node in getattr(s.node, "handlers", ())), ())
            others = any(catches_all(one) or "KafkaException" in caught(one) for one in beside)
            yield context.finding(why, module.place(statement.node.type, statement.spot), confidence="medium" if others else "")
    for statement in module.tree.of_kind(cst.Try):
        if (handler := _of_other_client(module, statement)) is not None:
            message = "aiokafka has errors of its own since 0.9, which this does not catch: those of kafka.errors are kafka-python's (from aiokafka.errors import …)"
            yield context.finding(message, module.place(handler, statement.spot), confidence="low")
    for statement in module.tree.of_kind(cst.If):
        if (code := _asked_for_truth(module, statement.node, statement.spot, told)) is not None:
            message = "a KafkaError's code is never 0, so this holds for every error, and what is meant for the others is never reached; compare it with one of KafkaError's constants"
            yield context.finding(message, module.place(code, statement.spot))
    for part, spot in module.tree.comparisons:
        operator, other = part.comparisons[0].operator, part.comparisons[0].comparator
        if (
            len(part.comparisons) == 1
            and isinstance(operator, _COMPARES)
            and (why := _wrong(module, part.left, operator, other, spot, told))
        ):
            yield context.finding(why, module.place(part, spot))


def _uncaught(module: Any, statement: Any, raised: bool) -> str:
    """What is wrong with what a handler catches: a `KafkaError` comes inside of a KafkaException, and kafka-python's `kafka_errors` is a dict."""
    node = statement.node.type
    nodes = [element.value for element in node.elements] if isinstance(node, cst.Tuple) else [node] if node is not None else []
    values = [module.value(one, statement.spot) for one in nodes]
    names = [value.name if isinstance(value, Symbol) else dotted(one) for value, one in zip(values, nodes, strict=True)]
    if any(_NO_CLASS.fullmatch(name) for name in names):
        return "an error here ends in a TypeError: kafka_errors is a dict of errors by their codes, and only a class can be caught (KafkaError)"
    if any(_NEVER_RAISED.fullmatch(name) for name in names) and not raised and not any(_wider(name) for name in names):
        return "this catches nothing: clients raise a KafkaException, and the KafkaError is its first argument (except KafkaException)"
    return ""


def _of_other_client(module: Any, statement: Any) -> Any:
    """What a handler catches of kafka-python's, around calls of aiokafka alone that nothing else here catches the failure of."""
    if any(catches_all(one) for one in statement.node.handlers):
        return None
    types = {obj.type.partition(".")[0] for call in module.calls if statement.node in call.spot.guarded for obj in module.receivers(call)}
    for handler in statement.node.handlers if "aiokafka" in types and "kafka" not in types else ():
        nodes = [element.value for element in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
        names = [value.name if isinstance(value := module.value(one, statement.spot), Symbol) else "" for one in nodes]
        if names and all(_OF_KAFKA_PYTHON.fullmatch(name) for name in names):
            return handler.type
    return None


def _wider(name: str) -> bool:
    return name.rsplit(".", 1)[-1] in ("KafkaException", "Exception", "BaseException")


def _raises(module: Any, statement: Any, told: set[tuple[int, str]]) -> bool:
    """Whether a statement raises a KafkaError as it is, which it lets itself be done to."""
    node = statement.node.exc
    if node is None:
        return False
    if isinstance(node, cst.Call):
        value = module.value(node.func, statement.spot)
        return (isinstance(value, Symbol) and _NEVER_RAISED.fullmatch(value.name) is not None) or _method(node.func) == "error"
    return _surely(module, node, statement.spot, told)


def _wrong(module: Any, left: Any, operator: Any, right: Any, spot: Any, told: set[tuple[int, str]]) -> str:
    value = module.value(right, spot)
    name = value.name if isinstance(value, Symbol) else ""
    outcome = "true" if isinstance(operator, (cst.NotEqual, cst.IsNot, cst.NotIn)) else "false"
    if isinstance(left, cst.Call) and not left.args and _method(left.func) == "code":
        if name in _CLASSES and not isinstance(operator, (cst.In, cst.NotIn)):
            return f"a code is a number and is compared with the class {name.rpartition('.')[2]}: this is always {outcome} (compare with a constant, as KafkaError._PARTITION_EOF)"
    elif _method(left) == "code" and _error(module, left.value, spot, told):
        if name.startswith(_ERROR) or any(_constant(module, node, spot) for node in descend(right) if isinstance(node, cst.Attribute)):
            return f"code is a method and is not called: this is always {outcome} (code())"
    elif isinstance(operator, _EQUAL) and _surely(module, left, spot, told):
        what = "None" if value == Known(None) else "a text" if isinstance(value, Known) and isinstance(value.value, str) else ""
        what = "the class KafkaError" if name == _ERROR else what
        if what:
            remedy = "; use `is`" if what == "None" else "; compare with one of KafkaError's constants"
            return f"a KafkaError cannot be compared with {what}: once there is an error, this leaves a TypeError behind in place of handling it{remedy}"
    return ""


def _asked_for_truth(module: Any, node: Any, spot: Any, told: set[tuple[int, str]]) -> Any:
    """`if error.code():` with an `else`, or `if not error.code():`: the call; None for anything else."""
    test = node.test
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test = test.expression
    elif node.orelse is None:
        return None
    func: Any = test.func if isinstance(test, cst.Call) and not test.args else None
    return test if _method(func) == "code" and _error(module, func.value, spot, told) else None


def _method(node: Any) -> str:
    return node.attr.value if isinstance(node, cst.Attribute) else ""


def _constant(module: Any, node: Any, spot: Any) -> bool:
    value = module.value(node, spot)
    return isinstance(value, Symbol) and value.name.startswith(f"{_ERROR}.")


def _error(module: Any, node: Any, spot: Any, told: set[tuple[int, str]]) -> bool:
    """Whether this is a KafkaError, where it is asked for one of its codes: `message.error()`, `exception.args[0]`."""
    if isinstance(node, cst.Call):
        return not node.args and _method(node.func) == "error"
    return (isinstance(node, cst.Subscript) and _method(node.value) == "args") or _surely(module, node, spot, told)


def _surely(module: Any, node: Any, spot: Any, told: set[tuple[int, str]]) -> bool:
    """Whether this is a KafkaError or None by its type: what a message's `error()` gives, or what a callback is told."""
    if module.type_of(node, spot) == "confluent.Error":
        return True
    return (
        isinstance(node, cst.Name)
        and (id(spot.function), node.value) in told
        and all(binding.kind == "param" for binding, _ in module.lookup(node.value, spot))
    )


def _told(module: Any) -> set[tuple[int, str]]:
    """The parameters of delivery callbacks that are given the error: function and name."""
    found = set()
    for call in module.named("produce"):
        if not any(obj.type == "confluent.Producer" for obj in module.receivers(call)):
            continue
        for arg in call.node.args:
            if arg.keyword is not None and arg.keyword.value in ("on_delivery", "callback"):
                for function in module.function_of(arg.value, call.spot):
                    params = function.given_names
                    found |= {(id(function), name) for name in params[:1]}
    return found
