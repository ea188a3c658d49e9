"""What starts programs and applies resources: scripts, make files, DAGs, and services that submit."""

from __future__ import annotations

import posixpath

from shoal.classify import classify
from shoal.facts import Block, Entry, Fact
from shoal.jobs import environments
from shoal.jobs.environments import Environment
from shoal.jobs.index import Index
from shoal.jobs.kinds import submits


class Starters:
    """Who starts each program, and who applies each resource."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._of: dict[str, list[str]] | None = None
        self._applied: dict[str, list[tuple[str, str]]] = {}  # name of a resource's file -> (file that starts it, how it is called there)
        for path, found in index.facts.items():
            for fact in found:
                if isinstance(fact, Entry) and fact.kind == "resource":
                    self._applied.setdefault(posixpath.basename(fact.target), []).append((path, fact.target))

    def of(self, path: str) -> list[str]:
        """Scripts and make files whose commands start a code file, and compose files with a service that submits it to Spark."""
        if self._of is None:
            self._of = {}
            for at, facts in self._index.facts.items():
                entries = [fact for fact in facts if isinstance(fact, Entry)]
                if not entries or at in self._index.code or (at in self._index.seeds and not submits(at, facts)):
                    continue
                for target in dict.fromkeys(self._index.targets.resolve(entry, []) for entry in entries):
                    self._of.setdefault(target, []).append(at)
        return self._of.get(path, [])

    def started(self, at: str, path: str) -> list[Fact]:
        """What a file says of a program that it starts: all of it, but what belongs to other programs that it starts as well."""
        facts = self._index.facts[at]
        entries = [fact for fact in facts if isinstance(fact, Entry)]
        ours = {entry.block for entry in entries if self._index.targets.resolve(entry, []) == path}
        if classify(at) == "python" and len({entry.target for entry in entries}) <= 1:
            return list(facts)
        parts = environments.Parts(facts)
        if classify(at) == "python":  # a DAG sets nothing for all that it starts
            return [fact for block in facts if isinstance(block, Block) and block.id in ours for fact in parts.of(block)]
        others = {entry.block for entry in entries} - ours - {""}
        others |= {
            block.parent for block in facts if isinstance(block, Block) and block.id in others and block.trait("program") == "dataproc"
        }
        left = {id(fact) for block in facts if isinstance(block, Block) and block.id in others for fact in parts.of(block)}
        return [fact for fact in facts if id(fact) not in left]

    def applying(self, resources: list[Environment]) -> list[str]:
        """The DAGs whose operators name a resource's file."""
        return [
            at
            for environment in resources
            for at, target in self._applied.get(posixpath.basename(environment.paths[0]), ())
            if self._index.targets.means(at, target, environment.paths[0])
        ]
