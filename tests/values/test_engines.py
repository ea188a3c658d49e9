"""Our reading of every text against the engines' own."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable

import pytest

from shoal.values import Bad, Duration, MemorySize, beam, flink, flink_yaml, kafka, spark

from . import engine, texts

pytestmark = pytest.mark.engine

UNITS = ("BYTES", "KILO_BYTES", "MEGA_BYTES", "GIGA_BYTES", "TERA_BYTES")
"""The constants of the enum that the driver reads: MemorySize.MemoryUnit."""

Reading = Callable[[str], object]


@pytest.fixture(scope="module")
def asked() -> list[str]:
    return texts.generate(600)


@pytest.fixture(scope="module")
def answers(asked: list[str]) -> dict[tuple[str, str], list[str]]:
    return engine.ask(asked)


def encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def show(value: object) -> str:
    """Our value as the driver prints the engine's."""
    if isinstance(value, Bad):
        return "bad"
    return "ok\t" + show_good(value)


def show_good(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return encode(value)
    if isinstance(value, float):
        return "7ff8000000000000" if value != value else f"{struct.unpack('>Q', struct.pack('>d', value))[0]:x}"
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{show_good(key)}:{show_good(item)}" for key, item in value.items())) + "}"
    if isinstance(value, (list, spark.Interval)):
        return "[" + ",".join(map(show_good, value)) + "]"
    if isinstance(value, Duration):
        return str(value.nanos)
    return str(value.bytes) if isinstance(value, MemorySize) else str(value).replace("None", "null")


def compare(answers: dict[tuple[str, str], list[str]], name: str, question: str, asked: list[str], read: Reading) -> None:
    replies = answers[name, question]
    assert len(replies) == len(asked)
    assert any(reply.startswith("ok") for reply in replies)
    differing = []
    for text, reply in zip(asked, replies, strict=True):
        ours = show(read(text))
        theirs = "bad" if reply.startswith("bad") else reply
        if ours != theirs:
            differing.append((text[:80], ours, reply))
    if differing:
        lines = [f"{text!r}: ours {ours}, theirs {theirs}" for text, ours, theirs in differing[:20]]
        pytest.fail(f"{name}, {question}: {len(differing)} texts are read otherwise\n" + "\n".join(lines), pytrace=False)


@pytest.mark.parametrize("release", engine.FLINK_VERSIONS)
@pytest.mark.parametrize(
    "kind", ["duration", "memory", "boolean", "int", "long", "float", "double", "list<string>", "list<int>", "map", "enum"]
)
def test_flink(answers: dict[tuple[str, str], list[str]], asked: list[str], release: str, kind: str) -> None:
    major, minor, _ = map(int, release.split("."))
    compare(answers, f"flink-{release}", kind, asked, lambda text: flink.parse(kind, text, UNITS, (major, minor)))


def test_flink_without_a_version_takes_all_that_any_takes(answers: dict[tuple[str, str], list[str]], asked: list[str]) -> None:
    for (name, kind), replies in answers.items():
        if name.startswith("flink") and kind != "plain scalar":
            for text, reply in zip(asked, replies, strict=True):
                if reply.startswith("ok"):
                    assert not isinstance(flink.parse(kind, text, UNITS), Bad), (name, kind, text)


@pytest.mark.parametrize("release", ["1.19.3", "2.3.0"])
def test_plain_scalars_of_config_yaml(answers: dict[tuple[str, str], list[str]], asked: list[str], release: str) -> None:
    """Only for texts that are one plain scalar to any YAML reader."""
    for text, reply in zip(asked, answers[f"flink-{release}", "plain scalar"], strict=True):
        if (
            text.isascii()
            and text.isprintable()
            and text == text.strip()
            and not set(text) & set("[]{}&*!|>'\"%@`#,:?-")
            and len(text) < 100
        ):
            assert show(flink_yaml.print_plain(text)) == reply, text


@pytest.mark.parametrize("release", ["3.5.7", "4.0.1"])
@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("time MILLISECONDS", lambda text: _in_units(spark.parse_time(text, "ms"), 1_000_000)),
        ("time SECONDS", lambda text: _in_units(spark.parse_time(text, "s"), 1_000_000_000)),
        ("bytes BYTE", lambda text: _in_units(spark.parse_bytes(text, "b"), 1)),
        ("bytes KiB", lambda text: _in_units(spark.parse_bytes(text, "k"), 1 << 10)),
        ("bytes MiB", lambda text: _in_units(spark.parse_bytes(text, "m"), 1 << 20)),
        ("bytes GiB", lambda text: _in_units(spark.parse_bytes(text, "g"), 1 << 30)),
        ("boolean", spark.parse_boolean),
        ("int", spark.parse_int),
        ("long", spark.parse_long),
        ("double", spark.parse_double),
        ("interval", spark.parse_calendar_interval),
        ("trigger", lambda text: _in_units(spark.parse_trigger(text), 1_000_000)),
    ],
)
def test_spark(answers: dict[tuple[str, str], list[str]], asked: list[str], release: str, question: str, read: Reading) -> None:
    """Scala 2.12, under Spark 3, does not take the long s for an s as Scala 2.13 does; we do."""
    skipped = "\u017f" if question == "boolean" and release.startswith("3") else "\0\0"
    replies = answers[f"spark-{release}", question]
    kept = [(text, reply) for text, reply in zip(asked, replies, strict=True) if skipped not in text]
    compare({("spark", question): [reply for _, reply in kept]}, "spark", question, [text for text, _ in kept], read)


def _in_units(value: Duration | MemorySize | Bad, size: int) -> object:
    return value if isinstance(value, Bad) else value[0] // size


@pytest.mark.parametrize("release", ["3.9.1", "4.1.0"])
@pytest.mark.parametrize("kind", ["BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST"])
def test_kafka(answers: dict[tuple[str, str], list[str]], asked: list[str], release: str, kind: str) -> None:
    compare(answers, f"kafka-{release}", kind, asked, lambda text: kafka.parse(kind, text))


@pytest.mark.parametrize("kind", ["int", "long", "double", "boolean"])
def test_beam_java(answers: dict[tuple[str, str], list[str]], asked: list[str], kind: str) -> None:
    """Without the empty text, which Beam refuses itself, and the ones that are too long for some releases of Jackson."""
    kept = [(text, reply) for text, reply in zip(asked, answers["jackson-2.15.4", kind], strict=True) if text and len(text) < 1000]
    replies = {("beam", kind): [reply for _, reply in kept]}
    compare(replies, "beam", kind, [text for text, _ in kept], lambda text: beam.parse_java(kind, text))
