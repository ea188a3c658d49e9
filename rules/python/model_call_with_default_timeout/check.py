"""`client.chat.completions.create(…)` in code that an engine runs for each record, by a client that is told no timeout.

Both clients have `DEFAULT_TIMEOUT = 600` seconds and `DEFAULT_MAX_RETRIES = 2` in their `_constants.py`, and so has the client that the module `openai` is itself
(`openai.embeddings.create(…)`); before 1.0 it had `TIMEOUT_SECS = 600`, as `request_timeout`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.contexts import TASK
from shoal.python.contexts import Context as Where
from shoal.python.tree import Call, descend, last_name
from shoal.python.values import names

_MODELS = {"model.OpenAI": "OpenAI", "model.Anthropic": "Anthropic"}
_ASKS = names("create parse generate")
_BOUNDS = names("timeout http_client max_retries")
# The module as a client: what it asks, and what tells it how long to wait.
_OF_MODULE = pattern(
    r"openai\.(?:chat\.completions|completions|embeddings|responses|ChatCompletion|Completion|Embedding)\.(?:create|parse)"
)
_MODULE_BOUNDS = pattern(r"\bopenai\.(?:timeout|max_retries|http_client)\s*=|from openai import .*\btimeout\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    said: set[int] = set()
    for call, where in _calls(module):
        if call.name not in _ASKS or id(call.node) in said or call.has_keyword("timeout", "request_timeout") or call.has_stars:
            continue
        client = _MODELS.get(module.receiver_type(call), "")
        if not (_by_default(module, call) if client else _module_asks(module, call)):
            continue
        said.add(id(call.node))
        effect = {
            "record": "the consumer does not poll, and is put out of its group after max.poll.interval.ms",
            "step": "no record is taken, and after max.poll.interval.ms the group goes on without this member",
        }.get(where.kind if where is not None else "record", "the task takes no record, timer or checkpoint barrier")
        told = where.told() if where is not None else "in the loop of a Kafka consumer, between two polls"
        message = (
            f"{client or 'OpenAI'}'s client waits up to ten minutes for an answer, and asks twice more {told}: for that long {effect}; "
            f"{'give the client' if client else 'make a client with'} timeout= and max_retries= that fit"
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _calls(module: Any) -> Iterator[tuple[Call, Where | None]]:
    yield from module.contexts.calls(*TASK, "foreach", "step", "record")
    if loops := clients.all_record_loops(module):
        for call in module.named(*_ASKS):
            at = call.function
            if not module.contexts.of(at) and (at is None or not at.is_async) and clients.in_or_called_in(module, call, loops):
                yield call, None


def _module_asks(module: Any, call: Call) -> bool:
    """Whether the module `openai` is the client, and is told nothing of how long to wait."""
    return bool(_OF_MODULE.fullmatch(module.qualified(call))) and not _MODULE_BOUNDS.search(module.raw)


def _by_default(module: Any, call: Call) -> bool:
    """Whether the client is made where it can be seen, and is told nothing of how long to wait."""
    made = [one for obj in module.receivers(call) for one in obj.line() if isinstance(one.node, cst.Call)]
    if any(isinstance(one, cst.Call) and last_name(one.func) == "with_options" for one in descend(call.receiver_node)):
        return False
    told = any(arg.star or (arg.keyword is not None and arg.keyword.value in _BOUNDS) for one in made for arg in one.node.args)
    return bool(made) and not told
