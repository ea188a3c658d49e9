"""Numbers, durations, words and zones in pipelines, by what the factories and the parser make of them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import cdc
from shoal.templates.common import text, verbatim
from shoal.values import Bad
from shoal.values.flink import parse

_TYPES = frozenset({"duration", "boolean", "int", "long", "enum"})
_STARTUP = "scan.startup.mode"
_MODES = {
    "mysql": ("initial", "earliest-offset", "latest-offset", "specific-offset", "timestamp", "snapshot"),
    "postgres": ("initial", "snapshot", "latest-offset", "committed-offset"),
    "oracle": ("initial", "snapshot", "latest-offset"),
}
_MEANT = {"earliest": "earliest-offset", "latest": "latest-offset", "specific-offsets": "specific-offset", "snapshot-only": "snapshot"}
_SERVER_ID = pattern(r"\s*\d+\s*(?:-\s*\d+\s*)?")
_CHANGES = ("include.schema.changes", "exclude.schema.changes")
# Single changes, and the families of SchemaChangeEventTypeFamily.
_TAGS = frozenset(
    [
        "add.column",
        "alter.column.type",
        "create.table",
        "drop.column",
        "drop.table",
        "rename.column",
        "truncate.table",
        "alter.table.comment",
        "all",
        "add",
        "alter",
        "create",
        "drop",
        "rename",
        "table",
        "column",
    ]
)
# Looked up by java.time.ZoneId.of: abbreviations of several zones are none, and Beijing has Shanghai's.
_NO_ZONES = ("Asia/Beijing", "CST", "PST", "PDT", "EDT", "CDT", "IST", "BST", "JST", "KST", "utc", "gmt")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink-cdc", ("pipeline", "source", "sink")):
        for setting in job.of(block):
            if setting.known and (found := _wrong(block, setting)):
                message, meant = found
                fixes = [context.replace(setting, meant, f"write {meant}", "safe")] if meant else []
                yield context.finding(f"the pipeline is refused: {message}", setting, fixes=fixes)


def _wrong(block: Block, setting: Setting) -> tuple[str, str] | None:
    """What is wrong with a value, and what must be meant, if that is certain."""
    key, value, kind = setting.key, verbatim(setting), block.trait("connector")
    if key == _STARTUP and kind in _MODES and block.role == "source":
        if text(setting) in _MODES[kind]:
            return None
        meant = _MEANT.get(text(setting), text(setting).replace("_", "-"))
        return f"{key} of a {kind} source is one of {', '.join(_MODES[kind])}, not `{value}`", meant if meant in _MODES[kind] else ""
    if key == "server-id" and kind == "mysql":
        first, _, last = value.partition("-")
        if _SERVER_ID.fullmatch(value) and (not last or int(first) <= int(last)):
            return None
        return f"server-id is a number or a range, such as 5400-5404, not `{value}`", ""
    if key == "server-time-zone" or (key == "local-time-zone" and block.role == "pipeline"):
        return (f"Java knows no time zone `{value}`", "Asia/Shanghai" if value == "Asia/Beijing" else "") if value in _NO_ZONES else None
    if key in _CHANGES:
        unknown = [tag for tag in value.split(",") if tag.strip() not in _TAGS]
        return (f"no change of a schema is called `{unknown[0].strip()}`", "") if unknown else None
    return _ill_typed(block, setting, value)


def _ill_typed(block: Block, setting: Setting, value: str) -> tuple[str, str] | None:
    known = cdc.options(block)
    option = known.option(setting.key) if known is not None else None
    if option is None or option.type not in _TYPES or (option.type == "enum" and not option.values):
        return None
    if option.type == "enum":
        if value.upper() in (one.upper() for one in option.values):
            return None
        bare = value.upper().replace("-", "").replace("_", "")
        meant = next((one for one in option.values if one.upper().replace("-", "").replace("_", "") == bare), "")
        return f"{setting.key} is one of {', '.join(option.values)}, not `{value}`", meant
    read = parse(option.type, value)
    return (f"{setting.key} cannot be `{value}`: {read.why}", read.suggestion or "") if isinstance(read, Bad) else None
