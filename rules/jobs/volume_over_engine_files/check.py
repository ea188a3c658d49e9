"""Volumes that take the place of an engine's jars or scripts."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.engine_files import EMPTY

_WHAT = {"emptyDir": "an empty volume", "configMap": "the config map {}", "secret": "the secret {}"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A folder beside the compose file holds what the project brings; one elsewhere on the host may have been filled with all of the engine."""
    for oddity in job.oddities:
        if oddity.kind == "plugins-hidden":
            kind, source = oddity.detail.split("\n")
            volume = _WHAT.get(kind, "the host's folder {}").format(source)
            message = f"{volume} hides all connectors that the image has in {oddity.subject}: Connect finds no class of Debezium unless that folder holds them, too (mount yours one folder below)"
            yield context.finding(message, oddity, severity="warning", confidence="medium" if kind in EMPTY else "low")
        if oddity.kind != "engine-files-hidden":
            continue
        kind, source, what = oddity.detail.split("\n")
        volume = _WHAT.get(kind, "the host's folder {}").format(source)
        hides = f"{volume} hides what the image has in {oddity.subject}: {what}"
        if kind in EMPTY:
            yield context.finding(f"{hides} are gone, and the container does not start", oddity, confidence="high")
            continue
        block = job.blocks.get(oddity.block)
        built = block is not None and block.trait("build") and not job.images(block)
        confidence = "" if kind == "bind" and source.startswith(".") and not built else "low"
        yield context.finding(
            f"{hides} are gone, and the container does not start unless that folder holds them, too", oddity, confidence=confidence
        )
