"""`ENABLE_BUILT_IN_PLUGINS` against the version of the image, whose `opt` folder has jars of that version alone."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Dependency
from shoal.job import Job, numbers
from shoal.lazy import pattern
from shoal.model import Finding

_STOCK = ("flink", "apache/flink", "library/flink")
_JAR = pattern(r"(flink-[a-z][a-z0-9-]*?)-(\d+(?:\.\d+)+)\.jar")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("plugins"):
        block = job.blocks.get(usage.block)
        image = _image(job, block) if block is not None else None
        version = numbers(image.version) if image is not None else ()
        if image is None or len(version) < 2:
            continue
        tag = image.version.partition("-")[0]
        named = [found for jar in usage.detail.split(";") if (found := _JAR.fullmatch(jar.strip()))]
        other = next((found for found in named if not _agree(numbers(found[2]), version)), None)
        closer = next((found for found in named if len(numbers(found[2])) > len(version)), None)
        if other is not None:
            message = f"the container ends at its start, `Plugin {other[0]} does not exist`: the image is Flink {tag} and has {other[1]}-{tag}.jar, if any"
            yield context.finding(message, usage.place, [(image, "the image")])
        elif closer is not None:
            message = (
                f"once {image.name}:{tag}, which moves with each patch release, is another than {closer[2]}, the container ends at its start, "
                f"`Plugin {closer[0]} does not exist`: pin {image.name}:{closer[2]}"
            )
            yield context.finding(message, usage.place, [(image, "the image")], severity="warning", confidence="low")


def _agree(jar: tuple[int, ...], image: tuple[int, ...]) -> bool:
    """Whether two versions say the same, as far as both go."""
    shared = min(len(jar), len(image))
    return jar[:shared] == image[:shared]


def _image(job: Job, block: Block) -> Dependency | None:
    """The stock image that a block's containers run, or that a Dockerfile begins with."""
    images = job.images(block)
    if block.role == "image":
        images = [one for one in job.dependencies if one.ecosystem == "image" and one.place.path == block.place.path]
    return images[0] if len({(one.name, one.version) for one in images}) == 1 and images[0].name in _STOCK and images[0].exact else None
