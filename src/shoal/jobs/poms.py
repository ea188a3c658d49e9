"""Maven's modules: the versions that the properties of a parent complete, where that stands in a folder above."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.facts import Dependency, Fact, Usage
from shoal.jobs.boundaries import above, folder_of
from shoal.lazy import pattern
from shoal.model import Place

_PROPERTY = pattern(r"\$\{([^{}$]+)\}")


def with_parents(facts: dict[str, tuple[Fact, ...]]) -> dict[str, tuple[Fact, ...]]:
    """The facts of a run with the dependencies of modules that are complete with what the poms above them say."""
    parents: dict[str, tuple[str, dict[str, tuple[str, Place]]]] = {}  # folder -> artifact and properties
    waiting: dict[str, list[Usage]] = {}
    for path, found in facts.items():
        for fact in found if path.endswith("pom.xml") else ():
            if isinstance(fact, Usage) and fact.kind == "property-for-modules":
                artifact, said = fact.detail.split(" ", 1)
                name, value = said.split("=", 1)
                parents.setdefault(folder_of(path), (artifact, {}))[1][name] = (value, fact.place)
            elif isinstance(fact, Usage) and fact.kind == "version-of-parent":
                waiting.setdefault(path, []).append(fact)
    for path, usages in waiting.items():
        known = [parents[folder] for folder in above(folder_of(path))[1:] if folder in parents]
        properties: dict[str, tuple[str, Place]] = {}
        for _, more in reversed(known):  # a parent has parents, too: the nearest counts
            properties.update(more)
        named = {artifact for artifact, _ in known}
        made = [_completed(usage, properties) for usage in usages if usage.detail.split(" ", 1)[0] in named]
        facts[path] = (*facts[path], *(one for one in made if one is not None))
    return facts


def _completed(usage: Usage, properties: Mapping[str, tuple[str, Place]]) -> Dependency | None:
    """The dependency, placed where its version stands as a whole; None where something is not known."""
    group, artifact, raw = usage.detail.split(" ", 1)[1].split(":", 2)
    name, version = (_PROPERTY.sub(lambda found: properties.get(found.group(1), (found.group(),))[0], part) for part in (artifact, raw))
    if "$" in name or "$" in version:
        return None
    alone = _PROPERTY.fullmatch(raw)
    exact = not version.startswith(("[", "("))
    return Dependency("maven", f"{group}:{name}", version, properties[alone.group(1)][1] if alone else usage.place, exact)
