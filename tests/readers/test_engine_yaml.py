"""Spark, Databricks, Kafka, the old SQL client and maps in YAML of any kind: what is read out of them."""

from __future__ import annotations

from typing import TypeVar

import pytest

from shoal.facts import Block, Dependency, Entry, Mount, Oddity, Setting, Statement, Usage
from shoal.model import Source
from shoal.readers import Reading, read
from shoal.values.containers import is_quantity

F = TypeVar("F", Block, Dependency, Entry, Mount, Oddity, Setting, Statement, Usage)


def reading(text: str, path: str = "some.yaml") -> Reading:
    return read(Source(path, "yaml", text.encode()))[0]


def all_of(out: Reading, kind: type[F]) -> list[F]:
    return [fact for fact in out.facts if isinstance(fact, kind)]


def values(out: Reading, block: int | None = None) -> dict[str, str]:
    return {fact.key: fact.text for fact in all_of(out, Setting) if block is None or fact.block.endswith(f"#{block}")}


def engines(out: Reading) -> list[tuple[str, str, str]]:
    return [(block.engine, block.role, block.form) for block in all_of(out, Block)]


KUBEFLOW = """\
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: orders}
spec:
  type: Python
  image: apache/spark:3.5.1
  mainApplicationFile: local:///opt/app/job.py
  arguments: ["--day", "1"]
  sparkVersion: "3.5.1"
  sparkConf:
    spark.sql.streaming.stopTimeout: "60s"
    spark.jars.packages: org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.0
  hadoopConf: {fs.s3a.endpoint: s3.local}
  restartPolicy: {type: OnFailure, onFailureRetries: 3}
  volumes:
    - {name: cp, persistentVolumeClaim: {claimName: claim}}
  driver:
    volumeMounts: [{name: cp, mountPath: /cp}]
    env:
      - {name: TOPIC, value: orders}
      - {name: PASSWORD, valueFrom: {secretKeyRef: {name: kafka, key: password}}}
"""


def test_spark_application() -> None:
    out = reading(KUBEFLOW)
    block = all_of(out, Block)[0]
    assert engines(out)[0] == ("spark", "application", "manifest")
    assert (block.name, block.trait("operator"), block.trait("type")) == ("orders", "kubeflow", "Python")
    found = values(out, 0)
    assert found["spark.sql.streaming.stopTimeout"] == "60s"
    assert found["spark.hadoop.fs.s3a.endpoint"] == "s3.local"
    assert found["spec.restartPolicy.type"] == "OnFailure"
    assert {key: value for key, value in found.items() if key.startswith("spec.driver.env")} == {"spec.driver.env.TOPIC": "orders"}
    dependencies = [fact[:3] for fact in all_of(out, Dependency)]
    assert ("field", "spark", "3.5.1") in dependencies
    assert ("maven", "org.apache.spark:spark-sql-kafka-0-10_2.12", "3.5.0") in dependencies
    assert [fact[:3] for fact in all_of(out, Entry)] == [("python", "local:///opt/app/job.py", ("--day", "1"))]
    assert [fact[:3] for fact in all_of(out, Mount)] == [("/cp", "pvc", "claim")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: ScheduledSparkApplication\nmetadata: {name: s}\n"
            "spec:\n  schedule: '@hourly'\n  template:\n    restartPolicy: {type: Never}\n    sparkConf: {spark.a.b: c}\n",
            {"spark.a.b": "c", "spec.restartPolicy.type": "Never", "spec.schedule": "@hourly"},
        ),
        (
            "apiVersion: spark.apache.org/v1\nkind: SparkApplication\nmetadata: {name: s}\nspec:\n  runtimeVersions: {sparkVersion: 4.0.0}\n  sparkConf: {spark.a.b: c}\n",
            {"spark.a.b": "c", "spec.runtimeVersions.sparkVersion": "4.0.0"},
        ),
        (
            "apiVersion: spark.stackable.tech/v1alpha1\nkind: SparkApplication\nmetadata: {name: s}\nspec:\n  sparkImage: {productVersion: 3.5.2}\n  sparkConf: {spark.a.b: c}\n",
            {"spark.a.b": "c", "spec.sparkImage.productVersion": "3.5.2"},
        ),
    ],
)
def test_the_other_spark_resources(text: str, expected: dict[str, str]) -> None:
    out = reading(text)
    assert values(out) == expected
    assert all_of(out, Block)[0].name == "s"


def test_what_a_template_of_the_apache_operator_mounts() -> None:
    out = reading(
        "apiVersion: spark.apache.org/v1\nkind: SparkApplication\nmetadata: {name: s}\nspec:\n  driverSpec:\n    podTemplateSpec:\n      spec:\n"
        "        containers: [{name: driver, volumeMounts: [{name: cp, mountPath: /cp}]}]\n"
        "        volumes: [{name: cp, persistentVolumeClaim: {claimName: claim}}]\n"
    )
    assert [fact[:3] for fact in all_of(out, Mount)] == [("/cp", "pvc", "claim")]


BUNDLE = """\
bundle: {name: b}
resources:
  jobs:
    orders:
      max_concurrent_runs: 2
      continuous: {pause_status: UNPAUSED}
      job_clusters:
        - job_cluster_key: main
          new_cluster:
            spark_version: 15.4.x-scala2.12
            spark_conf:
              spark.sql.shuffle.partitions: "8"
      tasks:
        - task_key: stream
          max_retries: 3
          spark_python_task: {python_file: ../src/job.py, parameters: ["a"]}
          libraries:
            - maven: {coordinates: "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.0"}
  pipelines:
    dlt: {continuous: true}
targets:
  prod:
    resources:
      jobs:
        orders: {max_concurrent_runs: 1}
"""


def test_databricks_bundle() -> None:
    out = reading(BUNDLE, "databricks.yml")
    blocks = all_of(out, Block)
    assert [(block.name, block.trait("kind"), block.trait("target"), block.open) for block in blocks] == [
        ("orders", "job", "", False),
        ("dlt", "pipeline", "", False),
        ("orders", "job", "prod", True),
    ]
    found = values(out, 0)
    assert found["spark.sql.shuffle.partitions"] == "8"
    assert found["job.continuous.pause_status"] == "UNPAUSED"
    assert found["job.tasks.0.max_retries"] == "3"
    assert values(out, 1) == {"pipeline.continuous": "true"}
    assert values(out, 2) == {"job.max_concurrent_runs": "1"}
    assert ("python", "../src/job.py", ("a",)) in [fact[:3] for fact in all_of(out, Entry)]
    dependencies = {fact[:3] for fact in all_of(out, Dependency)}
    assert ("field", "databricks-runtime", "15.4") in dependencies
    assert ("maven", "org.apache.spark:spark-sql-kafka-0-10_2.12", "3.5.0") in dependencies


@pytest.mark.parametrize(
    ("text", "engine", "expected"),
    [
        (
            "tasks:\n  - conf:\n      spark.sql.adaptive.enabled: true\n",
            ("spark", "application", "yaml"),
            {"spark.sql.adaptive.enabled": "true"},
        ),
        (
            "producer:\n  config:\n    bootstrap.servers: a:9092\n    acks: 1\n",
            ("kafka", "producer", "yaml"),
            {"bootstrap.servers": "a:9092", "acks": "1"},
        ),
        ("x:\n  bootstrap.servers: a\n  group.id: g\n", ("kafka", "consumer", "yaml"), {"bootstrap.servers": "a", "group.id": "g"}),
        ("x:\n  bootstrap.servers: a\n", ("kafka", "client", "yaml"), {"bootstrap.servers": "a"}),
        (
            "job:\n  settings:\n    execution.checkpointing.interval: 1 min\n",
            ("flink", "cluster", "yaml"),
            {"execution.checkpointing.interval": "1 min"},
        ),
        (
            "flink:\n  config: |\n    rest.port: 1\n    state.backend: x\n    state.savepoints.dir: s3://y\n",
            ("flink", "cluster", "yaml"),
            {"rest.port": "1", "state.backend": "x", "state.savepoints.dir": "s3://y"},
        ),
        (
            "steps:\n  - manifest: |\n      apiVersion: flink.apache.org/v1beta1\n      kind: FlinkDeployment\n      metadata: {name: a}\n      spec: {flinkConfiguration: {a.b: c}}\n",
            ("flink", "deployment", "manifest"),
            {"a.b": "c"},
        ),
        (
            "helm:\n  values: |\n    flink:\n      flinkConfiguration:\n        rest.port: 1\n",
            ("flink", "cluster", "values"),
            {"rest.port": "1"},
        ),
        ("spark.sql.x.y: 1\nother: 2\n", ("spark", "application", "yaml"), {"spark.sql.x.y": "1", "other": "2"}),
        ("sparkConf:\n  spark:\n    sql: {a.b: c}\n", ("spark", "application", "yaml"), {"spark.sql.a.b": "c"}),
        ("env:\n  - name: FLINK_PROPERTIES\n    value: |\n      state.backend: x\n", ("flink", "cluster", "yaml"), {"state.backend": "x"}),
        ("x-env:\n  - |\n    FLINK_PROPERTIES=\n    state.backend: x\n", ("flink", "cluster", "yaml"), {"state.backend": "x"}),
        (
            "cluster:\n  configuration:\n    state: {backend: x}\n    rest: {port: 1}\n",
            ("flink", "cluster", "yaml"),
            {"state.backend": "x", "rest.port": "1"},
        ),
        (
            "spring:\n  kafka:\n    bootstrap-servers: a\n    consumer:\n      group-id: g\n      properties: {session.timeout.ms: 6000}\n",
            ("kafka", "consumer", "yaml"),
            {"bootstrap.servers": "a", "group.id": "g", "session.timeout.ms": "6000"},
        ),
        ("flinkConfiguration:\n  state: {backend: x}\n", ("flink", "cluster", "yaml"), {"state.backend": "x"}),
        (
            "kafka:\n  servers: a\n  events_producer: {acks: 1, linger.ms: 5, message.timeout.ms: 6}\n",
            ("kafka", "producer", "yaml"),
            {"acks": "1", "linger.ms": "5", "message.timeout.ms": "6"},
        ),
    ],
)
def test_maps_under_any_name(text: str, engine: tuple[str, str, str], expected: dict[str, str]) -> None:
    out = reading(text)
    assert engines(out) == [engine]
    assert all_of(out, Block)[0].open
    assert values(out) == expected


def test_properties_of_the_spark_operator_are_no_applications() -> None:
    out = reading("operatorConfiguration:\n  dynamicConfig:\n    data:\n      spark.kubernetes.operator.reconciler.intervalSeconds: '60'\n")
    assert engines(out) == []


def test_what_strimzi_makes_of_users_and_topics() -> None:
    out = reading(
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata: {name: orders, namespace: kafka, labels: {strimzi.io/cluster: shop}}\n"
        "spec: {partitions: 3, config: {retention.bytes: 1000}}\n"
        "---\napiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: shop}\nspec:\n"
        "  kafka: {listeners: [{name: plain, port: 9092}], authorization: {type: simple, superUsers: [ANONYMOUS]}}\n"
        "  zookeeper: {storage: {deleteClaim: true}}\n"
    )
    topic, cluster = (fact for fact in out.facts if isinstance(fact, Block))
    assert (topic.engine, topic.role, topic.name, topic.trait("cluster")) == ("kubernetes", "kafkatopic", "orders", "shop")
    assert topic.trait("namespace") == "kafka"
    assert [(usage.kind, usage.detail, usage.block) for usage in all_of(out, Usage)] == [("cluster-label", "shop", topic.id)]
    assert cluster.trait("anonymous") == "trusted"
    found = values(out)
    assert found["spec.config.retention.bytes"] == "1000"
    assert found["spec.kafka.listeners.0.name"] == "plain"
    assert found["spec.zookeeper.storage.deleteClaim"] == "true"


def test_strimzi_resources() -> None:
    broker = reading(
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: k}\nspec:\n  kafka:\n    version: 3.5.2\n    replicas: 3\n"
        "    config: {transaction.max.timeout.ms: 900000}\n"
    )
    assert engines(broker) == [("kafka", "broker", "manifest")]
    assert values(broker) == {"transaction.max.timeout.ms": "900000", "spec.kafka.version": "3.5.2", "spec.kafka.replicas": "3"}
    connector = reading(
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaConnector\nmetadata: {name: k}\nspec:\n  class: a.B\n  config: {errors.tolerance: all}\n"
    )
    assert engines(connector) == [("kafka-connect", "connector", "manifest")]
    assert values(connector) == {"errors.tolerance": "all", "connector.class": "a.B", "spec.class": "a.B"}


def test_a_template_behind_a_key_with_entries_below_it() -> None:
    text = """apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: k}
spec:
  kafka:
    config: {{ if .Values.more }} {{ toYaml .Values.more | nindent 6 }} {{ end }}
      min.insync.replicas: 2
    resources: {{ if .Values.limited }}
      limits:
        cpu: "1"
    {{ else }} {} {{ end }}
    jvmOptions:
      {{ if .Values.heap }}
      "-Xmx": 1g
      {{ else }}
        {}
      {{ end }}
  zookeeper: {{ .Values.zookeeper }}
"""
    out = reading(text)
    (block,) = all_of(out, Block)
    assert (values(out)["min.insync.replicas"], block.open, out.left_out) == ("2", True, [])


def test_resources_of_confluents_operator() -> None:
    head = "apiVersion: platform.confluent.io/v1beta1\n"
    broker = reading(
        head + "kind: Kafka\nmetadata: {name: k}\nspec:\n  image: {application: 'confluentinc/cp-server:7.9.0'}\n"
        '  configOverrides: {server: [num.partitions=3, "a.b=c=d", "{{ x }}"], jvm: [-Xmx1g]}\n'
    )
    assert engines(broker) == [("kafka", "broker", "manifest")]
    assert values(broker) == {"num.partitions": "3", "a.b": "c=d"}
    assert [dependency.version for dependency in all_of(broker, Dependency)] == ["7.9.0"]
    worker = reading(head + "kind: Connect\nmetadata: {name: c}\nspec: {configOverrides: {server: [offset.flush.interval.ms=1]}}\n")
    assert (engines(worker), all_of(worker, Block)[0].open) == ([("kafka-connect", "worker", "manifest")], True)
    connector = reading(head + "kind: Connector\nmetadata: {name: n}\nspec: {class: a.B, taskMax: 2, configs: {errors.tolerance: all}}\n")
    assert (engines(connector), all_of(connector, Block)[0].open) == ([("kafka-connect", "connector", "manifest")], False)
    assert values(connector) == {"errors.tolerance": "all", "connector.class": "a.B", "tasks.max": "2"}
    assert engines(reading(head + "kind: SchemaRegistry\nmetadata: {name: s}\nspec: {replicas: 1}\n")) == []


def test_what_strimzi_mounts_for_connectors() -> None:
    out = reading(
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaConnect\nmetadata: {name: k}\nspec:\n"
        "  externalConfiguration: {volumes: [{name: db, secret: {secretName: s}}, {name: conf, configMap: {name: c}}]}\n"
        "  template:\n    pod: {volumes: [{name: stock, secret: {secretName: t}}]}\n"
        "    connectContainer: {volumeMounts: [{name: stock, mountPath: /mnt/stock}]}\n"
    )
    assert [(mount.path, mount.kind, mount.name) for mount in all_of(out, Mount)] == [
        ("/opt/kafka/external-configuration/db", "secret", "db"),
        ("/opt/kafka/external-configuration/conf", "configMap", "conf"),
        ("/mnt/stock", "secret", "t"),
    ]


LEGACY = """\
tables:
  - name: Rides
    type: source
    connector:
      type: kafka
      properties:
        - key: bootstrap.servers
          value: kafka:9092
execution:
  planner: blink   # old
  parallelism: 1
configuration:
  execution.checkpointing.interval: 1s
"""


def test_sql_client_environment() -> None:
    out = reading(LEGACY, "sql-client-conf.yaml")
    session, table = all_of(out, Block)
    assert (session.role, session.trait("legacy-environment")) == ("session", "true")
    assert values(out, 0) == {"execution.planner": "blink", "execution.parallelism": "1", "execution.checkpointing.interval": "1s"}
    assert (table.role, table.name, table.parent) == ("table", "Rides", session.id)
    assert values(out, 1)["properties.bootstrap.servers"] == "kafka:9092"


@pytest.mark.parametrize(
    "text",
    [
        "ddl: [\"CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 'x')\"]\n",
        "steps:\n  - run: |\n      CREATE TABLE t (a INT) WITH (\n        'connector' = 'kafka', 'topic' = 'x'\n      );\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  job.sql: |\n    CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 'x');\n",
    ],
)
def test_sql_inside_yaml(text: str) -> None:
    out = reading(text)
    assert values(out)["connector"] == "kafka"
    for setting in all_of(out, Setting):
        assert out.raw[setting.value_span.start : setting.value_span.end] == setting.value


def test_sql_of_other_engines_is_left_alone() -> None:
    assert (
        reading(
            "tasks:\n  - type: postgres\n    sql: |\n      CREATE TABLE t (a INT);\n      INSERT INTO t SELECT a, count(*) FROM b GROUP BY a;\n"
        ).facts
        == []
    )


def test_patches_of_a_kustomization() -> None:
    text = (
        "patches:\n  - target: {kind: FlinkDeployment}\n    patch: |-\n      - op: replace\n        path: /spec/flinkConfiguration/state.backend\n        value: rocksdb\n"
        "  - patch: |-\n      apiVersion: flink.apache.org/v1beta1\n      kind: FlinkDeployment\n      metadata: {name: d}\n      spec:\n        job: {upgradeMode: stateless}\n"
    )
    out = reading(text, "kustomization.yaml")
    assert [(block.trait("kind"), block.open) for block in all_of(out, Block)] == [("patch", True), ("FlinkDeployment", True)]
    assert values(out) == {"state.backend": "rocksdb", "spec.job.upgradeMode": "stateless"}
    for setting in all_of(out, Setting):
        assert out.raw[setting.value_span.start : setting.value_span.end] == setting.value


def test_workloads_that_run_flink() -> None:
    text = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-jobmanager}
spec:
  replicas: 1
  template:
    spec:
      containers:
        - name: main
          image: flink:1.18
          args: ["jobmanager"]
          env:
            - name: FLINK_PROPERTIES
              value: |-
                state.backend: rocksdb
          volumeMounts: [{name: v, mountPath: /data}]
      volumes: [{name: v, hostPath: {path: /tmp/x}}]
"""
    out = reading(text)
    block = all_of(out, Block)[0]
    assert (block.engine, block.role, block.name, block.trait("role")) == ("flink", "cluster", "flink-jobmanager", "jobmanager")
    assert values(out, 0) == {"state.backend": "rocksdb"}
    assert [fact[:3] for fact in all_of(out, Mount)] == [("/data", "hostPath", "/tmp/x")]
    assert reading(text.replace("flink", "shop").replace("FLINK", "SHOP").replace("jobmanager", "web")).facts == []


def test_a_client_container_is_no_cluster() -> None:
    text = "services:\n  submit:\n    image: ${IMAGE:-flink:1.18}\n    command: flink run -Drest.port=1 /x.jar\n  jobmanager:\n    image: flink:1.18\n    entrypoint: /start.sh\n"
    out = reading(text, "compose.yml")
    assert [(block.role, block.name) for block in all_of(out, Block)] == [("command", ""), ("cluster", "jobmanager")]
    assert [fact[:3] for fact in all_of(out, Dependency)] == [("image", "flink", "1.18"), ("image", "flink", "1.18")]


def test_pins_in_any_map() -> None:
    out = reading(
        "task:\n  packages: org.apache.spark:spark-sql-kafka-0-10_2.12:3.3.0\n  jarUri: https://x/flink-sql-connector-kafka-3.3.0-1.20.jar\n"
    )
    assert [fact[:3] for fact in all_of(out, Dependency)] == [
        ("maven", "org.apache.spark:spark-sql-kafka-0-10_2.12", "3.3.0"),
        ("jar", "flink-sql-connector-kafka", "3.3.0-1.20"),
    ]


def test_a_variable_may_be_called_anything() -> None:
    text = """apiVersion: apps/v1
kind: Deployment
metadata: {name: taskmanager}
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.20
          args: [taskmanager]
          env:
            - {name: "TASK_MANAGER_NUMBER_OF_TASK_SLO)TS", value: "2"}
"""
    out = read(Source("flink.yaml", "yaml", text.encode()))[0]
    assert not out.problems


@pytest.mark.parametrize(
    ("image", "mounts", "hidden"),
    [
        ("flink:1.20", {"/opt/flink/lib/": "empty"}, ["/opt/flink/lib/"]),
        ("shop/flink-jobs:7", {"/opt/flink": "host", "/opt/flink/lib/x.jar": "host"}, ["/opt/flink"]),
        ("flink:1.20", {"/opt/flink/lib": "claim", "/opt/flink/usrlib": "empty"}, []),
        ("flink:1.20", {"/opt/flink/lib": "filled"}, []),
        ("temurin:17", {"/opt/flink": "host"}, []),
    ],
)
def test_volumes_over_an_engines_own_files(image: str, mounts: dict[str, str], hidden: list[str]) -> None:
    mounted = ", ".join(f"{{name: {name}, mountPath: {path}}}" for path, name in mounts.items())
    volumes = "{name: empty, emptyDir: {}}, {name: filled, emptyDir: {}}, {name: host, hostPath: {path: /x}}, {name: claim, persistentVolumeClaim: {claimName: c}}"
    spec = (
        f"{{initContainers: [{{image: busybox, volumeMounts: [{{name: filled, mountPath: /jars}}]}}], "
        f"containers: [{{image: '{image}', args: [taskmanager], volumeMounts: [{mounted}]}}], volumes: [{volumes}]}}"
    )
    out = reading(f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: flink}}\nspec: {{template: {{spec: {spec}}}}}\n")
    assert [fact.subject for fact in all_of(out, Oddity) if fact.kind == "engine-files-hidden"] == hidden


@pytest.mark.parametrize("text", ["2", "2Gi", "1.5G", ".5", "5.", "500m", "1e3", "1E-2", "3k", "+1", "7E"])
def test_quantities_of_kubernetes(text: str) -> None:
    assert is_quantity(text)


@pytest.mark.parametrize("text", ["2g", "2GB", "2 Gi", " 2", "3K", "512mb", "1gi", "one", "", "1e", "2Mi "])
def test_texts_that_are_no_quantity(text: str) -> None:
    assert not is_quantity(text)


BROKER = """\
services:
  kafka:
    image: apache/kafka:4.1.1
    command:
      - bash
      - -c
      - |
        cat > /tmp/server.properties <<'EOF'
        log.dirs=/tmp/logs
        node.id=1
        EOF
        kafka-server-start.sh {started}
"""


@pytest.mark.parametrize(
    ("started", "found"), [("/tmp/server.properties", {"log.dirs": "/tmp/logs", "node.id": "1"}), ("/conf/a.properties", {})]
)
def test_settings_that_a_brokers_command_writes(started: str, found: dict[str, str]) -> None:
    out = reading(BROKER.format(started=started), "docker-compose.yml")
    assert values(out) == found
    assert engines(out) == ([("kafka", "broker", "compose")] if found else [])


@pytest.mark.parametrize(
    "text", ["producer: {linger.ms: 5, name: a}\n", "sink: {linger.ms: 5, batch.size: 6}\n", "consumer: {linger.ms: 5, batch.size: 6}\n"]
)
def test_maps_that_need_be_no_kafka_clients(text: str) -> None:
    assert engines(reading(f"kafka:\n  {text}")) == []


def test_the_ports_that_a_broker_publishes() -> None:
    out = reading(
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment:\n      KAFKA_NODE_ID: 1\n    ports:\n      - '9092:9092'\n      - 127.0.0.1:29092:19092/tcp\n      - 9101\n"
        "      - '${PORT}:9094'\n      - '${OTHER:-9095}:9095'\n      - {target: 9096, published: 39096}\n      - '[::1]:9097:9097'\n      - 9098:9098/udp\n",
        "docker-compose.yml",
    )
    (broker,) = [block for block in all_of(out, Block) if block.role == "broker"]
    assert broker.trait("published") == "9092:9092 29092:19092 9095:9095 39096:9096 9097:9097"


CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: scripts}
data:
  broken.py: |
    import pyflink
    def
  helpers.py: |
    LIMIT = 5
  orders.py: |
    from pyflink.common import Configuration
    from pyflink.datastream import StreamExecutionEnvironment

    conf = Configuration()
    conf.set_string("state.checkpoints.dir", "s3://lake/checkpoints")
    env = StreamExecutionEnvironment.get_execution_environment(conf)
    env.execute("orders")
"""


def test_program_in_a_config_map() -> None:
    """Read where it stands, and no span in it is as long as the text that a fix would write over."""
    out = reading(CONFIG_MAP)
    assert not out.problems
    assert ("flink", "job", "python") in engines(out)
    found = next(fact for fact in all_of(out, Setting) if fact.key == "state.checkpoints.dir")
    assert CONFIG_MAP[found.value_span.start :].startswith("s3://lake/checkpoints")
    assert found.value_span.end - found.value_span.start != len(found.text)
    assert [(fact.detail, out.lines.line(fact.place.span.start)) for fact in all_of(out, Usage) if fact.kind == "file-in-map"] == [
        ("orders.py", 10)
    ]


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (
            '"plugin.path": /usr/share/java\n  "internal.key.converter": org.apache.kafka.connect.json.JsonConverter',
            ("kafka-connect", "worker", "values"),
        ),
        ('"offsets.topic.replication.factor": "3"\n  "config.storage.replication.factor": "3"', ("kafka", "broker", "values")),
        ('"replication.factor": "3"', None),
    ],
)
def test_what_values_of_confluents_charts_override(overrides: str, expected: tuple[str, str, str] | None):
    out = reading(
        f"image: confluentinc/cp-kafka-connect\nimageTag: 6.1.0\nconfigurationOverrides:\n  {overrides}\n", "charts/cp/values.yaml"
    )
    assert engines(out) == ([expected] if expected else [])
    assert [(one.name, one.version) for one in all_of(out, Dependency)] == [("confluentinc/cp-kafka-connect", "6.1.0")]


@pytest.mark.parametrize(("tag", "expected"), [("latest", [("flink", "latest")]), ("1.8.0", [])])
def test_tag_beside_the_image_of_a_chart_is_a_default(tag: str, expected: list[tuple[str, str]]):
    out = reading(f"image: flink\nimageTag: {tag}\nresources: {{}}\n", "charts/flink/values.yaml")
    assert [(one.name, one.version) for one in all_of(out, Dependency)] == expected
