"""`listeners: PLAINTEXT://localhost:9092` in a container whose port 9092 is published: what comes from the host arrives at another address."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import text
from shoal.templates.kafka import LOCAL

_LISTENER = pattern(r"([\w.-]+)://(\[[^\]]*\]|[^:,/\s]*):(\d+)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose",)):
        listeners = job.written(block, "listeners")
        # on the host's own network nothing is published
        if listeners is None or not listeners.known or listeners.sure != "sure" or not block.trait("hosts") or block.trait("tool"):
            continue
        controllers = text(job.written(block, "controller.listener.names")).split(",")  # which nobody comes to from the host
        heard: dict[str, set[str]] = {}
        for name, host, port in _LISTENER.findall(listeners.text):
            heard.setdefault(port, set()).add("" if name in controllers or name == "CONTROLLER" else host)
        for pair in block.trait("published").split():
            outer, _, inner = pair.partition(":")
            if inner in heard and heard[inner] <= LOCAL:
                host = min(heard[inner])
                message = (
                    f"nothing gets through the published port {outer}: the broker listens at {host}:{inner} inside of its container alone, "
                    f"and what Docker hands on comes to another address of it (`://:{inner}` listens on all)"
                )
                yield context.finding(message, listeners)
                break
