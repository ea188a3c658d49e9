"""INI files as configparser reads them. The grammar is compared with configparser itself."""

from __future__ import annotations

import configparser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_facts import assert_sliced, assert_sound, blocks, of, reading, scraps, values

from shoal.facts import Block, Setting
from shoal.readers import Reading
from shoal.readers.ini import sections

CONFLUENT = """\
; what the client is told
[default]
bootstrap.servers=broker:9092
Security.Protocol = SASL_SSL
sasl.mechanisms: PLAIN
topic = orders

[consumer]
group.id=orders
# from the beginning
auto.offset.reset=earliest

[producer]
acks = all
transactional.id = %(name)s
compression.type = ${TYPE}

[logging]
level=INFO
"""


def ini(text: str | bytes) -> Reading:
    out = reading(text, "ini")
    assert_sound(out)
    return out


def test_a_block_for_each_section_of_a_client() -> None:
    out = ini(CONFLUENT)
    assert blocks(out) == [("kafka", "client", "default"), ("kafka", "consumer", "consumer"), ("kafka", "producer", "producer")]
    assert values(out, "client") == {"bootstrap.servers": "broker:9092", "security.protocol": "SASL_SSL", "sasl.mechanisms": "PLAIN"}
    assert values(out, "consumer") == {"group.id": "orders", "auto.offset.reset": "earliest"}
    assert values(out, "producer") == {"acks": "all", "transactional.id": None, "compression.type": None}
    assert {block.trait("library") for block in of(out, Block)} == {"confluent-kafka"}
    assert all(block.open for block in of(out, Block))
    assert CONFLUENT[of(out, Setting)[0].key_span.start :].startswith("bootstrap.servers=broker")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bootstrap.servers=broker:9092\ngroup.id=orders\n",  # no section: no INI file
        "[kafka]\nbootstrap_servers = broker:9092\ntopic = orders\n",  # names of the program's own
        "[consumer]\ngroup.id=orders\nauto.offset.reset=earliest\n",  # nothing says that it is Kafka's
    ],
)
def test_what_is_no_client_is_left_alone(text: str) -> None:
    assert not ini(text).facts


def test_classes_are_named_to_the_java_client() -> None:
    text = "[consumer]\nbootstrap.servers=broker:9092\ngroup.id=orders\nkey.deserializer=org.example.Key\n"
    assert [block.trait("library") for block in of(ini(text), Block)] == [""]


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["[a]", "[b]", "[DEFAULT]", "k = v", "K: w", "  k=x", "more", "  more", "\tdeep = 1", "# k=v", "; c", "", "k=", "a=b=c"]
        )
    )
)
def test_as_configparser_reads_them(lines: list[str]) -> None:
    text = "\n".join(lines)
    parser = configparser.ConfigParser(strict=False, interpolation=None, comment_prefixes=("#", ";"))
    try:
        parser.read_string(text)
    except configparser.Error:
        sections(text)  # whatever it gives, it gives something
        return
    found = sections(text)
    above = {key: option.value for key, option in found.get("DEFAULT", {}).items()}
    for name in parser.sections():
        ours = above | {key: option.value for key, option in found[name].items()}
        theirs = {key: "\n".join(line for line in value.split("\n") if line) for key, value in parser[name].items()}
        assert {key: "\n".join(line for line in value.split("\n") if line) for key, value in ours.items()} == theirs
    assert set(found) - {"DEFAULT"} == set(parser.sections())


@settings(max_examples=200, deadline=None)
@given(scraps("[a]", "bootstrap.servers", "=", ":", "group.id", "broker:9092", "%(x)s", "#", ";", " ", "\n", "\r\n", "{{ x }}", "${A:-b}"))
def test_spans_are_sound(text: str) -> None:
    out = ini(text)
    assert_sliced(out)
