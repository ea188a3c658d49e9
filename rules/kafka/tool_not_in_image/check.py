"""`kafka-topics.sh` in Confluent's image, `kafka-topics` in Bitnami's, either without its path in Apache's: in checks, in commands, and in scripts that enter a container."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Usage
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.readers.kafka_tools import meant
from shoal.templates.kafka import broker_image


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "tool-not-in-image":
            yield context.finding(
                f"there is no `{oddity.subject}` on the path of this image, so what runs it fails: it is {oddity.detail}", oddity
            )
    calls: dict[tuple[str, str], list[Usage]] = {}
    for usage in job.usages("tool-called"):
        calls.setdefault((usage.place.path, usage.detail), []).append(usage)
    for (_, detail), (first, *others) in calls.items():
        called = json.loads(detail)
        brokers = [block for block in job.select("kafka", ("broker",), ("compose",)) if called["container"] in block.trait("hosts").split()]
        right = {meant(broker_image(job, block), called["tool"]) for block in brokers}
        if len(right) == 1 and (name := right.pop()):
            message = f"there is no `{called['tool']}` on the path of the image of {called['container']} ({broker_image(job, brokers[0])}): it is {name}"
            related: list[tuple[Block | Place, str]] = [(brokers[0], "the container"), *((other.place, "the same") for other in others[:4])]
            yield context.finding(message, first.place, related, confidence="medium")
