"""Keys that are nearly options."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_ROLES = ("cluster", "deployment", "sessionjob", "session", "command", "job")
# Written by the entry point of the stock image itself, and copied from there.
_HARMLESS = frozenset({"query.server.port"})

# Fields of a resource, internals, and logging properties that ended up here: nothing that was meant to be an option.
_FOREIGN = ("spec.", "$", "logger.", "rootLogger.", "appender.", "log4j", "logback")
# What is often made up, and what it stands for where likeness would mislead.
_MEANT = {
    "execution.checkpointing.enabled": "execution.checkpointing.interval",
    "execution.checkpointing.enable": "execution.checkpointing.interval",
    "state.checkpoints.enabled": "execution.checkpointing.interval",
    "state.checkpoints.interval": "execution.checkpointing.interval",
    "execution.parallelism": "parallelism.default",
    "pipeline.parallelism": "parallelism.default",
    "jobmanager.parallelism": "parallelism.default",
    "taskmanager.slots": "taskmanager.numberOfTaskSlots",
    "taskmanager.task.slots": "taskmanager.numberOfTaskSlots",
    "jobmanager.memory.size": "jobmanager.memory.process.size",
}
# Nobody but Flink has options there, so that one it does not know is none, whatever it was meant to be.
_CLOSED = ("execution.checkpointing.", "restart-strategy.", "state.checkpoints.", "state.savepoints.", "high-availability.", "heartbeat.")


def check(job: Job, context: Context) -> Iterator[Finding]:
    options = catalogue.load("flink")
    for block in job.select("flink", _ROLES):
        if block.trait("legacy-environment"):
            continue
        version = job.version("flink", block)
        for setting in job.of(block):
            key = setting.key
            if key in _HARMLESS or "." not in key or key.startswith(_FOREIGN) or key.upper() == key or options.known(key):
                continue
            near = [_MEANT[key]] if key in _MEANT else options.nearest(key, version.minor if version else None)
            if not near and not key.startswith(_CLOSED):
                continue
            meant = f" ({' or '.join(near[:2])} may be meant)" if near else ""
            # a span that is shorter than the key is the last segment of a nested one
            whole = setting.key_span.end - setting.key_span.start == len(key)
            fixes = []
            if whole and len(near) == 1 and key not in _MEANT:
                fixes = [context.rename(setting, near[0], f"rename it to {near[0]}", "unsafe")]
            message = f"Flink ignores `{key}` without a word: there is no such option{meant}"
            yield context.finding(message, setting.key_place(label=key), fixes=fixes, covers=[setting.place()])
