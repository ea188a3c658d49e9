"""Images whose version changes under a running cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.classify import classify
from shoal.context import Context
from shoal.facts import Block, Dependency
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import flink

_VALUES = pattern(r"(?:^|/)values[^/]*\.ya?ml$")  # of a Helm chart


def check(job: Job, context: Context) -> Iterator[Finding]:
    for dependency in job.dependencies:
        if dependency.ecosystem != "image" or dependency.exact or not _floats(dependency):
            continue
        block = job.blocks.get(dependency.block)
        shown = f"{dependency.name}:{dependency.version}" if dependency.version else f"{dependency.name} (no tag, which means latest)"
        if block is None:
            if dependency.name in flink.STOCK and classify(dependency.place.path) == "dockerfile":
                yield context.finding(f"the next build from {shown} may bring another major version of Flink", dependency, severity="info")
            # where there is none, the tag may stand under another key
            elif dependency.name in flink.STOCK and dependency.version and _VALUES.search(dependency.place.path):
                message = f"a pod that restarts pulls whatever {shown} is by then, and may not fit the rest of the cluster or its state"
                yield context.finding(message, dependency, confidence="medium")
            continue
        if block.engine != "flink" or not _runs_flink(job, block, dependency):
            continue
        if flink.on_kubernetes(block):
            policy = _pulled(job, block)
            if policy == "Never":
                continue
            message = f"a pod that restarts pulls whatever {shown} is by then, and may not fit the rest of the cluster or its state"
            yield context.finding(message, dependency, confidence=_sure(dependency.name, policy))
        elif dependency.name in flink.STOCK:
            yield context.finding(f"the next pull of {shown} may bring another major version of Flink", dependency, severity="info")
        elif "/" in dependency.name and block.form == "compose" and not block.trait("build"):  # somebody else's, not built here
            message = f"the next pull of {shown} may bring another version of Flink, and of the connectors that are put into it"
            yield context.finding(message, dependency, severity="info", confidence="low")


def _sure(name: str, policy: str) -> str:
    """A name with neither a registry nor an owner is no image of anybody's on Docker Hub: it was built on the machine, unless a mirror has it."""
    if name in flink.STOCK:
        return ""
    return "medium" if policy == "Always" or (not policy and "/" in name) else "low"


def _pulled(job: Job, block: Block) -> str:
    """When Kubernetes pulls the image; empty where nothing is said (for `latest` whenever a pod starts)."""
    said = job.written(block, "spec.imagePullPolicy")
    return said.text if said is not None else block.trait("pull")


def _floats(image: Dependency) -> bool:
    """Whether the tag is of no version: none, `latest`, and of Flink's own images those that name Scala and Java alone."""
    if image.version in ("", "latest"):
        return True
    return image.name in flink.STOCK and re.match(r"(?:latest-)?(?:scala_|java\d)", image.version) is not None


def _runs_flink(job: Job, block: Block, image: Dependency) -> bool:
    """The image of the cluster itself, not one of a sidecar or an init container."""
    main = job.written(block, "spec.image") or job.written(block, "spec.image.name")
    if main is not None:
        return main.value_span.start <= image.place.span.start <= main.value_span.end
    return "flink" in image.name.lower()
