"""`ENABLE_BUILT_IN_PLUGINS` against the version of the image, whose `opt` folder has jars of that version alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Dependency
from shoal.job import Job, numbers
from shoal.model import Finding

_STOCK = ("flink", "apache/flink", "library/flink")
_JAR = re.compile(r"(flink-[a-z][a-z0-9-]*?)-(\d+(?:\.\d+)+)\.jar")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("plugins"):
        block = job.blocks.get(usage.block)
        image = _image(job, block) if block is not None else None
        version = numbers(image.version) if image is not None else ()
        if image is None or len(version) < 2:
            continue
        for jar in usage.detail.split(";"):
            found = _JAR.fullmatch(jar.strip())
            if found is None:
                continue
            said = numbers(found[2])
            shared = min(len(said), len(version))
            if said[:shared] == version[:shared]:
                continue
            message = f"the container ends at its start, `Plugin {found[0]} does not exist`: the image is Flink {image.version.partition('-')[0]} and has {found[1]}-{image.version.partition('-')[0]}.jar, if any"
            yield context.finding(message, usage.place, [(image, "the image")])
            break


def _image(job: Job, block: Block) -> Dependency | None:
    """The stock image that a block's containers run, or that a Dockerfile begins with."""
    images = job.images(block)
    if block.role == "image":
        images = [one for one in job.dependencies if one.ecosystem == "image" and one.place.path == block.place.path]
    return images[0] if len({(one.name, one.version) for one in images}) == 1 and images[0].name in _STOCK and images[0].exact else None
