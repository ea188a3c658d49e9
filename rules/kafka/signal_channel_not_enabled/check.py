"""`signal.kafka.topic` or `signal.file` in a connector of Debezium for which `signal.enabled.channels` does not name that channel."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_CHANNELS = "signal.enabled.channels"
_OF = {"kafka": ("signal.kafka.topic", "signal.kafka.bootstrap.servers"), "file": ("signal.file",)}
# Before the channels came with Debezium 2.3, that of MySQL listened where a topic was named.
_OF_OLD = "io.debezium.connector.mysql."


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        kind, enabled = verbatim(job.written(block, "connector.class")), job.written(block, _CHANNELS)
        if not kind.startswith("io.debezium.connector.") or block.open or (enabled is not None and not enabled.known):
            continue
        named = {part.strip().lower() for part in verbatim(enabled).split(",")}
        for channel, keys in _OF.items():
            told = [setting for key in keys if (setting := job.written(block, key)) is not None]
            if not told or channel in named:
                continue
            why = "does not name it" if enabled is not None else "is not set, and its default is `source` alone"
            message = f"{told[0].key} has no effect: the channel `{channel}` is not enabled, {_CHANNELS} {why}, so what is sent there starts no snapshot and stops none"
            old = enabled is None and kind.startswith(_OF_OLD)
            yield context.finding(message, told[0], [(enabled, "the channels")] if enabled else [], confidence="low" if old else "")
