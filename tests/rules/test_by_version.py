"""What a finding says where releases differ."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

_SINK = """
CREATE TABLE totals (id STRING) WITH (
  'connector' = 'kafka',
  'topic' = 'totals',
  'properties.bootstrap.servers' = 'broker:9092',
  'sink.delivery-guarantee' = 'exactly-once',
  'format' = 'json'
);
"""


@pytest.mark.parametrize(
    ("jar", "severity", "says"),
    [
        ("kafka-4.0.0-2.0", "error", "the job is refused: "),
        ("kafka-3.4.0-1.20", "warning", "on Flink 1.20 all"),
        ("json", "error", "before all"),
    ],
)
def test_a_sink_without_a_prefix_is_refused_from_flink_2_on(jar: str, severity: str, says: str) -> None:
    text = f"ADD JAR '/opt/flink-sql-connector-{jar}.jar';\n{_SINK}"
    rules = rulebook.load().only(lambda one: one.id == "exactly-once-without-transactional-id")
    results = [check_source(Source("job.sql", classify("job.sql"), text.encode()), rules, Settings())]
    (found,), problems = conclude(results, rules, Settings(), ["job.sql"])
    assert problems == []
    assert found.severity == severity
    assert says in found.message


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("v1_18", "needs state.checkpoints.dir and state.savepoints.dir, which"),
        ("v1_20", "needs execution.checkpointing.dir and execution.checkpointing.savepoint-dir, which"),
        ("$release", "needs execution.checkpointing.dir (before 1.20 state.checkpoints.dir) and "),
    ],
)
def test_the_directories_that_the_operator_asks_for_have_the_names_that_the_version_reads(version: str, says: str) -> None:
    text = f"""apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: registry.example/orders:4
  flinkVersion: {version}
  flinkConfiguration: {{}}
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    upgradeMode: savepoint
"""
    rules = rulebook.load().only(lambda one: one.id == "upgrade-mode-without-directory")
    results = [check_source(Source("deploy.yaml", classify("deploy.yaml"), text.encode()), rules, Settings())]
    (found,), problems = conclude(results, rules, Settings(), ["deploy.yaml"])
    assert problems == []
    assert says in found.message
