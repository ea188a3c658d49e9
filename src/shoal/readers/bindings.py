"""Bindings of Spring Cloud Stream to Kafka: each is a consumer or a producer that the binder makes.

What stands for all bindings counts below what stands for one (BindingUtils and KafkaBinderConfigurationProperties of
spring-cloud-stream-binder-kafka-core 4.1.4). A block holds the options that reach Kafka's client by their own names, and what the binder itself is
told under `binding.`, in Spring's spelling with hyphens. Bindings of Kafka Streams are none of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers.channels import Entry, add, add_streams
from shoal.readers.kafka_names import OF_BINDER, unbracketed

if TYPE_CHECKING:
    from shoal.readers import Reading

MARK = "spring.cloud.stream"
_KAFKA = f"{MARK}.kafka."
_STREAMS = f"{_KAFKA}streams."
_BINDING = pattern(r"spring\.cloud\.stream\.bindings\.([^.]+)\.(destination|group|binder|consumer\..+|producer\..+)")
_OF_KAFKA = pattern(r"spring\.cloud\.stream\.kafka\.bindings\.([^.]+)\.(consumer|producer)\.(.+)")
_FOR_ALL = pattern(r"spring\.cloud\.stream\.kafka\.default\.(consumer|producer)\.(.+)")
_BINDER = pattern(
    r"spring\.cloud\.stream\.kafka\.binder\.(?:(configuration|consumer-?[pP]roperties|producer-?[pP]roperties|transaction\.producer\.configuration)(?:\.|(?=\[)))?(.+)"
)
_STREAMS_BINDER = pattern(r"spring\.cloud\.stream\.kafka\.streams\.binder\.(configuration(?:\.|(?=\[)))?(.+)")
_OF_STREAMS = {"application-id": "application.id", "deserialization-exception-handler": f"{OF_BINDER}deserialization-exception-handler"}
_OTHER_BINDER = pattern(r"spring\.cloud\.stream\.(?:rabbit|kinesis|pulsar|solace|eventhubs|servicebus)\.|spring\.cloud\.stream\.binders\.")
_PROFILE = ("spring.config.activate.on-profile", "spring.profiles")
_DIRECTION = pattern(r".+-(in|out)-\d+")
_ROLES = {"in": "consumer", "out": "producer"}
_OF_PRODUCERS = {"required-acks": "acks", "transaction.transaction-id-prefix": "transactional.id"}
_CAPITAL = pattern(r"(?<=[a-z0-9])[A-Z]")


def read(entries: Iterable[Entry], form: str, out: Reading) -> None:
    """A block for each binding of a configuration that speaks of Kafka's binder; what counts under a profile alone is left."""
    known = {entry.key: entry for entry in entries}
    if not any(key.startswith(_KAFKA) for key in known) or any(key in known for key in _PROFILE):
        return
    _read_streams(known, form, out)
    bindings: dict[str, dict[str, Entry]] = {}
    of_kafka: dict[str, dict[tuple[str, str], Entry]] = {}
    for key, entry in known.items():
        if found := _BINDING.fullmatch(key):
            bindings.setdefault(found[1], {})[found[2]] = entry
        elif found := _OF_KAFKA.fullmatch(key):
            bindings.setdefault(found[1], {})
            of_kafka.setdefault(found[1], {})[found[2], found[3]] = entry
    several = any(map(_OTHER_BINDER.match, known))
    streams = any(key.startswith(_STREAMS) for key in known)
    shared = {role: (dict(_of_binder(known, role)), _for_all(known, role)) for role in _ROLES.values()} if bindings else {}
    for name, told in bindings.items():
        own = of_kafka.get(name, {})
        role = _role(name, told, own)
        binder = told.get("binder")
        if not role or (binder is not None and "kafka" not in str(binder.value)) or (several and binder is None and not own):
            continue
        if streams and not own:
            continue  # which may be a stream's
        of_binder, for_all = shared[role]
        first = next(iter((*own.values(), *told.values())))
        traits = (("framework", "spring-cloud-stream"), *((("complete", "yes"),) if "destination" in told else ()))
        block = out.block("kafka", role, form, first.key_span, name, traits=traits, open=True)
        settings = {**of_binder, **dict(_of_binding({**for_all, **{rest: entry for (side, rest), entry in own.items() if side == role}}))}
        for key in ("destination", "group"):
            if (given := told.get(key) or known.get(f"{MARK}.default.{key}")) is not None:
                settings[f"{OF_BINDER}{key}"] = given
        add(settings, block, out)


def _read_streams(known: dict[str, Entry], form: str, out: Reading) -> None:
    """What the binder for Kafka Streams hands on to all of its functions; each may have an application id of its own."""
    told: dict[str, Entry] = {}
    for key, entry in known.items():
        if not (found := _STREAMS_BINDER.fullmatch(key)):
            continue
        if found[1]:
            told[unbracketed(found[2])] = entry
        elif (option := hyphened(found[2])) in _OF_STREAMS:
            told[_OF_STREAMS[option]] = entry
    add_streams(told, "spring-cloud-stream", form, out)


def _role(name: str, told: dict[str, Entry], of_kafka: dict[tuple[str, str], Entry]) -> str:
    if found := _DIRECTION.fullmatch(name):
        return _ROLES[found[1]]
    sides = {side for side, _ in of_kafka} | {key.partition(".")[0] for key in told if key.startswith(("consumer.", "producer."))}
    if "group" in told:
        sides.add("consumer")
    return sides.pop() if len(sides) == 1 else ""


def _for_all(known: dict[str, Entry], role: str) -> dict[str, Entry]:
    return {found[2]: entry for key, entry in known.items() if (found := _FOR_ALL.fullmatch(key)) and found[1] == role}


def _of_binder(known: dict[str, Entry], role: str) -> Iterator[tuple[str, Entry]]:
    """What the binder gives to all of its clients, the weaker first."""
    found = [(match[1] or "", match[2], entry) for key, entry in known.items() if (match := _BINDER.fullmatch(key))]
    for kind, key, entry in found:
        if not kind and key == "brokers" and ":" in str(entry.value):
            yield "bootstrap.servers", entry
        elif not kind and role == "producer" and (option := _OF_PRODUCERS.get(hyphened(key))):
            yield option, entry
    for wanted in ("configuration", role, *(("transaction",) if role == "producer" else ())):
        yield from ((unbracketed(key), entry) for kind, key, entry in found if kind.startswith(wanted))


def _of_binding(own: dict[str, Entry]) -> Iterator[tuple[str, Entry]]:
    """What a binding is told: options of its client, and what the binder does for it."""
    for rest, entry in own.items():
        head, _, key = rest.replace("[", ".[", 1).replace("..", ".").partition(".")
        if head != "configuration":
            yield f"{OF_BINDER}{hyphened(head)}" + (f".{unbracketed(key)}" if key else ""), entry
        elif unbracketed(key) == "bootstrap.servers":
            yield f"{OF_BINDER}bootstrap.servers", entry
        else:
            yield unbracketed(key), entry


def hyphened(name: str) -> str:
    """`enableDlq` as `enable-dlq`: Spring takes both."""
    return _CAPITAL.sub(lambda match: f"-{match[0].lower()}", name)
