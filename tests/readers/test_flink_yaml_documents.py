"""config.yaml, FlinkDeployment and its kin, config maps, compose: what they say, and where."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest

from shoal.facts import Block, Dependency, Entry, Mount, Oddity, Setting
from shoal.model import Edit, Source
from shoal.readers import Reading, read

F = TypeVar("F", Block, Dependency, Entry, Mount, Oddity, Setting)


def reading(text: str, path: str = "some.yaml") -> Reading:
    return read(Source(path, "yaml", text.encode()))[0]


def all_of(out: Reading, kind: type[F]) -> list[F]:
    return [fact for fact in out.facts if isinstance(fact, kind)]


def values(out: Reading, block: int | None = None) -> dict[str, str]:
    return {fact.key: fact.text for fact in all_of(out, Setting) if block is None or fact.block.endswith(f"#{block}")}


def oddities(out: Reading) -> list[tuple[str, str]]:
    return [(fact.kind, fact.subject) for fact in all_of(out, Oddity)]


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


@pytest.mark.parametrize(
    ("text", "expected", "odd"),
    [
        (
            "state:\n  backend: rocksdb\n  backend.incremental: true\n",
            {"state.backend": "rocksdb", "state.backend.incremental": "true"},
            [],
        ),
        (
            "state: {savepoints.dir: s3://a/b}\nparallelism.default: 2\n",
            {"state.savepoints.dir": "s3://a/b", "parallelism.default": "2"},
            [],
        ),
        ("state.backend: a\nstate:\n  backend: b\n", {"state.backend": "b"}, []),
        ("pipeline.jars: [file:///a.jar, 'file:///b.jar']\n", {"pipeline.jars": "file:///a.jar;file:///b.jar"}, []),
        (
            "state:\n  backend: a\nstate:\n  checkpoints.dir: b\n",
            {"state.backend": "a", "state.checkpoints.dir": "b"},
            [("duplicate-key", "state")],
        ),
        ("state:\n  backend: a\n  backend: b\n", {"state.backend": "b"}, [("duplicate-key", "state.backend")]),
        ("state.backend:\nrest.bind-port: 1\n", {"rest.bind-port": "1"}, [("null-value", "state.backend")]),
        ("env.java.opts.all: >-\n  -Xa\n  -Xb\nstate.backend: x\n", {"env.java.opts.all": "-Xa -Xb", "state.backend": "x"}, []),
    ],
)
def test_config_yaml(text: str, expected: dict[str, str], odd: list[tuple[str, str]]) -> None:
    out = reading(text, "conf/config.yaml")
    assert values(out) == expected
    assert oddities(out) == odd
    assert all_of(out, Block)[0][1:4] == ("flink", "cluster", "flink-yaml")


@pytest.mark.parametrize(
    "text",
    [
        "jobmanager:\n  replicas: 1\n  resources: {limits: {memory: 1g}}\ntaskmanager:\n  replicas: 2\n",
        "state: started\nexecution: fast\nclient:\n  name: x\n",
        "a: [1, 2]\n",
    ],
)
def test_what_is_no_flink_conf_yields_nothing(text: str) -> None:
    assert reading(text, "config.yaml").facts == []


DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: "flink:1.20"
  flinkVersion: v1_20
  mode: native
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"   # two
    state:
      checkpoints.dir: file:///flink-data/cp
    high-availability:
      type: kubernetes
  jobManager:
    replicas: 2
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - {name: ENABLE_BUILT_IN_PLUGINS, value: flink-s3-fs-presto-1.20.0.jar}
          volumeMounts:
            - mountPath: /flink-data
              name: data
            - mountPath: /scratch
              name: scratch
      volumes:
        - name: data
          persistentVolumeClaim: {claimName: flink-pvc}
        - name: scratch
          emptyDir: {}
  job:
    jarURI: local:///opt/flink/opt/flink-python-1.20.0.jar
    entryClass: org.apache.flink.client.python.PythonDriver
    args: ["-pyclientexec", "/usr/bin/python3", "-py", "/opt/job.py"]
    parallelism: 2
    upgradeMode: stateless
"""


def test_flink_deployment() -> None:
    out = reading(DEPLOYMENT)
    block = all_of(out, Block)[0]
    assert (block.engine, block.role, block.form, block.name, block.open) == ("flink", "deployment", "manifest", "orders", False)
    assert block.trait("operator") == "apache"
    assert block.trait("flinkVersion") == "v1_20"
    assert block.trait("plugins") == "flink-s3-fs-presto-1.20.0.jar"
    found = values(out, 0)
    assert found["taskmanager.numberOfTaskSlots"] == "2"
    assert found["state.checkpoints.dir"] == "file:///flink-data/cp"
    assert found["high-availability.type"] == "kubernetes"
    assert found["spec.job.upgradeMode"] == "stateless"
    assert found["spec.jobManager.replicas"] == "2"
    assert ("field", "flink", "1.20") in [fact[:3] for fact in all_of(out, Dependency)]
    assert [fact[:3] for fact in all_of(out, Mount)] == [("/flink-data", "pvc", "flink-pvc"), ("/scratch", "emptyDir", "scratch")]
    assert [fact[:2] for fact in all_of(out, Entry)] == [("python", "/opt/job.py")]
    slots = next(fact for fact in all_of(out, Setting) if fact.key.endswith("Slots"))
    assert slots.comment == "two"
    assert DEPLOYMENT[slots.value_span.start : slots.value_span.end] == "2"


@pytest.mark.parametrize(
    ("text", "role", "expected"),
    [
        (
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkSessionJob\nmetadata: {name: s}\nspec:\n  deploymentName: d\n  job: {upgradeMode: savepoint}\n",
            "sessionjob",
            {"spec.deploymentName": "d", "spec.job.upgradeMode": "savepoint"},
        ),
        (
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkBlueGreenDeployment\nmetadata: {name: b}\n"
            "spec:\n  template:\n    spec:\n      flinkVersion: v2_0\n      flinkConfiguration: {rest.port: '1'}\n",
            "deployment",
            {"rest.port": "1", "spec.flinkVersion": "v2_0"},
        ),
        (
            "apiVersion: flink.k8s.io/v1beta1\nkind: FlinkApplication\nmetadata: {name: l}\nspec:\n  flinkVersion: '1.16'\n  flinkConfig: {a.b: c}\n",
            "deployment",
            {"a.b": "c", "spec.flinkVersion": "1.16"},
        ),
        (
            "apiVersion: cmf.confluent.io/v1\nkind: FlinkApplication\nmetadata: {name: l}\nspec:\n  flinkVersion: v1_19\n"
            "  flinkConfiguration: {a.b: c}\n  job: {upgradeMode: stateless}\n",
            "deployment",
            {"a.b": "c", "spec.flinkVersion": "v1_19", "spec.job.upgradeMode": "stateless"},
        ),
        (
            "apiVersion: flinkoperator.k8s.io/v1beta1\nkind: FlinkCluster\nmetadata: {name: g}\nspec:\n  flinkVersion: '1.9'\n  flinkProperties: {a.b: c}\n",
            "deployment",
            {"a.b": "c", "spec.flinkVersion": "1.9"},
        ),
    ],
)
def test_other_resources(text: str, role: str, expected: dict[str, str]) -> None:
    out = reading(text)
    assert [block.role for block in all_of(out, Block)] == [role]
    assert values(out) == expected


@pytest.mark.parametrize("group", ["cmf.confluent.io/v1alpha1", "platform.confluent.io/v1beta1"])
def test_an_application_of_confluents_may_have_defaults_elsewhere_and_fields_of_its_own(group: str) -> None:
    text = f"apiVersion: {group}\nkind: FlinkApplication\nmetadata: {{name: l}}\nspec:\n  flinkEnvironment: shop\n  flinkVersion: v1_19\n"
    out = reading(text + "  job: {args: [/opt/sql/totals.sql]}\n")
    (block,) = all_of(out, Block)
    assert block.open and block.trait("operator") == "apache"
    assert not all_of(out, Oddity)
    assert [(entry.kind, entry.target) for entry in all_of(out, Entry)] == [("sql", "/opt/sql/totals.sql")]


def test_ibms_operator_fills_in_version_and_image() -> None:
    head = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: f}\nspec:\n  flinkConfiguration:\n    rest.port: '1'\n"
    assert [block.open for text in (head, head + "    license.accept: 'true'\n") for block in all_of(reading(text), Block)] == [True, False]


_SCRIPT = "CREATE TABLE o (id STRING) WITH ('connector' = 'kafka', 'topic' = 'o')"


@pytest.mark.parametrize(
    ("text", "parent"),
    [
        (
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: d}\nspec:\n  image: flink:1.20\n"
            f'  podTemplate: {{spec: {{containers: [{{name: flink-main-container, env: [{{name: SQL, value: "{_SCRIPT}"}}]}}]}}}}\n',
            "deployment",
        ),
        (
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: d}\nspec:\n  image: flink:1.20\n"
            f'  job:\n    jarURI: local:///opt/sql-runner.jar\n    args: [--sql, "{_SCRIPT}"]\n',
            "deployment",
        ),
        (
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [\n"
            f'  {{name: c, image: acme/flink-sql, env: [{{name: SQL, value: "{_SCRIPT}"}}]}}]}}}}}}\n',
            "",
        ),
        (f"services:\n  s:\n    image: acme/sql\n    environment:\n      SQL: |\n        {_SCRIPT}\n", ""),
        (f'services:\n  s:\n    image: acme/sql\n    environment:\n      - "SQL={_SCRIPT}"\n', ""),
    ],
)
def test_sql_in_variables_and_arguments(text: str, parent: str) -> None:
    out = reading(text, "docker-compose.yml" if text.startswith("services") else "some.yaml")
    blocks = {block.id: block for block in all_of(out, Block)}
    tables = [block for block in blocks.values() if block.role == "table"]
    assert [table.name for table in tables] == ["o"]
    assert (blocks[tables[0].parent].role if tables[0].parent else "") in (parent, "session")
    assert {fact.key: fact.text for fact in all_of(out, Setting) if fact.block == tables[0].id} == {"connector": "kafka", "topic": "o"}


def test_other_variables_are_no_sql() -> None:
    text = "services:\n  db:\n    image: postgres\n    environment:\n      INIT: CREATE TABLE orders (id int); SET search_path = 'a'\n"
    assert all_of(reading(text, "docker-compose.yml"), Block) == []


def test_snapshots_and_definitions_say_nothing() -> None:
    assert (
        reading("apiVersion: flink.apache.org/v1beta1\nkind: FlinkStateSnapshot\nmetadata: {name: s}\nspec: {savepoint: {}}\n").facts == []
    )
    assert reading("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {state.backend: x}\n").facts == []


COMPOSE = """\
x-env: &env
  environment:
    - |
      FLINK_PROPERTIES=
      jobmanager.rpc.address: jobmanager
      state.backend: ${BACKEND:-rocksdb}
services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    <<: *env
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    restart: unless-stopped
    environment:
      FLINK_PROPERTIES: |-
        jobmanager.rpc.address: jobmanager
        taskmanager.numberOfTaskSlots: 4
    volumes:
      - data:/opt/flink/data
      - ./cp:/cp:ro
      - type: tmpfs
        target: /t
  broker:
    image: confluentinc/cp-kafka:7.5.0
    environment:
      KAFKA_TRANSACTION_MAX_TIMEOUT_MS: 900000
      KAFKA_HEAP_OPTS: -Xmx1g
volumes: {data: {}}
"""


def test_compose_services() -> None:
    out = reading(COMPOSE, "docker-compose.yml")
    blocks = all_of(out, Block)
    assert [(block.engine, block.role, block.name, block.trait("role")) for block in blocks] == [
        ("flink", "cluster", "jobmanager", "jobmanager"),
        ("flink", "cluster", "taskmanager", "taskmanager"),
        ("kafka", "broker", "broker", ""),
    ]
    assert values(out, 0) == {"jobmanager.rpc.address": "jobmanager", "state.backend": "rocksdb"}
    assert next(fact for fact in all_of(out, Setting) if fact.key == "state.backend").sure == "default"
    assert values(out, 1)["taskmanager.numberOfTaskSlots"] == "4"
    assert values(out, 2) == {"transaction.max.timeout.ms": "900000"}
    assert blocks[1].trait("restart") == "unless-stopped"
    assert [fact[:3] for fact in all_of(out, Mount)] == [
        ("/opt/flink/data", "named", "data"),
        ("/cp", "bind", "./cp"),
        ("/t", "emptyDir", "/t"),
    ]


def service(environment: str, image: str = "flink:1.18.1") -> str:
    return f"services:\n  jm:\n    image: {image}\n    command: jobmanager\n    environment:\n{environment}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (service("      - FLINK_PROPERTIES=\n      - rest.port: 8081\n"), "flink-properties-malformed"),
        (service("      - FLINK_PROPERTIES: |\n          rest.port: 8081\n"), "flink-properties-malformed"),
        (service("      - |\n        jobmanager.rpc.address: jm\n"), "flink-properties-malformed"),
        (service("      - |\n        FLINK_PROPERTIES:\n        jobmanager.rpc.address: jm\n"), "flink-properties-malformed"),
        (service("      - >\n        FLINK_PROPERTIES=\n        rest.port: 8081\n        a.b: c\n"), "flink-properties-malformed"),
        (service("      FLINK_PROPERTIES:\n        rest.port: 8081\n"), "flink-properties-malformed"),
        (service("      FLINK_PROPERTIES: |\n        rest.port: 8081\n        state.backend:\n"), "flink-properties-malformed"),
        (service("      FLINK_PROPERTIES: |\n        rest.port:8081\n"), "line-dropped"),
        (service("      FLINK_PROPERTIES: |\n        state:\n          backend: rocksdb\n"), "nested-yaml"),
    ],
)
def test_flink_properties_gone_wrong(text: str, kind: str) -> None:
    assert {found for found, _ in oddities(reading(text, "compose.yaml"))} == {kind}


@pytest.mark.parametrize(
    "text",
    [
        service("      - |\n        FLINK_PROPERTIES:\n        jobmanager.rpc.address: jm\n"),
        service("      - >\n        FLINK_PROPERTIES=\n        rest.port: 8081\n        a.b: c\n"),
        service("      FLINK_PROPERTIES: >-\n        rest.port: 8081\n        a.b: c\n"),
    ],
)
def test_flink_properties_put_right(text: str) -> None:
    out = reading(text, "compose.yaml")
    fixed = edited(text, all_of(out, Oddity)[0].edits)
    assert fixed != text
    assert oddities(reading(fixed, "compose.yaml")) == []
    assert values(reading(fixed, "compose.yaml"))


def test_the_entry_point_since_1_19_needs_no_blank() -> None:
    text = service("      FLINK_PROPERTIES: |\n        rest.port:8081\n", "flink:1.20")
    out = reading(text, "compose.yaml")
    assert oddities(out) == []
    assert values(out) == {"rest.port": "8081"}


def test_the_entry_point_since_1_19_keeps_comments_and_drops_blanks() -> None:
    text = service(
        "      FLINK_PROPERTIES: |\n        # fine\n        rest.port: 8081  # ui\n        env.java.opts.all: -Xa -Xb\n        a.b: 10 min\n",
        "apache/flink:2.0",
    )
    out = reading(text, "compose.yaml")
    assert [(fact.kind, fact.subject, fact.detail) for fact in all_of(out, Oddity)] == [
        ("comment-in-value", "rest.port", "8081#ui"),
        ("blanks-removed", "env.java.opts.all", "-Xa-Xb"),
    ]
    assert edited(text, all_of(out, Oddity)[0].edits) == text.replace("  # ui", "")
    assert oddities(reading(text.replace("apache/flink:2.0", "flink:1.18"), "compose.yaml")) == []


def test_environment_inside_flink_properties_is_told_once_and_moved_out() -> None:
    text = service("      - |\n        FLINK_PROPERTIES=\n        rest.port: 8081\n        AWS_REGION=us\n        AWS_KEY=x\n")
    out = reading(text, "compose.yaml")
    assert oddities(out) == [("env-var-inside-flink-properties", "AWS_REGION=us")]
    fixed = edited(text, all_of(out, Oddity)[0].edits)
    assert fixed == text.replace("        AWS", "      - AWS")
    assert oddities(reading(fixed, "compose.yaml")) == []


def test_config_maps_and_values_hold_confs() -> None:
    conf = "flink-conf.yaml: |\n    state.backend: rocksdb\n    execution.checkpointing.interval: 1 min\n"
    out = reading(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  {conf}  config.yaml: |\n    state:\n      backend: x\n"
    )
    assert [(block.form, block.name, block.open) for block in all_of(out, Block)] == [("configmap", "c", False), ("configmap", "c", False)]
    assert values(out, 0) == {"state.backend": "rocksdb", "execution.checkpointing.interval": "1 min"}
    assert values(out, 1) == {"state.backend": "x"}
    chart = reading(f"defaultConfiguration:\n  append: true\n  {conf}flinkConfiguration:\n  state: {{backend: y}}\n", "values.yaml")
    assert [(block.form, block.open) for block in all_of(chart, Block)] == [("values", True), ("values", True)]
    assert values(chart, 1) == {"state.backend": "y"}


def test_prose_with_a_conf_for_an_example_is_no_conf() -> None:
    conf = "taskmanager.memory.process.size: 2g\n  execution.checkpointing.interval: '10s'\n"
    assert all_of(reading(f"models:\n- extra: |\n    {conf.replace(chr(10) + '  ', chr(10) + '    ')}"), Setting)
    prose = f"## Tuning\n\n  Give large jobs more memory:\n  ```yaml\n  execution_config:\n    {conf}  ```\n  and look at the metrics after it.\n"
    assert not all_of(reading(f"models:\n- description: |\n  {prose}"), Block)


def test_examples_of_an_interface_configure_nothing() -> None:
    example = "components:\n  examples:\n    job:\n      value:\n        flinkConf:\n          execution.checkpointing.interval: 10s\n"
    assert all_of(reading(example), Setting)
    assert not reading(f"openapi: 3.0.1\npaths: {{}}\n{example}").facts


def test_high_availability_of_the_operator_of_emr() -> None:
    spec = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nspec:\n  emrReleaseLabel: emr-7.12.0-flink-latest\n  flinkVersion: v1_18\n"
    found = values(reading(f"{spec}  jobManager:\n    highAvailabilityEnabled: true\n    storageDir: s3://b/jm\n"))
    assert (found["high-availability.type"], found["high-availability.storageDir"]) == ("kubernetes", "s3://b/jm")
    assert "high-availability.type" not in values(reading(f"{spec}  jobManager:\n    highAvailabilityEnabled: false\n"))


def test_services_of_kubernetes() -> None:
    text = "apiVersion: v1\nkind: Service\nmetadata: {name: jm}\nspec:\n  type: LoadBalancer\n  ports: [{port: 80, targetPort: 8081}]\n  selector: {app: flink}\n"
    out = reading(text)
    block = all_of(out, Block)[0]
    assert (block.engine, block.role, block.trait("selector")) == ("kubernetes", "service", "app=flink")
    assert values(out)["spec.type"] == "LoadBalancer"
    assert values(out)["spec.ports.0.targetPort"] == "8081"
    assert reading(text.replace("flink", "shop").replace("jm", "web")).facts == []


def spans_show_their_text(out: Reading) -> None:
    for fact in all_of(out, Setting):
        shown: Any = out.raw[fact.value_span.start : fact.value_span.end]
        if fact.known and fact.sure == "sure" and "\n" not in shown and ";" not in fact.value:
            assert shown == fact.value
        assert (
            fact.key.replace("_", ".")
            .lower()
            .endswith(out.raw[fact.key_span.start : fact.key_span.end].replace("_", ".").lower().removeprefix("kafka."))
        )


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("text", [DEPLOYMENT, COMPOSE])
def test_spans_hold_whatever_the_line_endings(text: str, ending: str, bom: str) -> None:
    out = reading(bom + text.replace("\n", ending), "docker-compose.yml")
    assert not out.problems
    assert len(all_of(out, Setting)) >= 5
    spans_show_their_text(out)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ('["flink", "run", "/jobs/a.jar"]', True),
        ('["flink", "run", "-m", "master:8081", "/jobs/a.jar"]', False),
        ('["flink", "run", "-Drest.address=master", "/jobs/a.jar"]', False),
        ('["flink", "run-application", "-t", "kubernetes-application", "/jobs/a.jar"]', False),
        ("bash -c 'export FLINK_CONF_DIR=/conf; flink run /jobs/a.jar'", False),
        ("bash -c 'flink run $$FLINK_ARGS /jobs/a.jar'", False),
        ("docker exec master flink run /jobs/a.jar", False),
        ("bash -c 'sleep 5; flink run /jobs/a.jar --source kafka'", True),
    ],
)
def test_client_that_nothing_tells_of_its_jobmanager(command: str, found: bool) -> None:
    text = (
        f"services:\n  master:\n    image: flink:1.20\n    command: jobmanager\n  submit:\n    image: flink:1.20\n    command: {command}\n"
    )
    out = reading(text, "docker-compose.yml")
    assert ("client-untold" in {kind for kind, _ in oddities(out)}) is found


def test_script_behind_the_entry_point_of_a_shell() -> None:
    text = 'services:\n  a:\n    image: flink:1.20\n    entrypoint: ["/bin/bash", "-lc"]\n    command: >\n      "flink run -Dpipeline.name=x\n      /jobs/a.jar"\n'
    assert values(reading(text, "docker-compose.yml")) == {"pipeline.name": "x"}


def test_keys_twice_in_a_compose_file() -> None:
    text = "services:\n  a: &a\n    image: flink:1.20\n    command: jobmanager\n    image: flink:1.19\n  b:\n    <<: *a\n    image: flink:1.18\n"
    assert oddities(reading(text, "docker-compose.yml")) == [("compose-key-twice", "image")]
    assert oddities(reading(text.replace("command: jobmanager", "{{ x }}"), "docker-compose.yml")) == []


_TO_FILL = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: {ACCOUNT ID}.dkr.ecr.{REGION}.example.com/flink:1.18
  flinkVersion: v1_18
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "2"}
  job:
    jarURI: { BUCKET }/jobs/orders.jar
    upgradeMode: stateless
"""


def test_what_is_to_be_filled_in_by_hand_is_unknown() -> None:
    out = reading(_TO_FILL)
    assert out.problems == []
    found = values(out)
    assert (found["taskmanager.numberOfTaskSlots"], found["spec.job.upgradeMode"]) == ("2", "stateless")
    assert reading("image: {A: b}\n").templated is False
    marked = _TO_FILL.replace("{ACCOUNT ID}", "@ACCOUNT@").replace("{ BUCKET }", "%%BUCKET%%").replace("v1_18", "%version%")
    made = reading(marked)
    assert made.problems == []
    unknown = {fact.key for fact in all_of(made, Setting) if not fact.known}
    assert unknown == {"spec.image", "spec.job.jarURI", "spec.flinkVersion"}


def test_a_service_is_read_as_one_and_not_once_more_as_something_unknown() -> None:
    text = (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: jobmanager\n  annotations:\n"
        "    example.org/note: |\n      flink run -Dexecution.checkpointing.timeout=5s /opt/job.jar\n"
        "spec:\n  type: LoadBalancer\n  ports: [{port: 80, targetPort: 8081}]\n  selector: {app: flink}\n"
    )
    out = reading(text)
    assert [block.role for block in all_of(out, Block)] == ["service"]
    assert "execution.checkpointing.timeout" not in values(out)
