"""One engine's options over its versions, read from the stored tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from os import listdir
from os.path import dirname, join
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from shoal.catalogue.nearest import Speller

_DATA = join(dirname(__file__), "data")
# Keys that belong to an add-on with versions of its own, found through the engine whose configuration carries them.
_ADD_ONS = {
    "flink": (
        ("kubernetes.operator.", "flink-operator"),
        ("job.autoscaler.", "flink-operator"),
        ("autoscaler.standalone.", "flink-operator"),
    )
}
_PARTS = ("flink-table", "spark-source")  # tables that make sense by part alone: one connector, one format
_SHARED = ("kafka-python", "aiokafka")  # their parts are clients of one library: consumer, producer, admin
_FILES = ("csv", "json", "text", "parquet", "orc", "xml", "avro")
_FOLDED = "spark.sql.streaming.statestore.rocksdb."
# Answers that are remembered before all are forgotten: keys come from files, so there is no end to them.
_MOST_ANSWERS = 4096


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


class _State(NamedTuple):
    """One stored line: the same facts from version number first to last, both included."""

    key: str
    first: int
    last: int
    type: str
    default: str | None
    values: tuple[str, ...]
    aliases: tuple[tuple[str, bool], ...]
    flags: str
    scope: str


class _Pattern(NamedTuple):
    """A key with placeholders: <name> stands for one segment, a last <rest> or * for anything not empty."""

    key: str
    literal: str
    segments: tuple[str, ...]
    open_end: bool

    def matches(self, key: str) -> bool:
        if not key.startswith(self.literal):
            return False
        parts = key.split(".")
        if len(parts) < len(self.segments) or (len(parts) > len(self.segments) and not self.open_end):
            return False
        return all(
            part and (part == segment or segment == "*" or _fits(segment, part))
            for segment, part in zip(self.segments, parts, strict=False)
        )


def _fits(segment: str, part: str) -> bool:
    start = segment.find("<")
    if start < 0:
        return segment.endswith("*") and part.startswith(segment[:-1])
    return part.startswith(segment[:start]) and part.endswith(segment[segment.find(">") + 1 :])


def _pattern(key: str) -> _Pattern:
    cut = min((place for place in (key.find("<"), key.find("*")) if place >= 0), default=len(key))
    return _Pattern(key, key[:cut], tuple(key.split(".")), key.endswith((">", "*")))


class Catalogue:
    """The options of one engine. Build it with `load`; it holds facts only and never changes, but remembers what it was asked."""

    def __init__(self, engine: str, table: str, families: tuple[tuple[str, str, str], ...] = ()) -> None:
        """table: the stored text; families: (pattern, scope, reason), hand-kept."""
        head, _, body = table.partition("\n")
        self.engine = engine
        self.versions: tuple[str, ...] = tuple(head.partition("\t")[2].split())
        self._numbers = {version: number for number, version in enumerate(self.versions)}
        self._lines: dict[str, list[list[str]]] = {}
        self._primaries: dict[str, list[str]] = {}
        self._patterns: list[_Pattern] = []
        self._maps: set[str] = set()
        self._answers: dict[tuple[str, str | None], Option | None] = {}  # several rules ask about every key of a file
        self._spellings: dict[str, tuple[str, ...]] = {}
        self._spellers: dict[int | None, Speller] = {}  # filled when first asked: most runs have no unknown key
        self._families = tuple((_pattern(key), scope, reason) for key, scope, reason in families)
        for line in body.split("\n"):
            cells = line.split("\t")
            key = cells[0]
            known = self._lines.get(key)
            if known is not None:
                known.append(cells)
            elif key:
                self._lines[key] = [cells]
                if "<" in key:
                    self._patterns.append(_pattern(key))
            if len(cells) > 6 and cells[6]:
                for alias in cells[6].split("|"):
                    primaries = self._primaries.setdefault(alias.removeprefix("-"), [])
                    if key not in primaries:
                        primaries.append(key)
            if len(cells) > 3 and cells[3] == "map" and engine == "flink":
                self._maps.add(key)  # Flink gathers every `key.x` into the map `key`
        # The pattern with the most literal text wins.
        self._patterns.sort(key=lambda pattern: (pattern.open_end, -len(pattern.key)))

    # -- questions ---------------------------------------------------------------------------------------------------------------

    def option(self, key: str, version: str | None = None) -> Option | None:
        """The option that `key` means, by primary key, alias, template or prefix family, as of `version`.

        version: "1.20", "1.20.3" …; the newest extracted minor version not newer than it counts. None: the newest that has the key.
        An option found through an alias carries its primary key, one found through a family the family's pattern.
        """
        asked = (key, version)
        if asked not in self._answers:
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            self._answers[asked] = self._find(key, version)
        return self._answers[asked]

    def _find(self, key: str, version: str | None) -> Option | None:
        add_on = self._add_on(key)
        if add_on is not None:
            return add_on.option(key)
        key = self._folded(key)
        state = self._newest(key) if version is None else self._at(key, self._number(version))
        return self._option(key, state) if state else self._family(key)

    def canonical(self, key: str) -> str:
        """The newest primary spelling reachable from key; key itself when it is unknown."""
        seen = {key}
        while True:
            state = self._newest(key)
            if state is None or state.key in seen or "<" in state.key or self._is_entry(key, state):
                return key
            key = state.key
            seen.add(key)

    def spellings(self, key: str) -> tuple[str, ...]:
        """All spellings of what key means over all versions: the newest primary, then aliases in the engine's order of precedence."""
        if key not in self._spellings:
            found = [self.canonical(key)]
            for spelling in found:  # grows while it is walked: an older primary has aliases of its own
                for state in reversed(self._states(spelling)):
                    found.extend(alias for alias, _ in state.aliases if alias not in found)
            if len(self._spellings) >= _MOST_ANSWERS:
                self._spellings.clear()
            self._spellings[key] = tuple(found)
        return self._spellings[key]

    def known(self, key: str, version: str | None = None) -> bool:
        """Whether the engine, a plug-in or a vendor reads the key; True for every member of a known prefix family."""
        return self.option(key, version) is not None

    def nearest(self, key: str, version: str | None = None, n: int = 3) -> list[str]:
        """Up to n keys that key may have been meant to be, best first; empty when nothing explains it."""
        add_on = self._add_on(key)
        if add_on is not None:
            return add_on.nearest(key, None, n)
        number = None if version is None else self._number(version)
        return self._speller(number).nearest(key, n)

    def history(self, key: str) -> tuple[Change, ...]:
        """What happened to the key from version to version, oldest first; empty for a key that is unknown or never changed."""
        add_on = self._add_on(key)
        if add_on is not None:
            return add_on.history(key)
        changes: list[Change] = []
        before = self._at(key, 0)
        for number in range(1, len(self.versions)):
            after = self._at(key, number)
            changes.extend(_changes(self.versions[number], key, before, after))
            before = after
        return tuple(changes)

    def keys(self, version: str | None = None) -> tuple[str, ...]:
        """The primary keys of a version (None: of all versions), sorted; templates included, families not."""
        if version is None:
            return tuple(sorted(self._lines))
        number = self._number(version)
        return tuple(sorted(key for key in self._lines if self._primary_at(key, number)))

    def reason(self, key: str) -> str | None:
        """Why a key that no table lists is known all the same (the note of its prefix family); None otherwise."""
        return next((reason for pattern, _, reason in self._families if pattern.matches(key)), None)

    # -- answers -----------------------------------------------------------------------------------------------------------------

    def _add_on(self, key: str) -> Catalogue | None:
        for prefix, engine in _ADD_ONS.get(self.engine, ()):
            if key.startswith(prefix):
                return load(engine)
        return None

    def _number(self, version: str) -> int:
        exact = self._numbers.get(version)
        if exact is not None:
            return exact
        wanted = _ordinal(version)
        older = [number for number, known in enumerate(self.versions) if _ordinal(known) <= wanted]
        return older[-1] if older else 0

    def _states(self, key: str) -> list[_State]:
        return [self._state(cells) for cells in self._lines.get(key, ())]

    def _state(self, cells: list[str]) -> _State:
        key, first, last, type_, default, values, aliases, flags, scope = (cells + [""] * 6)[:9]
        return _State(
            key,
            self._numbers[first] if first else 0,
            self._numbers[last] if last else len(self.versions) - 1,
            type_,
            None if not default else "" if default == '""' else default,
            tuple(values.split("|")) if values else (),
            tuple((alias.removeprefix("-"), alias[0] != "-") for alias in aliases.split("|")) if aliases else (),
            flags,
            scope,
        )

    def _folded(self, key: str) -> str:
        """The key as the table writes it.

        Spark compares source options, and those of the RocksDB state store, without regard to case; the pure Python Kafka clients take
        keyword arguments, which readers show with the dots of Kafka's own names.
        """
        if key in self._lines:
            return key
        if self.engine.startswith(_SHARED):
            return key.replace(".", "_")
        if self.engine.startswith("spark-source") or (self.engine == "spark" and key.lower().startswith(_FOLDED)):
            folded = key.lower()
            return next((known for known in self._lines if known.lower() == folded), key)
        return key

    def _primary_at(self, key: str, number: int) -> _State | None:
        return next((state for state in self._states(key) if state.first <= number <= state.last), None)

    def _at(self, key: str, number: int) -> _State | None:
        """The state that reads key in that version: its own, its primary's, its template's, or that of the map it is an entry of."""
        key = self._folded(key)
        found = self._primary_at(key, number)
        if found:
            return found
        readers = [
            state
            for primary in self._primaries.get(key, ())
            if (state := self._primary_at(primary, number)) and any(alias == key for alias, _ in state.aliases)
        ]
        if readers:
            # Of two options that read one old key, the one that the other falls back to stands for both.
            fallbacks = {alias for state in readers for alias, _ in state.aliases}
            return next((state for state in readers if state.key in fallbacks), readers[0])
        for pattern in self._patterns:
            if pattern.matches(key):
                found = self._primary_at(pattern.key, number)
                if found or self._states(pattern.key)[-1].last < number:
                    return found  # a removed key is not caught by the open template around it
        ancestor = key.rpartition(".")[0]
        while ancestor:
            if ancestor in self._maps:
                return self._primary_at(ancestor, number)
            ancestor = ancestor.rpartition(".")[0]
        return None

    def _newest(self, key: str) -> _State | None:
        return next((state for number in reversed(range(len(self.versions))) if (state := self._at(key, number))), None)

    def _option(self, asked: str, state: _State) -> Option:
        key = state.key
        states = self._states(key)
        readers = [self._at(key, number) for number in range(len(self.versions))]
        first = next(number for number, reader in enumerate(readers) if reader)
        last = max(number for number, reader in enumerate(readers) if reader)
        deprecated = next((number for number, reader in enumerate(readers) if reader and _is_deprecated(key, reader)), None)
        option = Option(
            key,
            state.type,
            state.default,
            state.values,
            tuple(Alias(alias, self._alias_since(alias, states), deprecated) for alias, deprecated in state.aliases),
            self.versions[first] if first else None,
            self.versions[last + 1] if last + 1 < len(self.versions) else None,
            None if deprecated is None else self.versions[deprecated],
            state.scope,
            "p" in state.flags,
            "r" in state.flags,
        )
        if self._is_entry(asked, state):
            return option._replace(key=key + ".<key>", type="string", default=None, prefix=True)
        return option

    def _is_entry(self, key: str, state: _State) -> bool:
        """Whether key is `map.x`, an entry of the map that state describes."""
        return state.key in self._maps and key.startswith(state.key + ".") and all(alias != key for alias, _ in state.aliases)

    def _alias_since(self, alias: str, states: list[_State]) -> str | None:
        first = min(state.first for state in states if any(alias == key for key, _ in state.aliases))
        return self.versions[first] if first else None

    def _family(self, key: str) -> Option | None:
        for pattern, scope, _ in self._families:
            if pattern.matches(key):
                return Option(pattern.key, "string", None, (), (), None, None, None, scope, True)
        return None

    def _speller(self, number: int | None) -> Speller:
        """Proposes the primary in a named version, else the spelling itself."""
        from shoal.catalogue.nearest import Speller

        prepared = self._spellers.get(number)
        if prepared is not None:
            return prepared
        found: dict[str, str] = {}
        for key in self._lines:
            for state in self._states(key):
                if "d" in state.flags or state.scope == "internal":
                    continue
                if number is None or state.first <= number <= state.last:
                    found[key] = key
                    for alias, _ in state.aliases:
                        found.setdefault(alias, alias if number is None else key)
        return self._spellers.setdefault(number, Speller(found))


def _is_deprecated(key: str, reader: _State) -> bool:
    return "d" in reader.flags if reader.key == key else any(alias == key and deprecated for alias, deprecated in reader.aliases)


def _changes(version: str, key: str, before: _State | None, after: _State | None) -> Iterator[Change]:
    if before is None or after is None:
        if before:
            yield Change(version, "removed", before.key, None)
        if after:
            yield Change(version, "added", None, after.key)
        return
    if before.key != after.key:
        yield Change(version, "renamed", before.key, after.key)
    elif _is_deprecated(key, after) and not _is_deprecated(key, before):
        yield Change(version, "deprecated", None, None)
    if before.type != after.type:
        yield Change(version, "type", before.type, after.type)
    if before.default != after.default:
        yield Change(version, "default", before.default, after.default)
    if before.values != after.values:
        yield Change(version, "values", "|".join(before.values), "|".join(after.values))


def _ordinal(version: str) -> tuple[int, ...]:
    """(major, minor) of "1.20.3", "v1_20", "2.0-SNAPSHOT"; ValueError when it holds no number."""
    parts = version.lstrip("vV").replace("_", ".").replace("-", ".").split(".")
    return tuple(int(part) for part in parts[:2] if part.isdigit())


def engines() -> tuple[str, ...]:
    """The names that `load` takes, parts of shared tables ("flink-table:kafka") included."""
    found: list[str] = []
    for name in sorted(listdir(_DATA)):
        stem, _, kind = name.rpartition(".")
        if kind == "tsv" and stem != "families":
            table = _read(stem)
            parts = {line.partition("/")[0] for line in table.split("\n")[1:] if line} if stem in (*_PARTS, *_SHARED) else set()
            found.extend(f"{stem}:{part}" for part in sorted(parts))
            if stem not in _PARTS:
                found.append(stem)
    return tuple(found)


@cache
def load(engine: str) -> Catalogue:
    """The catalogue of an engine; "table:part" takes one part of a shared table. Raises UnknownEngine."""
    stem, _, part = engine.partition(":")
    try:
        table = _read(stem)
    except FileNotFoundError:
        raise UnknownEngine(engine) from None
    if part:
        start = part + "/"
        every = table.split("\n")
        lines = [line[len(start) :] for line in every if line.startswith(start)]
        if not lines:
            raise UnknownEngine(engine)
        if stem == "spark-source" and part in _FILES:
            lines += [line[5:] for line in every if line.startswith("file/")]
        if stem == "flink-table" and not part.startswith(("format-", "catalog-")):
            lines += _shared(every, {line.partition("\t")[0] for line in lines})
        table = "\n".join([every[0], *lines])
    elif stem in _SHARED:
        table = _union(table)
    families = []
    for line in _read("families").split("\n"):
        if line and line[0] != "#":
            names, key, scope, reason = line.split("\t")
            if not {engine, stem}.isdisjoint(names.split()):
                families.append((key, scope, reason))
    return Catalogue(engine, table, tuple(families))


def _union(table: str) -> str:
    """All parts of a shared table in one; the first part that has a key speaks for it."""
    head, *lines = table.split("\n")
    owners: dict[str, str] = {}
    kept = [head]
    for line in lines:
        part, _, rest = line.partition("/")
        if owners.setdefault(rest.partition("\t")[0], part) == part:
            kept.append(rest)
    return "\n".join(kept)


def _shared(table: list[str], keys: set[str]) -> list[str]:
    """What a Flink table connector accepts beside its own options: those of every table, and of formats under the format's name."""
    lines = [line[4:] for line in table if line.startswith("any/")]
    starts = [start for key, start in (("format", ""), ("key.format", "key."), ("value.format", "value.")) if key in keys]
    for line in table:
        if starts and line.startswith("format-"):
            part, _, rest = line[7:].partition("/")
            lines.extend(f"{start}{part}.{rest}" for start in starts)
    return lines


def _read(stem: str) -> str:
    with open(join(_DATA, stem + ".tsv"), encoding="utf-8") as file:
        return file.read()
