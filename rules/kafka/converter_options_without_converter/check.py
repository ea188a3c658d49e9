"""`value.converter.schemas.enable` of a connector without `value.converter` beside it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_CONVERTERS = ("key.converter", "value.converter", "header.converter")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Connect makes a connector's converter when its class is set there, and else takes the worker's as a whole (Plugins.newConverter).

    A class without a package is Confluent Cloud's, which has such options for itself. What the worker is told as well is in force.
    """
    workers = job.select("kafka-connect", ("worker",))
    for block in job.select("kafka-connect", ("connector",)):
        if block.open or "." not in verbatim(job.get(block, "connector.class")):
            continue
        settings = job.of(block)
        if any(setting.key.startswith("offset.storage") for setting in settings):
            continue  # Debezium's engine in a program of its own, which has other converters
        for converter in _CONVERTERS:
            if job.written(block, converter) is not None:
                continue
            options = [one for one in settings if one.key.startswith(f"{converter}.") and not one.key.endswith(".plugin.version")]
            options = [one for one in options if not any(_same(one, job.written(worker, one.key)) for worker in workers)]
            if options:
                first, *others = options
                message = f"`{first.key}` has no effect: the connector has no {converter}, so it gets the worker's converter with the worker's options"
                made = [found for worker in workers if (found := job.written(worker, converter)) is not None]
                related = [(found, "the worker's converter") for found in made[:1]] + [(other, "nor has this") for other in others[:4]]
                yield context.finding(message, first, related)


def _same(one: Setting, other: Setting | None) -> bool:
    return other is not None and (not one.known or not other.known or text(one) == text(other))
