"""The constructors of ReadFromKafka and WriteToKafka take no other names than these (2.30 to 2.77)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call

_TAKES = {
    "ReadFromKafka": (
        "consumer_config",
        "topics",
        "key_deserializer",
        "value_deserializer",
        "start_read_time",
        "max_num_records",
        "max_read_time",
        "commit_offset_in_finalize",
        "timestamp_policy",
        "consumer_polling_timeout",
        "with_metadata",
        "expansion_service",
        "redistribute",
        "redistribute_num_keys",
        "allow_duplicates",
        "dynamic_read_poll_interval_seconds",
        "consumer_factory_fn_class",
        "consumer_factory_fn_params",
    ),
    "WriteToKafka": ("producer_config", "topic", "key_serializer", "value_serializer", "with_headers", "expansion_service"),
}
_NEEDS = 2  # the client's configuration, and where to read or write
# What other clients call it.
_INSTEAD = {
    "ReadFromKafka": {"topic": "it takes a list, topics", "topic_name": "it takes a list, topics"},
    "WriteToKafka": {
        "topics": "it writes to one topic",
        "consumer_config": "it has a producer_config",
        "headers": "with_headers=True takes rows that have them",
    },
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_TAKES):
        if not module.qualified(call).startswith("apache_beam."):
            continue
        takes = _TAKES[call.name]
        for arg in call.node.args:
            if arg.keyword is not None and arg.keyword.value not in takes:
                message = f"the program stops here with a TypeError: {call.name} has no argument {arg.keyword.value}{_instead(call, arg.keyword.value)}"
                yield context.finding(message, module.place(arg.keyword, call.spot), covers=[module.covers(call)])
                break
        else:
            missing = [name for at, name in enumerate(takes[:_NEEDS]) if call.argument(at, name) is None]
            if missing and not call.has_stars:
                message = f"the program stops here with a TypeError: {call.name} needs {' and '.join(missing)}"
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _instead(call: Call, name: str) -> str:
    settings = _TAKES[call.name][0]
    if hint := _INSTEAD[call.name].get(name):
        return f"; {hint}"
    dotted = name.replace("_", ".")
    if dotted in ("bootstrap.servers", "group.id", "auto.offset.reset", "acks", "security.protocol", "enable.auto.commit", "client.id"):
        return f"; {settings} takes it, as `{dotted}`"
    import difflib

    near = difflib.get_close_matches(name, _TAKES[call.name], 1, 0.7)
    return f"; {near[0]} may be meant" if near else ""
