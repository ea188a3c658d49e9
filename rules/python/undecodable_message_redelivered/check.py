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
from shoal.python.tree import Call, beginning, descend, dotted
from shoal.python.values import names

_PARSES = names("loads decode model_validate model_validate_json parse_obj parse_raw ParseFromString schemaless_reader")
# The same by a name of the project's own, or of a library's class: `Event.from_message(message)`, `decode_order(message.data())`.
_PARSES_BY_NAME = pattern(
    r"(?i)^_*(?:parse|decode|deseriali[sz]e|unmarshal|from_(?:json|dict|bytes|message|msg|protocol|payload|proto|avro|http|structured))(?:_|$)"
)
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
        parse = next((one for one in module.named(*_PARSES) if tried in one.spot.guarded), None) or _parsed(module, call, tried, pulsar)
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


def _parsed(module: Any, given_back: Call, tried: Any, pulsar: bool) -> Call | None:
    """What else parses the message in a `try`: a function that is named for it, or Pulsar's `value()` of a subscription with a schema."""
    if given_back.node.args[0].star:
        return None
    message = beginning(given_back.node.args[0].value)
    schema = pulsar and any(one.has_keyword("schema") for one in module.named("subscribe", "create_reader"))
    for call in module.calls:
        if tried not in call.spot.guarded or (call.spot.arms[-1:] and call.spot.arms[-1].kind == "except"):
            continue
        if schema and call.name == "value" and call.receiver_node is not None and dotted(call.receiver_node) == message:
            return call  # type: ignore[no-any-return]
        parts = (part for arg in call.node.args for part in descend(arg.value))
        if _PARSES_BY_NAME.search(call.name) and any(isinstance(part, cst.Name) and part.value in (message, "body") for part in parts):
            return call  # type: ignore[no-any-return]
    return None


def _requeued(module: Any, call: Call) -> bool:
    """Whether RabbitMQ puts a message back into its queue: unless it is told not to."""
    node = call.argument(2 if call.name == "basic_nack" else 1, "requeue")
    return (node is None and not call.has_stars) or (isinstance(node, cst.Name) and node.value == "True")
