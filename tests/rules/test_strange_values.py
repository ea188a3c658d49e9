"""No rule about Kafka, connectors, Spark or Beam fails over a value that the engine would refuse."""

from __future__ import annotations

import pytest

from shoal import catalogue, rulebook
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

RULEBOOK = rulebook.load().only(lambda rule: rule.engine_folder in ("kafka", "connectors", "spark", "beam"))
VALUES = [
    "",
    "-",
    "²",
    "٣",
    "9" * 5000,
    "-1",
    "0",
    "1e9",
    "NaN",
    "{}",
    "{0}",
    "%s",
    '""',
    "a b c",
    "::",
    ",",
    ";;",
    "file:",
    "C:\\x",
    "é" * 500,
    "${X}",
    "true",
]


def problems(path: str, kind: str, text: str) -> list[str]:
    result = check_source(Source(path, kind, text.encode("utf-8")), RULEBOOK, Settings())
    _, found = conclude([result], RULEBOOK, Settings(), {path: text})
    return [problem.message for problem in found if problem.kind.startswith("rule")]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_client_properties(value: str) -> None:
    for client in ("consumer", "producer", "admin"):
        keys = catalogue.load(f"kafka-{client}").keys(None)
        text = "\n".join(f"{key}={value}" for key in ("bootstrap.servers", *keys))
        assert problems(f"{client}.properties", "properties", text) == []


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_tables(value: str) -> None:
    quoted = value.replace("'", "''")
    tables = []
    for connector in ("kafka", "upsert-kafka", "filesystem", "datagen", "jdbc", "print"):
        names = catalogue.load(f"flink-table:{connector}").keys(None)
        clients = [f"properties.{key}" for name in ("consumer", "producer") for key in catalogue.load(f"kafka-{name}").keys(None)]
        formats = [f"json.{key}" for key in catalogue.load("flink-table:format-json").keys(None)]
        options = ",\n".join(f"  '{key}' = '{quoted}'" for key in dict.fromkeys((*names, *clients, *formats)) if key != "connector")
        tables.append(f"CREATE TABLE t{len(tables)} (id STRING) WITH (\n  'connector' = '{connector}',\n{options}\n);")
    tables.append("INSERT INTO t0 SELECT * FROM t1 JOIN t2 ON t1.id = t2.id;")
    assert problems("job.sql", "sql", "\n".join(tables)) == []


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_spark_and_beam(value: str) -> None:
    keys = [key for key in catalogue.load("spark").keys(None) if "<" not in key]
    assert problems("spark-defaults.conf", "spark-conf", "\n".join(f"{key} {value}" for key in keys)) == []
    if "'" not in value:
        names = (
            "checkpointing_interval",
            "state_backend",
            "flink_version",
            "shutdown_sources_after_idle_ms",
            "environment_type",
            "streaming",
        )
        line = " ".join(f"--{name}='{value}'" for name in names)
        assert problems("run.sh", "shell", f"pip install apache-beam==2.60.0\npython pipeline.py --runner=FlinkRunner {line}\n") == []


@pytest.mark.parametrize("seconds", ["1e400", "57.9"])
def test_a_load_that_comes_never_or_just_seldom_enough(seconds: str) -> None:
    text = (
        "import apache_beam as beam\nfrom apache_beam.options.pipeline_options import PipelineOptions\n\n"
        "with beam.Pipeline(options=PipelineOptions(streaming=True)) as pipeline:\n"
        '    rows = pipeline | beam.io.ReadFromPubSub(subscription="projects/shop/subscriptions/orders") | beam.Map(parse)\n'
        f'    rows | beam.io.WriteToBigQuery("shop:sales.orders", method="FILE_LOADS", triggering_frequency={seconds})\n'
    )
    own = RULEBOOK.only(lambda rule: rule.id == "bigquery-load-jobs-too-frequent")
    result = check_source(Source("job.py", "python", text.encode("utf-8")), own, Settings())
    assert conclude([result], own, Settings(), {"job.py": text}) == ([], [])
