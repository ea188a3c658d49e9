"""MirrorMaker 2: its properties, and Strimzi's resource."""

from __future__ import annotations

import pytest
from reader_facts import assert_sliced, assert_sound, blocks, of, reading, values

from shoal.facts import Block

MIRROR = """clusters = eu, eu.west
eu.bootstrap.servers = kafka-1:9092
eu.west.bootstrap.servers = kafka-2:9092
eu.west.producer.acks = all
eu->eu.west.enabled = true
eu->eu.west.topics = orders.*
replication.factor = 3
"""


def test_clusters_and_flows_are_blocks():
    out = reading(MIRROR, "properties", "mm2.properties")
    assert_sound(out)
    assert_sliced(out)
    assert blocks(out) == [
        ("kafka-mirror", "maker", ""),
        ("kafka-mirror", "cluster", "eu"),
        ("kafka", "admin", "eu"),
        ("kafka-mirror", "cluster", "eu.west"),
        ("kafka", "admin", "eu.west"),
        ("kafka-mirror", "flow", "eu->eu.west"),
    ]
    assert values(out, "flow") == {"enabled": "true", "topics": "orders.*"}
    assert values(out, "maker") == {"clusters": "eu, eu.west", "replication.factor": "3"}
    assert values(out, "cluster")["producer.acks"] == "all"


@pytest.mark.parametrize(
    "text", ["clusters = a, b\nlevel = 3\n", "source->target.enabled = true\n", "clusters = a\nb.bootstrap.servers = kafka:9092\n"]
)
def test_what_is_no_mirror(text: str):
    assert [block for block in blocks(reading(text, "properties")) if block[0] == "kafka-mirror"] == []


def test_the_flows_of_a_resource():
    text = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaMirrorMaker2
metadata:
  name: mirror
spec:
  mirrors:
    - sourceCluster: a
      targetCluster: b
      topicsPattern: orders.*
      checkpointConnector:
        config:
          sync.group.offsets.enabled: true
"""
    out = reading(text, "yaml")
    assert values(out, "flow") == {"topics": "orders.*"}
    assert values(out, "connector") == {"sync.group.offsets.enabled": "true"}
    (connector,) = [block for block in of(out, Block) if block.role == "connector"]
    assert (connector.name, connector.trait("connector")) == ("a->b", "checkpoint")


def test_of_several_lists_of_clusters_the_last_counts():
    out = reading("clusters =\n" + MIRROR, "properties", "mm2.properties")
    assert [block.trait("clusters") for block in out.facts if isinstance(block, Block) and block.role == "maker"] == ["eu,eu.west"]
