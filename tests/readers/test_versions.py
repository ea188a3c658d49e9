"""Pins, images and jar names, and what they say about engines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_facts import assert_sound, dependencies, of, reading, scraps

from shoal.facts import Dependency
from shoal.model import Place, Span
from shoal.readers import Reading
from shoal.readers.images import parse, read_image
from shoal.readers.jars import parse as parse_jar
from shoal.readers.versions import engine_version, engine_versions, misses

HERE = Place("x", Span(0, 0))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("apache-flink==1.18.1", ("apache-flink", "1.18.1", True)),
        ("Apache_Flink == 1.18.1  # pinned", ("apache-flink", "1.18.1", True)),
        ("apache-beam[gcp,aws]==2.50.0 ; python_version < '3.12'", ("apache-beam", "2.50.0", True)),
        ("pyspark>=3.4,<4", ("pyspark", ">=3.4,<4", False)),
        ("pyspark (==3.5.0)", ("pyspark", "3.5.0", True)),
        ("pyspark~=3.5.0", ("pyspark", "~=3.5.0", False)),
        ("apache-flink==1.18.*", ("apache-flink", "==1.18.*", False)),
        ("kafka-python", ("kafka-python", "", False)),
        ("apache-flink==1.18.1 \\\n    --hash=sha256:abc", ("apache-flink", "1.18.1", True)),
        ("https://x/apache_flink-1.18.1-cp310-cp310-manylinux1_x86_64.whl", ("apache-flink", "1.18.1", True)),
    ],
)
def test_requirements(line: str, expected: tuple[str, str, bool]) -> None:
    out = reading(f"requests==2\r\n# apache-beam==1\n{line}\r\n-r other.txt\n", "requirements")
    assert dependencies(out) == [("pypi", *expected)]
    (one,) = of(out, Dependency)
    written = out.raw[one.place.span.start : one.place.span.end]
    assert written.endswith((expected[1].lstrip("="), ".whl")) and written[:1].isalpha()


@pytest.mark.parametrize(
    "line",
    [
        "-e git+https://x/apache-flink.git#egg=apache-flink",
        "./apache-flink",
        "apache-flink @ file:///x",
        "# apache-flink==1",
        "--find-links apache-flink==1",
        "flink==1",
    ],
)
def test_lines_without_a_version_of_interest(line: str) -> None:
    assert dependencies(reading(line, "requirements")) == []


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("flink:1.18.1-scala_2.12-java11", ("flink", "1.18.1-scala_2.12-java11")),
        ("registry.example.com:5000/apache/flink:1.20", ("apache/flink", "1.20")),
        ("localhost/flink", ("flink", "")),
        ("flink@sha256:abc", ("flink", "")),
        ("flink:2.0@sha256:abc", ("flink", "2.0")),
        ("docker.io/bitnami/spark:3.5.0", ("bitnami/spark", "3.5.0")),
    ],
)
def test_image_references(reference: str, expected: tuple[str, str]) -> None:
    image = parse(reference)
    assert image is not None and (image.name, image.tag) == expected


def test_images_of_interest() -> None:
    out = Reading("x", "image")
    for reference in (
        "postgres:15",
        "mycorp/my-flink-job:7",
        "{{ .Values.image }}",
        "flink:${V}",
        "flink:latest",
        "flink",
        "confluentinc/cp-kafka:7.5.0",
    ):
        read_image(reference, Span(0, 5), out)
    assert dependencies(out) == [
        ("image", "flink", "latest", False),
        ("image", "flink", "", False),
        ("image", "confluentinc/cp-kafka", "7.5.0", True),
    ]
    block = out.block("flink", "deployment", "manifest", Span(0, 5))
    read_image("mycorp/my-flink-job:latest", Span(0, 5), out, block)
    assert dependencies(out)[-1] == ("image", "mycorp/my-flink-job", "latest", False)


@pytest.mark.parametrize(
    ("ecosystem", "name", "version", "expected"),
    [
        ("pypi", "apache-flink", "1.20.5", [("flink", "1.20.5")]),
        ("pypi", "apache-beam", "2.64.0", [("beam", "2.64.0")]),
        ("pypi", "pyspark", "4.0.0", [("spark", "4.0.0")]),
        ("pypi", "requests", "1", []),
        ("image", "flink", "1.18.1-scala_2.12-java11", [("flink", "1.18.1"), ("scala", "2.12")]),
        ("image", "pyflink/pyflink", "1.16.0-scala_2.12", [("flink", "1.16.0"), ("scala", "2.12")]),
        ("image", "bitnami/spark", "3.5", [("spark", "3.5")]),
        ("image", "flink", "latest", []),
        ("image", "confluentinc/cp-kafka", "7.5.0", [("confluent-platform", "7.5.0"), ("kafka", "3.5")]),
        ("image", "wurstmeister/kafka", "2.13-2.8.1", [("kafka", "2.8.1")]),
        ("image", "apache/beam_flink1.18_job_server", "2.56.0", [("beam", "2.56.0"), ("flink", "1.18")]),
        ("image", "apache/beam_python3.11_sdk", "2.56.0", [("beam", "2.56.0")]),
        ("image", "jupyter/pyspark-notebook", "spark-3.5.0", [("spark", "3.5.0")]),
        ("image", "mirror/apache/flink", "1.19.1", [("flink", "1.19.1")]),
        ("image", "mycorp/flink-job", "7.1.0", []),
        ("jar", "flink-sql-connector-kafka", "3.3.0-1.20", [("flink-connector-kafka", "3.3.0"), ("flink", "1.20")]),
        ("jar", "flink-connector-kafka_2.12", "1.14.4", [("flink-connector-kafka", "1.14.4"), ("flink", "1.14.4"), ("scala", "2.12")]),
        ("jar", "flink-sql-connector-mysql-cdc", "3.1.0", [("flink-connector-mysql-cdc", "3.1.0")]),
        ("jar", "flink-connector-clickhouse", "1.17-0.1.3-all", [("flink-connector-clickhouse", "0.1.3"), ("flink", "1.17")]),
        ("jar", "flink-connector-starrocks", "1.2.6_flink-1.17", [("flink-connector-starrocks", "1.2.6"), ("flink", "1.17")]),
        ("jar", "flink-doris-connector-1.16", "1.4.0", [("flink-connector-doris", "1.4.0"), ("flink", "1.16")]),
        ("jar", "flink-connector-redis_2.12", "1.1.0", [("flink-connector-redis", "1.1.0"), ("scala", "2.12")]),
        ("jar", "flink-connector-elasticsearch7_2.11", "1.13.6", [("flink-connector-elasticsearch7", "1.13.6"), ("flink", "1.13.6"), ("scala", "2.11")]),
        ("jar", "flink-sql-connector-kafka", "4.0.0-2.0", [("flink-connector-kafka", "4.0.0"), ("flink", "2.0")]),
        ("jar", "iceberg-flink-runtime-1.18", "1.5.0", [("iceberg", "1.5.0"), ("flink", "1.18")]),
        ("jar", "flink-faker", "0.5.3", []),
        ("maven", "org.apache.flink:flink-streaming-java", "1.18.1", [("flink", "1.18.1")]),
        ("maven", "org.apache.flink:flink-shaded-guava", "31.1-17.0", []),
        ("maven", "org.apache.spark:spark-sql-kafka-0-10_2.12", "3.5.0", [("spark-kafka", "3.5.0"), ("scala", "2.12")]),
        ("maven", "org.apache.spark:spark-sql_2.13", "4.0.0", [("spark", "4.0.0"), ("scala", "2.13")]),
        ("maven", "org.apache.beam:beam-runners-flink-1.18", "2.56.0", [("beam", "2.56.0"), ("flink", "1.18")]),
        ("maven", "org.apache.kafka:kafka-clients", "3.4.0", [("kafka-clients", "3.4.0")]),
        ("maven", "com.example:flink-core", "1.0", []),
        ("field", "flink", "v1_20", [("flink", "1.20")]),
        ("field", "spark", "3.5.0", [("spark", "3.5.0")]),
    ],
)  # fmt: skip
def test_what_a_dependency_says(ecosystem: str, name: str, version: str, expected: list[tuple[str, str]]) -> None:
    assert list(engine_versions(Dependency(ecosystem, name, version, HERE))) == expected


def test_ranges_say_what_they_fix() -> None:
    def of_range(specifier: str) -> tuple[str, str] | None:
        return engine_version(Dependency("pypi", "apache-flink", specifier, HERE, exact=False))

    assert of_range("==1.18.*") == ("flink", "1.18")
    assert of_range("~=1.18.1") == ("flink", "1.18")
    assert of_range(">=1.18") is None and of_range("") is None and of_range("~=1.18") is None


def test_the_engine_comes_before_the_connector() -> None:
    assert engine_version(Dependency("jar", "flink-sql-connector-kafka", "3.3.0-1.20", HERE)) == ("flink", "1.20")
    assert engine_version(Dependency("jar", "flink-sql-connector-mysql-cdc", "3.1.0", HERE)) == ("flink-connector-mysql-cdc", "3.1.0")


@given(st.text(max_size=60))
def test_any_file_name(name: str) -> None:
    parse_jar(name + ".jar")
    parse(name)


@settings(max_examples=100, deadline=None)
@given(scraps("apache-flink", "==1.18", "[x]", ">=2,<3", "\n", "-r x", "https://x/", ".whl", "#egg=", "@", "~="))
def test_no_text_trips_the_requirements_reader(text: str) -> None:
    assert_sound(reading(text, "requirements"))


@pytest.mark.parametrize(
    ("specifier", "minors", "outside"),
    [
        (">=2.0.0,<3.0.0", [(2, 0), (2, 3), (2,)], [(1, 17), (3, 0), (1,)]),
        ("^2.0", [(2, 0), (2, 9)], [(1, 20), (3, 0)]),
        ("^0.5", [(0, 5)], [(0, 6)]),
        ("~=1.19", [(1, 19), (1, 20)], [(1, 18), (2, 0)]),
        ("~=1.19.1", [(1, 19)], [(1, 18), (1, 20)]),
        ("~1.19", [(1, 19)], [(1, 18), (1, 20)]),
        ("==1.18.*", [(1, 18)], [(1, 17), (1, 19)]),
        ("2.*", [(2, 4)], [(1, 20)]),
        (">1.18,!=1.18.2,<=1.19.1", [(1, 18), (1, 19)], [(1, 17), (1, 20)]),
        ("<2", [(1, 20)], [(2, 0), (2,)]),
        ("^1.15 || ^2", [(1, 15), (3, 0)], []),
        ("newest", [(1, 15)], []),
    ],
)
def test_what_a_range_leaves_out(specifier: str, minors: list[tuple[int, ...]], outside: list[tuple[int, ...]]) -> None:
    assert not [minor for minor in minors if misses(specifier, minor)]
    assert not [minor for minor in outside if not misses(specifier, minor)]
