"""`format("socket")` and `socketTextStream`, which cannot be read again from an offset, in front of a sink that keeps what it gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.templates import spark

_LOCAL = ("localhost", "127.0.0.1")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A tutorial in one process that prints what it counts is what the source is for."""
    module = context.module
    yield from _of_dstreams(context)
    sinks = [sink for sink in module.frames.sinks() if sink.format and not sink.demo]
    for block in job.select("spark", ("reader",)):
        parent = job.parent(block)
        if block.trait("format") != "socket" or (parent is not None and spark.is_local(job, parent)):
            continue
        sink = next(
            (
                sink
                for sink in sinks
                if any(
                    module.span(_reader(module, at.node, at.spot), at.spot) == block.place.span
                    for frame in sink.frames
                    for at in frame.all()
                    if at.op == "readStream"
                )
            ),
            None,
        )
        if sink is not None:
            message = "lines that came in while the query was down, or that a failed batch had read, are lost: a socket cannot be read again from an offset"
            yield context.finding(message, block, [(module.place(sink.writer.node.attr, sink.writer.spot), f"written to {sink.format}")])


def _of_dstreams(context: Context) -> Iterator[Finding]:
    """The same of the old API, whose receivers keep what they were sent in memory; in a program that is `local` it is a demonstration there, too."""
    module = context.module
    kept = next(iter(module.named("foreachRDD", "saveAsTextFiles")), None)
    made = module.named("SparkContext", "setMaster", "master")
    if kept is None or any(module.string(node, call.spot).startswith("local") for call in made if (node := _master(call)) is not None):
        return
    for call in module.named("socketTextStream"):
        if any(one.type == "spark.StreamingContext" for one in module.receivers(call)):
            host = call.argument(0, "hostname")
            near = host is not None and module.string(host, call.spot) in _LOCAL
            message = "lines that came in while the stream was down, or that a failed batch had read, are lost: a socket cannot be read again from an offset"
            related = [(module.call_place(kept), "kept here")]
            yield context.finding(message, module.call_place(call), related, confidence="low" if near else "medium")


def _master(call: Call) -> Any:
    return call.argument(0, "master") if call.name != "SparkContext" or not call.has_keyword("conf") else None


def _reader(module: Any, node: Any, spot: Any) -> Any:
    """The name `readStream` in the chain that a `load()` ends, or in that of a reader that is assigned to a name."""
    at = node
    for _ in range(100):
        if isinstance(at, cst.Attribute) and at.attr.value == "readStream":
            return at.attr
        if isinstance(at, cst.Name):
            found = [binding for binding, _ in module.lookup(at.value, spot)]
            if len(found) != 1 or found[0].kind != "assign":
                break
            at, spot = found[0].node, found[0].spot
        elif isinstance(at, (cst.Call, cst.Attribute)):
            at = at.func if isinstance(at, cst.Call) else at.value
        else:
            break
    return node
