"""One engine's options over its versions: the questions that rules ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.catalogue.model import Alias, Change, Option
from shoal.catalogue.patterns import pattern
from shoal.catalogue.table import State, Table

if TYPE_CHECKING:
    from shoal.catalogue.nearest import Speller

# Keys that belong to an add-on with versions of its own, found through the engine whose configuration carries them.
_ADD_ONS = {
    "flink": (
        ("kubernetes.operator.", "flink-operator"),
        ("job.autoscaler.", "flink-operator"),
        ("autoscaler.standalone.", "flink-operator"),
    ),
    "spark": (("spark.databricks.delta.", "delta"), ("spark.databricks.io.", "delta")),
}
# Answers that are remembered before all are forgotten: keys come from files, so there is no end to them.
_MOST_ANSWERS = 4096


class Catalogue:
    """The options of one engine. Build it with `load`; it holds facts only and never changes, but remembers what it was asked."""

    def __init__(self, engine: str, table: str, families: tuple[tuple[str, str, str], ...] = ()) -> None:
        """table: the stored text; families: (pattern, scope, reason), hand-kept."""
        self.engine = engine
        self._table = Table(engine, table)
        self.versions = self._table.versions
        self._families = tuple((pattern(key), scope, reason) for key, scope, reason in families)
        self._answers: dict[tuple[str, str | None], Option | None] = {}  # several rules ask about every key of a file
        self._spellings: dict[str, tuple[str, ...]] = {}
        self._spellers: dict[int | None, Speller] = {}  # filled when first asked: most runs have no unknown key

    def option(self, key: str, version: str | None = None) -> Option | None:
        """The option that `key` means, by primary key, alias, template or prefix family, as of `version`.

        version: "1.20", "1.20.3" …; the newest extracted minor version not newer than it counts. None: the newest that has the key.
        An option found through an alias carries its primary key, one found through a family the family's pattern. An add-on's option
        (operator, autoscaler, Delta) has versions of its own: the newest counts. ValueError when version holds no number.
        """
        asked = (key, version)
        if asked not in self._answers:
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            self._answers[asked] = self._find(key, version)
        return self._answers[asked]

    def canonical(self, key: str) -> str:
        """The newest primary spelling reachable from key; key itself when it is unknown."""
        seen = {key}
        while True:
            state = _newest(self._table.readers(self._table.folded(key)))
            if state is None or state.key in seen or "<" in state.key or self._table.is_entry(key, state):
                return key
            key = state.key
            seen.add(key)

    def spellings(self, key: str) -> tuple[str, ...]:
        """All spellings of what key means over all versions: the newest primary, then aliases in the engine's order of precedence."""
        if key not in self._spellings:
            found = [self.canonical(key)]
            for spelling in found:  # grows while it is walked: an older primary has aliases of its own
                for state in reversed(self._table.states(spelling)):
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
        found = self._speller(None if version is None else self._table.number(version)).nearest(key, 2 * n)
        return self._distinct(found)[:n]

    def history(self, key: str) -> tuple[Change, ...]:
        """What happened to the key from version to version, oldest first; empty for a key that is unknown or never changed."""
        add_on = self._add_on(key)
        if add_on is not None:
            return add_on.history(key)
        readers = self._table.readers(self._table.folded(key))
        steps = zip(self.versions[1:], readers, readers[1:], strict=False)
        return tuple(change for version, before, after in steps if before is not after for change in _changes(version, key, before, after))

    def keys(self, version: str | None = None) -> tuple[str, ...]:
        """The primary keys of a version (None: of all versions), sorted; templates included, families not."""
        every = self._table.primaries()
        if version is not None:
            number = self._table.number(version)
            every = [key for key in every if any(state.first <= number <= state.last for state in self._table.states(key))]
        return tuple(sorted(every))

    def reason(self, key: str) -> str | None:
        """Why a key that no table lists is known all the same (the note of its prefix family); None otherwise."""
        return next((reason for family, _, reason in self._families if family.matches(key)), None)

    def _add_on(self, key: str) -> Catalogue | None:
        for prefix, engine in _ADD_ONS.get(self.engine, ()):
            if key.startswith(prefix):
                from shoal.catalogue.store import load

                return load(engine)
        return None

    def _find(self, key: str, version: str | None) -> Option | None:
        add_on = self._add_on(key)
        if add_on is not None:
            return add_on.option(key)
        key = self._table.folded(key)
        readers = self._table.readers(key)
        state = _newest(readers) if version is None else readers[self._table.number(version)]
        if state is not None:
            return self._option(key, state, readers)
        for family, scope, _ in self._families:
            if family.matches(key):
                return Option(family.key, "string", None, (), (), None, None, None, scope, True)
        return None

    def _option(self, asked: str, state: State, readers: list[State | None]) -> Option:
        """readers: those of the asked key; they serve when that is the state's own."""
        key = state.key
        if key != asked:
            readers = self._table.readers(key)
        states = self._table.states(key)
        numbers = [number for number, reader in enumerate(readers) if reader]
        deprecated = next((number for number, reader in enumerate(readers) if reader and reader.deprecates(key)), None)
        option = Option(
            key,
            state.type,
            state.default,
            state.values,
            tuple(Alias(alias, self._version(min(one.first for one in states if one.reads(alias))), old) for alias, old in state.aliases),
            self._version(numbers[0]),
            self.versions[numbers[-1] + 1] if numbers[-1] + 1 < len(self.versions) else None,
            None if deprecated is None else self.versions[deprecated],
            state.scope,
            "p" in state.flags,
            "r" in state.flags,
        )
        if self._table.is_entry(asked, state):
            return option._replace(key=key + ".<key>", type="string", default=None, prefix=True)
        return option

    def _version(self, number: int) -> str | None:
        return self.versions[number] if number else None

    def _distinct(self, found: list[str]) -> list[str]:
        """One spelling of each option: the best, or the primary when the best is a spelling that the engine holds as good."""
        kept: dict[str, str] = {}
        for spelling in found:
            primary = self.canonical(spelling)
            option = self.option(primary)
            equal = option is not None and any(alias.key == spelling and not alias.deprecated for alias in option.aliases)
            kept.setdefault(primary, primary if equal and primary in found else spelling)
        return list(kept.values())

    def _speller(self, number: int | None) -> Speller:
        """Proposes the primary in a named version, else the spelling itself."""
        from shoal.catalogue.nearest import Speller

        prepared = self._spellers.get(number)
        if prepared is not None:
            return prepared
        found: dict[str, str] = {}
        for key in self._table.primaries():
            for state in self._table.states(key):
                if "d" in state.flags or state.scope == "internal":
                    continue
                if number is None or state.first <= number <= state.last:
                    found[key] = key
                    for alias, _ in state.aliases:
                        found.setdefault(alias, alias if number is None else key)
        return self._spellers.setdefault(number, Speller(found))


def _newest(readers: list[State | None]) -> State | None:
    return next((state for state in reversed(readers) if state), None)


def _changes(version: str, key: str, before: State | None, after: State | None) -> Iterator[Change]:
    if before is None or after is None:
        if before:
            yield Change(version, "removed", before.key, None)
        if after:
            yield Change(version, "added", None, after.key)
        return
    if before.key != after.key:
        yield Change(version, "renamed", before.key, after.key)
    elif after.deprecates(key) and not before.deprecates(key):
        yield Change(version, "deprecated", None, None)
    if before.type != after.type:
        yield Change(version, "type", before.type, after.type)
    if before.default != after.default:
        yield Change(version, "default", before.default, after.default)
    if before.values != after.values:
        yield Change(version, "values", "|".join(before.values), "|".join(after.values))
