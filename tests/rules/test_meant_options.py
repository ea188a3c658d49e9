"""What an unknown option is said to be: another program's own name counts before a prefix that might be missing."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

BROKER = "process.roles=broker,controller\nnode.id=1\nlog.dirs=/data\nlisteners=PLAINTEXT://:9092\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fetch.max.wait.ms=500", "it is an option of the Java client"),
        ("retention.check.interval.ms=300000", "its prefix is missing, the option is log.retention.check.interval.ms or"),
    ],
)
def test_what_a_broker_is_told(line: str, said: str) -> None:
    only = rulebook.load().only(lambda one: one.id == "unknown-kafka-option")
    checked = check_source(Source("server.properties", classify("server.properties"), (BROKER + line + "\n").encode()), only, Settings())
    (finding,), problems = conclude([checked], only, Settings(), {})
    assert problems == []
    assert said in finding.message
