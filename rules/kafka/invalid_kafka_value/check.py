"""Numbers, booleans and enumerations that the Java client's ConfigDef refuses; tried with kafka-clients 2.8, 3.9 and 4.4."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka
from shoal.templates.common import stands_in
from shoal.values import NANOS_PER_MILLI, Bad
from shoal.values.kafka import parse
from shoal.values.loose import read_time

_TYPES = frozenset({"int", "long", "short", "double", "boolean"})
# Case counts, except for the security protocol.
_WORDS = {
    "acks": ("all", "-1", "0", "1"),
    "isolation.level": ("read_committed", "read_uncommitted"),
    "auto.offset.reset": ("latest", "earliest", "none"),
    "compression.type": ("none", "gzip", "snappy", "lz4", "zstd"),
    "security.protocol": ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
}
_MEANT = {
    "smallest": "earliest",
    "beginning": "earliest",
    "largest": "latest",
    "end": "latest",
    "read-committed": "read_committed",
    "read-uncommitted": "read_uncommitted",
}
# Names of options that are numbers or booleans, and values that any such option takes or that a rule about ranges would judge.
_TYPED = pattern(r"\.(?:ms|bytes|records|size|memory|connection|messages|seconds|topics|commit|idempotence|crcs|enable)$|retries$")
_PLAIN = pattern(r"-?\d{1,9}|true|false")
_CLIENTS = {"consumer": ("kafka-consumer",), "producer": ("kafka-producer",), "admin": ("kafka-admin",)}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, *_CLIENTS):
        if not kafka.is_java(block) or _of_zookeeper(job, block):
            continue
        for setting in job.of(block):
            if not setting.known:
                continue
            if setting.key in _WORDS:
                found = _word(job, block, setting)
            elif _TYPED.search(setting.key) and not _PLAIN.fullmatch(setting.text) and not stands_in(setting.text):
                found = _number(block, setting)
            else:
                continue  # most values are plain: the catalogue need not be read for them
            if found:
                why, meant = found
                fixes = [context.replace(setting, meant, f"write {meant}", "safe")] if meant else []
                yield context.finding(
                    f"the client refuses to start: {setting.key} cannot be `{setting.text.strip()}`, {why}", setting, fixes=fixes
                )


def _of_zookeeper(job: Job, block: Block) -> bool:
    """Whether it is for the consumer that found its brokers by ZooKeeper (before Kafka 2.0), whose words were others."""
    return job.get(block, "zookeeper.connect") is not None and job.get(block, "bootstrap.servers") is None


def _word(job: Job, block: Block, setting: Setting) -> tuple[str, str] | None:
    value, allowed = setting.text.strip(), _WORDS[setting.key]
    if not value or value in allowed or (setting.key == "auto.offset.reset" and value.startswith("by_duration:")):
        return None
    native = catalogue.load("librdkafka").option(setting.key) if block.form in ("yaml", "values") and not block.trait("framework") else None
    if native is not None and value in native.values:
        return None  # which client reads the map is not known
    folded = value.lower()
    same = next((word for word in allowed if word.lower() == folded), "")
    if setting.key == "security.protocol" and same:
        return None
    if setting.key == "auto.offset.reset" and block.trait("host") == "flink":
        # Flink sets the option by the startup mode, and reads it itself, whatever the case, when that asks for the group's offsets
        table = job.parent(block)
        mode = job.get(table, "scan.startup.mode") if table else None
        if same or (mode is not None and mode.text.strip().lower() != "group-offsets"):
            return None
    return f"it is one of {', '.join(allowed)}", same or _MEANT.get(folded, "")


def _number(block: Block, setting: Setting) -> tuple[str, str] | None:
    """A value that is refused by every client that may read the block and has the option."""
    reasons: list[Bad] = []
    for name in _CLIENTS.get(block.role, ("kafka-consumer", "kafka-producer", "kafka-admin")):
        option = catalogue.load(name).option(setting.key)
        if option is None or option.prefix:
            continue
        value = parse(option.type, setting.text) if option.type in _TYPES else None
        if not isinstance(value, Bad):
            return None
        reasons.append(value)
    if not reasons:
        return None
    quantity = read_time(setting.text) if setting.key.endswith(".ms") else None
    if quantity is not None and quantity.unit and quantity.total % NANOS_PER_MILLI == 0:
        return "it is a plain number of milliseconds", str(quantity.total // NANOS_PER_MILLI)
    return reasons[0].why, reasons[0].suggestion or ""
