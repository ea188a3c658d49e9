"""Options of Debezium's connectors that none of them has, and that look much like one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from shoal import catalogue
from shoal.catalogue.nearest import Speller
from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import text

_KIND = pattern(
    r"\s*io\.debezium\.connector\.(?:postgresql|mysql|mariadb|sqlserver|oracle|mongodb|db2|informix|vitess|spanner)\.(?!\w*Sink)\w+\s*"
)
# What is handed on, what Connect itself reads, and what the user names.
_OTHERS = pattern(
    r"(?:database|driver|schema\.history|signal|notification|transforms|predicates|(?:key|value|header)\.converter|producer|consumer|admin|errors|topic|internal|"
    r"spec|openlineage|post\.processors|snapshot\.select|column\.(?:mask|truncate|propagate)|datatype|offsets?|exactly|tasks?|transaction|config|gcp|vitess|confluent|cloud)\.|[^.]+$"
)
# Source: ColumnMappers.create, which takes `column\\.mask\\.with\\.(\\d+)\\.chars` and the like.
_COUNTED = pattern(r"(column\.(?:mask\.with|truncate\.to))\.(\w+)\.chars$")
# What Debezium's options are called where another program hands them on, and whose they are.
_OWNERS = {"debezium.source.": "Debezium Server", "debezium.": "Flink CDC"}
_PREFIXED = pattern(r"debezium\.source\.|debezium\.")
# Options of Flink CDC's own connectors.
_OF_CDC = pattern(r"scan\.(?:startup\.|incremental\.|snapshot\.|newly-added|read-changelog|parse\.|lsn-commit)")
# Values that one option alone takes.
_TELLING = {
    "adaptive_time_microseconds": "time.precision.mode",
    "pgoutput": "plugin.name",
    "decoderbufs": "plugin.name",
    "schema_only": "snapshot.mode",
    "when_needed": "snapshot.mode",
    "initial_only": "snapshot.mode",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        kind = job.get(block, "connector.class")
        if kind is None or not kind.known or not _KIND.fullmatch(kind.text):
            continue
        own = _named(job, block)
        for setting in job.of(block):
            key = setting.key
            if (counted := _COUNTED.match(key)) is not None and not counted[2].isdecimal():
                message = f"Debezium does not see `{key}`, so these columns are left as they are: the number of characters stands in the option's name, as in {counted[1]}.20.chars"
                yield context.finding(message, setting.key_place(), covers=[setting])
                continue
            if (prefix := _PREFIXED.match(key)) is not None and key[prefix.end() :] in catalogue.debezium():
                message = f"Debezium does not see `{key}`: the prefix is that of {_OWNERS[prefix[0]]}, and here the option is called {key[prefix.end() :]}"
                yield context.finding(message, setting.key_place(), covers=[setting])
                continue
            if _OF_CDC.match(key):
                message = f"Debezium has no option `{key}`, so it has no effect: it is one of Flink CDC's"
                yield context.finding(message, setting.key_place(), covers=[setting])
                continue
            if _OTHERS.match(key) or key in catalogue.debezium() or key.startswith(own):
                continue
            meant = _meant(setting)
            if meant:
                there = job.written(block, meant[0]) if len(meant) == 1 else None
                names = " or ".join(f"`{one}`" for one in meant)
                message = f"Debezium has no option `{key}`, so it has no effect: did you mean {names}?"
                fixes = (
                    [context.rename(setting, meant[0], f"rename it to {meant[0]}", "unsafe")] if len(meant) == 1 and there is None else []
                )
                related = [(there, "which is set here")] if there is not None else []
                yield context.finding(message, setting.key_place(), related, fixes=fixes, covers=[setting])


def _named(job: Job, block: Block) -> tuple[str, ...]:
    """Beginnings of the options of converters and post-processors, to which the connector gives names."""
    lists = [text(job.written(block, key)) for key in ("converters", "post.processors")]
    return tuple(f"{name.strip()}." for one in lists for name in one.split(",") if name.strip())


def _meant(setting: Setting) -> list[str]:
    told = _TELLING.get(setting.text.strip().lower()) if setting.known else None
    return [told] if told else _speller().nearest(setting.key, 2)


@cache
def _speller() -> Speller:
    return Speller({name: name for name, documented in catalogue.debezium().items() if documented})
