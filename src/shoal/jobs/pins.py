"""Which files say what version of an engine a program or a resource is for: those that pin one, and those that name a range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shoal.classify import classify
from shoal.facts import Dependency, Fact
from shoal.jobs.boundaries import Boundaries, common, folder_of
from shoal.jobs.environments import VALUES
from shoal.jobs.standing import Branches, Neighbours, beside, in_line


class Pins:
    """The files of each project that name versions and nothing else of a job. `seeds` are those with code or config."""

    def __init__(
        self,
        facts: Mapping[str, tuple[Fact, ...]],
        naming: Mapping[str, Iterable[str]],
        project: Mapping[str, str],
        boundaries: Boundaries,
        seeds: Iterable[str],
    ) -> None:
        self._facts = facts
        self._naming = {name: Neighbours((path, path) for path in some) for name, some in naming.items()}
        self._project = project
        self._boundaries = boundaries
        self._branches = Branches(seeds)
        self._pinned: dict[tuple[str, str], bool] = {}

    def of(self, path: str, engine: str, members: set[str] | None = None) -> list[str]:
        """The nearest files that name versions: those that share most folders with the code, or stand with what configures it."""
        with_config = {folder_of(at) for at in members or () if folder_of(at) and classify(at) == "dockerfile"}
        for project in self._boundaries.chain(self._project[path]):
            pins = [
                at
                for at in self._named(project, path, with_config)
                # what a chart's values name is for what the chart installs
                if at != path and self._pins(at, engine) and (in_line(path, at) or not VALUES.fullmatch(at.rsplit("/", 1)[-1]))
            ]
            built = [at for at in pins if folder_of(at) in with_config]
            pins = [at for at in pins if at not in built and (in_line(path, at) or (beside(path, at) and not self._owned(at, path)))]
            if pins or built:
                best = max((common(path, at) for at in pins), default=0)
                return [*built, *(at for at in pins if common(path, at) == best)]
            if any(classify(at) == "dockerfile" and self._pins(at, engine) for at in members or ()):
                return []  # the image that it runs in says it
        return []

    def ranges_of(self, path: str, engine: str) -> list[str]:
        """The nearest file above a Python program that names a range of its engine's versions."""
        if classify(path) not in ("python", "notebook"):
            return []
        for project in self._boundaries.chain(self._project[path]):
            found = [at for at in self._named(project, path, set()) if in_line(path, at) and _names_range(self._facts[at], engine)]
            if found:
                return [max(found, key=lambda at: common(path, at))]
        return []

    def _named(self, project: str, path: str, folders: set[str]) -> list[str]:
        """The files of a project that name versions and stand beside a file, or in one of these folders."""
        pins = self._naming.get(project)
        if pins is None:
            return []
        return sorted({*pins.of(path), *(at for folder in folders for at in pins.of(f"{folder}/") if folder_of(at) == folder)})

    def _pins(self, at: str, engine: str) -> bool:
        key = (at, engine)
        if key not in self._pinned:
            self._pinned[key] = _pins_engine(self._facts[at], engine)
        return self._pinned[key]

    def _owned(self, at: str, path: str) -> bool:
        """Whether the branch of the tree in which a file stands apart from `path` has code or config of its own."""
        return self._branches.any_below("/".join(at.split("/")[: common(at, path) + 1]))


def _pins_engine(facts: Iterable[Fact], engine: str) -> bool:
    from shoal.readers.versions import engine_versions

    return any(
        isinstance(fact, Dependency) and not fact.block and any(name == engine or "connector" in name for name, _ in engine_versions(fact))
        for fact in facts
    )


def _names_range(facts: Iterable[Fact], engine: str) -> bool:
    from shoal.readers.versions import PYPI

    return any(
        isinstance(fact, Dependency) and (fact.ecosystem, fact.exact) == ("pypi", False) and fact.version and PYPI.get(fact.name) == engine
        for fact in facts
    )
