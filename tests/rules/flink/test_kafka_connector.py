"""A connector that loses what a Kafka sink writes: how sure that is depends on whether a job has such a sink."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

IMAGE = "FROM flink:1.18\nCOPY flink-sql-connector-kafka-3.2.0-1.18.jar /opt/flink/lib/\n"
TABLES = """
CREATE TABLE orders (id STRING) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
CREATE TABLE stored (id STRING) WITH ('connector' = '{}', 'topic' = 'stored', 'format' = 'json');
INSERT INTO stored SELECT id FROM orders;
"""


@pytest.mark.parametrize(("sink", "confidence"), [("kafka", "medium"), ("upsert-kafka", "medium"), ("blackhole", "low"), ("", "low")])
def test_as_sure_as_the_sink_is_seen(sink: str, confidence: str) -> None:
    book = rulebook.load().only(lambda rule: rule.id == "kafka-connector-loses-records")
    texts = {"Dockerfile": IMAGE} | ({"sql/orders.sql": TABLES.format(sink)} if sink else {})
    kinds = {"Dockerfile": "dockerfile", "sql/orders.sql": "sql"}
    results = [check_source(Source(path, kinds[path], text.encode()), book, Settings()) for path, text in texts.items()]
    findings, problems = conclude(results, book, Settings(), texts)
    assert problems == []
    assert [finding.confidence for finding in findings] == [confidence]
