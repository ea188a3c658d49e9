"""What Spring calls the options of Kafka's clients, and options by which librdkafka is told from Java's clients."""

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


def names_classes(keys: Iterable[str]) -> bool:
    """Whether options are surely for a client in Java."""
    return any(_JAVA.fullmatch(key) for key in keys)


def is_native(keys: Iterable[str]) -> bool:
    """Whether options are for librdkafka, by what they are called."""
    asked = list(keys)
    return any(_NATIVE.fullmatch(key) for key in asked) and not names_classes(asked)


# Spring's names that take what Kafka takes; its durations and sizes have another grammar.
SPRING = {
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
