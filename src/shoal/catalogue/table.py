"""One stored table: what every version says about every key."""

from __future__ import annotations

from shoal.catalogue.patterns import Pattern, pattern
from shoal.records import NamedTuple

_FOLDED = "spark.sql.streaming.statestore.rocksdb."


class State(NamedTuple):
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

    def reads(self, key: str) -> bool:
        """Whether key is the option's own or one of its aliases."""
        return key == self.key or any(alias == key for alias, _ in self.aliases)

    def deprecates(self, key: str) -> bool:
        """Whether the engine wants another spelling than key for this option, or the option no more."""
        return "d" in self.flags if self.key == key else any(alias == key and deprecated for alias, deprecated in self.aliases)


class Table:
    """Lines by key, indexed by alias and template; lines are taken apart when somebody asks for them."""

    def __init__(self, engine: str, text: str) -> None:
        head, _, body = text.partition("\n")
        self.engine = engine
        self.versions: tuple[str, ...] = tuple(head.partition("\t")[2].split())
        self.numbers = {version: number for number, version in enumerate(self.versions)}
        self._lines: dict[str, list[list[str]]] = {}
        self._aliased: dict[str, list[str]] = {}
        self._maps: set[str] = set()
        templates: list[Pattern] = []
        for line in body.split("\n"):
            cells = line.split("\t")
            key = cells[0]
            known = self._lines.get(key)
            if known is not None:
                known.append(cells)
            elif key:
                self._lines[key] = [cells]
                if "<" in key:
                    templates.append(pattern(key))
            if len(cells) > 6 and cells[6]:
                for alias in cells[6].split("|"):
                    primaries = self._aliased.setdefault(alias.removeprefix("-"), [])
                    if key not in primaries:
                        primaries.append(key)
            if len(cells) > 3 and cells[3] == "map" and engine == "flink":
                self._maps.add(key)  # Flink gathers every `key.x` into the map `key`
        # The template with the most literal text wins.
        self._templates = sorted(templates, key=lambda one: (one.open_end, -len(one.key)))

    def primaries(self) -> list[str]:
        """The primary keys of all versions."""
        return list(self._lines)

    def number(self, version: str) -> int:
        """The newest known version not newer than that one; the oldest for older ones. ValueError when version holds no number."""
        exact = self.numbers.get(version)
        if exact is not None:
            return exact
        wanted = _ordinal(version)
        older = [number for number, known in enumerate(self.versions) if _ordinal(known) <= wanted]
        return older[-1] if older else 0

    def states(self, key: str) -> list[State]:
        """The lines of a primary key, oldest versions first."""
        return [self._state(cells) for cells in self._lines.get(key, ())]

    def _state(self, cells: list[str]) -> State:
        key, first, last, type_, default, values, aliases, flags, scope = (cells + [""] * 6)[:9]
        return State(
            key,
            self.numbers[first] if first else 0,
            self.numbers[last] if last else len(self.versions) - 1,
            type_,
            None if not default else "" if default == '""' else default,
            tuple(values.split("|")) if values else (),
            tuple((alias.removeprefix("-"), alias[0] != "-") for alias in aliases.split("|")) if aliases else (),
            flags,
            scope,
        )

    def folded(self, key: str) -> str:
        """The key as the table writes it.

        Spark compares source options, and those of the RocksDB state store, without regard to case; the pure Python Kafka clients take
        keyword arguments, which readers show with the dots of Kafka's own names.
        """
        if key in self._lines:
            return key
        if self.engine.startswith(("kafka-python", "aiokafka")):
            return key.replace(".", "_")
        if self.engine.startswith("spark-source") or (self.engine == "spark" and key.lower().startswith(_FOLDED)):
            folded = key.lower()
            return next((known for known in self._lines if known.lower() == folded), key)
        return key

    def is_entry(self, key: str, state: State) -> bool:
        """Whether key is `map.x`, an entry of the map that state describes."""
        return state.key in self._maps and key.startswith(state.key + ".") and not state.reads(key)

    def readers(self, key: str) -> list[State | None]:
        """Version by version, what reads the key: its own line, its primary's, its template's, or that of the map it is an entry of."""
        found: list[State | None] = [None] * len(self.versions)
        for state in self.states(key):
            found[state.first : state.last + 1] = [state] * (state.last + 1 - state.first)
        if None in found and key in self._aliased:
            self._fill_from_aliases(key, found)
        if None in found:
            self._fill_from_templates(key, found)
        if None in found and self._maps:
            ancestor = key.rpartition(".")[0]
            while ancestor:
                if ancestor in self._maps:
                    _fill(found, self.states(ancestor))
                ancestor = ancestor.rpartition(".")[0]
        return found

    def _fill_from_aliases(self, key: str, found: list[State | None]) -> None:
        states = [state for primary in self._aliased[key] for state in self.states(primary) if state.reads(key)]
        for number, reader in enumerate(found):
            if reader is None:
                at = [state for state in states if state.first <= number <= state.last]
                # Of two options that read one old key, the one that the other falls back to stands for both.
                fallbacks = {alias for state in at for alias, _ in state.aliases}
                found[number] = next((state for state in at if state.key in fallbacks), at[0] if at else None)

    def _fill_from_templates(self, key: str, found: list[State | None]) -> None:
        for template in self._templates:
            if template.matches(key):
                states = self.states(template.key)
                _fill(found, states)
                if not template.open_end and states[-1].last + 1 < len(self.versions):
                    return  # a removed key is not caught by the open template around it


def _fill(found: list[State | None], states: list[State]) -> None:
    for state in states:
        for number in range(state.first, state.last + 1):
            found[number] = found[number] or state


def _ordinal(version: str) -> tuple[int, int]:
    """(major, minor) of "1.20.3", "v1_20", "2.0-SNAPSHOT", "3"."""
    parts = version.lstrip("vV").replace("_", ".").replace("-", ".").split(".")
    numbers = [int(part) for part in parts[:2] if part.isdigit()]
    if not numbers:
        raise ValueError(f"no version number in {version!r}")
    return numbers[0], numbers[1] if len(numbers) > 1 else 0
