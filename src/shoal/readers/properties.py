"""Java `.properties`: Kafka clients, brokers and Connect, Flink options of managed services, Spark options.

The grammar is that of java.util.Properties.load: a key ends at the first unescaped `=`, `:` or blank; a backslash at a line's end joins
the next line without its indentation; `#` and `!` begin a comment only at a line's start; trailing blanks belong to the value; the last
of several equal keys wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.facts import Unknown, Usage, value_of
from shoal.lazy import pattern
from shoal.readers import bindings, channels
from shoal.readers.kafka_names import SPRING, is_native, unbracketed
from shoal.records import NamedTuple
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.facts import Block, Value
    from shoal.readers import Reading

_BLANKS = " \t\x0c"
_LINE = pattern(r"[^\r\n]*")
_KEY_END = pattern(r"(?:[^\\=: \t\x0c]|\\.|\\$)*", re.DOTALL)
_ESCAPE = pattern(r"\\(u[0-9A-Fa-f]{4}|.|$)", re.DOTALL)
# Maven's `@x@`, Python's `{x}`.
_PLACEHOLDER = pattern(r"@[\w.\-]+@|(?<!\$)\{\w+\}")
_SIMPLE = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
# Options of one kind of client only (ConsumerConfig and ProducerConfig of kafka-clients).
_CONSUMER = pattern(
    r"(?:group\.id|group\.instance\.id|auto\.offset\.reset|enable\.auto\.commit|auto\.commit\.interval\.ms|max\.poll\.(?:records|interval\.ms)|session\.timeout\.ms|"
    r"heartbeat\.interval\.ms|isolation\.level|fetch\.(?:min|max)\.\w+(?:\.ms)?|max\.partition\.fetch\.bytes|key\.deserializer|value\.deserializer|"
    r"partition\.assignment\.strategy|allow\.auto\.create\.topics|exclude\.internal\.topics|group\.protocol)$"
)
_PRODUCER = pattern(
    r"(?:acks|linger\.ms|batch\.size|buffer\.memory|delivery\.timeout\.ms|enable\.idempotence|transactional\.id|transaction\.timeout\.ms|max\.block\.ms|"
    r"max\.in\.flight\.requests\.per\.connection|compression\.type|max\.request\.size|key\.serializer|value\.serializer|partitioner\.class)$"
)
_SHARED = pattern(
    r"(?:bootstrap\.servers|request\.timeout\.ms|default\.api\.timeout\.ms|security\.protocol|sasl\.(?:mechanism|jaas\.config)|client\.id|metadata\.max\.age\.ms|"
    r"connections\.max\.idle\.ms|reconnect\.backoff(?:\.max)?\.ms|retry\.backoff(?:\.max)?\.ms|socket\.connection\.setup\.timeout(?:\.max)?\.ms|ssl\.(?:truststore|keystore)\.\w+)$"
)
_BROKER = frozenset(
    {
        "broker.id",
        "process.roles",
        "log.dirs",
        "log.dir",
        "zookeeper.connect",
        "controller.quorum.voters",
        "offsets.topic.replication.factor",
        "advertised.listeners",
    }
)
# What only brokers are told as well: several of these are a part of a broker's options, whose others the service that runs it sets.
_BROKER_PART = frozenset(
    {
        "auto.create.topics.enable",
        "default.replication.factor",
        "delete.topic.enable",
        "inter.broker.listener.name",
        "log.retention.hours",
        "num.io.threads",
        "num.network.threads",
        "num.recovery.threads.per.data.dir",
        "num.replica.fetchers",
        "replica.lag.time.max.ms",
        "transaction.state.log.min.isr",
        "transaction.state.log.replication.factor",
    }
)
_PARTS = 3
_WORKER = frozenset(
    {"offset.storage.file.filename", "offset.storage.topic", "config.storage.topic", "status.storage.topic", "offset.flush.interval.ms"}
)
_SERVER_SOURCE = "debezium.source."


class Entry(NamedTuple):
    """A key and value as Java reads them; offsets are those of the raw text, `whole` from key to end of value."""

    key: str
    value: str
    key_at: tuple[int, int]
    value_at: tuple[int, int]
    bad_escape: bool


def parse(text: Text) -> list[Entry]:
    """Every entry of a properties text, duplicates included, in order."""
    source, size = text.text, len(text.text)
    entries: list[Entry] = []
    at = 0
    while at < size:
        found = _LINE.match(source, at)
        end = found.end() if found else size
        start = at
        while start < end and source[start] in _BLANKS:
            start += 1
        at = _after(source, end)
        if start == end or source[start] in "#!":
            continue
        parts = [(source[start:end], start)]
        while _continues(parts[-1][0]) and at < size:
            parts[-1] = (parts[-1][0][:-1], parts[-1][1])
            if len(parts) == 1 and not parts[0][0]:
                break  # nothing but a backslash so far: the next line begins an entry of its own
            found = _LINE.match(source, at)
            end = found.end() if found else size
            start = at
            while start < end and source[start] in _BLANKS:
                start += 1
            at = _after(source, end)
            parts.append((source[start:end], start))
        if "".join(part for part, _ in parts) not in ("", "\\"):
            entries.append(_entry(parts, end))
    return entries


def _after(source: str, end: int) -> int:
    return end + (2 if source.startswith("\r\n", end) else 1)


def _continues(line: str) -> bool:
    return bool((len(line) - len(line.rstrip("\\"))) % 2)


def _entry(parts: list[tuple[str, int]], line_end: int) -> Entry:
    logical = "".join(part for part, _ in parts)
    local = Text("", [(0, parts[0][1])]) if len(parts) == 1 else _positions(parts)
    found = _KEY_END.match(logical)
    key_end = found.end() if found else len(logical)
    start = key_end
    while start < len(logical) and logical[start] in _BLANKS:
        start += 1
    if start < len(logical) and logical[start] in "=:":
        start += 1
        while start < len(logical) and logical[start] in _BLANKS:
            start += 1
    key, bad_key = _unescape(logical[:key_end])
    value, bad_value = _unescape(logical[start:])
    first = local.at(0)
    key_at = (first, local.at(key_end - 1) + 1 if key_end else first)
    if start < len(logical):
        value_at = (local.at(start), local.at(len(logical) - 1) + 1)
    else:
        at = min(local.at(len(logical) - 1) + 1 if logical else first, line_end)
        value_at = (at, at)
    return Entry(key, value, key_at, value_at, bad_key or bad_value)


def _positions(parts: list[tuple[str, int]]) -> Text:
    pieces = []
    inner = 0
    for part, at in parts:
        if part:
            pieces.append((inner, at))
            inner += len(part)
    return Text("", pieces or [(0, parts[0][1])])


def _unescape(raw: str) -> tuple[str, bool]:
    if "\\" not in raw:
        return raw, False
    bad = False

    def plain(match: re.Match[str]) -> str:
        nonlocal bad
        what = match.group(1)
        if len(what) == 5:
            return chr(int(what[1:], 16))
        if what == "u":
            bad = True
        return _SIMPLE.get(what, what)

    return _ESCAPE.sub(plain, raw), bad


def value_in(value: str) -> str | Value:
    """The value as a fact: `${…}` that no default settles (a config provider, Maven's or Spring's own) is Unknown."""
    known, _ = value_of(value)
    if isinstance(known, str) and ("${" in known or _PLACEHOLDER.search(known)):
        return Unknown(value)
    return value


def add(entries: list[Entry], text: Text, out: Reading, block: Block, sure: str = "") -> None:
    """Add the settings of a block; of equal keys the last one counts."""
    last: dict[str, Entry] = {}
    for entry in entries:
        if entry.key in last:
            earlier = text.span(*last[entry.key].key_at)
            related = (out.place(earlier, "related", "the earlier one is ignored"),)
            out.oddity("duplicate-key", entry.key, text.span(*entry.key_at), "the last one wins", block, related)
        last[entry.key] = entry
        if entry.bad_escape and MASK not in entry.value:
            out.oddity(
                "bad-escape", entry.key, text.span(*entry.value_at), "\\u is not followed by four hexadecimal digits: loading fails", block
            )
    for entry in entries:
        if last[entry.key] is entry and not _PLACEHOLDER.fullmatch(entry.key):
            out.setting(block, entry.key, value_in(entry.value), text.span(*entry.key_at), text.span(*entry.value_at), sure=sure)


def read(text: Text, out: Reading, called: str = "") -> None:
    """A properties file, claimed only when its keys are those of an engine. `called`: its name, where it stands in another file."""
    name = out.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    whole = len(text.text) == len(out.raw)
    if whole and name.startswith(("log4j", "logback", "gradle", "maven-wrapper", "sonar")):
        return
    entries = [entry for entry in parse(text) if entry.key]
    keys = {entry.key for entry in entries}
    opened = f"#{MASK}" in text.text
    if f"{_SERVER_SOURCE}connector.class" in keys:
        _debezium_server(entries, text, out)
        return
    if "clusters" in keys:
        from shoal.readers import kafka_mirror

        if kafka_mirror.is_mirror(entries):
            kafka_mirror.read(entries, text, out)
            return
    if any(map(channels.counts, keys)):
        channels.read(_told(entries, text), "properties", out)
        return
    if any(key.startswith("spark.") for key in keys):
        from shoal.readers.spark_conf import add_spark

        add_spark(entries, text, out)
        return
    streamed = any(key.startswith(bindings.MARK) for key in keys)
    if streamed:
        bindings.read(_told(entries, text), "properties", out)
    if any(key.startswith(_SPRING_KAFKA) for key in keys):
        _spring(entries, text, out)
        return
    if streamed:
        return
    kind = kind_of(keys, name if whole else called)
    if kind:
        engine, role = kind
        titled = next((entry.value for entry in entries if entry.key == "name"), "") if role == "connector" else ""
        traits = [("class", entry.value) for entry in entries if entry.key == "connector.class"][:1] if role == "connector" else []
        traits += [("library", "confluent-kafka")] if engine == "kafka" and role != "broker" and is_native(keys) else []
        first = next((entry for entry in entries if entry.key == "connector.class"), entries[0])
        opened = opened or (role == "broker" and not keys & _BROKER)
        block = out.block(engine, role, "properties", text.span(*first.key_at), titled, traits=tuple(traits), open=opened)
        add(entries, text, out, block)
        return
    _flink(entries, text, out)


def _told(entries: list[Entry], text: Text) -> Iterator[channels.Entry]:
    for entry in entries:
        if not _PLACEHOLDER.fullmatch(entry.key):
            yield channels.Entry(entry.key, value_in(entry.value), text.span(*entry.key_at), text.span(*entry.value_at))


_SPRING_KAFKA = "spring.kafka."


def _spring(entries: list[Entry], text: Text, out: Reading) -> None:
    """What Spring Boot tells its consumers, producers and Kafka Streams; what names none is for all. Other files and variables may add to it."""
    for entry in entries:
        if re.fullmatch(r"spring\.kafka\.listener\.ack[-_]?mode", entry.key, re.IGNORECASE):
            out.facts.append(Usage("ack-mode", entry.value, out.place(text.span(*entry.key_at))))
        if re.fullmatch(r"spring\.kafka\.producer\.transaction[-_]?id[-_]?prefix", entry.key, re.IGNORECASE):
            out.facts.append(Usage("template-watched", "transaction-id-prefix", out.place(text.span(*entry.key_at))))
    for role in ("consumer", "producer", "streams"):
        own: dict[str, Entry] = {}
        first = None
        for prefix in (_SPRING_KAFKA, f"{_SPRING_KAFKA}{role}."):
            for entry in entries:
                name = entry.key.removeprefix(prefix)
                key = (
                    unbracketed(name[len("properties") :].lstrip("."))
                    if name.startswith(("properties.", "properties["))
                    else SPRING.get(name, "")
                )
                if name != entry.key and key:
                    own[key] = entry._replace(key=key)
                    first = first or (entry if prefix.endswith(f"{role}.") else None)
        if first is not None:
            traits = (("framework", "spring"),)
            add(list(own.values()), text, out, out.block("kafka", role, "properties", text.span(*first.key_at), traits=traits, open=True))


def _debezium_server(entries: list[Entry], text: Text, out: Reading) -> None:
    """What Debezium Server hands on under prefixes of its own: to the connector, and to the producer of its Kafka sink. Variables may add to both."""
    for role, prefix, more in (("connector", _SERVER_SOURCE, "debezium.transforms"), ("producer", "debezium.sink.kafka.producer.", "")):
        own = [entry._replace(key=entry.key.removeprefix(prefix)) for entry in entries if entry.key.startswith(prefix)]
        if more:
            own += [entry._replace(key=entry.key.removeprefix("debezium.")) for entry in entries if entry.key.startswith(more)]
        if own:
            first = next((entry for entry in own if entry.key == "connector.class"), own[0])
            traits = [("class", first.value)] if first.key == "connector.class" else []
            engine = "kafka-connect" if role == "connector" else "kafka"
            place = text.span(*first.key_at)
            block = out.block(engine, role, "properties", place, traits=(("program", "debezium-server"), *traits), open=True)
            add(own, text, out, block)


def kind_of(keys: set[str], name: str) -> tuple[str, str] | None:
    """Engine and role of a file by its keys; what they leave open is told by its name."""
    if "connector.class" in keys:
        return "kafka-connect", "connector"
    if keys & _WORKER and any(key.endswith("converter") for key in keys):
        return "kafka-connect", "worker"
    if "dataDir" in keys and "clientPort" in keys:
        return None
    if len(keys & _BROKER) > 1 or ("process.roles" in keys) or (keys & _BROKER and name.startswith(("server", "broker", "kafka"))):
        return "kafka", "broker"
    if len(keys & _BROKER_PART) >= _PARTS and "bootstrap.servers" not in keys:
        return "kafka", "broker"
    consumes = sum(bool(_CONSUMER.match(key)) for key in keys)
    produces = sum(bool(_PRODUCER.match(key)) for key in keys)
    shared = sum(bool(_SHARED.match(key)) for key in keys)
    secured = "security.protocol" in keys and shared > 1 and shared * 2 >= len(keys)
    if "bootstrap.servers" not in keys and not secured and (consumes + produces + shared < 2 or consumes + produces == 0):
        return None
    if consumes and not produces:
        return "kafka", "consumer"
    if produces and not consumes:
        return "kafka", "producer"
    named = [role for role in ("consumer", "producer", "admin") if role in name]
    if named and (len(named) == 1 or not (consumes and produces)):
        return "kafka", named[0]
    return "kafka", "client"


def _flink(entries: list[Entry], text: Text, out: Reading) -> None:
    """Flink options among others, as managed services and ParameterTool programs keep them."""
    if not any(
        "." in entry.key
        and entry.key.split(".")[0] in ("execution", "state", "restart-strategy", "table", "taskmanager", "jobmanager", "high-availability")
        for entry in entries
    ):
        return
    from shoal.readers.flink_yaml import own_key

    own = [entry for entry in entries if own_key(entry.key)]
    if own:
        block = out.block("flink", "job", "properties", text.span(*own[0].key_at), open=True)
        add(own, text, out, block)
