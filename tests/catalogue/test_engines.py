"""Facts about the other engines' options, and what holds for every table."""

from pathlib import Path

import pytest

import shoal.catalogue
from shoal.catalogue import UnknownEngine, engines, load

DATA = Path(shoal.catalogue.__file__).parent / "data"


@pytest.mark.parametrize("engine", engines())
def test_every_table_answers_for_each_of_its_keys(engine):
    catalogue = load(engine)
    assert catalogue.versions
    every = catalogue.keys()
    for key in every:
        option = catalogue.option(key)
        assert option is not None
        assert catalogue.canonical(catalogue.canonical(key)) == catalogue.canonical(key)
        if option.values and option.default and option.type in ("enum", "string") and "," not in option.default:
            accepted = [value.lower() for value in option.values]
            assert option.default.lower() in accepted or "<" in option.default, (engine, key)
    for version in catalogue.versions:
        assert catalogue.keys(version)


def test_the_tables_stay_small():
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 1_500_000


def test_unknown_engine():
    with pytest.raises(UnknownEngine):
        load("storm")
    with pytest.raises(UnknownEngine):
        load("flink-table:no-such-connector")


@pytest.mark.parametrize(
    ("engine", "key", "version", "type_", "default"),
    [
        ("kafka-consumer", "session.timeout.ms", "2.8", "int", "10000"),
        ("kafka-consumer", "session.timeout.ms", "3.0", "int", "45000"),
        ("kafka-producer", "enable.idempotence", "2.8", "boolean", "false"),
        ("kafka-producer", "enable.idempotence", "3.9", "boolean", "true"),
        ("kafka-producer", "linger.ms", "3.9", "long", "0"),
        ("kafka-producer", "linger.ms", "4.0", "long", "5"),
        ("kafka-producer", "max.block.ms", None, "long", "60000"),
        ("kafka-admin", "request.timeout.ms", None, "int", "30000"),
        ("kafka-streams", "processing.guarantee", "4.0", "string", "at_least_once"),
        ("kafka-streams", "statestore.cache.max.bytes", None, "long", "10485760"),
        ("kafka-connect", "errors.tolerance", None, "string", "none"),
        ("librdkafka", "session.timeout.ms", None, "int", "45000"),
        ("kafka-python:consumer", "session_timeout_ms", "2.0", "int", "10000"),
        ("aiokafka:consumer", "enable_auto_commit", None, "boolean", "true"),
        ("spark", "spark.sql.shuffle.partitions", None, "int", "200"),
        ("spark", "spark.executor.memory", "3.5", "bytes", "1g"),
        ("spark", "spark.streaming.backpressure.enabled", None, "boolean", "false"),
        ("beam", "checkpointing_interval", None, "long", "-1"),
        ("beam", "checkpointingInterval", None, "long", "-1"),
        ("beam", "streaming", None, "boolean", "false"),
        ("flink-operator", "job.autoscaler.enabled", "1.15", "boolean", "false"),
        ("flink-operator", "kubernetes.operator.job.autoscaler.enabled", "1.4", "boolean", "false"),
        ("flink-table:kafka", "sink.delivery-guarantee", "1.20", "enum", "at-least-once"),
        ("flink-table:kafka", "json.ignore-parse-errors", "1.20", "boolean", "false"),
        ("flink-table:datagen", "fields.id.kind", "1.20", "string", "random"),
        ("flink-table:jdbc", "lookup.cache", "1.20", "enum", "NONE"),
    ],
)
def test_type_and_default(engine, key, version, type_, default):
    option = load(engine).option(key, version)
    assert (option.type, option.default) == (type_, default)


def test_exact_values_are_strings_and_loose_ones_enums():
    reset = load("kafka-consumer")
    assert reset.option("auto.offset.reset", "3.9").values == ("latest", "earliest", "none")
    assert "by_duration:<duration>" in reset.option("auto.offset.reset", "4.0").values
    assert reset.option("auto.offset.reset").type == "string"
    assert reset.option("security.protocol").type == "enum"


def test_python_clients_take_dots_for_underscores():
    assert load("kafka-python:consumer").option("auto.offset.reset").key == "auto_offset_reset"
    assert load("aiokafka:producer").known("transactional.id")
    assert not load("aiokafka:producer").known("group.id")


def test_file_sources_share_the_options_of_file_streams():
    assert load("spark-source:json").known("maxFilesPerTrigger")
    assert not load("spark-source:kafka").known("maxFilesPerTrigger")


def test_required_table_options():
    kafka = load("flink-table:kafka")
    assert kafka.option("properties.bootstrap.servers").required
    assert not kafka.option("topic").required, "a topic pattern does as well"
    assert kafka.option("properties.max.poll.records").prefix


def test_watermark_options_came_with_1_18():
    assert not load("flink-table:kafka").known("scan.watermark.idle-timeout", "1.17")
    assert load("flink-table:kafka").known("scan.watermark.idle-timeout", "1.18")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("spark.yarn.executor.memoryOverhead", "spark.executor.memoryOverhead"),
        ("spark.yarn.keytab", "spark.kerberos.keytab"),
        ("spark.history.fs.cleaner.interval.seconds", "spark.history.fs.cleaner.interval"),
    ],
)
def test_spark_alternatives(old, new):
    assert load("spark").option(old, "4.0").key == new
    assert load("spark").canonical(old) == new


def test_spark_stopped_reading_the_blacklist_keys_in_4_1():
    spark = load("spark")
    assert spark.option("spark.blacklist.enabled", "4.0").key == "spark.excludeOnFailure.enabled"
    assert spark.option("spark.blacklist.enabled", "4.1").key == "spark.blacklist.enabled"
    assert spark.option("spark.blacklist.enabled", "4.1").deprecated is not None


def test_spark_removed_and_scope():
    spark = load("spark")
    assert spark.option("spark.sql.hive.verifyPartitionPath").removed == "4.0"
    assert spark.option("spark.mesos.coarse").removed == "4.0"
    assert spark.option("spark.streaming.backpressure.enabled").scope == "dstream"
    assert spark.option("spark.sql.streaming.stopTimeout").scope == "streaming"
    assert spark.option("spark.sql.extensions").scope == "static"


def test_options_of_a_broker_are_not_a_clients():
    assert load("kafka-broker").option("log.dirs").scope == "broker"


def test_spark_compares_some_keys_without_case():
    assert load("spark-source:kafka").option("startingoffsets").key == "startingOffsets"
    wanted = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
    assert load("spark").option(wanted.lower(), "3.5").key == wanted
    assert not load("spark").known("spark.executor.memoryoverhead")


@pytest.mark.parametrize(
    "key",
    [
        "spark.hadoop.fs.s3a.endpoint",
        "spark.executorEnv.PYTHONPATH",
        "spark.sql.catalog.spark_catalog",
        "spark.sql.catalog.prod.uri",
        "spark.kubernetes.driver.label.team",
        "spark.kubernetes.executor.volumes.emptyDir.scratch.mount.path",
        "spark.databricks.delta.preview.enabled",
        "spark.executor.resource.gpu.amount",
        "spark.master",
        "spark.app.name",
        "spark.jars.packages",
    ],
)
def test_spark_families_and_plain_constants(key):
    assert load("spark").known(key)


def test_no_table_knows_the_machine_it_was_made_on():
    for file in DATA.iterdir():
        text = file.read_text(encoding="utf-8")
        for trace in (str(Path.home()), str(Path(__file__).parents[2]), "192.0.2.", "/home/user"):
            assert trace not in text or len(trace) < 6, (file.name, trace)


def test_options_of_debezium():
    options = shoal.catalogue.debezium()
    assert options["time.precision.mode"]
    assert not options["slot.drop_on_stop"]
    assert "timestamp.mode" not in options
