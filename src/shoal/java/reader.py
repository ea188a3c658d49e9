"""Java source as facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.model import DATA, LeftOut, Place, Span
from shoal.text import Text

if TYPE_CHECKING:
    from shoal.readers import Reading

# What shoal has anything to say about, as it is imported or written out.
_CONCERNS = pattern(
    r"(?:org\.(?:apache\.(?:flink|kafka|beam)|springframework\.kafka)|io\.vertx\.kafka|microprofile\.reactive\.messaging)\b"
)
# Of Spark, what makes a session, or reads or writes streams: batch programs beside them only use it.
_SPARK = pattern(r"\b(?:SparkSession|SparkConf|readStream|writeStream|VoidFunction2)\b")
# What keeps a consumer of Spring's from reading an undecodable record for ever.
_DECODING = pattern(
    r"\bErrorHandlingDeserializer2?\b|\bhandleOtherException\b|\b\w*ContainerStopping\w*ErrorHandler\b|\bRecordDeserializationException\b"
)
_DATES = pattern(
    r'\b(?:SimpleDateFormat|FastDateFormat|ofPattern|forPattern|to_timestamp|to_date|date_format)\s*\(|"(?:date|timestamp\w*)Format"'
)
_LISTENS = pattern(r"@KafkaListener\b|@KafkaListeners\b|\bMessageListenerContainer\b")
# An engine's own source; what its project shows others, they copy.
_LIBRARY = pattern(
    r"^\s*package\s+org\.apache\.(?:flink|kafka|beam|spark|hadoop|hive|iceberg|hudi|paimon|fluss|pulsar)\b"
    r"(?![\w.]*\.(?:playgrounds?|examples?|training|tutorials?|walkthroughs?|quickstart)\b)",
    re.MULTILINE,
)


def read(text: Text, out: Reading) -> None:
    """Read a file. What does not parse (it may be newer Java than the grammar's) is passed over and said to be; the rest is still read."""
    source = text.text
    wanted = [name for name in out.told.wanted if name != DATA] if out.told else []
    if wanted:
        _give(source, wanted, out)
    of_spark = "org.apache.spark" in source and _SPARK.search(source) is not None
    if not of_spark and not _CONCERNS.search(source):
        return
    if _LIBRARY.search(source) and "void main(" not in source:  # an engine's own source, not a job's
        return
    from shoal.java import (
        clients,
        commits,
        drops,
        flink,
        identity,
        kafka,
        kept,
        nulls,
        operators,
        programs,
        requests,
        retries,
        serial,
        sources,
        uids,
        unsent,
        unset,
        windows,
        writes,
    )
    from shoal.java.sheet import Sheet
    from shoal.java.source import Source

    parsed = Source(out.path, source, dict(out.told.constants) if out.told else None)
    if (strange := parsed.strange()) is not None:
        line = source.count("\n", 0, strange) + 1
        out.left_out.append(LeftOut(out.path, "partly-read", f"line {line}: not the Java that shoal knows, and passed over"))
    sheet = Sheet(parsed, out)
    if "org.apache.flink" in source:
        flink.collect(sheet)
        operators.collect(sheet)
        writes.collect(sheet)
        drops.collect(sheet)
        kept.collect(sheet)
        serial.collect(sheet)
        uids.collect(sheet)
        nulls.collect(sheet)
        clients.collect(sheet)
        unset.collect(sheet)
        windows.collect(sheet)
        programs.collect(sheet)
        sources.collect(sheet)
        if "FileSystem.initialize(" in source:
            out.facts.append(Usage("sets-up-file-systems", "", Place(out.path, Span(0, 0))))
    if "org.apache.flink" in source or "org.apache.kafka" in source or "org.apache.beam" in source:
        identity.collect(sheet)
        retries.collect(sheet)
    if any(home in source for home in ("org.apache.kafka", "org.springframework.kafka", "io.vertx.kafka")):
        kafka.collect(sheet)
        unsent.collect(sheet)
        commits.collect(sheet)
        if handled := _DECODING.search(source):
            out.facts.append(Usage("decoding-failures-handled", handled.group(), Place(out.path, Span(0, 0))))
        if listens := _LISTENS.search(source):
            out.facts.append(Usage("kafka-listener", listens.group(), Place(out.path, Span(0, 0))))
            writes.of_listeners(sheet)
        if "cknowledgment" in source or "AckMode" in source:
            commits.acknowledged(sheet)
    if "reactive.messaging" in source and "@Incoming" in source:
        writes.of_channels(sheet)
    if "org.apache.kafka.connect" in source:
        from shoal.java import connect

        connect.collect(sheet)
    if "offset.storage" in source or "OFFSET_STORAGE" in source:
        from shoal.java import debezium

        debezium.collect(sheet)
    if "org.apache.beam" in source:
        from shoal.java import beam

        beam.collect(sheet)
        drops.of_beam(sheet)
        clients.of_beam(sheet)
        programs.of_beam(sheet)
        requests.of_beam(sheet)
    if of_spark:
        from shoal.java import spark

        spark.collect(sheet)
        programs.of_spark(sheet)
    if _DATES.search(source):
        from shoal.java import dates

        dates.collect(sheet)
    if "Hadoop" in source or "CatalogLoader" in source:
        from shoal.java import iceberg

        iceberg.collect(sheet)
    if out.facts or "org.apache.flink" in source:  # one without facts may lead to others
        sheet.imports()
    out.facts += [Usage("asks", name, Place(out.path, Span(0, 0))) for name in parsed.asked]


def _give(source: str, wanted: list[str], out: Reading) -> None:
    """The constants that other classes take from those of this file, which itself may speak of no engine."""
    from shoal.java.source import Source

    parsed = Source(out.path, source, dict(out.told.constants) if out.told else None)
    found = ((name, parsed.constant(name)) for name in wanted)
    out.facts += [Usage("has", f"{name}={value}", Place(out.path, Span(0, 0))) for name, value in found if value]
    out.facts += [Usage("asks", name, Place(out.path, Span(0, 0))) for name in parsed.asked]
