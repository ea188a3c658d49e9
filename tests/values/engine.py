"""The real engines, for the differential tests: their released jars, asked in one JVM."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

FLINK_VERSIONS = ("1.13.6", "1.14.6", "1.15.4", "1.18.1", "1.19.3", "1.20.5", "2.0.2", "2.1.3", "2.2.1", "2.3.0")
CONFLUENT_KAFKA = "2.16.1"

_SLF4J = "org.slf4j:slf4j-api:1.7.36"
_SPARK_LIBRARIES = ("com.esotericsoftware:kryo-shaded:4.0.2", "org.apache.logging.log4j:log4j-api:2.24.3")
_ERROR_TEXTS = (
    "com.fasterxml.jackson.module:jackson-module-scala_2.13:2.18.2",
    "com.thoughtworks.paranamer:paranamer:2.8",
    "org.apache.commons:commons-text:1.13.0",
    "org.apache.commons:commons-lang3:3.17.0",
)
"""What Spark 4 needs to word a refusal."""
_SPARK_PARTS = ("common-utils", "network-common", "unsafe", "sql-api", "core")


def _flink(version: str) -> list[str]:
    parts = [f"org.apache.flink:flink-core:{version}", _SLF4J, "org.snakeyaml:snakeyaml-engine:2.6"]
    if version >= "1.20":
        parts.append(f"org.apache.flink:flink-core-api:{version}")
    return parts


def _spark(version: str, scala: str) -> list[str]:
    binary = scala.rsplit(".", 1)[0]
    return [f"org.apache.spark:spark-{part}_{binary}:{version}" for part in _SPARK_PARTS] + [
        f"org.scala-lang:scala-library:{scala}",
        _SLF4J,
        *_SPARK_LIBRARIES,
    ]


def _jackson(version: str) -> list[str]:
    return [f"com.fasterxml.jackson.core:jackson-{part}:{version}" for part in ("databind", "core", "annotations")]


ENGINES: dict[str, list[str]] = {f"flink-{version}": _flink(version) for version in FLINK_VERSIONS} | {
    "spark-3.5.7": _spark("3.5.7", "2.12.18"),
    "spark-4.0.1": [*_spark("4.0.1", "2.13.16"), *_jackson("2.18.2"), *_ERROR_TEXTS],
    "kafka-3.9.1": ["org.apache.kafka:kafka-clients:3.9.1", _SLF4J],
    "kafka-4.1.0": ["org.apache.kafka:kafka-clients:4.1.0", _SLF4J],
    "jackson-2.15.4": _jackson("2.15.4"),
}
"""Maven coordinates of the jars each engine needs to read a value: a small part of what it needs to run."""

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>shoal.tests</groupId><artifactId>engines</artifactId><version>1</version>
<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId><version>3.8.1</version>
<configuration><outputDirectory>{folder}</outputDirectory><artifactItems>{items}</artifactItems></configuration>
</plugin></plugins></build></project>"""


def cache() -> Path:
    return Path(os.environ.get("SHOAL_TEST_CACHE") or Path.home() / ".cache" / "shoal-tests")


def ask(texts: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """(engine, question) → for each text `ok<TAB>value` or `bad<TAB>exception`. Skips without Java; fails in CI."""
    for tool in ("java", "mvn"):
        if not shutil.which(tool):
            give_up(f"`{tool}` is not installed")
    jars = _fetch_jars(coordinate for parts in ENGINES.values() for coordinate in parts)
    head = [f"{engine}\t{':'.join(str(jars[coordinate]) for coordinate in parts)}" for engine, parts in ENGINES.items()]
    lines = [base64.b64encode(text.encode()).decode() for text in texts]
    done = subprocess.run(
        ["java", "-Xshare:auto", "-Duser.language=en", str(Path(__file__).with_name("Engines.java"))],
        input="\n".join([*head, "", *lines]) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    answers: dict[tuple[str, str], list[str]] = {}
    for line in done.stdout.splitlines():
        engine, question, _number, answer = line.split("\t", 3)
        answers.setdefault((engine, question), []).append(answer)
    return answers


def confluent_kafka() -> Path:
    """A folder to put on the path for a released confluent-kafka, which carries librdkafka."""
    return installed(f"confluent-kafka=={CONFLUENT_KAFKA}")


def installed(*requirements: str) -> Path:
    """A folder to put on the path for released packages, kept in the cache. Skips when they cannot be had; fails in CI."""
    folder = cache() / f"{'-'.join(requirements).replace('==', '-')}-{sys.version_info.major}.{sys.version_info.minor}"
    if not folder.is_dir():
        scratch = folder.with_name(f"{folder.name}.{os.getpid()}")
        command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(scratch), *requirements]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            give_up(f"{' '.join(requirements)} cannot be installed: {done.stderr[-300:]}")
        scratch.rename(folder)
    return folder


def runtime(version: str) -> list[Path]:
    """The jars that Flink shares out the memory of its processes with."""
    name = "flink-runtime" if version >= "1.15" else "flink-runtime_2.12"
    parts = [f"org.apache.flink:{part}:{version}" for part in (name, "flink-annotations", "flink-metrics-core")]
    return list(_fetch_jars([*_flink(version), *parts]).values())


def _fetch_jars(coordinates: Iterable[str]) -> dict[str, Path]:
    folder = cache() / "jars"
    jars = {coordinate: folder / "{1}-{2}.jar".format(*coordinate.split(":")) for coordinate in coordinates}
    missing = [coordinate for coordinate, jar in jars.items() if not jar.is_file()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        items = "".join(
            "<artifactItem><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></artifactItem>".format(
                *coordinate.split(":")
            )
            for coordinate in missing
        )
        pom = folder / "pom.xml"
        pom.write_text(_POM.format(folder=folder, items=items))
        command = ["mvn", "-B", "-q", "-f", str(pom), "dependency:copy"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        if done.returncode:
            give_up(f"the engines' jars cannot be fetched: {(done.stdout + done.stderr)[-600:]}")
    return jars


def give_up(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
