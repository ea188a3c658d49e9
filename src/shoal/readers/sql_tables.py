"""What tables are to a program: which names mean the same one, whether it is read to an end, written or read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Block, Statement
from shoal.model import Span
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.readers import Reading


def bounded(connector: str, options: dict[str, str]) -> bool:
    """Whether a table is read to an end."""
    mode = options.get("scan.bounded.mode", "unbounded")
    if mode != "unbounded":
        return True
    if connector == "datagen":
        return "number-of-rows" in options or any(key.endswith(".end") for key in options)
    if connector == "filesystem":
        return "source.monitor-interval" not in options
    return connector in ("jdbc", "hbase-2.2", "hbase-1.4", "elasticsearch-6", "elasticsearch-7", "values")


def same_table(one: str, other: str) -> bool:
    """Whether two table names mean the same table; a name without catalog and database matches by its last part."""
    if one == other:
        return True
    if "." in one and "." in other:
        return one.endswith("." + other) or other.endswith("." + one)
    return one.rsplit(".", 1)[-1] == other.rsplit(".", 1)[-1]


def _shown(out: Reading, name: str, span: Span) -> str:
    """A name that an f-string makes as it stands there, up to its last braces: two masks of one length are not one table."""
    if MASK not in name:
        return name
    raw = out.raw[span.start : span.end]
    brace = raw.rfind("{")
    return raw[brace:].replace(".", "_") if brace >= 0 and raw[brace : brace + 2] != "{}" else name


def note_sides(out: Reading, written: list[str], read: list[str]) -> None:
    """What each table is to a program, source or sink: it usually creates it in one statement and reads or writes it in others.

    `written` and `read` are the tables that are so by other means than SQL.
    """
    statements = [fact for fact in out.facts if isinstance(fact, Statement)]
    written = written + [_shown(out, fact.target, fact.place.span) for fact in statements if fact.kind != "create-view" and fact.target]
    read = read + [name for fact in statements for name in fact.sources]
    for index, fact in enumerate(out.facts):
        if not isinstance(fact, Block) or fact.role != "table" or fact.form not in ("sql", "python") or fact.trait("hint") or not fact.name:
            continue
        traits = dict(fact.traits)
        own = _shown(out, fact.name, fact.place.span)
        for side, names in (("sink", written), ("source", read)):
            if any(same_table(name, own) for name in names):
                traits[side] = "true"
        if "sink" in traits and "source" not in traits:
            traits.pop("bounded", None)
        if tuple(traits.items()) != fact.traits:
            out.facts[index] = fact._replace(traits=tuple(traits.items()))
    _note_hints(out)


def _note_hints(out: Reading) -> None:
    """Puts what a hint or ALTER TABLE says in one statement to the table that another one creates, where one alone has the name."""
    tables = [fact for fact in out.facts if isinstance(fact, Block) and fact.role == "table" and not fact.trait("hint") and fact.name]
    ids = {table.id for table in tables}
    for index, fact in enumerate(out.facts):
        if isinstance(fact, Block) and fact.trait("hint") and fact.parent not in ids:
            named = [table for table in tables if same_table(fact.name, _shown(out, table.name, table.place.span))]
            if len(named) == 1:
                out.facts[index] = fact._replace(parent=named[0].id, traits=(*inherited(named[0]), *fact.traits))


def inherited(table: Block) -> tuple[tuple[str, str], ...]:
    """What a table tells the hints on it."""
    return tuple(trait for trait in table.traits if trait[0] in ("connector", "format", "value.format", "sink", "source"))
