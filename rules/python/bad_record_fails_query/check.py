"""`from_avro` and `from_protobuf` without the option `mode`, in streaming queries.

Tried on Spark 3.5.7: the query ends with MALFORMED_RECORD_IN_PARSING, its batch is not committed, and the next start runs the same batch again. A
record without a value gives NULL in either mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import Known, Mapping, Value

# Where each takes its options: from_avro(data, jsonFormatSchema, options), from_protobuf(data, messageName, descFilePath, options, …).
_OPTIONS = {"pyspark.sql.avro.functions.from_avro": 2, "pyspark.sql.protobuf.functions.from_protobuf": 3}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.calls:
        position = _OPTIONS.get(module.qualified(call), -1)
        if position < 0 or not _fails_fast(module, call, position) or not _of_stream(module, call):
            continue
        if call.spot.guarded and "foreach-batch" in module.contexts.kinds(call.function):
            continue  # elsewhere a `try` is long left when the records are decoded
        function = module.qualified(call).rsplit(".", 1)[-1]
        message = (
            f"{function} fails for a record that it cannot decode (its default mode is FAILFAST): the query ends, and each restart "
            'meets the same record; give it {"mode": "PERMISSIVE"} and send what is then null elsewhere'
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _fails_fast(module: Any, call: Call, position: int) -> bool:
    """Whether a call surely gives no mode; one that names FAILFAST means it."""
    if call.has_stars:
        return False
    given = call.argument(position, "options")
    if given is None:
        return True
    value: Value = module.value(given, call.spot)
    if isinstance(value, Mapping):
        return not value.open and all(pair.key is not None and pair.key.lower() != "mode" for pair in value.pairs)
    return value == Known(None)


def _of_stream(module: Any, call: Call) -> bool:
    """Whether the rows surely come of a stream, and not for show."""
    around = module.frames.around(call.node, call.spot)
    return not module.frames.demo and module.frames.flow(module.frames.receivers(around[0]) if around else ())
