"""Java properties and Spark's conf files. The grammar was compared with java.util.Properties of JDK 17 on 60,000 random texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from reader_facts import assert_sliced, assert_sound, blocks, dependencies, oddities, of, reading, scraps, values

from shoal.facts import Block, Setting
from shoal.readers import Reading
from shoal.readers.properties import parse
from shoal.text import Text


def properties(text: str | bytes, path: str = "client.properties") -> Reading:
    out = reading(text, "properties", path)
    assert_sound(out)
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", [("a", "b")]),
        ("a:b", [("a", "b")]),
        ("a b", [("a", "b")]),
        (" a \t=  b c  ", [("a", "b c  ")]),
        ("a = = b", [("a", "= b")]),
        ("a==b", [("a", "=b")]),
        ("a", [("a", "")]),
        ("a=", [("a", "")]),
        ("# a=b\n! c=d\n\n  # e\nf=g # h", [("f", "g # h")]),
        ("a=b\\\n   c", [("a", "bc")]),
        ("a=b\\\r\n\tc\r\nd=e", [("a", "bc"), ("d", "e")]),
        ("a=b\\\\\nc=d", [("a", "b\\"), ("c", "d")]),
        ("a=b\rc=d", [("a", "b"), ("c", "d")]),
        ("a\\ b\\=c=d", [("a b=c", "d")]),
        ("a=\\u0041\\tx\\q", [("a", "A\txq")]),
        ("a\\\n  =b", [("a", "b")]),
        ("# x\\\na=b", [("a", "b")]),
        ("a=b\\", [("a", "b")]),
        ("\\\n# c\n\\\n\na=b", [("a", "b")]),
    ],
)
def test_grammar(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(entry.key, entry.value) for entry in parse(Text(text))] == expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("bootstrap.servers=a:9092\ngroup.id=g", "x.properties", ("kafka", "consumer", "")),
        ("bootstrap.servers=a:9092\nacks=all", "x.properties", ("kafka", "producer", "")),
        ("bootstrap.servers=a:9092", "admin.properties", ("kafka", "admin", "")),
        ("bootstrap.servers=a:9092", "x.properties", ("kafka", "client", "")),
        ("bootstrap.servers=a:9092\nacks=1\ngroup.id=g", "x.properties", ("kafka", "client", "")),
        ("enable.auto.commit=true\nsession.timeout.ms=1", "x.properties", ("kafka", "consumer", "")),
        ("broker.id=0\nlog.dirs=/x", "server.properties", ("kafka", "broker", "")),
        ("process.roles=broker\nnode.id=1", "kraft.properties", ("kafka", "broker", "")),
        ("name=s\nconnector.class=X\ntopics=t", "sink.properties", ("kafka-connect", "connector", "s")),
        ("bootstrap.servers=a\nkey.converter=X\noffset.storage.topic=o\ngroup.id=g", "x.properties", ("kafka-connect", "worker", "")),
        ("execution.checkpointing.interval=1s\napp.x=y", "application.properties", ("flink", "job", "")),
        ("spark.executor.memory=1g", "x.properties", ("spark", "defaults", "")),
    ],
)
def test_what_a_file_is_for(text: str, path: str, expected: tuple[str, str, str]) -> None:
    assert blocks(properties(text, path)) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "app.name=x\nserver.port=1",
        "dataDir=/x\nclientPort=2181",
        "rootLogger.level=INFO\nlogger.kafka.name=org.apache.kafka",
        "distributionUrl=https\\://x",
        "client.id=x",
        "state=1\nexecution=x",
    ],
)
def test_other_files_are_left_alone(text: str) -> None:
    assert properties(text).facts == []
    assert properties("bootstrap.servers=x\nlog4j.a=b", "log4j.properties").facts == []


def test_settings_and_their_places() -> None:
    out = properties(
        "bootstrap.servers : a:9092,\\\r\n    b:9092\r\nacks=1\nrequest.timeout.ms 5000\nssl.keystore.password=${file:/x:y}\nacks=all\nlinger.ms=@linger@\n"
    )
    assert values(out) == {
        "bootstrap.servers": "a:9092,b:9092",
        "request.timeout.ms": "5000",
        "ssl.keystore.password": None,
        "acks": "all",
        "linger.ms": None,
    }
    assert oddities(out) == [("duplicate-key", "acks")]
    first = of(out, Setting)[0]
    assert out.raw[first.value_span.start : first.value_span.end] == "a:9092,\\\r\n    b:9092"


def test_encodings() -> None:
    assert values(properties("bootstrap.servers=é".encode("latin-1"))) == {"bootstrap.servers": "é"}
    assert values(properties(b"\xef\xbb\xbfbootstrap.servers=x\r\n")) == {"bootstrap.servers": "x"}
    assert values(properties("bootstrap.servers={{ servers }}\n{{ if x }}\nacks=1\n{{ end }}\n")) == {
        "bootstrap.servers": None,
        "acks": "1",
    }


def test_a_bad_escape_is_an_oddity() -> None:
    assert ("bad-escape", "acks") in oddities(properties("bootstrap.servers=x\nacks=\\uZZZZ"))


def test_spark_conf() -> None:
    text = "# c\nspark.master   yarn\nspark.a=10s # x\nspark.b: c  \nlog4j.x y\nfoo.bar z\nspark.jars.packages io.delta:delta-core_2.12:2.4.0,a:b:c\n"
    out = reading(text, "spark-conf", "spark-defaults.conf")
    assert values(out) == {
        "spark.master": "yarn",
        "spark.a": "10s # x",
        "spark.b": "c",
        "spark.jars.packages": "io.delta:delta-core_2.12:2.4.0,a:b:c",
    }
    assert_sliced(out)
    assert oddities(out) == [("non-spark-property", "foo.bar")]
    assert dependencies(out) == [("maven", "io.delta:delta-core_2.12", "2.4.0", True)]
    assert reading("akka { x = 1 }\nspark { y = 2 }", "spark-conf", "x-spark.conf").facts == []
    assert of(reading("{{ include }}\nspark.a b", "spark-conf"), Block)[0].open


@settings(max_examples=200, deadline=None)
@given(
    scraps(
        "bootstrap.servers",
        "acks=1\n",
        "spark.a b\n",
        "execution.checkpointing.interval=1\n",
        "\\\n",
        "\\u00",
        "!",
        ":",
        "connector.class=x\n",
        "name=y\n",
        "\r",
    )
)
def test_no_text_trips_the_readers(text: str) -> None:
    properties(text)
    assert_sound(reading(text, "spark-conf"))


def test_debezium_server() -> None:
    out = reading(
        "debezium.source.connector.class=io.debezium.connector.mysql.MySqlConnector\n"
        "debezium.source.offset.storage.file.filename=data/offsets.dat\n"
        "debezium.sink.type=kafka\n"
        "debezium.sink.kafka.producer.acks=1\n"
        "debezium.transforms=route\n"
        "quarkus.log.level=INFO\n",
        "properties",
        "application.properties",
    )
    assert blocks(out) == [("kafka-connect", "connector", ""), ("kafka", "producer", "")]
    assert values(out, "producer") == {"acks": "1"}
    assert set(values(out, "connector")) == {"connector.class", "offset.storage.file.filename", "transforms"}


def test_what_spring_tells_its_clients() -> None:
    out = reading(
        "spring.application.name=orders\nspring.kafka.bootstrap-servers=broker:9092\nspring.kafka.properties.security.protocol=SSL\n"
        "spring.kafka.consumer.group-id=orders\nspring.kafka.consumer.properties.max.poll.interval.ms=60000\n"
        "spring.kafka.consumer.fetch-max-wait=5s\nspring.kafka.listener.ack-mode=manual\n",
        "properties",
        "application.properties",
    )
    (block,) = of(out, Block)
    assert (block.engine, block.role, block.open, block.trait("framework")) == ("kafka", "consumer", True, "spring")
    assert values(out) == {
        "bootstrap.servers": "broker:9092",
        "security.protocol": "SSL",
        "group.id": "orders",
        "max.poll.interval.ms": "60000",
    }
