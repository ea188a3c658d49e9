"""What an unknown key was meant to be: a slip of the pen, a lost or doubled prefix, swapped with its value, or another program's option."""

from __future__ import annotations

import re

from shoal import catalogue
from shoal.catalogue import Option
from shoal.facts import Block, Setting
from shoal.records import NamedTuple
from shoal.templates.options import Reader, visible_part, whole


class Meant(NamedTuple):
    """An explanation. `keys`: what may be meant, best first; `why`: the message's second half; `confidence`: how surely.

    Without keys it is only said that there is no such option, with low confidence: a wrong name is worse than none.
    `value`: the value that belongs there, when key and value are swapped.
    """

    why: str
    keys: tuple[str, ...]
    confidence: str
    value: str | None = None


# Options of Hadoop's S3A, which Spark forwards unseen, and what people write for them.
_S3A = {
    "endpoint.region": ("region",),
    "path.style.access": ("path.style", "path.style.enabled", "pathStyleAccess", "path-style-access", "path.style.acces"),
    "connection.ssl.enabled": ("ssl.enabled", "connection.ssl.enable", "use.ssl"),
    "access.key": ("accessKey", "access-key", "access_key", "accesskey"),
    "secret.key": ("secretKey", "secret-key", "secret_key", "secretkey"),
    "aws.credentials.provider": ("credentials.provider", "credential.provider", "aws.credential.provider"),
}
# What is often made up, and what it stands for where likeness would mislead.
_MADE_UP = {
    "flink": {
        "execution.checkpointing.enabled": "execution.checkpointing.interval",
        "execution.checkpointing.enable": "execution.checkpointing.interval",
        "state.checkpoints.enabled": "execution.checkpointing.interval",
        "state.checkpoints.interval": "execution.checkpointing.interval",
        "state.checkpoints.timeout": "execution.checkpointing.timeout",
        "state.checkpoints.mode": "execution.checkpointing.mode",
        "state.backend.rocksdb.block-size": "state.backend.rocksdb.block.blocksize",
        "execution.parallelism": "parallelism.default",
        "pipeline.execution-mode": "execution.runtime-mode",
        "pipeline.parallelism": "parallelism.default",
        "jobmanager.parallelism": "parallelism.default",
        "taskmanager.slots": "taskmanager.numberOfTaskSlots",
        "taskmanager.task.slots": "taskmanager.numberOfTaskSlots",
        "jobmanager.memory.size": "jobmanager.memory.process.size",
    },
    "spark": {
        "spark.executors": "spark.executor.instances",
        "spark.executor.num": "spark.executor.instances",
        "spark.num.executors": "spark.executor.instances",
        "spark.sql.streaming.checkpoint.location": "spark.sql.streaming.checkpointLocation",
        **{f"spark.hadoop.fs.s3a.{wrong}": f"spark.hadoop.fs.s3a.{right}" for right, wrongs in _S3A.items() for wrong in wrongs},
        **{
            f"{start}.{right}": f"spark.hadoop.fs.s3a.{right}"
            for right in _S3A
            for start in ("spark.hadoop", "spark.fs.s3a", "spark.hadoop.s3a")
        },
    },
    "kafka": {
        "security.inter.broker.listener.name": "inter.broker.listener.name",
        "offset.replication.factor": "offsets.topic.replication.factor",
        "offsets.replication.factor": "offsets.topic.replication.factor",
        "listener.security.protocol": "listener.security.protocol.map",
    },
}
# What sounds as if it were one, and why there is none.
_NONE = {
    "flink": {
        "s3.entropy.enabled": "entropy is put in wherever a path holds the text that s3.entropy.key says",
    },
    "spark": {
        "spark.ui.host": "the web UI listens where SPARK_LOCAL_IP says, else on all addresses",
        "spark.sql.kafka.bootstrap.servers": 'each reader and writer is told its brokers, by .option("kafka.bootstrap.servers", …)',
        "spark.ui.bindAddress": "the web UI listens where SPARK_LOCAL_IP says, else on all addresses",
        **{
            f"spark.kubernetes.{role}.{name}": f"{what} stand in a pod template, which spark.kubernetes.{role}.podTemplateFile names"
            for role in ("driver", "executor")
            for name, what in (("tolerations", "tolerations"), ("toleration", "tolerations"), ("affinity", "affinities"))
        },
    },
}
# Made-up names of groups whose last part is anybody's own.
_GROUPS = {
    "spark": {
        "spark.kubernetes.executorEnv.": "spark.executorEnv.",
        "spark.executor.env.": "spark.executorEnv.",
        "spark.kubernetes.driver.env.": "spark.kubernetes.driverEnv.",
    },
}
# Those of which the name that is meant depends on where the program runs.
_GROUPS_BY_PLACE = {
    "spark": {
        "spark.driverEnv.": "in cluster mode Kubernetes has spark.kubernetes.driverEnv.{rest} and YARN spark.yarn.appMasterEnv.{rest}, in client mode the driver has the environment that it is started with",
    },
}
# Options of topics whose default for all of them the broker has under another name (Kafka's ServerTopicConfigSynonyms).
_OF_BROKER = {
    "cleanup.policy": "log.cleanup.policy",
    "delete.retention.ms": "log.cleaner.delete.retention.ms",
    "flush.messages": "log.flush.interval.messages",
    "max.compaction.lag.ms": "log.cleaner.max.compaction.lag.ms",
    "max.message.bytes": "message.max.bytes",
    "message.timestamp.type": "log.message.timestamp.type",
    "min.cleanable.dirty.ratio": "log.cleaner.min.cleanable.ratio",
    "min.compaction.lag.ms": "log.cleaner.min.compaction.lag.ms",
    "retention.bytes": "log.retention.bytes",
    "retention.ms": "log.retention.ms",
    "segment.bytes": "log.segment.bytes",
    "segment.ms": "log.roll.ms",
}
# Options of topics, which no client reads, and of Flink's tables, which a source in code does not read.
_TOPIC = frozenset({*_OF_BROKER, "min.insync.replicas", "unclean.leader.election.enable"})
_TABLE = frozenset({"scan.startup.mode", "startup-mode", "startup.mode"})
# Nobody but the engine has options there, so that one it does not know is none, whatever it was meant to be.
_CLOSED = {
    "flink": (
        "execution.checkpointing.",
        "restart-strategy.",
        "state.",
        "high-availability.",
        "heartbeat.",
        "jobmanager.",
        "taskmanager.",
        "task.",
        "rest.",
        "web.",
        "cluster.",
        "classloader.",
        "historyserver.",
        "python.",
        "table.catalog.",
    ),
    "spark": (
        "spark.sql.streaming.",
        "spark.dynamicAllocation.",
        "spark.speculation.",
        "spark.memory.",
        "spark.network.",
        "spark.ui.",
        "spark.driver.",
        "spark.executor.",
        "spark.kubernetes.driver.",
        "spark.kubernetes.executor.",
        "spark.eventLog.",
        "spark.streaming.",
    ),
}
# Words that people put before an engine's options when they nest them under a name of their own.
_WRAPPERS = frozenset(
    {
        "flink",
        "config",
        "conf",
        "configuration",
        "flinkconfiguration",
        "properties",
        "job",
        "spark",
        "sparkconf",
        "kafka",
        "options",
        "flink-conf",
    }
)
# Kafka Connect and Spring keep the options of their clients apart so; where an engine hands them on, there is one client.
_CLIENTS = ("consumer", "producer")
_SHOWN = {
    "librdkafka": "librdkafka",
    "kafka-consumer": "the Java client",
    "kafka-producer": "the Java client",
    "kafka-connect": "a worker of Kafka Connect",
}
_OTHERS = {"flink": ("spark",), "spark": ("flink",), "kafka": ("kafka-consumer", "kafka-producer", "librdkafka")}
# Options of the producer and the consumer that Kafka had in Scala, and what those in Java have for them; librdkafka has kept some of the names.
_OF_SCALA = {
    "request.required.acks": "acks",
    "metadata.broker.list": "bootstrap.servers",
    "message.send.max.retries": "retries",
    "auto.commit.enable": "enable.auto.commit",
    "compression.codec": "compression.type",
    "producer.type": "",
}


def explain(block: Block, setting: Setting, reader: Reader) -> Meant | None:
    """Why a key that the reader does not know stands there; None when nothing explains it."""
    key, engine = setting.key, block.engine
    if meant := made_up(engine, key):
        return meant
    if reader.name == "librdkafka" and (meant := of_registry(block, key)):
        return meant
    if reader.name == "the Kafka broker" and (meant := _of_client(key)):
        return meant
    if reader.name == "the Kafka client" and (now := _OF_SCALA.get(key)) is not None:
        instead = f"has `{now}`" if now else "has none like it"
        return Meant(
            f"it was an option of the clients in Scala, which Kafka 2.0 removed, and the one in Java {instead}",
            (now,) if now else (),
            "high",
        )
    if engine == "kafka" and not block.trait("host") and _ends_known(key, reader):
        return None  # an application that keeps clients apart by prefixes of its own
    if reader.name == "the Kafka broker" and key in _OF_BROKER:
        return Meant(f"it is an option of a topic, for all of them the broker has {_OF_BROKER[key]}", (_OF_BROKER[key],), "high")
    of_client = block.form in ("java", "python") and block.role in ("consumer", "producer") and reader.name != "the Kafka broker"
    if engine == "kafka" and key in _TOPIC and (block.trait("host") or of_client):
        return Meant("it is an option of a topic (`kafka-topics --config`)", (), "high")
    if engine == "kafka" and block.trait("host") == "flink" and key in _TABLE:
        return Meant("it is one of Flink's tables, where a source in code is told by a method where to start", (), "high")
    return (
        _unseen(key, reader)
        or swapped(block, setting, reader)
        or _wrapped(block, setting, reader, engine)
        or _of_other(key, reader, engine)
        or _bare(key, reader, engine)
        or _misspelt(setting, reader, engine)
        or _closed(key, reader, engine)
    )


# Of confluent-kafka: what hands all of its options to librdkafka, and what keeps those that begin with `schema.registry` for itself.
_AS_GIVEN = frozenset({"Consumer", "Producer", "AdminClient", "DeserializingConsumer", "SerializingProducer"})
_AVRO = frozenset({"AvroConsumer", "AvroProducer"})
_OF_SERIALIZERS = frozenset({"auto.register.schemas", "normalize.schemas", "use.latest.version", "subject.name.strategy"})


def of_registry(block: Block, key: str) -> Meant | None:
    """Settings of the schema registry among those of a client, all of which are in sight: a program may keep them in one dict, and take them out of it first."""
    made = block.trait("class") or ""
    if block.form != "python" or block.open or block.trait("registry") or made not in _AS_GIVEN | _AVRO:
        return None
    if key.startswith("basic.auth.") and made in _AVRO:
        return Meant(f"{made} keeps for the schema registry what begins with `schema.registry.`: `schema.registry.{key}`", (), "high")
    if key.startswith(("schema.registry.", "basic.auth.")) and made in _AS_GIVEN:
        return Meant("it is for the schema registry, whose client has a configuration of its own (`SchemaRegistryClient`)", (), "high")
    if key in _OF_SERIALIZERS:
        return Meant("it is an option of a serializer (the `conf` of `AvroSerializer`, say)", (), "high")
    return None


def made_up(engine: str, key: str) -> Meant | None:
    """What is often made up, also in a family of keys that are handed on unseen."""
    if meant := _MADE_UP.get(engine, {}).get(key):
        return Meant(f"{meant} may be meant", (meant,), "high")
    if why := _NONE.get(engine, {}).get(key):
        return Meant(why, (), "high")
    for wrong, right in _GROUPS.get(engine, {}).items():
        if rest := _rest(key, wrong):
            return Meant(f"the option is {right}{rest}", (right + rest,), "high")
    for wrong, why in _GROUPS_BY_PLACE.get(engine, {}).items():
        if rest := _rest(key, wrong):
            return Meant(why.format(rest=rest), (), "medium")
    return None


def _rest(key: str, start: str) -> str:
    return key[len(start) :] if key.startswith(start) else ""


def _ends_known(key: str, reader: Reader) -> bool:
    """Whether the key without some first segments is an option."""
    rest = key.partition(".")[2]
    while rest:
        if reader.known(rest):
            return True
        rest = rest.partition(".")[2]
    return False


def swapped(block: Block, setting: Setting, reader: Reader) -> Meant | None:
    """An option that stands where its value should, as in `60 s: execution.checkpointing.interval`."""
    key, value = setting.key, setting.text.strip() if setting.known else ""
    if "." not in value or "/" in value or reader.known(key):
        return None
    option = reader.option(value)
    if option is None or option.prefix or "<" in option.key:
        return None
    # A key with dots may be a name of somebody's own that refers to the option, unless it is none but a value.
    if "." in key and "/" not in key and not key[0].isdigit():
        return None
    if accepts(block.engine, option, key) is False:
        return None
    return Meant(f"key and value are swapped, {value} is the option", (value,), "high", key)


def _unseen(key: str, reader: Reader) -> Meant | None:
    """An option with a character in it that nobody sees, as text that is copied from a page has them."""
    clean = visible_part(key)
    return (
        Meant(f"a character that is not to be seen stands in the key, the option is {clean}", (clean,), "high")
        if clean != key and reader.known(clean)
        else None
    )


def _wrapped(block: Block, setting: Setting, reader: Reader, engine: str) -> Meant | None:
    """A prefix too many: doubled, or the name of the map that the options were nested in."""
    key = setting.key
    first, _, rest = key.partition(".")
    while "." in rest:
        option = reader.option(rest)
        if option is not None and not option.prefix and "<" not in option.key:
            again = rest.partition(".")[0]
            if first == again or key == f"{first}.{first}.{rest}":
                return Meant(f"the prefix {first}. is doubled, {rest} is the option", (rest,), "high")
            # a connector has clients of its own, and groups of options that begin like Connect's; what has a name of its own in it is no group
            group = key[: -len(rest)]
            if engine != "kafka-connect" and any(one.startswith(group) for table in reader.tables for one in table.keys(reader.at)):
                how = (
                    f"the option is {rest}, without the prefix {group}"
                    if whole(setting)
                    else f"it is nested too deep, the option is {rest}"
                )
                return Meant(how, (rest,), "high")
            of_client = engine == "kafka" and block.trait("host") and first in _CLIENTS
            if first.lower() in _WRAPPERS or of_client:
                return Meant(f"the option is {rest}, without the prefix {key[: -len(rest)]}", (rest,), "high")
            return None
        rest = rest.partition(".")[2]
    return None


def _bare(key: str, reader: Reader, engine: str) -> Meant | None:
    """A prefix too few: exactly one option ends like this, or one of two of the broker's."""
    broker = reader.name == "the Kafka broker"
    if (engine not in ("flink", "spark") and not broker) or key.count(".") < (3 if broker else 1):
        return None  # of a broker's container few words may as well be a variable for a script in it
    tail = "." + key.removeprefix("spark.") if engine == "spark" else "." + key
    if tail.count(".") < 2:
        return None
    found = {one for table in reader.tables for one in table.keys(reader.at) if one.endswith(tail) and "<" not in one}
    if not 0 < len(found) <= (2 if broker else 1):
        return None
    keys = tuple(sorted(found))
    return Meant(f"its prefix is missing, the option is {' or '.join(keys)}", keys, "high")


def _of_other(key: str, reader: Reader, engine: str) -> Meant | None:
    """Another program's option: only for names that are long or marked enough not to be somebody's own."""
    if engine == "flink" and not key.startswith("spark."):
        return None
    for name in (*_OTHERS.get(engine, ()), *(("kafka-connect",) if reader.name == "the Kafka broker" else ())):
        if any(table.engine == name for table in reader.tables) or (name.startswith("kafka-") and reader.name == "the Kafka client"):
            continue
        option = catalogue.load(name).option(key)
        if option is not None and not option.prefix and "." in key and not (name == "librdkafka" and reader.nearest(key)):
            shown = _SHOWN.get(name, name.capitalize())
            return Meant(f"it is an option of {shown}", (), "high")
    return None


def _of_client(key: str) -> Meant | None:
    """What a worker of Connect would hand on to its clients: `producer.max.request.size`, in a broker's container `KAFKA_PRODUCER_MAX_REQUEST_SIZE`."""
    role, _, rest = key.partition(".")
    option = catalogue.load(f"kafka-{role}").option(rest) if role in ("consumer", "producer") else None
    if option is None or option.prefix or "." not in rest:
        return None
    return Meant(f"{rest} is an option of a {role}, and a broker hands none on: it belongs into the {role}'s own configuration", (), "high")


def _misspelt(setting: Setting, reader: Reader, engine: str) -> Meant | None:
    near = reader.nearest(setting.key)
    # Of several, those whose value could be the one given.
    near = [one for one in near if _takes(engine, reader, one, setting)] or near
    slips = [one for one in near if _slip(setting.key, one)]
    if slips:
        return _named(slips, "high")
    if engine in ("flink", "spark"):
        alike = [one for one in near if _same_option(setting.key, one, reader)]
        return _named(alike, "medium") if alike else Meant("", (), "low") if near else None
    return None


def _named(keys: list[str], confidence: str) -> Meant:
    return Meant(f"{' or '.join(keys[:2])} may be meant", tuple(keys), confidence)


def _closed(key: str, reader: Reader, engine: str) -> Meant | None:
    """A key among the engine's own that nothing explains."""
    if any(key.startswith(one) for one in _CLOSED.get(engine, ())):
        return Meant("", (), "low")
    return None


_COMPONENTS = {"jobmanager", "taskmanager"}
_FEW = 6  # options that share a word which says what an option is about


def _same_option(key: str, other: str, reader: Reader) -> bool:
    """Whether other is key with words in another order, doubled or left out, in another component, or ends in the same telling words.

    More likeness than that is not enough: it misleads too often.
    """
    words, others = _split(key), _split(other)
    if len(words) > len(others) and [word for at, word in enumerate(words) if word not in words[:at]] == others:
        return True
    if len(words) == len(others) > 3 and all(map(_alike, sorted(words), sorted(others))):
        return True
    (first, _, rest), (first_other, _, rest_other) = key.partition("."), other.partition(".")
    if rest == rest_other and rest.count(".") and {first, first_other} <= _COMPONENTS:
        return True
    last, last_other = _split(key.rpartition(".")[2]), _split(other.rpartition(".")[2])
    if _within(words, others):
        return len(others) - len(words) <= 2 and last[-1] == others[-1] and (last == last_other != last[:1] or _telling(last[-1], reader))
    telling = any(_telling(word, reader) for word in last)
    return telling and len(last) == len(last_other) > 2 and all(map(_alike, last, last_other))


def _telling(word: str, reader: Reader) -> bool:
    """Whether the word stands in so few options that it nearly names one; of one or two letters it never does."""
    return len(word) > 3 and 0 < sum(word in _split(one) for table in reader.tables for one in table.keys(reader.at)) <= _FEW


def _within(words: list[str], others: list[str]) -> bool:
    """Whether others has all of words, in that order."""
    rest = iter(others)
    return all(word in rest for word in words)


def _alike(one: str, two: str) -> bool:
    """Whether two words differ in their ending at most: checkpoints, checkpointing."""
    if one == two:
        return True
    stem = _shared(one, two)
    return stem > 3 and (stem == min(len(one), len(two)) or (stem > 6 and max(len(one), len(two)) - stem <= 3))


def _takes(engine: str, reader: Reader, key: str, setting: Setting) -> bool:
    """Whether an option surely takes the setting's value: by its type, where the engine's grammar is known."""
    option = reader.option(key, reader.at)
    return option is not None and (not setting.known or accepts(engine, option, setting.text) is not False)


def accepts(engine: str, option: Option, text: str) -> bool | None:
    """Whether an option takes a value; None when nothing can be said."""
    from shoal.values import Bad

    if not option.type or option.prefix:
        return None
    if engine == "flink":
        from shoal.values import flink

        return not isinstance(flink.parse(option.type, text.strip(), option.values), Bad)
    if engine == "spark":
        from shoal.values import spark

        return not isinstance(spark.parse(option.type, text, option.values), Bad)
    if engine in ("kafka", "kafka-connect"):
        from shoal.values import kafka

        return not isinstance(kafka.parse(option.type, text), Bad)
    return None


def _slip(key: str, other: str) -> bool:
    """Whether the two differ in separators, case, a letter or two, or the ending of one word (`checkpoint`, `checkpointing`)."""
    words, others = _split(key), _split(other)
    if len(words) == len(others):
        differing = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
        if len(differing) == 1 and min(map(len, differing[0])) > 4 and _alike(*differing[0]):
            return True
    one, two = ("".join(char for char in text.lower() if char.isalnum()) for text in (key, other))
    if one == two:
        return True
    if len(words) != len(others) or abs(len(one) - len(two)) > 2:
        return False  # a whole word more or less is no slip, however short: worker.port is not worker.ui.port
    start = _shared(one, two)
    end = _shared(one[start:][::-1], two[start:][::-1])
    return max(len(one), len(two)) - start - end <= 2


def _split(key: str) -> list[str]:
    """The words of a key: `numberOfTaskSlots` has four."""
    return re.findall(r"[a-z]+|[0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", key).lower()) or [key]


def _shared(one: str, two: str) -> int:
    """How many letters both begin with."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
