"""Calls become the settings a config file would hold."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.facts import Block, Dependency, Oddity, Setting, Statement, Usage
from tests.python.reading import blocks, reading, settings, shown

ENV = "from pyflink.datastream import *\nfrom pyflink.common import *\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
CP = "execution.checkpointing."

FLINK = [
    ("env.enable_checkpointing(60_000)", {CP + "interval": "60000"}),
    ("env.enable_checkpointing(60000, CheckpointingMode.AT_LEAST_ONCE)", {CP + "interval": "60000", CP + "mode": "AT_LEAST_ONCE"}),
    ("env.get_checkpoint_config().set_checkpoint_timeout(5 * 1000)", {CP + "timeout": "5000"}),
    ("c = env.get_checkpoint_config()\nc.set_min_pause_between_checkpoints(500)", {CP + "min-pause": "500"}),
    ("env.get_checkpoint_config().enable_unaligned_checkpoints()", {CP + "unaligned.enabled": "true"}),
    ("env.get_checkpoint_config().set_fail_on_checkpointing_errors(False)", {CP + "tolerable-failed-checkpoints": "2147483647"}),
    ("env.get_checkpoint_config().set_alignment_timeout(Duration.of_seconds(5))", {CP + "aligned-checkpoint-timeout": "5000 ms"}),
    (
        "env.get_checkpoint_config().set_checkpoint_storage(FileSystemCheckpointStorage('s3://a'))",
        {CP + "storage": "filesystem", CP + "dir": "s3://a"},
    ),
    ("env.get_checkpoint_config().set_checkpoint_storage_dir('s3://a')", {CP + "dir": "s3://a"}),
    ("env.enable_changelog_state_backend(True)", {"state.changelog.enabled": "true"}),
    ("env.set_state_backend(EmbeddedRocksDBStateBackend(True))", {"state.backend.type": "rocksdb", CP + "incremental": "true"}),
    ("env.set_state_backend(FsStateBackend('s3://a'))", {"state.backend.type": "hashmap", CP + "dir": "s3://a"}),
    (
        "env.set_restart_strategy(RestartStrategies.fixed_delay_restart(50000000, 1000))",
        {
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": "50000000",
            "restart-strategy.fixed-delay.delay": "1000",
        },
    ),
    ("env.set_restart_strategy(RestartStrategies.no_restart())", {"restart-strategy.type": "none"}),
    ("env.set_parallelism(4)", {"parallelism.default": "4"}),
    ("env.set_runtime_mode(RuntimeExecutionMode.BATCH)", {"execution.runtime-mode": "BATCH"}),
    ("env.get_config().set_auto_watermark_interval(200)", {"pipeline.auto-watermark-interval": "200"}),
    ("conf = Configuration()\nconf.set_string('state.backend.type', 'rocksdb')\nenv.configure(conf)", {"state.backend.type": "rocksdb"}),
    ("conf = Configuration()\nconf.set_integer('a.b', 5).set_boolean('c.d', True)", {"a.b": "5", "c.d": "true"}),
    ("if local:\n    env.enable_checkpointing(1000)", {CP + "interval": "1000 (branch)"}),
    ("env.enable_checkpointing(1000 if local else 60000)", {CP + "interval": "60000 (branch)"}),
    ("import os\nenv.enable_checkpointing(int(os.getenv('I', '7')))", {CP + "interval": "7 (default)"}),
    ("env.enable_checkpointing(args.interval)", {CP + "interval": "?"}),
    ("if __name__ == '__main__':\n    env.enable_checkpointing(1000)", {CP + "interval": "1000"}),
    ("def tune(e, ms):\n    e.enable_checkpointing(ms * 1000)\ntune(env, 5)", {CP + "interval": "5000"}),
    ("def tune(anything):\n    anything.enable_checkpointing(5)", {CP + "interval": "5"}),
    ("for jar in ['a']:\n    env.set_parallelism(2)", {"parallelism.default": "2"}),
]
CONF = "conf = Configuration()\n"
IN_TURN = [
    ("for k, v in {'a': '1', 'b': 2, 'a': '3'}.items():\n    conf.set_string(k, str(v))", {"b": "2", "a": "3"}),
    ("for k, v in [('a', '1'), ('b', '2')]:\n    conf.set(k, v)", {"a": "1", "b": "2"}),
    ("d = {'a': '1'}\nfor k in d:\n    conf.set_string(k, d[k])", {"a": "1"}),
    ("d = {'a': '1'}\nfor k in d.keys():\n    conf.set_string(k, d[k])", {"a": "1"}),
    ("d = {'a': '1'}\n[conf.set_string(k, v) for k, v in d.items()]", {"a": "1"}),
    ("D = {'a': '1'}\ndef put(c, d):\n    for k, v in d.items():\n        c.set_string(k, v)\nput(conf, D)", {"a": "1"}),
    ("def put(k, v):\n    conf.set_string(k, v)\nput('a', '1')\nput('b', 5)", {"a": "1", "b": "5"}),
    ("if local:\n    for k, v in {'a': '1'}.items():\n        conf.set_string(k, v)", {"a": "1 (branch)"}),
    ("for k, v in {'a': '1'}.items():\n    v = change(v)\n    conf.set_string(k, v)", {}),
    ("for k, v in load().items():\n    conf.set_string(k, v)", {}),
    ("for k in ('a', 'b'):\n    conf.set_string(k, other[k])", {}),
]
STATEMENTS = [
    "for s in [\"SET 'a' = '1'\", 'SHOW TABLES']:\n    t.execute_sql(s)",
    "for s in \"SET 'a' = '1'; SHOW TABLES\".split(';'):\n    if s.strip():\n        t.execute_sql(s.strip())",
    "parts = [s.strip() for s in \"SET 'a' = '1'; SHOW TABLES\".split(';') if s.strip()]\nfor part in parts:\n    t.execute_sql(part)",
    "for name, s in {'x': \"SET 'a' = '1'\"}.items():\n    print(name)\n    t.execute_sql(s)",
    "for s in {'x': \"SET 'a' = '1'\"}.values():\n    t.execute_sql(s)",
    "for i, s in enumerate([\"SET 'a' = '1'\"]):\n    t.execute_sql(s)",
]


@pytest.mark.parametrize(("text", "expected"), FLINK, ids=[text[:60] for text, _ in FLINK])
def test_flink_jobs(text: str, expected: dict[str, str]) -> None:
    out = reading(ENV + text)
    assert settings(out, "job") == expected


@pytest.mark.parametrize(("text", "expected"), IN_TURN, ids=[text[:60] for text, _ in IN_TURN])
def test_settings_made_in_turn(text: str, expected: dict[str, str]) -> None:
    out = reading(ENV + CONF + text + "\nenv.configure(conf)")
    assert settings(out, "job") == expected
    block = next(fact for fact in out.facts if isinstance(fact, Block) and fact.role == "job")
    assert block.open == (not expected)


@pytest.mark.parametrize("text", STATEMENTS, ids=[text[:60] for text in STATEMENTS])
def test_statements_run_in_turn(text: str) -> None:
    out = reading("from pyflink.table import *\nt = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\n" + text)
    assert settings(out, "session") == {"a": "1"}
    assert shown(out, "a") == "1"


def test_spark_settings_made_in_turn() -> None:
    text = "from pyspark.sql import SparkSession\nbuilder = SparkSession.builder\n"
    text += "for k, v in {'spark.a': '1'}.items():\n    builder = builder.config(k, v)\nspark = builder.getOrCreate()\n"
    text += "reader = spark.readStream.format('kafka')\nfor k, v in {'subscribe': 't'}.items():\n    reader = reader.option(k, v)\nreader.load()\n"
    out = reading(text)
    assert settings(out, "job") == {"spark.a": "1"}
    assert settings(out, "reader")["subscribe"] == "t"


def test_a_configuration_and_its_environment_are_one_block() -> None:
    out = reading(
        "from pyflink.datastream import StreamExecutionEnvironment\nfrom pyflink.common import Configuration\nfrom pyflink.table import *\n"
        "conf = Configuration()\nconf.set_string('a.b', '1')\nenv = StreamExecutionEnvironment.get_execution_environment(conf)\n"
        "env.enable_checkpointing(1000)\nt_env = StreamTableEnvironment.create(env)\nt_env.get_config().set('c.d', '2')\n"
        "t_env.get_config().get_configuration().set_string('e.f', '3')\n"
    )
    assert blocks(out) == [("flink", "job")]
    assert settings(out) == {"a.b": "1", CP + "interval": "1000", "c.d": "2", "e.f": "3"}


def test_two_environments_are_two_blocks() -> None:
    make = "StreamExecutionEnvironment.get_execution_environment()"
    out = reading(f"from pyflink.datastream import *\na = {make}\nb = {make}\na.set_parallelism(1)\nb.set_parallelism(2)\n")
    assert blocks(out) == [("flink", "job"), ("flink", "job")]


def test_kafka_source_and_sink() -> None:
    out = reading(
        ENV + "from pyflink.datastream.connectors.kafka import *\nPROPS = {'request.timeout.ms': '5000'}\n"
        "source = (KafkaSource.builder().set_bootstrap_servers('a:9092,b:9092').set_topics('x', 'y').set_group_id('g')\n"
        "    .set_starting_offsets(KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.EARLIEST))\n"
        "    .set_property('partition.discovery.interval.ms', '300000').set_properties(PROPS).build())\n"
        "b = KafkaSink.builder()\nb.set_bootstrap_servers('a:9092')\n"
        "b.set_record_serializer(KafkaRecordSerializationSchema.builder().set_topic('z').build())\n"
        "b.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)\nb.set_transactional_id_prefix('p')\nsink = b.build()\n"
    )
    assert settings(out, "source") == {
        "properties.bootstrap.servers": "a:9092,b:9092",
        "topic": "x;y",
        "properties.group.id": "g",
        "scan.startup.mode": "group-offsets",
        "properties.auto.offset.reset": "earliest",
        "properties.partition.discovery.interval.ms": "300000",
        "properties.request.timeout.ms": "5000",
    }
    assert settings(out, "sink") == {
        "properties.bootstrap.servers": "a:9092",
        "topic": "z",
        "sink.delivery-guarantee": "exactly-once",
        "sink.transactional-id-prefix": "p",
    }
    assert shown(out, "properties.request.timeout.ms") == "5000"


def test_properties_that_cannot_be_seen_open_the_block() -> None:
    out = reading("from pyflink.datastream.connectors.kafka import KafkaSource\nKafkaSource.builder().set_properties(load()).build()\n")
    assert [fact.open for fact in out.facts if isinstance(fact, Block)] == [True]


def test_sql_stands_in_the_python_file() -> None:
    out = reading(
        "from pyflink.table import *\nt_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\ntopic = 'orders'\n"
        "t_env.execute_sql(f\"\"\"\n  CREATE TABLE o (id STRING) WITH (\n    'connector' = 'kafka', 'topic' = '{topic}',\n"
        "    'scan.startup.mode' = '{mode}', 'properties.group.id' = 'it''s'\n  )\"\"\")\n"
    )
    table = settings(out, "table")
    assert table["connector"] == "kafka"
    assert table["topic"] == "orders"
    assert table["scan.startup.mode"] == "?"
    assert shown(out, "connector") == "kafka"


@pytest.mark.parametrize(
    "text",
    [
        "t_env.execute_sql(\"CREATE TABLE o (id STRING) WITH ('connector' = 'kafka', 'a' = \" + x + \")\")",
        "t_env.execute_sql(\"CREATE TABLE o (id STRING) WITH ('connector' = '{}')\".format('kafka'))",
        "t_env.execute_sql(\"CREATE TABLE o (id STRING) WITH ('connector' = '%s')\" % 'kafka')",
        "ddl = '''CREATE TABLE o (id STRING) WITH ('connector' = 'kafka')'''\nt_env.execute_sql(ddl)",
        "def ddl(c):\n    return f\"CREATE TABLE o (id STRING) WITH ('connector' = '{c}')\"\nt_env.execute_sql(ddl('kafka'))",
        "t_env.execute_sql('CREATE TABLE o (id STRING) WITH (\\'connector\\' = \\'kafka\\')')",
    ],
)
def test_sql_however_it_is_put_together(text: str) -> None:
    out = reading(f"from pyflink.table import *\nt_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())\n{text}\n")
    assert settings(out, "table")["connector"] == "kafka"


@pytest.mark.parametrize(
    "clause",
    [
        """", ".join(f"'{k}' = '{v}'" for k, v in {**KAFKA, "topic": "orders"}.items())""",
        """",".join(["'%s'='%s'" % (key, value) for key, value in {**KAFKA, "topic": "orders"}.items()])""",
        """", ".join("'{}' = '{}'".format(k, v) for k, v in {**KAFKA, "topic": "orders"}.items())""",
        """clause({**KAFKA, "topic": "orders"})""",
        """"%s, 'topic' = 'orders'" % clause(KAFKA)""",
        """"{0}, 'topic' = 'orders'".format(clause(KAFKA))""",
    ],
)
def test_options_of_a_table_that_a_dict_holds(clause: str) -> None:
    text = """
import os
from pyflink.table import StreamTableEnvironment

KAFKA = {"connector": "kafka", "topic": "none", "sink.parallelism": 2, "properties.bootstrap.servers": os.environ["BROKERS"]}


def clause(options):
    return ", ".join([f"'{k}' = '{v}'" for k, v in options.items()])


t_env = StreamTableEnvironment.create(None)
t_env.execute_sql("CREATE TABLE orders (id STRING) WITH (" + CLAUSE + ")")
""".replace("CLAUSE", clause)
    out = reading(text)
    found = {"connector": "kafka", "topic": "orders", "sink.parallelism": "2", "properties.bootstrap.servers": "?"}
    assert settings(out, "table") == found
    assert shown(out, "connector") == "kafka"


def test_a_helper_that_writes_several_tables() -> None:
    out = reading("""
from pyflink.table import StreamTableEnvironment


def table(name, options, topic="none"):
    clause = ", ".join(f"'{k}' = '{v}'" for k, v in options.items())
    return f"CREATE TABLE {name} (id STRING) WITH ('topic' = '{topic}', {clause})"


t_env = StreamTableEnvironment.create(None)
t_env.execute_sql(table("orders", {"connector": "kafka"}, "o"))
t_env.execute_sql(table("totals", {"connector": "upsert-kafka", "sink.parallelism": 3}))
""")
    tables = {fact.name: fact.id for fact in out.facts if isinstance(fact, Block) and fact.role == "table"}
    found = {
        name: {fact.key: fact.text for fact in out.facts if isinstance(fact, Setting) and fact.block == id} for name, id in tables.items()
    }
    assert found == {
        "orders": {"topic": "o", "connector": "kafka"},
        "totals": {"topic": "none", "connector": "upsert-kafka", "sink.parallelism": "3"},
    }


@pytest.mark.parametrize(("clause", "twice"), [("{clause}, 'topic' = 'a'", False), ("'topic' = 'b', {clause}, 'topic' = 'a'", True)])
def test_an_option_beside_unpacked_ones_overrides_them(clause: str, twice: bool) -> None:
    text = """
from pyflink.table import StreamTableEnvironment

KAFKA = {"connector": "kafka", "topic": "none"}
clause = ", ".join(f"'{k}' = '{v}'" for k, v in KAFKA.items())
t_env = StreamTableEnvironment.create(None)
t_env.execute_sql(f"CREATE TABLE orders (id STRING) WITH (CLAUSE)")
""".replace("CLAUSE", clause)
    assert any(isinstance(fact, Oddity) and fact.kind == "duplicate-key" for fact in reading(text).facts) is twice


def test_jars_are_dependencies() -> None:
    out = reading(ENV + "JARS = ['file:///opt/flink-sql-connector-kafka-1.17.0.jar']\nfor jar in JARS:\n    env.add_jars(jar)\n")
    assert [(fact.name, fact.version) for fact in out.facts if isinstance(fact, Dependency)] == [("flink-sql-connector-kafka", "1.17.0")]


SPARK = "from pyspark.sql import SparkSession\nfrom pyspark import SparkConf\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SparkSession.builder.appName('a').config('x.y', 5).getOrCreate()", {"spark.app.name": "a", "x.y": "5"}),
        ("spark = SparkSession.builder.getOrCreate()\nspark.conf.set('x.y', True)", {"x.y": "true"}),
        ("SparkSession.builder.config(map={'x.y': '1', 'z': '2'}).getOrCreate()", {"x.y": "1", "z": "2"}),
        (
            "conf = SparkConf().set('x.y', '1').setAll([('z', '2')])\nSparkSession.builder.config(conf=conf).getOrCreate()",
            {"x.y": "1", "z": "2"},
        ),
        (
            "conf = SparkConf().set('x.y', '1')\nSparkSession.builder.config(conf=conf).appName('a').config(conf=conf).getOrCreate()",
            {"x.y": "1", "spark.app.name": "a"},
        ),
    ],
)
def test_spark_sessions(text: str, expected: dict[str, str]) -> None:
    out = reading(SPARK + text)
    assert blocks(out) == [("spark", "job")]
    assert settings(out, "job") == expected


def test_a_builder_kept_in_a_field_and_replaced_by_its_own_result() -> None:
    code = (
        "from pyspark.sql import SparkSession\n\n\nclass Session:\n    def __init__(self):\n        self._made = SparkSession.builder.appName('a')\n\n"
        "    def ui(self):\n        self._made = self._made.config('spark.ui.port', '1').config('spark.ui.enabled', 'true')\n        return self\n\n"
        "    def lake(self):\n        self._made = self._made.config('spark.sql.extensions', 'x').config('spark.eventLog.enabled', 'true')\n        return self\n"
    )
    expected = {"spark.app.name": "a", "spark.ui.port": "1", "spark.ui.enabled": "true", "spark.sql.extensions": "x"}
    assert settings(reading(code), "job") == {**expected, "spark.eventLog.enabled": "true"}


def test_spark_readers_and_writers() -> None:
    out = reading(
        SPARK + "spark = SparkSession.builder.getOrCreate()\nopts = {'subscribe': 't', 'maxOffsetsPerTrigger': 10}\n"
        "df = spark.readStream.format('kafka').options(**opts).option('startingOffsets', 'latest').load()\n"
        "q = (df.select('a').writeStream.format('delta').outputMode('append').trigger(processingTime='10 seconds')\n"
        "     .option('checkpointLocation', '/c').queryName('n').start('/out'))\n"
    )
    assert settings(out, "reader") == {"format": "kafka", "subscribe": "t", "maxOffsetsPerTrigger": "10", "startingOffsets": "latest"}
    assert settings(out, "writer") == {
        "format": "delta",
        "outputMode": "append",
        "trigger.processingTime": "10 seconds",
        "checkpointLocation": "/c",
        "queryName": "n",
        "path": "/out",
    }
    writer = next(fact for fact in out.facts if isinstance(fact, Block) and fact.role == "writer")
    assert writer.name == "n"
    assert dict(writer.traits) == {"format": "delta", "start": "start"}


@pytest.mark.parametrize(
    ("text", "library", "expected"),
    [
        (
            "from kafka import KafkaConsumer\nKafkaConsumer('t', bootstrap_servers=['a:1', 'b:1'], enable_auto_commit=False, request_timeout_ms=5_000)",
            "kafka-python",
            {"bootstrap.servers": "a:1,b:1", "enable.auto.commit": "false", "request.timeout.ms": "5000"},
        ),
        (
            "import kafka\nconf = {'acks': 'all', 'linger_ms': 5}\nkafka.KafkaProducer(**conf)",
            "kafka-python",
            {"acks": "all", "linger.ms": "5"},
        ),
        ("from aiokafka import AIOKafkaProducer\nAIOKafkaProducer(enable_idempotence=True)", "aiokafka", {"enable.idempotence": "true"}),
        (
            "from confluent_kafka import Consumer\nc = {'group.id': 'g'}\nc['session.timeout.ms'] = 6000\nConsumer(c)",
            "confluent-kafka",
            {"group.id": "g", "session.timeout.ms": "6000"},
        ),
        (
            "from confluent_kafka import Producer\nbase = {'acks': 1}\nclass P:\n    def __init__(self):\n        self.conf = {**base, 'retries': 0}\n        self.p = Producer(self.conf)\n",
            "confluent-kafka",
            {"acks": "1", "retries": "0"},
        ),
    ],
)
def test_kafka_clients(text: str, library: str, expected: dict[str, str]) -> None:
    out = reading(text)
    assert settings(out) == expected
    (block,) = [fact for fact in out.facts if isinstance(fact, Block)]
    assert block.trait("library") == library
    assert not block.open


def test_applications_of_quix_streams() -> None:
    out = reading(
        "from quixstreams import Application\n"
        "Application('broker:9092', consumer_group='g', auto_offset_reset='earliest', consumer_extra_config={'session.timeout.ms': 6000})\n"
        "Application(broker_address='other:9092', producer_extra_config={'acks': '1'})\n"
    )
    blocks = [fact for fact in out.facts if isinstance(fact, Block)]
    assert [(block.role, block.open) for block in blocks] == [("consumer", True), ("consumer", True), ("producer", True)]
    found = [
        (block.role, setting.key, setting.text)
        for block in blocks
        for setting in out.facts
        if isinstance(setting, Setting) and setting.block == block.id
    ]
    assert found == [
        ("consumer", "bootstrap.servers", "broker:9092"),
        ("consumer", "group.id", "g"),
        ("consumer", "auto.offset.reset", "earliest"),
        ("consumer", "session.timeout.ms", "6000"),
        ("consumer", "bootstrap.servers", "other:9092"),
        ("producer", "acks", "1"),
    ]


def test_clients_of_bytewax() -> None:
    out = reading(
        "from bytewax.connectors.kafka import KafkaSink, KafkaSource, operators as kop\n"
        "KafkaSource(['broker:9092'], ['a'], True, -2, {'group.id': 'g'})\n"
        "KafkaSink(['broker:9092'], 'b', add_config={'acks': '1'})\n"
        "kop.input('in', flow, brokers=['broker:9092'], topics=['a'], add_config={'fetch.min.bytes': '9'})\n"
        "kop.input('in', flow, brokers=['broker:9092'], topics=['a'])\n"
        "input('add_config')\n"
    )
    blocks = [fact for fact in out.facts if isinstance(fact, Block)]
    assert [(block.role, block.trait("class"), block.open) for block in blocks] == [
        ("consumer", "bytewax.KafkaSource", True),
        ("producer", "bytewax.KafkaSink", True),
        ("consumer", "bytewax.input", True),
    ]
    found = [(setting.block, setting.key, setting.text) for setting in out.facts if isinstance(setting, Setting)]
    assert [(key, text) for _, key, text in found] == [("group.id", "g"), ("acks", "1"), ("fetch.min.bytes", "9")]


def test_what_one_branch_sets_does_not_hide_what_another_one_sets() -> None:
    out = reading(
        "from confluent_kafka import Producer\nconf = {'acks': '0', 'linger.ms': 5}\n"
        "if user:\n    if tls:\n        conf.update({'acks': '1'})\n    else:\n        conf['acks'] = 'all'\n"
        "elif tls:\n    conf.update({'acks': '2'})\nif late:\n    conf['linger.ms'] = 9\nProducer(conf)\n"
    )
    found = [(setting.key, setting.text) for setting in out.facts if isinstance(setting, Setting)]
    assert found == [("acks", "1"), ("acks", "all"), ("acks", "2"), ("linger.ms", "9")]


@pytest.mark.parametrize(
    ("body", "calls", "expected"),
    [
        ("KafkaProducer(linger_ms=5, **more)", "make('a', acks=0, name='x')", {"linger.ms": "5", "acks": "0"}),
        (
            "conf = {'linger_ms': 5}\n    conf.update(more)\n    KafkaProducer(**conf)",
            "make('a', **{'acks': 0})",
            {"linger.ms": "5", "acks": "0"},
        ),
        ("KafkaProducer(**{'linger_ms': 5, **more})", "make('a', acks=0)", {"linger.ms": "5", "acks": "0"}),
        ("KafkaProducer(linger_ms=5, **more)", "make('a', acks=0)\nmake('b', enable_idempotence=True)", {"linger.ms": "5"}),
    ],
)
def test_keywords_that_a_helper_passes_on(body: str, calls: str, expected: dict[str, str]) -> None:
    out = reading(f"from kafka import KafkaProducer\ndef make(topic, name=None, **more):\n    {body}\n{calls}\n")
    assert settings(out) == expected
    (block,) = [fact for fact in out.facts if isinstance(fact, Block)]
    assert block.open


def test_beam_options_in_every_form() -> None:
    head = "import apache_beam as beam\nfrom apache_beam.options.pipeline_options import *\n"
    expected = {"runner": "FlinkRunner", "streaming": "true"}
    for text in (
        "PipelineOptions(['--runner=FlinkRunner', '--streaming'])",
        "PipelineOptions(['--runner', 'FlinkRunner', '--streaming'])",
        "PipelineOptions.from_dictionary({'runner': 'FlinkRunner', 'streaming': True})",
        "PipelineOptions(runner='FlinkRunner', streaming=True)",
        "o = PipelineOptions(runner='FlinkRunner')\no.view_as(StandardOptions).streaming = True",
    ):
        assert settings(reading(head + text), "pipeline") == expected, text


def test_beam_options_of_a_class_of_its_own() -> None:
    head = "import apache_beam as beam\nfrom apache_beam.options.pipeline_options import PipelineOptions, StandardOptions\n"
    own = (
        "class Own(PipelineOptions):\n    @classmethod\n    def _add_argparse_args(cls, parser):\n        parser.add_argument('--topic')\n"
    )
    out = reading(head + own + "o = Own(streaming=True)\no.view_as(StandardOptions).runner = 'DataflowRunner'\n")
    assert settings(out, "pipeline") == {"streaming": "true", "runner": "DataflowRunner"}
    other = own + "    def __init__(self, *names):\n        super().__init__(streaming=False)\n"
    assert not settings(reading(head + other + "o = Own('a')\n"), "pipeline")


def test_beam_kafka_transforms() -> None:
    out = reading(
        "import apache_beam as beam\nfrom apache_beam.io.kafka import ReadFromKafka\n"
        "p | ReadFromKafka(consumer_config={'bootstrap.servers': 'a:1', 'enable.auto.commit': 'true'}, topics=['t'], commit_offset_in_finalize=True)\n"
    )
    assert settings(out, "transform") == {"topics": "t", "commit_offset_in_finalize": "true"}
    assert settings(out, "consumer") == {"bootstrap.servers": "a:1", "enable.auto.commit": "true"}


def test_usages() -> None:
    out = reading(
        ENV
        + "import json\nfrom pyflink.datastream.functions import MapFunction\nenv.set_restart_strategy(RestartStrategies.no_restart())\n"
        "class F(MapFunction):\n    def map(self, x):\n        return json.loads(x)\n"
        "class G(MapFunction):\n    def map(self, x):\n        try:\n            return json.loads(x)\n        except ValueError:\n            return None\n"
    )
    assert [(fact.kind, fact.detail) for fact in out.facts if isinstance(fact, Usage)] == [
        ("flink-api", "set_restart_strategy"),
        ("unguarded-parse", "flink:loads"),
        ("guarded-parse", "flink:loads"),
    ]


def test_comments_come_along() -> None:
    out = reading(ENV + "env.enable_checkpointing(5 * 1000)  # 5 minutes\n")
    (setting,) = [fact for fact in out.facts if hasattr(fact, "comment")]
    assert setting.comment == "5 minutes"


@pytest.mark.parametrize(
    "moves",
    [
        "t.execute_sql('INSERT INTO stored SELECT id FROM `default_catalog`.`default_database`.orders')",
        "t.from_path('orders').execute_insert('stored')",
        "t.sql_query('SELECT id FROM orders').insert_into('stored')",
        "t.create_statement_set().add_insert('stored', t.from_path('orders'))",
    ],
)
def test_tables_are_sources_or_sinks_by_what_the_program_does_with_them(moves: str) -> None:
    out = reading(f"""
from pyflink.table import EnvironmentSettings, TableEnvironment
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t.execute_sql("CREATE TABLE orders (id STRING) WITH ('connector' = 'kafka')")
t.execute_sql("CREATE TABLE stored (id STRING) WITH ('connector' = 'jdbc')")
t.execute_sql("CREATE TABLE other (id STRING) WITH ('connector' = 'jdbc')")
{moves}
""")
    tables = {fact.name: fact for fact in out.facts if isinstance(fact, Block) and fact.role == "table"}
    sides = {name: {side for side in ("source", "sink", "bounded") if block.trait(side) == "true"} for name, block in tables.items()}
    assert sides == {"orders": {"source"}, "stored": {"sink"}, "other": {"bounded"}}


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("orders.join(paid, col('id') == col('oid')).execute_insert('stored')", [("insert", ("orders", "paid"), ("regular-join",))]),
        (
            "orders.join(paid.distinct()).where(col('id') == col('oid')).group_by(col('id')).execute()",
            [
                ("select", ("orders", "paid"), ("group-by",)),
                ("select", ("orders", "paid"), ("regular-join",)),
                ("select", ("orders", "paid"), ("select-distinct",)),
            ],
        ),
        (
            "orders.full_outer_join(paid, col('at') <= col('t') + lit(1).hours).execute_insert('stored')",
            [("insert", ("orders", "paid"), ())],
        ),
        ("t.create_temporary_view('both', orders.join(paid, BOUNDS))", [("create-view", ("orders", "paid"), ())]),
        ("t.to_changelog_stream(orders.group_by(col('window_start')))", []),
        (
            "counted = t.sql_query('SELECT id, COUNT(*) FROM orders GROUP BY id')\ncounted.execute_insert('stored')\ncounted.execute_insert('`shown`')",
            [("insert", ("orders",), ("group-by",)), ("insert", ("orders",), ())],
        ),
        (
            "t.create_temporary_view('large', t.sql_query('SELECT DISTINCT id FROM orders'))",
            [("select", ("orders",), ("select-distinct",)), ("create-view", ("orders",), ())],
        ),
        ("t.sql_query('SELECT id FROM orders').print_schema()", [("select", ("orders",), ())]),
    ],
)
def test_tables_of_the_table_api_keep_what_joins_and_groups_keep(moves: str, expected: list[Any]) -> None:
    out = reading(f"""
from bounds import BOUNDS
from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit
t = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
orders, paid = t.from_path('orders'), t.from_path('paid')
{moves}
""")
    assert [(fact.kind, fact.sources, fact.features) for fact in out.facts if isinstance(fact, Statement)] == expected


def test_what_an_environment_from_elsewhere_is_told_is_no_setting_of_a_source() -> None:
    out = reading(
        "from pyflink.datastream.connectors.kafka import KafkaSource\n"
        "def add(env):\n"
        "    source = KafkaSource.builder().set_topics('orders').build()\n"
        "    env.enable_checkpointing(10_000)\n"
    )
    assert settings(out, "source") == {"topic": "orders"}
    assert settings(out, "job") == {"execution.checkpointing.interval": "10000"}
