"""An `except` around a request, in a UDF or a function of a DStream, that answers with a constant: None, 0.0, "unknown", []."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import catches_all, caught
from shoal.python.tree import Call, Function, descend
from shoal.python.values import names

_LIBRARIES = ("requests.", "httpx.", "urllib.request.", "urllib3.")
_ASKS = names("get post put patch request send urlopen")
_TYPES = ("py.HttpSession", "py.HttpxClient", "py.GrpcStub")
# What the clients raise when the other side does not answer, or not as it should.
_FAILURES = names(
    "RequestException HTTPError ConnectionError Timeout ConnectTimeout ReadTimeout URLError HTTPStatusError TransportError RpcError APIError OSError"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.frames.demo:
        return
    for function, where in module.contexts.running("udf", "dstream"):
        if where.engine != "spark" or function.is_lambda:
            continue
        tries = [one for one in descend(function.body) if isinstance(one, cst.Try)]
        for tried in tries:
            asked = next(
                (call for call in function.calls if call.spot.guarded and call.spot.guarded[-1] is tried and _asks(module, call)), None
            )
            for handler in tried.handlers if asked is not None else ():
                if not catches_all(handler) and not _FAILURES & set(caught(handler)):
                    continue
                answer = _answer(function, handler)
                if answer is not None and asked is not None:
                    message = f"a call that fails becomes a value like any other {where.told()}: the row is written with it, its batch counts as done, and nothing asks again; raise it, or mark the row so that it can be asked for later"
                    yield context.finding(message, module.place(answer, asked.spot), [(module.call_place(asked), "this call")])
                    break


def _asks(module: Any, call: Call) -> bool:
    if call.name in _ASKS and module.qualified(call).startswith(_LIBRARIES):
        return True
    return module.receiver_type(call) in _TYPES and (call.name in _ASKS or module.receiver_type(call) == "py.GrpcStub")


def _answer(function: Function, handler: cst.ExceptHandler) -> Any:
    """The constant that a handler returns, or gives the name that the function returns as its last statement; None where it does anything else."""
    if any(isinstance(one, (cst.Raise, cst.Continue)) for one in descend(handler)):
        return None
    last, end = _last(handler.body), _last(function.body)
    if isinstance(last, cst.Return):
        return last if last.value is None or _constant(last.value) else None
    if isinstance(last, cst.Assign) and isinstance(end, cst.Return) and isinstance(end.value, cst.Name):
        given = [one.target.value for one in last.targets if isinstance(one.target, cst.Name)]
        return last.value if given == [end.value.value] and _constant(last.value) else None
    return None


def _constant(node: Any) -> bool:
    if isinstance(node, (cst.List, cst.Tuple)):
        return all(_constant(one.value) for one in node.elements)
    if isinstance(node, cst.Dict):
        return all(isinstance(one, cst.DictElement) and _constant(one.value) for one in node.elements)
    if isinstance(node, cst.UnaryOperation):
        return _constant(node.expression)
    return isinstance(node, (cst.SimpleString, cst.Integer, cst.Float)) or (
        isinstance(node, cst.Name) and node.value in ("None", "True", "False")
    )


def _last(body: Any) -> Any:
    """The last statement of a suite, if it is a simple one."""
    lines = getattr(body, "body", ())
    return lines[-1].body[-1] if lines and isinstance(lines[-1], cst.SimpleStatementLine) else None
