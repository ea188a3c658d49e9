"""Stock images, and images that add no plugin to one, which cannot read the object store that they, or the program, are pointed at."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup

_PLUGINS = {
    "s3": "s3",
    "s3a": "s3",
    "s3p": "s3",
    "gs": "gs",
    "abfs": "azure",
    "abfss": "azure",
    "wasb": "azure",
    "wasbs": "azure",
    "oss": "oss",
}
_STOCK = ("flink", "apache/flink", "library/flink")


_DIRS = (flink.CHECKPOINT_DIR, flink.SAVEPOINT_DIR, flink.HA_DIR)


def check(job: Job, context: Context) -> Iterator[Finding]:
    told = False
    for block in flink.masters(job, job.select("flink", ("cluster", "deployment"))):
        runs = [block] if block.form != "configmap" else _pods(job, block)
        images = [image for one in runs for image in job.images(one)]
        if (block.open and runs == [block]) or not images or any(image.name not in _STOCK for image in images):
            continue
        if any(_has_plugins(job, one) for one in runs):
            continue
        for key in _DIRS:
            found = lookup(job, block, key)
            if found is not None and found.known and (plugin := _PLUGINS.get(flink.scheme(found.text))):
                message = f"writing to {flink.scheme(found.text)}:// fails: the stock image loads no {plugin} file system unless ENABLE_BUILT_IN_PLUGINS names its jar"
                # a conf of another folder may be that of another cluster in the same repository
                apart = folder_of(found.path) != folder_of(images[0].place.path)
                yield context.finding(message, found, [(images[0], "the image")], confidence="low" if apart else "")
                told = True
                break
    if not told:
        yield from _built(job, context)


def _built(job: Job, context: Context) -> Iterator[Finding]:
    """A program whose image is built on the stock one: which of several, or whether a resource names that image, cannot be seen."""
    bases = job.usages("no-plugins")
    clusters = job.select("flink", ("cluster", "deployment", "sessionjob"))
    if len({usage.place.path for usage in bases}) != 1 or questions.managed(job) or any(block.open for block in clusters):
        return
    others = [one for one in job.dependencies if one.ecosystem == "image" and one.name in _STOCK and one.place.path != bases[0].place.path]
    if (
        others
        or any(block.trait(name) for block in clusters for name in ("plugins", "hidden"))
        or any(_mounts_plugins(job, block) for block in clusters)
    ):
        return
    for key in _DIRS:
        found = next(iter(job.origins("flink", key)), None)
        if found is not None and found.known and (plugin := _PLUGINS.get(flink.scheme(found.text))):
            message = f"writing to {flink.scheme(found.text)}:// fails: the image is built on the stock one, which loads no {plugin} file system, and puts none into plugins"
            yield context.finding(message, found, [(bases[0].place, "the image")], confidence="low")
            return


def _pods(job: Job, conf: Block) -> list[Block]:
    """The workloads of the same folder that mount a ConfigMap's configuration."""
    folder = folder_of(conf.place.path)
    mounting = {
        mount.block
        for mount in job.mounts
        if mount.kind == "configMap" and mount.name == conf.name and folder_of(mount.place.path) == folder
    }
    return [block for block in job.select("flink", ("cluster",)) if block.id in mounting]


def _has_plugins(job: Job, block: Block) -> bool:
    """Whether a container is told of plugins, or may have them: from variables that are not seen, a build, or a volume."""
    return any(block.trait(name) for name in ("plugins", "build", "hidden")) or _mounts_plugins(job, block)


def _mounts_plugins(job: Job, block: Block) -> bool:
    paths = [mount.path.rstrip("/") for mount in job.mounts if mount.block == block.id]
    return any("plugins" in path or path in ("/opt/flink", "/opt/flink/lib") for path in paths)
