"""`INSERT INTO t SELECT … FROM t`: a topic that feeds itself, or two tables of one name."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding

_ENDLESS = frozenset({"kafka", "upsert-kafka", "kinesis", "pulsar"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    tables: dict[str, list[Block]] = {}
    for block in job.select("flink", ("table",)):
        if block.name and block.trait("hint") != "true":
            tables.setdefault(block.name.rsplit(".", 1)[-1], []).append(block)
    for statement in job.statements("insert"):
        if statement.target not in statement.sources:
            continue
        declared = tables.get(statement.target.rsplit(".", 1)[-1], [])
        connectors = {block.trait("connector") for block in declared}
        related = [(block, f"a {block.trait('connector') or 'table'} of that name") for block in declared[:3]]
        name = statement.target
        if len(connectors) > 1:
            message = f"source and sink are both called {name}: the second CREATE fails or takes the place of the first, and the query reads what it writes"
        elif connectors & _ENDLESS:
            message = f"reads and writes {name}: every record it writes is read again, without end"
        else:
            continue
        yield context.finding(message, statement.place._replace(label=name), related)
