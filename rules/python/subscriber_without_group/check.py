"""`@broker.subscriber("orders")` of faststream.kafka without `group_id`: its aiokafka consumer has none either (that of faststream.confluent has one by default)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call, Function, descend, last_name
from shoal.python.values import names

# What writes what has been read, by the name of the method.
_WRITES = names("publish request commit execute executemany insert_one insert_many add save create bulk_create fetchrow fetchval")
# What only shows a message to those who are there, or looks at it.
_SHOWS = pattern(
    r"(?i)print|^(?:debug|info|warning|warn|error|exception|critical|log)$|append|extend|^(?:put|put_nowait|update|set|emit|str|len|int|float|dict|list|get|loads|dumps|decode"
    r"|format|items|values|isinstance|sleep|strip|split|join|now|inc|observe|model_dump|model_dump_json|ack|nack|reject)$|send_(?:text|json|bytes|str)|broadcast|notify|display|show"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    subscribed: dict[int, Call] = {id(call.node): call for call in module.named("subscriber")}
    for function in module.functions if subscribed else ():
        decorators = [one.decorator for one in getattr(function.node, "decorators", ())]
        call = next((subscribed[id(one)] for one in decorators if id(one) in subscribed), None)
        if call is None or call.has_stars or call.has_keyword("group_id", "partitions") or not _of_kafka(module, call):
            continue
        sends = any(isinstance(one, (cst.Call, cst.Name)) and last_name(getattr(one, "func", one)) == "publisher" for one in decorators)
        sure = "" if sends or _calls(function, _WRITES) else "low" if _works(function) else None
        if sure is None:
            continue
        reset = module.constant(call.argument(99, "auto_offset_reset"), call.spot)
        begins = "begins at the beginning and does everything once more" if reset == "earliest" else "skips what came in while it was down"
        message = (
            f"without group_id no offset is ever committed: each start {begins}, and every replica of this service does all of the work"
        )
        yield context.finding(message, module.call_place(call), confidence=sure, covers=[module.covers(call)])


def _of_kafka(module: Any, call: Call) -> bool:
    """Whether the broker or router is one of FastStream's for Kafka with aiokafka, wherever it is made."""
    return isinstance(call.receiver_node, cst.Name) and module.receiver_type(call) == "faststream.KafkaBroker"


def _calls(function: Function, wanted: Any) -> bool:
    return any(call.name in wanted and call.receiver_node is not None for call in function.calls)


def _works(function: Function) -> bool:
    """Whether a message, or what was taken out of it, is given to something."""
    given = {param.name for param in function.params}
    return any(
        not _SHOWS.search(call.name)
        and not call.name[:1].isupper()
        and any(isinstance(part, cst.Name) and part.value in given for arg in call.node.args for part in descend(arg.value))
        for call in function.calls
    )
