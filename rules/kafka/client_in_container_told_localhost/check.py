"""`localhost` as the only broker, in a program that a service of a compose file starts in a container of its own, or in a variable that one is given; and of a schema registry there."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import programs
from shoal.model import Finding, Place
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("asks-itself"):
        message = f"{usage.place.label} looks for Kafka at {usage.detail}, which is its own container, and waits there until it times out"
        related = [(block, "the broker") for block in job.select("kafka", ("broker",)) if block.place.path == usage.place.path][:1]
        yield context.finding(message, usage.place._replace(label=""), related)
    for usage in job.usages("registry-at-itself"):
        message = (
            f"{usage.place.label} looks for the schema registry at {usage.detail}, which is its own container: every call to it is refused"
        )
        yield context.finding(message, usage.place._replace(label=""))
    # what a source of an engine hands on to its client stands at one place with it
    told = {setting.place(): setting for setting in job.settings if setting.path.endswith(".py") and kafka.all_local(setting)}
    if not told:
        return
    brokers = {block.name: block for block in job.select("kafka", ("broker",))}
    seen: set[Place] = set()
    for container, program, inside in programs.started(job):
        for place, setting in told.items() if container.name not in brokers else ():
            if setting.path in inside and place not in seen:
                seen.add(place)
                message = (
                    f"{container.name} looks for Kafka at {setting.text}, which is its own container, and waits there until it times out"
                )
                broker = [(block, "the broker") for block in list(brokers.values())[:1]]
                yield context.finding(message, setting, [(container.fact.place, f"runs {program}"), *broker])
