"""What Spring calls the options of Kafka's clients, what SmallRye adds to them, and options by which librdkafka is told from Java's clients."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.lazy import pattern

# Classes are named to Java's clients alone.
_JAVA = pattern(r"(?:key|value)\.(?:de)?serializer|sasl\.jaas\.config|(?:interceptor|metric)\.\w+")
# Options of librdkafka that no client in Java has, or had before 0.9.
_NATIVE = pattern(
    r"api\.version\.request|broker\.(?:address\.(?:family|ttl)|version\.fallback)|enable\.(?:auto\.offset\.store|partition\.eof|ssl\.certificate\.verification)|"
    r"log\.connection\.close|message\.timeout\.ms|queue\.buffering\.max\.kbytes|queued\.(?:max\.messages\.kbytes|min\.messages)|"
    r"sasl\.(?:mechanisms|username|password|kerberos\.(?:keytab|principal))|socket\.(?:keepalive\.enable|nagle\.disable)|"
    r"ssl\.(?:ca|certificate|key)\.(?:location|pem)|statistics\.interval\.ms|sticky\.partitioning\.linger\.ms"
)


def unbracketed(key: str) -> str:
    """A key of a map as Spring takes it: brackets keep its dots together (`[sasl.mechanism]`)."""
    return key[1:-1] if key[:1] == "[" and key[-1:] == "]" else key


def names_classes(keys: Iterable[str]) -> bool:
    """Whether options are surely for a client in Java."""
    return any(_JAVA.fullmatch(key) for key in keys)


def is_native(keys: Iterable[str]) -> bool:
    """Whether options are for librdkafka, by what they are called."""
    asked = list(keys)
    return any(_NATIVE.fullmatch(key) for key in asked) and not names_classes(asked)


# Spring's names that take what Kafka takes; its durations and sizes have another grammar.
SPRING = {
    "application-id": "application.id",
    "replication-factor": "replication.factor",
    "bootstrap-servers": "bootstrap.servers",
    "client-id": "client.id",
    "group-id": "group.id",
    "auto-offset-reset": "auto.offset.reset",
    "enable-auto-commit": "enable.auto.commit",
    "max-poll-records": "max.poll.records",
    "key-deserializer": "key.deserializer",
    "value-deserializer": "value.deserializer",
    "acks": "acks",
    "retries": "retries",
}

# What the keys begin with of what Spring Cloud Stream's binder is told about a binding, and Kafka's client is not.
OF_BINDER = "binding."

# Attributes of SmallRye's Kafka connector that are no options of Kafka's clients (KafkaConnector and ConfigurationCleaner of
# smallrye-reactive-messaging-kafka 4.10.1 and 4.28.0), and what families of them begin with.
CHANNEL_ATTRIBUTES = frozenset(
    (
        *("assign-seek", "batch", "broadcast", "channel-name", "client-id-prefix", "cloud-events", "concurrency", "connector", "enabled"),
        *(f"cloud-events-{name}" for name in ("data-content-type", "data-schema", "insert-timestamp", "mode", "source", "subject", "type")),
        *("close-timeout", "commit-strategy", "fail-on-deserialization-failure", "failure-strategy", "graceful-shutdown", "health-enabled"),
        *(f"health-readiness-{name}" for name in ("enabled", "timeout", "topic-verification")),
        *(f"health-topic-verification-{name}" for name in ("enabled", "readiness-disabled", "startup-disabled", "timeout")),
        *("interceptor-bean", "kafka-configuration", "key", "lazy-client", "max-inflight-messages", "max-queue-size-factor", "merge"),
        *(f"{part}-{way}-failure-handler" for part in ("key", "value") for way in ("serialization", "deserialization")),
        *(
            "partition",
            "partitions",
            "pattern",
            "pause-if-no-requests",
            "poll-timeout",
            "propagate-headers",
            "propagate-record-key",
            "requests",
        ),
        *("retry", "retry-attempts", "retry-max-wait", "topic", "topics", "tracing-enabled", "waitForWriteCompletion"),
    )
)
CHANNEL_FAMILIES = ("checkpoint.", "consumer-rebalance-listener.", "dead-letter-queue.", "delayed-retry-topic.", "reply.", "throttled.")
# Those of these families that have one spelling.
CHANNEL_OPTIONS = frozenset(
    (
        *(f"checkpoint.{name}" for name in ("state-store", "state-type", "unsynced-state-max-age.ms")),
        "consumer-rebalance-listener.name",
        *(f"dead-letter-queue.{name}" for name in ("key.serializer", "producer-client-id", "topic", "value.serializer")),
        *(f"delayed-retry-topic.{name}" for name in ("max-retries", "timeout", "topics")),
        "throttled.unprocessed-record-max-age.ms",
    )
)
