"""`dlqName` and its like are read where `enableDlq` is true, which it is not by default (KafkaConsumerProperties of 4.1.4 and 4.3.0)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spring

_OPTIONS = ("binding.dlq-name", "binding.dlq-partitions", "binding.dlq-producer-properties.")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in spring.bindings(job, "consumer"):
        options = [setting for setting in job.of(block) if setting.key.startswith(_OPTIONS)]
        enabled = job.written(block, "binding.enable-dlq")
        if not options or (enabled is not None and not (enabled.known and enabled.text.strip().lower() == "false")):
            continue
        name = options[0].key.removeprefix("binding.")
        message = (
            f"{name} is not read: enable-dlq is false{' by default' if enabled is None else ''}; a record that fails is sent to no topic"
        )
        yield context.finding(message, options[0], [(enabled, "no dead letters")] if enabled is not None else [], covers=options)
