"""`failureStrategy` for `failure-strategy`: MicroProfile Config finds a property by its exact name."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.kafka_names import CHANNEL_ATTRIBUTES, CHANNEL_OPTIONS
from shoal.templates import smallrye


def _letters(key: str) -> str:
    return "".join(filter(str.isalnum, key)).lower()


_BY_LETTERS = {_letters(key): key for key in sorted(CHANNEL_ATTRIBUTES | CHANNEL_OPTIONS)}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in smallrye.channels(job, "consumer", "producer"):
        for setting in job.of(block):
            meant = _BY_LETTERS.get(_letters(setting.key), setting.key)
            if setting.key != meant and setting.key not in CHANNEL_ATTRIBUTES:
                yield context.finding(f"{setting.key} is read by nobody: the connector's attribute is {meant}", setting.key_place())
