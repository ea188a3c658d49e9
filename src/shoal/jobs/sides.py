"""What tables are to a program that declares them in one file and reads or writes them in another: the reader of a file sees that file alone."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.facts import Block, Fact, Statement
from shoal.readers.sql_tables import same_table
from shoal.text import MASK

_Named = dict[str, list[tuple[str, str]]]  # last part of a name -> the whole name, and a file


def noted(facts: list[Fact]) -> list[Fact]:
    """The facts of a job, its tables with the sides that statements of its other files show."""
    statements = [fact for fact in facts if isinstance(fact, Statement) and fact.kind != "create-view"]
    if not statements or len({fact.place.path for fact in facts if isinstance(fact, (Block, Statement))}) < 2:
        return facts
    views = [fact for fact in facts if isinstance(fact, Statement) and fact.kind == "create-view"]
    written = _by_last_part((fact.target, fact.place.path) for fact in statements if fact.target)
    read = _by_last_part((name, fact.place.path) for fact in (*statements, *views) for name in fact.sources)
    return [_noted(fact, written, read) if isinstance(fact, Block) else fact for fact in facts]


def _by_last_part(named: Iterable[tuple[str, str]]) -> _Named:
    """Names of tables and the files that have them, by what the same tables have in common: no table is compared with all others."""
    found: _Named = {}
    for name, path in dict.fromkeys(named):
        if MASK not in name:
            found.setdefault(name.rsplit(".", 1)[-1], []).append((name, path))
    return found


def _noted(block: Block, written: _Named, read: _Named) -> Block:
    if block.role != "table" or block.form not in ("sql", "python") or block.trait("hint") or not block.name or MASK in block.name:
        return block
    traits = dict(block.traits)
    for side, named in (("sink", written), ("source", read)):
        same = named.get(block.name.rsplit(".", 1)[-1], ())
        if any(path != block.place.path and same_table(name, block.name) for name, path in same):
            traits[side] = "true"
    if len(traits) == len(block.traits):
        return block
    if "sink" in traits and "source" not in traits:
        traits.pop("bounded", None)
    return block._replace(traits=tuple(traits.items()))
