"""`publisher.publish(…)` of Pub/Sub whose future is dropped: a daemon thread sends, which ends with the program (read in google-cloud-pubsub 2.44)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.contexts import TASK
from shoal.python.flow import endless
from shoal.python.tree import Call

# What may wait for futures, or hear of them, wherever it is.
_WAITS = pattern(r"\.result\(|\.exception\(|add_done_callback|as_completed\(|\bwait\(|\.stop\(\)|gather\(|wrap_future")

# What tells of failures: `concurrent.futures.wait` comes back as well when a future has failed, and raises nothing.
_ASKS = pattern(r"\.result\(|\.exception\(|add_done_callback|as_completed\(|gather\(|wrap_future")

_SUBSCRIBED = pattern(r"^[ \t]*(\w+)[ \t]*=[ \t]*[\w.()]+\.subscribe\(", re.MULTILINE)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    text = _of_publishers(_without_texts(module))
    if _WAITS.search(text):
        if not _ASKS.search(text):
            yield from _only_waited_for(context, module)
        return
    for call in clients.unread_futures(module, "PublisherClient", "publish"):
        if any(where.kind in TASK for where in module.contexts.of(call.function)):
            confidence, what = "", "the bundle, or the checkpoint, counts as done before they are sent"
        elif module.notebook or _goes_on(module, call):  # the session of a notebook lives on behind it
            confidence, what = "low", "one that is refused is lost, and nobody hears of it"
        else:
            # a function that only others call may be that of a server, which lives on
            confidence, what = (
                ("" if _run_here(module, call) else "low"),
                "what waits there when the program ends is lost, and so is what is refused",
            )
        message = f"publish() only queues a message, which a thread in the background sends, and its future is dropped: {what} (call result() on each)"
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _only_waited_for(context: Context, module: Any) -> Iterator[Finding]:
    """Futures that a module waits for and never looks at."""
    if not module.named("publish") or "PublisherClient" not in module.raw:
        return
    for call in module.named("wait"):
        if module.qualified(call) == "concurrent.futures.wait":
            message = "wait() comes back when a future has failed, too, and raises nothing: no message that Pub/Sub refuses is ever heard of (call result() on each behind it)"
            yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])


def _without_texts(module: Any) -> str:
    """A module without the texts that stand in it as statements, in which people keep code that they have taken out."""
    text = module.raw
    spans = [
        module.span(one.node, one.spot)
        for one in module.tree.statements
        if isinstance(one.node, cst.Expr) and isinstance(one.node.value, (cst.SimpleString, cst.ConcatenatedString))
    ]
    for span in sorted(spans, key=lambda one: -one.start):
        text = text[: span.start] + text[span.end :]
    return str(text)


def _of_publishers(text: str) -> str:
    """A module's text without its waits for what subscribers give."""
    for name in {found[1] for found in _SUBSCRIBED.finditer(text)}:
        if len(re.findall(rf"^[ \t]*{name}[ \t]*=", text, re.MULTILINE)) == 1:
            text = re.sub(rf"\b{name}\.result\(", "", text)
    return text


def _run_here(module: Any, call: Call, level: int = 0) -> bool:
    """Whether the module itself runs a call when it is started."""
    if call.function is None:
        return True
    return level < 4 and any(_run_here(module, site, level + 1) for site in module.call_sites(call.function))


def _goes_on(module: Any, call: Call) -> bool:
    """Whether a program lives on behind a message for long enough: it sleeps in the loop, or never ends."""
    spots = [call.spot, *(site.spot for site in (module.call_sites(call.function) if call.function is not None else ()))]
    if any(endless(loop) for spot in spots for loop in spot.loops):
        return True
    return any(
        other.spot.statement > spot.statement and other.function is spot.function for other in module.named("sleep") for spot in spots
    )
