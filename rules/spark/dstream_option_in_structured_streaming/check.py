"""`spark.streaming.…` where the application uses Structured Streaming and no DStreams."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.versions import engine_versions
from shoal.templates import spark

_HELP = {
    "spark.streaming.stopGracefullyOnShutdown": "to stop between batches, call query.stop() from a signal handler",
    "spark.streaming.backpressure.": "limit the batch with maxOffsetsPerTrigger or maxFilesPerTrigger on the source",
    "spark.streaming.kafka.maxRatePerPartition": "limit the batch with maxOffsetsPerTrigger on the source",
    "spark.streaming.kafka.": "the Kafka source has options of its own",
    "spark.streaming.receiver.": "Structured Streaming has no receivers",
    "spark.streaming.concurrentJobs": "each query runs its batches one after another",
    "spark.streaming.blockInterval": "Structured Streaming has no receivers",
    "spark.streaming.gracefulStopTimeout": "query.stop() waits as long as spark.sql.streaming.stopTimeout says",
    "spark.streaming.unpersist": "state is kept by the state store",
    "spark.streaming.ui.retainedBatches": "use spark.sql.streaming.numRecentProgressUpdates",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Speaks only where Structured Streaming is to be seen and the DStream connector is not: in the file, else in the code of the project."""
    old = {
        dependency.place.path
        for dependency in job.dependencies
        if any(name == "spark-streaming-kafka" for name, _ in engine_versions(dependency))
    }
    code = {block.place.path for block in job.select("spark", ("reader", "writer"))}
    dstreams = bool(old) or bool(job.usages("dstreams"))
    elsewhere = None if dstreams else next(iter(job.select("spark", ("reader",))), None)
    for block in job.select("spark", ("defaults", "application", "submit", "job", "session")):
        path = block.place.path
        sign: Setting | Block | None = spark.streaming_sign(job, block)
        here = sign is not None or path in code or spark.reads_kafka(job, block)
        program = None if here or dstreams else _program(job, block)
        if path in old or not (here or program is not None or (elsewhere is not None and block.role in ("job", "session", "defaults"))):
            continue
        sign = sign if here else program or elsewhere
        for setting in job.of(block):
            help_text = next((text for prefix, text in _HELP.items() if setting.key.startswith(prefix)), "")
            if help_text:
                message = f"{setting.key} has no effect, only the old DStream API reads it: {help_text}"
                related = [(sign, "Structured Streaming")] if sign else []
                guess = "low" if block.role == "defaults" else "medium"  # a cluster's defaults may be for programs that are not here
                yield context.finding(message, setting, related, confidence="" if here else guess)


def _program(job: Job, block: Block) -> Block | None:
    """A stream that is read by the one program of the project that a command submits, or by another module where that program reads none."""
    names = {entry.target.rsplit("/", 1)[-1] for entry in job.entries if entry.block == block.id}
    readers = [reader for reader in job.select("spark", ("reader",)) if reader.place.path.rsplit("/", 1)[-1] in names]
    if not readers and sum(path.endswith(".py") and path.rsplit("/", 1)[-1] in names for path in job.paths) == 1:
        readers = list(job.select("spark", ("reader",)))
        return readers[0] if readers and all(reader.form == "python" for reader in readers) else None
    return readers[0] if len({reader.place.path for reader in readers}) == 1 else None
