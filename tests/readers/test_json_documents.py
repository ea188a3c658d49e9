"""JSON documents as facts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_facts import assert_sliced, assert_sound, blocks, entries, of, reading, scraps, values

from shoal.facts import Block
from shoal.readers import Reading


def document(text: str, path: str = "x.json") -> Reading:
    out = reading(text, "json", path)
    assert_sound(out)
    return out


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"name": "a", "config": {"connector.class": "X", "tasks.max": 1}}', ["a"]),
        ('{\n\t"name": "a",\n\t"connector.class" : "X"\r\n}', ["a"]),
        ('[{"name": "a", "config": {"connector.class": "X"}}, {"name": "b", "config": {"connector.class": "Y"}}]', ["a", "b"]),
        ('{"a": {"connector.class": "X"}, "b": {"connector.class": "Y"}}', ["a", "b"]),
    ],
)
def test_connectors(text: str, names: list[str]) -> None:
    out = document(text)
    assert blocks(out) == [("kafka-connect", "connector", name) for name in names]
    assert_sliced(out)


def test_what_zeppelin_leaves_empty_is_not_set() -> None:
    out = document('{"properties": {"spark.cores.max": "", "spark.executor.memory": "512m", "zeppelin.spark.maxResult": "1000"}}')
    assert "spark.cores.max" not in values(out) and values(out)["spark.executor.memory"] == "512m"
    assert "spark.cores.max" in values(document('{"conf": {"spark.cores.max": ""}}'))


def test_values_as_json_writes_them() -> None:
    out = document(
        '{"connector.class": "a\\/b", "topics": "\\u00e9\\tx", "max": 3, "on": true, "none": null, "list": "a,b", "emoji": "\\ud83d\\ude00"}'
    )
    found = values(out)
    assert (found["connector.class"], found["topics"], found["max"], found["on"]) == ("a/b", "é\tx", "3", "true")
    assert found["emoji"] is None


def test_emr_configurations() -> None:
    out = document(
        '[{"Classification": "flink-conf", "Properties": {"execution.checkpointing.timeout": "1s"}},{"Classification":"spark-defaults","Properties":{"spark.a":"b"}}]'
    )
    assert [block[:2] for block in blocks(out)] == [("flink", "cluster"), ("spark", "defaults")]
    assert values(out) == {"execution.checkpointing.timeout": "1s", "spark.a": "b"}


def test_managed_flink_run_options() -> None:
    out = document(
        '[{"PropertyGroupId": "kinesis.analytics.flink.run.options", "PropertyMap": {"python": "main.py", "jarfile": "lib/flink-sql-connector-kafka-3.0.1-1.18.jar"}}]'
    )
    assert entries(out) == [("python", "main.py")]
    assert [fact.name for fact in out.facts if hasattr(fact, "ecosystem")] == ["flink-sql-connector-kafka"]


def test_argument_lists() -> None:
    out = document('{"Steps": [{"Args": ["spark-submit", "--conf", "spark.a=b", "s3://x/job.py"]}]}')
    assert values(out) == {"spark.a": "b"}
    assert entries(out) == [("python", "s3://x/job.py")]


def test_glue_arguments_and_connect_workers() -> None:
    out = document('{"DefaultArguments": {"--conf": "spark.a=b --conf spark.c=d", "--job-language": "python"}}')
    assert values(out) == {"spark.a": "b", "spark.c": "d"}
    assert_sliced(out)
    out = document('{"bootstrap.servers": "a:9092", "offset.storage.topic": "o", "key.converter": "X"}')
    assert blocks(out) == [("kafka-connect", "worker", "")]


def test_what_yaml_readers_know() -> None:
    out = document(
        '{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "j"}, "spec": {"flinkConfiguration": {"rest.port": "1"}}}'
    )
    assert ("flink", "deployment", "j") in blocks(out)
    out = document('{"conf": {"spark.sql.shuffle.partitions": "1", "spark.executor.memory": "1g"}}')
    assert of(out, Block)[0].form == "json"


@pytest.mark.parametrize("path", ["package.json", "x.schema.json", "v2.metadata.json"])
def test_other_files_are_left_alone(path: str) -> None:
    assert document('{"connector.class": "X"}', path).facts == []
    assert document('{"scripts": {"x": "kafka"}}').facts == []
    assert document('{"spark.a": \n').problems == []
    assert document('{"flowContents": {"properties": {"bootstrap.servers": "b:9092", "max.block.ms": "5 sec"}}}').facts == []


@pytest.mark.parametrize(
    "text",
    [
        '{"connector.class": "X",\n "a": [1, }',
        '{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "spec": {\n',
        '{"apiVersion": "kafka.strimzi.io/v1beta2", "kind": "Kafka"\n "spec": {}}',
        '{"new_cluster": {"spark_conf": {"spark.speculation": "true"',
        '{"RuntimeEnvironment": "FLINK-1_20", "ApplicationConfiguration": {',
    ],
)
def test_broken_json_that_is_ours_is_a_problem(text: str) -> None:
    assert [problem.kind for problem in document(text).problems] == ["unparsable"]


def test_a_command_under_the_name_of_what_it_posts() -> None:
    out = document(
        """curl -X POST http://connect:8083/connectors -d '{"name": "lake", "config": {"connector.class": "X", "tasks.max": 1}}'\n""",
        "lake.json",
    )
    assert (blocks(out), out.problems) == ([("kafka-connect", "connector", "lake")], [])


def test_depth_is_bounded() -> None:
    assert [problem.kind for problem in document('{"connector.class": ' + "[" * 100_000).problems] == ["too-deep"]


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co"]), max_size=8), st.text(max_size=12), max_size=5
    ),
    st.sampled_from([None, 1, "\t"]),
)
def test_any_connector_reads_as_json_reads_it(config: dict[str, str], indent: object) -> None:
    text = json.dumps({"connector.class": "X", **config}, indent=indent, ensure_ascii=False)  # type: ignore[arg-type]
    assert "connector.class" in values(document(text))


@settings(max_examples=150, deadline=None)
@given(
    scraps(
        '{"connector.class": ',
        '"x"',
        "[",
        "]",
        "{",
        '"Classification": "flink-conf"',
        '"Properties": {',
        '"spark.a": "b"',
        ":",
        "null",
        "\\u00",
        "\\ud800",
    )
)
def test_no_text_trips_the_reader(text: str) -> None:
    document(text)
