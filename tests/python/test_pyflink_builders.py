"""What a builder is given is known where all of it is in sight."""

from __future__ import annotations

import pytest

from shoal.python.pyflink_builders import given, schema
from tests.python.reading import module

IMPORTS = "from pyflink.datastream.connectors.kafka import KafkaSource\nfrom pyflink.common import SimpleStringSchema, Types\nimport other"

GIVEN = [
    ("KafkaSource.builder().set_topics('a').set_group_id('g').build()", ["set_group_id", "set_topics"]),
    ("b = KafkaSource.builder()\nif other.x:\n    b.set_topics('a')\nb.build()", ["set_topics"]),
    ("def base():\n    return KafkaSource.builder().set_topics('a')\nbase().build()", ["set_topics"]),
    ("other.y.set_topics('b')\nKafkaSource.builder().build()", ["?set_topics"]),
    ("b = KafkaSource.builder()\nother.more(b)\nb.build()", None),
    ("b = KafkaSource.builder()\nother.more(b.build())", []),
]


@pytest.mark.parametrize(("text", "names"), GIVEN)
def test_what_a_builder_is_given(text: str, names: list[str] | None) -> None:
    made = module(text, IMPORTS)
    call = made.named("build")[0]
    found = given(made, made.sure_receivers(call)[0].root)
    assert (sorted(found) if found is not None else None) == names


SCHEMAS = [
    ("probe(SimpleStringSchema())", "pyflink.common.SimpleStringSchema"),
    ("s = SimpleStringSchema('UTF-8')\nprobe(s)", "pyflink.common.SimpleStringSchema"),
    ("probe(Types.STRING())", "pyflink.common.Types.STRING"),
    ("probe(SimpleStringSchema.builder().with_x(1).build())", "pyflink.common.SimpleStringSchema.builder"),
    ("s = SimpleStringSchema()\nif other.x:\n    s = other.schema()\nprobe(s)", ""),
    ("probe(other.schema())", ""),
    ("probe(1)", ""),
]


@pytest.mark.parametrize(("text", "name"), SCHEMAS)
def test_the_class_of_a_schema(text: str, name: str) -> None:
    made = module(text, IMPORTS)
    call = made.named("probe")[0]
    assert schema(made, call.node.args[0].value, call) == name
