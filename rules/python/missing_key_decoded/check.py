"""`message.key().decode()` in the delivery callback of records that are produced without a key: `key()` is None then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call, Function, dotted
from shoal.python.values import FunctionValue, options

_ASKED = pattern(r"\b(?:if|and|or)\b[^\n]*\.key\(\)|\.key\(\)[^\n]*(?:\bor\b|\bif\b|is not None)|:=[^\n]*\.key\(\)")
_KEY = 2  # produce(topic, value, key, …)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    sent: dict[int, list[Call]] = {}
    callbacks: dict[int, Function] = {}
    for call in module.named("produce"):
        node = call.argument(99, "on_delivery") or call.argument(99, "callback")
        if node is None or not any(obj.type == "confluent.Producer" for obj in module.receivers(call)):
            continue
        for one in options(module.value(node, call.spot)):
            if isinstance(one, FunctionValue):
                callbacks[id(one.function)] = one.function
                sent.setdefault(id(one.function), []).append(call)
    for key, function in callbacks.items():
        if any(call.has_stars or call.argument(_KEY, "key") is not None for call in sent[key]) or len(module.named("produce")) > len(
            sent[key]
        ):
            continue
        for call in function.calls:
            if call.name == "decode" and _is_key(call, function) and not call.spot.guarded and not _ASKED.search(_text(module, function)):
                when = "delivered" if not _in_error(call, function) else "refused"
                message = f"no record here has a key, and key() is None: for each one that is {when} this raises AttributeError out of poll() or flush()"
                yield context.finding(
                    message,
                    module.call_place(call),
                    [(module.call_place(sent[key][0]), "sent without a key")],
                    covers=[module.covers(call)],
                )
                break


def _is_key(call: Call, function: Function) -> bool:
    """Whether what is decoded is `message.key()`, of the callback's second parameter."""
    of = call.receiver_node
    names = {param.name for param in function.params}
    return isinstance(of, cst.Call) and dotted(of.func).partition(".")[0] in names and dotted(of.func).endswith(".key")


def _text(module: Any, function: Function) -> str:
    return str(module.tree.node.code_for_node(function.node))


def _in_error(call: Call, function: Function) -> bool:
    """Whether it stands under `if err is not None:`."""
    names = {param.name for param in function.params}
    for arm in call.spot.arms:
        if arm.kind == "if" and isinstance(arm.test, (cst.Name, cst.Comparison)):
            test = arm.test if isinstance(arm.test, cst.Name) else arm.test.left
            if isinstance(test, cst.Name) and test.value in names:
                return not _is_none(arm.test)
    return False


def _is_none(test: Any) -> bool:
    return isinstance(test, cst.Comparison) and isinstance(test.comparisons[0].operator, cst.Is)
