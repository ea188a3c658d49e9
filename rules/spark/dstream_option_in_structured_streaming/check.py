"""`spark.streaming.…` where the application uses Structured Streaming and no DStreams."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.versions import engine_versions
from shoal.templates import spark

_HELP = {
    "spark.streaming.stopGracefullyOnShutdown": "to stop between batches, call query.stop() from a signal handler",
    "spark.streaming.backpressure.": "limit the batch with maxOffsetsPerTrigger or maxFilesPerTrigger on the source",
    "spark.streaming.kafka.": "limit the batch with maxOffsetsPerTrigger on the source",
    "spark.streaming.receiver.": "Structured Streaming has no receivers",
    "spark.streaming.concurrentJobs": "each query runs its batches one after another",
    "spark.streaming.blockInterval": "Structured Streaming has no receivers",
    "spark.streaming.unpersist": "state is kept by the state store",
    "spark.streaming.ui.retainedBatches": "use spark.sql.streaming.numRecentProgressUpdates",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Speaks only where Structured Streaming is to be seen and the DStream connector is not."""
    if any(name == "spark-streaming-kafka" for dependency in job.dependencies for name, _ in engine_versions(dependency)):
        return
    code = job.select("spark", ("reader", "writer"))
    for block in job.select("spark", ("defaults", "application", "submit", "job")):
        sign = spark.streaming_sign(job, block)
        if sign is None and not code and not spark.reads_kafka(job, block):
            continue
        for setting in job.of(block):
            help_text = next((text for prefix, text in _HELP.items() if setting.key.startswith(prefix)), "")
            if help_text:
                message = f"{setting.key} has no effect, only the old DStream API reads it: {help_text}"
                yield context.finding(message, setting, [(sign, "Structured Streaming")] if sign else [])
