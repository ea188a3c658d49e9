"""A job: the facts of one file, or of all the files that make one job, indexed the way rules ask."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from shoal.facts import Block, Dependency, Entry, Fact, Mount, Oddity, Setting, Statement, Usage
from shoal.model import Place
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.rulebook import Question

# Packages of Python in which a client of Kafka's is, by their normal names.
_CLIENTS = frozenset({"aiokafka", "confluent-kafka", "faust", "faust-streaming", "kafka-python", "kafka-python-ng"})


class Member(NamedTuple):
    """A file of a job, and why it belongs."""

    path: str
    why: str


class Version(NamedTuple):
    """An engine version as far as it is known: `parts` of (1, 18, 1) or (1, 18); `source` is the fact that says so."""

    parts: tuple[int, ...]
    source: Dependency

    @property
    def minor(self) -> str:
        return ".".join(map(str, self.parts[:2]))

    @property
    def text(self) -> str:
        return ".".join(map(str, self.parts))

    def at_least(self, wanted: str) -> bool:
        """Whether the version is surely `wanted` or newer; a short version (1.18) counts as its first patch release."""
        return self.parts >= numbers(wanted)

    def below(self, wanted: str) -> bool:
        """Whether the version is surely older than `wanted`: (1, 18) is not surely below 1.18.2."""
        limit = numbers(wanted)
        return self.parts + (10**6,) * (len(limit) - len(self.parts)) < limit


def numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version text: `1.18.1-scala_2.12` gives (1, 18, 1), `latest` gives ()."""
    match = re.match(r"v?(\d{1,9}(?:[._]\d{1,9})*)", version)
    return tuple(int(part) for part in re.split(r"[._]", match.group(1))) if match else ()


class Job:
    """Read-only view over facts. Blocks keep the order in which their files were given, settings the order in the file.

    `kind` is `file` (rules of scope `file`), or, for rules of scope `job`: `job` (what runs, with all that configures it), `cluster`
    (a cluster's config of which no job is known) or `project` (all files of one project, for what two jobs must agree on).
    `environment` names the one that the facts are of, empty for the only one. `outside` says who else sets options, if anybody does.
    """

    def __init__(
        self,
        facts: Iterable[Fact],
        paths: tuple[str, ...] = (),
        name: str = "",
        kind: str = "file",
        members: tuple[Member, ...] = (),
        environment: str = "",
        outside: str = "",
    ) -> None:
        self.name = name
        self.paths = paths
        self.kind = kind
        self.members = members
        self.environment = environment
        self.outside = outside
        self.blocks: dict[str, Block] = {}
        self.settings: list[Setting] = []
        self.dependencies: list[Dependency] = []
        self.entries: list[Entry] = []
        self.mounts: list[Mount] = []
        self.oddities: list[Oddity] = []
        self._statements: list[Statement] = []
        self._usages: list[Usage] = []
        self._children: dict[str, list[Block]] = {}
        self._answers: dict[Question, bool] = {}
        self._common_versions: dict[str, Version | None] = {}
        lists: dict[type, list[Any]] = {
            Setting: self.settings,
            Dependency: self.dependencies,
            Entry: self.entries,
            Mount: self.mounts,
            Oddity: self.oddities,
            Statement: self._statements,
            Usage: self._usages,
        }
        for fact in facts:
            if isinstance(fact, Block):
                self.blocks[fact.id] = fact
                if fact.parent:
                    self._children.setdefault(fact.parent, []).append(fact)
            else:
                lists[type(fact)].append(fact)

    @cached_property
    def _by_block(self) -> dict[str, dict[str, list[Setting]]]:
        """Settings by their block and key; a job that is remembered is never asked."""
        found: dict[str, dict[str, list[Setting]]] = {}
        for setting in self.settings:
            found.setdefault(setting.block, {}).setdefault(setting.key, []).append(setting)
        return found

    @cached_property
    def _versions(self) -> dict[str, list[tuple[bool, Version]]]:
        """By engine, the versions that dependencies name, and whether it is the one that an artifact was built for."""
        found: dict[str, list[tuple[bool, Version]]] = {}
        for dependency in self.dependencies:
            for index, (engine, text) in enumerate(_engine_versions(dependency)):
                if dependency.exact and (parts := numbers(text)):
                    found.setdefault(engine, []).append((index > 0, Version(parts, dependency)))
        return found

    @cached_property
    def _versions_of_block(self) -> dict[tuple[str, str], list[tuple[bool, Version]]]:
        """By engine and block. A jar that is put beside an image says less of what runs there than the image."""
        found: dict[tuple[str, str], list[tuple[bool, Version]]] = {}
        for engine, versions in self._versions.items():
            for built_for, version in versions:
                if version.source.block and version.source.ecosystem != "jar":
                    found.setdefault((engine, version.source.block), []).append((built_for, version))
        return found

    @cached_property
    def engines(self) -> frozenset[str]:
        """The engines of all blocks, and those whose versions are named; Connect, Redpanda, Strimzi's resources, dataflows of Bytewax, Spring's template and packages with a client are parts of Kafka, pipelines of Flink CDC of Flink."""
        named = {name for dependency in self.dependencies for name, _ in _engine_versions(dependency)}
        engines = named | {block.engine for block in self.blocks.values()}
        packages = {dependency.name for dependency in self.dependencies if dependency.ecosystem == "pypi"}
        kafka = (
            not engines.isdisjoint(("kafka-connect", "kafka-mirror", "redpanda"))
            or packages & _CLIENTS
            or any(block.trait("operator") == "strimzi" for block in self.blocks.values())
            or any(usage.kind == "dataflow-state" for usage in self._usages)
            or any(oddity.kind == "template-send-unseen" for oddity in self.oddities)
        )
        flink = "flink-cdc" in engines
        return frozenset(engines | ({"kafka"} if kafka else set()) | ({"flink"} if flink else set()))

    def answers(self, questions: Iterable[Question]) -> bool:
        """Whether the job answers any of these as an empty one would not. Many rules ask the same."""
        known = self._answers
        for question in questions:
            found = known.get(question)
            if found is None:
                name, *arguments = question
                value = getattr(self, name)
                found = known[question] = bool(value(*arguments) if callable(value) else value)
            if found:
                return True
        return False

    def in_file(self, path: str) -> Job:
        """What one file says in this job, as rules of scope `file` see it."""
        facts: tuple[Any, ...] = (
            *self.blocks.values(),
            *self.settings,
            *self.dependencies,
            *self.entries,
            *self.mounts,
            *self.oddities,
            *self._statements,
            *self._usages,
        )
        return Job((fact for fact in facts if (fact.path if isinstance(fact, Setting) else fact.place.path) == path), (path,))

    def select(self, engine: str = "", roles: Iterable[str] = (), forms: Iterable[str] = ()) -> list[Block]:
        """Blocks of an engine, optionally of certain roles and forms."""
        wanted, shapes = set(roles), set(forms)
        return [
            block
            for block in self.blocks.values()
            if (not engine or block.engine == engine) and (not wanted or block.role in wanted) and (not shapes or block.form in shapes)
        ]

    def children(self, block: Block) -> list[Block]:
        return self._children.get(block.id, [])

    def parent(self, block: Block) -> Block | None:
        return self.blocks.get(block.parent)

    def statements(self, *kinds: str) -> list[Statement]:
        """SQL statements of some kinds, of all where none is named."""
        return [statement for statement in self._statements if not kinds or statement.kind in kinds]

    def usages(self, *kinds: str) -> list[Usage]:
        """What programs and containers were seen to do, of some kinds, of all where none is named."""
        return [usage for usage in self._usages if not kinds or usage.kind in kinds]

    def of(self, block: Block) -> list[Setting]:
        """All settings of a block, in file order per key."""
        return [setting for settings in self._by_block.get(block.id, {}).values() for setting in settings]

    def written(self, block: Block, key: str) -> Setting | None:
        """The setting under exactly this spelling; the last one where it is written twice."""
        found = self._by_block.get(block.id, {}).get(key)
        return found[-1] if found else None

    def get(self, block: Block, key: str) -> Setting | None:
        """The setting that the engine would use for an option: primary spelling first, then its aliases in the engine's order."""
        settings = self._by_block.get(block.id)
        if not settings:
            return None
        if key in settings:
            return settings[key][-1]
        for spelling in spellings(block.engine, key):
            if spelling in settings:
                return settings[spelling][-1]
        return None

    def effective(self, block: Block, key: str) -> Setting | None:
        """As `get`, looking also at the blocks this one stands in (a statement's session, a command's manifest).

        Of a whole job, what is in force for the job as a whole comes last.
        """
        seen = 0
        at: Block | None = block
        engine = block.engine
        while at is not None and seen < 10:
            if found := self.get(at, key):
                return found
            engine = at.engine
            at = self.parent(at)
            seen += 1
        if self.kind == "job":
            return next(iter(self.origins(engine, key)), None)
        return None

    def anywhere(self, engine: str, key: str) -> list[Setting]:
        """Every setting of an option in the job, under any spelling."""
        names = {key, *spellings(engine, key)}
        return [setting for setting in self.settings if setting.engine == engine and setting.key in names]

    def origins(self, engine: str, key: str) -> list[Setting]:
        """Every setting of an option that applies to the whole job, the one in force first."""
        from shoal.jobs.effective import origins

        return origins(self, engine, key)

    def effective_anywhere(self, engine: str, key: str) -> Setting | None:
        """The setting in force for the whole job, whichever file it stands in; None when equally strong ones disagree."""
        from shoal.jobs.effective import effective

        return effective(self, engine, key)

    def looked_in(self, engine: str, besides: str = "") -> list[tuple[Place, str]]:
        """Where an option of the whole job could stand and was looked for: one place a file, with its label. `besides`: a file left out."""
        from shoal.jobs.effective import origin

        found: dict[str, tuple[Place, str]] = {}
        for block in self.blocks.values():
            if block.engine == engine and block.place.path != besides and origin(block) is not None:
                found.setdefault(block.place.path, (block.place, "not set here"))
        return list(found.values())

    def mounts_of(self, engine: str) -> list[Mount]:
        """Those of an engine's containers, and of containers that nothing else is known of."""
        return [mount for mount in self.mounts if mount.block not in self.blocks or self.blocks[mount.block].engine == engine]

    def images(self, block: Block) -> list[Dependency]:
        """The images that a block's containers run."""
        return [dependency for dependency in self.dependencies if dependency.ecosystem == "image" and dependency.block == block.id]

    def version(self, name: str, block: Block | None = None) -> Version | None:
        """The version of an engine or library for a block; None when unknown or when the job names several.

        What the block itself names (its image, its `flinkVersion`) counts before what stands elsewhere in the job.
        """
        own = self._versions_of_block.get((name, block.id)) if block is not None else None
        if own:
            return _agreed(own)
        if name not in self._common_versions:
            self._common_versions[name] = _agreed(self._versions.get(name, ()))
        return self._common_versions[name]


def _agreed(versions: Iterable[tuple[bool, Version]]) -> Version | None:
    """The longest of the versions that agree. What an artifact is counts before what it was built for: a connector may be older than its engine."""
    groups: dict[bool, list[Version]] = {}
    for built_for, version in versions:
        groups.setdefault(built_for, []).append(version)
    group = groups.get(False) or groups.get(True) or []
    longest = max(group, key=lambda version: len(version.parts), default=None)
    agree = longest is not None and all(longest.parts[: len(version.parts)] == version.parts for version in group)
    return longest if agree else None


@lru_cache(maxsize=4096)
def _engine_versions(dependency: Dependency) -> tuple[tuple[str, str], ...]:
    """What a dependency says of engines, worked out once: many rules ask, of many jobs that share it."""
    from shoal.readers.versions import engine_versions  # data tables that most runs never need

    return tuple(engine_versions(dependency))


# Engines whose options have aliases worth resolving; the names are those of `catalogue.load`.
_ALIASED = frozenset({"flink", "spark"})


def spellings(engine: str, key: str) -> tuple[str, ...]:
    """All spellings of an option, primary first; just the key where the engine has no catalogue."""
    if engine not in _ALIASED:
        return (key,)
    from shoal import catalogue

    return catalogue.load(engine).spellings(key) or (key,)
