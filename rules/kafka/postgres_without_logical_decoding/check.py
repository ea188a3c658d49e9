"""Debezium and Flink CDC, against the container of PostgreSQL that they read."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.templates import cdc
from shoal.templates.common import verbatim

_CLASS = "io.debezium.connector.postgresql.PostgresConnector"
# What PostgreSQL brings along (10 and later); Debezium's own default is decoderbufs.
_OWN = ("pgoutput",)


def check(job: Job, context: Context) -> Iterator[Finding]:
    found = [(usage.place, *json.loads(usage.detail)) for usage in job.usages("plain-postgres")]
    named = [host for _, hosts, _ in found for host in hosts]
    seen: set[tuple[Place, str]] = set()
    for block, host, plugin in _readers(job) if found else ():
        image = next(
            ((place, level) for place, hosts, level in found if verbatim(host) in hosts and named.count(verbatim(host)) == 1), None
        )
        if image is None:
            continue
        place, level = image
        if level not in ("set", "told") and (place, "level") not in seen:
            seen.add((place, "level"))
            message = "change capture does not start: it asks for wal_level=logical, and this server has the default, replica; start it with `-c wal_level=logical`"
            yield context.finding(message, place, [(host, "reads it")], confidence="low" if level == "perhaps" else "")
        if plugin is None and block.engine == "flink-cdc":
            continue  # whose default is PostgreSQL's own
        if not block.open and (plugin is None or (plugin.known and verbatim(plugin) not in _OWN)):
            name = verbatim(plugin) or "decoderbufs"
            default = ", the default," if plugin is None else ""
            message = f"the connector does not start: the output plugin {name}{default} is not in the image that it reads; PostgreSQL's own is pgoutput"
            yield context.finding(message, plugin or host, [(place, "the image")])


def _readers(job: Job) -> Iterator[tuple[Block, Setting, Setting | None]]:
    """Who reads changes, the host that it asks, and the output plugin that it names."""
    for block in job.select("kafka-connect", ("connector",)):
        host = job.written(block, "database.hostname")
        if verbatim(job.written(block, "connector.class")) == _CLASS and host is not None and host.known:
            yield block, host, job.written(block, "plugin.name")
    for block in (*job.select("flink", ("table",)), *cdc.sources(job, "postgres")):
        host = job.written(block, "hostname")
        if block.trait("connector") in ("postgres-cdc", "postgres") and host is not None and host.known:
            yield block, host, job.written(block, "decoding.plugin.name")
