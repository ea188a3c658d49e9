"""The value grammars as tables: what was tried on the real engines, without them."""

from __future__ import annotations

import argparse

import pytest

from shoal.values import Bad, Duration, MemorySize, beam, flink, flink_yaml, kafka, spark

MILLI = 1_000_000
SECOND = 1000 * MILLI
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE
KIB, MIB, GIB, TIB = (1 << shift for shift in (10, 20, 30, 40))


def suggestion(value: object) -> str | None:
    assert isinstance(value, Bad), value
    assert value.why
    return value.suggestion


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("1000", SECOND),
        ("0", 0),
        ("10s", 10 * SECOND),
        (" 10  SECONDS ", 10 * SECOND),
        ("10 sec", 10 * SECOND),
        ("10 secs", 10 * SECOND),
        ("10 min", 10 * MINUTE),
        ("10 m", 10 * MINUTE),
        ("10 Minutes", 10 * MINUTE),
        ("2 h", 120 * MINUTE),
        ("1 d", DAY),
        ("5 millis", 5 * MILLI),
        ("5 µs", 5000),
        ("5 micros", 5000),
        ("5 nanos", 5),
        ("PT10M", 10 * MINUTE),
        ("pt1.5s", 1500 * MILLI),
        ("P1DT1S", DAY + SECOND),
        ("-PT-5S", 5 * SECOND),
        ("99999999999999999999 ns", 99999999999999999999),
    ],
)
def test_flink_takes_these_durations(text: str, nanos: int) -> None:
    assert flink.parse_duration(text) == Duration(nanos)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("10 mins", "10 min"),
        ("60 mins", "60 min"),
        ("1.5 s", "1500 ms"),
        ("1h30m", "90 min"),
        ("1 hour, 30 minutes", "90 min"),
        ("1w", "7 d"),
        ("10 us", "10 micros"),
        ("10_000", "10000"),
        ("+5 s", "5 s"),
        ("'10 s'", "10 s"),
        ("P1W", "7 d"),
        ("-1", None),
        ("", None),
        ("1.5", None),
        ("1,5 s", None),
        ("10 parsecs", None),
        ("1 month", None),
        ("P1M", None),
        ("PT-5S", None),
        ("s", None),
        ("٥ s", None),
        ("9223372036854775808 s", None),
    ],
)
def test_flink_refuses_these_durations(text: str, meant: str | None) -> None:
    assert suggestion(flink.parse_duration(text)) == meant


def test_flink_durations_grew_with_the_versions() -> None:
    assert suggestion(flink.parse_duration("10 m", (1, 14))) == "10 min"
    assert flink.parse_duration("10 m", (1, 15)) == Duration(10 * MINUTE)
    assert suggestion(flink.parse_duration("PT10M", (2, 0))) == "10 min"
    assert flink.parse_duration("PT10M", (2, 1)) == Duration(10 * MINUTE)
    assert isinstance(flink.parse_duration("9223372036854775808 ns", (1, 20)), Bad)
    assert flink.parse_duration("9223372036854775808 ns", (2, 0)) == Duration(1 << 63)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1024", 1024),
        ("0", 0),
        ("1 b", 1),
        ("64kb", 64 * KIB),
        ("512 M", 512 * MIB),
        ("4 GB", 4 * GIB),
        ("4g", 4 * GIB),
        ("1 tebibytes", TIB),
    ],
)
def test_flink_takes_these_sizes(text: str, size: int) -> None:
    assert flink.parse_memory(text) == MemorySize(size)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1.5g", "1536 mb"),
        ("1 MiB", "1 mb"),
        ("1Gi", "1 gb"),
        ("1gib", "1 gb"),
        ("1 byte", "1 b"),
        ("1p", "1024 tb"),
        ("-1", None),
        ("", None),
        ("1 gigabyte", None),
        ("50%", None),
        ("8388608t", None),
    ],
)
def test_flink_refuses_these_sizes(text: str, meant: str | None) -> None:
    assert suggestion(flink.parse_memory(text)) == meant


def test_flink_booleans() -> None:
    assert flink.parse_boolean("TrUe") is True
    assert flink.parse_boolean("FALSE") is False
    assert {text: suggestion(flink.parse_boolean(text)) for text in ("yes", "on", "No", "1", " true", "'true'", "maybe", "")} == {
        "yes": "true",
        "on": "true",
        "No": "false",
        "1": "true",
        " true": "true",
        "'true'": "true",
        "maybe": None,
        "": None,
    }


def test_flink_enums_want_underscores() -> None:
    modes = ("EXACTLY_ONCE", "AT_LEAST_ONCE")
    assert flink.parse_enum("exactly_once", modes) == "EXACTLY_ONCE"
    assert suggestion(flink.parse_enum("exactly-once", modes)) == "EXACTLY_ONCE"
    assert suggestion(flink.parse_enum("ExactlyOnce", modes)) == "EXACTLY_ONCE"
    assert suggestion(flink.parse_enum("exactly twice", modes)) is None
    assert flink.parse_enum("fixed-delay", ("fixed-delay",)) == "fixed-delay"


def test_flink_numbers() -> None:
    assert flink.parse_int("+5") == 5
    assert flink.parse_int("٥") == 5
    assert suggestion(flink.parse_int("1_000")) == "1000"
    assert suggestion(flink.parse_int("4.0")) == "4"
    assert suggestion(flink.parse_int(" 5")) == "5"
    assert suggestion(flink.parse_int("5L")) == "5"
    assert suggestion(flink.parse_int("10 s")) is None
    assert suggestion(flink.parse_int("2147483648")) is None
    assert flink.parse_long("2147483648") == 2147483648
    assert flink.parse("double", " 1e3f ") == 1000.0
    assert flink.parse("float", "0.1") == 0.10000000149011612
    assert isinstance(flink.parse("double", "0,5"), Bad)


def test_flink_lists_and_maps() -> None:
    assert flink.parse_list("a; 'b;c' ;;d;") == ["a", "b;c", "", "d"]
    assert flink.parse_list("'it''s'") == ["it's"]
    assert isinstance(flink.parse_list("'a' b"), Bad)
    assert isinstance(flink.parse_list("'a"), Bad)
    assert flink.parse_list("[a, 'b', 0x1F]") == ["a", "b", "31"]
    assert flink.parse_list("[a, b]", (1, 18)) == ["[a, b]"]
    assert flink.parse_map("a:b,'c:''d;e'''") == {"a": "b", "c": "d;e"}
    assert flink.parse_map("a:b,c:d") == {"a": "b", "c": "d"}
    assert flink.parse_map("{a: 1, b: true}") == {"a": "1", "b": "true"}
    assert isinstance(flink.parse_map("{a: 1}", (1, 18)), dict)
    assert isinstance(flink.parse_map("a"), Bad)
    assert isinstance(flink.parse_map("a:b,a:c"), Bad)
    assert flink.parse("list<duration>", "1 s;2 min") == [Duration(SECOND), Duration(2 * MINUTE)]
    assert isinstance(flink.parse("list<int>", "1;x"), Bad)


def test_plain_scalars_of_config_yaml() -> None:
    printed = {
        "0x1F": "31",
        "0o17": "15",
        "010": "10",
        "+5": "5",
        "1e3": "1000.0",
        "1.50": "1.5",
        "True": "true",
        "on": "on",
        "yes": "yes",
        "1_000": "1_000",
        "10 s": "10 s",
        "1e10": "1.0E10",
        "~": None,
        "": None,
        "null": None,
        "none": "none",
    }
    assert {text: flink_yaml.print_plain(text) for text in printed} == printed


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("10 seconds", 10 * SECOND),
        ("1 second", SECOND),
        ("1 hour 30 minutes", 90 * MINUTE),
        ("1.5 seconds", 1500 * MILLI),
        ("2 WEEKS", 14 * DAY),
        ("interval 10 minutes", 10 * MINUTE),
        ("0 seconds", 0),
        ("5 minutes -1 minute", 4 * MINUTE),
    ],
)
def test_spark_takes_these_intervals(text: str, nanos: int) -> None:
    assert spark.parse_interval(text) == Duration(nanos)
    assert spark.parse_trigger(text) == Duration(nanos)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("10s", "10 seconds"),
        ("1s", "1 second"),
        ("500ms", "500 milliseconds"),
        ("10m", "10 minutes"),
        ("10 min", "10 minutes"),
        ("10 sec", "10 seconds"),
        ("1.5 minutes", "90 seconds"),
        ("1h30m", "90 minutes"),
        ("10", None),
        ("", None),
        ("ten seconds", None),
        ("-5 seconds", None),
        ("10 nanoseconds", None),
    ],
)
def test_spark_refuses_these_intervals(text: str, meant: str | None) -> None:
    assert suggestion(spark.parse_interval(text)) == meant
    assert suggestion(spark.parse_trigger(text)) == meant


def test_spark_months_are_31_days_in_a_watermark_and_refused_in_a_trigger() -> None:
    assert spark.parse_interval("1 month") == Duration(31 * DAY)
    assert isinstance(spark.parse_trigger("1 month"), Bad)
    assert spark.parse_trigger("1 microsecond") == Duration(0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("interval 10 minutes", 600),
        (" INTERVAL 10 MINUTES", 600),
        ("interval '10' minutes", 600),
        ("interval ' 10 ' minutes", 600),
        ("interval '10 minutes'", 600),
        ("interval'10 minutes'", 600),
        ('interval "10 minutes"', 600),
        ("interval 'interval 10 minutes'", 600),
        ("interval + 10 minutes", 600),
        ("interval 5 minutes -1 minute", 240),
        ("interval '1.5' seconds", 1.5),
        ("interval .5 seconds", 0.5),
        ("interval 1 month", 2678400),
    ],
)
def test_spark_sql_intervals_taken_by_a_watermark(text: str, seconds: float) -> None:
    """As Spark 3.5.7 answered."""
    assert spark.parse_interval(text) == Duration(int(seconds * SECOND))


@pytest.mark.parametrize(
    "text",
    [
        "interval 1.5 minutes",
        "interval '1.5' minutes",
        "interval -10 minutes",
        "interval -'10' minutes",
        "interval 1 month 1 day",
        "interval '1 month 1 day'",
        "interval 10 sec",
        "interval 10s",
        "interval '10s'",
        "interval '10' mins",
        "interval",
        "interval ''",
        "interval10 minutes",
        "interval 1 quarter",
        "interval 1000 nanosecond",
        "interval 1e1 seconds",
        "interval '5' '6' minutes",
        "interval 10 'minutes'",
        "intervals 5 minutes",
        "interval 10 minutes + interval 5 minutes",
    ],
)
def test_spark_sql_intervals_refused_by_a_watermark(text: str) -> None:
    """As Spark 3.5.7 answered."""
    assert isinstance(spark.parse_interval(text), Bad)


def test_spark_sql_intervals_that_only_a_sql_parser_can_read() -> None:
    assert spark.parse_interval("interval '1 10' day to hour") is None
    assert spark.parse_interval("interval 10 /* at least */ minutes") is None


@pytest.mark.parametrize(
    ("text", "millis", "from_seconds"),
    [
        ("10", 10, 10_000),
        ("10s", 10_000, 10_000),
        (" 5M ", 300_000, 300_000),
        ("5min", 300_000, 300_000),
        ("1500ms", 1500, 1000),
        ("100us", 0, 0),
        ("-1", -1, -1000),
    ],
)
def test_spark_takes_these_times(text: str, millis: int, from_seconds: int) -> None:
    assert spark.parse_time(text) == Duration(millis * MILLI)
    assert spark.parse_time(text, "s") == Duration(from_seconds * MILLI)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5 minutes", "5m"),
        ("10 sec", "10s"),
        ("1.5s", "1500ms"),
        ("10 s", "10s"),
        ("1w", "7d"),
        ("1h30m", "90m"),
        ("", None),
        ("10 ns", None),
    ],
)
def test_spark_refuses_these_times(text: str, meant: str | None) -> None:
    assert suggestion(spark.parse_time(text)) == meant


def test_spark_sizes() -> None:
    assert spark.parse_bytes("1g") == MemorySize(GIB)
    assert spark.parse_bytes("512", "m") == MemorySize(512 * MIB)
    assert spark.parse_bytes("1500k", "m") == MemorySize(MIB)
    assert spark.parse_bytes("-1") == MemorySize(-1)
    assert suggestion(spark.parse_bytes("1.5g")) == "1536m"
    assert suggestion(spark.parse_bytes("1 g")) == "1g"
    assert suggestion(spark.parse_bytes("1GiB")) == "1g"
    assert suggestion(spark.parse_bytes("lots")) is None


def test_spark_booleans_are_trimmed() -> None:
    assert spark.parse_boolean(" True\t") is True
    assert suggestion(spark.parse_boolean("yes")) == "true"


def test_kafka_clients_differ() -> None:
    assert kafka.parse("INT", " 5 ") == 5
    assert isinstance(kafka.parse("INT", "10 s"), Bad)
    assert kafka.parse_librdkafka("INT", "10 s") == 10
    assert isinstance(kafka.parse("INT", "0x10"), Bad)
    assert kafka.parse_librdkafka("INT", "0x10") == 16
    assert kafka.parse("LONG", "010") == 10
    assert kafka.parse_librdkafka("LONG", "010") == 8
    assert isinstance(kafka.parse("INT", "4294967306"), Bad)
    assert kafka.parse_librdkafka("INT", "4294967306") == 10
    assert isinstance(kafka.parse("BOOLEAN", "1"), Bad)
    assert kafka.parse_librdkafka("BOOLEAN", "1") is True
    assert kafka.parse("BOOLEAN", " TRUE ") is True
    assert isinstance(kafka.parse_librdkafka("BOOLEAN", " TRUE "), Bad)
    assert kafka.parse("LIST", " a , b,,c ") == ["a", "b", "", "c"]
    assert kafka.parse("LIST", " ") == []
    assert kafka.parse("SHORT", "32768") == Bad("does not fit a 16-bit integer (-32768 to 32767)", None)


def test_kafka_python_converts_no_texts() -> None:
    assert suggestion(kafka.parse_kafka_python("BOOLEAN", "false")) == "False"
    assert suggestion(kafka.parse_kafka_python("INT", "5000")) == "5000"
    assert kafka.parse_kafka_python("INT", 5000) == 5000
    assert kafka.parse_kafka_python("STRING", "x") == "x"


@pytest.mark.parametrize("text", ["5", " 5 ", "+5", "-5", "1_000", "٥", "5.0", "1e3", "", "x", "0x10", "010", "1__0", "9" * 5000])
def test_beam_python_integers_are_argparse_s(text: str) -> None:
    assert_like_argparse(beam.parse_python("int", text), int, text)


@pytest.mark.parametrize("text", ["5", " .5 ", "1e3", "inf", "nan ", "1_0.5", "", "x", "0x1p3", "1f"])
def test_beam_python_floats_are_argparse_s(text: str) -> None:
    assert_like_argparse(beam.parse_python("float", text), float, text)


def assert_like_argparse(ours: object, kind: type, text: str) -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--option", type=kind)
    try:
        theirs = parser.parse_args([f"--option={text}"]).option
    except argparse.ArgumentError:
        assert isinstance(ours, Bad)
    else:
        assert repr(ours) == repr(theirs)


def test_beam_flags_take_no_value() -> None:
    assert beam.parse_python("boolean", None) is True
    assert isinstance(beam.parse_python("boolean", "true"), Bad)
    assert isinstance(beam.parse_python("int", None), Bad)
    assert beam.parse_java("boolean", None) is True
    assert beam.parse_java("boolean", "True") is True
    assert suggestion(beam.parse_java("boolean", "tRue")) == "true"
    assert isinstance(beam.parse_java("long", ""), Bad)
    assert beam.parse_java("long", "null") is None
    assert beam.parse_java("string", "x") == "x"


def test_values_print_in_the_largest_whole_unit() -> None:
    assert [str(Duration(nanos)) for nanos in (SECOND, 90 * SECOND, 10 * MINUTE, 500 * MILLI, 0, DAY, 1500, 1, -10 * SECOND)] == [
        "1 s",
        "90 s",
        "10 min",
        "500 ms",
        "0 ms",
        "1 d",
        "1500 ns",
        "1 ns",
        "-10 s",
    ]
    assert [str(MemorySize(size)) for size in (GIB, 1536 * MIB, 1, 0, KIB)] == ["1 gb", "1536 mb", "1 b", "0 b", "1 kb"]
    assert Duration(1_999_999).millis == 1
    assert Duration(1500 * MILLI).seconds == 1.5


def test_nothing_is_suggested_that_spark_would_take_for_another_length() -> None:
    assert suggestion(spark.parse_time("0.001H")) == "3600ms"
    assert suggestion(spark.parse_time("0.000001H")) is None, "cut to 3 ms"
    assert suggestion(spark.parse_time("3000000000000000 hours")) is None, "too large"
    assert suggestion(spark.parse_interval("10H")) == "10 hours"
    assert suggestion(spark.parse_interval("3000000000H")) is None, "too large"
