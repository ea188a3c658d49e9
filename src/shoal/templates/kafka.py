"""What several Kafka rules ask of a block of client options: whole numbers with their defaults, brokers, who reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.values import NANOS_PER_MILLI, Bad, Duration
from shoal.values.kafka import parse_long

API_TIMEOUT, API_TIMEOUT_DEFAULT = "default.api.timeout.ms", 60_000
REQUEST_TIMEOUT, REQUEST_TIMEOUT_DEFAULT = "request.timeout.ms", 30_000
SERVERS = "bootstrap.servers"
# Options that Flink's Kafka source takes among the client's own: a plain properties file with one of them is read by Flink.
DISCOVERY = ("partition.discovery.interval.ms", "flink.partition-discovery.interval-millis")
_FLINK_ONLY = (*DISCOVERY, "commit.offsets.on.checkpoint", "client.id.prefix", "register.consumer.metrics")
TABLE_DISCOVERY = "scan.topic-partition-discovery.interval"
# Class of a JDBC sink for Connect -> what it calls the options of the primary key (`pk.mode`, `pk.fields`).
JDBC_SINKS = {
    "io.confluent.connect.jdbc.JdbcSinkConnector": "pk",
    "io.aiven.connect.jdbc.JdbcSinkConnector": "pk",
    "io.debezium.connector.jdbc.JdbcSinkConnector": "primary.key",
}
# Images of a Connect worker that read the environment alone, and those of Debezium, whose environment adds to a file of their own.
CONNECT_IMAGE = pattern(r"(?:^|/)confluentinc/cp-(?:kafka|server)-connect(?:-base)?$")
_DEBEZIUM_IMAGE = pattern(r"(?:^|/)debezium/connect(?:-base)?$|(?:^|/)debezium-connect$")
# Images of a broker that take no configuration but the environment; others bring a file for one broker along.
BARE_BROKER = pattern(r"(?:^|/)(?:confluentinc/cp-(?:kafka|server|enterprise-kafka)|apache/kafka(?:-native)?)$")
# Images of a broker, by their exact names, that write the environment into its configuration and add no option by themselves.
ADDING_NOTHING = frozenset(
    {"confluentinc/cp-kafka", "confluentinc/cp-server", "confluentinc/cp-enterprise-kafka", "apache/kafka", "apache/kafka-native"}
)
_BROKER_FILES = pattern(r"/config(?:/|$)|^/etc/kafka|\.properties$")
# Images of a broker that make its listeners of what it advertises, where they are told no others.
BINDS_ADVERTISED = pattern(r"(?:^|/)confluentinc/cp-(?:kafka|server|enterprise-kafka)$")
# Of a text that is another one at every start.
RANDOM = pattern(
    r"\b(?:uuid[1457]?\(|uuid\.|UUID\.randomUUID|random\.|randint\(|secrets\.|token_hex|urandom|time\.time|datetime\.(?:now|utcnow)|datetime\.datetime|getpid|\$RANDOM|\$\(date|\$\(uuidgen"
    r"|System\.(?:currentTimeMillis|nanoTime)\(|(?:Instant|LocalDateTime|ZonedDateTime)\.now\(|Math\.random\(|new\s+Random\b|ThreadLocalRandom\b|RandomStringUtils\b)"
)


# What a connector's class says of its side; those of Debezium that read a database say nothing.
_SINK = pattern(r"(?:[\w$]+\.)+\w*Sink(?:Connector)?|FileStreamSink(?:Connector)?")
_SOURCE = pattern(
    r"(?:[\w$]+\.)+\w*Source(?:Connector)?|FileStreamSource(?:Connector)?|io\.debezium\.connector\.(?!jdbc\.)\w+\.\w+Connector"
)


def side_of(connector_class: str) -> str:
    """`sink` or `source`, as the name of a connector's class says; empty where it does not."""
    return "sink" if _SINK.fullmatch(connector_class) else "source" if _SOURCE.fullmatch(connector_class) else ""


def runs_worker(image: str) -> bool:
    """Whether an image of this name, without its tag, runs a Connect worker."""
    return bool(CONNECT_IMAGE.search(image) or _DEBEZIUM_IMAGE.search(image))


def names_file(posted: str, path: str) -> bool:
    """Whether the file that a script posts to Connect is this one, by its name; variables in it stand for anything."""
    parts = re.split(r"\$\{[^{}]*\}|\$\w+", posted.rsplit("/", 1)[-1])
    return "$(" not in posted and re.fullmatch(".*".join(map(re.escape, parts)), path.rsplit("/", 1)[-1]) is not None


# The first Kafka that asks for no more replicas in sync than a partition has (KAFKA-15583).
MIN_ISR_BOUNDED = "3.7"
LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})


def all_local(setting: Setting) -> bool:
    """Whether this says where the brokers are, and that all of them are on the machine, or in the container, of the client, wherever it runs."""
    if not setting.known or setting.sure != "sure" or not setting.key.lower().endswith(SERVERS):
        return False
    return {entry.strip().rpartition("://")[2].rpartition(":")[0] for entry in setting.text.split(",")} <= LOCAL


class Amount(NamedTuple):
    """A whole number and where it is set. `value` is None when it cannot be known; `setting` is None when a default counts."""

    setting: Setting | None
    value: int | None

    @property
    def origin(self) -> str:
        """For a message: says when the number is a default."""
        return "" if self.setting else ", the default"


# Of a broker in a compose file: what says which cluster it belongs to, and which one of it it is.
_CLUSTER = frozenset({"controller.quorum.voters", "controller.quorum.bootstrap.servers", "zookeeper.connect"})
_BROKER = frozenset({"broker.id", "node.id", "process.roles"})


class Topic(NamedTuple):
    """A topic with options of its own, wherever it is made: by a resource of Strimzi or Terraform, a command, a program."""

    block: Block
    replicas: Amount
    prefix: str

    def option(self, key: str) -> str:
        """What the block calls an option of the topic."""
        return self.prefix + key


def topics(job: Job) -> Iterator[Topic]:
    """Every topic whose options are in sight."""
    for block in job.select("kubernetes", ("kafkatopic",)):
        yield Topic(block, amount(job, block, "spec.replicas"), "spec.config.")
    for block in job.select("kafka", ("topic",)):
        yield Topic(block, amount(job, block, "replicas"), "")


class Budget(NamedTuple):
    """The three settings that decide how many dead brokers a call survives."""

    servers: Setting
    brokers: int
    api: Amount
    request: Amount

    @property
    def attempts(self) -> int:
        """How many brokers in a row may be tried before the call gives up."""
        return (self.api.value or 0) // max(1, self.request.value or 1)


def find(job: Job, block: Block, key: str) -> Setting | None:
    """A client option of a block; of a table hint, also what the table itself says."""
    found = job.get(block, key)
    parent = job.parent(block) if block.id.endswith("/kafka") else None
    while found is None and parent is not None and parent.parent:
        parent = job.parent(parent)
        client = job.blocks.get(f"{parent.id}/kafka") if parent else None
        found = job.get(client, key) if client else None
    return found


def amount(job: Job, block: Block, key: str, default: int | None = None) -> Amount:
    """A whole-number option as the client reads it; the default where it is surely not set."""
    found = find(job, block, key)
    if found is None:
        return Amount(None, None if block.open else default)
    value = parse_long(found.text) if found.known else None
    return Amount(found, value if isinstance(value, int) else None)


def acks(job: Job, block: Block) -> Setting | None:
    """Whom a producer waits for, under the older of librdkafka's two names, too."""
    return find(job, block, "acks") or (None if is_java(block) else find(job, block, "request.required.acks"))


# Frameworks that tell Kafka's client acks=1 where nobody says otherwise, and what of theirs does so (KafkaConnector of smallrye-reactive-messaging-kafka
# 4.10.1 and 4.28.0; KafkaBinderConfigurationProperties and BindingUtils of spring-cloud-stream-binder-kafka-core 4.1.4).
_ACKS_OF_ONE = {"smallrye": "SmallRye's connector", "spring-cloud-stream": "Spring Cloud Stream's binder"}


def weakened_by(job: Job, block: Block) -> str:
    """What tells a producer acks=1 unasked; empty where nothing does. The binder takes what Spring Boot's own producers are told, too."""
    framework = block.trait("framework") or ""
    if framework not in _ACKS_OF_ONE or acks(job, block) is not None:
        return ""
    told = framework == "spring-cloud-stream" and any(
        other.trait("framework") == "spring" and acks(job, other) is not None for other in job.select("kafka", ("producer",))
    )
    return "" if told else _ACKS_OF_ONE[framework]


def retries(job: Job, block: Block) -> Amount:
    """How often a producer tries again, under the older of librdkafka's two names, too."""
    found = amount(job, block, "retries")
    return found if found.setting is not None or is_java(block) else amount(job, block, "message.send.max.retries")


def flag(job: Job, block: Block, key: str) -> tuple[Setting | None, bool | None]:
    """A boolean option that is set, and its value; (None, None) when it is not set, (setting, None) when it cannot be known."""
    from shoal.values.kafka import parse_boolean

    found = find(job, block, key)
    if found is None:
        return None, None
    value = parse_boolean(found.text) if found.known else None
    return found, None if isinstance(value, Bad) else value


def compose_brokers(job: Job, folder: str | None = None) -> tuple[list[Block], int]:
    """The brokers of compose files (of one folder) whose whole cluster is there, and how many there are, counting those that may join them."""
    brokers = [block for block in job.select("kafka", ("broker",), ("compose",)) if folder in (None, folder_of(block.place.path))]
    whole = [block for block in brokers if block.trait("cluster") == "whole" and not _only_controls(job, block)]
    return whole, len(whole) + sum(_may_join(job, block) for block in brokers)


def broker_image(job: Job, block: Block) -> str:
    """The name of the image that a broker's container runs, also where only its tag is not known; empty when that is not told."""
    return next((image.name for image in job.images(block)), block.trait("image"))


def _may_join(job: Job, block: Block) -> bool:
    """Whether a broker says nothing of its cluster: it may be one more of the one that is here."""
    said = {key for key in (*_CLUSTER, *_BROKER) if job.written(block, key) is not None}
    return not block.trait("tool") and bool(said & _BROKER) and not said & _CLUSTER


def _only_controls(job: Job, block: Block) -> bool:
    roles = job.written(block, "process.roles")
    return roles is not None and re.split(r"\s*,\s*", roles.text.strip()) == ["controller"]


def clients(job: Job, *roles: str) -> Iterator[Block]:
    """Blocks of client options in the given roles; those whose role cannot be told are taken along."""
    yield from job.select("kafka", (*roles, "client"))


def runs_streams(job: Job, block: Block) -> bool:
    """Whether a block of Kafka's is for an application of Kafka Streams."""
    return block.role == "streams" or job.written(block, "application.id") is not None


def streams(job: Job) -> Iterator[Block]:
    """What applications of Kafka Streams are told."""
    for block in job.select("kafka", ("streams", "consumer", "producer", "client")):
        if runs_streams(job, block):
            yield block


def library(block: Block) -> str:
    """`java`, `confluent-kafka`, `kafka-python`, `aiokafka`: which client reads the block."""
    return block.trait("library") or "java"


def is_java(block: Block) -> bool:
    return library(block) == "java"


def in_flink(job: Job, block: Block) -> bool:
    """Whether Flink's connector hands these options to the client."""
    return block.trait("host") == "flink" or (is_java(block) and any(job.written(block, key) for key in _FLINK_ONLY))


def say(millis: int) -> str:
    """A number of milliseconds as a person says it."""
    return str(Duration(millis * NANOS_PER_MILLI))


def servers(job: Job, block: Block) -> tuple[Setting | None, list[str]]:
    """The broker list and its entries; none when some of it cannot be known."""
    found = find(job, block, SERVERS)
    if found is None or not found.known:
        return found, []
    return found, [entry for entry in re.split(r"[,\s]+", found.text.strip().strip("[]")) if entry]


def budget(job: Job, block: Block) -> Budget | None:
    """The numbers of a metadata call; None when one of them cannot be known."""
    found, entries = servers(job, block)
    api = amount(job, block, API_TIMEOUT, API_TIMEOUT_DEFAULT)
    request = amount(job, block, REQUEST_TIMEOUT, REQUEST_TIMEOUT_DEFAULT)
    if found is None or not entries or api.value is None or request.value is None:
        return None
    return Budget(found, len(entries), api, request)


def discovery(job: Job, block: Block) -> Setting | None:
    """The setting that has a Flink source look for new partitions at an interval; None when none surely does."""
    for key in DISCOVERY:
        found = find(job, block, key)
        if found is not None and found.known:
            value = parse_long(found.text)
            return found if isinstance(value, int) and value > 0 else None
    parent = job.parent(block)
    found = job.effective(parent, TABLE_DISCOVERY) if parent else None
    if found is not None and found.known:
        from shoal.values.flink import parse_duration

        length = parse_duration(found.text)
        return found if isinstance(length, Duration) and length.nanos > 0 else None
    return None


def is_option(key: str) -> bool:
    """Whether a consumer, producer or admin client has an option of that name; families that plug-ins read do not count."""
    from shoal import catalogue

    found = (catalogue.load(f"kafka-{kind}").option(key) for kind in ("consumer", "producer", "admin"))
    return any(option is not None and not option.prefix for option in found)


def whole_broker(job: Job, block: Block, image: str) -> bool:
    """Whether all options of a broker are in sight: no file or script adds some."""
    if block.open or block.form == "properties":
        return not block.open
    if image not in ADDING_NOTHING or any(mount.block == block.id and _BROKER_FILES.search(mount.path) for mount in job.mounts):
        return False
    return block.trait("command", "run").endswith("/run") or not block.trait("command")
