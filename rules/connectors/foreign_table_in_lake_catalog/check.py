"""Tables with a connector, a watermark or computed columns in catalogs that have none of these.

Run on Flink 1.20.1 with Iceberg 1.7.1, 1.9.1, 1.10.0 and 1.11.0, and with Paimon 1.0.1 and 1.2.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_ELSEWHERE = "make it a TEMPORARY table, or use another catalog first"


def check(job: Job, context: Context) -> Iterator[Finding]:
    catalogs = {block.name: block for block in job.select("flink", ("catalog",))}
    for table in tables.tables(job):
        catalog = catalogs.get(table.trait("catalog"))
        if catalog is None or table.trait("like"):
            continue
        connector = table.trait("connector")
        related = [(catalog, "the catalog")]
        if catalog.trait("type") == "paimon" and connector not in ("", "paimon"):
            message = f"the statement is refused: a catalog of Paimon has no tables of {connector}; {_ELSEWHERE}"
        elif catalog.trait("type") == "iceberg" and (what := _refused(table, connector)):
            message = f"the statement is refused: {what}; {_ELSEWHERE}"
        elif catalog.trait("type") == "iceberg" and connector:
            message = (
                f"the catalog makes a table of Iceberg of this, with `connector` as a property that nobody reads: what it holds is in its own files, "
                f"and {connector} is neither read nor written; {_ELSEWHERE}"
            )
        else:
            continue
        yield context.finding(message, table, related)


def _refused(table: Block, connector: str) -> str:
    """What Iceberg's catalog refuses about a table."""
    if connector == "iceberg":
        return "in its own catalog a table of Iceberg has no option connector"
    if table.trait("has-watermark"):
        return "a catalog of Iceberg takes no watermarks"
    return "a catalog of Iceberg takes no computed columns and no metadata columns" if table.trait("has-computed") else ""
