"""Debezium's connectors for PostgreSQL that read some tables by pgoutput, and leave it to the connector to make a publication.

`publication.autocreate.mode` is `all_tables` where it is not set: where there is no publication of the name, the connector runs CREATE PUBLICATION … FOR ALL TABLES.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_CLASS = "io.debezium.connector.postgresql.PostgresConnector"
_SOME = ("table.include.list", "table.whitelist", "schema.include.list", "schema.whitelist")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A publication with a name of its own is often made by hand, for these tables."""
    for block in job.select("kafka-connect", ("connector",)):
        plugin = job.written(block, "plugin.name")
        some = next((found for key in _SOME if (found := job.written(block, key)) is not None), None)
        hidden = block.open and block.trait("program") != "debezium-server"
        if (
            plugin is None
            or some is None
            or hidden
            or text(plugin) != "pgoutput"
            or verbatim(job.written(block, "connector.class")) != _CLASS
        ):
            continue
        mode = job.written(block, "publication.autocreate.mode")
        if job.written(block, "publication.name") is not None or (mode is not None and text(mode) != "all_tables"):
            continue
        message = (
            "where there is no publication yet, the connector makes one for all tables of the database: only a superuser may, and PostgreSQL then refuses UPDATE and DELETE "
            "in every table without a primary key (publication.autocreate.mode=filtered)"
        )
        yield context.finding(message, mode or plugin, [(some, "the tables it reads")])
