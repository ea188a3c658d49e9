"""What rules ask of Flink CDC's pipelines: their parts, the options of these, and the tables that patterns name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.templates import tables
from shoal.templates.common import text, verbatim

if TYPE_CHECKING:
    from shoal.catalogue import Catalogue

# Connectors that take a list of tables, and the parts of a name there: a database (or schema) and a table; PostgreSQL's begin with the database.
PARTS = {"mysql": 2, "oracle": 2, "postgres": 3}
# Whose factories do not look for options that nobody reads.
_UNCHECKED = ("sink-maxcompute", "sink-oceanbase")
_HOST = pattern(r"[A-Za-z0-9](?:[\w.:-]*[A-Za-z0-9])?")
_PLAIN = pattern(r"[\w$-]+")
# Python's regular expressions go back: over a group that is repeated, or many repetitions, without end.
_REPEATED = pattern(r"\)\s*[*+{]")
_REPEATS = pattern(r"[*+{]")
_MOST_REPEATS = 4


def catalogue_of(block: Block) -> str:
    """The name of the catalogue of a part's options."""
    return "flink-cdc:pipeline" if block.role == "pipeline" else f"flink-cdc:{block.role}-{block.trait('connector')}"


def options(block: Block) -> Catalogue | None:
    """The options of a source or sink, of the pipeline itself; None for a connector that Flink CDC does not bring along."""
    from shoal import catalogue

    try:
        return catalogue.load(catalogue_of(block))
    except catalogue.UnknownEngine:
        return None


def checked(block: Block) -> bool:
    """Whether the connector refuses options that it does not know."""
    return f"{block.role}-{block.trait('connector')}" not in _UNCHECKED


def sources(job: Job, *connectors: str) -> Iterator[Block]:
    """The sources of pipelines, of these connectors where some are named."""
    yield from (block for block in job.select("flink-cdc", ("source",)) if not connectors or block.trait("connector") in connectors)


def joining(job: Job, connector: str, port: str) -> Iterator[tuple[Block, tuple[str, str, str]]]:
    """The sources of a kind, of pipelines and of SQL, that go on reading from a server whose name is known, with that: its folder, host and port.

    What stands in another folder may be another environment's; a snapshot joins nothing once it is read.
    """
    of_sql = (table for table in tables.tables(job, f"{connector}-cdc") if table.trait("source") == "true")
    for block in (*sources(job, connector), *of_sql):
        host, at = verbatim(job.written(block, "hostname")), job.written(block, "port")
        goes_on = text(job.written(block, "scan.startup.mode")) != "snapshot"
        if goes_on and _HOST.fullmatch(host) and (at is None or at.known):
            yield block, (folder_of(block.place.path), host.lower(), verbatim(at) or port)


def side(job: Job, pipeline: Block, role: str) -> Block | None:
    """A pipeline's source or sink."""
    return next((block for block in job.children(pipeline) if block.role == role), None)


def whole(job: Job, part: Block) -> Block:
    """The pipeline that a part stands in."""
    return job.parent(part) or part


def called(job: Job, source: Block) -> str:
    """A source in words: a table, or the pipeline that it is of."""
    if source.role == "table":
        return f"the table {source.name}"
    name = whole(job, source).name
    return f"the pipeline `{name}`" if name else f"the pipeline of {source.place.path.rpartition('/')[2]}"


class Pattern(NamedTuple):
    """One of the tables, or patterns of tables, that a list names; `parts` are the regular expressions between its dots."""

    text: str
    parts: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether it is a name and nothing more."""
        return all(_PLAIN.fullmatch(part) for part in self.parts)

    def matches(self, name: tuple[str, ...]) -> bool | None:
        """Whether it fits the name of a table; None where that is not known, or could take for ever to find out."""
        if any(_REPEATED.search(part) or len(_REPEATS.findall(part)) > _MOST_REPEATS for part in self.parts):
            return None
        try:
            return all(re.fullmatch(part, word, re.IGNORECASE) for part, word in zip(self.parts[-2:], name[-2:], strict=True))
        except (re.error, ValueError):
            return None


def patterns(setting: Setting | None) -> list[Pattern]:
    """The entries of a list of tables, as Flink CDC takes them apart: at commas, then at dots, where no backslash stands before them."""
    found = []
    for entry in _split(verbatim(setting), ","):
        text = entry.strip().replace("\\,", ",")
        if text:
            found.append(Pattern(text, tuple(part.strip().replace("\\.", ".") for part in _split(text, ".") if part)))
    return found


def _split(text: str, at: str) -> list[str]:
    parts, start, index = [], 0, 0
    while index < len(text):
        if text[index] == "\\":
            index += 1
        elif text[index] == at:
            parts.append(text[start:index])
            start = index + 1
        index += 1
    return [*parts, text[start:]]
