"""Enumerated options of Kafka tables: startup and bounded mode, delivery guarantee, fields of the value."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_OFFSETS = ("latest-offset", "group-offsets", "timestamp", "specific-offsets")
_ALLOWED = {
    "scan.startup.mode": ("earliest-offset", *_OFFSETS),
    "scan.bounded.mode": ("unbounded", *_OFFSETS),
    "sink.delivery-guarantee": ("exactly-once", "at-least-once", "none"),
    "value.fields-include": ("ALL", "EXCEPT_KEY"),
}
_MEANT = {
    "earliest": "earliest-offset",
    "latest": "latest-offset",
    "group": "group-offsets",
    "exactlyonce": "exactly-once",
    "except-key": "EXCEPT_KEY",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, "kafka", "upsert-kafka", "dynamic-kafka", hints=True):
        for key, allowed in _ALLOWED.items():
            found = job.get(table, key)
            value = tables.text(found)
            if found is None or not value or value in {word.lower() for word in allowed}:
                continue
            dashed = value.replace("_", "-").removesuffix("-")
            meant = dashed if dashed in allowed else _MEANT.get(dashed, _MEANT.get(value.replace("-", ""), ""))
            message = f"the statement is refused: {key} takes {', '.join(allowed)}, not `{found.text.strip()}`"
            fixes = [context.replace(found, meant, f"write {meant}", "safe")] if meant in allowed else []
            yield context.finding(message, found, fixes=fixes)
