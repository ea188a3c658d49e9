"""Options in `WITH (…)` that no known release of the connector takes; Flink checks these strictly."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, tables

# Connectors that come with Flink itself: no vendor gives them more options.
_WITH_FLINK = ("datagen", "print", "blackhole")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Kafka options without their prefix, and format options under the wrong one, are other rules' business."""
    for table in tables.tables(job, *tables.STRICT):
        kind = job.written(table, "type")
        if job.written(table, "connector") is None or (kind is not None and kind.text.strip() in ("source", "sink")):
            continue  # the latter are SeaTunnel's statements, which look like Flink's
        connector = table.trait("connector")
        passing = ("protobuf.", "value.protobuf.", "key.protobuf.") if tables.others_protobuf(job, table) else ()
        for setting in job.of(table):
            key = setting.key
            if key == "connector" or tables.is_passed_on(job, table, key) or tables.described(table, key):
                continue
            if key.startswith(passing) or ("." in key and "kafka" in connector and kafka.is_option(key)):
                continue
            from difflib import get_close_matches  # only now: 2 ms that most runs need not pay

            near = get_close_matches(key, tables.keys(connector, key), 1, 0.8)
            hint = f", did you mean {near[0]}?" if near else f"; {connector} tables have no such option"
            if connector == "upsert-kafka" and key.startswith("scan.startup."):
                hint = "; an upsert-kafka table always reads its topic from the start"
            if _is_unchecked(job, table, key):
                hint = hint if near else "; the format has no such option"
                yield context.finding(f"Flink ignores {key} without a word{hint}", setting, severity="warning")
                continue
            yield context.finding(
                f"the statement is refused: unsupported option {key}{hint}",
                setting,
                confidence="high" if near or connector in _WITH_FLINK else "",
            )


def _is_unchecked(job: Job, table: Block, key: str) -> bool:
    """Whether an option is one that a filesystem table takes for its format's, of which it refuses none. Tried on Flink 2.2 with csv and json."""
    form = job.written(table, "format")
    return table.trait("connector") == "filesystem" and form is not None and key.startswith(f"{form.text.strip()}.")
