"""The byte-level gate: files in which no enabled rule can have anything to say are dropped before they are parsed.

A handful of `in` searches over lower-cased bytes: about 1 GB/s, against 2 MB/s for the cheapest parser.
"""

from __future__ import annotations

import re
from functools import lru_cache

from shoal.model import LeftOut

# Lower-case tokens, one of which every file that concerns an engine holds. Short and few: each costs a pass over the bytes.
MARKERS: dict[str, tuple[bytes, ...]] = {
    "flink": (b"flink", b"jobmanager", b"taskmanager", b"checkpointing", b"state.backend", b"restart-strategy", b"connector"),
    "spark": (b"spark",),
    "kafka": (b"kafka", b"bootstrap.servers", b"bootstrap_servers", b"connector.class"),
    "beam": (b"beam", b"flinkrunner", b"runner"),
    "asyncio": (b"async def",),
}
# Faust's name says nothing of Kafka where only packages are named.
_PINS = (*MARKERS["kafka"], b"faust")
# Where a marker is common outside streaming (`runner` in CI files), the kind of file narrows it down.
_BY_KIND: dict[str, dict[str, tuple[bytes, ...]]] = {
    "python": {
        # SQL may run in an environment that another module makes
        "flink": (b"flink", b"execute_sql"),
        "spark": (b"spark", b"writestream", b"readstream", b"awaittermination", b"import dlt"),
        # who feeds Pub/Sub, or reads it, may be a script beside
        "beam": (b"apache_beam", b"operators.dataflow", b"operators.beam", b"publisherclient", b"subscriberclient"),
        # what uses a client that another module makes may speak of no Kafka: `OrderProducer()`, `get_consumer()`, `create_task(consume_orders())`.
        # The words alone, without what follows, stand in six times as many files. Kinesis and Firehose have put_record(s) and put_record_batch,
        # and who reads from Kinesis asks for the NextShardIterator;
        # a stream of Redis is read by a group with xreadgroup; agents of Faust and handlers of FastStream stand beside the module that makes
        # their app or broker; a handler of Pulsar's may only give a message back
        "kafka": (
            b"kafka",
            b"faust",
            b"@app.agent(",
            b"quixstreams",
            b"bytewax",
            b"xreadgroup",
            b"producer(",
            b"consumer(",
            b"consume(",
            b"consume_",
            b"put_record",
            b"nextshard",
            b"pulsar.client(",
            b"negative_acknowledge(",
            b"broker.subscriber(",
            b"connector.class",
        ),
    },
    "java": {
        "flink": (b"apache.flink",),
        "beam": (b"apache.beam",),
        "kafka": (b"kafka", b"reactive.messaging"),
        "spark": (b"apache.spark",),
        "asyncio": (),
    },
    "yaml": {
        "flink": (*MARKERS["flink"], b"sink:"),  # of a pipeline of Flink CDC, which may not say whose it is
        "beam": (b"beam", b"flinkrunner", b"dataflow"),
        "kafka": (*MARKERS["kafka"], b"cp-zookeeper", b"debezium"),
        "spark": (b"spark", b"pipeline_task", b"serverless:", b"bundle:"),
    },
    "json": {"flink": (b"flink",), "beam": (b"beam", b"flinkrunner"), "spark": (b"spark", b"pipeline_task", b'"edition"', b'"serverless"')},
    # a broker's own file may speak of no Kafka, nor does what tells a client of TLS alone
    "properties": {
        "kafka": (
            *MARKERS["kafka"],
            b"process.roles",
            b"advertised.listeners",
            b"default.replication",
            b"insync.replicas",
            b"security.protocol",
        )
    },
    "ini": {"kafka": (b"bootstrap.servers",), "flink": (), "spark": (), "beam": (), "asyncio": ()},
    "requirements": {"flink": (b"flink",), "beam": (b"beam",), "kafka": _PINS},
    "toml": {"flink": (b"flink",), "beam": (b"beam",), "kafka": _PINS},
    "lock": {"flink": (b"flink",), "beam": (b"beam",), "kafka": _PINS},
    "pom": {"flink": (b"flink",), "beam": (b"beam",)},
    "gradle": {"flink": (b"flink",), "beam": (b"beam",)},
    "terraform": {
        # what a module's variables default to, and who sets them, may stand in files that name no engine
        "flink": (b"flink", b'variable "', b'module "'),
        "kafka": (
            b'variable "',
            b'module "',
            b"kafka",
            b"connector.class",
            b"aws_msk_configuration",
            b"debezium/",
            b"cp-zookeeper",
        ),
        "beam": (b"flinkrunner", b"apache/beam", b"google_pubsub_", b'"google_dataflow_'),
    },
    "dockerfile": {
        "flink": (b"flink",),
        "beam": (b"beam", b"flinkrunner", b"template-launcher"),
        "kafka": (*MARKERS["kafka"], b"bytewax"),
    },
    "shell": {
        "flink": (b"flink", b"checkpointing", b"kinesisanalytics"),
        "beam": (b"flinkrunner", b"portablerunner", b"--runner", b"dataflow"),
        "kafka": (*MARKERS["kafka"], b"/connectors", b"strimzi", b"cp-zookeeper", b"bytewax"),
    },
    "sql": {
        "flink": (
            b"connector",
            b"checkpointing",
            b"flink",
            b"table.exec",
            b"pipeline.",
            b"sql-client.",
            b"runtime-mode",
            b"create catalog",
            b"for system_time as of",
        ),
        "spark": (b"spark", b"streaming table", b"streaming live table", b"stream(", b"from stream"),  # of a declarative pipeline
    },
}
_BY_KIND["notebook"] = _BY_KIND["python"]
_BY_KIND["makefile"] = _BY_KIND["shell"]
# These files are nothing but settings of one engine.
_ALWAYS = frozenset({"flink-conf"})


_CONTROL = bytes([*range(9), *range(14, 32)])
_GENERATED = rb"(?im)^[ \t]*(?:#|//|--|;|\*|/\*|<!--)[^\n]*(?:@generated\b|\bgenerated\b[^\n]*\bdo not (?:edit|modify)\b|\bdo not (?:edit|modify)\b[^\n]*\bgenerated\b)"
# Kinds of which a tool writes the file that the build then uses: pins are pins, whoever wrote them.
_WRITTEN_BY_TOOLS = frozenset({"lock", "requirements", "pom", "gradle", "toml"})


def passes(kind: str, data: bytes, engines: frozenset[str]) -> bool:
    """Whether a file of this kind may hold something for rules of these engines."""
    if kind in _ALWAYS:
        return True
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:4] == b"\x00\x00\xfe\xff":
        data = data.replace(b"\x00", b"")  # UTF-16 and UTF-32: near enough for a search of ASCII words
    lowered = data.lower()
    for start, words in _searches(kind, engines):  # noqa: SIM110 - `any` costs as much again, for every file of a tree
        if start in lowered and (not words or any(word in lowered for word in words)):
            return True
    return False


@lru_cache(maxsize=256)
def tokens(kind: str, engines: frozenset[str]) -> tuple[bytes, ...]:
    """What a file of a kind must hold one of; a token that holds another one is left away."""
    narrowed = _BY_KIND.get(kind, {})
    found = {token for engine in engines for token in narrowed.get(engine, MARKERS.get(engine, ()))}
    return tuple(
        sorted(
            (token for token in found if not any(other != token and other in token for other in found)),
            key=lambda token: (len(token), token),
        )
    )


_SHARED = 7  # as long as `consume`, which few files hold


@lru_cache(maxsize=256)
def _searches(kind: str, engines: frozenset[str]) -> tuple[tuple[bytes, tuple[bytes, ...]], ...]:
    """The tokens, those with one beginning put together: it is searched for once, and they only where it stands."""
    found: dict[bytes, list[bytes]] = {}
    for token in tokens(kind, engines):
        found.setdefault(token[:_SHARED], []).append(token)
    return tuple((start, tuple(words)) if len(words) > 1 else (words[0], ()) for start, words in found.items())


# What a checkout, or a repository, holds in the place of a file that is kept in Git LFS.
LFS_POINTER = b"version https://git-lfs.github.com/spec/"


def judged(path: str, kind: str, data: bytes, engines: frozenset[str], named: bool, asked: bool = False) -> bool | LeftOut:
    """Whether a file is to be checked, or what its content says against it.

    `named`: somebody wants it looked at whatever it looks like; `asked`: other files ask about it, whatever it speaks of.
    """
    if data.startswith(LFS_POINTER):
        return LeftOut(path, "lfs-pointer", "its content is in Git LFS")
    if not (asked or passes(kind, data, engines)):
        return False
    why = "" if named else left_out(kind, data)
    return LeftOut(path, why) if why else True


def left_out(kind: str, data: bytes) -> str:
    """Why a file's content says that it is not for shoal to judge: `binary`, `generated`, or an empty string."""
    head = data[:4096]
    if (
        (len(head) - len(head.translate(None, _CONTROL))) * 10 > len(head)
        and data[:2] not in (b"\xff\xfe", b"\xfe\xff")
        and data[:4] != b"\x00\x00\xfe\xff"
    ):
        return "binary"
    if kind not in _WRITTEN_BY_TOOLS and b"generated" in head[:1024].lower() and re.search(_GENERATED, head[:1024]):
        return "generated"
    return ""
