"""`@retry` of tenacity and the like on a function that catches what it should be called again for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import handlers
from shoal.python.flow import catches_all, caught, reraises
from shoal.python.tree import decorating
from shoal.python.values import Symbol, names

_RETRIES = ("tenacity.retry", "retry.retry", "retrying.retry", "backoff.on_exception")
# Arguments by which what the function gives back may decide, too.
_OF_RESULTS = ("retry", "retry_on_result", "wrap_exception")

# What does not fail.
_BEFORE = handlers.LOGS | names("join len str int strip lower upper")
# A request by `requests` and what is made of the answer: all that fails there is a RequestException.
_REQUEST = handlers.TELLS | names("get post put delete patch request raise_for_status json")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        if not isinstance(function.node, cst.FunctionDef):
            continue
        made = next((one for one in function.decorators if _retries(module, one, function.spot)), None)
        handler = _swallows(function.node) if made is not None else None
        if made is None or handler is None:
            continue
        message = f"{function.name}() is never tried again: it catches every failure here and returns, and @retry sees a call that went well (let it raise, and catch it where it is called)"
        yield context.finding(message, module.handler_place(handler), [(module.place(made, function.spot), "only sees what is raised")])


def _retries(module: Any, made: Any, spot: Any) -> bool:
    """Whether a decorator calls again what raises, and goes by that alone."""
    value = module.value(decorating(made), spot)
    if not isinstance(value, Symbol) or value.name not in _RETRIES:
        return False
    given = {arg.keyword.value: arg.value for arg in made.args if arg.keyword is not None} if isinstance(made, cst.Call) else {}
    return all("exception" in module.tree.node.code_for_node(given[name]) for name in _OF_RESULTS if name in given)


def _swallows(node: cst.FunctionDef) -> Any:
    """The handler for all failures of a function that calls nothing outside of its one `try`; None for any other function."""
    tried = [one for one in node.body.body if isinstance(one, cst.Try)]
    others = [one for one in node.body.body if one not in tried]
    if len(tried) != 1 or not all(handlers.called(one) <= _BEFORE for one in others):
        return None
    if (
        any(isinstance(one, cst.SimpleStatementLine) and isinstance(one.body[-1], cst.Raise) for one in others)
        or tried[0].finalbody is not None
    ):
        return None
    if any(reraises(one) for one in tried[0].handlers):
        return None
    asks = handlers.called(tried[0].body) <= _REQUEST
    return next((one for one in tried[0].handlers if catches_all(one) or (asks and "RequestException" in caught(one))), None)
