"""Kafka's own transformations and predicates of Kafka Connect, and the options that each has (read out of its connect-transforms artifact)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.templates.common import verbatim

# Those with a mark have no default: Connect refuses a connector without them. Options that only some releases have are among them.
_OPTIONS = {
    "Cast": "spec! replace.null.with.default",
    "DropHeaders": "headers!",
    "ExtractField": "field! replace.null.with.default",
    "Filter": "",
    "Flatten": "delimiter",
    "HeaderFrom": "fields! headers! operation! replace.null.with.default",
    "HoistField": "field!",
    "InsertField": "topic.field partition.field offset.field timestamp.field static.field static.value replace.null.with.default",
    "InsertHeader": "header! value.literal!",
    "MaskField": "fields! replacement replace.null.with.default",
    "RegexRouter": "regex! replacement!",
    "ReplaceField": "exclude include renames blacklist whitelist replace.null.with.default",
    "SetSchemaMetadata": "schema.name schema.version replace.null.with.default",
    "TimestampConverter": "target.type! field format unix.precision replace.null.with.default",
    "TimestampRouter": "topic.format timestamp.format",
    "ValueToKey": "fields! replace.null.with.default",
    "predicates.HasHeaderKey": "name!",
    "predicates.RecordIsTombstone": "",
    "predicates.TopicNameMatches": "pattern!",
}
# What the worker itself reads of a transformation, and what releases to come may know of any.
_OF_ALL = frozenset({"type", "predicate", "negate", "field.syntax.version"})
_INSERTED = ("topic.field", "partition.field", "offset.field", "timestamp.field", "static.field")
_CLASS = pattern(r"org\.apache\.kafka\.connect\.transforms\.((?:predicates\.)?\w+)(?:\$(?:Key|Value))?")


class Transform(NamedTuple):
    """One that a connector applies: the setting of its class, its options by name, those without a default, and all that it has."""

    name: str
    type: Setting
    given: dict[str, Setting]
    needed: tuple[str, ...]
    known: tuple[str, ...]

    def unknown(self) -> list[str]:
        return [option for option in self.given if option not in _OF_ALL and option not in self.known]

    def missing(self) -> str:
        """What it throws a ConfigException for when it is made; empty where it has what it needs."""
        missing = [option for option in self.needed if option not in self.given]
        if missing:
            return f"needs {' and '.join(missing)}"
        if self.name == "InsertField":
            if self.given.keys().isdisjoint(_INSERTED):
                return f"is not told what to insert: it needs one of {', '.join(_INSERTED)}"
            if "static.field" in self.given and "static.value" not in self.given:
                return "has a static.field, and no static.value to put there"
        if self.name == "TimestampConverter" and verbatim(self.given["target.type"]) == "string" and "format" not in self.given:
            return "makes texts, and has no format for them"
        return ""


def applied(job: Job) -> Iterator[Transform]:
    """The transformations and predicates that the connectors of a job list, as far as they are Kafka's own."""
    for block in job.select("kafka-connect", ("connector",)):
        if not block.open and job.get(block, "connector.class") is not None:
            for kind in ("transforms", "predicates"):
                yield from _applied(job, block, kind)


def untyped(job: Job) -> Iterator[tuple[str, Setting]]:
    """What connectors list and give no class: the option that is missing, and where it is listed. Nobody's transformation does without."""
    for block in job.select("kafka-connect", ("connector",)):
        if not block.open and job.get(block, "connector.class") is not None:
            for kind in ("transforms", "predicates"):
                listed = job.written(block, kind)
                keys = {setting.key for setting in job.of(block)}
                for name in _names(listed):
                    if listed is not None and f"{kind}.{name}.type" not in keys:
                        yield f"{kind}.{name}.type", listed


def _names(listed: Setting | None) -> list[str]:
    return sorted({name.strip() for name in listed.text.split(",")} - {""}) if listed is not None and listed.known else []


def _applied(job: Job, block: Block, kind: str) -> Iterator[Transform]:
    names = _names(job.written(block, kind))
    for name in names:
        start = f"{kind}.{name}."
        given = {setting.key.removeprefix(start): setting for setting in job.of(block) if setting.key.startswith(start)}
        made = given.get("type")
        # `Flatten$Value` looks like a variable of the shell, and is none
        found = _CLASS.fullmatch(made.text.strip()) if made is not None else None
        if made is None or found is None or found[1] not in _OPTIONS or any(other.startswith(f"{name}.") for other in names):
            continue
        options = _OPTIONS[found[1]].split()
        needed = tuple(option.rstrip("!") for option in options if option.endswith("!"))
        yield Transform(found[1].removeprefix("predicates."), made, given, needed, tuple(option.rstrip("!") for option in options))
