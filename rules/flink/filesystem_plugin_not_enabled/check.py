"""Stock images that cannot read the object store they are pointed at."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
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


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in flink.masters(job, job.select("flink", ("cluster", "deployment"))):
        runs = [block] if block.form != "configmap" else _pods(job, block)
        images = [image for one in runs for image in job.images(one)]
        if (block.open and runs == [block]) or not images or any(image.name not in _STOCK for image in images):
            continue
        if any(_has_plugins(job, one) for one in runs):
            continue
        for key in (flink.CHECKPOINT_DIR, flink.SAVEPOINT_DIR, flink.HA_DIR):
            found = lookup(job, block, key)
            if found is not None and found.known and (plugin := _PLUGINS.get(flink.scheme(found.text))):
                message = f"writing to {flink.scheme(found.text)}:// fails: the stock image loads no {plugin} file system unless ENABLE_BUILT_IN_PLUGINS names its jar"
                # a conf of another folder may be that of another cluster in the same repository
                apart = folder_of(found.path) != folder_of(images[0].place.path)
                yield context.finding(message, found, [(images[0], "the image")], confidence="low" if apart else "")
                break


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
    if any(block.trait(name) for name in ("plugins", "build", "hidden")):
        return True
    paths = [mount.path.rstrip("/") for mount in job.mounts if mount.block == block.id]
    return any("plugins" in path or path in ("/opt/flink", "/opt/flink/lib") for path in paths)
