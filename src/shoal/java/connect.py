"""What Kafka Connect runs on the one thread of a task: sinks, sources and transformations in Java."""

from __future__ import annotations

from shoal.java.functions import kinds_of, with_helpers
from shoal.java.requests import unbounded_request
from shoal.java.sheet import Sheet

# The method that a task runs again and again, by the class that has it.
_RUN = {"SinkTask": "put", "SourceTask": "poll", "Transformation": "apply", "Predicate": "test"}


def collect(sheet: Sheet) -> None:
    source = sheet.source
    looked_at: set[int] = set()
    for method in source.methods:
        body, name = method.child_by_field_name("body"), source.name(method)
        if body is None or name not in _RUN.values():
            continue
        if any(_RUN.get(kind) == name for kind in kinds_of(sheet, method, "org.apache.kafka.connect.")):
            for run in with_helpers(sheet, body, looked_at):
                unbounded_request(sheet, run, name, "connect-request-unbounded")
