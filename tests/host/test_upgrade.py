"""`shoal upgrade`: what a move to another version needs; what can be edited is, once and for all."""

from __future__ import annotations

from pathlib import Path

from tests.host.conftest import Shoal

CONF = """\
jobmanager.rpc.address: jobmanager
state.backend: filesystem
state.checkpoints.dir: s3://lake/checkpoints
execution.checkpointing.interval: 1 min
cluster.evenly-spread-out-slots: true
parallelism.default: 2
"""
MOVED = """\
jobmanager.rpc.address: jobmanager
state.backend.type: hashmap
execution.checkpointing.dir: s3://lake/checkpoints
execution.checkpointing.interval: 1 min
# cluster.evenly-spread-out-slots: true
parallelism.default: 2
"""
COMPOSE = "services:\n  jobmanager:\n    image: flink:1.18.1\n    command: jobmanager\n    volumes: ['./conf:/opt/flink/conf']\n"
DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: registry.example/orders:4
  flinkVersion: v1_18
  flinkConfiguration:
    execution.target: yarn-per-job
"""
JOB = """\
from pyflink.common import RestartStrategies
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 10_000))
env.execute("orders")
"""


def _project(folder: Path) -> None:
    (folder / "shoal.toml").write_text("")
    (folder / "conf").mkdir()
    (folder / "conf" / "flink-conf.yaml").write_text(CONF)
    (folder / "docker-compose.yml").write_text(COMPOSE)
    (folder / "orders.yaml").write_text(DEPLOYMENT)
    (folder / "job.py").write_text(JOB)
    (folder / "requirements.txt").write_text("apache-flink==1.18.1\n")


def test_it_names_edits_and_what_no_edit_does(shoal: Shoal, tmp_path: Path) -> None:
    _project(tmp_path)
    ran = shoal("upgrade", "--to", "flink-2.3", "--format", "json", ".")
    rules = set(ran.rules)
    assert ran.code == 1
    assert {
        "deprecated-option",
        "removed-state-backend-shortcut",
        "option-of-other-flink-version",
        "per-job-mode-removed",
        "conf-file-not-read",
        "pyflink-api-not-in-version",
        "state-of-other-major-version",
        "version-to-raise",
    } <= rules
    assert (tmp_path / "conf" / "flink-conf.yaml").read_text() == CONF


def test_fix_makes_the_edits_and_a_second_run_changes_nothing(shoal: Shoal, tmp_path: Path) -> None:
    _project(tmp_path)
    shoal("upgrade", "--to", "flink-2.3", "--fix", ".")
    assert (tmp_path / "conf" / "flink-conf.yaml").read_text() == MOVED
    deployment = (tmp_path / "orders.yaml").read_text()
    assert "flinkVersion: v2_3" in deployment and "execution.target: yarn-application" in deployment
    assert (tmp_path / "job.py").read_text() == JOB
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    shoal("upgrade", "--to", "flink-2.3", "--fix", ".")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_diff_writes_nothing(shoal: Shoal, tmp_path: Path) -> None:
    _project(tmp_path)
    ran = shoal("upgrade", "--to", "flink-2.3", "--diff", ".")
    assert "+state.backend.type: hashmap" in ran.out and "-state.backend: filesystem" in ran.out
    assert (tmp_path / "conf" / "flink-conf.yaml").read_text() == CONF


def test_a_minor_move_renames_and_leaves_the_rest(shoal: Shoal, tmp_path: Path) -> None:
    _project(tmp_path)
    shoal("upgrade", "--to", "flink-1.20", "--fix", ".")
    text = (tmp_path / "conf" / "flink-conf.yaml").read_text()
    assert "execution.checkpointing.dir: s3://lake/checkpoints" in text
    assert "\ncluster.evenly-spread-out-slots: true" in text and "state.backend.type: filesystem" in text


def test_two_old_names_of_one_option_do_not_become_one_key_twice(shoal: Shoal, tmp_path: Path) -> None:
    conf = "jobmanager.rpc.address: jm\nstate.backend.fs.checkpointdir: s3://lake/old\nstate.checkpoints.dir: s3://lake/new\n"
    (tmp_path / "flink-conf.yaml").write_text(conf)
    shoal("upgrade", "--to", "flink-2.3", "--fix", ".")
    text = (tmp_path / "flink-conf.yaml").read_text()
    assert text.count("execution.checkpointing.dir:") == 1 and "execution.checkpointing.dir: s3://lake/new" in text


def test_spark(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text(
        "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata:\n  name: orders\nspec:\n  type: Python\n"
        "  mode: cluster\n  sparkVersion: 3.3.2\n  mainApplicationFile: local:///opt/orders.py\n  sparkConf:\n"
        "    spark.yarn.executor.memoryOverhead: 512m\n    spark.mesos.role: prod\n"
        "    spark.jars.packages: org.apache.spark:spark-sql-kafka-0-10_2.12:3.3.2\n"
    )
    ran = shoal("upgrade", "--to", "spark-4.0", "--fix", "--format", "json", ".")
    assert "spark.executor.memoryOverhead: 512m" in (tmp_path / "app.yaml").read_text()
    assert {"option-of-other-spark-version", "kafka-source-for-other-spark", "default-that-changes", "version-to-raise"} <= set(ran.rules)
    assert any("spark.sql.ansi.enabled" in finding["message"] for finding in ran.report["findings"])


def test_kafka_clients_and_connect_but_not_those_inside_flink(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "producer.properties").write_text("bootstrap.servers=broker:9092\nkey.serializer=x.Y\nauto.include.jmx.reporter=true\n")
    (tmp_path / "job.sql").write_text(
        "CREATE TABLE t (id STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092',\n"
        "  'properties.auto.include.jmx.reporter' = 'true', 'format' = 'json');\n"
    )
    ran = shoal("upgrade", "--to", "kafka-4.0", "--format", "json", ".")
    assert ran.rules == ["option-of-other-kafka-version"]


def test_a_value_that_is_not_taken_any_more(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "producer.properties").write_text(
        "bootstrap.servers=broker:9092\nkey.serializer=x.Y\nclient.dns.lookup=default\nacks=all\n"
    )
    assert shoal("upgrade", "--to", "kafka-4.0", "--format", "json", ".").rules == ["value-not-taken-any-more"]
    assert shoal("upgrade", "--to", "kafka-2.8", "--format", "json", ".").rules == []


def test_a_value_that_no_version_takes_is_another_commands_business(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "producer.properties").write_text("bootstrap.servers=broker:9092\nkey.serializer=x.Y\ncompression.type=gzipped\n")
    assert shoal("upgrade", "--to", "kafka-4.4", "--format", "json", ".").rules == []


def test_a_pom_that_names_the_clients_alone_is_raised(shoal: Shoal, tmp_path: Path) -> None:
    pom = (
        "<project><modelVersion>4.0.0</modelVersion><dependencies><dependency><groupId>org.apache.kafka</groupId>"
        "<artifactId>kafka-clients</artifactId><version>3.9.0</version></dependency></dependencies></project>\n"
    )
    (tmp_path / "pom.xml").write_text(pom)
    assert shoal("upgrade", "--to", "kafka-4.4", "--format", "json", ".").rules == ["version-to-raise"]
    shoal("upgrade", "--to", "kafka-4.4", "--fix", ".")
    assert (tmp_path / "pom.xml").read_text() == pom.replace("3.9.0", "4.4.0")


def test_the_checkpoints_of_a_query_are_named(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("pyspark==3.5.1\n")
    (tmp_path / "orders.py").write_text(
        "from pyspark.sql import SparkSession\n\nspark = SparkSession.builder.getOrCreate()\n"
        'orders = spark.readStream.format("rate").load()\n'
        'orders.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/state").start("s3a://lake/orders").awaitTermination()\n'
    )
    assert "state-of-other-major-version" in shoal("upgrade", "--to", "spark-4.3", "--format", "json", ".").rules
    assert "state-of-other-major-version" not in shoal("upgrade", "--to", "spark-3.4", "--format", "json", ".").rules


def test_an_unknown_target_is_a_usage_error(shoal: Shoal) -> None:
    for target in ("flink-9.9", "flink", "storm-1.0"):
        ran = shoal("upgrade", "--to", target, ".")
        assert ran.code == 2 and "--to" in ran.err


PINS = {
    "docker-compose.yml": (
        "services:\n  jobmanager:\n    image: flink:1.18.1\n  taskmanager:\n    image: flink:1.18.1-java11\n  other:\n    image: hub.example/flink:1.18.1\n",
        "services:\n  jobmanager:\n    image: flink:2.1.3\n  taskmanager:\n    image: flink:1.18.1-java11\n  other:\n    image: hub.example/flink:1.18.1\n",
    ),
    "Dockerfile": (
        "FROM flink:1.18 AS base\nRUN pip install apache-flink==1.18.1\n",
        "FROM flink:2.1 AS base\nRUN pip install apache-flink==2.1.3\n",
    ),
    "requirements.txt": (
        'apache-flink==1.18.1 ; python_version < "3.12"\napache-flink-libraries~=1.18.1\nrequests==2.31.0\n',
        'apache-flink==2.1.3 ; python_version < "3.12"\napache-flink-libraries~=1.18.1\nrequests==2.31.0\n',
    ),
    "pyproject.toml": (
        '[project]\nname = "orders"\nversion = "1.18.1"\ndependencies = ["apache-flink==1.18.1"]\n',
        '[project]\nname = "orders"\nversion = "1.18.1"\ndependencies = ["apache-flink==2.1.3"]\n',
    ),
    "pom.xml": (
        "<project><modelVersion>4.0.0</modelVersion><properties><flink.version>1.18.1</flink.version></properties><dependencies>\n"
        "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version>${flink.version}</version></dependency>\n"
        "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-connector-kafka</artifactId><version>3.1.0-1.18</version></dependency>\n"
        "</dependencies></project>\n",
        "<project><modelVersion>4.0.0</modelVersion><properties><flink.version>2.1.3</flink.version></properties><dependencies>\n"
        "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version>${flink.version}</version></dependency>\n"
        "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-connector-kafka</artifactId><version>5.0.0-2.1</version></dependency>\n"
        "</dependencies></project>\n",
    ),
}


def test_plain_pins_are_edited_and_the_rest_is_named(shoal: Shoal, tmp_path: Path) -> None:
    for name, (before, _) in PINS.items():
        (tmp_path / name).write_text(before)
    ran = shoal("upgrade", "--to", "flink-2.1", "--fix", "--format", "json", ".")
    after = {name: (tmp_path / name).read_text() for name in PINS}
    assert after == {name: text for name, (_, text) in PINS.items()}
    by_hand = {place["path"] for finding in ran.report["findings"] for place in finding["places"] if "by hand" in finding["message"]}
    assert by_hand == {"docker-compose.yml", "requirements.txt"}
    shoal("upgrade", "--to", "flink-2.1", "--fix", ".")
    assert {name: (tmp_path / name).read_text() for name in PINS} == after


def test_a_scala_that_the_next_major_spark_may_lack_is_left_alone(shoal: Shoal, tmp_path: Path) -> None:
    pom = (
        "<project><modelVersion>4.0.0</modelVersion><dependencies><dependency><groupId>org.apache.spark</groupId>"
        "<artifactId>spark-sql_2.12</artifactId><version>3.3.2</version></dependency></dependencies></project>\n"
    )
    (tmp_path / "pom.xml").write_text(pom)
    shoal("upgrade", "--to", "spark-4.0", "--fix", ".")
    assert (tmp_path / "pom.xml").read_text() == pom
    shoal("upgrade", "--to", "spark-3.5", "--fix", ".")
    assert "<version>3.5.9</version>" in (tmp_path / "pom.xml").read_text()


def test_the_releases_are_those_of_the_catalogue() -> None:
    from shoal.templates import releases
    from tools.catalogue import pins

    assert releases.PATCHES == {"flink": pins.FLINK, "spark": pins.SPARK, "kafka": pins.KAFKA}
    known = {f"flink-connector-{name}": versions for name, versions in releases.CONNECTORS.items()}
    for artifact, versions in known.items():
        pinned = pins.FLINK_TABLES[f"org.apache.flink:{artifact}"]
        # an empty pin says that the options come from another artifact: jdbc 3.3.0-1.20 is there, and has those of jdbc-core
        assert {minor: text for minor, text in versions.items() if pinned.get(minor) != ""}.items() <= pinned.items()
