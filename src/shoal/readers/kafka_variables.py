"""Variables in containers of Kafka's images that look like options and that nothing in the image reads.

Source: include/etc/confluent/docker/configure and the templates beside it in confluentinc/kafka-images, zookeeper-server-start and connect-distributed, which
read KAFKA_HEAP_OPTS alone; KafkaDockerWrapper of Apache Kafka, which takes the variables that begin with KAFKA_.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.model import Span
    from shoal.readers.yaml_tree import Tree


class _Kind(NamedTuple):
    """Images by their names, the variables that none of them reads, what these may lack, and what is read in place of others."""

    images: re.Pattern[str]
    bare: re.Pattern[str]
    prefix: str
    instead: tuple[tuple[re.Pattern[str], str], ...]


_NOTHING = pattern(r"(?!)")
_HEAP = "KAFKA_HEAP_OPTS"
_KINDS = (
    _Kind(
        pattern(r"^(?:docker\.io/)?(?:apache/kafka(?:-native)?|confluentinc/cp-(?:(?:enterprise-)?kafka|server))(?::|@|$)"),
        pattern(
            r"ADVERTISED_LISTENERS|LISTENER_SECURITY_PROTOCOL_MAP|INTER_BROKER_LISTENER_NAME|CONTROLLER_(?:QUORUM_VOTERS|LISTENER_NAMES)|PROCESS_ROLES|"
            r"(?:AUTO_CREATE_TOPICS|DELETE_TOPIC|UNCLEAN_LEADER_ELECTION)_ENABLE|OFFSETS_(?:TOPIC_\w+|RETENTION_MINUTES)|TRANSACTION_STATE_LOG_\w+|"
            r"LOG_(?:RETENTION|SEGMENT|ROLL|CLEANER|CLEANUP|FLUSH)_\w+|NUM_(?:PARTITIONS|NETWORK_THREADS|IO_THREADS|REPLICA_FETCHERS)|"
            r"DEFAULT_REPLICATION_FACTOR|MIN_INSYNC_REPLICAS|(?:MESSAGE|REPLICA_FETCH)_MAX_BYTES|"
            r"SOCKET_(?:REQUEST_MAX|(?:SEND|RECEIVE)_BUFFER)_BYTES|GROUP_INITIAL_REBALANCE_DELAY_MS"
        ),
        "KAFKA_",
        (),
    ),
    _Kind(
        pattern(r"^(?:docker\.io/)?confluentinc/cp-(?:kafka|server)-connect(?:-base)?(?::|@|$)"),
        pattern(
            r"(?:CONFIG|OFFSET|STATUS)_STORAGE_(?:TOPIC|REPLICATION_FACTOR|PARTITIONS)|(?:KEY|VALUE)_CONVERTER(?:_SCHEMAS_ENABLE|_SCHEMA_REGISTRY_URL)?|"
            r"OFFSET_FLUSH_\w+_MS|PLUGIN_PATH|REST_ADVERTISED_HOST_NAME"
        ),
        "CONNECT_",
        ((pattern(r"(?:KAFKA_)?CONNECT_HEAP_OPTS"), _HEAP),),
    ),
    _Kind(
        pattern(r"^(?:docker\.io/)?confluentinc/cp-zookeeper(?::|@|$)"),
        _NOTHING,
        "",
        (
            (pattern(r"ZOOKEEPER_HEAP_OPTS"), _HEAP),
            (pattern(r"ZOO_MY_ID"), "ZOOKEEPER_SERVER_ID"),
            (pattern(r"ZOO_SERVERS"), "ZOOKEEPER_SERVERS"),
        ),
    ),
    _Kind(
        pattern(r"^(?:docker\.io/)?confluentinc/cp-schema-registry(?::|@|$)"),
        _NOTHING,
        "",
        (
            (pattern(r"SCHEMA_REGISTRY_LISTENER"), "SCHEMA_REGISTRY_LISTENERS"),
            (pattern(r"SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVER"), "SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS"),
        ),
    ),
)


def read(tree: Tree, image: str, named: dict[str, Span], texts: Iterable[str]) -> None:
    """An oddity for each such variable: `detail` is what the image reads. Not those that the command or another variable names, nor what is told rightly beside."""
    kind = next((one for one in _KINDS if one.images.search(image)), None)
    if kind is None:
        return
    said = " ".join(texts)
    for name, span in named.items():
        right = _right(kind, name)
        if right and right not in named and not re.search(rf"(?<!\w){name}(?!\w)", said):
            tree.out.oddity("variable-not-read", name, span, right)


def _right(kind: _Kind, name: str) -> str:
    if kind.bare.fullmatch(name):
        return f"{kind.prefix}{name}"
    return next((right for wrong, right in kind.instead if wrong.fullmatch(name)), "")
