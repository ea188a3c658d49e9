"""Facts as they would be if the job ran on another version of its engine: what `shoal upgrade` judges.

What says the version today stays among the facts under an ecosystem that no rule takes for a version (`was-image`), so that an upgrade
knows where it starts from.
"""

from __future__ import annotations

from collections.abc import Iterable

from shoal.facts import Block, Dependency, Fact, Usage
from shoal.readers.versions import engine_versions

WAS = "was-"
# The names under which a version of the engine is asked for.
_NAMES = {"kafka": ("kafka", "kafka-clients")}


def assumed(facts: Iterable[Fact], engine: str, version: str) -> list[Fact]:
    """The facts with every version of the engine replaced; blocks and usages of the engine are given the version where nothing names one.

    Kafka clients inside another engine's connector come with that connector, so that a new Kafka is none of their business.
    """
    names = _NAMES.get(engine, (engine,))
    blocks: dict[str, Block] = {}
    found: list[Fact] = []
    told = False
    for fact in facts:
        if isinstance(fact, Dependency) and (says := engine_versions(fact)) and says[0][0] in names:
            found.append(fact._replace(ecosystem=WAS + fact.ecosystem))
            found.append(Dependency("field", says[0][0], version, fact.place, True, fact.block))
            told = True
            continue
        found.append(fact)
        if isinstance(fact, Block) and _concerns(fact, engine):
            blocks[fact.id] = fact
        elif isinstance(fact, Usage) and fact.kind.startswith(f"{engine}-") and not told:
            found.append(Dependency("field", engine, version, fact.place, True, fact.block))
            told = True
    for block in blocks.values():
        found += [Dependency("field", name, version, block.place, True, block.id) for name in names]
    return found


def before(dependency: Dependency) -> Dependency | None:
    """What a replaced version was; None for any other dependency."""
    if not dependency.ecosystem.startswith(WAS):
        return None
    return dependency._replace(ecosystem=dependency.ecosystem[len(WAS) :])


def _concerns(block: Block, engine: str) -> bool:
    if engine == "kafka":
        return block.engine == "kafka-connect" or (
            block.engine == "kafka" and not block.trait("host") and (block.trait("library") or "java") == "java"
        )
    return block.engine == engine
