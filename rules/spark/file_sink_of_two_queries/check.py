"""The same `path` in two streaming writers of files, or in one that is started several times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_MESSAGE = (
    "{} {}: they keep the list of finished files in one _spark_metadata, so the batches of one are taken for those of the other and dropped"
)
_FILES = frozenset(["parquet", "json", "csv", "orc", "text", "avro"])


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Tables of Delta, Iceberg and Hudi have a log made for several writers."""
    seen: dict[str, Setting] = {}
    for block in job.select("spark", ("writer",)):
        path = spark.option(job, block, "path")
        if block.trait("format") not in _FILES or not block.trait("start") or path is None or not path.known or path.sure == "branch":
            continue
        name = path.text.strip().rstrip("/")
        first = seen.setdefault(name, path)
        if first is not path and first.value_span != path.value_span:
            yield context.finding(_MESSAGE.format("two queries write", name), path, [(first, "the same folder")])
    if context.module is not None:
        yield from _started_again(context)


def _started_again(context: Context) -> Iterator[Finding]:
    """A helper that is called more than once, or a loop, whose query writes to a folder that does not depend on the call or the round."""
    from shoal.python.repeated import ends, started_again, started_in_loop, the_same
    from shoal.python.tree import chain

    module: Any = context.module
    for call in module.named("start"):
        written = chain(call).get("format")
        form = module.string(written.argument(0, "source"), written.spot) if written is not None else ""
        if form not in _FILES or module.receiver_type(call) != "spark.Writer":
            continue
        loop = started_in_loop(module, call)
        if loop is None and (call.function is None or ends(call.function.calls)):
            continue
        sites = started_again(module, call.function) if loop is None else []
        node = _path(module, call) if sites or loop is not None else None
        folder = the_same(module, node, call, sites, loop) if node is not None else ""
        if folder:
            many = "each round starts a query that writes" if loop is not None else f"every query that {call.function.name}() starts writes"
            related = [(module.call_place(site), "called here") for site in sites]
            yield context.finding(_MESSAGE.format(many, folder), module.place(node, call.spot), related, confidence="medium")


def _path(module: Any, call: Any) -> Any:
    """The folder that a query is started with, or that an option of the same statement names."""
    named = (one for one in module.named("option") if one.spot.statement == call.spot.statement and len(one.node.args) == 2)
    told = (one.node.args[1].value for one in named if module.string(one.node.args[0].value, one.spot).lower() == "path")
    return call.argument(0, "path") or next(told, None)
