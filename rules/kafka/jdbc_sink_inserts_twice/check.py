"""`insert.mode` of a JDBC sink, which is delivered some records twice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import text, verbatim
from shoal.templates.kafka import JDBC_SINKS

_INSERTS = ("insert", "multi")  # Aiven's `multi` puts several rows into one INSERT

_CAMEL = pattern(r"camel\.kamelet\.(?:postgresql|mysql|mariadb|sqlserver|oracle-database)-sink\.query")
_PLAIN = pattern(r"\s*insert\s+into\b(?!.*\b(?:on\s+conflict|on\s+duplicate\s+key|not\s+exists)\b).*", re.IGNORECASE | re.DOTALL)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        for setting in job.of(block):
            if _CAMEL.fullmatch(setting.key) and setting.known and _PLAIN.fullmatch(verbatim(setting)):
                message = "Connect delivers at least once, and a record that comes again makes a second row with this INSERT, unless the table refuses it and the task fails"
                yield context.finding(message, setting, confidence="low")
        made_of = job.get(block, "connector.class")
        prefix = JDBC_SINKS.get(verbatim(made_of))
        mode, key, fields = (job.get(block, name) for name in ("insert.mode", f"{prefix}.mode", f"{prefix}.fields"))
        if made_of is None or prefix is None or (mode is None and block.open) or (mode is not None and text(mode) not in _INSERTS):
            continue
        keyed = key is not None and (not key.known or text(key) != "none")
        if keyed and text(job.get(block, "errors.tolerance")) == "all":
            continue  # what comes again is refused by the database, and put aside
        shown = f"insert.mode is {verbatim(mode)}" if mode is not None else "insert.mode is not set, and insert by default"
        name = f" ({verbatim(fields)})" if verbatim(fields) else ""
        then = (
            f"violates the primary key{name}, and the task fails"
            if keyed
            else "makes a second row, unless the table refuses it and the task fails"
        )
        message = f"{shown}: Connect delivers at least once, and a record that comes again {then}"
        at = mode or (key if keyed else None) or made_of
        related = [(one, "the primary key") for one in (key, fields) if one is not None and one is not at and keyed]
        yield context.finding(message, at, related, confidence="" if mode is not None or keyed else "low")
