"""Whose options a block holds: the catalogue, version and name of the program that reads them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.catalogue import Catalogue, Option
from shoal.facts import Block, Setting
from shoal.job import Job, Version, numbers
from shoal.readers.kafka_names import CHANNEL_ATTRIBUTES, CHANNEL_FAMILIES, OF_BINDER
from shoal.records import NamedTuple

FLINK_ROLES = ("cluster", "deployment", "sessionjob", "session", "command", "job")
SPARK_ROLES = ("defaults", "application", "submit", "job", "session")
KAFKA_ROLES = ("consumer", "producer", "admin", "client", "streams")
# An application's own options, and those of its clients, which it hands on.
_STREAMS = ("kafka-streams", "kafka-consumer", "kafka-producer", "kafka-admin")
PURE_PYTHON = ("kafka-python", "aiokafka")
# Read by Flink's Kafka source and sink among the client's options.
_FLINK_KAFKA = ("client.id.prefix", "register.consumer.metrics", "commit.offsets.on.checkpoint", "register.producer.metrics")
_FLINK_KAFKA_PREFIXES = ("partition.discovery.", "flink.")


class Reader(NamedTuple):
    """The program that reads a block: `tables` in the order in which they are asked, `version` when its minor version is known.

    `name` is for messages: "Flink", "Spark", "the Kafka client" …
    """

    name: str
    tables: tuple[Catalogue, ...]
    version: Version | None = None

    @property
    def at(self) -> str | None:
        return self.version.minor if self.version else None

    def option(self, key: str, at: str | None = None) -> Option | None:
        """The option that a key means, in a version; what only a family of keys knows comes last."""
        found = [option for table in self.tables if (option := table.option(key, at))]
        return next((option for option in found if not option.prefix), found[0] if found else None)

    def known(self, key: str) -> bool:
        return any(table.known(key) for table in self.tables)

    def nearest(self, key: str) -> list[str]:
        """Up to three keys that may have been meant, best first; old names only of options that some version knows by no other."""
        near = []
        for table in self.tables:
            for one in table.nearest(key, self.at):
                option = table.option(one, self.at)
                near.append(option.key if option is not None and option.since is None and not option.prefix else one)
        return list(dict.fromkeys(near))[:3]

    def spellings(self, key: str) -> tuple[str, ...]:
        return next((table.spellings(key) for table in self.tables if table.known(key)), (key,))


def reader_of(job: Job, block: Block) -> Reader | None:
    """Who reads the block; None where the catalogue does not say what it reads."""
    if block.engine == "flink":
        if block.role not in FLINK_ROLES or block.trait("legacy-environment"):
            return None
        version = _version(job, "flink", block)
        if version is not None and block.form == "flink-yaml" and version.below("1.19"):
            version = None  # which does not read a config.yaml: the file is another version's
        return Reader("Flink", (catalogue.load("flink"),), version)
    if block.engine == "spark":
        return Reader("Spark", (catalogue.load("spark"),), _version(job, "spark", block)) if block.role in SPARK_ROLES else None
    if block.engine == "kafka" and block.role == "broker":
        if block.trait("tool"):
            return None
        return Reader("the Kafka broker", (catalogue.load("kafka-broker"),), _version(job, "kafka", block, "kafka-broker"))
    if block.engine == "kafka":
        return _kafka(job, block)
    if block.engine == "kafka-connect" and block.role in ("worker", "connector"):
        version = _version(job, "kafka", block, "kafka-connect") if block.role == "worker" else None
        if version is not None and block.form == "compose" and version.source.ecosystem == "image" and version.source.block != block.id:
            version = None  # the brokers' image says nothing of a worker whose own is built
        return Reader("Kafka Connect", (catalogue.load("kafka-connect"),), version)
    if block.engine == "beam" and block.role == "pipeline":
        return Reader("Beam", (catalogue.load("beam"),), _version(job, "beam", block))
    return None


def _kafka(job: Job, block: Block) -> Reader | None:
    library = block.trait("library") or "java"
    if block.role not in KAFKA_ROLES:
        return None
    if library == "confluent-kafka":
        return Reader("librdkafka", (catalogue.load("librdkafka"),), _version(job, "confluent-kafka", block, "librdkafka"))
    if library in PURE_PYTHON and block.role != "client":
        return Reader(library, (catalogue.load(f"{library}:{block.role}"),), _version(job, library, block))
    if library != "java":
        return None
    from shoal.templates.kafka import runs_streams

    if runs_streams(job, block):
        return Reader("Kafka Streams", tuple(map(catalogue.load, _STREAMS)), _of_program(_version(job, "kafka", block, _STREAMS[0])))
    if not block.trait("library") and any(_is_librdkafkas(setting.key) for setting in job.of(block)) and not _names_class(job, block):
        return None  # a plain file may be for any client, and this one is not for Java's
    kinds = ("consumer", "producer", "admin") if block.role == "client" else (block.role, "consumer", "producer", "admin")
    names = list(dict.fromkeys(f"kafka-{kind}" for kind in kinds))
    return Reader("the Kafka client", tuple(map(catalogue.load, names)), _version(job, "kafka-clients", block, names[0]))


def _of_program(version: Version | None) -> Version | None:
    """A version that a program is built with: that of a broker's image says nothing of it."""
    return version if version is not None and version.source.ecosystem != "image" else None


def _names_class(job: Job, block: Block) -> bool:
    """Whether the block names a (de)serializer by its class, which only the Java client takes."""
    return any("." in setting.text for setting in job.of(block) if setting.key.endswith((".serializer", ".deserializer")))


def _is_librdkafkas(key: str) -> bool:
    """Whether only librdkafka has an option of this name."""
    option = catalogue.load("librdkafka").option(key)
    if option is None or option.prefix:
        return False
    from shoal.templates.kafka import is_option

    return not is_option(key)


def _version(job: Job, name: str, block: Block, table: str = "") -> Version | None:
    """The version to judge by; None when it is not known, or older than anything that the catalogue holds."""
    found = job.version(name, block)
    if found is None or len(found.parts) < 2:
        return None
    return None if found.parts < numbers(catalogue.load(table or name).versions[0]) else found


# Options of Flink's whose names have no dot; other keys without one are a program's own, or words of a text that is no conf.
_WITHOUT_DOT = frozenset({"external-resources", "high-availability", "restart-strategy", "scheduler-mode"})
# Fields of resources, flags of commands, internals, and logging properties that ended up in a conf: none was meant to be an option.
_FOREIGN = ("spec.", "$", "--", "logger.", "rootLogger.", "appender.", "log4j", "logback")


# A soft hyphen, spaces that do not break or have no width, joiners, marks of direction, a byte order mark.
_UNSEEN = dict.fromkeys([0xA0, 0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF])


def visible_part(key: str) -> str:
    """A key without the characters in it that nobody sees."""
    return key if key.isascii() else key.translate(_UNSEEN)


def judged(job: Job, block: Block) -> Iterator[Setting]:
    """The settings of a block that its reader takes for options."""
    spark, flink, in_flink = block.engine == "spark", block.engine == "flink", block.trait("host") == "flink"
    framework = block.trait("framework")
    if block.engine == "beam" and block.form == "java":  # methods of interfaces, which the compiler knows
        return
    for setting in job.of(block):
        key = setting.key
        if key.startswith(_FOREIGN) or "\ue000" in key or "\\" in key:  # a backslash: SQL inside another language's text
            continue
        if spark and not visible_part(key).startswith("spark."):
            continue
        if flink and (("." not in key and key.rstrip(":") not in _WITHOUT_DOT) or key.upper() == key):
            continue
        if framework == "smallrye" and (key in CHANNEL_ATTRIBUTES or key.startswith(CHANNEL_FAMILIES)):
            continue
        if framework == "spring-cloud-stream" and key.startswith(OF_BINDER):
            continue
        if in_flink and (key in _FLINK_KAFKA or key.startswith(_FLINK_KAFKA_PREFIXES)):
            continue
        yield setting


def whole(setting: Setting) -> bool:
    """Whether the key stands in the file as a whole; the span of a nested one is its last segment."""
    return setting.key_span.end - setting.key_span.start == len(setting.key)


def renamable(job: Job, block: Block, setting: Setting, new: str) -> bool:
    """Whether the key may be written as another spelling: not where that stands already, and of several old spellings only the one that counts."""
    if not whole(setting) or "<" in new or job.written(block, new) is not None:
        return False
    in_use = job.get(block, new)
    return in_use is None or in_use == setting
