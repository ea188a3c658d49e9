"""A rule over Kafka clients is written once and holds wherever a client's options can be written."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

RULE = "heartbeat-not-below-session-timeout"
RULEBOOK = rulebook.load().only(lambda rule: rule.id == RULE)
PLACES = {
    "consumer.properties": "bootstrap.servers=b:9092\ngroup.id=g\nsession.timeout.ms=10000\nheartbeat.interval.ms=10000\n",
    "job.sql": (
        "CREATE TABLE t (id STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',\n"
        "'properties.session.timeout.ms' = '10000', 'properties.heartbeat.interval.ms' = '10000');\n"
    ),
    "application.yaml": "kafka:\n  bootstrap.servers: b:9092\n  group.id: g\n  session.timeout.ms: 10000\n  heartbeat.interval.ms: 10000\n",
    "connect.properties": (
        "bootstrap.servers=b:9092\nkey.converter=x\nvalue.converter=x\noffset.storage.topic=o\nconfig.storage.topic=c\n"
        "consumer.session.timeout.ms=10000\nconsumer.heartbeat.interval.ms=10000\n"
    ),
    "sink.json": (
        '{"name": "s", "config": {"connector.class": "x.Sink", "topics": "t",\n'
        '"consumer.override.session.timeout.ms": "10000", "consumer.override.heartbeat.interval.ms": "10000"}}\n'
    ),
    "run.sh": (
        "kafka-console-consumer.sh --bootstrap-server b:9092 --topic t --consumer-property session.timeout.ms=10000 "
        "--consumer-property heartbeat.interval.ms=10000\n"
    ),
    "flink_source.py": (
        "from pyflink.datastream.connectors.kafka import KafkaSource\n"
        'source = KafkaSource.builder().set_bootstrap_servers("b:9092").set_topics("t").set_group_id("g")'
        '.set_property("session.timeout.ms", "10000").set_property("heartbeat.interval.ms", "10000").build()\n'
    ),
    "spark_source.py": (
        "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
        'df = spark.readStream.format("kafka").option("subscribe", "t").option("kafka.session.timeout.ms", "10000")'
        '.option("kafka.heartbeat.interval.ms", "10000").load()\n'
    ),
    "beam_source.py": (
        "from apache_beam.io.kafka import ReadFromKafka\n"
        'read = ReadFromKafka({"bootstrap.servers": "b:9092", "session.timeout.ms": "10000", "heartbeat.interval.ms": "10000"}, ["t"])\n'
    ),
    "Consumer.java": (
        "import java.util.Properties;\nimport org.apache.kafka.clients.consumer.ConsumerConfig;\nimport org.apache.kafka.clients.consumer.KafkaConsumer;\n"
        "class Consumer { void run() { Properties p = new Properties(); p.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 10000);"
        ' p.put("heartbeat.interval.ms", 10000); new KafkaConsumer<String, String>(p); } }\n'
    ),
    "FlinkSource.java": (
        "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
        'class FlinkSource { Object s = KafkaSource.<String>builder().setBootstrapServers("b:9092").setTopics("t").setGroupId("g")'
        '.setProperty("session.timeout.ms", "10000").setProperty("heartbeat.interval.ms", "10000").build(); }\n'
    ),
    "SparkSource.java": (
        "import org.apache.spark.sql.SparkSession;\n"
        'class SparkSource { Object read = SparkSession.builder().getOrCreate().readStream().format("kafka").option("subscribe", "t")'
        '.option("kafka.session.timeout.ms", 10000).option("kafka.heartbeat.interval.ms", "10000").load(); }\n'
    ),
    "BeamSource.java": (
        "import java.util.Map;\nimport org.apache.beam.sdk.io.kafka.KafkaIO;\n"
        "class BeamSource { Object read = KafkaIO.<String, String>read()"
        '.withConsumerConfigUpdates(Map.of("session.timeout.ms", 10000, "heartbeat.interval.ms", 10000)); }\n'
    ),
    "plain.py": (
        "from kafka import KafkaConsumer\n"
        "consumer = KafkaConsumer('t', bootstrap_servers='b:9092', group_id='g', session_timeout_ms=10000, heartbeat_interval_ms=10000)\n"
    ),
}


@pytest.mark.parametrize("path", PLACES)
def test_the_relation_is_found(path: str) -> None:
    text = PLACES[path]
    findings, problems = conclude(
        [check_source(Source(path, classify(path), text.encode()), RULEBOOK, Settings())], RULEBOOK, Settings(), {}
    )
    assert problems == []
    (finding,) = findings
    assert finding.severity == "error"
    assert text[finding.primary.span.start : finding.primary.span.end].strip("'\"") == "10000"
    assert any(place.role == "related" for place in finding.places)


@pytest.mark.parametrize("path", PLACES)
def test_the_right_relation_is_quiet(path: str) -> None:
    text = PLACES[path].replace("10000", "45000", 1)
    findings, _ = conclude([check_source(Source(path, classify(path), text.encode()), RULEBOOK, Settings())], RULEBOOK, Settings(), {})
    assert findings == []
