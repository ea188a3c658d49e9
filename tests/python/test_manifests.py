"""Kubernetes resources that Python programs write out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from shoal.facts import Block, Dependency, Setting
from tests.python.reading import blocks, reading, settings
from tests.readers.reader_facts import assert_sound, scraps

OPERATOR = """
import os

INTERVAL = "10 s"
BASE = {"state.backend.type": "rocksdb"}
SLOTS = 2
SLOTS = 4


def body(name, slots, conf, STATE):
    spec = {
        "image": f"flink:{os.environ['TAG']}",
        'flinkVersion': "v1_19",
        "flinkConfiguration": {
            "execution.checkpointing.interval": INTERVAL,
            "execution.checkpointing.min-pause": f"{slots} s",
            "taskmanager.numberOfTaskSlots": str(slots),
            "parallelism.default": 4,
            "execution.checkpointing.unaligned": True,
            "env.java.opts": "-Da=\\"b\\"",
            "state.savepoints.dir": STATE,
            **conf,
        },
        "job": {"jarURI": "local:///opt/a.jar", "upgradeMode": "savepoint", "args": ["--slots", SLOTS]},
    }
    return {"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "orders"}, "spec": spec}
"""


def test_a_dict_is_the_resource_that_it_stands_for() -> None:
    out = reading(OPERATOR)
    assert_sound(out)
    assert [(block.engine, block.role, block.name, block.open) for block in out.facts if isinstance(block, Block)] == [
        ("flink", "deployment", "orders", True)
    ]
    found = {key: value for key, value in settings(out).items() if not key.startswith("spec.")}
    assert found == {
        "execution.checkpointing.interval": "10 s",
        "execution.checkpointing.min-pause": "?",
        "taskmanager.numberOfTaskSlots": "?",
        "parallelism.default": "4",
        "execution.checkpointing.unaligned": "true",
        "env.java.opts": '-Da="b"',
        "state.savepoints.dir": "?",
    }
    assert [(one.name, one.version) for one in out.facts if isinstance(one, Dependency)] == [("flink", "1.19")]


def test_a_value_is_found_where_it_is_written() -> None:
    out = reading(OPERATOR)
    (interval,) = (one for one in out.facts if isinstance(one, Setting) and one.key == "execution.checkpointing.interval")
    assert out.raw[interval.key_span.start : interval.key_span.end] == "execution.checkpointing.interval"
    assert out.raw[interval.value_span.start : interval.value_span.end] == "10 s"
    assert out.lines.line(interval.value_span.start) == 4


def test_a_custom_resource_of_pulumi() -> None:
    out = reading(
        'k8s.CustomResource("a", api_version="flink.apache.org/v1beta1", kind="FlinkDeployment", opts=opts, metadata={"name": "b"},\n'
        '    spec={"flinkVersion": "v1_20", "flinkConfiguration": {"restart-strategy.type": "none"}})\n'
    )
    assert_sound(out)
    assert (blocks(out), settings(out)["restart-strategy.type"]) == ([("flink", "deployment")], "none")


def test_a_part_of_a_resource() -> None:
    out = reading('patch = [{"spec": 1}, {"spec": {"flinkConfiguration": {"state.backend.type": "rocksdb"}}}]\n')
    assert settings(out) == {"state.backend.type": "rocksdb"}


YAML = '''
"""Makes resources.

apiVersion: flink.apache.org/v1beta1
kind: FlinkSessionJob
spec: {flinkConfiguration: {heartbeat.timeout: 1}}
"""
RESOURCE = f"""
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {{name: {name}}}
spec:
  flinkVersion: {version}
  flinkConfiguration:
    heartbeat.timeout: "{timeout} s"
    parallelism.default: "4"
"""
OTHER = """
apiVersion: "sparkoperator.k8s.io/v1beta2"
kind: SparkApplication
metadata: {name: {name}}
spec:
  sparkConf:
    "spark.executor.cores": "{cores}"
    "spark.sql.shuffle.partitions": "8"
""".format(name="a", cores=2)
'''


def test_yaml_in_a_text_but_not_in_a_docstring() -> None:
    out = reading(YAML)
    assert_sound(out)
    assert blocks(out) == [("flink", "deployment"), ("spark", "application")]
    found = settings(out)
    assert (found["heartbeat.timeout"], found["parallelism.default"]) == ("?", "4")
    assert (found["spark.executor.cores"], found["spark.sql.shuffle.partitions"]) == ("?", "8")


@given(
    st.one_of(
        scraps(
            '{"apiVersion": "flink.apache.org/v1", "kind": "FlinkDeployment", ',
            '"spec"',
            ":",
            "{",
            "}",
            "[",
            "]",
            ",",
            "f'{x}'",
            "**x",
            "é",
        )
    )
)
@effort(max_examples=100, deadline=None)
def test_anything_is_read(text: str) -> None:
    assert_sound(reading(text))


def test_what_holds_itself_and_what_nests_too_deep() -> None:
    out = reading('a = {"apiVersion": "flink.apache.org/v1", "kind": "FlinkDeployment", "spec": a}\n')
    assert_sound(out)
    out = reading('a = {"flinkConfiguration": ' + "[" * 150 + "]" * 150 + "}\n")
    assert_sound(out)


def test_what_amazons_service_for_flink_is_asked_for() -> None:
    out = reading("""
import boto3
client = boto3.client("kinesisanalyticsv2")
config = {
    "FlinkApplicationConfiguration": {"CheckpointConfiguration": {"ConfigurationType": "DEFAULT"}},
    "ApplicationSnapshotConfiguration": {"SnapshotsEnabled": False},
}
client.create_application(ApplicationName=name, RuntimeEnvironment="FLINK-1_20", ApplicationConfiguration=config)
run = {"FlinkRunConfiguration": {"AllowNonRestoredState": True}}
client.start_application(ApplicationName="orders", RunConfiguration=run)
client.update_application(
    ApplicationName="orders",
    RunConfigurationUpdate={"ApplicationRestoreConfiguration": {"ApplicationRestoreType": "RESTORE_FROM_LATEST_SNAPSHOT"}},
)
other.start_application(applicationId="spark")
""")
    services = [(fact.role, fact.name, fact.trait("managed")) for fact in out.facts if isinstance(fact, Block)]
    assert services == [("service", "", "aws-managed-flink"), *([("service", "orders", "aws-managed-flink")] * 2)]
    assert settings(out) == {
        "execution.checkpointing.interval": "60000",
        "execution.checkpointing.min-pause": "5000",
        "ApplicationSnapshotConfiguration.SnapshotsEnabled": "false",
        "--allowNonRestoredState": "true",
        "ApplicationRestoreConfiguration.ApplicationRestoreType": "RESTORE_FROM_LATEST_SNAPSHOT",
    }
