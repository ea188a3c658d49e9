"""Options in `WITH (…)` that the connector's own classes mark as deprecated, from the version in use on."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.templates import tables

_INSTEAD = {
    "lookup.cache.max-rows": "lookup.partial-cache.max-rows, with lookup.cache = PARTIAL",
    "lookup.cache.ttl": "lookup.partial-cache.expire-after-write, with lookup.cache = PARTIAL",
    "lookup.cache.caching-missing-key": "lookup.partial-cache.cache-missing-key",
    "sink.semantic": "sink.delivery-guarantee",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where no version is known, the newest counts."""
    for table in tables.tables(job, *tables.STRICT, "elasticsearch-7"):
        version = job.version("flink", table)
        for setting in job.of(table):
            option = None if tables.is_passed_on(job, table, setting.key) else tables.described(table, setting.key)
            if option is None or option.prefix or option.key != setting.key or option.deprecated is None:
                continue
            if version is not None and version.parts[:2] < numbers(option.deprecated):
                continue
            instead = _INSTEAD.get(setting.key, "")
            message = f"{setting.key} is deprecated since Flink {option.deprecated}{', use ' + instead if instead else ''}"
            yield context.finding(message, setting.key_place(label=setting.key), covers=[setting])
