"""Options under `config` that Strimzi keeps for itself, those of all releases.

Brokers and Connect workers: by their beginnings (FORBIDDEN_PREFIXES of KafkaClusterSpec and KafkaConnectSpec, whose group and topics are kept
by the newest releases alone); connectors: AbstractConnectorSpec.FORBIDDEN_PARAMETERS.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_KEPT = (
    "listeners",
    "advertised.",
    "broker.",
    "listener.",
    "host.name",
    "inter.broker.listener.name",
    "sasl.",
    "ssl.",
    "security.",
    "password.",
    "log.dir",
    "zookeeper.connect",
    "zookeeper.set.acl",
    "authorizer.",
    "super.user",
)
_ALLOWED = (
    "zookeeper.connection.timeout.ms",
    "sasl.server.max.receive.size",
    "ssl.cipher.suites",
    "ssl.protocol",
    "ssl.enabled.protocols",
    "ssl.secure.random.implementation",
)
# Where else in the resource it is said.
_INSTEAD = {
    "listener": "spec.kafka.listeners",
    "advertised": "spec.kafka.listeners",
    "log.dir": "spec.kafka.storage",
    "super": "spec.kafka.authorization",
    "authorizer": "spec.kafka.authorization",
    "inter.broker": "spec.kafka.listeners",
    "ssl": "spec.kafka.listeners",
    "sasl": "spec.kafka.listeners",
}


# What workers may not say, and may all the same.
_KEPT_OF_WORKER = (
    "ssl.",
    "sasl.",
    "security.",
    "listeners",
    "plugin.path",
    "rest.",
    "bootstrap.servers",
    "consumer.interceptor.classes",
    "producer.interceptor.classes",
)
_ALLOWED_OF_WORKER = ("ssl.endpoint.identification.algorithm", "ssl.cipher.suites", "ssl.protocol", "ssl.enabled.protocols")
_INSTEAD_OF_WORKER = {
    "bootstrap.servers": "spec.bootstrapServers",
    "ssl.": "spec.tls",
    "sasl.": "spec.authentication",
    "security.": "spec.tls and spec.authentication",
    "plugin.path": "the plugins of its image",
}
# What a connector's own fields say.
_OF_CONNECTOR = {"connector.class": "spec.class", "tasks.max": "spec.tasksMax", "name": "metadata.name"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.blocks.values():
        if block.trait("operator") != "strimzi" or block.engine == "kubernetes":
            continue
        if block.role == "connector":
            yield from _connector(job, block, context)
            continue
        worker = block.role == "worker"
        kept, allowed, instead = (_KEPT_OF_WORKER, _ALLOWED_OF_WORKER, _INSTEAD_OF_WORKER) if worker else (_KEPT, _ALLOWED, _INSTEAD)
        for setting in job.of(block):
            if not setting.key.startswith(kept) or setting.key.startswith(allowed):
                continue
            place = next((where for start, where in instead.items() if setting.key.startswith(start)), "")
            message = f"the operator drops {setting.key} with no more than a line in its log: it sets this option itself"
            yield context.finding(f"{message}, from {place}" if place else message, setting.key_place(), covers=[setting])


def _connector(job: Job, block: Block, context: Context) -> Iterator[Finding]:
    """`spec.class` is a setting of the block as well, under Connect's name for it and at its own place."""
    for setting in job.of(block):
        field = _OF_CONNECTOR.get(setting.key)
        if field is None or setting.key_span.end - setting.key_span.start != len(setting.key):
            continue
        own = job.get(block, "connector.class" if field == "spec.class" else field)
        said = block.name if field == "metadata.name" else verbatim(own)
        same = bool(said) and said == verbatim(setting)
        message = f"the operator takes {setting.key} from {field} alone, and drops this with no more than a line in its log"
        told, sure = ("info", "low") if same else ("", "")
        yield context.finding(message, setting.key_place(), severity=told, confidence=sure, covers=[setting])
