"""A history of schemas given to Debezium's PostgreSQL connector, a replication slot or the name of a database to its MySQL connector."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_KIND = pattern(r"\s*io\.debezium\.connector\.(postgresql|mysql|mariadb|sqlserver|oracle|mongodb)\.\w+\s*")
_WITH_HISTORY = ("mysql", "mariadb", "sqlserver", "oracle")
# Which options, which connectors have them, what they are about.
_OWNERS = (
    (
        pattern(r"(?:schema\.history\.internal|database\.history)(?:\..+)?|include\.schema\.changes"),
        _WITH_HISTORY,
        "keeps no history of schemas",
    ),
    (pattern(r"plugin\.name|slot\.\w[\w.]*|publication\.\w[\w.]*"), ("postgresql",), "has no replication slots and publications"),
    (pattern(r"database\.server\.id|gtid\.source\.\w+"), ("mysql", "mariadb"), "reads no binlog"),
    (
        pattern(r"database\.dbname"),
        ("postgresql", "sqlserver", "oracle"),
        "comes to the server as a whole, of which database.include.list takes databases",
    ),
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for what belongs together, at its first option."""
    for block in job.select("kafka-connect", ("connector",)):
        kind = job.get(block, "connector.class")
        named = _KIND.fullmatch(kind.text) if kind is not None and kind.known else None
        if kind is None or named is None or any(setting.key.startswith("openlineage.") for setting in job.of(block)):
            continue  # OpenLineage takes the brokers from the history's options, whatever the connector
        seen: dict[str, list[Setting]] = {}
        for setting in job.of(block):
            why = _foreign(setting.key, named)
            if why:
                seen.setdefault(why, []).append(setting)
        for why, (first, *others) in seen.items():
            named_all = " and ".join(f"`{setting.key}`" for setting in (first, *others[:2]))
            message = f"{named_all} {'have' if others else 'has'} no effect: the connector {why}"
            related = [(kind, "the connector"), *((other, "nor has this") for other in others[:4])]
            yield context.finding(message, first.key_place(), related, covers=[first])


def _foreign(key: str, named: re.Match[str]) -> str:
    return next((why for options, owners, why in _OWNERS if named.group(1) not in owners and options.fullmatch(key)), "")
