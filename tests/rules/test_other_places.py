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


@pytest.mark.parametrize(("rule", "text", "at", "others"), [("streaming-aggregation-without-watermark", SPARK + COMPLETE, 6, {4})])
def test_related_lines(rule: str, text: str, at: int, others: set[int]) -> None:
    only = rulebook.load().only(lambda one: one.id == rule)
    checked = check_source(Source("job.py", classify("job.py"), text.encode()), only, Settings())
    (finding,), problems = conclude([checked], only, Settings(), {})
    assert problems == []
    assert text.count("\n", 0, finding.primary.span.start) + 1 == at
    assert {text.count("\n", 0, place.span.start) + 1 for place in finding.places if place.role == "related"} == others
