"""Options of Kafka tables that no release of the connector knows.

Read in KafkaDynamicTableFactory and UpsertKafkaDynamicTableFactory of connectors 3.2, 4.0 and main, and FactoryUtil of Flink 1.19 and 2.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_BOTH = frozenset(
    [
        "connector",
        "property-version",
        "topic",
        "topic-pattern",
        "key.format",
        "value.format",
        "key.fields-prefix",
        "value.fields-include",
        "sink.parallelism",
        "scan.parallelism",
        "scan.bounded.mode",
        "scan.bounded.specific-offsets",
        "scan.bounded.timestamp-millis",
        "scan.topic-partition-discovery.interval",
        "sink.delivery-guarantee",
        "sink.transactional-id-prefix",
        "sink.transaction-naming-strategy",
        "scan.watermark.emit.strategy",
        "scan.watermark.emit.on-event.gap",
        "scan.watermark.alignment.group",
        "scan.watermark.alignment.max-drift",
        "scan.watermark.alignment.update-interval",
        "scan.watermark.idle-timeout",
    ]
)
_OPTIONS = {
    "kafka": _BOTH
    | frozenset(
        [
            "format",
            "key.fields",
            "scan.startup.mode",
            "scan.startup.specific-offsets",
            "scan.startup.timestamp-millis",
            "sink.partitioner",
            "sink.semantic",
        ]
    ),
    "upsert-kafka": _BOTH | frozenset(["sink.buffer-flush.max-rows", "sink.buffer-flush.interval"]),
}
_FORMATS = re.compile(r"(?:key\.|value\.)?(?:raw|csv|protobuf|orc|parquet|(?:[a-z]+-)?json|(?:debezium-)?avro(?:-[a-z]+)?)\.")
_CLIENT = ("kafka-consumer", "kafka-producer", "kafka-admin")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Options of the client that lack their prefix, and of formats, are other rules' business; so is what only some vendor's connector has."""
    for table in tables.tables(job, *_OPTIONS):
        if job.written(table, "connector") is None:
            continue
        connector = table.trait("connector")
        known = _OPTIONS[connector]
        formats = tuple(
            f"{prefix}{found.text.strip()}."
            for key in ("format", "key.format", "value.format")
            if (found := job.written(table, key))
            for prefix in ("", "key.", "value.")
        )
        for setting in job.of(table):
            key = setting.key
            if key in known or key.startswith(("properties.", "aliyun.", "sr.", *formats)) or _FORMATS.match(key):
                continue
            if "." in key and any(catalogue.load(name).known(key) for name in _CLIENT):
                continue
            near = get_close_matches(key, known, 1, 0.8)
            hint = f", did you mean {near[0]}?" if near else f"; {connector} tables have no such option"
            if connector == "upsert-kafka" and key.startswith("scan.startup."):
                hint = "; an upsert-kafka table always reads its topic from the start"
            yield context.finding(f"the statement is refused: unsupported option {key}{hint}", setting, confidence="high" if near else "")
