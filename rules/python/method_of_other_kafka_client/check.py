"""kafka-python, confluent-kafka and aiokafka share class names and little else."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import NAMES

# type -> methods it does not have, with what does the work there
_ABSENT = {
    "confluent.Producer": {"send": "produce()", "send_and_wait": "produce() with on_delivery, then flush()"},
    "kafka.Producer": {"produce": "send()", "send_and_wait": "send().get(timeout=…)", "poll": "nothing: a thread of its own sends"},
    "confluent.Consumer": {
        "getmany": "consume()",
        "getone": "poll()",
        "poll_once": "poll()",
        "seek_to_beginning": "assign() with OFFSET_BEGINNING",
    },
    "kafka.Consumer": {"consume": "poll()", "getmany": "poll()", "getone": "next()", "store_offsets": "commit()"},
}
# keyword arguments that belong to another client's method of the same name; tried on kafka-python 2.0.2, 2.2.15 and 3.0.12, confluent-kafka 2.16 and aiokafka 0.14
_KEYWORDS = {
    ("confluent.Consumer", "poll"): ("timeout_ms", "max_records"),
    ("confluent.Consumer", "consume"): ("timeout_ms", "max_records", "max_messages"),
    ("confluent.Producer", "produce"): ("value_serializer",),
    ("confluent.Producer", "flush"): ("timeout_ms",),
    ("kafka.Consumer", "poll"): ("timeout",),
    ("kafka.Producer", "close"): ("timeout_ms",),
    ("kafka.Producer", "flush"): ("timeout_ms",),
    ("kafka.Producer", "send"): ("callback", "on_delivery", "timestamp"),
    ("aiokafka.Consumer", "getmany"): ("timeout", "max_poll_records"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    names = {name for methods in _ABSENT.values() for name in methods}
    for call in module.named(*names):
        kind = module.receiver_type(call)
        instead = _ABSENT.get(kind, {}).get(call.name)
        if instead:
            message = f"{NAMES[kind.split('.')[0]]}'s {kind.split('.')[1]} has no {call.name}(): this raises AttributeError; the way there is {instead}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named(*{name for _, name in _KEYWORDS}):
        kind = module.receiver_type(call)
        for keyword in _KEYWORDS.get((kind, call.name), ()):
            if call.has_keyword(keyword):
                message = f"{call.name}() of {NAMES[kind.split('.')[0]]} takes no {keyword}: this raises TypeError"
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for statement in module.tree.statements:
        if isinstance(statement.node, cst.For) and module.type_of(statement.node.iter, statement.spot) == "confluent.Consumer":
            message = "confluent-kafka's Consumer cannot be iterated: this raises TypeError; call poll() in a loop"
            yield context.finding(message, module.place(statement.node.iter, statement.spot))
