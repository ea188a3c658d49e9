"""Rules that speak of what a job may do are unsure where the code beside them shows that it does not."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

_READS = """
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaSink, KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()
env.add_jars("file:///jars/flink-sql-connector-kafka-1.16.1.jar")
source = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("orders").set_group_id("orders").build()
"""
_WRITES = _READS + 'sink = KafkaSink.builder().set_bootstrap_servers("broker:9092").set_record_serializer(serializer).build()\n'
_BEAM = """
import apache_beam as beam
from apache_beam.io.kafka import ReadFromKafka, WriteToKafka
from apache_beam.options.pipeline_options import PipelineOptions

options = PipelineOptions(["--runner=FlinkRunner", "--flink_master=jobmanager:8081", "--streaming"])
with beam.Pipeline(options=options) as pipeline:
    words = pipeline | {source}
    words | WriteToKafka(producer_config={{"bootstrap.servers": "broker:9092"}}, topic="words")
"""
_KAFKA = 'ReadFromKafka(consumer_config={"bootstrap.servers": "broker:9092"}, topics=["lines"])'
_SINK = """
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors import DeliveryGuarantee
from pyflink.datastream.connectors.kafka import KafkaSink

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing({interval})
sink = (
    KafkaSink.builder()
    .set_bootstrap_servers("broker:9092")
    .set_record_serializer(serializer)
    .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    .set_transactional_id_prefix("orders")
    .set_property("transaction.timeout.ms", "{timeout}")
    .build()
)
"""


def confidences(rule: str, files: dict[str, str]) -> dict[str, str]:
    """Path -> confidence of the one rule's findings."""
    rules = rulebook.load().only(lambda one: one.id == rule)
    results = [check_source(Source(path, classify(path), text.encode()), rules, Settings()) for path, text in files.items()]
    findings, problems = conclude(results, rules, Settings(), files)
    assert problems == []
    return {finding.primary.path: finding.confidence for finding in findings}


def test_a_jar_of_no_release_is_sure_where_it_is_fetched_by_that_name() -> None:
    jar = "flink-sql-connector-kafka-1.18.0.jar"
    files = {
        "a/Dockerfile": f"FROM flink:1.18\nADD https://repo1.maven.org/maven2/org/apache/flink/flink-sql-connector-kafka/1.18.0/{jar} /opt/flink/lib/\n",
        "b/Dockerfile": f"FROM flink:1.18\nCOPY {jar} /opt/flink/lib/\n",
        "c/run.sh": f"test -f /opt/flink/lib/{jar} && flink run a.jar\n",
        "d/job.py": "from pyflink.datastream import StreamExecutionEnvironment\n\n"
        f'env = StreamExecutionEnvironment.get_execution_environment()\nenv.add_jars("file:///opt/flink/lib/{jar}")\n',
    }
    found = confidences("connector-without-release", files)
    assert found == {"a/Dockerfile": "medium", "b/Dockerfile": "low", "c/run.sh": "low", "d/job.py": "low"}


def test_a_jar_that_code_adds_serves_the_job_of_that_file() -> None:
    found = confidences("kafka-connector-loses-records", {"reads.py": _READS, "writes.py": _WRITES})
    assert found == {"reads.py": "low", "writes.py": "medium"}


@pytest.mark.parametrize(("source", "confidence"), [(_KAFKA, "medium"), ('beam.Create(["a b"])', "low")])
def test_a_pipeline_that_only_writes_to_kafka_may_be_finite(source: str, confidence: str) -> None:
    found = confidences("flink-pipeline-without-checkpointing", {"words.py": _BEAM.format(source=source)})
    assert found == {"words.py": confidence}


@pytest.mark.parametrize(("interval", "timeout", "confidence"), [(5000, 600000, "low"), (5000, 60000, "high")])
def test_a_transaction_as_long_as_the_checkpoint_timeout_that_nobody_chose(interval: int, timeout: int, confidence: str) -> None:
    found = confidences("transaction-timeout-shorter-than-checkpoint", {"job.py": _SINK.format(interval=interval, timeout=timeout)})
    assert found == {"job.py": confidence}


_BATCH = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()


def store(batch, batch_id):
    # {comment}
    batch.filter("a > 0").write.format("delta").mode("append").option("txnVersion", batch_id).saveAsTable("good")
    batch.filter("a <= 0").write.format("delta").mode("append").option("txnVersion", batch_id).saveAsTable("bad")


orders = spark.readStream.format("kafka").option("subscribe", "orders").load()
orders.writeStream.foreachBatch(store).option("checkpointLocation", "s3://lake/chk").start().awaitTermination()
"""


@pytest.mark.parametrize(("comment", "confidence"), [("No persist(): serverless compute refuses it", "low"), ("both tables", "medium")])
def test_somebody_thought_of_keeping_the_batch(comment: str, confidence: str) -> None:
    assert confidences("foreach-batch-recomputed", {"job.py": _BATCH.format(comment=comment)}) == {"job.py": confidence}


@pytest.mark.parametrize(("source", "confidence"), [(_KAFKA, "high"), ('beam.Create(["a b"])', "low")])
def test_splits_are_read_twice_only_where_something_unbounded_is_read(source: str, confidence: str) -> None:
    files = {"words.py": _BEAM.format(source=source), "requirements.txt": "apache-beam==2.62.0\n"}
    assert confidences("splits-read-twice-after-restore", files) == {"requirements.txt": confidence}


@pytest.mark.parametrize("service", ["volumes: [./read.py:/app/read.py]\n    command: spark-submit /app/read.py", ""])
def test_a_container_of_spark_brings_its_own_pyspark(service: str) -> None:
    files = {
        "docker-compose.yml": f"services:\n  spark-master:\n    image: bitnami/spark:3.4.3\n    {service}\n",
        "read.py": "from pyspark.sql import SparkSession\nSparkSession.builder.master('spark://spark-master:7077').getOrCreate()\n",
        "requirements.txt": "pyspark==3.5.1\n",
    }
    assert confidences("engine-version-mismatch", files) == {"requirements.txt": "low"}


@pytest.mark.parametrize(
    ("pin", "text", "confidence"), [("requirements.txt", "{}\n", "high"), ("Makefile", "install:\n\tpip install {}\n", "low")]
)
def test_a_recipe_sets_up_somebodys_own_machine(pin: str, text: str, confidence: str) -> None:
    files = {
        "Dockerfile": "FROM flink:1.18.1\nCOPY count.py /jobs/\n",
        "count.py": "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\nenv.from_collection([1]).print()\nenv.execute()\n",
        pin: text.format("apache-flink==1.19.1"),
    }
    assert confidences("engine-version-mismatch", files) == {pin: confidence}


@pytest.mark.parametrize(("image", "confidence"), [("flink:1.19.1", "medium"), ("shop/orders:7", "low")])
def test_an_image_of_the_projects_own_may_hold_another_flink_than_its_resource_says(image: str, confidence: str) -> None:
    files = {
        "pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version><dependencies>"
        "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency>"
        "</dependencies></project>\n",
        "src/main/java/Orders.java": "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Orders { public static void main(String[] a) throws Exception { "
        'StreamExecutionEnvironment.getExecutionEnvironment().execute("orders"); } }\n',
        "deployment.yaml": f"apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n  image: {image}\n"
        "  flinkVersion: v1_19\n  job:\n    jarURI: local:///opt/b-1.jar\n    entryClass: Orders\n",
    }
    assert confidences("engine-version-mismatch", files) == {"pom.xml": confidence}


@pytest.mark.parametrize(("start", "confidence"), [("spark-submit", "low"), ("python", "medium")])
def test_an_image_of_spark_submits_with_its_own_pyspark(start: str, confidence: str) -> None:
    files = {
        "Dockerfile": "FROM spark:3.5.6-java17-python3\nCOPY read.py run.sh /app/\n",
        "run.sh": f"{start} /app/read.py\n",
        "read.py": "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate().readStream.format('rate').load()\n",
        "requirements.txt": "pyspark==4.0.0\n",
    }
    assert confidences("engine-version-mismatch", files) == {"requirements.txt": confidence}


@pytest.mark.parametrize(("start", "confidence"), [('"/opt/spark-3.3.0-bin-hadoop3/bin/spark-submit"', "low"), ('"python"', "medium")])
def test_a_distribution_of_spark_submits_with_its_own_pyspark(start: str, confidence: str) -> None:
    files = {
        "Dockerfile": "FROM python:3.10\nRUN pip install pyspark\n"
        "RUN wget -qO- https://archive.apache.org/dist/spark/spark-3.3.0/spark-3.3.0-bin-hadoop3.tgz | tar xz -C /opt\n"
        f'COPY read.py /app/\nENTRYPOINT [{start}, "/app/read.py"]\n',
        "read.py": "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate().readStream.format('rate').load()\n",
    }
    assert confidences("engine-version-mismatch", files) == {"Dockerfile": confidence}


@pytest.mark.parametrize(
    ("package", "spark", "sink", "confidence"),
    [
        ("3.5.0", "3.4.1", "kafka", "high"),  # writing fails
        ("3.5.0", "3.4.1", "parquet", "low"),  # reading does not
        ("3.4.1", "3.5.0", "parquet", "low"),
        ("3.3.0", "3.2.1", "parquet", "high"),  # the stream does not start
        ("3.2.1", "3.3.0", "kafka", "low"),
        ("3.5.0", "4.0.0", "parquet", "high"),
    ],
)
def test_kafkas_package_for_another_spark_may_read(package: str, spark: str, sink: str, confidence: str) -> None:
    files = {
        "Dockerfile": f"FROM apache/spark:{spark}\nCOPY read.py /app/\n",
        "read.py": f"""from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.12:{package}").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.format("{sink}").option("checkpointLocation", "s3a://state/orders").start("s3a://lake/orders").awaitTermination()
""",
    }
    assert confidences("kafka-source-for-other-spark", files) == {"read.py": confidence}


@pytest.mark.parametrize(("more", "confidence"), [("", "high"), ("RUN pip install pyspark\n", "low")])
def test_pyspark_of_no_version_may_be_what_runs(more: str, confidence: str) -> None:
    files = {
        "Dockerfile": f"FROM apache/spark:3.1.2\n{more}COPY read.py /app/\n",
        "read.py": 'from pyspark.sql import SparkSession\nSparkSession.builder.config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.0")\n',
    }
    assert confidences("kafka-source-for-other-spark", files) == {"read.py": confidence}


@pytest.mark.parametrize(("more", "confidence"), [("", "high"), ("RUN pip install pyspark\n", "low")])
def test_pyspark_of_no_version_may_be_of_the_other_scala(more: str, confidence: str) -> None:
    files = {
        "Dockerfile": f"FROM apache/spark:3.5.2\n{more}COPY read.py /app/\n",
        "read.py": "from pyspark.sql import SparkSession\n"
        'SparkSession.builder.config("spark.jars.packages", "com.datastax.spark:spark-cassandra-connector_2.13:3.5.0")\n',
    }
    assert confidences("package-for-other-scala", files) == {"read.py": confidence}


@pytest.mark.parametrize(("master", "confidence"), [("yarn", "medium"), ("local[2]", "low")])
def test_a_query_in_one_process_may_forget_its_offsets(master: str, confidence: str) -> None:
    text = f"""from pyspark.sql import SparkSession
spark = SparkSession.builder.master("{master}").getOrCreate()
cars = spark.readStream.format("json").schema("name STRING").load("cars")
cars.writeStream.foreachBatch(lambda frame, number: frame.write.mode("overwrite").parquet("out")).start().awaitTermination()
"""
    assert confidences("query-without-checkpoint-location", {"cars.py": text}) == {"cars.py": confidence}


@pytest.mark.parametrize(
    ("more", "rule", "otherwise"),
    [
        ("", "query-without-checkpoint-location", "medium"),
        ("config('spark.sql.streaming.checkpointLocation', place).", "unnamed-query-under-default-checkpoint", "high"),
    ],
)
def test_a_query_that_only_shows_its_rows_may_forget_its_offsets(more: str, rule: str, otherwise: str) -> None:
    for body, confidence in (("frame.show()", "low"), ("frame.write.mode('append').saveAsTable('cars')", otherwise)):
        text = (
            f"from pyspark.sql import SparkSession\nspark = SparkSession.builder.{more}getOrCreate()\n"
            f"def look(frame, batch_id):\n    {body}\n"
            "spark.readStream.format('rate').load().writeStream.foreachBatch(look).start().awaitTermination()\n"
        )
        assert confidences(rule, {"cars.py": text}) == {"cars.py": confidence}


_COMPOSE = """
services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    volumes: ["./conf/flink-conf.yaml:/opt/flink/conf/flink-conf.yaml"]
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    volumes: ["./conf/flink-conf.yaml:/opt/flink/conf/flink-conf.yaml"]
"""


@pytest.mark.parametrize(("more", "confidence"), [("execution.checkpointing.interval: 1 min\n", "medium"), ("", "low")])
def test_a_directory_in_which_nothing_may_ever_be_written(more: str, confidence: str) -> None:
    conf = f"jobmanager.rpc.address: jobmanager\nstate.checkpoints.dir: file:///tmp/checkpoints\n{more}"
    files = {"docker-compose.yml": _COMPOSE, "conf/flink-conf.yaml": conf}
    assert confidences("checkpoint-dir-outside-volumes", files) == {"conf/flink-conf.yaml": confidence}


@pytest.mark.parametrize(
    ("path", "source", "confidence"),
    [
        (
            "job.sql",
            "SET 'execution.checkpointing.interval' = '5 s';\nCREATE TABLE t (x INT) WITH ('connector' = 'print');\nINSERT INTO t SELECT 1;\n",
            "low",
        ),
        (
            "job.py",
            "from pyflink.datastream import StreamExecutionEnvironment\n"
            "env = StreamExecutionEnvironment.get_execution_environment()\nenv.enable_checkpointing(5000)\n",
            "medium",
        ),
    ],
)
def test_a_script_of_statements_may_well_have_options_of_its_own(path: str, source: str, confidence: str) -> None:
    compose = _COMPOSE.replace(
        "    command: jobmanager\n",
        "    command: jobmanager\n    environment: {FLINK_PROPERTIES: 'execution.checkpointing.interval: 1 min'}\n",
    )
    assert confidences("code-overrides-configuration", {path: source, "docker-compose.yml": compose}) == {path: confidence}


@pytest.mark.parametrize(("more", "confidence"), [("", "medium"), ("state.savepoints.dir: s3://lake/savepoints\n", "low")])
def test_who_has_a_place_for_savepoints_may_take_one_before_a_cancel(more: str, confidence: str) -> None:
    conf = "jobmanager.rpc.address: jobmanager\nstate.checkpoints.dir: s3://lake/checkpoints\nexecution.checkpointing.interval: 1 min\n"
    assert confidences("checkpoints-deleted-on-cancel", {"conf/flink-conf.yaml": conf + more}) == {"conf/flink-conf.yaml": confidence}


_UNSEEN = """
services:
  jobmanager:
    image: flink:1.20
    command: standalone-job -py /opt/flink/jobs/orders.py
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
{more}
    volumes:
      - ./orders.py:/opt/flink/jobs/orders.py
"""
_DURABLE = """
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(10_000)
"""


@pytest.mark.parametrize(
    ("more", "confidence"),
    [
        ("", "medium"),
        ("    env_file: cluster.env", "low"),
        ('    entrypoint: sh -c "cat /state.yml >> /opt/flink/conf/config.yaml && exec /docker-entrypoint.sh $$0 $$@"', "low"),
    ],
)
def test_an_absence_is_less_sure_where_a_file_may_say_otherwise(more: str, confidence: str) -> None:
    files = {"orders.py": _DURABLE, "docker-compose.yml": _UNSEEN.format(more=more)}
    assert confidences("missing-durable-checkpoint-storage", files) == {"orders.py": confidence}


def test_an_absence_names_what_cannot_be_seen() -> None:
    files = {"orders.py": _DURABLE, "docker-compose.yml": _UNSEEN.format(more="    env_file: cluster.env")}
    rules = rulebook.load().only(lambda one: one.id == "missing-durable-checkpoint-storage")
    results = [check_source(Source(path, classify(path), text.encode()), rules, Settings()) for path, text in files.items()]
    (finding,), _ = conclude(results, rules, Settings(), files)
    assert "unless what cannot be seen of docker-compose.yml does" in finding.message
    assert ("docker-compose.yml", "not all of it can be seen") in [(place.path, place.label) for place in finding.places]


_OPERATOR = """
from pyflink.datastream.functions import ProcessFunction


class Enrich(ProcessFunction):
    def process_element(self, value, ctx):
{body}
"""
_LOGGED = "        try:\n            {guarded}\n        except Exception as error:\n            print(error)\n"


@pytest.mark.parametrize(
    ("body", "confidence"),
    [
        (_LOGGED.format(guarded="yield self.ask(value)"), "medium"),
        ("        if not value:\n            return\n" + _LOGGED.format(guarded="self.table.write(value)") + "        return\n", "medium"),
        (_LOGGED.format(guarded="self.count(value)") + "        yield value\n", "low"),
        ("        yield value\n" + _LOGGED.format(guarded="self.count(value)"), "low"),
        ("        self.table.write(value)\n" + _LOGGED.format(guarded="self.tell(value)"), "low"),
    ],
)
def test_a_record_that_is_only_logged_is_surely_lost_where_nothing_else_becomes_of_it(body: str, confidence: str) -> None:
    assert confidences("error-swallowed-in-operator", {"job.py": _OPERATOR.format(body=body)}) == {"job.py": confidence}


def test_a_helper_may_fail_with_one_field_of_a_record_that_goes_on_without_it() -> None:
    helper = "\n\ndef age(text):\n    try:\n        return int(text)\n    except Exception:\n        return None\n"
    calls = "        value['age'] = age(value.get('age'))\n        yield value\n"
    assert confidences("error-swallowed-in-operator", {"job.py": _OPERATOR.format(body=calls) + helper}) == {"job.py": "low"}


@pytest.mark.parametrize(("timeout", "confidence"), [("0.1", "low"), ("1.0", "high")])
def test_a_coroutine_may_poll_for_a_tenth_of_a_second(timeout: str, confidence: str) -> None:
    text = (
        f"from confluent_kafka import Consumer\n\nconsumer = Consumer({{}})\n\n\nasync def read():\n    return consumer.poll({timeout})\n"
    )
    assert confidences("blocking-call-in-coroutine", {"read.py": text}) == {"read.py": confidence}


_CLUSTER = """
services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        {interval}
        {key}: file:///tmp/state
{taskmanager}
"""
_TASKMANAGER = "  taskmanager:\n    image: flink:1.20\n    command: taskmanager\n"


@pytest.mark.parametrize(
    ("interval", "key", "taskmanager", "confidence"),
    [
        ("execution.checkpointing.interval: 1 min", "execution.checkpointing.dir", _TASKMANAGER, "medium"),
        ("execution.checkpointing.interval: 1 min", "execution.checkpointing.dir", "", "low"),
        ("rest.port: 8081", "execution.checkpointing.dir", _TASKMANAGER, "low"),
        ("execution.checkpointing.interval: 1 min", "execution.checkpointing.savepoint-dir", _TASKMANAGER, "low"),
    ],
)
def test_a_containers_own_disk_is_sure_to_matter_to_checkpoints_that_another_writes(
    interval: str, key: str, taskmanager: str, confidence: str
) -> None:
    files = {"docker-compose.yml": _CLUSTER.format(interval=interval, key=key, taskmanager=taskmanager)}
    assert confidences("checkpoint-dir-not-durable", files) == {"docker-compose.yml": confidence}


@pytest.mark.parametrize(("interval", "expected"), [("env.enable_checkpointing(60000)", {"job.py": "medium"}), ("", {})])
def test_a_record_that_does_not_parse_comes_back_where_restarts_have_no_end(interval: str, expected: dict[str, str]) -> None:
    text = "import json\nfrom pyflink.datastream import StreamExecutionEnvironment\n"
    text += f"env = StreamExecutionEnvironment.get_execution_environment()\n{interval}\nenv.from_source(s, w, 'o').map(lambda t: json.loads(t)).print()\n"
    assert confidences("poison-record-restarts-for-ever", {"job.py": text}) == expected


_ONCE = """
from pyflink.common import Types
from pyflink.datastream.functions import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor


class Once(KeyedProcessFunction):
    def open(self, context):
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.BOOLEAN()))

    def process_element(self, value, ctx):
        self.seen.update(True)
        yield value


def build(env, source, watermarks):
    events = env.from_source(source, watermarks, "events")
    keyed = events.key_by({key})
    return keyed.process(Once())
"""


@pytest.mark.parametrize(
    ("key", "confidence"),
    [
        ('lambda e: e["event_id"]', "medium"),
        ("lambda e: e.orderId", "medium"),
        ('lambda e: e["sensor_id"]', "low"),
        ("lambda e: e[0]", "low"),
    ],
)
def test_keys_of_which_new_ones_come_for_ever(key: str, confidence: str) -> None:
    text = "from pyflink.datastream import StreamExecutionEnvironment\n" + _ONCE.format(key=key)
    text = text.replace(
        "def build(env, source, watermarks):\n",
        "def build(source, watermarks):\n    env = StreamExecutionEnvironment.get_execution_environment()\n",
    )
    assert confidences("keyed-state-never-cleared", {"job.py": text}) == {"job.py": confidence}


_MAPS = """
from pyflink.datastream.functions import MapFunction


class Numbered(MapFunction):
    def __init__(self):
        self.number = 0

    def map(self, order):
        self.number += 1
        {ending}
"""


@pytest.mark.parametrize(
    ("ending", "confidence"),
    [
        ("return self.number, order", "medium"),
        ("return order if self.number % 100 else None", "medium"),
        ("if self.number > 9: return None", "low"),
    ],
)
def test_a_number_that_a_function_without_keys_emits(ending: str, confidence: str) -> None:
    assert confidences("attribute-used-as-state", {"job.py": _MAPS.format(ending=ending)}) == {"job.py": confidence}


_COMPOSED = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    environment:
      - |
        FLINK_PROPERTIES=
        execution.checkpointing.interval: 5 min
  taskmanager:
    image: flink:1.20
    command: taskmanager
"""


@pytest.mark.parametrize(("clusters", "confidence"), [(1, "medium"), (2, "low")])
def test_of_several_clusters_a_program_may_never_see_one(clusters: int, confidence: str) -> None:
    code = "from pyflink.datastream import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\nenv.enable_checkpointing(10000)\n"
    files = {"job.py": code, **{f"docker-compose-{number}.yml": _COMPOSED for number in range(clusters)}}
    assert confidences("code-overrides-configuration", files) == {"job.py": confidence}


_CACHED = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
cache = connect_to_cache()


def keep(batch, number):
    {save}
    try:
        cache.put(batch.toPandas())
    except Exception as error:
        print(error)


stream = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
stream.writeStream.option("checkpointLocation", "s3://lake/checkpoints/orders").foreachBatch(keep).start().awaitTermination()
"""


@pytest.mark.parametrize(
    ("save", "confidence"), [('batch.write.format("delta").mode("append").save("s3://lake/orders")', "low"), ("pass", "high")]
)
def test_what_fails_beside_a_batch_that_is_saved_may_be_a_cache(save: str, confidence: str) -> None:
    assert confidences("foreach-batch-swallows-errors", {"job.py": _CACHED.format(save=save)}) == {"job.py": confidence}


_JAVA_SINK = """
import org.apache.flink.streaming.api.functions.{package};

public class Store extends {base} {{
    private transient Jedis jedis;

    @Override
    public void {method} {{
        try {{
            jedis.hset(key(value), fields(value));
            {more}
        }} catch (Exception e) {{
            LOG.warn("not written", e);
        }}
    }}
}}
"""
_INVOKE = ("sink.RichSinkFunction", "RichSinkFunction<String>", "invoke(String value, Context context)")
_PROCESS = ("ProcessFunction", "ProcessFunction<String, String>", "processElement(String value, Context context, Collector<String> out)")


@pytest.mark.parametrize(
    ("kind", "more", "confidence"),
    [
        (_INVOKE, "", "medium"),
        (_INVOKE, "jedis.expire(key(value), 60);", "low"),  # the next record writes it again
        (_PROCESS, "", "medium"),  # a sink by another name
        (_PROCESS, "out.collect(value);", "low"),
    ],
)
def test_what_an_operator_writes_on_the_side_may_be_a_cache(kind: tuple[str, str, str], more: str, confidence: str) -> None:
    package, base, method = kind
    files = {"Store.java": _JAVA_SINK.format(package=package, base=base, method=method, more=more)}
    assert confidences("write-failure-swallowed-in-java", files) == {"Store.java": confidence}


_ORDERS = "CREATE TABLE orders (id STRING, at AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');\n"
_RANKED = "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at) AS n FROM orders) WHERE n = 1"


@pytest.mark.parametrize(("query", "confidence"), [("SELECT id, COUNT(*) FROM orders GROUP BY id", "medium"), (_RANKED, "low")])
def test_how_many_keys_a_ranking_has_is_not_to_be_seen(query: str, confidence: str) -> None:
    files = {"job.sql": f"{_ORDERS}CREATE TABLE t (id STRING, n BIGINT) WITH ('connector' = 'upsert-kafka');\nINSERT INTO t {query};\n"}
    assert confidences("sql-state-without-ttl", files) == {"job.sql": confidence}


@pytest.mark.parametrize(("customers", "confidence"), [("mysql-cdc", "low"), ("upsert-kafka", "low"), ("kafka", "medium")])
def test_state_of_tables_that_are_followed_is_as_large_as_these(customers: str, confidence: str) -> None:
    create = "CREATE TABLE {} (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = '{}');\n"
    tables = create.format("orders", "postgres-cdc") + create.format("customers", customers) + create.format("t", "jdbc")
    files = {"job.sql": f"{tables}INSERT INTO t SELECT o.id FROM orders AS o JOIN customers AS c ON o.id = c.id;\n"}
    assert confidences("sql-state-without-ttl", files) == {"job.sql": confidence}


@pytest.mark.parametrize(
    ("strategy", "confidence"),
    [("SET 'restart-strategy.type' = 'exponential-delay';\n", "medium"), ("SET 'execution.checkpointing.interval' = '10 s';\n", "low")],
)
def test_a_strategy_that_nobody_chose_restarts_without_end_as_well(strategy: str, confidence: str) -> None:
    files = {"job.sql": f"{strategy}{_ORDERS}INSERT INTO sink SELECT id FROM orders;\n"}
    assert confidences("parse-errors-in-endless-restart", files) == {"job.sql": confidence}


_FEED = """import asyncio, time
from confluent_kafka import Producer


async def feed(producer):
    while True:
        producer.produce("levels", b"1")
        producer.flush()
        {pause}


async def main():
    await {run}


asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("pause", "run", "confidence"),
    [
        ("await asyncio.sleep(60)", "feed(Producer({}))", "low"),
        ("time.sleep(60)", "feed(Producer({}))", "low"),
        ("time.sleep(60)", "asyncio.gather(feed(Producer({})), feed(Producer({})))", "high"),
    ],
)
def test_a_loop_with_one_coroutine_makes_nobody_wait(pause: str, run: str, confidence: str) -> None:
    assert confidences("blocking-call-in-coroutine", {"feed.py": _FEED.format(pause=pause, run=run)}) == {"feed.py": confidence}


@pytest.mark.parametrize(
    ("before", "confidence"),
    [
        ("", "high"),
        ('spark.sql("DROP TABLE IF EXISTS orders")\n', "low"),
        ('spark.sql("SELECT 1")\n', "high"),
    ],
)
def test_who_drops_the_table_may_well_delete_the_checkpoint(before: str, confidence: str) -> None:
    text = before + 'dbutils.fs.rm("/mnt/chk/orders", True)\norders = spark.readStream.format("delta").load("/mnt/raw")\n'
    text += 'orders.writeStream.format("delta").option("checkpointLocation", "/mnt/chk/orders").toTable("orders")\n'
    assert confidences("checkpoint-deleted-at-start", {"notebook.py": text}) == {"notebook.py": confidence}


_BATCHES = """from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()


def write(batch, batch_id):
    batch.write.mode("append").saveAsTable("{table}")


rows = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "{topic}").load()
query = rows.writeStream.foreachBatch(write).option("checkpointLocation", "/mnt/chk/orders").start()
query.awaitTermination()
"""


@pytest.mark.parametrize(("topic", "confidence"), [("visits", "medium"), ("orders", "low")])
def test_a_file_that_reads_the_same_topic_may_be_a_later_version(topic: str, confidence: str) -> None:
    files = {"orders.py": _BATCHES.format(table="orders", topic="orders"), "stream.py": _BATCHES.format(table="stream", topic=topic)}
    assert confidences("shared-checkpoint-location", files) == {"stream.py": confidence}


_PARSES = """import json, logging

import apache_beam as beam


class Parse(beam.DoFn):
    failed = beam.metrics.Metrics.counter("orders", "failed")

    def process(self, element):
        try:
            yield json.loads(element)
        except Exception:
            {handler}


with beam.Pipeline() as pipeline:
    pipeline | beam.io.ReadFromPubSub(subscription="projects/shop/subscriptions/orders") | beam.ParDo(Parse()) | beam.Map(print)
"""


@pytest.mark.parametrize(
    ("handler", "confidence"), [('logging.error("bad record")', "medium"), ('self.failed.inc(); logging.error("bad record")', "low")]
)
def test_who_counts_bad_records_sees_that_there_are_some(handler: str, confidence: str) -> None:
    assert confidences("error-swallowed-in-operator", {"parse.py": _PARSES.format(handler=handler)}) == {"parse.py": confidence}


@pytest.mark.parametrize(
    ("loop", "more", "confidence"),
    [
        ("while len(seen) < 5 and tries < 20", "", "low"),
        ("for _ in range(100)", "", "low"),
        ("while running", "", "high"),
        ("for _ in range(100)", "store.insert_one(record.value())", "high"),
    ],
)
def test_a_look_at_some_records_commits_nothing_on_purpose(loop: str, more: str, confidence: str) -> None:
    text = f"""from confluent_kafka import Consumer

consumer = Consumer({{"bootstrap.servers": "broker:9092", "group.id": "sampler", "enable.auto.commit": False}})
consumer.subscribe(["orders"])
seen, tries, running = [], 0, True
{loop}:
    record = consumer.poll(1.0)
    tries += 1
    if record is not None and not record.error():
        seen.append(record.value())
        {more}
consumer.close()
print(seen)
"""
    assert confidences("consumer-never-commits", {"sample.py": text}) == {"sample.py": confidence}


_PRINTS = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
visits = spark.readStream.table("visits")
visits.writeStream.{sink}.option("checkpointLocation", "s3://lake/visits-checkpoint").start().processAllAvailable()
"""


@pytest.mark.parametrize(
    ("sinks", "confidence"),
    [
        (('format("console")',) * 2, "low"),
        (('format("delta").option("path", "s3://lake/a")', 'format("delta").option("path", "s3://lake/b")'), "medium"),
    ],
)
def test_a_query_that_prints_may_be_started_again_by_another_script(sinks: tuple[str, str], confidence: str) -> None:
    files = {name: _PRINTS.format(sink=sink) for name, sink in zip(("restart.py", "start.py"), sinks, strict=True)}
    assert confidences("shared-checkpoint-location", files) == {"start.py": confidence}


@pytest.mark.parametrize(("policy", "confidence"), [("IfNotPresent", "low"), ("Always", "medium")])
def test_an_image_that_a_node_has_is_not_pulled(policy: str, confidence: str) -> None:
    text = f"""apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: orders:latest
  imagePullPolicy: {policy}
  flinkVersion: v1_20
"""
    assert confidences("unpinned-flink-image", {"job.yaml": text}) == {"job.yaml": confidence}


@pytest.mark.parametrize(("image", "confidence"), [("orders:latest", "low"), ("shop/orders:latest", "medium"), ("flink", "high")])
def test_an_image_without_an_owner_was_built_on_the_machine(image: str, confidence: str) -> None:
    text = f"""apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: orders}}
spec:
  image: {image}
  flinkVersion: v1_20
"""
    assert confidences("unpinned-flink-image", {"job.yaml": text}) == {"job.yaml": confidence}


_LATEST = """
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSink, KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()
source = KafkaSource.builder().set_topics("orders").set_starting_offsets(KafkaOffsetsInitializer.latest()).build()
stream = env.from_source(source, watermarks, "orders")
stream.{end}
env.execute()
"""
_NEVER = "services:\n  jobmanager:\n    image: flink:1.20.0\n    command: jobmanager\n    volumes: ['./:/jobs']\n"
_STORED = 'sink_to(KafkaSink.builder().set_bootstrap_servers("broker:9092").set_record_serializer(serializer).build())'


@pytest.mark.parametrize(("end", "confidence"), [("print()", "low"), (_STORED, "medium")])
def test_what_a_program_only_prints_may_be_skipped(end: str, confidence: str) -> None:
    files = {"job.py": _LATEST.format(end=end), "docker-compose.yml": _NEVER}
    assert confidences("latest-offset-without-checkpointing", files) == {"job.py": confidence}


@pytest.mark.parametrize(("more", "confidence"), [("execution.checkpointing.interval: 60 s", "medium"), ("", "low")])
def test_a_configuration_for_all_jobs_may_leave_the_directory_to_each(more: str, confidence: str) -> None:
    text = f"jobmanager.rpc.address: jobmanager\nstate.backend: rocksdb\nstate.checkpoints.num-retained: 4\n{more}\n"
    assert confidences("checkpoints-in-jobmanager-memory", {"conf/flink-conf.yaml": text}) == {"conf/flink-conf.yaml": confidence}


@pytest.mark.parametrize(("image", "confidence"), [("FROM flink:1.18\n", "high"), ("", "low")])
def test_an_environment_file_may_be_of_an_older_client(image: str, confidence: str) -> None:
    files = {
        "conf/sql-client-defaults.yaml": "# for the Flink SQL client\nexecution:\n  planner: blink\n  type: streaming\n",
        "Dockerfile": image,
    }
    assert confidences("legacy-sql-client-environment", files) == {"conf/sql-client-defaults.yaml": confidence}


@pytest.mark.parametrize(("between", "confidence"), [("query.stop()", "low"), ("print(query.lastProgress)", "high")])
def test_a_query_that_was_stopped_may_be_started_again(between: str, confidence: str) -> None:
    start = 'query = visits.writeStream.format("console").option("checkpointLocation", "s3://lake/visits-checkpoint").start()\n'
    text = "from pyspark.sql import SparkSession\n\nspark = SparkSession.builder.getOrCreate()\nvisits = spark.readStream.table('visits')\n"
    assert confidences("shared-checkpoint-location", {"visits.py": f"{text}{start}{between}\n{start}"}) == {"visits.py": confidence}


_FIELD = """
from pyflink.datastream.functions import MapFunction


class Ages(MapFunction):
    def map(self, value):
        last = None
        try:
            {tried}
        except:
            pass
        {then}
"""


@pytest.mark.parametrize(
    ("tried", "then", "confidence"),
    [("last = int(value['last'])", "return value['at'] - (last or 0)", "low"), ("self.writer.write(value)", "pass", "medium")],
)
def test_one_value_that_is_not_there_drops_no_record(tried: str, then: str, confidence: str) -> None:
    assert confidences("error-swallowed-in-operator", {"job.py": _FIELD.format(tried=tried, then=then)}) == {"job.py": confidence}


@pytest.mark.parametrize(("name", "confidence"), [("OrdersTest.java", "low"), ("Orders.java", "high")])
def test_a_class_of_tests_is_one_wherever_it_stands(name: str, confidence: str) -> None:
    text = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public void run() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60000);
        env.getCheckpointConfig().setCheckpointTimeout(1000);
        env.execute();
    }
}
"""
    path = f"src/main/java/shop/{name}"
    assert confidences("checkpoint-timeout-too-short", {path: text}) == {path: confidence}


@pytest.mark.parametrize(
    ("release", "flink", "confidence"),
    [
        ("4.0.1-2.0", "1.20.1", "low"),  # runs
        ("4.0.1-2.0", "1.19.2", "high"),
        ("3.4.0-1.20", "1.19.2", "high"),
        ("3.3.0-1.20", "1.19.2", "low"),
        ("3.3.0-1.19", "1.18.1", "medium"),
        ("3.4.0-1.20", "2.0.1", "high"),
    ],
)
def test_kafkas_connector_runs_on_some_older_flinks(release: str, flink: str, confidence: str) -> None:
    text = f"FROM flink:{flink}\nCOPY flink-sql-connector-kafka-{release}.jar /opt/flink/lib/\n"
    assert confidences("connector-for-other-flink-version", {"Dockerfile": text}) == {"Dockerfile": confidence}


@pytest.mark.parametrize(("flink", "confidence"), [("2.0.1", "medium"), ("2.3.0", "low")])
def test_what_was_built_for_an_older_flink_may_do(flink: str, confidence: str) -> None:
    pom = (
        "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId><version>1</version><dependencies>"
        f"<dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>{flink}</version></dependency>"
        "<dependency><groupId>org.apache.iceberg</groupId><artifactId>iceberg-flink-runtime-2.1</artifactId><version>1.10.0</version>"
        "</dependency></dependencies></project>"
    )
    assert confidences("connector-for-other-flink-version", {"pom.xml": pom}) == {"pom.xml": confidence}


@pytest.mark.parametrize(("after", "confidence"), [("return order", "low"), ("pass", "medium")])
def test_a_record_may_go_on_without_a_field(after: str, confidence: str) -> None:
    text = f"""import json

from pyflink.datastream.functions import MapFunction


class Read(MapFunction):
    def map(self, value):
        order = json.loads(value)
        try:
            order["count"] = self.counted(order)
        except Exception:
            pass
        {after}
"""
    assert confidences("error-swallowed-in-operator", {"read.py": text}) == {"read.py": confidence}


@pytest.mark.parametrize(("wait", "confidence"), [("awaitTermination()", "medium"), ("awaitTermination(60)", "low")])
def test_who_waits_for_a_while_goes_on_afterwards(wait: str, confidence: str) -> None:
    text = f"""from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
query = spark.readStream.format("rate").load().writeStream.option("checkpointLocation", "s3://lake/chk").format("console").start()
try:
    query.{wait}
except Exception as error:
    print(error)
"""
    assert confidences("job-failure-swallowed", {"job.py": text}) == {"job.py": confidence}


@pytest.mark.parametrize(("wait", "confidence"), [("wait()", "medium"), ("wait(5000)", "low")])
def test_who_waits_for_a_first_row_goes_on_afterwards(wait: str, confidence: str) -> None:
    text = f"""from pyflink.table import EnvironmentSettings, TableEnvironment
tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
result = tables.execute_sql("SELECT * FROM orders")
try:
    result.{wait}
except Exception as error:
    print(error)
"""
    assert confidences("job-failure-swallowed", {"job.py": text}) == {"job.py": confidence}


_NODE = """  broker{n}:
    image: apache/kafka:3.9.1
    environment:
      KAFKA_NODE_ID: {n}
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: {voters}
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://broker{n}:9092
"""


@pytest.mark.parametrize(
    ("brokers", "acks", "confidence"),
    [((1,), "1", "low"), ((1, 2, 3), "1", "medium"), ((), "1", "medium"), ((1,), "0", "high")],
)
def test_no_follower_is_behind_the_only_broker(brokers: tuple[int, ...], acks: str, confidence: str) -> None:
    voters = ",".join(f"{n}@broker{n}:9093" for n in brokers)
    services = [_NODE.format(n=n, voters=voters) for n in brokers]
    files = {"send.py": f'from kafka import KafkaProducer\n\nproducer = KafkaProducer(bootstrap_servers="broker1:9092", acks={acks})\n'}
    if services:
        files["compose.yaml"] = "services:\n" + "".join(services)
    assert confidences("producer-acks-weakened", files) == {"send.py": confidence}


_OVERWRITTEN = """
from pyspark.sql import SparkSession
{session}

def store(batch, batch_id):
    batch.write.mode("overwrite").partitionBy("day").parquet("s3a://lake/orders")


orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.foreachBatch(store).option("checkpointLocation", "s3a://lake/c").start().awaitTermination()
"""


@pytest.mark.parametrize(
    ("session", "confidence"), [("from shop.sessions import spark", "low"), ("spark = SparkSession.builder.getOrCreate()", "medium")]
)
def test_a_session_that_is_made_elsewhere_may_overwrite_the_partitions_of_a_batch_alone(session: str, confidence: str) -> None:
    assert confidences("foreach-batch-overwrites", {"job.py": _OVERWRITTEN.format(session=session)}) == {"job.py": confidence}


@pytest.mark.parametrize(("then", "confidence"), [("waited(producer)", "low"), ("producer.poll(0)", "medium")])
def test_a_producer_that_is_handed_to_another_module_may_be_looked_after_there(then: str, confidence: str) -> None:
    source = (
        "from confluent_kafka import Producer\nfrom shop.sending import waited\n\n"
        f'producer = Producer({{"bootstrap.servers": "broker:9092"}})\nproducer.produce("orders", b"1")\n{then}\n'
    )
    assert confidences("produce-without-delivery-report", {"job.py": source}) == {"job.py": confidence}


_CHOSEN = """
execution.checkpointing.interval: 5m
state.backend.type: hashmap
state.backend.rocksdb.metrics.estimate-num-keys: "true"
"""


@pytest.mark.parametrize(("path", "confidence"), [("charts/top/values-eqiad.yaml", "low"), ("conf/config.yaml", "medium")])
def test_over_the_values_of_a_chart_others_may_be_laid(path: str, confidence: str) -> None:
    lines = _CHOSEN.strip().splitlines()
    text = _CHOSEN if "values" not in path else "app:\n  flinkConfiguration:\n" + "".join(f"    {line}\n" for line in lines)
    assert confidences("rocksdb-options-ignored", {path: text}) == {path: confidence}


_STREAM = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
writer = orders.writeStream.format("parquet").option("path", "s3a://lake/orders")
writer.option("checkpointLocation", "/tmp/state/orders").start().awaitTermination()
"""
_POD = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: orders
spec:
  template:
    spec:
      containers:
        - name: orders
          image: shop/orders:4
          command: ["/opt/spark/bin/spark-submit", "--master", "local[2]", "/opt/jobs/orders.py"]
          volumeMounts:
            - {name: state, mountPath: %s}
      volumes:
        - name: state
          emptyDir: {}
"""


@pytest.mark.parametrize(("mounted", "confidence"), [("/tmp/state", "medium"), ("/jars", "low")])
def test_a_local_master_in_a_pod_with_a_volume_for_state_is_no_demo(mounted: str, confidence: str) -> None:
    found = confidences("streaming-checkpoint-on-local-path", {"jobs/orders.py": _STREAM, "k8s/orders.yaml": _POD % mounted})
    assert found == {"jobs/orders.py": confidence}


_DECODES = """
import json

from confluent_kafka import Consumer

consumer = Consumer({{"bootstrap.servers": "broker:9092", "group.id": "notes"}})
consumer.subscribe(["notes"])
notes = []
while True:
    message = consumer.poll(5)
    if message is None:
        break
    try:
        {work}
    except:
        continue
"""


@pytest.mark.parametrize(
    ("work", "confidence"), [("notes.append(json.loads(message.value()))", "low"), ("store(json.loads(message.value()))", "medium")]
)
def test_hardly_an_interrupt_arrives_while_a_record_is_decoded(work: str, confidence: str) -> None:
    assert confidences("interrupt-swallowed", {"notes.py": _DECODES.format(work=work)}) == {"notes.py": confidence}


_TRACED = """
from aiokafka import AIOKafkaConsumer

consumer = AIOKafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="orders", enable_auto_commit=False{arguments})
"""


@pytest.mark.parametrize(
    ("arguments", "confidence"),
    [(", wrap_spans=spans", "high"), (", wrap_spans=spans, parent_span=parent, rebalancing_span=rebalancing", "low")],
)
def test_several_arguments_that_no_client_knows_are_those_of_a_fork(arguments: str, confidence: str) -> None:
    found = confidences("option-of-other-kafka-client", {"reads.py": _TRACED.format(arguments=arguments)})
    assert found == {"reads.py": confidence}


_NAMED_TWICE = """{{
  "name": "orders",
  "config": {{
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "db",
    "database.server.name": "{old}",
    "topic.prefix": "shop"
  }}
}}
"""


@pytest.mark.parametrize(("old", "confidence"), [("shop", "low"), ("orders", "high")])
def test_one_value_under_the_old_and_the_new_name_serves_either_version(old: str, confidence: str) -> None:
    found = confidences("removed-debezium-option", {"connectors/orders.json": _NAMED_TWICE.format(old=old)})
    assert found == {"connectors/orders.json": confidence}


_PLUGIN = """{{
  "flink": {{
    {own}
    "high-availability.zookeeper.quorum": "zk:2181",
    "state.savepoints.dir": "hdfs://ns1/savepoints",
    "flink.env.java.opts": "-Dfile.encoding=UTF-8"
  }}
}}
"""


@pytest.mark.parametrize(
    ("own", "confidence"), [("", "high"), ('"clusterMode": "perjob", "pluginRoot": "/opt/plugins", "gatewayJobName": "gateway",', "low")]
)
def test_a_map_with_names_of_its_own_is_read_by_its_program(own: str, confidence: str) -> None:
    assert confidences("unknown-option", {"conf/plugin.json": _PLUGIN.format(own=own)}) == {"conf/plugin.json": confidence}


@pytest.mark.parametrize(
    ("names", "confidence"), [(("ssl_cafile", "ssl_certfile", "ssl_keyfile"), "high"), (("lake", "shard_of", "zone_hint"), "low")]
)
def test_arguments_that_no_client_has_are_those_of_a_fork(names: tuple[str, ...], confidence: str) -> None:
    given = ", ".join(f'{name}="a"' for name in names)
    source = f'from aiokafka import AIOKafkaConsumer\n\nconsumer = AIOKafkaConsumer("orders", bootstrap_servers="broker:9092", {given})\n'
    assert confidences("option-of-other-kafka-client", {"job.py": source}) == {"job.py": confidence}


@pytest.mark.parametrize(("topic", "confidence"), [("'orders'", "high"), ("os.environ.get('TOPIC', 'orders')", "medium")])
def test_a_refused_default_stops_only_who_gives_no_other(topic: str, confidence: str) -> None:
    text = (
        "import os\nimport apache_beam as beam\nfrom apache_beam.options.pipeline_options import PipelineOptions\n"
        f"with beam.Pipeline(options=PipelineOptions(streaming=True)) as p:\n    p | beam.io.ReadFromPubSub(topic={topic}) | beam.Map(print)\n"
    )
    assert confidences("refused-pubsub-argument", {"job.py": text}) == {"job.py": confidence}


@pytest.mark.parametrize(
    ("dockerfile", "expected"),
    [
        ("FROM flink:1.20.1\nADD https://repo1.maven.org/maven2/connector.jar /opt/flink/lib/\n", True),
        ("FROM flink:1.20.1\nRUN wget -P /opt/flink/lib https://repo1.maven.org/maven2/connector.jar\n", True),
        ("FROM flink:1.20.1\nRUN apt-get update && apt-get install -y python3-pip && pip3 install apache-flink\n", False),
        ("FROM flink:1.20.1\nCOPY install.sh /tmp/\nRUN /tmp/install.sh\n", False),
        ("FROM python:3.11 AS python\nFROM flink:1.20.1\nCOPY --from=python /usr/local /usr/local\n", False),
    ],
)
def test_an_image_to_which_only_files_are_added_has_no_python(dockerfile: str, expected: bool) -> None:
    compose = "services:\n  jobmanager:\n    build: ./image\n    command: standalone-job --python /opt/flink/usrlib/orders.py\n"
    program = "from pyflink.datastream import StreamExecutionEnvironment\n\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
    files = {"docker-compose.yml": compose, "image/Dockerfile": dockerfile, "jobs/orders.py": program}
    assert list(confidences("flink-image-without-python", files)) == ["image/Dockerfile"] * expected


_SHARED_CLUSTER = """
services:
  clicks:
    image: apache/spark:3.5.1
    command: /opt/spark/bin/spark-submit --master spark://master:7077 jobs/clicks.py
  load:
    image: apache/spark:3.5.1
    {more}
    command: /opt/spark/bin/spark-submit --master spark://master:7077 jobs/load.py
"""
_CLICKS = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
clicks = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "clicks").load()
clicks.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/c").start("s3a://lake/clicks").awaitTermination()
"""


@pytest.mark.parametrize(("more", "confidence"), [("restart: always", "medium"), ("profiles: [load-test]", "low")])
def test_a_service_of_a_profile_may_never_run_beside_the_others(more: str, confidence: str) -> None:
    files = {"docker-compose.yml": _SHARED_CLUSTER.format(more=more), "jobs/clicks.py": _CLICKS}
    assert confidences("streaming-application-without-core-limit", files) == {"docker-compose.yml": confidence}


@pytest.mark.parametrize(("brokers", "severity"), [("", "error"), ('.option("kafka.bootstrap.servers", "broker:9092")', "warning")])
def test_brokers_that_are_given_under_the_right_name_too_let_the_query_start(brokers: str, severity: str) -> None:
    begins = "from pyspark.sql import SparkSession\n\nspark = SparkSession.builder.getOrCreate()\n"
    reads = f'{begins}spark.readStream.format("kafka"){brokers}.option("bootstrap.servers", "broker:9092").option("subscribe", "orders").load()\n'
    rules = rulebook.load().only(lambda one: one.id == "kafka-option-without-spark-prefix")
    (finding,) = check_source(Source("job.py", "python", reads.encode()), rules, Settings()).findings
    assert finding.severity == severity
    assert ("fails to start" in finding.message) == (severity == "error")


_POM = """<project><modelVersion>4.0.0</modelVersion><groupId>shop</groupId><artifactId>jobs</artifactId><version>1</version><dependencies><dependency>
<groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>2.1.0</version></dependency></dependencies></project>
"""


@pytest.mark.parametrize(
    ("files", "confidence"),
    [
        ({"pom.xml": _POM, "conf/flink-conf.yaml": "parallelism.default: 2\n"}, "low"),
        ({"Dockerfile": "FROM flink:2.1.0\nCOPY conf /opt/flink/conf\n", "conf/flink-conf.yaml": "parallelism.default: 2\n"}, "high"),
    ],
)
def test_what_is_compiled_against_a_flink_need_not_run_on_it(files: dict[str, str], confidence: str) -> None:
    assert confidences("conf-file-not-read", files) == {"conf/flink-conf.yaml": confidence}


@pytest.mark.parametrize(("more", "confidence"), [("", "low"), ("        execution.checkpointing.interval: 1 min\n", "medium")])
def test_a_checkpoint_directory_may_be_named_where_checkpoints_are_turned_on(more: str, confidence: str) -> None:
    compose = f"""services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        state.backend: rocksdb
{more}"""
    found = confidences("checkpoints-in-jobmanager-memory", {"docker-compose.yml": compose})
    assert found == {"docker-compose.yml": confidence}


@pytest.mark.parametrize(
    ("service", "confidence"),
    [("  redis-1:\n    image: redis:7\n", "medium"), ("  cache:\n    image: redis:7\n    container_name: redis\n", "medium"), ("", "low")],
)
def test_a_service_that_is_called_quite_otherwise_may_be_in_another_compose_file(service: str, confidence: str) -> None:
    client = f"services:\n{service}  orders:\n    build: .\n    environment:\n      KAFKA_BOOTSTRAP_SERVERS: kafka.internal:9092\n    depends_on: [redis]\n"
    assert confidences("service-not-in-compose", {"docker-compose.yml": client}) == {"docker-compose.yml": confidence}


_HEARTBEAT = """
from aiokafka import AIOKafkaConsumer


async def consume(handle):
    consumer = AIOKafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="orders", heartbeat_interval_ms=15000{more})
    await consumer.start()
    async for record in consumer:
        await handle(record)
"""
_LAST = """
from {package} import {name}

producer = {name}({settings})
producer.{send}("orders", b"1")
"""


@pytest.mark.parametrize(("more", "confidence"), [("", "low"), (", enable_auto_commit=False", "high")])
def test_commits_keep_a_session_of_aiokafka_alive(more: str, confidence: str) -> None:
    found = confidences("heartbeat-not-below-session-timeout", {"consume.py": _HEARTBEAT.format(more=more)})
    assert found == {"consume.py": confidence}


@pytest.mark.parametrize(
    ("package", "name", "settings", "send", "confidence"),
    [
        ("kafka", "KafkaProducer", 'bootstrap_servers="broker:9092", retries=5', "send", "medium"),
        ("confluent_kafka", "Producer", '{"bootstrap.servers": "broker:9092"}', "produce", "high"),
    ],
)
def test_the_last_records_of_kafka_python_3_have_a_second(package: str, name: str, settings: str, send: str, confidence: str) -> None:
    program = _LAST.format(package=package, name=name, settings=settings, send=send)
    assert confidences("producer-not-flushed", {"send.py": program}) == {"send.py": confidence}


@pytest.mark.parametrize(("client", "confidence"), [("kafka.KafkaProducer", "low"), ("aiokafka.AIOKafkaProducer", "medium")])
def test_kafka_python_passes_over_a_scheme_since_2_2_3(client: str, confidence: str) -> None:
    package, name = client.split(".")
    program = f'from {package} import {name}\n\n\ndef made():\n    return {name}(bootstrap_servers="PLAINTEXT://broker:9092")\n'
    assert confidences("malformed-bootstrap-servers", {"send.py": program}) == {"send.py": confidence}


@pytest.mark.parametrize(("spark", "confidence"), [("3.3.4", "medium"), ("3.4.4", "high")])
def test_delta_for_spark_3_2_writes_on_3_3(spark: str, confidence: str) -> None:
    compose = f"services:\n  orders:\n    image: apache/spark:{spark}\n    command: /opt/spark/bin/spark-submit --packages io.delta:delta-core_2.12:2.0.2 orders.py\n"
    assert confidences("delta-for-other-spark", {"docker-compose.yml": compose}) == {"docker-compose.yml": confidence}


@pytest.mark.parametrize(
    ("built", "spark", "confidence"),
    [("3.3", "3.5.1", "high"), ("3.5", "3.4.4", "medium"), ("3.2", "3.3.4", "medium"), ("3.2", "3.4.4", "high"), ("3.4", "3.3.4", "high")],
)
def test_a_runtime_of_iceberg_for_the_next_spark_does_something(built: str, spark: str, confidence: str) -> None:
    package = f"org.apache.iceberg:iceberg-spark-runtime-{built}_2.12:1.4.3"
    compose = (
        f"services:\n  orders:\n    image: apache/spark:{spark}\n    command: /opt/spark/bin/spark-submit --packages {package} orders.py\n"
    )
    assert confidences("iceberg-for-other-spark", {"docker-compose.yml": compose}) == {"docker-compose.yml": confidence}


_BROKER = """
services:
  kafka:
    image: apache/kafka:3.9.0
    ports: ["9092:9092"]
    environment:
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
"""


@pytest.mark.parametrize(
    ("path", "confidence"),
    [("send.py", "medium"), ("producer/send.py", "medium"), ("demos/health/send.py", "low"), ("a/b/c/send.py", "low")],
)
def test_a_demo_far_below_a_compose_file_may_ask_another_broker(path: str, confidence: str) -> None:
    code = 'from confluent_kafka import Producer\n\nproducer = Producer({"bootstrap.servers": "localhost:9092"})\n'
    assert confidences("client-on-host-told-container-name", {"docker-compose.yml": _BROKER, path: code}) == {path: confidence}


@pytest.mark.parametrize(("query", "confidence"), [("id FROM clicks", "low"), ("DISTINCT id FROM clicks", "high")])
def test_a_script_that_keeps_no_state_may_do_without_the_size_of_its_mini_batches(query, confidence):
    text = f"SET 'table.exec.mini-batch.enabled' = 'true';\nINSERT INTO copies SELECT {query};\n"
    rules = rulebook.load().only(lambda one: one.id == "mini-batch-incomplete")
    results = [check_source(Source("job.sql", classify("job.sql"), text.encode()), rules, Settings())]
    (found,), problems = conclude(results, rules, Settings(), ["job.sql"])
    assert problems == []
    assert found.confidence == confidence


@pytest.mark.parametrize(("beside", "confidence"), [("sentence_transformers", "high"), ("apache-flink==1.20.2", "low")])
def test_the_other_pyflink_does_no_harm_beside_the_one_that_is_meant(beside: str, confidence: str) -> None:
    image = f"FROM flink:1.20.2\nRUN pip install {beside}\nRUN pip install pyflink\n"
    assert confidences("mistaken-package", {"Dockerfile": image}) == {"Dockerfile": confidence}


_CONNECT = """
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnect
metadata:
  name: lake
spec:
  replicas: 1
  bootstrapServers: shop-kafka-bootstrap:9092
"""
_CONNECTOR = """
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: orders
  labels:
    strimzi.io/cluster: lake
spec:
  class: io.debezium.connector.postgresql.PostgresConnector
"""


@pytest.mark.parametrize(("more", "confidence"), [({}, "medium"), ({"c/tls/connect.yaml": _CONNECT}, "low")])
def test_which_of_several_connect_clusters_a_connector_is_for_is_not_said(more: dict[str, str], confidence: str) -> None:
    files = {"a/plain/connect.yaml": _CONNECT, "b/connectors/orders.yaml": _CONNECTOR, **more}
    assert set(confidences("connector-resources-not-enabled", files).values()) == {confidence}


_WAITS = """
from concurrent.futures import ThreadPoolExecutor
import queue
import subprocess

from pyflink.datastream.functions import MapFunction


class Hand(MapFunction):
    def open(self, runtime_context):
        self.pool = ThreadPoolExecutor(4)
        self.work = queue.Queue(maxsize=100)

    def map(self, value):
        return {wait}
"""


@pytest.mark.parametrize(
    ("wait", "confidence"),
    [("self.work.put(value)", "high"), ('subprocess.run(["bzip2", value])', "medium"), ("self.pool.submit(len, value).result()", "low")],
)
def test_what_an_operator_has_started_itself_mostly_ends(wait: str, confidence: str) -> None:
    assert confidences("unbounded-wait-in-operator", {"job.py": _WAITS.format(wait=wait)}) == {"job.py": confidence}


_SLEEPS = """
import threading
import time

from pyflink.datastream.functions import MapFunction


class {name}(MapFunction):
    def map(self, value):
        worker = threading.Thread(target=print)
        while {test}:
            time.sleep(30)
        return value
"""


@pytest.mark.parametrize(
    ("name", "test", "confidence"),
    [("Hand", "value.pending", "high"), ("Hand", "worker.is_alive()", "low"), ("RateLimited", "value.pending", "low")],
)
def test_a_sleep_may_be_what_the_code_is_for(name: str, test: str, confidence: str) -> None:
    assert confidences("sleep-in-operator", {"job.py": _SLEEPS.format(name=name, test=test)}) == {"job.py": confidence}
