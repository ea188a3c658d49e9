"""Kafka's client, broker and Connect options, from the `ConfigDef`s in the jars."""

from __future__ import annotations

import re
from pathlib import Path

from tools.catalogue import fetch, pins
from tools.catalogue.state import State, render

_LOGGING = "org.slf4j:slf4j-api:1.7.36"
_CLIENTS = {
    "kafka-consumer": "org.apache.kafka.clients.consumer.ConsumerConfig",
    "kafka-producer": "org.apache.kafka.clients.producer.ProducerConfig",
    "kafka-admin": "org.apache.kafka.clients.admin.AdminClientConfig",
}
_BROKER = "kafka.server.KafkaConfig$"  # the Scala object, which has had it in all releases
_RUNTIME = "org.apache.kafka.connect.runtime."
# Later definitions win: what a connector and a worker both have is a connector's to override.
_CONNECT = {
    _RUNTIME + "standalone.StandaloneConfig": "worker",
    _RUNTIME + "distributed.DistributedConfig": "worker",
    _RUNTIME + "SinkConnectorConfig": "sink",
    _RUNTIME + "SourceConnectorConfig": "source",
    _RUNTIME + "ConnectorConfig": "connector",
}
_MIRROR = "org.apache.kafka.connect.mirror."
# What MirrorMaker itself reads, and its three connectors, which have had definitions of their own since 3.4.
_MIRRORS = {
    _MIRROR + "MirrorConnectorConfig": "connector",
    _MIRROR + "MirrorMakerConfig": "maker",
    _MIRROR + "MirrorHeartbeatConfig": "heartbeat",
    _MIRROR + "MirrorCheckpointConfig": "checkpoint",
    _MIRROR + "MirrorSourceConfig": "source",
}
_CONNECT_JARS = ("connect-runtime", "connect-api", "connect-json", "connect-transforms", "kafka-clients")
_STREAMS = "org.apache.kafka.streams.StreamsConfig"
_VERSIONS = "org.apache.maven:maven-artifact:3.9.6"  # Connect 4 compares plug-in versions with it
_CHOICE = re.compile(r"(?P<loose>\(case insensitive\) )?\[(?P<values>[A-Za-z_][^\[\]]*)\]$")


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    (logging,) = fetch.maven(cache, [_LOGGING])
    jars = fetch.maven(cache, [f"org.apache.kafka:kafka-clients:{version}" for version in pins.KAFKA])
    snapshots: dict[str, list[tuple[str, dict[str, State]]]] = {table: [] for table in _CLIENTS}
    for version, jar in zip(pins.KAFKA, jars, strict=True):
        found = extract(",".join(_CLIENTS.values()), [jar, logging])
        for table, owner in _CLIENTS.items():
            snapshots[table].append((pins.minor(version), found[owner]))
    tables = {table: render(table, versions) for table, versions in snapshots.items()}
    return {
        **tables,
        "kafka-connect": _connect(cache),
        "kafka-broker": _broker(cache),
        "kafka-mirror": _mirror(cache),
        "kafka-streams": _streams(cache),
    }


def _streams(cache: Path) -> str:
    """Kafka Streams' own options; those of its clients stand in their tables."""
    snapshots = []
    for version in pins.KAFKA:
        jars = fetch.maven(cache, [*(f"org.apache.kafka:{name}:{version}" for name in ("kafka-streams", "kafka-clients")), _LOGGING])
        snapshots.append((pins.minor(version), _read_by("streams", extract(_STREAMS, jars)[_STREAMS])))
    return render("kafka-streams", snapshots)


def _mirror(cache: Path) -> str:
    snapshots = []
    for version in pins.KAFKA_MIRROR:
        jars = fetch.classpath(cache, f"org.apache.kafka:connect-mirror:{version}")
        jars += fetch.maven(cache, [f"org.apache.kafka:connect-mirror:{version}"])
        options: dict[str, State] = {}
        for owner, scope in _MIRRORS.items():
            found = extract(owner, jars, missing=True)[owner]
            options |= {
                key: state for key, state in _read_by(scope, found).items() if scope in ("connector", "maker") or key not in options
            }
        snapshots.append((pins.minor(version), options))
    return render("kafka-mirror", snapshots)


def _broker(cache: Path) -> str:
    snapshots = []
    for version in pins.KAFKA_BROKER:
        jars = fetch.classpath(cache, f"org.apache.kafka:kafka_2.13:{version}")
        snapshots.append((pins.minor(version), _read_by("broker", extract(_BROKER, jars)[_BROKER])))
    return render("kafka-broker", snapshots)


def _connect(cache: Path) -> str:
    snapshots = []
    for version in pins.KAFKA_CONNECT:
        jars = fetch.maven(cache, [*(f"org.apache.kafka:{name}:{version}" for name in _CONNECT_JARS), _LOGGING, _VERSIONS])
        definitions = extract(",".join(_CONNECT), jars)
        options = {}
        for owner, scope in _CONNECT.items():
            options |= _read_by(scope, definitions[owner])
        snapshots.append((pins.minor(version), options))
    return render("kafka-connect", snapshots)


def _read_by(scope: str, options: dict[str, State]) -> dict[str, State]:
    """Options of a definition that is not a client's."""
    return {key: state if state.scope == "internal" else state._replace(scope=scope) for key, state in options.items()}


def extract(classes: str, jars: list[Path], missing: bool = False) -> dict[str, dict[str, State]]:
    """Options by key, by the class that defines them; classes: comma-separated names; missing: a version may lack one."""
    found: dict[str, dict[str, State]] = {name: {} for name in classes.split(",")}
    for line in fetch.java("KafkaOptions.java", [classes, *map(str, jars)]).split("\n"):
        if line:
            owner, key, type_, default, validator, flags = line.split("\t")
            found[owner][key] = _state(key, type_, default, validator, flags)
    for name, options in found.items():
        if not options and not missing:
            raise fetch.FetchError(f"{name}: no options in {jars[0].name}")
    return found


def _state(key: str, type_: str, default: str, validator: str, flags: str) -> State:
    if type_ == "list":
        type_ = "list<string>"
    values: tuple[str, ...] = ()
    choice = _CHOICE.match(validator)
    if choice:
        values = tuple("by_duration:<duration>" if value.startswith("by_duration:") else value for value in choice["values"].split(", "))
        type_ = "enum" if choice["loose"] else type_
    return State(
        key, type_, default[1:] if default else None, values, (), "d" if "d" in flags else "", "internal" if "i" in flags else "client"
    )
