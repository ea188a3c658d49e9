"""Containers that run a Kafka broker or a worker of Kafka Connect, whose environment holds the settings."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Span
    from shoal.readers.yaml_tree import Tree
    from shoal.text import Text

_KAFKA_IMAGE = pattern(r"(?:^|/)(?:cp-)?(?:kafka|cp-server|enterprise-kafka|confluent-local)(?:-native)?(?::|@|$)")
_CONNECT_IMAGE = pattern(r"kafka-connect|(?:^|/)connect(?:-base)?(?::|@|$)|server-connect")
# KAFKA_… variables that steer the container and are no broker settings.
_NOT_BROKER = pattern(
    r"KAFKA_(?:HEAP_OPTS|OPTS|JMX_|LOG4J|JVM_|GC_|DEBUG|HOME|VERSION|CREATE_|TOOLS_|CLUSTER_ID$|KRAFT_|ENABLE_KRAFT|CERTIFICATE|CLIENT_|INTER_BROKER_USER)"
)
_PREFIX = {"broker": pattern("KAFKA_(?:CFG_)?"), "worker": pattern("CONNECT_")}
_STARTS_BROKER = ("docker/run", "kafka-server-start", "kafka-server-start.sh")


def runs(image: str, names: Container[str]) -> str:
    """`broker` or `worker`, by the image and the names of the variables; empty for anything else."""
    if _CONNECT_IMAGE.search(image):
        return "worker"
    return "broker" if _KAFKA_IMAGE.search(image) or "KAFKA_BROKER_ID" in names or "KAFKA_ADVERTISED_LISTENERS" in names else ""


def is_tool(words: Iterable[str]) -> bool:
    """Whether the command of a broker's image runs something else: it makes topics, or waits for the broker."""
    split = " ".join(words).split()
    return bool(split) and not any(word.endswith(_STARTS_BROKER) for word in split)


def read_variables(
    tree: Tree,
    role: str,
    variables: list[tuple[str, Text, Span]],
    place: Span,
    name: str,
    form: str,
    traits: tuple[tuple[str, str], ...],
    opened: bool,
) -> Block | None:
    """The settings, named by the images' rule: KAFKA_A_B is a.b, two underscores are one, three a dash. None without any.

    `variables` are (name, value, place of the name).
    """
    prefix = _PREFIX[role]
    # an empty KAFKA_PORT hides the variable by which Kubernetes tells of a service `kafka`, at which images give up
    found = [
        one
        for one in variables
        if prefix.match(one[0]) and not _NOT_BROKER.match(one[0]) and (one[0] != "KAFKA_PORT" or one[1].text.strip())
    ]
    if not found:
        return None
    engine = "kafka" if role == "broker" else "kafka-connect"
    block = tree.out.block(engine, role, form, place, name, traits=(("container", "true"), *traits), open=opened)
    for variable, value, span in found:
        key = prefix.sub("", variable, count=1).lower()
        key = key.replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")
        tree.out.setting(block, key, value.text, span, value.span(0, len(value.text)))
    return block
