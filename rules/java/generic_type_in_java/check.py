"""Types given to Flink of which it knows nothing: the first of each file."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Usage
from shoal.job import Job
from shoal.model import Finding

# Flink 2.0 has serializers for these; before that a class alone or with what it holds was a generic type.
_SINCE_TWO = ("Map", "List", "Set", "Collection")
_INSTEAD = {
    "RowData": "InternalTypeInfo.of(rowType)",
    "GenericRowData": "InternalTypeInfo.of(rowType)",
    "Row": "Types.ROW_NAMED(…)",
    "Map": "Types.MAP(…)",
    "List": "Types.LIST(…)",
    "GenericRecord": "GenericRecordAvroTypeInfo",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    off = job.effective_anywhere("flink", "pipeline.generic-types")
    refused = off is not None and off.known and off.text.strip().lower() == "false"
    version = job.version("flink")
    files: dict[str, list[Usage]] = {}
    for usage in job.usages("generic-type"):
        if usage.detail.rpartition(".")[2] not in _SINCE_TWO or version is None or version.below("2.0"):
            files.setdefault(usage.place.path, []).append(usage)
    for first, *others in files.values():
        name = first.detail.rpartition(".")[2]
        better = f" ({_INSTEAD[name]} says what it holds)" if name in _INSTEAD else ""
        related = [(usage.place, usage.detail) for usage in others[:5]]
        if refused and off is not None:
            message = f"{name} is a generic type here{better}, and the job is refused: generic types are turned off"
            yield context.finding(message, first.place._replace(label=name), [(off, "turned off"), *related], "error", "medium")
        else:
            message = f"{name} is a generic type here{better}: Kryo serializes it with each step, slowly, and state that holds it cannot be read any more once its class changes"
            yield context.finding(message, first.place._replace(label=name), related)
