"""Names of options that the two JDBC sinks do not share, by JdbcSinkConfig of Confluent's 10.8 and JdbcSinkConnectorConfig of Debezium's 3.2."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.kafka import JDBC_SINKS

# What one calls it -> what the other does; Aiven's sink has the names of Confluent's, of which it is a copy.
_DEBEZIUM_SAYS = {
    "auto.create": "schema.evolution",
    "auto.evolve": "schema.evolution",
    "connection.user": "connection.username",
    "pk.fields": "primary.key.fields",
    "pk.mode": "primary.key.mode",
}
_OTHERS_SAY = {
    "connection.username": "connection.user",
    "primary.key.fields": "pk.fields",
    "primary.key.mode": "pk.mode",
    "schema.evolution": "auto.create and auto.evolve",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        made_of = job.get(block, "connector.class")
        called = JDBC_SINKS.get(verbatim(made_of)) if made_of is not None else None
        if made_of is None or called is None:
            continue
        names, whose = (_DEBEZIUM_SAYS, "Debezium's") if called == "primary.key" else (_OTHERS_SAY, "Confluent's and Aiven's")
        for setting in job.of(block):
            right = names.get(setting.key)
            if right is None:
                continue
            there = job.written(block, right)
            message = f"{setting.key} has no effect: {whose} JDBC sink calls it {right}"
            # a mode of evolution is no flag, and two options are not one
            fixes = (
                [context.rename(setting, right, f"rename it to {right}", "unsafe")]
                if there is None and "schema.evolution" not in (setting.key, right)
                else []
            )
            related = [(made_of, "the sink"), *([(there, "which is set here")] if there is not None else [])]
            yield context.finding(message, setting.key_place(), related, "" if there is None else "info", fixes=fixes, covers=[setting])
