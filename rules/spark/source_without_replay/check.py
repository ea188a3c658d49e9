"""`format("socket")`, which cannot be read again from an offset, in front of a sink that keeps what it gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A tutorial in one process that prints what it counts is what the source is for."""
    module = context.module
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
