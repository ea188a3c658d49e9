"""What a finding says where releases differ."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Finding, Source
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


_BUILDER = """
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import DeliveryGuarantee, KafkaSink

env = StreamExecutionEnvironment.get_execution_environment()
env.add_jars("file:///opt/flink/lib/{jar}.jar")
sink = KafkaSink.builder().set_bootstrap_servers("broker:9092").set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).build()
"""


def _without_a_prefix(files: dict[str, str]) -> list[Finding]:
    rules = rulebook.load().only(lambda one: one.id == "exactly-once-without-transactional-id")
    results = [check_source(Source(path, classify(path), text.encode()), rules, Settings()) for path, text in files.items()]
    found, problems = conclude(results, rules, Settings(), list(files))
    assert problems == []
    return found


@pytest.mark.parametrize(
    ("jar", "severity", "says"),
    [
        ("flink-dist-2.0.0", "error", "the job is refused: "),
        ("flink-dist-1.20.1", "warning", "on Flink 1.20.1 all"),
        ("orders", "error", "before all"),
    ],
)
def test_a_sink_without_a_prefix_is_refused_from_flink_2_on(jar: str, severity: str, says: str) -> None:
    (found,) = _without_a_prefix({"job.py": _BUILDER.format(jar=jar)})
    assert found.severity == severity
    assert says in found.message


@pytest.mark.parametrize("jar", ["kafka-4.0.0-2.0", "kafka-3.4.0-1.20", "json"])
def test_a_table_without_a_prefix_is_refused_by_each_release(jar: str) -> None:
    (found,) = _without_a_prefix({"job.sql": f"ADD JAR '/opt/flink-sql-connector-{jar}.jar';\n{_SINK}"})
    assert (found.severity, found.confidence) == ("error", "high")
    assert "is refused" in found.message


def test_the_older_name_of_the_guarantee_brings_a_prefix_until_flink_2() -> None:
    old = _SINK.replace("sink.delivery-guarantee", "sink.semantic")
    assert _without_a_prefix({"job.sql": f"ADD JAR '/opt/flink-sql-connector-kafka-3.4.0-1.20.jar';\n{old}"}) == []
    assert len(_without_a_prefix({"job.sql": f"ADD JAR '/opt/flink-sql-connector-kafka-4.0.1-2.0.jar';\n{old}"})) == 1


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
