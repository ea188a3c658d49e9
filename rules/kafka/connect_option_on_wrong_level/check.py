"""Options of Kafka Connect's worker in a connector's config and of connectors in a worker's, by WorkerConfig, DistributedConfig and ConnectorConfig of 4.1."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.kafka import is_option, side_of

# Of connectors alone. What they say of converters and clients a worker says, too.
_OF_CONNECTORS = (
    "exactly.once.support",
    "transaction.boundary",
    "transaction.boundary.interval.ms",
    "offsets.storage.topic",
    "tasks.max",
    "topics",
    "topics.regex",
    "transforms",
    "predicates",
    "errors.tolerance",
    "errors.retry.timeout",
    "errors.retry.delay.max.ms",
    "errors.log.enable",
    "errors.log.include.messages",
    "errors.deadletterqueue.topic.name",
    "errors.deadletterqueue.topic.replication.factor",
    "errors.deadletterqueue.context.headers.enable",
    # of Debezium's
    "database.hostname",
    "publication.autocreate.mode",
    "slot.name",
    "snapshot.mode",
    "table.include.list",
    "topic.prefix",
)
# What neither reads, and who does.
_OF_OTHERS = {
    **dict.fromkeys(
        (
            "auto.create.topics.enable",
            "default.replication.factor",
            "message.max.bytes",
            "min.insync.replicas",
            "num.partitions",
            "offsets.topic.replication.factor",
            "transaction.state.log.min.isr",
            "transaction.state.log.replication.factor",
        ),
        "it is a broker's option",
    ),
    "config.storage.partitions": "the topic of configurations has one partition, always",
    "processing.guarantee": "it is an option of Kafka Streams",
}
# Of workers alone, under names that no connector is likely to have for itself.
_OF_WORKERS = (
    "exactly.once.source.support",
    "plugin.path",
    "offset.storage.topic",
    "offset.flush.interval.ms",
    "offset.flush.timeout.ms",
    "config.storage.topic",
    "config.storage.replication.factor",
    "status.storage.topic",
    "status.storage.replication.factor",
    "connector.client.config.override.policy",
    "scheduled.rebalance.max.delay.ms",
    "task.shutdown.graceful.timeout.ms",
    "topic.creation.enable",
    "worker.sync.timeout.ms",
)
_INSTEAD = {
    "exactly.once.support": "exactly.once.source.support=enabled makes the workers able to",
    "exactly.once.source.support": "exactly.once.support=required makes a connector insist on it",
}
# What converters read, by whose class the name begins wherever it is read.
_OF_CONVERTERS = ("schemas.enable", "schemas.cache.size")
# … and what a worker is told without that name; a connector may have options of its own under these.
_TOLD_TO_WORKERS = ("auto.register.schemas", "use.latest.version", "latest.compatibility.strict")
# … and what those of Confluent's say a side of, which stays behind the converter's name.
_OF_SIDES = ("key.subject.name.strategy", "value.subject.name.strategy")
_CLIENTS = ("producer", "consumer", "admin")
# Options of clients that are written without the client's name too, and the side whose client it is: none of the connectors below has one under such a name.
_OF_CLIENTS = {
    **dict.fromkeys(("acks", "delivery.timeout.ms", "enable.idempotence", "max.request.size"), ("source", "producer")),
    **dict.fromkeys(
        (
            "auto.offset.reset",
            "isolation.level",
            "max.partition.fetch.bytes",
            "max.poll.interval.ms",
            "max.poll.records",
            "session.timeout.ms",
        ),
        ("sink", "consumer"),
    ),
}
_WELL_KNOWN = ("com.clickhouse.", "com.mongodb.", "io.aiven.", "io.confluent.connect.", "io.debezium.", "org.apache.iceberg.")
# Classes that read options under such names for clients that they make themselves.
_OWN_CLIENTS = ("Mirror", "Replicator")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Debezium's server and its engine read both from one file; what a file is that has a connector's class among a worker's options, nobody knows."""
    for block in job.select("kafka-connect", ("worker", "connector")):
        worker, own = block.role == "worker", block.trait("class").rpartition(".")[2].startswith(_OWN_CLIENTS)
        if block.trait("program") or (worker and job.written(block, "connector.class")) or (not worker and _is_of_worker(job, block)):
            continue
        known, side = not worker and block.trait("class").startswith(_WELL_KNOWN), side_of(block.trait("class"))
        for setting in job.of(block):
            other = "the connector's config" if worker else "the worker's config"
            if setting.key in (_OF_CONNECTORS if worker else _OF_WORKERS):
                hint = f"; {_INSTEAD[setting.key]}" if setting.key in _INSTEAD else ""
                yield _finding(context, setting, f"{setting.key} has no effect here: Connect reads it from {other}{hint}")
            elif setting.key in _OF_OTHERS and (worker or (known and not own)):
                message = f"{setting.key} has no effect here: {_OF_OTHERS[setting.key]}"
                yield context.finding(
                    message,
                    setting.key_place(label=setting.key),
                    severity="info" if worker else "",
                    confidence="low" if worker else "medium",
                    covers=[setting],
                )
            elif setting.key in _OF_CONVERTERS or (worker and setting.key in _TOLD_TO_WORKERS):
                right = " or ".join(f"{side}.converter.{setting.key}" for side in ("key", "value"))
                yield _finding(context, setting, f"{setting.key} has no effect here: a converter's option begins with its name, as {right}")
            elif setting.key in _OF_SIDES and (worker or "." in block.trait("class")):  # Confluent's cloud has names of its own
                right = f"{setting.key.partition('.')[0]}.converter.{setting.key}"
                yield _finding(context, setting, f"{setting.key} has no effect here: a converter's option begins with its name, as {right}")
            elif not worker and not own and (client := _client(setting.key)):
                yield _of_client(job, context, block, setting, client, setting.key[len(client) + 1 :])
            elif known and not own and _OF_CLIENTS.get(setting.key, ("",))[0] == (side or " "):
                yield _of_client(job, context, block, setting, _OF_CLIENTS[setting.key][1], setting.key)


def _of_client(job: Job, context: Context, block: Block, setting: Setting, client: str, option: str) -> Finding:
    right = f"{client}.override.{option}"
    fixes = [context.rename(setting, right, f"write {right}", "unsafe")] if job.written(block, right) is None else []
    message = f"{setting.key} has no effect here: among a connector's options that of its {client} is called {right}"
    return context.finding(message, setting.key_place(label=setting.key), fixes=fixes, covers=[setting])


def _finding(context: Context, setting: Setting, message: str) -> Finding:
    return context.finding(message, setting.key_place(label=setting.key), covers=[setting])


def _is_of_worker(job: Job, block: Block) -> bool:
    """Whether a file holds a worker's options as well, or those of Debezium's engine, which keeps offsets itself."""
    whole = job.written(block, "bootstrap.servers") is not None and job.written(block, "key.converter") is not None
    return whole or any(job.written(block, key) is not None for key in ("offset.storage", "offset.storage.file.filename"))


def _client(key: str) -> str:
    """The client whose option a connector's key names as a worker would: `producer.acks`."""
    client, _, rest = key.partition(".")
    return client if client in _CLIENTS and not rest.startswith("override.") and is_option(rest) else ""
