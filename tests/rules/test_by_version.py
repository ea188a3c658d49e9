"""What a finding says where releases differ."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

_SINK = """
CREATE TABLE totals (id STRING) WITH (
  'connector' = 'kafka',
  'topic' = 'totals',
  'properties.bootstrap.servers' = 'broker:9092',
  'sink.delivery-guarantee' = 'exactly-once',
  'format' = 'json'
);
"""


@pytest.mark.parametrize(
    ("pin", "severity", "says"), [("2.0.0", "error", "is refused"), ("1.20.1", "warning", "`kafka-sink`"), ("", "error", "before all")]
)
def test_a_sink_without_a_prefix_is_refused_from_flink_2_on(pin: str, severity: str, says: str) -> None:
    files = {"job.sql": _SINK, **({"requirements.txt": f"apache-flink=={pin}\n"} if pin else {})}
    rules = rulebook.load().only(lambda one: one.id == "exactly-once-without-transactional-id")
    results = [check_source(Source(path, classify(path), text.encode()), rules, Settings()) for path, text in files.items()]
    (found,), problems = conclude(results, rules, Settings(), files)
    assert problems == []
    assert found.severity == severity
    assert says in found.message
