"""Pipelines of Flink CDC in YAML."""

from __future__ import annotations

import pytest
from reader_facts import assert_sliced, assert_sound, blocks, oddities, reading, values

PIPELINE = r"""
source:
  type: mysql
  hostname: db
  tables: shop.\.*
  debezium:
    max.queue.size: 10
sink:
  type: kafka
  properties.bootstrap.servers: broker:9092
  include.schema.changes: [add.column, drop.column]
route:
  - source-table: shop.orders
    sink-table: lake.orders
transform:
  - source-table: shop.orders
    projection: \*
pipeline:
  name: shop
  parallelism: 2
extra: 1
"""


def test_each_part_is_a_block():
    out = reading(PIPELINE.replace("[add.column, drop.column]", "x"), "yaml")
    assert_sound(out)
    assert_sliced(out)
    assert blocks(out) == [
        ("flink-cdc", "pipeline", "shop"),
        ("flink-cdc", "source", "mysql"),
        ("flink-cdc", "sink", "kafka"),
        ("flink-cdc", "route", ""),
        ("flink-cdc", "transform", ""),
    ]
    assert values(out, "source") == {"type": "mysql", "hostname": "db", "tables": r"shop.\.*"}
    assert values(out, "route") == {"source-table": "shop.orders", "sink-table": "lake.orders"}
    assert oddities(out) == [("cdc-nested", "debezium"), ("cdc-unknown-section", "extra")]


def test_lists_of_schema_changes_are_read():
    assert values(reading(PIPELINE, "yaml"), "sink")["include.schema.changes"] == "add.column,drop.column"


def test_a_route_that_is_no_list():
    text = "source: {type: mysql, tables: a.b}\nsink: {type: values}\nroute:\n  source-table: a.b\n"
    assert oddities(reading(text, "yaml")) == [("cdc-no-list", "route")]


def test_in_a_config_map():
    inner = "".join(f"    {line}\n" for line in PIPELINE.strip().split("\n"))
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: jobs\ndata:\n  mysql-to-kafka.yaml: |\n{inner}"
    text = text.replace("kafka", "doris").replace("properties.bootstrap.servers", "fenodes")
    assert ("flink-cdc", "sink", "doris") in blocks(reading(text, "yaml"))


@pytest.mark.parametrize(
    "text",
    [
        "source:\n  type: mysql\n  config: {host_port: 'db:3306'}\nsink:\n  type: datahub-rest\n  config: {server: gms}\n",
        "source:\n  type: mysql\n  serviceName: shop\nsink:\n  type: metadata-rest\n  config: {}\nworkflowConfig: {}\n",
        "source:\n  type: http\nsink:\n  type: file\nbuffer: 10\n",
        "source: mysql\nsink: doris\n",
    ],
)
def test_what_is_no_pipeline(text: str):
    assert [block for block in blocks(reading(text, "yaml")) if block[0] == "flink-cdc"] == []
