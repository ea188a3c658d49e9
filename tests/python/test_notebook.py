"""Notebooks are read as Python, and every span points into the file."""

from __future__ import annotations

import json

import pytest

from shoal.facts import Dependency
from tests.python.reading import blocks, reading, settings, shown

IMPORT = "from kafka import KafkaProducer\n"


def notebook(*cells: str | tuple[str, str], as_lines: bool = True) -> str:
    made = []
    for cell in cells:
        kind, source = cell if isinstance(cell, tuple) else ("code", cell)
        text = source.splitlines(keepends=True) if as_lines else source
        made.append({"cell_type": kind, "metadata": {}, "outputs": [{"data": {"image/png": 'iV"BOR\n'}}], "source": text})
    return json.dumps({"cells": made, "nbformat": 4}, indent=1)


@pytest.mark.parametrize("as_lines", [True, False])
def test_cells_are_one_module(as_lines: bool) -> None:
    text = notebook(
        IMPORT + "acks = 1", ("markdown", "# KafkaProducer('x')"), "KafkaProducer(acks=acks,\n  client_id='größe')", as_lines=as_lines
    )
    out = reading(text, "n.ipynb")
    assert settings(out) == {"acks": "1", "client.id": "größe"}
    assert shown(out, "acks") == "acks"
    assert shown(out, "client.id") == json.dumps("größe")[1:-1]


@pytest.mark.parametrize(
    ("metadata", "read"),
    [
        ({"language_info": {"name": "scala"}}, "1"),
        ({"application/vnd.databricks.v1+notebook": {"language": "scala"}}, "1"),
        ({"kernelspec": {"name": "spylon-kernel", "language": "scala"}, "language_info": {"name": "python"}}, "1"),
        ({"kernelspec": {"name": "ir", "language": "R"}}, "1"),
        ({"kernelspec": {"name": "python3", "language": "python"}, "language_info": {"name": "python"}}, "0"),
        ({"kernelspec": {"name": "pysparkkernel", "language": ""}, "language_info": {"name": "pyspark"}}, "0"),
        ({"kernelspec": "python3"}, "0"),
    ],
)
def test_cells_are_in_the_language_of_the_notebook(metadata: dict[str, object], read: str) -> None:
    other = "KafkaProducer(acks=0)" if read == "0" else 'val acks = s"${n}".r {'
    made = json.loads(notebook(IMPORT, other, "%python\n" + IMPORT + "KafkaProducer(acks=1)" if read == "1" else ""))
    out = reading(json.dumps({**made, "metadata": metadata}), "n.ipynb")
    assert out.problems == []
    assert settings(out) == {"acks": read}


def test_a_notebook_in_sql_is_read_as_sql() -> None:
    made = json.loads(notebook("SET spark.sql.shuffle.partitions = 8", "%python\nx = 1"))
    out = reading(json.dumps({**made, "metadata": {"language_info": {"name": "sql"}}}), "n.ipynb")
    assert out.problems == []
    assert settings(out) == {"spark.sql.shuffle.partitions": "8"}


@pytest.mark.parametrize(
    "magic",
    [
        "%pip install kafka-python",
        "!ls -la",
        "%%time\nx = 1",
        "files = !ls",
        "x = %time f()",
        "if True:\n    !ls",
        "help?",
        "%%bash\nrm -rf {",
        "%matplotlib inline\nx = 1",
        "!spark-submit --name a \\\n    --class b \\\n    job.jar",
        "  x = 1\n  if x:\n    y = 2\n",
        "\n\t%config x = 1\n\tx = 1",
        "%sql SELECT 1\nx = 1",
        "%sh\nrm -rf {",
        "%md\n# A title: it's here",
        "%scala\nval acks = (1",
        "%python\nx = 1",
    ],
)
def test_magics_are_masked(magic: str) -> None:
    out = reading(notebook(IMPORT, magic, "KafkaProducer(acks=0)"), "n.ipynb")
    assert out.problems == []
    assert settings(out) == {"acks": "0"}


@pytest.mark.parametrize("line", ["!pip install -q pyspark==3.5.1", "%pip install pyspark==3.5.1", "pip install pyspark==3.5.1"])
def test_what_a_cell_installs_is_pinned(line: str) -> None:
    out = reading(notebook(f"{line}\nimport os", "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate()"), "n.ipynb")
    assert [(one.name, one.version) for one in out.facts if isinstance(one, Dependency)] == [("pyspark", "3.5.1")]


def test_one_broken_cell_does_not_hide_the_others() -> None:
    text = notebook(IMPORT, "y = 1\nx = = 1", "KafkaProducer(acks=0)")
    out = reading(text, "n.ipynb")
    assert settings(out) == {"acks": "0"}
    assert [(one.kind, text.splitlines()[one.line - 1].strip()) for one in out.problems] == [("unparsable", '"x = = 1"')]
    assert out.problems[0].message.startswith("cell 2: ")


def test_a_cell_is_what_its_indentation_leaves() -> None:
    out = reading(notebook(IMPORT, "  producer = KafkaProducer(\n    client_id='größe')\n  acks = 1"), "n.ipynb")
    assert settings(out) == {"client.id": "größe"} and shown(out, "client.id") == json.dumps("größe")[1:-1]


@pytest.mark.parametrize("broken", ["acks = (2\n", "acks=(", "acks\t= = 2", "é = 1\nacks = f(\n  acks=3"])
def test_a_broken_cell_leaves_nothing_known_of_the_names_it_sets(broken: str) -> None:
    out = reading(notebook(IMPORT + "acks = 1\nlinger = 5", broken, "KafkaProducer(acks=acks, linger_ms=linger)"), "n.ipynb")
    assert settings(out)["linger.ms"] == "5" and settings(out).get("acks") != "1"
    assert shown(out, "linger.ms") == "linger"


@pytest.mark.parametrize("char", ["😀", "\ud83d", "é"])
def test_characters_written_as_escapes(char: str) -> None:
    text = notebook(IMPORT + f"# {char}\nKafkaProducer(acks=0)")
    assert char not in text
    out = reading(text, "n.ipynb")
    assert settings(out) == {"acks": "0"} and shown(out, "acks") == "0"


def test_sql_cells() -> None:
    out = reading(notebook("%%flink_sql\nCREATE TABLE o (id STRING) WITH ('connector' = 'kafka')"), "n.ipynb")
    assert ("flink", "table") in blocks(out) or blocks(out) == []


@pytest.mark.parametrize("magic", ["%sql\n", "%sql ", "\n%sql\n\n"])
def test_sql_cells_of_databricks_in_a_notebook(magic: str) -> None:
    out = reading(notebook("from pyspark.sql import SparkSession", f"{magic}SET spark.sql.shuffle.partitions = 5;\nSELECT 1"), "n.ipynb")
    assert settings(out) == {"spark.sql.shuffle.partitions": "5"} and shown(out, "spark.sql.shuffle.partitions") == "5"


def test_a_cell_that_databricks_is_told_to_take_for_python() -> None:
    out = reading(notebook(IMPORT, "%python\nKafkaProducer(acks=0)"), "n.ipynb")
    assert settings(out) == {"acks": "0"}


def test_databricks_sources() -> None:
    text = (
        "# Databricks notebook source\nfrom pyspark.sql import SparkSession\n# COMMAND ----------\n# MAGIC %sql\n"
        "# MAGIC SET spark.sql.shuffle.partitions = 5;\n# COMMAND ----------\n# MAGIC %md hello\n"
    )
    out = reading(text)
    assert settings(out).get("spark.sql.shuffle.partitions") == "5"
    assert shown(out, "spark.sql.shuffle.partitions") == "5"
    assert out.module is not None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 5}', '{"cells": [{"cell_type": "code"}]}', "[" * 5000])
def test_what_is_no_notebook_does_no_harm(text: str) -> None:
    out = reading(text, "n.ipynb")
    assert out.facts == []
    assert all(problem.kind in ("unparsable", "too-deep") for problem in out.problems)
