"""A byte that is not UTF-8: a problem where the format says UTF-8, nothing to speak of where the reader takes bytes as they come."""

from __future__ import annotations

import pytest

from shoal.facts import Setting
from shoal.model import Source
from shoal.readers import read

BAD = b"# caf\xe9\n"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("flink-conf", b"execution.checkpointing.timeout: 1 s\n"),
        ("shell", b"flink run -Dexecution.checkpointing.timeout=1s job.jar\n"),
        ("spark-conf", b"spark.sql.shuffle.partitions 8\n"),
    ],
)
def test_no_problem_where_bytes_are_bytes(kind: str, text: bytes) -> None:
    reading, _ = read(Source("conf/flink-conf.yaml" if kind == "flink-conf" else "file", kind, BAD + text))
    assert reading.problems == []
    assert [fact for fact in reading.facts if isinstance(fact, Setting)]


def test_a_problem_in_yaml_and_the_rest_is_read() -> None:
    reading, _ = read(Source("config.yaml", "yaml", BAD + b"execution.checkpointing.timeout: 1 s\n"))
    assert [(problem.kind, "byte 5" in problem.message) for problem in reading.problems] == [("unreadable", True)]
    assert [fact.key for fact in reading.facts if isinstance(fact, Setting)] == ["execution.checkpointing.timeout"]


def test_java_properties_are_latin_1() -> None:
    reading, _ = read(Source("client.properties", "properties", b"bootstrap.servers=caf\xe9:9092\n"))
    assert reading.problems == []
    assert [fact.text for fact in reading.facts if isinstance(fact, Setting)] == ["caf\xe9:9092"]
