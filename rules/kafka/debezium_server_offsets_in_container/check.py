"""Debezium Server's file of offsets, and the volumes of the project that it may lie in; where its operator keeps them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_FILE = "org.apache.kafka.connect.storage.FileOffsetBackingStore"
_MEMORY = "org.apache.kafka.connect.storage.MemoryOffsetBackingStore"
# The working directory of Debezium's image.
_HOME = "/debezium"
_AGAIN = "a new {} has none, and takes the whole snapshot again"


def check(job: Job, context: Context) -> Iterator[Finding]:
    volumes = [usage.detail.rstrip("/") for usage in job.usages("server-volume")]
    for block in job.select("kafka-connect", ("connector",), ("properties",)):
        file, store = job.written(block, "offset.storage.file.filename"), job.written(block, "offset.storage")
        if block.trait("program") != "debezium-server":
            continue
        if store is not None and verbatim(store) == _MEMORY and verbatim(job.written(block, "snapshot.mode")) in ("", "initial"):
            yield context.finding(f"the offsets are in memory: {_AGAIN.format('process')}", store, confidence="medium")
        if file is None or not file.known or not file.text.strip() or (store is not None and verbatim(store) != _FILE):
            continue
        if "src/main/" in block.place.path:
            continue  # an application of one's own on the server's base, of which nobody knows how it is run
        path = posixpath.normpath(posixpath.join(_HOME, file.text.strip()))
        if any(f"{path}/".startswith(f"{volume}/") for volume in volumes):
            continue
        message = f"the offsets are in a file ({path}) that no volume of the project holds: {_AGAIN.format('container')}"
        yield context.finding(message, file)
    for block in job.select("kafka-connect", ("connector",), ("manifest",)):
        if block.trait("kind") == "DebeziumServer" and not block.trait("hidden"):
            yield from _of_operator(job, context, block)


def _of_operator(job: Job, context: Context, block: Block) -> Iterator[Finding]:
    """Its operator writes `offset.storage` after the config of the source, so that what stands there does not count."""
    again = _AGAIN.format("pod")
    store, named = job.written(block, "offset.storage"), block.trait("offsets")
    file = job.written(block, "offset.storage.file.filename")
    if not named:
        message = f"the offsets are in memory, where the operator has them as long as spec.source.offset names no store: {again}"
        written = store or file
        if written is not None:
            message += f"; {written.key} is for a store that it does not set"
        yield context.finding(message, written or block, confidence="low" if store is not None else "medium")
    elif named == "file" and block.trait("storage") in ("", "ephemeral"):
        at = job.written(block, "spec.source.offset.file.fileName")
        message = f"the offsets are in a file of a volume that ends with its pod (`storage` is not `persistent`): {again}"
        yield context.finding(message, at or block, confidence="medium")
