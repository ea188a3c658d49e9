"""`ENV JAVA_HOME=/usr/lib/jvm/java-17-openjdk-arm64` in a Dockerfile that is for no architecture in particular."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """What is written for arm64 was written on somebody's own machine, as a rule; most servers are amd64."""
    for oddity in job.oddities:
        if oddity.kind != "java-of-architecture":
            continue
        own, other = oddity.detail, "amd64" if oddity.detail == "arm64" else "arm64"
        message = (
            f"built on {other} the image has no Java there, and neither Flink nor Spark starts: apt puts it into {oddity.subject}-{other} "
            f"(ARG TARGETARCH, and {oddity.subject}-${{TARGETARCH}})"
        )
        low = own == "amd64"
        yield context.finding(message, oddity, severity="info" if low else "", confidence="low" if low else "")
