"""Durations, numbers, booleans and enumerations in `WITH (…)`, by the connector's own types and Flink's grammar."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables
from shoal.values import Bad
from shoal.values.flink import parse

_MEANT = {
    "earliest": "earliest-offset",
    "latest": "latest-offset",
    "group": "group-offsets",
    "exactlyonce": "exactly-once",
    "atleastonce": "at-least-once",
}
_UNREAD = ("property-version",)  # FactoryUtil lets its key stand, and asks for no value
_TYPES = frozenset({"duration", "memory", "boolean", "int", "long", "enum"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, *tables.STRICT, hints=True):
        for setting in job.of(table):
            option = tables.described(table, setting.key) if setting.known else None
            if option is None or option.type not in _TYPES or (option.type == "enum" and not option.values) or setting.key in _UNREAD:
                continue
            value = setting.text.strip()
            read = parse(option.type, value, option.values)
            if not isinstance(read, Bad):
                continue
            meant = read.suggestion
            if option.type == "enum":
                meant = _meant(value, option.values)
                message = f"the statement is refused: {setting.key} takes {', '.join(option.values)}, not `{value}`"
            else:
                message = f"the statement is refused: {setting.key} cannot be `{value}`: {read.why}"
            fixes = [context.replace(setting, meant, f"write {meant}", "safe")] if meant else []
            yield context.finding(message, setting, fixes=fixes)


def _meant(value: str, allowed: tuple[str, ...]) -> str | None:
    """What can only be meant: the same letters with other separators, or the Kafka client's word."""
    bare = value.lower().replace("_", "").replace("-", "").replace(" ", "")
    for one in allowed:
        if one.lower().replace("_", "").replace("-", "") == bare:
            return one
    return next((one for one in allowed if one == _MEANT.get(bare)), None)
