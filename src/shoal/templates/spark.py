"""What several Spark rules ask of a block: whether the application streams, and where a path points to."""

from __future__ import annotations

import re

from shoal.facts import Block, Dependency, Setting
from shoal.job import Job, Version
from shoal.lazy import pattern
from shoal.model import Place
from shoal.templates.common import text as text

# Formats of the source of files.
FILES = frozenset({"json", "csv", "parquet", "orc", "text", "xml", "avro"})
# Sinks that keep nothing.
SHOWN = frozenset({"console", "memory", "noop"})
_SOURCES = ("spark-kafka", "spark-streaming-kafka")
# Scala releases that the published builds of a Spark release exist for.
_SCALA = ((2, ("2.11", "2.12")), (3, ("2.12", "2.13")), (4, ("2.13",)))
_NAMED = pattern(r"stream(?!lit)", re.IGNORECASE)

# Formats of files that a stream is read from and written to, and those of them that are only appended to.
_READ = frozenset({"json", "csv", "parquet", "orc"})
_APPENDED = frozenset({"parquet", "json", "csv", "orc", "text", "avro", "xml"})
_WRITTEN = (_APPENDED | {"delta"}) - {"xml"}
INFERS = "streaming.schemaInference"


def option(job: Job, block: Block, name: str) -> Setting | None:
    """An option of a reader or writer, whose names Spark compares without case; the last one where it is given twice."""
    folded = name.lower()
    return next((setting for setting in reversed(job.of(block)) if setting.key.lower() == folded), None)


def sink_lacks(job: Job, block: Block) -> str:
    """What a streaming writer that is started with options in full sight lacks."""
    if block.open or block.trait("start") != "start" or block.trait("foreachBatch") or block.trait("foreach"):
        return ""
    form = block.trait("format")
    if form == "jdbc":
        return "the JDBC sink cannot be written as a stream (write each batch in foreachBatch)"
    if form == "memory" and not block.name and option(job, block, "queryName") is None:
        return "the memory sink needs a queryName, which is its table's"
    if (form in _WRITTEN or (not form and option(job, block, "format") is None)) and option(job, block, "path") is None:
        return f"a stream of {form or 'parquet'} files needs a path"
    return ""


def sink_refuses_mode(form: str, mode: str) -> str:
    """Why a sink of this format is not written in an output mode."""
    if mode not in ("update", "complete"):
        return "" if mode in ("append", "") else f"there is no output mode {mode}; it is append, update or complete"
    if form in _APPENDED:
        return f"{form} files are only ever appended to, so {mode} mode is not for them"
    if form == "delta" and mode == "update":
        return "a Delta table takes append and complete mode; for update mode merge in foreachBatch"
    return ""


def source_lacks(job: Job, block: Block, inferred: bool) -> str:
    """What a streaming reader with options in full sight lacks; `inferred`: the program says that schemas are inferred."""
    form = block.trait("format")
    if form == "jdbc":
        return "the JDBC source cannot be read as a stream (a connector for the database's log can, such as Debezium)"
    if form == "kafka":
        named = [option(job, block, key) for key in ("kafka.bootstrap.servers", "bootstrap.servers")]
        topics = [option(job, block, key) for key in ("subscribe", "subscribePattern", "assign")]
        return "the Kafka source needs kafka.bootstrap.servers" if not any(named) and any(topics) else ""
    if form in _READ and not block.trait("schema") and not inferred and not of_the_session(job, f"spark.sql.{INFERS}"):
        return f"a stream of {form} files needs a schema: give it with schema(…)"
    return ""


def of_the_session(job: Job, key: str) -> list[Setting]:
    """Where a setting of the session is made; as an option of a stream it is none."""
    return [setting for setting in job.anywhere("spark", key) if not is_option(job, setting)]


def is_option(job: Job, setting: Setting) -> bool:
    """Whether a setting was given to a reader or writer of a stream."""
    block = job.blocks.get(setting.block)
    return block is not None and block.role in ("reader", "writer")


def only_shown(job: Job) -> bool:
    """Whether the sinks of a job are known, and none of them keeps anything."""
    sinks = {block.trait("format") for block in job.select("spark", ("writer",)) if not block.trait("foreachBatch")}
    return bool(sinks) and sinks <= SHOWN


def streaming_sign(job: Job, block: Block) -> Setting | None:
    """A setting that only Structured Streaming reads."""
    return next((setting for setting in job.of(block) if setting.key.startswith("spark.sql.streaming.")), None)


def reads_kafka(job: Job, block: Block) -> bool:
    """Whether the Kafka source is among what the application itself brings along."""
    from shoal.readers.versions import engine_versions

    listed = [setting for key in ("--jars", "spark.jars") if (setting := job.get(block, key)) is not None]
    own = (
        dependency
        for dependency in job.dependencies
        if dependency.block == block.id or any(_within(dependency.place, setting) for setting in listed)
    )
    return any(name in _SOURCES for dependency in own for name, _ in engine_versions(dependency))


def started_files(job: Job, submission: Block) -> set[str]:
    """The names of the files that a submission starts; of a class, that of its source in Java."""
    found = (entry for entry in job.entries if entry.block == submission.id)
    return {f"{entry.target.rpartition('.')[2]}.java" if entry.kind == "class" else entry.target.rsplit("/", 1)[-1] for entry in found}


def endless_program(job: Job, target: str) -> tuple[Place, bool] | None:
    """Where the one program of this name waits without an end for queries that do not end by themselves, and whether it is seen to start them."""
    name = target.rpartition("/")[2]
    waits = [one for one in job.usages("waits-for-ever") if one.place.path.rpartition("/")[2] == name]
    if len({one.place.path for one in waits}) != 1:
        return None
    queries = [block for block in job.select("spark", ("writer",), ("python",)) if block.place.path == waits[0].place.path]
    if any(job.get(block, key) is not None for block in queries for key in ("trigger.availableNow", "trigger.once")):
        return None
    return waits[0].place, any(block.trait("start") for block in queries)


def runs_on(job: Job, dependency: Dependency) -> Version | None:
    """The Spark that a package is loaded by, as an image or a pin of PySpark says; None where that is not sure."""
    version = job.version("spark")
    if version is None or len(version.parts) < 2 or not _is_spark(version.source) or job.outside:
        return None
    block = job.blocks.get(dependency.block)
    if version.source.ecosystem == "pypi" and block is not None and block.trait("inside"):
        return None  # the Spark of a running container, or of a folder, is not the PySpark that the project pins
    return version


def resolved(job: Job, dependency: Dependency) -> bool:
    """Whether a package may be taken at all: those that code names are not any more once spark-submit was given some."""
    block = job.blocks.get(dependency.block)
    return block is None or block.role != "job" or not any(_submitted(job, other) for other in job.dependencies)


def scalas(major: int) -> tuple[str, ...]:
    """The releases of Scala that a major version of Spark is built for."""
    return next((known for number, known in _SCALA if number == major), ("2.12", "2.13"))


def of_scala_2_12(spark: Dependency) -> bool:
    """PySpark 3 on PyPI, and images of Spark 3 whose tag names no Scala."""
    from shoal.readers.versions import engine_versions

    return (spark.ecosystem == "pypi" and spark.name == "pyspark") or (
        spark.ecosystem in ("image", "archive") and "scala" not in dict(engine_versions(spark))
    )


def may_be_any(job: Job) -> bool:
    """Whether some Spark of the job names no version: an image that runs whatever it holds, or PySpark, of which pip takes the newest."""
    from shoal.readers.versions import image_engine

    return any(
        not re.search(r"\d", dependency.version)
        and (
            dependency.name == "pyspark"
            if dependency.ecosystem == "pypi"
            else dependency.ecosystem == "image" and image_engine(dependency.name) == "spark"
        )
        for dependency in job.dependencies
    )


def _is_spark(source: Dependency) -> bool:
    """Whether a version is that of what runs, not of something built for it."""
    return source.name == "pyspark" if source.ecosystem == "pypi" else source.ecosystem in ("image", "archive")


def _submitted(job: Job, dependency: Dependency) -> bool:
    block = job.blocks.get(dependency.block)
    return block is not None and block.role == "submit" and dependency.ecosystem == "maven"


def _within(place: Place, setting: Setting) -> bool:
    return place.path == setting.path and setting.value_span.start <= place.span.start and place.span.end <= setting.value_span.end


def streams(job: Job, block: Block) -> str:
    """`sure`, `likely` (by its name) or nothing: whether an application runs a streaming query."""
    if streaming_sign(job, block) or reads_kafka(job, block):
        return "sure"
    names = [block.name, *(entry.target.rsplit("/", 1)[-1] for entry in job.entries if entry.block == block.id)]
    return next(filter(None, map(sounds_streaming, names)), "")


def sounds_streaming(name: str) -> str:
    """`likely` for a name that speaks of streams."""
    return "likely" if _NAMED.search(name) else ""


def is_local(job: Job, block: Block) -> bool:
    """Whether the application runs in one process: a demo or a test."""
    return master_is(job, block, "local")


def master_is(job: Job, block: Block, word: str) -> bool:
    """Whether what the application is sent to begins with a word: `local`, `yarn`."""
    return any(text(job.effective(block, key)).startswith(word) for key in ("spark.master", "--master", "spec.sparkConf.spark.master"))


# Registered by parts that a running application may not have loaded: then the option is not refused, and has no effect.
_LATE = ("spark.kubernetes.", "spark.yarn.", "spark.history.", "spark.streaming.")


def refused_at_runtime(key: str) -> str:
    """Why a running session does not take an option, for a message; empty where it does, or where that is not known for sure."""
    from shoal import catalogue

    option = catalogue.load("spark").option(key)
    if option is None or option.prefix or not option.type or "<" in option.key:
        return ""
    if option.scope == "static":
        return "is a static option: Spark refuses to change it (CANNOT_MODIFY_CONFIG), it is read with the first session"
    if option.scope != "core":
        return ""
    if key.startswith(_LATE):
        return "has no effect in a running session: it is read when the application starts"
    return "cannot be changed in a running session: Spark refuses it (CANNOT_MODIFY_CONFIG), it is read when the application starts"
