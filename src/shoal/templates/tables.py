"""What several rules ask of Flink tables and sinks: their options with those of hints, what they guarantee, whether anything checkpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.facts import Block, Setting, Statement
from shoal.job import Job
from shoal.model import Place
from shoal.readers.sql_tables import same_table
from shoal.templates.common import text as text
from shoal.values import Bad
from shoal.values.flink import parse_duration

if TYPE_CHECKING:
    from shoal.catalogue import Catalogue, Option

STARTUP = "scan.startup.mode"
GROUP = "properties.group.id"
RESET = "properties.auto.offset.reset"
PREFIX = ("sink.transactional-id-prefix", "transactional-id-prefix")
GUARANTEE = ("sink.delivery-guarantee", "delivery-guarantee", "sink.semantic")
INTERVAL = "execution.checkpointing.interval"
# Forms of tables whose columns are seen, too: CREATE TABLE, and PyFlink's descriptors.
DECLARED = ("sql", "python")
# Connectors whose factories refuse what they do not know, and whose options the catalogue has in full.
STRICT = ("kafka", "upsert-kafka", "filesystem", "jdbc", "datagen", "print", "blackhole")
# Handed on unread: to the Kafka client, the JDBC driver, the Parquet and ORC writers; and what vendors add.
_PASSED_ON = ("properties.", "parquet.", "orc.", "aliyun.", "value.parquet.", "value.orc.")
_FORMATS = (
    "avro-confluent",
    "debezium-avro-confluent",
    "canal-json",
    "csv",
    "debezium-json",
    "json",
    "maxwell-json",
    "ogg-json",
    "protobuf",
    "raw",
    "avro",
)
_CONFS = ("cluster", "deployment")
# Of connectors whose sources go on until the job is stopped.
_STREAMS = ("kafka", "kinesis", "pulsar", "rabbitmq", "-cdc")


def tables(job: Job, *connectors: str, hints: bool = False) -> Iterator[Block]:
    """Tables of these connectors (of any, when none is named); hints on a table are not tables of their own unless asked for."""
    for block in job.select("flink", ("table",)):
        if (not connectors or block.trait("connector") in connectors) and (hints or block.trait("hint") != "true"):
            yield block


def readers(job: Job, connector: str) -> Iterator[Block]:
    """Tables and source builders of a connector."""
    yield from tables(job, connector)
    yield from (block for block in job.select("flink", ("source",)) if block.trait("connector") == connector)


# Formats of records that only add rows; none of them says that one changes or goes.
APPENDS = frozenset({"json", "csv", "avro", "avro-confluent", "protobuf", "raw"})


# … and of those that tell which row changed or went.
_CHANGES = ("debezium", "canal", "maxwell", "ogg")


def changes(job: Job, table: Block) -> bool:
    """Whether a table is a stream of changes: a row stands until another one takes its place."""
    connector = table.trait("connector")
    written = text(option(job, table, "value.format", "format"))
    return connector.endswith("-cdc") or connector == "upsert-kafka" or (connector == "kafka" and written.startswith(_CHANGES))


def option(job: Job, block: Block, *keys: str) -> Setting | None:
    """The first of the options that is set: in the table or builder itself, in a hint on it, or in the table a hint stands on."""
    for key in keys:
        if found := job.get(block, key):
            return found
        for child in job.children(block):
            if child.trait("hint") == "true" and (found := job.get(child, key)):
                return found
        parent = job.parent(block) if block.trait("hint") == "true" else None
        if parent and (found := job.get(parent, key)):
            return found
    return None


def means(table: Block, name: str) -> bool:
    """Whether a name in a statement means a table: one with a catalog, or a database, means none that is made without, in another or nobody knows which."""
    if not same_table(table.name, name):
        return False
    more = name.count(".") - table.name.count(".")
    return more <= 0 or (name.count(".") == 2 and name.partition(".")[0] == (table.trait("catalog") or "default_catalog"))


def short(name: str) -> str:
    """A table's name without its catalog and database."""
    return name.rsplit(".", 1)[-1]


def keyless(table: Block) -> bool:
    """Whether a table is declared in full, with no primary key; one made LIKE another may have the other's."""
    return table.form in DECLARED and not table.open and not table.trait("like") and table.trait("has-primary-key") != "true"


def behind(statement: Statement, views: dict[str, Statement]) -> set[str]:
    """The tables and views that a statement reads, by itself and through views; `views` by their short names."""
    found: set[str] = set()
    waiting = [short(source) for source in statement.sources]
    while waiting:
        name = waiting.pop()
        if name in views and name not in found:
            waiting += [short(source) for source in views[name].sources]
        found.add(name)
    return found


def sources(job: Job) -> list[Block]:
    """The tables that statements read and the sources that programs build."""
    return [block for block in job.select("flink", ("source", "table")) if block.role == "source" or block.trait("source") == "true"]


def ends(job: Job, block: Block) -> bool:
    """Whether a table or source is read to an end that it says itself."""
    return block.trait("bounded") == "true" or job.get(block, "scan.bounded.mode") is not None


def never_ends(job: Job, block: Block) -> bool:
    """Whether what a table or source reads goes on for as long as the job does."""
    return (
        block.trait("connector").endswith(_STREAMS) and block.trait("bounded") != "true" and option(job, block, "scan.bounded.mode") is None
    )


def keeping(job: Job, statement: Statement, feature: str) -> Place | None:
    """Where in a statement the join or grouping stands that keeps state, in a file of its own the last one before it; None where that is not seen."""
    path, start = statement.place.path, statement.place.span.start
    next_one = min(
        (one.place.span.start for one in job.statements() if one.place.path == path and one.place.span.start > start), default=None
    )
    found = [
        usage.place
        for usage in job.usages("keeps-state")
        if usage.detail == feature and usage.place.path == path and usage.place.span.start >= start
    ]
    first = min(found, key=lambda place: place.span.start, default=None)
    return None if first is None or (next_one is not None and first.span.start > next_one) else first


def reads_stream(job: Job) -> bool:
    """Whether a program reads a stream that never ends, of which it may make a table."""
    return any(never_ends(job, source) for source in job.select("flink", ("source",)))


def timeless_reads(job: Job, features: frozenset[str]) -> Iterator[tuple[Statement, Block]]:
    """Statements with one of these features over tables without any time attribute, of which one never ends, each with the first of them.

    Every table that a statement reads must be in sight, and be declared once.
    """
    if is_batch(job):
        return
    declared: dict[str, list[Block]] = {}
    for table in tables(job):
        declared.setdefault(short(table.name), []).append(table)
    for statement in job.statements("insert", "select"):
        if not features & set(statement.features) or not statement.sources:
            continue
        found = [declared.get(short(source), []) for source in statement.sources]
        if all(len(ones) == 1 and _is_timeless(ones[0]) for ones in found) and any(never_ends(job, ones[0]) for ones in found):
            yield statement, found[0][0]


def _is_timeless(table: Block) -> bool:
    """Whether a table is declared in full and has neither a watermark nor a column of PROCTIME()."""
    named = re.fullmatch(r"[A-Za-z_][\w.]*", table.name, re.ASCII)  # what a program puts in may be any table
    times = ("has-watermark", "has-proctime", "like")
    return (
        named is not None
        and table.form in DECLARED
        and not table.open
        and bool(table.trait("connector"))
        and not any(table.trait(name) for name in times)
    )


def head(job: Job, table: Block) -> Place | Block:
    """Where a table says what it is: its connector."""
    named = job.get(table, "connector")
    return named.place() if named is not None else table


def guarantee(job: Job, block: Block) -> tuple[Setting | None, str]:
    """The delivery guarantee a sink asks for, and `exactly-once`, `at-least-once`, `none` or an empty text."""
    found = option(job, block, *GUARANTEE)
    return found, text(found).replace("_", "-").rpartition(".")[2]


def others_protobuf(job: Job, table: Block) -> bool:
    """Whether a table's `protobuf` is no format of Flink's own, which asks for the class of a message: others bore that name before 1.16."""
    names = ("value.format", "format", "key.format")
    used = any(text(option(job, table, name)) == "protobuf" for name in names)
    needed = "protobuf.message-class-name"
    return used and option(job, table, needed, f"value.{needed}", f"key.{needed}") is None


def sinks(job: Job) -> Iterator[tuple[Block, Setting, str]]:
    """Sinks with a written guarantee: (table or builder, its setting, the guarantee)."""
    for block in job.select("flink", ("table", "sink")):
        if block.trait("hint") == "true":
            continue
        found, value = guarantee(job, block)
        if found is not None and value:
            yield block, found, value


def checkpoints(job: Job) -> bool:
    """Whether anything in the job turns checkpointing on, or may do so out of sight."""
    if job.outside:
        from shoal.jobs.questions import managed

        if managed(job):
            return True
    for setting in job.anywhere("flink", INTERVAL):
        if not setting.known:
            return True
        length = parse_duration(setting.text)
        if not isinstance(length, Bad) and length.nanos > 0:
            return True
    # the Kubernetes operator sets an interval for jobs that it restores from their last state
    return any(text(setting) == "last-state" for setting in job.anywhere("flink", "spec.job.upgradeMode"))


def conf(job: Job) -> Block | None:
    """A cluster's configuration that is all to be seen, in which an absence means something."""
    found = job.select("flink", _CONFS)
    return None if any(block.open for block in found) else next(iter(found), None)


def is_batch(job: Job) -> bool:
    return any(text(setting) == "batch" for setting in job.anywhere("flink", "execution.runtime-mode"))


def is_passed_on(job: Job, table: Block, key: str) -> bool:
    """Whether the connector hands an option on unread: to a client or driver, to a writer, or to a format that is not Flink's own."""
    named = [found.text.strip() for name in ("format", "key.format", "value.format") if (found := job.written(table, name))]
    foreign = tuple(f"{prefix}{name}." for name in named if name not in _FORMATS for prefix in ("", "key.", "value."))
    return key.startswith((*_PASSED_ON, *foreign))


def described(table: Block, key: str) -> Option | None:
    """What the catalogue knows about a table's option, be it of the connector, of any connector, or of a format; None for nothing."""
    if table.trait("connector") == "datagen" and key.count(".") > 2:
        first, *_, last = key.removeprefix("fields.").split(".")  # a field of a row: fields.customer.name.length
        key = f"fields.{first}.{last}"
    if found := _options(table.trait("connector")).option(key):
        return found
    bare = key.removeprefix("value.").removeprefix("key.")
    name = next((name for name in _FORMATS if bare.startswith(f"{name}.")), "")
    return _options(f"format-{name}").option(bare[len(name) + 1 :]) if name else None


def is_of_connector(table: Block, key: str) -> bool:
    """Whether it is an option of the table's own connector, and neither one that all tables have nor one of its format."""
    return _options(table.trait("connector")).option(key) is not None and _options("any").option(key) is None


def keys(connector: str, like: str) -> list[str]:
    """The option names a key may have been meant to be: those of the connector, or of the format that the key begins with."""
    prefix = next((f"{one}{name}." for name in _FORMATS for one in ("", "key.", "value.") if like.startswith(f"{one}{name}.")), "")
    home = f"format-{prefix.removeprefix('value.').removeprefix('key.')[:-1]}" if prefix else connector
    return [prefix + key for key in _options(home).keys(None)]


def _options(part: str) -> Catalogue:
    """The options of a connector or format; of a connector without any of its own, those that all have."""
    from shoal import catalogue

    try:
        return catalogue.load(f"flink-table:{part}")
    except catalogue.UnknownEngine:
        return catalogue.load("flink-table:any")
