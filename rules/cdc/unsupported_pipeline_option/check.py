"""Options of a pipeline's source or sink that no release of the connector knows; since 3.2 the factories refuse them (3.2.0 was run)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.catalogue import Catalogue
from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc

# What the connectors of Flink SQL, and other tools, call it.
_CALLED = {
    "host": "hostname",
    "user": "username",
    "table": "tables",
    "table-name": "tables",
    "table-list": "tables",
    "bootstrap.servers": "properties.bootstrap.servers",
    "bootstrap-servers": "properties.bootstrap.servers",
    "replication_num": "table.create.properties.replication_num",
    "plugin.name": "decoding.plugin.name",
    "slot-name": "slot.name",
    "startup.mode": "scan.startup.mode",
    "timezone": "server-time-zone",
}
_PREFIXES = ("catalog.properties.", "catalog.", "table.", "scan.", "sink.")
# What pipelines always do, or are told elsewhere.
_ELSEWHERE = {
    "scan.incremental.snapshot.enabled": "a pipeline always reads its snapshot in increments",
    "parallelism": "`pipeline` has a parallelism, for all parts",
    "database-name": "the database is a part of each name in `tables`",
    "schema-name": "the schema is a part of each name in `tables`",
    "schema.change.behavior": "it is an option of `pipeline`",
    "local-time-zone": "it is an option of `pipeline`",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink-cdc", ("source", "sink")):
        known = cdc.options(block)
        if known is None:
            continue
        for setting in job.of(block):
            if known.option(setting.key) is None:
                yield _finding(job, context, block, setting, known)


def _finding(job: Job, context: Context, block: Block, setting: Setting, known: Catalogue) -> Finding:
    key, role = setting.key, f"{block.trait('connector')} {block.role}"
    meant = _meant(known, key)
    if meant:
        why = f", did you mean {meant}?"
    elif key in _ELSEWHERE:
        why = f": {_ELSEWHERE[key]}"
    else:
        why = ""
    free = meant and job.written(block, meant) is None
    fixes = [context.rename(setting, meant, f"rename it to {meant}", "unsafe")] if free else []
    if not cdc.checked(block):
        message = f"it has no effect: the {role} of a pipeline has no option {key}{why}"
        return context.finding(
            message, setting.key_place(), severity="warning", confidence="" if why else "low", fixes=fixes, covers=[setting]
        )
    message = f"the pipeline is refused: its {role} has no option {key}{why} (Flink CDC before 3.2 does not read it)"
    return context.finding(message, setting.key_place(), confidence="high" if why else "low", fixes=fixes, covers=[setting])


def _meant(known: Catalogue, key: str) -> str:
    called = _CALLED.get(key, "")
    candidates = (called, *(prefix + key for prefix in _PREFIXES))
    for candidate in candidates:
        option = known.option(candidate) if candidate else None
        if option is not None and (candidate == called or not option.prefix):
            return candidate
    return next(iter(known.nearest(key)), "")
