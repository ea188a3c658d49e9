"""Tables that are declared by descriptors are read like those of CREATE TABLE: name, sides, and what their columns are."""

from __future__ import annotations

import pytest

from shoal.facts import Block
from tests.python.reading import reading, settings

IMPORTS = """
from pyflink.table import DataTypes, EnvironmentSettings, FormatDescriptor, Schema, TableDescriptor, TableEnvironment
import other

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
"""
KAFKA = "TableDescriptor.for_connector('kafka').option('topic', 'orders')"
PLAIN = "Schema.new_builder().column('id', DataTypes.BIGINT())"
LIKE = ("like", "a schema out of sight")

TABLES = [
    (f"t_env.create_temporary_table('orders', {KAFKA}.schema({PLAIN}.build()).build())", "orders", {}, False),
    (
        f"t_env.create_table('`a`.orders', {KAFKA}.schema({PLAIN}.build()).build())\nt_env.from_path('orders')",
        "a.orders",
        {"source": "true"},
        False,
    ),
    (
        f"d = {KAFKA}.schema({PLAIN}.primary_key('id').watermark('ts', 'ts').build())\nd = d.format('json').build()\n"
        "t_env.create_temporary_table('orders', d)\nt_env.from_path('others').execute_insert('orders')",
        "orders",
        {"format": "json", "has-watermark": "true", "has-primary-key": "true", "sink": "true"},
        False,
    ),
    (
        f"t_env.create_temporary_table('orders', {KAFKA}.schema({PLAIN}.column_by_expression('now', 'PROCTIME()').build()).build())",
        "orders",
        {"has-computed": "true", "has-proctime": "true"},
        False,
    ),
    (f"t_env.from_path('others').execute_insert({KAFKA}.schema({PLAIN}.build()).build())", "", {"sink": "true"}, False),
    (f"t_env.from_descriptor({KAFKA}.schema({PLAIN}.build()).build())", "", {"source": "true"}, False),
    # what is not in sight
    (f"t_env.create_temporary_table('orders', {KAFKA}.schema(other.schema()).build())", "orders", dict([LIKE]), False),
    (
        f"t_env.create_temporary_table('orders', {KAFKA}.schema({PLAIN}.from_schema(other.schema()).build()).build())",
        "orders",
        dict([LIKE]),
        False,
    ),
    (
        f"s = {PLAIN}\nother.more(s)\nt_env.create_temporary_table('orders', {KAFKA}.schema(s.build()).build())",
        "orders",
        dict([LIKE]),
        False,
    ),
    (f"d = {KAFKA}.schema({PLAIN}.build())\nother.more(d)\nt_env.create_temporary_table('orders', d.build())", "orders", {}, True),
    (f"t_env.create_temporary_table('orders', {KAFKA}.option(other.KEY, '1').schema({PLAIN}.build()).build())", "orders", {}, True),
    (
        f"d = {KAFKA}.schema({PLAIN}.build()).build()\nt_env.create_temporary_table('one', d)\nt_env.create_temporary_table('two', d)",
        "",
        {},
        False,
    ),
    (
        f"t_env.create_temporary_table('files', TableDescriptor.for_connector('filesystem').schema({PLAIN}.build()).build())",
        "files",
        {"connector": "filesystem", "bounded": "true"},
        False,
    ),
]


@pytest.mark.parametrize(("text", "name", "traits", "open_"), TABLES)
def test_tables_of_descriptors(text: str, name: str, traits: dict[str, str], open_: bool) -> None:
    tables = [fact for fact in reading(IMPORTS + text).facts if isinstance(fact, Block) and fact.role == "table"]
    assert [(table.name, dict(table.traits), table.open) for table in tables] == [(name, {"connector": "kafka", **traits}, open_)]


FORMATS = [
    ("'json'", {"format": "json"}),
    (
        "FormatDescriptor.for_format('csv').option('ignore-parse-errors', 'true').build()",
        {"format": "csv", "csv.ignore-parse-errors": "true"},
    ),
]


@pytest.mark.parametrize(("text", "options"), FORMATS)
def test_options_of_formats(text: str, options: dict[str, str]) -> None:
    found = reading(IMPORTS + f"t_env.create_temporary_table('orders', TableDescriptor.for_connector('kafka').format({text}).build())")
    assert settings(found, "table") == {"connector": "kafka", **options}
