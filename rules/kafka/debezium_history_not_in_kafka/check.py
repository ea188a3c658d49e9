"""Where a Debezium connector keeps the history of schemas, without which its offsets are of no use."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_OPTIONS = ("schema.history.internal", "database.history")
_FILE = ("io.debezium.storage.file.history.FileSchemaHistory", "io.debezium.relational.history.FileDatabaseHistory")
_MEMORY = ("io.debezium.relational.history.MemorySchemaHistory", "io.debezium.relational.history.MemoryDatabaseHistory")
_WITH_HISTORY = ("mysql.", "mariadb.", "sqlserver.", "oracle.", "db2.", "informix.")
# With these it is not made anew when it is missing.
_MODES = ("initial", "initial_schema_only", "schema_only", "no_data", "never")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        kind = verbatim(job.written(block, "connector.class"))
        mode = job.written(block, "snapshot.mode")
        if not kind.startswith(tuple(f"io.debezium.connector.{name}" for name in _WITH_HISTORY)):
            continue
        if mode is not None and (not mode.known or text(mode) not in _MODES):
            continue
        if block.trait("program") or any(
            setting.key == "offset.storage" or setting.key.startswith("offset.storage.") for setting in job.of(block)
        ):
            continue  # Debezium's own engine, which keeps its offsets as it is told
        for key in _OPTIONS:
            history, file = job.written(block, key), job.written(block, f"{key}.file.filename")
            if history is not None and verbatim(history) in _MEMORY:
                message = "the history of schemas is in memory, the offsets are in Kafka: a connector that starts again has none, and fails"
                yield context.finding(message, history)
            elif history is not None and verbatim(history) in _FILE and block.form != "properties":
                # a properties file is for a standalone worker, which has its offsets in a file, too
                name = f" ({verbatim(file)})" if verbatim(file) else ""
                message = f"the history of schemas is in a file of one worker{name}, the offsets are in Kafka: "
                message += "a connector that another worker or a new container starts has no history, and fails"
                yield context.finding(message, history, [(file, "the file")] if file is not None else [])
