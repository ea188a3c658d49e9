"""Constants of `KafkaError` that confluent-kafka (2.16) does not have, and those that are meant; `KafkaException` has none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Edit, Finding, Fix
from shoal.python.values import Symbol, names

# Codes of the client itself, which begin with an underscore: none of them is also one of the broker's.
_OWN = names(
    "ALL_BROKERS_DOWN APPLICATION ASSIGNMENT_LOST ASSIGN_PARTITIONS AUTHENTICATION AUTO_OFFSET_RESET BAD_COMPRESSION BAD_MSG CONFLICT "
    "CRIT_SYS_RESOURCE DESTROY DESTROY_BROKER EXISTING_SUBSCRIPTION FAIL FATAL FENCED FS GAPLESS_GUARANTEE INCONSISTENT INTR INVALID_ARG "
    "INVALID_DIFFERENT_RECORD INVALID_TYPE IN_PROGRESS ISR_INSUFF KEY_DESERIALIZATION KEY_SERIALIZATION LOG_TRUNCATION MAX_POLL_EXCEEDED "
    "MSG_TIMED_OUT NODE_UPDATE NOENT NOOP NOT_CONFIGURED NOT_IMPLEMENTED NO_OFFSET OUTDATED PARTIAL PARTITION_EOF PREV_IN_PROGRESS "
    "PURGE_INFLIGHT PURGE_QUEUE QUEUE_FULL READ_ONLY RESOLVE RETRY REVOKE_PARTITIONS SSL STATE TIMED_OUT TIMED_OUT_QUEUE TRANSPORT UNDERFLOW "
    "UNKNOWN_BROKER UNKNOWN_GROUP UNKNOWN_PARTITION UNKNOWN_PROTOCOL UNKNOWN_TOPIC UNSUPPORTED_FEATURE VALUE_DESERIALIZATION "
    "VALUE_SERIALIZATION WAIT_CACHE WAIT_COORD"
)
# Codes of the broker that are also written with an underscore.
_BROKERS = names(
    "TOPIC_ALREADY_EXISTS UNKNOWN_TOPIC_OR_PART OFFSET_OUT_OF_RANGE LEADER_NOT_AVAILABLE NOT_LEADER_FOR_PARTITION MSG_SIZE_TOO_LARGE "
    "REQUEST_TIMED_OUT NOT_ENOUGH_REPLICAS COORDINATOR_NOT_AVAILABLE BROKER_NOT_AVAILABLE REBALANCE_IN_PROGRESS ILLEGAL_GENERATION "
    "UNKNOWN_MEMBER_ID TOPIC_AUTHORIZATION_FAILED GROUP_AUTHORIZATION_FAILED SASL_AUTHENTICATION_FAILED NETWORK_EXCEPTION INVALID_MSG"
)
# Names in Kafka's protocol, and librdkafka's.
_PROTOCOL = {
    "UNKNOWN_TOPIC_OR_PARTITION": "UNKNOWN_TOPIC_OR_PART",
    "NOT_LEADER_OR_FOLLOWER": "NOT_LEADER_FOR_PARTITION",
    "MESSAGE_TOO_LARGE": "MSG_SIZE_TOO_LARGE",
    "CORRUPT_MESSAGE": "INVALID_MSG",
    "INVALID_FETCH_SIZE": "INVALID_MSG_SIZE",
    "INVALID_TOPIC_EXCEPTION": "TOPIC_EXCEPTION",
    "UNKNOWN_SERVER_ERROR": "UNKNOWN",
}

# Where the package takes its classes of errors from.
_ALSO = (["confluent_kafka", "error"], ["confluent_kafka", "cimpl"])


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    codes = {name: _meant(name) for name in module.tree.attribute_names if name.isupper()}
    for name, meant in codes.items():
        for part, spot in module.tree.attributes[name]:
            value = _bare(module.value(part, spot))
            if value == Symbol(f"confluent_kafka.KafkaException.{name}"):
                message = f"KafkaException has no {name}, nor any other code: the first error that comes raises AttributeError here (KafkaError.{meant or name})"
                yield context.finding(message, module.place(part, spot))
            if value != Symbol(f"confluent_kafka.KafkaError.{name}") or not meant:
                continue
            place = module.place(part.attr, spot)
            fix = Fix(f"write {meant}", "safe", (Edit(place.path, place.span, meant),))
            message = f"KafkaError has no {name}: the first error that comes raises AttributeError here (it is {meant})"
            yield context.finding(message, place, fixes=[fix])


def _bare(value: Any) -> Any:
    """A name of confluent-kafka without the module that it is also imported from."""
    parts = value.name.split(".") if isinstance(value, Symbol) else []
    return Symbol(".".join((parts[0], *parts[2:]))) if parts[:2] in _ALSO else value


def _meant(name: str) -> str:
    """The constant that a name means which is none, empty for any other."""
    bare = name.lstrip("_")
    if name == bare:
        return f"_{name}" if name in _OWN else _PROTOCOL.get(name, "")
    return bare if bare in _BROKERS else _PROTOCOL.get(bare, "")
