"""What a program does besides makes rules about its parts less sure."""

from __future__ import annotations

import json

import pytest

from tests.rules.test_how_sure import confidences

_STARTED = """
import asyncio

from aiokafka import AIOKafkaConsumer


async def watch():
    while True:
        await asyncio.sleep(1)


async def read():
    async with AIOKafkaConsumer("orders", bootstrap_servers="broker:9092") as consumer:
        async for record in consumer:
            print(record)


async def start():
    {first}
    {then}
"""


@pytest.mark.parametrize(
    ("first", "then", "confidence"),
    [
        ("task = asyncio.create_task(watch())", "await read()", "low"),
        ("task = asyncio.create_task(watch())", "print('started')", "medium"),
        ("task = asyncio.create_task(watch())", "asyncio.get_event_loop().call_soon(print)", "medium"),
        ("await asyncio.sleep(1)", "task = asyncio.create_task(watch())", "medium"),
        ("for number in range(3): task = asyncio.create_task(watch())", "await read()", "medium"),
    ],
)
def test_a_coroutine_that_waits_holds_its_tasks(first: str, then: str, confidence: str) -> None:
    assert confidences("dangling-task", {"app.py": _STARTED.format(first=first, then=then)}) == {"app.py": confidence}


_SUBMITTED = """
from concurrent.futures import ThreadPoolExecutor

from confluent_kafka import Consumer


def around(function):
    def run(*args):
        {line}

    return run


@around
def consume(topic):
    consumer = Consumer({{"bootstrap.servers": "broker:9092", "group.id": "orders"}})
    consumer.subscribe([topic])
    while True:
        print(consumer.poll(1.0))


ThreadPoolExecutor(2).submit(consume, "orders")
"""
_TRIES = "try: function(*args)\n        except Exception as e: print(e)"


@pytest.mark.parametrize(("line", "confidence"), [("return function(*args)", "medium"), (_TRIES, "low")])
def test_a_decorator_may_try_what_a_thread_does(line: str, confidence: str) -> None:
    assert confidences("dangling-task", {"app.py": _SUBMITTED.format(line=line)}) == {"app.py": confidence}


_BEGINS = """
import shutil

from pyspark.sql import SparkSession

shutil.rmtree("/tmp/orders", ignore_errors=True)
spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.format("delta").option("checkpointLocation", "/tmp/orders/checkpoint").start("{sink}").awaitTermination()
"""


@pytest.mark.parametrize(("sink", "confidence"), [("/tmp/orders/table", "low"), ("/mnt/lake/orders", "high")])
def test_who_deletes_what_was_written_as_well_begins_anew_on_purpose(sink: str, confidence: str) -> None:
    assert confidences("checkpoint-deleted-at-start", {"job.py": _BEGINS.format(sink=sink)}) == {"job.py": confidence}


@pytest.mark.parametrize(("first", "last", "confidence"), [(1, 2, "high"), (2, 1, "low")])
def test_the_last_cell_of_a_notebook_may_clear_up(first: int, last: int, confidence: str) -> None:
    lines = _BEGINS.format(sink="/mnt/lake/orders").replace("/tmp/orders/checkpoint", "/tmp/orders").strip().splitlines()
    removes = [line for line in lines if "rmtree" in line]
    starts = [line for line in lines if "rmtree" not in line]
    sources = [source for _, source in sorted([(first, removes), (last, starts)])]
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source} for source in sources]
    cells = [{**cell, "source": [f"{line}\n" for line in cell["source"]]} for cell in cells]
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}}, "cells": cells}, indent=1)
    assert confidences("checkpoint-deleted-at-start", {"job.ipynb": notebook}) == {"job.ipynb": confidence}


_WRITES = """
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {{
    public static void main(String[] args) throws Exception {{
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSink<String> sink = KafkaSink.<String>builder().setBootstrapServers("broker:9092").build();
        {source}
        env.execute("orders");
    }}
}}
"""
_FROM_KAFKA = 'KafkaSource<String> source = KafkaSource.<String>builder().setBootstrapServers("broker:9092").setTopics("orders").build();'


@pytest.mark.parametrize(
    ("source", "confidence"), [('env.fromElements("a", "b").sinkTo(sink);', "low"), ("", "medium"), (_FROM_KAFKA, "medium")]
)
def test_at_the_end_of_its_input_a_sink_flushes_anyway(source: str, confidence: str) -> None:
    assert confidences("sink-guarantee-none", {"Job.java": _WRITES.format(source=source)}) == {"Job.java": confidence}


_CONNECTOR = """
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: files
spec:
  class: io.confluent.connect.s3.S3SinkConnector
  tasksMax: 2
  config:
    topics: orders
    tasks.max: {tasks}
"""


@pytest.mark.parametrize(("tasks", "confidence"), [("2", "low"), ("4", "high")])
def test_what_is_said_twice_is_not_lost(tasks: str, confidence: str) -> None:
    assert confidences("option-strimzi-sets", {"connector.yaml": _CONNECTOR.format(tasks=tasks)}) == {"connector.yaml": confidence}


_HELPER = """
from pyspark.sql import SparkSession


def save(batch):
    try:
        batch.write.mode("append").parquet("s3a://lake/orders")
        return True
    except Exception as error:
        print("not saved", error)
        return False


def store(batch, batch_id):
    {call}


orders = SparkSession.builder.getOrCreate().readStream.table("orders")
orders.writeStream.foreachBatch(store).option("checkpointLocation", "s3a://state/orders").start().awaitTermination()
"""


@pytest.mark.parametrize(("call", "confidence"), [("save(batch)", "high"), ("saved = save(batch)", "low")])
def test_a_helper_that_says_whether_it_has_saved_may_be_asked(call: str, confidence: str) -> None:
    assert confidences("foreach-batch-swallows-errors", {"job.py": _HELPER.format(call=call)}) == {"job.py": confidence}


_PARTITIONS = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
orders = spark.readStream.table("orders").withWatermark("at", "1 hour").groupBy("at").count()
orders.writeStream.option("checkpointLocation", "s3a://state/orders").toTable("counts").awaitTermination()
"""


def test_defaults_are_what_a_job_may_differ_from() -> None:
    files = {"jobs/job.py": _PARTITIONS, "conf/spark-defaults.conf": "spark.sql.shuffle.partitions 8\n"}
    assert confidences("code-overrides-configuration", files) == {"jobs/job.py": "low"}


_BATCHES = """
from pyspark.sql import SparkSession
from pyspark.sql.functions import avg, col, lit

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()


def store(batch, batch_id):
    {body}


orders.writeStream.foreachBatch(store).start().awaitTermination()
"""


@pytest.mark.parametrize(
    ("body", "confidence"),
    [
        ('batch.withColumn("batch", lit(batch_id)).groupBy("key").agg(avg("amount")).orderBy("key").show()', "low"),
        ('batch.groupBy("key").agg(avg("amount")).write.mode("overwrite").parquet("s3a://lake/averages")', "medium"),
    ],
)
def test_a_batch_of_which_something_is_only_shown_has_less_to_lose(body: str, confidence: str) -> None:
    assert confidences("query-without-checkpoint-location", {"job.py": _BATCHES.format(body=body)}) == {"job.py": confidence}


_PUBLISHES = (
    "from google.cloud import pubsub_v1\n\npublisher = pubsub_v1.PublisherClient()\npublisher.publish('projects/p/topics/t', b'order')\n"
)


@pytest.mark.parametrize(("begins", "confidence"), [("", "medium"), ("# Databricks notebook source\n", "low")])
def test_the_session_of_a_notebook_lives_on_behind_it(begins: str, confidence: str) -> None:
    assert confidences("published-messages-not-awaited", {"job.py": begins + _PUBLISHES}) == {"job.py": confidence}


_FAILS = """
from pyflink.datastream import StreamExecutionEnvironment

try:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1, 2]).print()
    env.execute("orders")
except Exception as error:
    print("job failed:", error)
"""


def test_who_runs_a_cell_sees_what_it_prints() -> None:
    cells = json.dumps({"cells": [{"cell_type": "code", "source": _FAILS.splitlines(keepends=True)}], "nbformat": 4, "nbformat_minor": 5})
    assert confidences("job-failure-swallowed", {"job.py": _FAILS, "job.ipynb": cells}) == {"job.py": "medium", "job.ipynb": "low"}


_CELLS = """
counts = spark.readStream.table("orders").groupBy("item").count()
counts.writeStream.foreachBatch(add).outputMode("update").option("checkpointLocation", "/Volumes/lake/ckp/counts").start()

# COMMAND ----------
from delta.tables import DeltaTable


def add(batch, batch_id):
    merge = DeltaTable.forName(spark, "counts").alias("t").merge(batch.alias("s"), "t.item = s.item")
    merge.whenMatchedUpdate(set={"count": "t.count + s.count"}).whenNotMatchedInsertAll().execute()
"""


@pytest.mark.parametrize(("begins", "told"), [("", {}), ("# Databricks notebook source\n", {"job.py": "medium"})])
def test_the_cells_of_a_notebook_may_be_run_in_another_order(begins: str, told: dict[str, str]) -> None:
    assert confidences("foreach-batch-not-idempotent", {"job.py": begins + _CELLS}) == told


_CHECKED = """
import json

from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
from pyflink.datastream.functions import MapFunction


class Checked(MapFunction):
    def map(self, value):
        {line}


class Priced(MapFunction):
    def map(self, value):
        return json.loads(value)["price"]


env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000)
source = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("orders").build()
env.from_source(source, None, "orders").map(Checked()).map(Priced())
env.execute("prices")
"""
_TRIES = "try:\n            return json.loads(value)\n        except ValueError:\n            return None"


@pytest.mark.parametrize(("line", "confidence"), [("return value", "medium"), (_TRIES, "low")])
def test_an_operator_that_sees_to_records_makes_those_behind_it_less_sure(line: str, confidence: str) -> None:
    assert confidences("poison-record-restarts-for-ever", {"job.py": _CHECKED.format(line=line)}) == {"job.py": confidence}


_PARTS = """
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit, window

spark = SparkSession.builder.getOrCreate()


def store(batch, batch_id):
    parts = batch.groupBy(window("at", "5 minutes")).count(){more}
    parts.write.mode("append").saveAsTable("counts")


spark.readStream.table("readings").writeStream.foreachBatch(store).option("checkpointLocation", "s3a://lake/c").start().awaitTermination()
"""


@pytest.mark.parametrize(("more", "confidence"), [("", "medium"), ('.withColumn("part", lit(batch_id))', "low")])
def test_parts_of_windows_that_say_of_which_batch_they_are(more: str, confidence: str) -> None:
    assert confidences("window-split-by-batches", {"job.py": _PARTS.format(more=more)}) == {"job.py": confidence}


_PARTED = """
from confluent_kafka import Producer

producer = Producer({{"bootstrap.servers": "broker:9092"}})


def send(event) -> None:
    producer.produce("orders", event.data, partition=hash({of}) % 12, on_delivery=print)
    producer.poll(0)
"""


@pytest.mark.parametrize(
    ("of", "told"), [("str(event.id)", {"job.py": "medium"}), ("event.session_id", {"job.py": "low"}), ("event.size + 1", {}), ("7", {})]
)
def test_the_hash_of_what_may_be_a_text(of: str, told: dict[str, str]) -> None:
    assert confidences("salted-hash-as-key", {"job.py": _PARTED.format(of=of)}) == told


_MAPPED = """
import time

from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import MapFunction


class Enrich(MapFunction):
    def map(self, value):
        {loop}
            try:
                return self.look_up(value)
            except ConnectionError:
                {failed}
        {behind}
        return None


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(Enrich()).print()
env.execute()
"""


@pytest.mark.parametrize(
    ("loop", "failed", "behind", "confidence"),
    [
        ("for attempt in range(3):", "time.sleep(5)", "self.failed += 1", "low"),
        ("for attempt in range(3):", "self.failed += 1", "time.sleep(5)", "high"),
        ("while True:", "time.sleep(5)", "self.failed += 1", "high"),
    ],
)
def test_the_pause_of_a_loop_that_gives_up_holds_up_only_what_fails(loop: str, failed: str, behind: str, confidence: str) -> None:
    found = confidences("sleep-in-operator", {"job.py": _MAPPED.format(loop=loop, failed=failed, behind=behind)})
    assert found == {"job.py": confidence}


_SUNK = """
import time

from quixstreams.sinks import BaseSink


class Radio(BaseSink):
    def add(self, **record):
        self.client.publish(record)

    def {name}(self):
        while self.client.pending:
            time.sleep(1)
"""


@pytest.mark.parametrize("name", ["flush", "add"])
def test_a_sink_is_flushed_to_wait(name: str) -> None:
    assert confidences("sleep-in-operator", {"sink.py": _SUNK.format(name=name)}) == {"sink.py": "low" if name == "flush" else "high"}


_COUNTED = """
from quixstreams import Application
from quixstreams.sources import Source


class Panels(Source):
    def run(self):
        self.produce(key="1", value="{{}}")


app = Application("broker:9092", consumer_group="solar", use_changelog_topics=False)
{frame}
panels.tumbling_window(10_000).mean().final().to_topic(app.topic("means"))
app.run()
"""


@pytest.mark.parametrize(
    ("frame", "confidence"),
    [
        ('panels = app.dataframe(source=Panels(name="panels"))', "low"),
        ('panels = app.dataframe(app.topic("panels"))', "high"),
        ('app.add_source(Panels(name="panels"))\npanels = app.dataframe(app.topic("panels"))', "high"),
    ],
)
def test_state_over_records_that_are_made_up_is_no_loss(frame: str, confidence: str) -> None:
    assert confidences("quix-state-without-changelog", {"app.py": _COUNTED.format(frame=frame)}) == {"app.py": confidence}


_RINGS = """
import os

from pyflink.datastream import StreamExecutionEnvironment


def ring(value):
    os.system({command})
    return value


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(ring).print()
env.execute()
"""


@pytest.mark.parametrize(
    ("command", "confidence"),
    [("'beep -f 555 -l 460'", "low"), ("'convert a.png b.png'", "medium"), ("'echo done && convert a.png b.png'", "medium")],
)
def test_a_command_that_is_back_at_once_is_hardly_a_wait(command: str, confidence: str) -> None:
    assert confidences("unbounded-wait-in-operator", {"app.py": _RINGS.format(command=command)}) == {"app.py": confidence}


@pytest.mark.parametrize(
    ("above", "beside", "confidence"),
    [
        ("", "", "medium"),
        ("# The hub rejects the idempotent producer\n# (UNSUPPORTED_FOR_MESSAGE_FORMAT).\n", "", "low"),
        ("", " # the broker grants no IdempotentWrite", "low"),
        ("# of the writer\n", "", "medium"),
    ],
)
def test_idempotence_that_is_off_for_a_reason(above: str, beside: str, confidence: str) -> None:
    text = f'from confluent_kafka import Producer\nProducer({{\n"bootstrap.servers": "broker:9092",\n{above}"enable.idempotence": False,{beside}\n}})\n'
    assert confidences("idempotence-switched-off", {"app.py": text}) == {"app.py": confidence}


_STORES = """
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

class Orders {{
    {session}

    void run() throws Exception {{
        Dataset<Row> orders = spark.readStream().format("kafka").option("subscribe", "orders").load();
        orders.writeStream().format("parquet").start("s3a://lake/orders").awaitTermination();
    }}
}}
"""


@pytest.mark.parametrize(
    ("session", "confidence"),
    [("private SparkSession spark;", "low"), ("private SparkSession spark = SparkSession.builder().getOrCreate();", "medium")],
)
def test_a_session_that_is_not_in_sight_may_say_where_checkpoints_are(session: str, confidence: str) -> None:
    text = _STORES.format(session=session)
    assert confidences("query-without-checkpoint-location", {"Orders.java": text}) == {"Orders.java": confidence}


_ASKED = """
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;

public class Lookup extends RichAsyncFunction<String, String> {{
    @Override
    public void asyncInvoke(String id, ResultFuture<String> result) {{
        executor.submit(() -> {{ {work} }});
    }}
}}
"""


@pytest.mark.parametrize(
    ("work", "confidence"),
    [
        ("result.complete(List.of(database.find(id)));", "medium"),
        ("try { result.complete(List.of(database.find(id))); } catch (SQLException e) { result.completeExceptionally(e); }", "low"),
    ],
)
def test_a_failure_of_the_usual_kind_completes_the_future(work: str, confidence: str) -> None:
    assert confidences("result-future-failure-unseen", {"Lookup.java": _ASKED.format(work=work)}) == {"Lookup.java": confidence}


_WORKER = """
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnect
metadata:
  name: connect
spec:
  version: 3.9.0
  replicas: 3
  bootstrapServers: orders-kafka-bootstrap:9092
  config:
    group.id: connect
    value.converter: io.confluent.connect.avro.AvroConverter
"""
_READS_FROM_WORKER = """
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: orders
  labels:
    strimzi.io/cluster: connect
spec:
  class: io.confluent.connect.s3.S3SinkConnector
  config:
    topics: orders
"""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"connect.yaml": _WORKER}, {"connect.yaml": "medium"}),
        ({"connect.yaml": _WORKER, "orders/orders.yaml": _READS_FROM_WORKER}, {"connect.yaml": "high"}),
        (
            {
                "connect.yaml": _WORKER,
                "orders/orders.yaml": _READS_FROM_WORKER + "    value.converter: org.apache.kafka.connect.json.JsonConverter\n",
            },
            {},
        ),
        (
            {"connect.yaml": _WORKER, "orders.yaml": _READS_FROM_WORKER.replace("cluster: connect", "cluster: other")},
            {"connect.yaml": "medium"},
        ),
    ],
)
def test_a_worker_makes_its_converter_for_connectors_that_have_none(files: dict[str, str], expected: dict[str, str]) -> None:
    assert confidences("registry-of-converter-missing", files) == expected


_FACTORY = """
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.support.serializer.JsonDeserializer;

class Orders {
    ConsumerFactory<String, Order> orders() {
        return new DefaultKafkaConsumerFactory<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "broker:9092",
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, JsonDeserializer.class));
    }
}
"""
_LISTENER = """
import org.springframework.kafka.annotation.KafkaListener;

class Bookings {
    @KafkaListener(topics = "orders")
    void book(Order order) {
        ledger.book(order);
    }
}
"""


@pytest.mark.parametrize(("beside", "confidence"), [({}, "low"), ({"src/main/java/Bookings.java": _LISTENER}, "medium")])
def test_a_container_reads_what_cannot_be_decoded_again(beside: dict[str, str], confidence: str) -> None:
    path = "src/main/java/Orders.java"
    assert confidences("undecodable-record-read-for-ever", {path: _FACTORY, **beside}) == {path: confidence}
