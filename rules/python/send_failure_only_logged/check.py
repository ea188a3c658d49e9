"""A failed `send_and_wait` or `future.get()` that a function logs and nobody else hears of; and rows of an outbox that are marked behind such a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python import sends
from shoal.python.elsewhere import QUIET, TOLD
from shoal.python.tree import Call, Spot, alone

# What may well get lost.
_MEANT = pattern(r"(?i)metric|heartbeat|telemetry|\blog|_log|audit_log|ping|best_effort|try_|fire_and_forget|safe|quiet|dlq|dead")

_SENDS = pattern(r"(?i)publish|send|produce|emit|notify")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        found = sends.kept_quiet(module, function) if not _MEANT.search(function.name) else None
        if found is not None:
            call, handler = found
            who = "Kinesis does" if sends.to_kinesis(call) else "the brokers do"
            message = f"a record that {who} not take is lost here: this is only logged, and whoever calls {function.qualname} goes on as though it were sent (raise it again, or say so in what is returned)"
            related = [(module.call_place(call), "raises it")]
            yield context.finding(message, module.handler_place(handler), related)
    yield from _unasked(context)
    sent: set[int] = set()
    for node, spot in sends.marks(module):
        yield from _marked(context, node, spot, sent)


def _unasked(context: Context) -> Iterator[Finding]:
    """Calls of a function that says in nothing but what it gives back that its record was not sent, where nobody looks at that."""
    module = context.module
    seen: set[Place] = set()
    for call in module.calls:
        if (
            call.use not in ("dropped", "awaited")
            or not _SENDS.search(call.name)
            or _MEANT.search(call.name)
            or not alone(module.tree, call)
        ):
            continue
        function = module.target(call)
        said = (
            sends.told(module, function)
            if function is not None
            else module.others.said(module.others.callee(call.node.func, call.spot), TOLD)
        )
        if said is not None and said[0] not in seen:
            seen.add(said[0])
            message = f"nobody looks at what {call.name}() gives back: where the brokers do not take the record, {said[1]}, and this goes on as though it were sent"
            yield context.finding(message, module.call_place(call), [(said[0], "only logs it")], covers=[module.covers(call)])


def _marked(context: Context, mark: Any, spot: Spot, sent: set[int]) -> Iterator[Finding]:
    """A row that is marked as sent behind a call, in the same suite, of a function that sends it and does not say whether that worked."""
    module = context.module
    for call in module.calls:
        if (
            id(call) not in sent
            and call.function is spot.function
            and call.use in ("dropped", "awaited")
            and call.spot.arms == spot.arms
            and call.spot.statement < spot.statement
            and (told := _quiet(module, call)) is not None
        ):
            sent.add(id(call))
            where, how = told
            message = f"the row is marked as sent whether or not {call.name}() could send it: {how}, so that a record which the brokers do not take is never sent again"
            place = module.place(mark, spot)
            yield context.finding(message, place, [(where, "sends it")], confidence="medium", covers=[place])
            return


def _quiet(module: Any, call: Call) -> tuple[Place, str] | None:
    """Where a function that a call runs sends a record of whose failure the caller does not hear, and how that is; one of another module says so itself."""
    function = module.target(call)
    if function is None:
        return module.others.said(module.others.callee(call.node.func, call.spot), QUIET)  # type: ignore[no-any-return]
    return sends.quiet(module, function)
