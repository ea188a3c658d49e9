"""`KafkaOffsetsInitializer.latest()` for the source of a stream that is broadcast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, last_name


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    seen = set()
    for call in module.named("broadcast"):
        if not call.node.args:  # which sends each record to every instance, and has no state
            continue
        for stream in module.receivers(call):
            for made in _sources(module, stream.line()):
                for start, spot in _starts(module, made):
                    if id(start) in seen:
                        continue
                    seen.add(id(start))
                    message = (
                        "what was published before the first start is never broadcast: the job begins with empty rules and keeps only those that come after it "
                        "(earliest() reads them all, and checkpoints remember the place)"
                    )
                    yield context.finding(message, module.place(start, spot), [(module.call_place(call), "broadcast here")])


def _sources(module: Any, line: list[Any]) -> Iterator[Any]:
    """The Kafka sources that a stream begins with."""
    for step in line:
        if step.call.rpartition(".")[2] in ("from_source", "add_source") and isinstance(step.node, cst.Call):
            given = Call(step.node, "from_source", step.spot, None, "").argument(0, "source")
            yield from (made for made in module.objects(given, step.spot) if made.type == "flink.KafkaSource")


def _starts(module: Any, made: Any) -> Iterator[tuple[Any, Any]]:
    """Where the builder of a source is told to start at the end of its topics."""
    for call in module.named("set_starting_offsets"):
        if not any(builder.root is made.root for builder in module.receivers(call)):
            continue
        given = call.argument(0)
        if isinstance(given, cst.Call) and last_name(given.func) == "latest":
            yield given, call.spot
