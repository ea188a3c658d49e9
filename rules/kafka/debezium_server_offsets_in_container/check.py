"""Debezium Server's file of offsets, and the volumes of the project that it may lie in."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_FILE = "org.apache.kafka.connect.storage.FileOffsetBackingStore"
# The working directory of Debezium's image.
_HOME = "/debezium"


def check(job: Job, context: Context) -> Iterator[Finding]:
    volumes = [usage.detail.rstrip("/") for usage in job.usages("server-volume")]
    for block in job.select("kafka-connect", ("connector",), ("properties",)):
        file, store = job.written(block, "offset.storage.file.filename"), job.written(block, "offset.storage")
        if block.trait("program") != "debezium-server" or file is None or not file.known or not file.text.strip():
            continue
        if "src/main/" in block.place.path:
            continue  # an application of one's own on the server's base, of which nobody knows how it is run
        if store is not None and verbatim(store) != _FILE:
            continue
        path = posixpath.normpath(posixpath.join(_HOME, file.text.strip()))
        if any(f"{path}/".startswith(f"{volume}/") for volume in volumes):
            continue
        message = f"the offsets are in a file ({path}) that no volume of the project holds: a new container has none, and takes the whole snapshot again"
        yield context.finding(message, file)
