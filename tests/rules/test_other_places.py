"""What a finding points at besides its own place."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

SPARK = "from pyspark.sql import SparkSession, functions as F\n\nspark = SparkSession.builder.getOrCreate()\n"
COMPLETE = (
    'rides = spark.readStream.format("kafka").option("subscribe", "rides").load().withWatermark("timestamp", "1 minute")\n'
    'counts = rides.groupBy(F.window("timestamp", "5 minutes")).count()\n'
    'counts.writeStream.outputMode("complete").format("console").start().awaitTermination()\n'
)

# What a name stands for is shown where it stands.
NAMED = 'BASE = "file:/data"\nPLACE = BASE\nrates = spark.readStream.format("rate").load()\nwriter = rates.writeStream.format("delta")\n'
HELD = (
    'class Job:\n    def __init__(self):\n        self.place = "file:/data/rates"\n\n    def run(self):\n        rates = spark.readStream.format("rate").load()\n'
    '        rates.writeStream.format("delta").option("checkpointLocation", self.place).start("/mnt/rates").awaitTermination()\n'
)
RECORD = (
    'import os\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass Conf:\n    place: str = os.getenv("PLACE", "/tmp/rates")\n\n\nconf = Conf()\n'
    'rates = spark.readStream.format("rate").load()\n'
    'rates.writeStream.format("delta").option("checkpointLocation", f"{conf.place}/c").start("/mnt/rates").awaitTermination()\n'
)


@pytest.mark.parametrize(
    ("rule", "text", "at", "others"),
    [
        ("streaming-aggregation-without-watermark", SPARK + COMPLETE, 6, {4}),
        ("streaming-checkpoint-on-local-path", SPARK + NAMED + 'writer.option("checkpointLocation", PLACE).start("/mnt/r")\n', 8, {4}),
        (
            "streaming-checkpoint-on-local-path",
            SPARK + NAMED + 'writer.option("checkpointLocation", f"{BASE}/r").start("/mnt/r")\n',
            8,
            {4},
        ),
        ("streaming-checkpoint-on-local-path", SPARK + HELD, 10, {6}),
        ("streaming-checkpoint-on-local-path", SPARK + RECORD, 15, {10}),
    ],
)
def test_related_lines(rule: str, text: str, at: int, others: set[int]) -> None:
    only = rulebook.load().only(lambda one: one.id == rule)
    checked = check_source(Source("job.py", classify("job.py"), text.encode()), only, Settings())
    (finding,), problems = conclude([checked], only, Settings(), {})
    assert problems == []
    assert text.count("\n", 0, finding.primary.span.start) + 1 == at
    assert {text.count("\n", 0, place.span.start) + 1 for place in finding.places if place.role == "related"} == others


COMPOSE = """services:
  jobmanager:
    image: flink:1.20.1
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        execution.checkpointing.dir: file:///tmp/chk
  taskmanager:
    image: flink:1.20.1
    command: taskmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        execution.checkpointing.dir: file:///tmp/chk
"""


def test_a_directory_is_shown_in_every_container_that_is_told_of_it() -> None:
    only = rulebook.load().only(lambda one: one.id == "checkpoint-dir-not-durable")
    checked = check_source(Source("docker-compose.yml", classify("docker-compose.yml"), COMPOSE.encode()), only, Settings())
    (finding,), _ = conclude([checked], only, Settings(), {})
    lines = [(place.role, COMPOSE.count("\n", 0, place.span.start) + 1) for place in finding.places if place.role != "covers"]
    assert lines == [("primary", 8), ("related", 15)]
