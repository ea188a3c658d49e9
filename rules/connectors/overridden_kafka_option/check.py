"""`properties.auto.offset.reset` beside a startup mode that does not ask the group; a `transactional.id` of a sink that makes its own."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_SAME = {"earliest": "earliest-offset", "latest": "latest-offset"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where both say the same, nobody is misled yet: a hint only."""
    for table in tables.readers(job, "kafka"):
        mode, reset = tables.option(job, table, tables.STARTUP), tables.option(job, table, tables.RESET)
        # the older source without a starting point begins at its group's offsets, and asks this option where there are none
        by_default = mode is None and table.role == "source" and table.trait("legacy") != "true"
        if by_default and not table.open and reset is not None and (reset.sure == "default" or tables.text(reset) in ("latest", "none")):
            given = "what is given for auto.offset.reset" if reset.sure == "default" else f"auto.offset.reset={tables.text(reset)}"
            message = f"{given} has no effect: a source that is given no starting offsets starts at the earliest offset, and sets the option by that"
            yield context.finding(message, reset)
        said, wanted = tables.text(mode), tables.text(reset)
        if mode is None or reset is None or reset.value_span == mode.value_span or not said or not wanted or said == "group-offsets":
            continue
        message = f"auto.offset.reset={wanted} has no effect: the {table.role} starts at {said}, and the connector sets the option by that"
        same = _SAME.get(wanted) == said
        yield context.finding(message, reset, [(mode, "this decides")], severity="info" if same else "", confidence="low" if same else "")
    for sink in job.select("flink", ("table", "sink")):
        own = tables.option(job, sink, "properties.transactional.id")
        if own is None or sink.trait("connector") not in ("kafka", "upsert-kafka") or sink.trait("legacy") == "true":
            continue
        # of other guarantees speaks transactional-id-without-exactly-once; read in the sources of flink-connector-kafka 1.14 to 3.4.0
        chosen, guarantee = tables.guarantee(job, sink)
        if chosen is not None and guarantee == "exactly-once":
            message = "transactional.id has no effect: each producer of an exactly-once sink is given an id of its own, which begins with the sink's transactional id prefix"
            yield context.finding(message, own, [(chosen, "the guarantee")])
