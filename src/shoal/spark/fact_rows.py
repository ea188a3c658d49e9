"""Facts as rows of a table."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping

from shoal import facts
from shoal.facts import TELLING, Block, Dependency, Fact, Mount, Oddity, Setting, Statement, Usage
from shoal.spark import rows
from shoal.spark.plan import Plan, column, relocate, shown_of, text_of
from shoal.spark.rows import Batches, Row
from shoal.suppress import Suppression
from shoal.text import Lines, decode
from shoal.wire import unpack


def fact_rows(plan: Plan, found: Batches) -> Batches:
    """The facts of files, a row each."""
    yield from rows.batches((fact for row in rows.rows(found) for fact in _facts(plan, row)), {**rows.TREE, **rows.FACT})


def _facts(plan: Plan, row: Row) -> Iterator[Row]:
    path = text_of(row["path"])
    result = unpack(path, json.loads(relocate(row["packed"], shown_of(text_of(row["key"])), path)))
    if not result.facts:
        return
    data = zlib.decompress(row["content"])
    lines = Lines(decode(data, "latin-1" if row["kind"] == "properties" else "utf-8").text)
    blocks = {fact.id: fact for fact in result.facts if isinstance(fact, Block)}
    for fact in result.facts:
        told = fact_row(fact, blocks)
        if told is not None:
            start = told["start"]
            yield {"repo": row["repo"], "rev": row["rev"], "path": row["path"], **told, "line": lines.line(start)}


def fact_row(fact: Fact | Suppression, blocks: Mapping[str, Block]) -> Row | None:
    """A fact by the columns of the table of facts, without its line; None for what is only shoal's own business."""
    row: Row
    if isinstance(fact, Setting):
        row = {
            "fact": "setting",
            "block": fact.block,
            "engine": fact.engine,
            "key": fact.key,
            "value": fact.text,
            "known": fact.known,
            "sure": fact.sure,
        }
    elif isinstance(fact, Block):
        row = {"fact": "block", "block": fact.id, "engine": fact.engine, "name": fact.name, "traits": list(dict(fact.traits).items())}
    elif isinstance(fact, Dependency):
        row = {
            "fact": "dependency",
            "block": fact.block,
            "kind": fact.ecosystem,
            "name": fact.name,
            "version": fact.version,
            "known": fact.exact,
        }
    elif isinstance(fact, facts.Entry):
        row = {"fact": "entry", "block": fact.block, "kind": fact.kind, "name": fact.target, "detail": " ".join(fact.args)}
    elif isinstance(fact, Mount):
        row = {"fact": "mount", "block": fact.block, "kind": fact.kind, "name": fact.name, "detail": fact.path}
    elif isinstance(fact, Oddity):
        row = {"fact": "oddity", "block": fact.block, "kind": fact.kind, "name": fact.subject, "detail": fact.detail}
    elif isinstance(fact, Statement):
        row = {
            "fact": "statement",
            "block": fact.block,
            "kind": fact.kind,
            "name": fact.target,
            "detail": " ".join(fact.sources),
            "value": " ".join(fact.features),
        }
    elif isinstance(fact, Usage):
        if fact.kind in _OURS:
            return None
        row = {"fact": "usage", "block": fact.block, "kind": fact.kind, "detail": fact.detail}
    else:
        return None
    block = blocks.get(row["block"])
    if block is not None:
        row["role"], row["form"] = block.role, block.form
        row.setdefault("engine", block.engine)
    row["start"], row["end"] = (fact.key_place() if isinstance(fact, Setting) else fact.place).span
    if "traits" in row:
        row["traits"] = [(column(name), column(value)) for name, value in row["traits"]]
    return {name: column(value) if isinstance(value, str) else value for name, value in row.items()}


# Facts by which shoal puts files together; nobody else would ask for them.
_OURS = TELLING | {"import", "chart-value", "playbook-variable", "kustomize-image", "property-for-modules", "version-of-parent"}
