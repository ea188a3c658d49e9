"""`except json.JSONDecodeError: consumer.negative_acknowledge(message)`, and pika's `basic_nack(tag)`, whose `requeue` is on by default.

Without a dead-letter policy Pulsar sends such a message again a minute later (`negative_ack_redelivery_delay_ms`), as often as it is given back; RabbitMQ at once.
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
from shoal.python.tree import Call
from shoal.python.values import names

_PARSES = names("loads decode model_validate model_validate_json parse_obj parse_raw ParseFromString schemaless_reader")
# What is raised for a message that is not as it should be, and will not be the next time.
_NEVER_WELL = names(
    "JSONDecodeError UnicodeDecodeError UnicodeError ValueError ValidationError KeyError TypeError DecodeError SchemaError ParseError"
)
# Who speaks of any of these counts how often a message came.
_COUNTED = pattern(r"(?i)dead_?letter|redeliver|delivery[-_]limit|x-death|max_?retr|attempt")
_COMMENT = pattern(r"(?m)#.*$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if _COUNTED.search(_COMMENT.sub("", module.raw)):
        return
    for call in module.named("negative_acknowledge", "basic_nack", "basic_reject"):
        pulsar = call.name == "negative_acknowledge"
        if not call.node.args or not (pulsar or _requeued(module, call)):
            continue
        arm = call.spot.arms[-1] if call.spot.arms else None
        if arm is None or arm.kind != "except":
            continue
        tried, handler = arm.test, arm.test.handlers[arm.index - 1]
        parse = next((one for one in module.named(*_PARSES) if tried in one.spot.guarded), None)
        alone = bool(caught(handler)) and set(caught(handler)) <= _NEVER_WELL
        if parse is None or not (alone or catches_all(handler)):
            continue
        again = "a minute later" if pulsar else "at once"
        pulsars = "acknowledge it and put it aside, or give subscribe() a dead_letter_policy"
        instead = pulsars if pulsar else "requeue=False, with a dead-letter exchange"
        message = (
            f"a message that does not parse is given back here, and comes again {again}, for ever: nothing counts how often ({instead})"
        )
        related = [(module.call_place(parse), "fails each time")]
        yield context.finding(message, module.call_place(call), related, confidence="" if alone else "low", covers=[module.covers(call)])


def _requeued(module: Any, call: Call) -> bool:
    """Whether RabbitMQ puts a message back into its queue: unless it is told not to."""
    node = call.argument(2 if call.name == "basic_nack" else 1, "requeue")
    return (node is None and not call.has_stars) or (isinstance(node, cst.Name) and node.value == "True")
