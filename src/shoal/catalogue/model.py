"""What the catalogue answers with."""

from __future__ import annotations

from shoal.records import NamedTuple


class UnknownEngine(LookupError):
    """There is no table for that engine."""


class Alias(NamedTuple):
    """Another spelling the engine still reads for an option; since is None when it was read in the oldest version already."""

    key: str
    since: str | None
    deprecated: bool


class Option(NamedTuple):
    """One option as one version has it.

    type: "duration", "memory", "boolean", "int", "long", "double", "float", "string", "enum", "list<…>", "map", "password", "class",
    "bytes", "time", …; default: as the engine prints it, None when there is none; values: enum constants as the engine accepts them;
    since: first version known with the key, None when that is the oldest; removed: first version known without any reading of the key;
    deprecated: first version in which it is deprecated; scope: who reads it ("" when unknown); prefix: the key stands for a family; required: a table connector refuses to work without it.
    An "enum" is matched without regard to case, a "string" with values exactly; a value with <…> in it stands for many. The type is ""
    where the engine reads the key but nothing tells how.
    """

    key: str
    type: str
    default: str | None
    values: tuple[str, ...]
    aliases: tuple[Alias, ...]
    since: str | None
    removed: str | None
    deprecated: str | None
    scope: str
    prefix: bool
    required: bool = False


class Change(NamedTuple):
    """One event in the life of a key.

    what: "added", "removed", "renamed" (after is the new primary), "deprecated", "type", "default", "values".
    """

    version: str
    what: str
    before: str | None
    after: str | None
