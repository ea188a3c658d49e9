"""Spellings of Debezium 1 in a connector that is written for Debezium 2 or later."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_LISTS = ("database", "schema", "table", "column", "collection", "field")
_HISTORY = "database.history."
_NEW_HISTORY = "schema.history.internal."
_CLASS = "schema.history.internal"
_WITHOUT_HISTORY = (".mongodb.", ".postgresql.")
_RENAMED = {
    "database.history": _CLASS,
    "database.server.name": "topic.prefix",
    "mongodb.name": "topic.prefix",
    "heartbeat.topics.prefix": "topic.heartbeat.prefix",
    "transaction.topic": "topic.transaction",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """`topic.prefix` tells the version, as does the history's new name: Debezium 2 does not start without the one, and Debezium 1 has neither."""
    for block in job.select("kafka-connect", ("connector",)):
        kind, prefix = job.get(block, "connector.class"), job.get(block, "topic.prefix")
        if kind is None or not kind.known or not kind.text.strip().startswith("io.debezium."):
            continue
        newer = prefix or next((setting for setting in job.of(block) if setting.key.startswith(_NEW_HISTORY)), None)
        if newer is None:
            continue
        for setting in job.of(block):
            new = _instead(setting.key)
            if not new or (new.startswith(_CLASS) and any(name in kind.text for name in _WITHOUT_HISTORY)):
                continue  # these connectors never had a history of schemas: the new name does nothing for them, either
            there = job.written(block, new)
            if there is not None:
                why = f"{new} took its place"
            elif new.endswith("list"):
                lost = "nothing is left out" if new.endswith("exclude.list") else "all of them are captured"
                why = f"{lost}; the option is called {new} now"
            elif new == "topic.prefix":
                why = "it does not start without topic.prefix, which took its place"
            elif new == _CLASS:
                why = f"the option is called {new} now, and the classes have other names"
            else:
                why = f"the option is called {new} now"
            message = f"Debezium 2 ignores `{setting.key}`: {why}"
            fixes = [context.rename(setting, new, f"rename it to {new}", "unsafe")] if there is None and new != _CLASS else []
            severity = "" if there is None else "info"
            # one value under both names serves either version
            sure = "low" if there is not None and there.text == setting.text else ""
            yield context.finding(
                message, setting.key_place(), [(newer, "an option of Debezium 2")], severity, sure, fixes=fixes, covers=[setting]
            )


def _instead(key: str) -> str:
    """What the option is called since 2.0; empty when it is none of the old ones."""
    what, _, kind = key.partition(".")
    if what in _LISTS and kind in ("whitelist", "blacklist"):
        return f"{what}.{'include' if kind == 'whitelist' else 'exclude'}.list"
    if key.startswith(_HISTORY):
        return "schema.history.internal." + key[len(_HISTORY) :]
    return _RENAMED.get(key, "")
