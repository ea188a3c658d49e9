"""How sure findings about sends are."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

TIGHT = """\
from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092")


def store(records):
    for record in records:
        try:
            producer.send("orders", record)
        except Exception:
            failed(record)
"""
WIDE = """\
from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092")


def store(records):
    try:
        for record in records:
            producer.send("orders", record)
    except Exception:
        failed(records)
"""
SAID = TIGHT.replace("failed(record)", 'print("not sent", record)')
OPEN = """\
from confluent_kafka import Producer


class Sender:
    def __init__(self, more: dict):
        config = {"bootstrap.servers": "broker:9092"}
        config.update(more)
        self.producer = Producer(config)

    def send(self, record):
        self.producer.produce("orders", record)
"""


@pytest.mark.parametrize(
    ("rule", "code", "confidence"),
    [
        ("kafka-send-error-unseen", TIGHT, "medium"),
        ("kafka-send-error-unseen", WIDE, "low"),
        ("kafka-send-error-unseen", SAID, "low"),
        ("produce-without-delivery-report", OPEN, "low"),
    ],
)
def test_confidence(rule: str, code: str, confidence: str) -> None:
    book = rulebook.load().only(lambda one: one.id == rule)
    result = check_source(Source("job.py", "python", code.encode()), book, Settings())
    findings, problems = conclude([result], book, Settings(), {"job.py": code})
    assert problems == []
    assert [finding.confidence for finding in findings] == [confidence]
