"""Options that the connectors of pipelines require, by their factories, and what these ask for later."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc
from shoal.templates.common import text

# What no factory calls required, and who leaves it out gets a NullPointerException, or an error of the catalog, in its place.
_ASKED_FOR = {
    ("sink", "kafka"): ("properties.bootstrap.servers",),
}
# Required with a default: nobody has to write it.
_WITH_DEFAULT = ("port", "version")
_WAREHOUSES = ("catalog.properties.warehouse", "catalog.properties.uri")


def check(job: Job, context: Context) -> Iterator[Finding]:
    nested = {oddity.block for oddity in job.oddities if oddity.kind == "cdc-nested"}
    for block in job.select("flink-cdc", ("source", "sink")):
        if block.open or block.id in nested:
            continue
        missing = [key for key in _required(block) if job.get(block, key) is None]
        if text(job.written(block, "catalog.properties.metastore")) == "filesystem" and job.written(block, _WAREHOUSES[0]) is None:
            missing.append(_WAREHOUSES[0])
        if missing:
            lacks = " and ".join(missing)
            message = f"the pipeline is refused: a {block.trait('connector')} {block.role} needs {lacks}, which {'is' if len(missing) == 1 else 'are'} not set"
            yield context.finding(message, job.written(block, "type") or block)


def _required(block: Block) -> list[str]:
    known = cdc.options(block)
    if known is None:
        return []
    newest = known.versions[-1]
    required = [key for key in known.keys(newest) if (option := known.option(key, newest)) is not None and option.required]
    asked = _ASKED_FOR.get((block.role, block.trait("connector")), ())
    return [*(key for key in required if key not in _WITH_DEFAULT), *asked]
