"""`jarURI: local:///…/orders.jar` of a resource, where the project's Dockerfile puts other jars into that folder of the image, and not this one."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import flink

_LOCAL = "local://"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where one Dockerfile of the job builds an image of Flink with jars: another may well be that of another image."""
    images = job.usages("image-jars")
    if len(images) != 1:
        return
    jars, filled = json.loads(images[0].detail)
    for block in job.select("flink", ("deployment",)):
        uri = job.written(block, "spec.job.jarURI")
        path = posixpath.normpath(uri.text.strip().removeprefix(_LOCAL)) if uri is not None and uri.known else ""
        if uri is None or not uri.text.strip().startswith(_LOCAL) or not path.endswith(".jar") or not _of_own_image(job, block):
            continue
        beside = sorted(jar for jar in jars if posixpath.dirname(jar) == posixpath.dirname(path))
        brought = any(path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in filled)
        mounted = questions.covering((mount for mount in job.mounts if mount.block == block.id and mount.path.strip("/")), path)
        if beside and path not in jars and not brought and not mounted:
            names = " and ".join(map(posixpath.basename, beside[:3]))
            message = (
                f"the job does not start: the Dockerfile puts {names} into {posixpath.dirname(path)}, and no {posixpath.basename(path)}"
            )
            yield context.finding(message, uri, [(images[0].place, "what is put there")])


def _of_own_image(job: Job, block: Block) -> bool:
    """Whether the resource runs an image that is not Flink's own, in which the project's jars are not."""
    found = job.images(block)
    return bool(found) and all(image.name not in flink.STOCK for image in found)
