"""An `except` around a request, in a UDF or where records are worked on, that answers with a constant: None, 0.0, "unknown", []."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking, clients
from shoal.python.flow import catches_all, caught
from shoal.python.tree import Call, Function, descend, is_none
from shoal.python.values import names

# What the clients raise when the other side does not answer, or not as it should.
_FAILURES = names(
    "RequestException HTTPError ConnectionError Timeout ConnectTimeout ReadTimeout URLError HTTPStatusError TransportError RpcError APIError OSError"
)


# Where a function is called for each record or row.
_KINDS = ("udf", "dstream", "operator", "dofn", "agent", "step", "dataflow", "record", "async")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.frames.demo:
        return
    seen: set[int] = set()
    for asked, engine, where in _requests(module):
        tried: Any = asked.spot.guarded[-1] if asked.spot.guarded else None
        if tried is None or id(tried) in seen:
            continue
        seen.add(id(tried))
        for handler in tried.handlers:
            if not catches_all(handler) and not _FAILURES & set(caught(handler)):
                continue
            answer = _answer(asked.function, tried, handler)
            if answer is None or (engine != "spark" and _is_nothing(answer)):
                continue  # what else gives nothing drops the record, which others tell of
            lost = "the row is written with it, its batch" if engine == "spark" else "what follows takes it for the answer, the record"
            message = f"a call that fails becomes a value like any other {where}: {lost} counts as done, and nothing asks again; raise it, or mark the row so that it can be asked for later"
            yield context.finding(message, module.place(answer, asked.spot), [(module.call_place(asked), "this call")])
            break


def _requests(module: Any) -> Iterator[tuple[Call, str, str]]:
    """The requests that are made for each record, with the engine, and where that is in words."""
    for function, where in module.contexts.running(*_KINDS):
        if not function.is_lambda:
            yield from ((call, where.engine, where.told()) for call in function.calls if blocking.asks(module, call))
    loops = clients.all_record_loops(module)
    for call in module.calls if loops else ():
        if blocking.asks(module, call) and clients.in_or_called_in(module, call, loops):
            yield call, "kafka", "in the loop of a Kafka consumer"


def _answer(function: Function | None, tried: cst.Try, handler: cst.ExceptHandler) -> Any:
    """The constant that a handler returns, or gives what the `try` gives the answer to; None where it does anything else."""
    if any(isinstance(one, (cst.Raise, cst.Continue)) for one in descend(handler)):
        return None
    last, end = _last(handler.body), _last(function.body) if function is not None else None
    if isinstance(last, cst.Return):
        return last if last.value is None or _constant(last.value) else None
    if not isinstance(last, cst.Assign) or not _constant(last.value):
        return None
    if isinstance(end, cst.Return) and isinstance(end.value, cst.Name) and [_written(one) for one in last.targets] == [end.value.value]:
        return last.value
    given = {_written(one) for one in descend(handler) if isinstance(one, cst.AssignTarget)}
    return last.value if given <= {_written(one) for one in descend(tried.body) if isinstance(one, cst.AssignTarget)} else None


def _written(target: cst.AssignTarget) -> str:
    return cst.Module([]).code_for_node(target.target)


def _is_nothing(answer: Any) -> bool:
    value = answer.value if isinstance(answer, cst.Return) else answer
    return value is None or is_none(value) or (isinstance(value, cst.List) and not value.elements)


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
