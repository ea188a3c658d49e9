"""Options of the Java client given to librdkafka, and keyword arguments that kafka-python or aiokafka does not know."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.catalogue import Catalogue
from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

# What SerializingProducer and DeserializingConsumer take out before librdkafka sees it; given to a plain client it is refused.
_WRAPPED = frozenset({"key.serializer", "value.serializer", "key.deserializer", "value.deserializer"})
_BARE = {"Producer": "SerializingProducer", "Consumer": "DeserializingConsumer"}

# An argument of aiokafka's classes that is no option; all releases take it, those since 0.7.1 with a warning.
_PLAIN = frozenset({"loop"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer", "producer", "admin"), ("python",)):
        client = kafka.library(block)
        if client not in ("confluent-kafka", "kafka-python", "aiokafka"):
            continue
        python = catalogue.load(f"kafka-python:{block.role}")
        known = catalogue.load("librdkafka" if client == "confluent-kafka" else f"{client}:{block.role}")
        all_python = [python, catalogue.load(f"aiokafka:{block.role}")]
        unheard = 0 if client == "confluent-kafka" else sum(_unheard_of(all_python, setting.key) for setting in job.of(block))
        for setting in job.of(block):
            if client == "confluent-kafka":
                plain = block.trait("class")
                bare = _BARE.get(plain) if setting.key in _WRAPPED else None
                if bare is not None:
                    message = f"the client refuses to start: {plain} does not take {setting.key}, {bare} does"
                    yield context.finding(message, setting, confidence=_confidence(block))
                    continue
                dotted = setting.key.replace("_", ".")
                if "_" in setting.key and not known.option(setting.key) and known.option(dotted):
                    message = f"the client refuses to start: librdkafka has no {setting.key}, here it is {dotted}"
                    fixes = [context.rename(setting, dotted, f"rename it to {dotted}", "unsafe")] if job.get(block, dotted) is None else []
                    yield context.finding(message, setting, confidence=_confidence(block), fixes=fixes)
                    continue
                if "_" in setting.key and not known.option(setting.key) and python.option(setting.key):
                    message = f"the client refuses to start: librdkafka has no {setting.key}, that is an option of kafka-python{_instead(setting.key)}"
                    yield context.finding(message, setting, confidence=_confidence(block))
                    continue
                if setting.key == "max.poll.records" and block.role == "consumer":
                    message = (
                        "max.poll.records is no option of this consumer: librdkafka before 2.15 refuses to start over it, later releases have it for "
                        "share consumers alone; poll() gives one message, consume(num_messages) up to so many"
                    )
                    yield context.finding(message, setting, confidence=_confidence(block))
                    continue
                if setting.key in _WRAPPED or known.option(setting.key) or not kafka.is_option(setting.key):
                    continue  # names that Java does not know either may be plug-ins' or callbacks
                message = f"the client refuses to start: librdkafka has no {setting.key}, that is an option of the Java client{_instead(setting.key)}"
            else:
                name = setting.key.replace(".", "_")
                if known.option(name) or name in _PLAIN or any(char.isupper() for char in name):
                    continue
                near = known.nearest(name)
                hint = f", did you mean {near[0]}?" if near else ""
                message = f"the client refuses to start: {client} takes no {name}{hint}"
                if unheard > 2 and _unheard_of(
                    all_python, setting.key
                ):  # so many that no client knows are those of a fork by the same name
                    yield context.finding(message, setting, confidence="low")
                    continue
            yield context.finding(message, setting, confidence=_confidence(block))


def _unheard_of(clients: list[Catalogue], key: str) -> bool:
    """Whether an argument is like none that any client has."""
    name = key.replace(".", "_")
    return not (name in _PLAIN or kafka.is_option(key) or any(one.option(name) or one.nearest(name) for one in clients))


def _instead(key: str) -> str:
    others = {
        "fetch.max.wait.ms": "fetch.wait.max.ms",
        "buffer.memory": "queue.buffering.max.kbytes",
        "max.request.size": "message.max.bytes",
        "ssl.truststore.location": "ssl.ca.location",
        "default.api.timeout.ms": "",
        "sasl_plain_username": "sasl.username",
        "sasl_plain_password": "sasl.password",
        "ssl_cafile": "ssl.ca.location",
        "ssl_certfile": "ssl.certificate.location",
        "ssl_keyfile": "ssl.key.location",
        "ssl_password": "ssl.key.password",
    }
    return f"; here it is {others[key]}" if others.get(key) else ""


def _confidence(block: Block) -> str:
    return "medium" if block.open else ""
