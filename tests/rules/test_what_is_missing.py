"""Findings about what a whole job lacks also point at the line that submits it, and at what relies on what is missing."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

_PYTHON = """
from pyflink.datastream import ExternalizedCheckpointRetention, StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()
{checkpoints}
source = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("orders").set_group_id("orders").build()
env.from_source(source, strategy, "orders").key_by(lambda order: order[0]).map(lambda order: order).print()
env.execute("orders")
"""
_LATEST = """
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()
source = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("orders").set_starting_offsets(KafkaOffsetsInitializer.latest()).build()
env.from_source(source, strategy, "orders").print()
env.execute("orders")
"""
_RETAINED = """env.enable_checkpointing(60000)
env.get_checkpoint_config().set_externalized_checkpoint_retention(ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION)"""
_SQL = """
CREATE TABLE orders (id STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE paid (id STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'paid', 'format' = 'json');
INSERT INTO copy SELECT id, n FROM orders;
INSERT INTO totals
SELECT o.id, SUM(p.n)
FROM orders AS o
LEFT JOIN paid AS p ON o.id = p.id
GROUP BY o.id;
"""
_LOOKUP = _SQL.replace(
    "'connector' = 'kafka', 'topic' = 'paid', 'format' = 'json'",
    "'connector' = 'jdbc', 'url' = 'jdbc:mysql://db/shop', 'table-name' = 'paid'",
)
_JAVA = """
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60000);
        env.fromSource(source(), strategy(), "orders").print();
        env.execute("orders");
    }
}
"""


@pytest.mark.parametrize(
    ("rule", "path", "text", "labels"),
    [
        (
            "checkpointing-not-enabled",
            "job.py",
            _PYTHON.format(checkpoints=""),
            {"submitted here": "env.execute", "never ends": "KafkaSource"},
        ),
        ("sql-state-without-ttl", "job.sql", _SQL, {"this keeps it": "JOIN"}),
        ("database-table-read-once", "job.sql", _LOOKUP, {"joined here": "JOIN", "read once": "jdbc"}),
        (
            "latest-offset-without-checkpointing",
            "job.py",
            _LATEST,
            {"submitted here": "env.execute", "nothing enables checkpoints here": "StreamExecutionEnvironment.get_execution_environment"},
        ),
        (
            "missing-durable-checkpoint-storage",
            "job.py",
            _PYTHON.format(checkpoints=_RETAINED),
            {"submitted here": "env.execute", "what is kept is kept there": "ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION"},
        ),
        ("missing-durable-checkpoint-storage", "Orders.java", _JAVA, {"submitted here": "execute"}),
    ],
)
def test_where_it_matters(rule: str, path: str, text: str, labels: dict[str, str]) -> None:
    rules = rulebook.load().only(lambda one: one.id == rule)
    results = [check_source(Source(path, classify(path), text.encode()), rules, Settings())]
    (finding,), problems = conclude(results, rules, Settings(), (path,))
    assert problems == []
    said = {place.label: text[place.span.start : place.span.end] for place in finding.places if place.role == "related"}
    assert said == labels
