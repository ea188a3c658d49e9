"""Java programs become the settings, sources and statements that a config file or PyFlink would hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.cli import main
from shoal.facts import Block, Oddity, Setting, Statement, Usage
from shoal.model import Source
from shoal.readers import Reading, read
from tests.python.reading import blocks, settings

CP = "execution.checkpointing."
IMPORTS = """package com.acme.jobs;
import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.configuration.*;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.CheckpointingMode;
import org.apache.flink.streaming.api.environment.ExternalizedCheckpointCleanup;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.*;
"""
ENV = "StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"


def reading(text: str) -> Reading:
    out = read(Source("src/main/java/com/acme/jobs/Job.java", "java", text.encode()))[0]
    assert not out.problems, out.problems
    return out


def program(body: str, members: str = "") -> Reading:
    return reading(f"{IMPORTS}public class Job {{\n{members}\npublic static void main(String[] args) throws Exception {{\n{body}\n}}\n}}\n")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("env.enableCheckpointing(60_000L);", {CP + "interval": "60000"}),
        ("env.enableCheckpointing(60000, CheckpointingMode.AT_LEAST_ONCE);", {CP + "interval": "60000", CP + "mode": "AT_LEAST_ONCE"}),
        ("env.getCheckpointConfig().setCheckpointTimeout(5 * 1000);", {CP + "timeout": "5000"}),
        ("CheckpointConfig c = env.getCheckpointConfig(); c.setMinPauseBetweenCheckpoints(500);", {CP + "min-pause": "500"}),
        ("var c = env.getCheckpointConfig(); c.setCheckpointTimeout(Duration.ofMinutes(2).toMillis());", {CP + "timeout": "120000"}),
        ("env.getCheckpointConfig().setCheckpointTimeout(TimeUnit.SECONDS.toMillis(30));", {CP + "timeout": "30000"}),
        ("env.getCheckpointConfig().enableUnalignedCheckpoints();", {CP + "unaligned.enabled": "true"}),
        ("env.getConfig().disableGenericTypes();", {"pipeline.generic-types": "false"}),
        ("env.getCheckpointConfig().setFailOnCheckpointingErrors(false);", {CP + "tolerable-failed-checkpoints": "2147483647"}),
        ('env.getCheckpointConfig().setCheckpointStorage("s3://a");', {CP + "dir": "s3://a"}),
        (
            'env.getCheckpointConfig().setCheckpointStorage(new FileSystemCheckpointStorage(new Path("s3://a")));',
            {CP + "storage": "filesystem", CP + "dir": "s3://a"},
        ),
        ("env.setStateBackend(new EmbeddedRocksDBStateBackend(true));", {"state.backend.type": "rocksdb", CP + "incremental": "true"}),
        ('env.setStateBackend((StateBackend) new FsStateBackend("s3://a"));', {"state.backend.type": "hashmap", CP + "dir": "s3://a"}),
        (
            "env.setRestartStrategy(RestartStrategies.fixedDelayRestart(Integer.MAX_VALUE, Time.of(10, TimeUnit.SECONDS)));",
            {
                "restart-strategy.type": "fixed-delay",
                "restart-strategy.fixed-delay.attempts": "2147483647",
                "restart-strategy.fixed-delay.delay": "10000 ms",
            },
        ),
        ("env.setRestartStrategy(RestartStrategies.noRestart());", {"restart-strategy.type": "none"}),
        ("env.setParallelism(4).setMaxParallelism(128);", {"parallelism.default": "4", "pipeline.max-parallelism": "128"}),
        ("env.setBufferTimeout(-1);", {"execution.buffer-timeout.enabled": "false"}),
        ("if (local) { env.enableCheckpointing(1000); }", {CP + "interval": "1000 (branch)"}),
        ("env.enableCheckpointing(local ? 1000 : 60000);", {CP + "interval": "60000 (branch)"}),
        ('env.enableCheckpointing(Long.parseLong(System.getenv().getOrDefault("I", "7")));', {CP + "interval": "7 (default)"}),
        ('ParameterTool p = ParameterTool.fromArgs(args); env.enableCheckpointing(p.getLong("i", 9L));', {CP + "interval": "9 (default)"}),
        ("env.enableCheckpointing(Long.parseLong(args[0]));", {CP + "interval": "?"}),
        ("long ms = 1; ms = 2; env.enableCheckpointing(ms);", {CP + "interval": "?"}),
        ("env.enableCheckpointing(INTERVAL);", {CP + "interval": "30000"}),
        ("env.enableCheckpointing(Job.INTERVAL);", {CP + "interval": "30000"}),
        ("tune(env);", {CP + "timeout": "1000"}),
    ],
)
def test_job_settings(body: str, expected: dict[str, str]) -> None:
    members = "static final long INTERVAL = 30 * 1000;\n"
    if "tune" in body:
        members += "static void tune(StreamExecutionEnvironment e) { e.getCheckpointConfig().setCheckpointTimeout(1000); }"
    assert settings(program(ENV + body, members), "job") == expected


def test_configurations_belong_to_the_environment_that_is_given_them() -> None:
    body = """
    Configuration conf = new Configuration();
    conf.setString("state.backend.type", "rocksdb");
    conf.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(10));
    conf.set(ExternalizedCheckpoints.UNHEARD_OF, 1);
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(conf);
    """
    out = program(body)
    assert settings(out, "job") == {"state.backend.type": "rocksdb", CP + "interval": "10000 ms"}
    assert [fact.open for fact in out.facts if isinstance(fact, Block)] == [True], "what the last one sets is not known"


@pytest.mark.parametrize(
    ("body", "hidden"),
    [
        (ENV, False),
        (ENV + "StreamTableEnvironment t = StreamTableEnvironment.create(env);", False),
        (ENV + "Checkpoints.configure(env);", True),
        ("StreamExecutionEnvironment env = Environments.create(args);\nenv.enableCheckpointing(1000);", True),
        ("StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(Conf.load());", True),
        ("StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());", False),
    ],
)
def test_settings_made_elsewhere_leave_a_block_open(body: str, hidden: bool) -> None:
    assert [fact.open for fact in program(body).facts if isinstance(fact, Block)] == [hidden]


def test_helpers_that_are_given_an_environment() -> None:
    out = reading(IMPORTS + "class Checkpoints { static void on(StreamExecutionEnvironment env) { env.enableCheckpointing(500); } }")
    assert settings(out, "job") == {CP + "interval": "500"}
    assert [fact.open for fact in out.facts if isinstance(fact, Block)] == [True]
    out = reading(
        IMPORTS + """class Shop { void run() { setup.tables().executeSql("INSERT INTO a SELECT * FROM b"); db.executeSql("DELETE"); } }"""
    )
    assert [fact.kind for fact in out.facts if isinstance(fact, Statement)] == ["insert"]


def test_a_local_environment_is_no_job() -> None:
    assert not blocks(program("StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();"))


def test_kafka_sources_and_sinks() -> None:
    body = """
    Properties p = new Properties();
    p.setProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
    p.put("isolation.level", "read_committed");
    KafkaSource<String> source = KafkaSource.<String>builder()
        .setBootstrapServers("a:9092," + "b:9092")
        .setTopics("orders", "returns")
        .setGroupId(GROUP)
        .setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST))
        .setProperties(p)
        .build();
    KafkaSinkBuilder<String> builder = KafkaSink.builder();
    builder.setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE);
    builder.setRecordSerializer(KafkaRecordSerializationSchema.builder().setTopic("out").build());
    KafkaSink<String> sink = builder.setTransactionalIdPrefix("orders").build();
    """
    out = program(ENV + body, 'private static final String GROUP = "shop";')
    assert settings(out, "source") == {
        "properties.bootstrap.servers": "a:9092,b:9092",
        "topic": "orders;returns",
        "properties.group.id": "shop",
        "scan.startup.mode": "group-offsets",
        "properties.auto.offset.reset": "latest",
        "properties.isolation.level": "read_committed",
    }
    assert settings(out, "sink") == {
        "sink.delivery-guarantee": "exactly-once",
        "sink.transactional-id-prefix": "orders",
        "topic": "out",
    }


@pytest.mark.parametrize(
    ("calls", "visibility", "topic"),
    [
        ('env.fromSource(source("clicks"), none(), "a");', "private ", "clicks"),
        ('env.fromSource(source("clicks"), none(), "a"); env.fromSource(source("views"), none(), "b");', "private ", "?"),
        ('env.fromSource(source("clicks"), none(), "a");', "", "?"),  # other classes may call it, too
    ],
)
def test_what_a_private_method_is_given_by_the_one_call_of_it(calls: str, visibility: str, topic: str) -> None:
    made = (
        f"{visibility}static KafkaSource<String> source(String topic) {{ return KafkaSource.<String>builder().setTopics(topic).build(); }}"
    )
    out = program(ENV + calls, made)
    assert settings(out, "source")["topic"] == topic


def test_the_consumer_and_producer_before_them() -> None:
    body = """
    FlinkKafkaConsumer<String> consumer = new FlinkKafkaConsumer<>("orders", new SimpleStringSchema(), properties());
    consumer.setStartFromLatest();
    FlinkKafkaProducer<String> producer = new FlinkKafkaProducer<>("out", schema, properties(), FlinkKafkaProducer.Semantic.EXACTLY_ONCE);
    """
    members = 'static Properties properties() { Properties p = new Properties(); p.put("group.id", "shop"); return p; }'
    imports = "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;"
    out = reading(f"{IMPORTS}{imports}\npublic class Job {{\n{members}\nvoid run() {{\n{body}\n}}\n}}\n")
    assert settings(out, "source") == {"topic": "orders", "properties.group.id": "shop", "scan.startup.mode": "latest-offset"}
    assert settings(out, "sink") == {"topic": "out", "sink.delivery-guarantee": "exactly-once", "properties.group.id": "shop"}


@pytest.mark.parametrize(
    ("built", "traits"),
    [
        ("MySqlSource.<String>builder().hostname(args[0])", {"connector": "mysql-cdc"}),
        ("MySqlSource.<String>builder().startupOptions(StartupOptions.snapshot())", {"connector": "mysql-cdc", "bounded": "true"}),
        ("PostgresSourceBuilder.PostgresIncrementalSource.<String>builder().slotName(args[0])", {"connector": "postgres-cdc"}),
    ],
)
def test_sources_of_flink_cdc(built: str, traits: dict[str, str]) -> None:
    out = program(f'{ENV}env.fromSource({built}.build(), WatermarkStrategy.noWatermarks(), "changes");')
    assert [dict(fact.traits) for fact in out.facts if isinstance(fact, Block) and fact.role == "source"] == [traits]


def test_kafka_clients_and_what_may_be_hidden() -> None:
    body = """
    Map<String, Object> conf = new HashMap<>();
    conf.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, "x");
    conf.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 10_000);
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(conf)) { consumer.poll(Duration.ofMillis(100)); }
    KafkaProducer<String, String> producer = new KafkaProducer<>(Map.of("acks", "0", "linger.ms", 5));
    Properties loaded = new Properties();
    loaded.load(new FileReader(args[0]));
    new KafkaProducer<String, String>(loaded);
    """
    out = program(body)
    assert settings(out, "consumer") == {"key.deserializer": "x", "session.timeout.ms": "10000"}
    assert settings(out, "producer") == {"acks": "0", "linger.ms": "5"}
    assert [(fact.role, fact.open) for fact in out.facts if isinstance(fact, Block)] == [
        ("consumer", False),
        ("producer", False),
        ("producer", True),
    ]


def test_options_that_a_class_of_settings_gives_to_clients_elsewhere() -> None:
    text = """import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
class Settings {
    Properties sent() {
        Properties p = new Properties();
        p.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, "x");
        p.put(ProducerConfig.ACKS_CONFIG, "1");
        return p;
    }
    Properties read() {
        Properties p = new Properties();
        p.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, "x");
        p.put(ConsumerConfig.GROUP_ID_CONFIG, args());
        return p;
    }
    Properties both() {
        Properties p = new Properties();
        p.put("key.serializer", "x");
        p.put("key.deserializer", "x");
        return p;
    }
    Properties streams() {
        Properties p = new Properties();
        p.put(StreamsConfig.APPLICATION_ID_CONFIG, "x");
        p.put("key.serializer", "x");
        return p;
    }
    Properties used() {
        Properties p = new Properties();
        p.put("key.serializer", "x");
        p.put("acks", "0");
        return p;
    }
    Object make() { return new KafkaAdmin(used()); }
    String args() { return "x"; }
}
"""
    out = reading(text)
    assert [(fact.role, fact.open) for fact in out.facts if isinstance(fact, Block)] == [("producer", True), ("consumer", True)]
    assert settings(out, "producer") == {"key.serializer": "x", "acks": "1"}


def test_what_is_put_into_a_map_after_its_use_is_for_others() -> None:
    body = """
    Properties p = new Properties();
    p.put("group.id", "a");
    new KafkaConsumer<String, String>(p);
    p.put("acks", "all");
    new KafkaProducer<String, String>(p);
    """
    out = program(body)
    assert (settings(out, "consumer"), settings(out, "producer")) == ({"group.id": "a"}, {"group.id": "a", "acks": "all"})


def test_clients_that_spring_makes() -> None:
    text = """import java.util.*;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.kafka.core.*;
class Config {
    Map<String, Object> conf() { Map<String, Object> conf = new HashMap<>(); conf.put(ProducerConfig.ACKS_CONFIG, "1"); return conf; }
    ProducerFactory<String, String> producers() { return new DefaultKafkaProducerFactory<>(conf()); }
}
"""
    assert settings(reading(text), "producer") == {"acks": "1"}


def test_sql_in_texts_of_several_lines_and_put_together() -> None:
    body = '''
    TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    t.executeSql("""
        CREATE TABLE orders (id STRING) WITH (
          'connector' = 'kafka',
          'scan.startup.mode' = 'latest-offset'
        )""");
    t.executeSql("CREATE TABLE out (id STRING) WITH ('connector' = '" + CONNECTOR + "', 'path' = '" + args[0] + "')");
    t.executeSql(String.format("INSERT INTO %s SELECT id FROM orders", "out"));
    '''
    members = 'static final String CONNECTOR = "filesystem";'
    out = program(body, members)
    found = {fact.key: fact for fact in out.facts if isinstance(fact, Setting)}
    mode = found["scan.startup.mode"]
    assert out.raw[mode.value_span.start : mode.value_span.end] == "latest-offset"
    assert [fact.text for fact in out.facts if isinstance(fact, Setting) and fact.key == "connector"] == ["kafka", "filesystem"]
    assert not found["path"].known
    assert [(fact.kind, fact.sources) for fact in out.facts if isinstance(fact, Statement)] == [("insert", ("orders",))]


def test_sql_that_methods_put_together() -> None:
    members = """
    static String orders(String topic) {
        return String.format("CREATE TABLE orders (id STRING) WITH ('connector' = 'kafka', 'topic' = '%s')", topic);
    }
    private static String print(String name) { return "CREATE TABLE " + name + " (id STRING) WITH ('connector' = 'print')"; }
    static String either(boolean one) { if (one) return "CREATE TABLE c (id STRING)"; return "CREATE TABLE d (id STRING)"; }
    static String again(String word) { return word + again(word) + again(word); }
    """
    body = """
    TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    t.executeSql(orders(args[0]));
    t.executeSql(print("out"));
    t.executeSql(either(args.length > 1));
    t.executeSql(again("INSERT"));
    t.executeSql("INSERT INTO out SELECT id FROM orders");
    """
    out = program(body, members)
    assert [fact.name for fact in out.facts if isinstance(fact, Block) and fact.role == "table"] == ["orders", "out"]
    assert [fact.text for fact in out.facts if isinstance(fact, Setting) and fact.key == "connector"] == ["kafka", "print"]
    assert not {fact.key: fact for fact in out.facts if isinstance(fact, Setting)}["topic"].known


def test_tables_are_sources_and_sinks_of_the_program() -> None:
    body = """
    StreamTableEnvironment t = StreamTableEnvironment.create(env);
    t.executeSql("CREATE TABLE a (id STRING) WITH ('connector' = 'kafka')");
    t.executeSql("CREATE TABLE b (id STRING) WITH ('connector' = 'kafka')");
    t.executeSql("CREATE TABLE c (id STRING) WITH ('connector' = 'kafka')");
    t.executeSql("INSERT INTO b SELECT id FROM a");
    t.from("a").executeInsert("c");
    """
    tables = [fact for fact in program(ENV + body).facts if isinstance(fact, Block) and fact.role == "table"]
    sides = {fact.name: [name for name in ("source", "sink") if fact.trait(name)] for fact in tables}
    assert sides == {"a": ["source"], "b": ["sink"], "c": ["sink"]}


def test_offsets_are_those_of_the_file_whatever_alphabet_comments_are_in() -> None:
    out = program("// 检查点 \U0001f680 настройка\n" + ENV + "env.enableCheckpointing(1234); // «ms»\n")
    (setting,) = [fact for fact in out.facts if isinstance(fact, Setting)]
    assert out.raw[setting.value_span.start : setting.value_span.end] == "1234"
    assert setting.comment == "«ms»"


def test_beam_reads_of_kafka() -> None:
    body = """
    Pipeline p = Pipeline.create(options);
    p.apply(KafkaIO.<String, String>read().withBootstrapServers("a:9092").withTopic("orders").commitOffsetsInFinalize());
    """
    out = reading(f"import org.apache.beam.sdk.io.kafka.KafkaIO;\nclass Job {{ void run() {{ {body} }} }}\n")
    assert blocks(out) == [("beam", "pipeline"), ("beam", "transform"), ("kafka", "consumer")]
    assert settings(out, "transform") == {"topics": "orders", "commit_offset_in_finalize": "true"}


def test_options_of_a_beam_pipeline() -> None:
    text = """import org.apache.beam.sdk.options.PipelineOptionsFactory;
class Job { void run(String[] args) {
    FlinkPipelineOptions options = PipelineOptionsFactory.%s.as(FlinkPipelineOptions.class);
    options.setRunner(FlinkRunner.class);
    options.setCheckpointingInterval(60 * 1000L);
    Pipeline p = Pipeline.create(options);
} }
"""
    for made, hidden in (("create()", False), ("fromArgs(args).withValidation()", True)):
        out = reading(text % made)
        assert settings(out, "pipeline") == {"runner": "FlinkRunner", "checkpointingInterval": "60000"}
        assert [fact.open for fact in out.facts if isinstance(fact, Block)] == [hidden]


def test_what_rules_about_whole_jobs_ask_of_operators() -> None:
    body = """
    env.fromSource(source, watermarks, "orders").map(text -> MAPPER.readValue(text, Order.class))
        .map(text -> { try { return MAPPER.readTree(text); } catch (IOException error) { return null; } });
    AsyncDataStream.unorderedWait(orders, new Lookup(), 5, TimeUnit.MINUTES, 100);
    """
    members = """static final ObjectMapper MAPPER = new ObjectMapper();
    static class Parse extends RichMapFunction<String, Order> { public Order map(String text) { return new Gson().fromJson(text, Order.class); } }
    static class Seen extends KeyedProcessFunction<String, Order, Order> { State s = state(new ValueStateDescriptor<>("s", Long.class)); }
    """
    out = program(ENV + body, members)
    found = sorted((fact.kind, fact.detail) for fact in out.facts if isinstance(fact, Usage) and fact.kind != "import")
    assert found == [
        ("async-capacity", "100"),
        ("async-timeout", "300000"),
        ("flink-class", "org.apache.flink.api.common.restartstrategy.RestartStrategies"),
        ("keyed-state", "ValueStateDescriptor"),
        ("no-uid", "fromSource"),
        ("unguarded-parse", "flink:fromJson"),
        ("unguarded-parse", "flink:readValue"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "import org.apache.flink.*;\nclass Job { void run( { ((( } env.enableCheckpointing(1);",
        "import org.apache.flink.*;\n" + "(" * 20_000,
        "import org.apache.flink.*;\nclass A { int a = " + "1+" * 20_000 + "1; }",
        "import org.apache.flink.*;\nclass A { void f() { a" + ".b()" * 5_000 + "; } }",
        'import org.apache.flink.*;\nclass A { String s = "',
        "import org.apache.flink.*;\nclass A { void f(StreamExecutionEnvironment e) { e.enableCheckpointing(Duration.ofSeconds(1e400).toMillis()); } }",
        'import org.apache.flink.*;\nclass A { void f(StreamExecutionEnvironment e) { e.enableCheckpointing(Duration.of("x", ChronoUnit.DAYS).toMillis()); } }',
        "import org.apache.flink.*;\nclass A { int a = a; String s = t; String t = s; void f() { env.enableCheckpointing(a); g(s); } }",
    ],
)
def test_no_text_ends_the_reader(text: str) -> None:
    reading(text)


def test_what_does_not_parse_is_said_to_be_passed_over() -> None:
    broken = "import org.apache.flink.api.common.JobID;\nclass A {\n    void f() {\n<<<<<<< HEAD\n        g();\n    }\n}\n"
    assert [(item.reason, item.detail[:8]) for item in reading(broken).left_out] == [("partly-read", "line 4: ")]
    assert [item.detail[:8] for item in reading(broken.replace("<<<<<<< HEAD", "").rpartition("}")[0]).left_out] == ["line 6: "]
    assert reading(broken.replace("<<<<<<< HEAD", "")).left_out == []


def test_what_is_no_streaming_code_yields_nothing() -> None:
    assert not reading('class A { String s = "apache"; }').facts
    assert not reading("package org.apache.flink.runtime;\nimport org.apache.flink.api.common.JobID;\nclass A { }").facts
    assert reading("package org.apache.flink.examples.orders;\nimport org.apache.flink.api.common.JobID;\nclass A { }").facts


def audit(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, str, int]]:
    main(["audit", "--no-cache", "-q", "--format", "json", *arguments, str(folder)])
    found = json.loads(capsys.readouterr().out)["findings"]
    return [(item["rule"], item["places"][0]["path"].rpartition("/")[2], item["places"][0]["start"]["line"]) for item in found]


SOURCES = """package com.acme.sources;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
public class Sources {
    public static KafkaSource<String> orders() {
        return KafkaSource.<String>builder()
            .setStartingOffsets(OffsetsInitializer.latest())
            .setBootstrapServers("a:9092").setTopics("orders").setGroupId("shop").build();
    }
}
"""
MAIN = """package com.acme;
import com.acme.sources.Sources;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Main {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Sources.orders(), null, "orders").print();
        env.execute();
    }
}
"""


def test_a_class_of_the_project_is_part_of_the_job_that_imports_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "src" / "main" / "java" / "com" / "acme"
    (code / "sources").mkdir(parents=True)
    (code / "sources" / "Sources.java").write_text(SOURCES)
    (code / "Main.java").write_text(MAIN)
    (tmp_path / "pom.xml").write_text("<project></project>\n")
    conf = tmp_path / "flink-conf.yaml"
    conf.write_text("parallelism.default: 2\n")
    rule = ("--select", "latest-offset-without-checkpointing")
    assert audit(tmp_path, capsys, *rule) == [("latest-offset-without-checkpointing", "Sources.java", 7)]
    conf.write_text("execution.checkpointing.interval: 1 min\n")
    assert audit(tmp_path, capsys, *rule) == []


DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: %s}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  flinkConfiguration:
%s  jobManager: {resource: {memory: 2048m}}
  taskManager: {resource: {memory: 2048m}}
  job: {jarURI: local:///opt/app.jar, entryClass: com.acme.%s, upgradeMode: stateless}
"""


def test_a_resource_names_the_class_that_it_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "src" / "main" / "java" / "com" / "acme"
    code.mkdir(parents=True)
    (tmp_path / "pom.xml").write_text("<project></project>\n")
    for name, setting in (("Orders", "      execution.checkpointing.interval: 1 min\n"), ("Returns", '      parallelism.default: "2"\n')):
        (code / f"{name}.java").write_text(MAIN.replace("Main", name).replace("Sources.orders()", "source"))
        (tmp_path / f"{name.lower()}.yaml").write_text(DEPLOYMENT % (name.lower(), setting, name))
    assert main(["jobs", "--format", "json", "."]) == 0
    found = {
        job["name"]: [file["path"] for file in job["files"]] for job in json.loads(capsys.readouterr().out)["jobs"] if job["kind"] == "job"
    }
    folder = "src/main/java/com/acme"
    assert found == {
        f"{folder}/Orders.java": [f"{folder}/Orders.java", "orders.yaml"],
        f"{folder}/Returns.java": [f"{folder}/Returns.java", "returns.yaml"],
    }


def test_a_comment_silences_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    job = MAIN.replace("env.execute", "env.getCheckpointConfig().setCheckpointTimeout(500);\n        env.execute")
    (tmp_path / "Main.java").write_text(job)
    assert audit(tmp_path, capsys, "--select", "checkpoint-timeout-too-short") == [("checkpoint-timeout-too-short", "Main.java", 8)]
    (tmp_path / "Main.java").write_text(job.replace("(500);", "(500); // shoal: ignore[checkpoint-timeout-too-short] a demo"))
    main(["audit", "--no-cache", "-q", "--format", "json", "--select", "checkpoint-timeout-too-short", str(tmp_path)])
    assert [item["status"] for item in json.loads(capsys.readouterr().out)["findings"]] == ["suppressed"]


def test_fixes_overwrite_literals_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body = """
    p.put("acks", "All");
    p.put("compression.type", CODE);
    p.put(LINGER_MSS, 5);
    p.put("batch.sizes", 5);
    new KafkaProducer<String, String>(p);
    """
    members = 'static final String CODE = "GZIP", LINGER_MSS = "linger.mss";\n'
    text = f"{IMPORTS}class Job {{\n{members}void run() {{\nProperties p = new Properties();\n{body}}}\n}}\n"
    (tmp_path / "Job.java").write_text(text)
    main(["check", "--fix", "--unsafe-fixes", "."])
    assert (tmp_path / "Job.java").read_text() == text.replace('"All"', '"all"').replace('"batch.sizes"', '"batch.size"')


def test_what_is_set_on_a_local_environment_alone_is_no_setting_of_the_job() -> None:
    """An environment that is asked what it is, by itself or through a method of the file."""
    helper = "static boolean local(StreamExecutionEnvironment env) { return env instanceof LocalStreamEnvironment; }"
    inside = "{ env.setRestartStrategy(RestartStrategies.noRestart()); }"
    for condition in ("env instanceof LocalStreamEnvironment", "local(env)"):
        assert settings(program(f"{ENV}if ({condition}) {inside}", helper)) == {}
    for condition in ("!(env instanceof LocalStreamEnvironment)", "args.length > 0"):
        assert settings(program(f"{ENV}if ({condition}) {inside}", helper)) == {"restart-strategy.type": "none (branch)"}


def test_what_older_producers_are_given() -> None:
    for version in ("011", "010", "09", "08"):
        body = f'Properties p = new Properties(); p.put("acks", "1"); new FlinkKafkaProducer{version}<>("t", new SimpleStringSchema(), p);'
        assert settings(program(body))["properties.acks"] == "1"


def test_rules_are_asked_whichever_way_java_writes_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules name the words that a file must hold as configs and Python write them."""
    body = f"{ENV}env.enableCheckpointing(500); env.setRestartStrategy(RestartStrategies.fixedDelayRestart(-1, 1000));"
    (tmp_path / "Job.java").write_text(
        f"{IMPORTS}public class Job {{ public static void main(String[] args) {{ {body} }} }}", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    main(["check", "--no-cache", "--format", "json", "."])
    found = {finding["rule"] for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert {"checkpoint-interval-too-small", "negative-restart-attempts"} <= found


def test_the_same_text_gives_the_same_facts_in_the_same_order() -> None:
    """The parser's captures come in another order each time, which must not be seen."""
    text = (Path(__file__).parents[2] / "examples/incidents/i1-nothing-consumed/java/EnrichJob.java").read_text()
    first = reading(text).facts
    assert len(first) > 10
    assert all(reading(text).facts == first for _ in range(20))


def test_field_of_the_name_of_a_parameter_does_not_hide_it() -> None:
    out = reading(
        IMPORTS + 'class Job {\nprivate String topic;\nvoid start() { read("orders"); }\n'
        "private KafkaSource<String> read(String topic) {\nthis.topic = topic;\nreturn KafkaSource.builder().setTopics(topic).build();\n}\n}\n"
    )
    assert ("topic", "orders") in {(fact.key, fact.value) for fact in out.facts if isinstance(fact, Setting)}


def test_rows_of_a_jdbc_sink_that_no_interval_writes() -> None:
    built = "JdbcExecutionOptions.builder()"
    ways = (
        "",
        ".withBatchSize(9)",
        ".withBatchSize(9).withBatchIntervalMs(0)",
        ".withBatchSize(9).withBatchIntervalMs(1)",
        ".withBatchSize(n)",
    )
    out = program("".join(f"var o{number} = {built}{way}.build();\n" for number, way in enumerate(ways)))
    assert [fact.detail for fact in out.facts if isinstance(fact, Usage) and fact.kind == "rows-waiting"] == ["5000", "9", "9"]


def test_class_without_facts_leads_to_the_classes_it_names() -> None:
    out = reading("package com.acme.jobs;\nimport org.apache.flink.streaming.api.datastream.DataStream;\nclass Steps { Parser parser; }\n")
    assert any(isinstance(fact, Usage) and fact.kind == "import" and "Parser" in fact.detail for fact in out.facts)


@pytest.mark.parametrize(
    ("body", "members", "handed"),
    [
        (ENV + "new Steps().build(env);", "", "yes"),
        ("", "void build(StreamExecutionEnvironment env) { env.setParallelism(2); }", "yes"),
        (ENV + "env.execute();", "", ""),
    ],
)
def test_environment_that_is_handed_to_another_class_or_comes_from_one(body: str, members: str, handed: str) -> None:
    (job,) = (fact for fact in program(body, members).facts if isinstance(fact, Block) and fact.role == "job")
    assert job.trait("handed-on") == handed


@pytest.mark.parametrize(
    ("body", "members", "given"),
    [
        (ENV + "new Steps().build(env);", "", ["Steps"]),
        (ENV + "new Steps(env).build();", "", ["Steps"]),
        (ENV + "Steps steps = new Steps();\nsteps.build(env);", "", ["Steps"]),
        (ENV + "Steps.build(env);", "", ["Steps"]),
        (ENV + "Step step = Steps.named(args[0]);\nstep.build(env);", "", [""]),
        (ENV + "build(env);", "static void build(StreamExecutionEnvironment env) { }", []),
        (ENV + "StreamTableEnvironment.create(env);", "", []),
        ("", "void build(StreamExecutionEnvironment env) { Defaults.apply(env); }", ["Defaults"]),
    ],
)
def test_class_that_an_environment_is_given_to(body: str, members: str, given: list[str]) -> None:
    found = [fact.detail for fact in program(body, members).facts if isinstance(fact, Usage) and fact.kind == "gives-environment"]
    assert found == given


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('new HadoopCatalog(conf, "s3a://lake/x");', [("s3a", "")]),
        ('String path = System.getenv().getOrDefault("PATH", "gs://lake");\nnew HadoopCatalog(conf, path);', [("gs", "configured")]),
        ('conf.set("fs.s3a.endpoint", e);\nnew HadoopCatalog(conf, args[0]);', [("s3a", "configured")]),
        ('CatalogLoader.hadoop("lake", conf, Map.of("warehouse", "oss://lake"));', [("oss", "")]),
        ('TableLoader.fromHadoopTable("s3://lake/shop/orders", conf);', [("s3", "")]),
        ('new HadoopCatalog(conf, "hdfs://lake/x");', []),
        ('new HadoopCatalog(conf, "s3a://lake/x");\noptions.put("lock-impl", "x");', []),
    ],
)
def test_hadoop_catalogs(body: str, expected: list[tuple[str, str]]) -> None:
    found = [(fact.subject, fact.detail) for fact in program(body).facts if isinstance(fact, Oddity)]
    assert found == expected


@pytest.mark.parametrize(("key", "found"), [('"all"', True), ("0", True), ("KEY", True), ("x % 4", False), ("x", False)])
def test_constant_keys(key: str, found: bool) -> None:
    out = program(f"{ENV}env.fromElements(1, 2).keyBy(x -> {key}).print();\nenv.execute();", 'static final String KEY = "all";')
    assert [fact.kind for fact in out.facts if isinstance(fact, Oddity)] == ["constant-key"] * found


def test_exits_of_main_and_of_operators() -> None:
    found = program(f"{ENV} check(); Runnable later = () -> System.exit(3);", "static void check() { System.exit(1); Other.exit(2); }")
    assert [(fact.kind, fact.subject) for fact in found.facts if isinstance(fact, Oddity)] == [("main-ends-process", "main")]
    found = program("StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(); env.execute(); System.exit(0);")
    assert not [fact for fact in found.facts if isinstance(fact, Oddity)]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('Settings.getIntProperty("restart.attempts", 3)', "3"),
        ('settings.getInt("restart.attempts", 3)', "3"),
        ('Integer.parseInt(getEnv("ATTEMPTS", "3"))', "3"),
        ('map.getOrDefault("attempts", 3)', None),
        ("Settings.getIntProperty(key, 3)", None),
        ('Settings.getIntProperty("restart.attempts", other)', None),
    ],
)
def test_defaults_of_the_projects_own_readers_of_properties(written: str, value: str | None) -> None:
    found = program(
        f"{ENV} Map<String, Integer> map = maps(); env.setRestartStrategy(RestartStrategies.fixedDelayRestart({written}, 1000));",
        "static String getEnv(String key, String other) { return Env.of(key, other); }",
    )
    setting = next(fact for fact in found.facts if isinstance(fact, Setting) and fact.key.endswith("attempts"))
    assert (setting.value if setting.known else None, setting.sure) == (value, "default" if value else "sure")


def test_deserializers_that_a_factory_of_springs_is_given() -> None:
    code = (
        "import org.springframework.kafka.core.DefaultKafkaConsumerFactory;\nimport org.springframework.kafka.support.serializer.*;\n"
        "import org.springframework.kafka.support.serializer.JsonDeserializer;\nimport org.apache.kafka.common.serialization.StringDeserializer;\n"
        "class Orders {\n  Object make(java.util.Map<String, Object> options) {\n"
        "    JsonDeserializer<String> values = new JsonDeserializer<>();\n"
        "    return new DefaultKafkaConsumerFactory<>(options, new StringDeserializer(), values);\n  }\n}\n"
    )
    out = read(Source("Orders.java", "java", code.encode()))[0]
    given = [(fact.subject, fact.detail) for fact in out.facts if isinstance(fact, Oddity) and fact.kind == "deserializer-given"]
    assert given == [
        ("key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer"),
        ("value.deserializer", "org.springframework.kafka.support.serializer.JsonDeserializer"),
    ]
    handled = code.replace("values);", "new ErrorHandlingDeserializer<>(values));")
    out = read(Source("Orders.java", "java", handled.encode()))[0]
    assert [fact.detail for fact in out.facts if isinstance(fact, Usage) and fact.kind == "decoding-failures-handled"] == [
        "ErrorHandlingDeserializer"
    ]


@pytest.mark.parametrize(
    ("body", "members", "written"),
    [
        ("env.enableCheckpointing(EVERY);", "static final long EVERY = 60_000L;", "60_000L"),
        ("final long often = 500; final long every = often; env.enableCheckpointing(every);", "", "500"),
        ('String at = "s3://a"; env.getCheckpointConfig().setCheckpointStorage(at);', "", "s3://a"),
        ("env.enableCheckpointing(60_000L);", "", None),
        ("long every = 500; every = 900; env.enableCheckpointing(every);", "", None),
        ("final long every = 60 *\n 1000; env.enableCheckpointing(every);", "", None),
    ],
)
def test_where_a_name_is_given_its_value(body: str, members: str, written: str | None) -> None:
    out = program(ENV + body, members)
    text = f"{IMPORTS}public class Job {{\n{members}\npublic static void main(String[] args) throws Exception {{\n{ENV + body}\n}}\n}}\n"
    origins = {fact.origin for fact in out.facts if isinstance(fact, Setting) and fact.key in (CP + "interval", CP + "dir")}
    assert [origin and text[origin.span.start : origin.span.end] for origin in origins] == [written]
