"""Containers that run a Kafka broker or a worker of Kafka Connect, whose environment holds the settings."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from shoal.facts import Dependency, value_of
from shoal.lazy import pattern
from shoal.model import Place, Span
from shoal.readers.yaml_tree import scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers.yaml_tree import Item, Tree
    from shoal.text import Text

_KAFKA_IMAGE = pattern(r"(?:^|/)(?:cp-)?(?:kafka|cp-server|enterprise-kafka|confluent-local)(?:-native)?(?::|@|$)")
_CONNECT_IMAGE = pattern(r"kafka-connect|(?:^|/)connect(?:-base)?(?::|@|$)|server-connect")
# KAFKA_… variables that steer the container and are no broker settings.
_NOT_BROKER = pattern(
    r"KAFKA_(?:HEAP_OPTS|OPTS|JMX_|LOG4J|JVM_|GC_|DEBUG|HOME|VERSION|CREATE_|TOOLS_|CLUSTER_ID$|KRAFT_|ENABLE_KRAFT|CERTIFICATE|CLIENT_|INTER_BROKER_USER)"
)
_PREFIX = {"broker": pattern("KAFKA_(?:CFG_)?"), "worker": pattern("CONNECT_")}
# Images that take all behind KAFKA_ for the option, while Bitnami's want CFG_ before it; what an image of another name wants is not known.
_NO_CFG = pattern(
    r"(?:^|/)((?:apache/kafka(?:-native)?|confluentinc/(?:cp-(?:enterprise-)?kafka|cp-server|confluent-local)|wurstmeister/kafka))(?::|@|$)"
)
# Variables that end up on the JVM's command line, in the order in which they stand there, and what makes them say how large its heap is:
# of two that do the last one holds. Debezium's images call the first one HEAP_OPTS.
_JVM = {
    "KAFKA_HEAP_OPTS": pattern(r"\S"),
    "HEAP_OPTS": pattern(r"\S"),
    "KAFKA_JVM_PERFORMANCE_OPTS": pattern(r"-Xmx|MaxHeapSize"),
    "KAFKA_OPTS": pattern(r"-Xmx|MaxHeapSize"),
}
_SETS_HEAP = pattern(r"Xmx|MaxHeapSize|MaxRAM|HEAP_OPTS")
# Debezium's image, whose entry point (docker-entrypoint.sh) reads some variables as they are, and of a worker's other options those with CONNECT_.
_DEBEZIUM = pattern(r"(?:^|/)debezium/connect(?:-base)?(?::|@|$)")
# What a worker cannot do without. Debezium's image alone, and those built from it, are told it without a prefix.
_TOLD = ("BOOTSTRAP_SERVERS", "CONFIG_STORAGE_TOPIC", "OFFSET_STORAGE_TOPIC")
_OF_CONVERTER = pattern(r"(KEY|VALUE)_CONVERTER_\w+")
# Options of the worker and of its clients. The image's own connect-distributed.properties keeps the internal topics once.
_OF_WORKER = pattern(
    r"(?:CONFIG|OFFSET|STATUS)_STORAGE_REPLICATION_FACTOR|(?:OFFSET|STATUS)_STORAGE_PARTITIONS|PLUGIN_(?:PATH|DISCOVERY)|EXACTLY_ONCE_SOURCE_SUPPORT|"
    r"(?:SCHEDULED_REBALANCE_MAX_DELAY|TASK_SHUTDOWN_GRACEFUL_TIMEOUT)_MS|CONNECTOR_CLIENT_CONFIG_OVERRIDE_POLICY|"
    r"(?:(?:PRODUCER|CONSUMER)_)?(?:SECURITY_PROTOCOL|SASL_(?:MECHANISM|JAAS_CONFIG)|SSL_\w+_(?:LOCATION|PASSWORD))|"
    r"PRODUCER_(?:ACKS|BATCH_SIZE|LINGER_MS|MAX_REQUEST_SIZE|COMPRESSION_TYPE|BUFFER_MEMORY)|CONSUMER_(?:MAX_POLL_RECORDS|AUTO_OFFSET_RESET|MAX_POLL_INTERVAL_MS)"
)
_DEFAULTS = (
    ("REPLICATION_FACTOR", "1"),
    ("OFFSET_STORAGE_PARTITIONS", "25"),
    ("STATUS_STORAGE_PARTITIONS", "5"),
    ("OVERRIDE_POLICY", "All"),
)
AS_BEFORE = "its value is the default anyway"
# Images that make no topics by themselves, unlike wurstmeister's, of which KAFKA_CREATE_TOPICS is known.
_NO_TOPICS = pattern(
    r"(?:^|/)(?:confluentinc/(?:cp-(?:enterprise-)?kafka|cp-server|confluent-local)|(?:apache|bitnami|bitnamilegacy)/kafka)(?:-native)?(?::|@|$)"
)
_MAKES_TOPICS = pattern(r"(?:^|/)wurstmeister/kafka(?::|@|$)")
# The variable of which wurstmeister's image makes topics, and what it is taken for.
_TOPICS = ("KAFKA_CREATE_TOPICS", "KAFKA_AUTO_CREATE_TOPICS", "KAFKA_CREATE_TOPIC")
# name:partitions:replicas:cleanup.policy. Source: create-topics.sh in the image, which hands the parts to kafka-topics as they are.
_TOPIC = pattern(r"[\w.-]+:\d+:\d+(?::[\w,]*)?")
_STARTS_BROKER = ("docker/run", "kafka-server-start", "kafka-server-start.sh")
_STARTED = pattern(r"kafka-server-start(?:\.sh)?\s+(?:-daemon\s+)?[\"']?([^\s\"';&|]+)")
_FORMAT = pattern(r"kafka-storage(?:\.sh)?\s+format\b")
_PREPARED = pattern(r"--ignore-formatted|\s-g\s|\bif\b|\[|\btest\b|\|\||meta\.properties|\brm\b|\bfor\b|\bset \+e")
_ERREXIT = pattern(r"\bset\s+-\w*e|errexit|\b(?:ba|da)?sh\s+-\w*e")
_CHAINED = pattern(r"(?:\\\n|[^\n;&])*&&")
# How images are told the id that they format with, and the first Kafka in which they ask: Confluent's do so since 7.4, Bitnami's since there is KRaft.
# Variables of Bitnami's image, and names made after them, that no other image reads.
_OF_KRAFT = ("KAFKA_ENABLE_KRAFT", "KAFKA_KRAFT_CLUSTER_ID", "KAFKA_KRAFT_ENABLED", "KAFKA_KRAFT_MODE")
_CLUSTER_ID = {"CLUSTER_ID": ("confluentinc/", "3.4"), "KAFKA_KRAFT_CLUSTER_ID": ("bitnami", "3.3")}
_GIVEN_ID = pattern(r"kafka-storage(?:\.sh)?\s+format\b[^;&|\n]*?\s(?:-t|--cluster-id)(?:\s+|=)[\"']?([^\s\"'$`;&|()]+)[\"']?(?=\s|$)")
_UUID = pattern(r"[A-Za-z0-9_-]{22}(?:==)?")
# Stores that keep what jobs make of records, by their images …
_STORE = pattern(
    r"(?:^|/)(?:[\w.-]*(?:postgres|postgis|timescale|mysql|mariadb|mongo|clickhouse|cassandra|scylla|elasticsearch|opensearch|influxdb|"
    r"questdb|cockroach|starrocks|pinot|druid|couchbase)[\w.-]*|minio|redis|redis-stack)(?::|@|$)"
)
# … but for tools around them, and those that keep what other programs know of themselves.
_TOOL = pattern(r"exporter|admin|express|backup|-ui\b", re.IGNORECASE)
_OF_PROGRAM = pattern(
    r"(?<![a-z])(?:airflow|metastore|hive|superset|metabase|keycloak|mlflow|grafana|prefect|dagster|nifi|conduktor|designer)", re.IGNORECASE
)
_NO_DATA = pattern(r"^/etc|init|conf|log|backup|script|cert|secret")


def data_path(image: str, name: str, about: str, paths: Iterable[str]) -> str:
    """Of the paths in a container where volumes are, the one where a store keeps its data; empty where it is no store, by all that is said of it."""
    if not _STORE.search(image) or _TOOL.search(f"{image} {name}") or _OF_PROGRAM.search(f"{name} {about}"):
        return ""
    return next((path for path in paths if not _NO_DATA.search(path)), "")


# Only a broker is told these; an image that is built in the project has no name to go by.
_OF_BROKER = (
    "KAFKA_BROKER_ID",
    "KAFKA_ADVERTISED_LISTENERS",
    "KAFKA_ADVERTISED_HOST_NAME",
    "KAFKA_PROCESS_ROLES",
    "KAFKA_ZOOKEEPER_CONNECT",
)


def runs(image: str, names: Container[str]) -> str:
    """`broker` or `worker`, by the image and the names of the variables; empty for anything else."""
    if _CONNECT_IMAGE.search(image) or any(all(f"{prefix}{name}" in names for name in _TOLD) for prefix in ("", "CONNECT_")):
        return "worker"
    return "broker" if _KAFKA_IMAGE.search(image) or any(name in names for name in _OF_BROKER) else ""


def is_tool(words: Iterable[str]) -> bool:
    """Whether the command of a broker's image runs something else: it makes topics, or waits for the broker."""
    split = " ".join(words).split()
    return bool(split) and not any(word.endswith(_STARTS_BROKER) for word in split)


def unread(role: str, image: str, variables: list[tuple[str, Text, Span]], words: Iterable[str]) -> list[tuple[str, Span, str]]:
    """Options that the image of a broker or a worker does not read, by the names of their variables: name, place, and what comes of it, or the image."""
    return _of_bitnami(image, variables) if role == "broker" else _unprefixed(image, variables, words)


def options(role: str, image: str, variables: list[tuple[str, Text, Span]]) -> list[tuple[str, Text, Span]]:
    """The variables that may be options of the broker. Of an image that wants KAFKA_CFG_ for these nobody knows what it makes of the others.

    Bitnami's takes some of the old names for the new ones.
    """
    other = role == "broker" and image and "bitnami" not in image and not _NO_CFG.search(image)
    if not other or not any(name.startswith("KAFKA_CFG_") for name, _, _ in variables):
        return variables
    return [one for one in variables if one[0].startswith("KAFKA_CFG_") or one[0] in _JVM]


def _unprefixed(image: str, variables: list[tuple[str, Text, Span]], words: Iterable[str]) -> list[tuple[str, Span, str]]:
    """Options that Debezium's image does not read, since their variables lack the prefix: name, place, and what comes of it.

    Not those that the container's own command or another variable names.
    """
    named = {name: value.text for name, value, _ in variables}
    if not _DEBEZIUM.search(image) and not all(name in named for name in _TOLD):
        return []
    said = " ".join([*words, *named.values()])
    missed = []
    for name, value, span in variables:
        found = _OF_CONVERTER.fullmatch(name)
        worker = found is None and _OF_WORKER.fullmatch(name)
        if not (found or worker) or f"CONNECT_{name}" in named or re.search(rf"\$\{{?{name}\b", said):
            continue
        if found is None:
            same = any(name.endswith(ending) and value.text.strip() == default for ending, default in _DEFAULTS)
            missed.append((name, span, AS_BEFORE if same else "the worker keeps its default"))
            continue
        schemas = name.endswith("_SCHEMAS_ENABLE")
        converter = named.get(f"{found[1]}_CONVERTER", "JsonConverter")  # which the image takes when it is told nothing
        if schemas and (value.text.strip().lower() != "false" or not converter.strip().endswith("JsonConverter")):
            continue  # schemas are on by default, and only that converter asks
        missed.append((name, span, "messages carry their schema" if schemas else "the converter does not get it"))
    return missed


def _of_bitnami(image: str, variables: list[tuple[str, Text, Span]]) -> list[tuple[str, Span, str]]:
    """Options of a broker that its image does not read, since their variables are named as Bitnami's want it: name, place, and the image."""
    known = _NO_CFG.search(image)
    return [(name, span, known[1]) for name, _, span in variables if name.startswith("KAFKA_CFG_") or name in _OF_KRAFT] if known else []


def read_variables(
    tree: Tree,
    role: str,
    variables: list[tuple[str, Text, Span]],
    place: Span,
    name: str,
    form: str,
    traits: tuple[tuple[str, str], ...],
    opened: bool,
    unread: list[tuple[str, Span, str]],
) -> Block | None:
    """The settings, named by the images' rule: KAFKA_A_B is a.b, two underscores are one, three a dash. None without any, and without a heap.

    `variables` are (name, value, place of the name), `unread` those that lack a prefix, or have one too many; where more is hidden, nobody knows.
    """
    named = {name for name, _, _ in variables}
    foreign = {name for name, _, _ in unread} if role == "broker" else set()
    prefix = _PREFIX[role]
    # an empty KAFKA_PORT hides the variable by which Kubernetes tells of a service `kafka`, at which images give up
    found = [
        one
        for one in variables
        if prefix.match(one[0])
        and not _NOT_BROKER.match(one[0])
        and (one[0] != "KAFKA_PORT" or one[1].text.strip())
        and one[0] not in foreign
    ]
    if foreign:
        unread = [one for one in unread if one[0] in _OF_KRAFT or one[0].replace("_CFG_", "_", 1) not in named]
    elif opened:
        unread = []
    if not found and not unread:
        if not any(name in named for name in _JVM):
            return None
        opened = True  # its options are in a file
    engine = "kafka" if role == "broker" else "kafka-connect"
    block = tree.out.block(engine, role, form, place, name, traits=(("container", "true"), *traits), open=opened)
    for variable, value, span in found:
        key = prefix.sub("", variable, count=1).lower()
        key = key.replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")
        tree.out.setting(block, key, value.text, span, value.span(0, len(value.text)))
    for variable, span, then in unread:
        tree.out.oddity("variable-of-bitnami" if foreign else "variable-without-prefix", variable, span, then, block)
    return block


def read_topics(tree: Tree, block: Block | None, image: str, variables: list[tuple[str, Text, Span]], words: Iterable[str]) -> None:
    """KAFKA_CREATE_TOPICS, and what is meant to be it, where neither the image nor the container's own command makes topics of it, and what wurstmeister's image makes none of."""
    for name, value, span in variables:
        if name not in _TOPICS or not value.text.strip() or any(name in word for word in words):
            continue
        if name != "KAFKA_CREATE_TOPICS":
            misnamed = all(map(_TOPIC.fullmatch, map(str.strip, value.text.strip(", ").split(","))))
            if misnamed and (_NO_TOPICS.search(image) or _MAKES_TOPICS.search(image)):
                tree.out.oddity("topics-not-made", name, span, image.rpartition("@")[0] or image, block)
        elif _NO_TOPICS.search(image):
            tree.out.oddity("topics-not-made", name, span, image.rpartition("@")[0] or image, block)
        elif _MAKES_TOPICS.search(image) and not any(other == "KAFKA_CREATE_TOPICS_SEPARATOR" for other, _, _ in variables):
            for topic in value.text.split(","):
                if topic.strip() and MASK not in topic and "$" not in topic and not _TOPIC.fullmatch(topic.strip()):
                    tree.out.oddity(
                        "topic-malformed", topic.strip(), value.span(0, len(value.text)), topic.strip().partition(":")[0], block
                    )
                    break


def read_memory(tree: Tree, block: Block, limit: Item | None, variables: Iterable[tuple[str, Text, Span]], words: Iterable[str]) -> None:
    """What the container may use, as `spec.memory-limit`, and the options that give the JVM its heap, as `spec.heap-options`.

    Nothing where the command may give it another heap.
    """
    text = scalar(limit.value) if limit is not None else None
    if limit is None or not text or any(_SETS_HEAP.search(word) for word in words):
        return
    tree.out.setting(block, "spec.memory-limit", text, tree.key(limit), tree.span(limit.value))
    by_name = {name: (value, span) for name, value, span in variables}
    for name, asked in _JVM.items():
        value, span = by_name.get(name, (None, None))
        if value is not None and span is not None and asked.search(value.text):
            tree.out.setting(block, "spec.heap-options", value.text, span, value.span(0, len(value.text)))


def read_cluster_id(tree: Tree, image: str, variables: list[tuple[str, Text, Span]], words: list[Text]) -> None:
    """An id of the cluster with which the image's Kafka formats no directory: `detail` is that Kafka's version.

    Up to 3.6 StorageTool parses the id as a Uuid, 16 bytes in URL-safe base64, and ends with "does not appear to be a valid UUID" (tried with 2.8.2, 3.0.2,
    3.3.2, 3.5.2 and 3.6.2); 3.7.0 and later take any text (apache/kafka#14628; tried with 3.7.0, 3.8.1, 3.9.1, 4.0.0 and 4.1.0).
    """
    from shoal.job import numbers
    from shoal.readers.images import parse
    from shoal.readers.versions import engine_versions

    named = parse(image)
    version = (
        "" if named is None else dict(engine_versions(Dependency("image", named.name, named.tag, Place("", Span(0, 0))))).get("kafka", "")
    )
    if named is None or len(numbers(version)) < 2 or numbers(version) >= (3, 7):
        return
    # a command of the container's own may have nothing to do with brokers, or format by itself
    kraft = not words and any(name in ("KAFKA_PROCESS_ROLES", "KAFKA_CFG_PROCESS_ROLES") for name, _, _ in variables)
    for name, value, _ in variables:
        of, since = _CLUSTER_ID.get(name, ("", ""))
        given, sure = value_of(value.text)
        asked = bool(of) and kraft and named.name.startswith(of) and numbers(version) >= numbers(since)
        if asked and isinstance(given, str) and sure == "sure" and given and not _UUID.fullmatch(given.strip()):
            tree.out.oddity("cluster-id-no-uuid", given.strip(), value.span(0, len(value.text)), version)
    for text in words:
        for found in _GIVEN_ID.finditer(text.text):
            if MASK not in found[1] and not _UUID.fullmatch(found[1]):
                tree.out.oddity("cluster-id-no-uuid", found[1], text.span(*found.span(1)), version)


def started_with(text: Text) -> Text | None:
    """The properties that a command writes from a here-document and starts a broker with: `cat > x.properties <<EOF … kafka-server-start.sh x.properties`."""
    from shoal.readers.shell_words import commands

    if "<<" not in text.text or not (started := set(_STARTED.findall(text.text))):
        return None
    written = [(word.text, command.bodies) for command in commands(text) for word in command.writes]
    return next((bodies[0] for target, bodies in written if target in started and len(bodies) == 1), None)


def formats_again(text: Text, flags: str) -> Span | None:
    """Where a command formats the log directories before it starts the broker, and ends when they are formatted already. `flags`: the words before it.

    `kafka-storage.sh format` refuses directories with a meta.properties. Whoever asks first, or deletes them, or passes over the failure has thought of it.
    """
    found = _FORMAT.search(text.text)
    if found is None or _PREPARED.search(text.text) or not _STARTED.search(text.text, found.end()):
        return None
    stops = _ERREXIT.search(f"{flags} {text.text[: found.start()]}") or _CHAINED.match(text.text, found.end())
    return text.span(*found.span()) if stops else None
