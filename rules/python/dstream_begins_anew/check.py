"""`ssc.checkpoint(…)` without `StreamingContext.getOrCreate`, and `KafkaUtils.createDirectStream` without a checkpoint and without offsets to begin at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import Known, Mapping

# What keeps what the stream gives; all else shows it.
_KEEPS = ("foreachRDD", "saveAsTextFiles", "transform")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if any("StreamingContext" in module.qualified(call) for call in module.named("getOrCreate", "getActiveOrCreate")):
        return
    sure = "medium" if module.named(*_KEEPS) else "low"
    kept = [call for call in module.named("checkpoint") if _of_context(module, call)]
    for call in kept:
        if _begun(module, call):
            message = "no start reads this checkpoint: the stream begins anew each time, its state and offsets forgotten; StreamingContext.getOrCreate(directory, create) goes on from it"
            yield context.finding(message, module.call_place(call), confidence=sure, covers=[module.covers(call)])
    for call in module.named("createDirectStream"):
        if kept or not module.qualified(call).endswith("KafkaUtils.createDirectStream") or call.has_stars:
            continue
        if call.argument(3, "fromOffsets") is not None or module.named("offsetRanges"):
            continue  # a program that keeps its offsets itself
        message = f"{_begins(module, call)}: a direct stream keeps its offsets in the checkpoint alone, and this one has none"
        yield context.finding(message, module.call_place(call), confidence=sure, covers=[module.covers(call)])


def _of_context(module: Any, call: Call) -> bool:
    """Whether it sets the directory of a context; DStreams have a method of that name, which takes an interval."""
    made = module.receivers(call)
    return bool(made) and all(one.type == "spark.StreamingContext" for one in made)


def _begun(module: Any, call: Call) -> bool:
    """Whether the context is started here, and not given to who goes on from its checkpoint."""
    function = call.function
    return function is None or not any(node is not None for node, _ in function.returns) or bool(module.named("awaitTermination"))


def _begins(module: Any, call: Call) -> str:
    """What that means, with what the client's options say; `largest` is their default."""
    given = call.argument(2, "kafkaParams")
    value = module.value(given, call.spot) if given is not None else None
    if not isinstance(value, Mapping) or value.open:
        return "each start begins where auto.offset.reset says, whatever was read before"
    reset = value.get("auto.offset.reset")
    begins = module.value(reset.value_node, reset.spot) if reset is not None else Known("largest")
    if isinstance(begins, Known) and begins.value in ("smallest", "earliest"):
        return "each start reads the whole topic once more"
    return "what comes in while the stream is down is never read, each start begins at the end of the topic"
