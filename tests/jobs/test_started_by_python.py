"""A program that a container hands to Python as it is has no source for Kafka but what its session names."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import rulebook
from shoal.host import Request, check
from shoal.settings import Settings

PROJECT = {
    "docker-compose.yml": "services:\n  votes:\n    build: .\n    environment:\n      KAFKA_SERVERS: kafka:9092\n",
    "Dockerfile": (
        "FROM python:3.11-slim\nCOPY requirements.txt app/ /app/\nRUN pip install -r /app/requirements.txt\nCMD ['python', '/app/votes.py']\n"
    ).replace("'", '"'),
    "requirements.txt": "pyspark==3.5.1\n",
    "app/session.py": "from pyspark.sql import SparkSession\n\n\ndef make():\n    return SparkSession.builder.appName('votes').getOrCreate()\n",
    "app/votes.py": (
        "from session import make\n\nspark = make()\n"
        "votes = spark.readStream.format('kafka').option('kafka.bootstrap.servers', 'kafka:9092').option('subscribe', 'votes').load()\n"
        "votes.writeStream.format('parquet').option('checkpointLocation', 's3a://lake/chk').start('s3a://lake/votes').awaitTermination()\n"
    ),
}
NAMED = ".config('spark.jars.packages', 'org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1').getOrCreate()"


@pytest.mark.parametrize(
    ("path", "old", "new", "confidence"),
    [
        ("app/votes.py", "", "", ["medium"]),
        ("app/session.py", ".getOrCreate()", NAMED, []),
        ("Dockerfile", "python:3.11-slim", "apache/spark:3.5.1", []),
        ("Dockerfile", 'CMD ["python", "/app/votes.py"]', 'CMD ["bash"]', []),  # whoever submits it may name the package
    ],
)
def test_the_kafka_source(tmp_path: Path, path: str, old: str, new: str, confidence: list[str]) -> None:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace(old, new) if name == path and old else text, encoding="utf-8")
    found = check(Request((str(tmp_path),), str(tmp_path), Settings(), rulebook.load(), cache=False)).findings
    assert [finding.confidence for finding in found if finding.rule == "kafka-source-missing"] == confidence
