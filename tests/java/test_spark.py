"""Structured Streaming in Java becomes the blocks and settings that PySpark gives."""

from __future__ import annotations

import pytest

from shoal.facts import Block, Oddity, Setting, Usage
from shoal.model import Source
from shoal.readers import Reading, read

IMPORTS = """import org.apache.spark.SparkConf;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.*;
import org.apache.spark.sql.streaming.*;
import static org.apache.spark.sql.functions.*;
"""
STREAM = 'Dataset<Row> rows = spark.readStream().format("rate").load();\n'


def program(body: str, members: str = "") -> Reading:
    text = f"{IMPORTS}public class Job {{\n{members}\npublic static void main(String[] args) throws Exception {{\n{body}\n}}\n}}\n"
    out = read(Source("src/main/java/Job.java", "java", text.encode()))[0]
    assert not out.problems, out.problems
    return out


def blocks(out: Reading, role: str) -> list[Block]:
    return [fact for fact in out.facts if isinstance(fact, Block) and fact.role == role]


def told(out: Reading, block: Block) -> dict[str, str]:
    return {fact.key: fact.text for fact in out.facts if isinstance(fact, Setting) and fact.block == block.id}


def oddities(out: Reading) -> list[str]:
    return [fact.kind for fact in out.facts if isinstance(fact, Oddity)]


def test_session_and_the_conf_that_it_is_given() -> None:
    out = program(
        'SparkConf conf = new SparkConf().setMaster("local[2]").set("spark.sql.shuffle.partitions", "4");\n'
        'SparkSession spark = SparkSession.builder().config(conf).appName("orders").config("spark.sql.streaming.checkpointLocation", "/chk").getOrCreate();\n'
        'spark.conf().set("spark.sql.session.timeZone", "UTC");\n'
    )
    (job,) = blocks(out, "job")
    assert not job.open
    assert told(out, job) == {
        "spark.master": "local[2]",
        "spark.sql.shuffle.partitions": "4",
        "spark.app.name": "orders",
        "spark.sql.streaming.checkpointLocation": "/chk",
        "spark.sql.session.timeZone": "UTC",
    }


def test_session_that_is_configured_by_what_is_not_seen_may_hold_more() -> None:
    out = program("SparkSession spark = SparkSession.builder().config(Settings.of(args)).getOrCreate();\n")
    assert blocks(out, "job")[0].open


def test_packages_of_a_session_are_dependencies() -> None:
    out = program(
        'SparkSession.builder().config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1").getOrCreate();\n'
    )
    assert "3.5.1" in [getattr(fact, "version", "") for fact in out.facts]


def test_reader_and_writer() -> None:
    out = program(
        'Dataset<Row> rows = spark.readStream().format("kafka").option("subscribe", "orders").option("failOnDataLoss", false).load();\n'
        'StreamingQuery query = rows.select(col("value")).writeStream().queryName("copies").format("parquet")\n'
        '.outputMode(OutputMode.Append()).trigger(Trigger.ProcessingTime(30, TimeUnit.SECONDS)).option("checkpointLocation", "/chk").start("/lake");\n'
        "query.awaitTermination();\n",
        "static SparkSession spark;",
    )
    (reader,), (writer,) = blocks(out, "reader"), blocks(out, "writer")
    assert dict(reader.traits) == {"format": "kafka", "loads": "load"}
    assert told(out, reader) == {"format": "kafka", "subscribe": "orders", "failOnDataLoss": "false"}
    assert (writer.name, dict(writer.traits)) == ("copies", {"format": "parquet", "start": "start"})
    assert told(out, writer) == {
        "queryName": "copies",
        "format": "parquet",
        "outputMode": "append",
        "trigger.processingTime": "30 seconds",
        "checkpointLocation": "/chk",
        "path": "/lake",
    }
    assert [fact.detail for fact in out.facts if isinstance(fact, Usage) and fact.kind == "waits-for-ever"] == ["awaitTermination"]


def test_writer_that_has_a_name_and_is_told_more_under_a_condition() -> None:
    out = program(
        STREAM + 'DataStreamWriter<Row> writer = rows.writeStream().format("kafka");\n'
        'if (args.length > 0) { writer = writer.option("checkpointLocation", args[0]); }\n'
        'writer.outputMode("update").start();\n'
    )
    (writer,) = blocks(out, "writer")
    found = {fact.key: fact for fact in out.facts if isinstance(fact, Setting) and fact.block == writer.id}
    assert writer.trait("start") == "start"
    assert found["outputMode"].text == "update"
    assert found["checkpointLocation"].sure == "branch"


def test_query_that_is_built_in_a_branch_is_sure_of_what_it_is_told() -> None:
    out = program(
        STREAM + 'if (args.length > 0) { rows.writeStream().format("console").outputMode("update").start().awaitTermination(); }\n'
    )
    (writer,) = blocks(out, "writer")
    assert {fact.sure for fact in out.facts if isinstance(fact, Setting) and fact.block == writer.id} == {"sure"}


@pytest.mark.parametrize(
    ("body", "hidden"),
    [
        ('rows.writeStream().format("parquet").options(Options.of(args)).start("/lake");', True),
        ('rows.writeStream().format("parquet").option(args[0], "/chk").start("/lake");', True),
        ('Helpers.start(rows.writeStream().format("parquet"));', True),
        ('rows.writeStream().format("parquet").options(Map.of("checkpointLocation", "/chk")).start("/lake");', False),
    ],
)
def test_writer_that_may_be_told_more(body: str, hidden: bool) -> None:
    assert blocks(program(STREAM + body), "writer")[0].open is hidden


def test_other_librarys_streams_are_none() -> None:
    out = program("file.readStream(1); String text = file.writeStream(target);\n")
    assert not blocks(out, "reader")
    assert not blocks(out, "writer")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('rows.groupBy("value").count().writeStream().format("console").start().awaitTermination();', ["aggregation-appended"]),
        (
            'rows.groupBy(window(col("timestamp"), "1 minute")).count().writeStream().outputMode("update").start().awaitTermination();',
            ["aggregation-unbounded"],
        ),
        (
            'rows.withWatermark("timestamp", "1 minute").groupBy("value").count().writeStream().format("console").start().awaitTermination();',
            [],
        ),
        ('rows.join(others).groupBy("value").count().writeStream().format("console").start().awaitTermination();', []),
        ('Helpers.add(rows).groupBy("value").count().writeStream().format("console").start().awaitTermination();', []),
    ],
)
def test_aggregations(body: str, expected: list[str]) -> None:
    assert oddities(program(STREAM + body, "static SparkSession spark;")) == expected


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('rows.writeStream().format("console").start();', True),
        ('StreamingQuery query = rows.writeStream().format("console").start(); Thread.sleep(1000);', False),
        ('StreamingQuery query = rows.writeStream().format("console").start(); Watcher.add(query);', False),
        ('new Thread(() -> run(rows.writeStream().format("console").start()));', False),
    ],
)
def test_queries_that_main_does_not_wait_for(body: str, found: bool) -> None:
    assert ("query-never-awaited" in oddities(program(STREAM + body, "static SparkSession spark;"))) is found
