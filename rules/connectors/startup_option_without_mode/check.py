"""`scan.startup.timestamp-millis` and its like beside another mode than theirs: connectors check what a mode needs, not what it leaves unread."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc, tables

# Connector: the mode by default, and the options by the mode that reads them.
_MODES = {
    ("kafka", "startup"): ("group-offsets", {"timestamp-millis": "timestamp", "specific-offsets": "specific-offsets"}),
    ("kafka", "bounded"): ("unbounded", {"timestamp-millis": "timestamp", "specific-offsets": "specific-offsets"}),
    ("upsert-kafka", "bounded"): ("unbounded", {"timestamp-millis": "timestamp", "specific-offsets": "specific-offsets"}),
    ("mysql-cdc", "startup"): (
        "initial",
        {
            "timestamp-millis": "timestamp",
            "specific-offset.file": "specific-offset",
            "specific-offset.pos": "specific-offset",
            "specific-offset.gtid-set": "specific-offset",
        },
    ),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for (connector, side), (default, modes) in _MODES.items():
        pipelines = cdc.sources(job, "mysql") if connector == "mysql-cdc" else ()
        for table in (*tables.tables(job, connector), *pipelines):
            mode = tables.option(job, table, f"scan.{side}.mode")
            if (mode is None and (table.open or table.trait("like"))) or (mode is not None and not mode.known):
                continue
            said = tables.text(mode) or default
            for name, wanted in modes.items():
                found = tables.option(job, table, f"scan.{side}.{name}")
                if found is None or said == wanted:
                    continue
                how = f"scan.{side}.mode is {said}" if mode is not None else f"scan.{side}.mode is not set, and {default} by default"
                message = f"{found.key} is read in mode {wanted} alone, and {how}: it changes nothing"
                yield context.finding(message, found.key_place(), [(mode, "the mode")] if mode is not None else [], covers=[found])
