"""What holds for every text: nothing raises, what we print and what we suggest is taken."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from shoal.values import Bad, Duration, MemorySize, beam, flink, flink_yaml, kafka, spark
from shoal.values.loose import read_size, read_time

FLINK_TYPES = (
    "duration",
    "memory",
    "boolean",
    "int",
    "long",
    "double",
    "float",
    "string",
    "enum",
    "map",
    "list<string>",
    "list<int>",
    "list<enum>",
    "no such type",
)
SPARK_TYPES = ("boolean", "int", "long", "double", "float", "enum", "time", "bytes", "trigger", "watermark", "list<int>", "regex")
KAFKA_TYPES = ("BOOLEAN", "INT", "LONG", "SHORT", "DOUBLE", "LIST", "STRING", "PASSWORD", "CLASS")

texts = (
    st.text()
    | st.text("0123456789.+-_ eEmMsSgGbBkKinhdpPtTµ\t", max_size=12)
    | st.text("ab'\";:,[]{}#&*!|> \n-", max_size=12)
    | st.from_regex(r"[+-]?[0-9]{1,30}(\.[0-9]{0,12})?\s?[a-zA-Zµ]{0,12}", fullmatch=True)
    | st.text(st.characters(), max_size=5)
)
versions = st.sampled_from((None, (1, 13), (1, 18), (1, 20), (2, 0), (2, 3)))


@given(texts, versions)
def test_nothing_raises_and_suggestions_are_taken(text: str, version: tuple[int, int] | None) -> None:
    for kind in FLINK_TYPES:
        value = flink.parse(kind, text, ("EXACTLY_ONCE", "AT_LEAST_ONCE"), version)
        if isinstance(value, Bad) and value.suggestion is not None:
            assert value.suggestion != text
            assert not isinstance(flink.parse(kind, value.suggestion, ("EXACTLY_ONCE", "AT_LEAST_ONCE"), version), Bad)
    for kind in SPARK_TYPES:
        found = spark.parse(kind, text, ("MIN", "MAX"))
        if isinstance(found, Bad) and found.suggestion is not None:
            assert not isinstance(spark.parse(kind, found.suggestion, ("MIN", "MAX")), Bad)
    for kind in KAFKA_TYPES:
        for read in (kafka.parse, kafka.parse_librdkafka):
            value = read(kind, text)
            if isinstance(value, Bad) and value.suggestion is not None:
                assert not isinstance(read(kind, value.suggestion), Bad)
        kafka.parse_kafka_python(kind, text)
    for kind in ("int", "long", "double", "float", "boolean", "string"):
        beam.parse_python(kind, text)
        beam.parse_java(kind, text)
    flink_yaml.print_plain(text)


@given(texts)
def test_a_suggested_duration_means_the_same(text: str) -> None:
    meant = read_time(text)
    if meant is None:
        return
    for read in (flink.parse_duration, spark.parse_interval, spark.parse_time):
        value = read(text)
        if isinstance(value, Bad) and value.suggestion is not None:
            assert read(value.suggestion) == Duration(meant.total)


@given(texts)
def test_a_suggested_size_means_the_same(text: str) -> None:
    meant = read_size(text)
    if meant is None:
        return
    for read in (flink.parse_memory, spark.parse_bytes):
        value = read(text)
        if isinstance(value, Bad) and value.suggestion is not None:
            assert read(value.suggestion) == MemorySize(meant.total)


@given(st.integers(0, (1 << 63) * 10**9 - 1))
def test_durations_survive_printing(nanos: int) -> None:
    assert flink.parse_duration(str(Duration(nanos))) == Duration(nanos)


@given(st.integers(0, (1 << 63) - 1))
def test_sizes_survive_printing(size: int) -> None:
    assert flink.parse_memory(str(MemorySize(size))) == MemorySize(size)


@given(st.floats())
def test_doubles_survive_printing(value: float) -> None:
    printed = flink_yaml.print_double(value)
    read = flink.parse("double", printed)
    assert read == value or (isinstance(read, float) and math.isnan(read) and math.isnan(value))


@given(st.lists(st.text(max_size=6).filter(lambda text: text == text.strip()), min_size=1, max_size=5))
def test_quoted_list_elements_survive(elements: list[str]) -> None:
    quoted = ";".join("'" + element.replace("'", "''") + "'" for element in elements)
    assert flink.parse_list(quoted, (1, 18)) == elements
