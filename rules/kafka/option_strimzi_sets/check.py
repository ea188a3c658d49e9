"""Options under `spec.kafka.config` whose beginnings Strimzi keeps for itself (KafkaClusterSpec.FORBIDDEN_PREFIXES, those of all releases)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

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


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",)):
        for setting in job.of(block) if block.trait("operator") == "strimzi" else ():
            if not setting.key.startswith(_KEPT) or setting.key.startswith(_ALLOWED):
                continue
            place = next((where for start, where in _INSTEAD.items() if setting.key.startswith(start)), "")
            message = f"the operator drops {setting.key} with no more than a line in its log: it sets this option itself"
            yield context.finding(f"{message}, from {place}" if place else message, setting.key_place(), covers=[setting.place()])
