"""Which catalog a table goes into that a program makes."""

from __future__ import annotations

import pytest

from shoal.facts import Block
from tests.python.reading import reading

SETUP = "from pyflink.table import TableEnvironment\nt = TableEnvironment.create(settings)\n"
TABLE = "t.execute_sql(\"CREATE TABLE orders (id BIGINT) WITH ('connector' = 'datagen')\")\n"


def _in_function(body: str) -> str:
    return "def main():\n" + "".join(f"    {line}\n" for line in body.splitlines())


@pytest.mark.parametrize(
    ("program", "catalog"),
    [
        (TABLE, ""),
        ("t.use_catalog('lake')\n" + TABLE, "lake"),
        (TABLE + "t.use_catalog('lake')\n", ""),
        ("t.execute_sql('USE CATALOG lake')\n" + TABLE, "lake"),
        ("t.execute_sql('USE lake.raw')\n" + TABLE, "lake"),
        ("t.use_catalog('lake')\nt.use_catalog('default_catalog')\n" + TABLE, "default_catalog"),
        ("for s in ('USE CATALOG lake', 'SHOW TABLES'):\n    t.execute_sql(s)\n" + TABLE, ""),  # a loop may run never
        ("if remote:\n    t.use_catalog('lake')\n" + TABLE, ""),
        ("if remote:\n    t.use_catalog('lake')\nelse:\n    " + TABLE, ""),
        ("if remote:\n    t.use_catalog('lake')\n    " + TABLE, "lake"),
        ("t.use_catalog(name)\n" + TABLE, ""),
        ("def lake():\n    t.use_catalog('lake')\nlake()\n" + TABLE, "lake"),
        ("def lake():\n    t.use_catalog('lake')\n" + TABLE, ""),
        ("def lake():\n    if remote:\n        t.use_catalog('lake')\nlake()\n" + TABLE, ""),
        ("def table():\n    " + TABLE + "t.use_catalog('lake')\ntable()\n", "lake"),
        ("def table():\n    " + TABLE + "table()\nt.use_catalog('lake')\ntable()\n", ""),  # once here, once there
        ("def table():\n    " + TABLE + "t.use_catalog('lake')\n", ""),  # who calls it is not known
    ],
)
def test_the_catalog_in_use(program: str, catalog: str) -> None:
    for text in (program, _in_function(program) + "main()\n"):
        tables = [fact for fact in reading(SETUP + text).facts if isinstance(fact, Block) and fact.role == "table"]
        assert [table.trait("catalog") for table in tables] == [catalog]
