"""Scripts of SQL: which program loads one, and which scripts beside one set options for its session."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from shoal.facts import Block, Fact, Setting, Usage
from shoal.jobs.boundaries import folder_of
from shoal.jobs.environments import Parts
from shoal.jobs.index import Index
from shoal.jobs.questions import INTERVAL
from shoal.lazy import pattern

_MOST = 30  # scripts of one session: where more set options, each is a job of its own
# Scripts that are run in turn in one session carry numbers, or the one that prepares it is called so.
_NUMBERED = pattern(r"(?i)v?\d")
_PREPARES = pattern(r"(?i)(?:^|[-_. ])(?:init|session|setup|set|settings?|conf(?:ig)?|env|common|prelude)(?:[-_. ]|$)")
_SOURCES = ("src/main/java/", "src/main/scala/")


class Scripts:
    """The scripts of SQL in an index, and what they have to do with its programs."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._of_module: dict[str, list[str]] = {}  # the programs of each module that Maven or Gradle builds
        for path in sorted(index.code):
            for sources in _SOURCES:
                if sources in path:
                    self._of_module.setdefault(path.partition(sources)[0], []).append(path)
        self._loaded = self._found()
        self._loaders: dict[str, list[str]] = {}
        for program, scripts in self._loaded.items():
            for script in scripts:
                self._loaders.setdefault(script, []).append(program)

    def _found(self) -> dict[str, list[str]]:
        """By program, the scripts of its project that it loads, itself or in what it imports."""
        index = self._index
        named: dict[tuple[str, str], list[str]] = {}
        for path in index.facts:
            if path.endswith(".sql"):
                named.setdefault((index.project[path], posixpath.basename(path)), []).append(path)
        loaded: dict[str, list[str]] = {}
        for path in index.code if named else ():
            for at in (path, *index.imported.get(path, ())):
                for fact in index.facts[at]:
                    if isinstance(fact, Usage) and fact.kind == "loads-script":
                        same = named.get((index.project[at], posixpath.basename(fact.detail)), ())
                        found = [script for script in same if f"/{script}".endswith(f"/{fact.detail}")]
                        if found:
                            loaded.setdefault(path, []).extend(found)
        return loaded

    def of(self, program: str) -> list[str]:
        """The scripts that a program loads and that are no jobs of their own: its tables."""
        return [at for at in self._loaded.get(program, ()) if at not in self._index.code]

    def running(self, path: str) -> Iterator[tuple[str, list[Fact]]]:
        """The programs with checkpoints that load a script, or of whose module it is a resource, and their environments: no client runs it, one of these does."""
        module, inside, _ = path.partition("src/main/resources/")
        beside = self._of_module.get(module, ()) if inside and path.endswith(".sql") else ()
        for at in dict.fromkeys([*self._loaders.get(path, ()), *beside]):
            facts = self._of_blocks(at, "flink", "job")
            if any(isinstance(fact, Setting) and fact.key == INTERVAL for fact in facts):
                yield at, facts

    def sessions(self, path: str, engine: str, *, moves: bool) -> Iterator[tuple[str, list[Fact]]]:
        """The scripts beside one that may run before it in its session, and what they set. `moves`: whether it moves records itself.

        Tables alone are made for whatever script moves records; before one that does, only those come that are named for it.
        """
        own = posixpath.basename(path)
        beside = self._index.scripts.get(folder_of(path), ()) if path.endswith(".sql") else ()
        for at in beside if len(beside) <= _MOST else ():
            name = posixpath.basename(at)
            first = _PREPARES.search(name) or (_NUMBERED.match(name) and _NUMBERED.match(own) and name < own)
            if at == path or (moves and (not first or at in self._index.code)):
                continue
            facts: list[Fact] = [
                fact
                for fact in self._of_blocks(at, engine, "session")
                if isinstance(fact, Setting) or (isinstance(fact, Block) and fact.role == "session")  # not the tables that it makes
            ]
            if any(isinstance(fact, Setting) for fact in facts):
                yield at, facts

    def _of_blocks(self, path: str, engine: str, role: str) -> list[Fact]:
        """The blocks of a role in a file, with what is directly theirs."""
        found = self._index.facts[path]
        parts = Parts(found)
        blocks = [fact for fact in found if isinstance(fact, Block) and (fact.engine, fact.role) == (engine, role)]
        return [fact for block in blocks for fact in parts.directly(block)]
