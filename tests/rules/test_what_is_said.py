"""What findings say where it differs with what else is there."""

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
def test_an_unknown_option_is_another_programs_before_its_prefix_is_missing(line: str, said: str) -> None:
    only = rulebook.load().only(lambda one: one.id == "unknown-kafka-option")
    checked = check_source(Source("server.properties", classify("server.properties"), (BROKER + line + "\n").encode()), only, Settings())
    (finding,), problems = conclude([checked], only, Settings(), {})
    assert problems == []
    assert said in finding.message


TABLE = "CREATE TABLE taps (at TIMESTAMP(3), WATERMARK FOR at AS at - INTERVAL '5' SECOND) WITH ('connector' = 'datagen')"
UNUSED = """
from pyflink.common import Duration, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
tables = StreamTableEnvironment.create(env)
watermarks = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
tables.execute_sql({statement!r})
"""


@pytest.mark.parametrize(
    ("statement", "said"),
    [(TABLE, "its tables have those of their WATERMARK clauses"), ("SHOW TABLES", "event-time windows and timers on it never fire")],
)
def test_a_strategy_that_nobody_uses_beside_the_watermarks_of_sql(statement: str, said: str) -> None:
    only = rulebook.load().only(lambda one: one.id == "watermark-strategy-unused")
    (finding,) = check_source(Source("job.py", "python", UNUSED.format(statement=statement).encode()), only, Settings()).findings
    assert finding.message.endswith(said)


@pytest.mark.parametrize(
    ("entrypoint", "said"),
    [("    entrypoint: [sh, -c]\n", "give it as a list of one text"), ("", "hand it to one with bash -c '…'")],
)
def test_a_command_may_have_a_shell_that_gets_a_word_of_it(entrypoint: str, said: str) -> None:
    only = rulebook.load().only(lambda one: one.id == "compose-command-without-shell")
    service = f"services:\n  topics:\n    image: apache/kafka:3.9.0\n{entrypoint}    command: sleep 10 && kafka-topics.sh --list\n"
    checked = check_source(Source("docker-compose.yml", classify("docker-compose.yml"), service.encode()), only, Settings())
    (finding,), problems = conclude([checked], only, Settings(), {})
    assert problems == []
    assert finding.message.endswith(said)


STREAM = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
taps = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "taps").option({key!r}, "30").load()
"""


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("spark.sql.shuffle.partitions", "of the session (spark.conf.set, or config() of its builder)"),
        ("spark.executor.memory", "of the whole application (config() of the session's builder, or --conf)"),
        ("spark.streaming.kafka.consumer.cache.timeout", "of DStreams, which structured streaming has none of"),
    ],
)
def test_where_a_setting_of_spark_belongs_that_no_stream_reads(key: str, said: str) -> None:
    only = rulebook.load().only(lambda one: one.id == "session-setting-as-option")
    (finding,) = check_source(Source("job.py", "python", STREAM.format(key=key).encode()), only, Settings()).findings
    assert finding.message.endswith(said)
