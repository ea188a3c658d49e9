"""What a move to another version changes and no rule over one version can see: pins, values, defaults, state.

These rules stand in no folder: `shoal upgrade` makes them for the version it is asked for, and judges facts that pretend to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.assume import before
from shoal.catalogue import Catalogue, Option
from shoal.context import Context
from shoal.facts import Block, Dependency
from shoal.job import Job, Version, numbers
from shoal.model import Edit, Finding, Fix, Place, Span
from shoal.readers.versions import engine_versions
from shoal.templates import spark
from shoal.templates.explain import accepts
from shoal.templates.option_value import refusal
from shoal.templates.options import Reader, judged, reader_of
from shoal.templates.releases import pin
from shoal.values import Bad

PARAMETERS = {
    "type": "object",
    "required": ["what", "engine", "to"],
    "properties": {"what": {"enum": ["pins", "values", "defaults", "state"]}, "engine": {"type": "string"}, "to": {"type": "string"}},
}
# Defaults whose change a job notices, and what it notices. The values are the catalogue's.
_MATTER = {
    "restart-strategy.exponential-delay.backoff-multiplier": "restarts come in another rhythm",
    "restart-strategy.exponential-delay.max-backoff": "restarts come in another rhythm",
    "spark.sql.ansi.enabled": "casts and sums that gave NULL now fail the query",
    "spark.sql.orc.compression.codec": "ORC files are written with another codec",
    "spark.sql.legacy.timeParserPolicy": "dates that made the query fail are now read as Spark 3 reads them",
    "spark.sql.legacy.createHiveTableByDefault": "CREATE TABLE without USING makes another kind of table",
    "spark.sql.parquet.datetimeRebaseModeInRead": "dates before 1582 are read as they stand",
    "spark.sql.streaming.kafka.useDeprecatedOffsetFetching": "offsets are fetched by the admin client, which needs rights of its own on the brokers",
    "spark.speculation.quantile": "speculation starts later",
    "acks": "a send waits for all replicas in sync",
    "enable.idempotence": "the producer needs the right to write idempotently, and at most 5 requests in flight",
    "linger.ms": "a record waits up to that long for others, if the batch is not full",
    "session.timeout.ms": "a dead consumer is noticed later",
    "partition.assignment.strategy": "the group must be restarted in two steps to use the new strategy",
    "metadata.recovery.strategy": "clients that know no broker any more bootstrap again",
}
# Defaults that the catalogue cannot see, because they stand in code: key, version, what was, what is, what a job notices.
_HIDDEN = {
    "flink": (
        (
            "restart-strategy.type",
            "1.19",
            "fixed-delay (every second, for ever)",
            "exponential-delay",
            "with checkpoints, restarts come less and less often",
        ),
    )
}
_CONFIGS = ("cluster", "deployment", "defaults", "application", "submit", "job", "consumer", "producer", "client", "worker")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One of four questions, by the parameter `what`."""
    return {"pins": _pins, "values": _values, "defaults": _defaults, "state": _state}[context.parameters["what"]](job, context)


def _starts(job: Job, engine: str) -> list[tuple[Dependency, Version]]:
    """What names the version that the job is to leave."""
    found = []
    for dependency in job.dependencies:
        was = before(dependency)
        if was is not None:
            name, text = engine_versions(was)[0]
            if (name == engine or (engine == "kafka" and name == "kafka-clients")) and numbers(text):
                found.append((was, Version(numbers(text), was)))
    return found


def _start(job: Job, engine: str) -> Version | None:
    """The one version that the job runs on today, when it is known and older than the new one."""
    versions = {version.parts[:2]: version for _, version in _starts(job, engine) if len(version.parts) > 1}
    return next(iter(versions.values())) if len(versions) == 1 else None


def _pins(job: Job, context: Context) -> Iterator[Finding]:
    engine, to = context.parameters["engine"], context.parameters["to"]
    title = engine.capitalize()
    for was, version in _starts(job, engine):
        if version.parts[: len(numbers(to))] == numbers(to):
            continue
        fixes: list[Fix] = []
        span = was.place.span
        if was.ecosystem == "field" and not version.parts[2:]:
            # the operator writes `v1_18`, of which the fact keeps 1.18
            length = span.end - span.start - len(version.text)
            new = "v" + to.replace(".", "_") if length == 1 else to if length == 0 else ""
            if new:
                fixes = [Fix(f"write {new}", "safe", (Edit(was.place.path, span, new),))]
        elif (new := pin(was, engine, to)) and (edit := _over(was, new)) is not None:
            fixes = [Fix(f"write {new}", "unsafe", (edit,))]
        where = {"image": "image", "pypi": "requirement", "maven": "dependency", "jar": "jar", "archive": "archive", "field": "field"}.get(
            was.ecosystem, "pin"
        )
        newer = "is older than" if version.parts < numbers(to) else "is newer than"
        todo = "the fix changes it" if fixes else f"by hand: choose a release of {to}"
        message = f"this {where} says {title} {version.text}, which {newer} {to}: {todo}"
        yield context.finding(message, Place(was.place.path, span, label=was.name), fixes=fixes)


def _over(was: Dependency, new: str) -> Edit | None:
    """The edit that writes a version over the old one, where the place holds nothing but it, or it behind the name."""
    span, length = was.place.span, len(was.version)
    before_it = {"image": len(was.name) + 1, "pypi": len(was.name) + 2}.get(was.ecosystem, 0)
    if span.end - span.start not in (length, before_it + length):
        return None  # a registry before it, a digest or a marker behind it, a build's property
    return Edit(was.place.path, Span(span.end - length, span.end), new)


def _values(job: Job, context: Context) -> Iterator[Finding]:
    """Values that the option took until now and does not take any more."""
    engine, to = context.parameters["engine"], context.parameters["to"]
    start = _start(job, engine)
    for block in job.blocks.values():
        reader = reader_of(job, block)
        if reader is None or reader.at is None or not _of(block, reader, engine):
            continue
        for setting in judged(job, block):
            option = reader.option(setting.key, reader.at) if setting.known else None
            if option is None or option.prefix or not _refused(block, reader, option, setting.text):
                continue
            old = reader.option(setting.key, start.minor if start else reader.tables[0].versions[0])
            if old is None or _refused(block, reader, old, setting.text):
                continue  # it is wrong today as well
            if engine == "kafka" and start is None and option.values and not old.values:
                continue  # older clients took no word more, they only found out later
            meant = _suggested(block.engine, option.type, setting.text, option.values)
            fixes = [context.replace(setting, meant, f"write {meant}", "safe")] if meant else []
            takes = f"one of {', '.join(option.values)}" if option.values else f"a {option.type}"
            yield context.finding(f"{setting.key} takes {takes} in {to}, and `{setting.text.strip()}` is refused", setting, fixes=fixes)


def _refused(block: Block, reader: Reader, option: Option, text: str) -> bool:
    return accepts(block.engine, option, text) is False or refusal(block, reader, option, text) is not None


def _suggested(engine: str, type_name: str, text: str, values: tuple[str, ...]) -> str | None:
    if engine == "flink":
        from shoal.values import flink

        read = flink.parse(type_name, text.strip(), values)
        return read.suggestion if isinstance(read, Bad) else None
    if engine == "spark":
        from shoal.values import spark

        found = spark.parse(type_name, text, values)
        return found.suggestion if isinstance(found, Bad) else None
    return None


def _defaults(job: Job, context: Context) -> Iterator[Finding]:
    """Defaults that change and that the job does not set: one finding each, where the job is configured."""
    engine, to = context.parameters["engine"], context.parameters["to"]
    start = _start(job, engine)
    if start is None:
        return
    done: set[str] = set()
    for block in job.blocks.values():
        reader = reader_of(job, block)
        if reader is None or block.role not in _CONFIGS or not _of(block, reader, engine) or block.open:
            continue
        for key, old, new, notice in [*_changes(reader.tables[0], start.minor, to), *_hidden(engine, start, to)]:
            if key in done or job.anywhere(block.engine, key) or not _used(job, block, key):
                continue
            done.add(key)
            message = f"{key} is not set, and its default changes from {old} ({start.minor}) to {new} ({to}): {notice}"
            yield context.finding(message, block.place._replace(label=key))


def _used(job: Job, block: Block, key: str) -> bool:
    """Whether an option that belongs to one of several strategies is in use."""
    if key.startswith("spark.speculation."):
        return any(setting.text.strip().lower() == "true" for setting in job.anywhere(block.engine, "spark.speculation"))
    if not key.startswith("restart-strategy.exponential-delay."):
        return True
    chosen = job.anywhere(block.engine, "restart-strategy.type")
    return any(setting.text.strip().lower().replace("exponential-delay", "exponentialdelay") == "exponentialdelay" for setting in chosen)


def _changes(table: Catalogue, start: str, to: str) -> Iterator[tuple[str, str, str, str]]:
    for key, notice in _MATTER.items():
        old, new = table.option(key, start), table.option(key, to)
        if old and new and old.key == new.key and not old.prefix and old.default is not None and old.default != new.default:
            yield key, old.default, new.default or "none", notice


def _hidden(engine: str, start: Version, to: str) -> Iterator[tuple[str, str, str, str]]:
    for key, since, old, new, notice in _HIDDEN.get(engine, ()):
        if start.below(since) and numbers(to) >= numbers(since):
            yield key, old, new, notice


def _state(job: Job, context: Context) -> Iterator[Finding]:
    """What no edit can do: state and checkpoints of another major version."""
    engine, to = context.parameters["engine"], context.parameters["to"]
    start = _start(job, engine)
    keys: tuple[str, ...]
    if start is None or start.parts[0] == numbers(to)[0]:
        return
    if engine == "flink":
        keys = (
            "execution.checkpointing.interval",
            "execution.checkpointing.dir",
            "execution.checkpointing.savepoint-dir",
            "state.backend.type",
        )
        message = f"no edit does this: Flink does not promise that {to} restores savepoints of {start.minor}; try it with a copy, or plan to rebuild the state"
    elif engine == "spark":
        keys = ("spark.sql.streaming.checkpointLocation",)
        message = f"no edit does this: start each query of Spark {to} on a copy of its checkpoint first, and keep the one of {start.minor} to go back to"
    else:
        return
    written = next((setting for key in keys for setting in job.anywhere(engine, key)), None)
    if written is None and engine == "spark":
        written = next(
            (found for block in job.select("spark", ("writer",)) if (found := spark.option(job, block, "checkpointLocation"))), None
        )
    if written is not None:
        yield context.finding(message, written)


def _of(block: Block, reader: Reader, engine: str) -> bool:
    """Whether the program that is to move reads the block: Kafka's releases are those of its own client, no other's."""
    return reader.name in ("the Kafka client", "Kafka Connect") if engine == "kafka" else block.engine == engine
