"""Options under `iceberg.` that neither Apache's sink (1.6 to 1.11) nor Tabular's reads, and those that are Tabular's alone."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import iceberg_sink
from shoal.templates.common import text, verbatim

_OF_TABLES = (
    "dynamic-enabled",
    "route-field",
    "default-commit-branch",
    "default-id-columns",
    "default-partition-by",
    "auto-create-enabled",
)
_OF_SCHEMAS = ("evolve-schema-enabled", "schema-force-optional", "schema-case-insensitive", "cdc-field", "upsert-mode-enabled")
_OF_CONTROL = ("topic", "group-id", "group-id-prefix", "commit.interval-ms", "commit.timeout-ms", "commit.threads")
_KNOWN = {f"iceberg.tables.{one}" for one in (*_OF_TABLES, *_OF_SCHEMAS)} | {f"iceberg.control.{one}" for one in _OF_CONTROL}
# Properties are handed on under these; a table's own stand under its name.
_OPEN = pattern(
    r"iceberg\.tables\.(?:auto-create-props|write-props|deadletter)\..*|iceberg\.table\..+\.(?:commit-branch|id-columns|partition-by|route-regex)"
)
_JUDGED = pattern(r"iceberg\.(?:tables?|control)\.[a-z].*")
_CAMEL = pattern(r"[A-Z]")  # names of Tabular's first releases
_CHANGES = ("iceberg.tables.cdc-field", "iceberg.tables.upsert-mode-enabled")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, named in iceberg_sink.sinks(job):
        apache = verbatim(named) == iceberg_sink.APACHE
        for setting in job.of(block):
            key = setting.key
            if apache and key in _CHANGES and text(setting) != "false":
                message = (
                    f"{key} has no effect in Apache's sink, which appends alone: an update becomes a further row, and a deleted one stays"
                )
                yield context.finding(message, setting.key_place(label=key), [(named, "the connector")], covers=[setting])
            elif _JUDGED.fullmatch(key) and key not in _KNOWN and not _OPEN.fullmatch(key) and (apache or not _CAMEL.search(key)):
                near = difflib.get_close_matches(key, sorted(_KNOWN), 1, 0.75)
                meant = f"; {near[0]} may be meant" if near else ""
                yield context.finding(
                    f"the Iceberg sink has no option {key}, so it has no effect{meant}", setting.key_place(label=key), covers=[setting]
                )
