"""`value.converter` of a connector, against a sink whose columns come from the records' schema."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_JDBC = frozenset({"io.confluent.connect.jdbc.JdbcSinkConnector", "io.aiven.connect.jdbc.JdbcSinkConnector"})
_PARQUET = pattern(r"io\.confluent\.connect\.[\w.]+\.ParquetFormat")
_JSON = "org.apache.kafka.connect.json.JsonConverter"
_STRING = "org.apache.kafka.connect.storage.StringConverter"
# Transformations that make no schema where there was none: those of Kafka and of Debezium.
_PLAIN = ("org.apache.kafka.connect.transforms.", "io.debezium.transforms.")
# And one that makes a struct with one field of a text.
_HOIST = "org.apache.kafka.connect.transforms.HoistField"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where the worker's converter is used, and where a transformation of somebody's own may make a schema."""
    for block in job.select("kafka-connect", ("connector",)):
        made_of, format_class = job.get(block, "connector.class"), job.get(block, "format.class")
        if verbatim(made_of) in _JDBC:
            sink, then = made_of, "the task fails at its first record: a JDBC sink takes the columns from the record's schema"
        elif _PARQUET.fullmatch(verbatim(format_class)):
            sink, then = format_class, "the task fails at its first record: a Parquet file needs a schema"
        else:
            continue
        found = _without_schema(job, block)
        if found is not None and sink is not None:
            at, how = found
            yield context.finding(f"{then}, and {how}", at, [(sink, "what needs it")])


def _without_schema(job: Job, block: Block) -> tuple[Setting, str] | None:
    """What says that values have no schema of fields, and how it does."""
    converter, enabled = job.written(block, "value.converter"), job.written(block, "value.converter.schemas.enable")
    names = [name.strip() for name in verbatim(job.written(block, "transforms")).split(",") if name.strip()]
    # `Flatten$Value` looks like a variable of the shell, and is none
    types = [found.text if (found := job.written(block, f"transforms.{name}.type")) is not None else "" for name in names]
    listed = job.written(block, "transforms")
    if converter is None or (listed is not None and not listed.known) or not all(one.startswith(_PLAIN) for one in types):
        return None
    if verbatim(converter) == _JSON and enabled is not None and text(enabled) == "false":
        return enabled, "JSON without schemas has none"
    if verbatim(converter) == _STRING and not any(one.startswith(_HOIST) for one in types):
        return converter, "StringConverter gives a text"
    return None
