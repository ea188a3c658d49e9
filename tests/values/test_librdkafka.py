"""Our reading of texts against librdkafka's, through confluent-kafka's own complaints about a setting out of range."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from shoal.values import Bad, kafka

from . import engine, texts

pytestmark = pytest.mark.engine

ASK = r"""
import json, re, sys
from confluent_kafka import Producer, KafkaException

def ask(key, text):
    try:
        Producer({key: text, "log_level": 0})
    except KafkaException as refusal:
        found = re.search(r"value (-?\d+) is outside", str(refusal))
        return int(found[1]) if found else "bad"
    return "ok"

texts = json.load(sys.stdin)
json.dump([[ask("retry.backoff.ms", t), ask("receive.message.max.bytes", t), ask("enable.random.seed", t), ask("linger.ms", t)] for t in texts], sys.stdout)
"""


@pytest.fixture(scope="module")
def asked() -> list[str]:
    return [text for text in texts.generate(150) if "\0" not in text]


@pytest.fixture(scope="module")
def answers(asked: list[str]) -> list[list[object]]:
    """For each text: two integers whose ranges overlap little, a boolean, a floating point number."""
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(engine.confluent_kafka())},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    replies: list[list[object]] = json.loads(done.stdout)
    return replies


def test_integers(asked: list[str], answers: list[list[object]]) -> None:
    for text, (backoff, size, _, _) in zip(asked, answers, strict=True):
        ours = kafka.parse_librdkafka_int(text)
        assert (ours if isinstance(ours, int) and not 1 <= ours <= 300_000 else "bad" if isinstance(ours, Bad) else "ok") == backoff, text
        assert (ours if isinstance(ours, int) and ours < 1000 else "bad" if isinstance(ours, Bad) else "ok") == size, text


def test_booleans(asked: list[str], answers: list[list[object]]) -> None:
    for text, (_, _, flag, _) in zip(asked, answers, strict=True):
        assert ("bad" if isinstance(kafka.parse_librdkafka_boolean(text), Bad) else "ok") == flag, text


def test_floating_point_numbers(asked: list[str], answers: list[list[object]]) -> None:
    for text, (_, _, _, linger) in zip(asked, answers, strict=True):
        ours = kafka.parse_librdkafka_double(text)
        refused = isinstance(ours, Bad) or ours < 0 or ours > 900_000
        assert (linger != "ok") == refused, text
