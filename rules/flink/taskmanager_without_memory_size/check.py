"""A conf that a Dockerfile copies over the one of Flink's image, without the size of a TaskManager's memory, which has no default."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job, numbers
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import flink

_CONF = pattern(r"(?:/opt/flink|\$\{?FLINK_HOME\}?)/conf(?:/|/(?:flink-conf|config)\.yaml)?")
# The releases that read a file of this name, since a size has been required.
_READ = {"flink-conf.yaml": ((1, 10), (2, 0)), "config.yaml": ((1, 19), (99, 0))}
# Each of these is enough, the old ones included, and so are the last two together.
_SIZES = (
    "taskmanager.memory.process.size",
    "taskmanager.memory.flink.size",
    "taskmanager.heap.size",
    "taskmanager.heap.mb",
)
_PARTS = ("taskmanager.memory.task.heap.size", "taskmanager.memory.managed.size")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where anything of the project says the size, and where an operator does."""
    if job.select("flink", ("deployment", "sessionjob")) or any(job.anywhere("flink", key) for key in _SIZES):
        return
    if all(job.anywhere("flink", key) for key in _PARTS):
        return
    for mount in job.mounts:
        if mount.kind != "copy" or not _CONF.fullmatch(mount.path):
            continue
        bases = [one for one in job.in_file(mount.place.path).dependencies if one.ecosystem == "image"]
        name = mount.name.rsplit("/", 1)[-1]
        first, end = _READ.get(name, ((99, 0), (0, 0)))
        read = any(one.name in flink.STOCK and first <= numbers(one.version)[:2] < end for one in bases)
        for block in job.select("flink") if read else ():
            at = _of_processes(job, block) if _is_copied(block, mount.name) else None
            if at is not None:
                message = (
                    "no TaskManager of this image starts: the file takes the place of the image's own, which says how much memory one has, "
                    "and there is no default for it (taskmanager.memory.process.size)"
                )
                yield context.finding(message, at.key_place(label=at.key), [(mount, "copied over the image's file")], covers=[at])


def _is_copied(block: Block, source: str) -> bool:
    """Whether a conf stands in the file that is copied, wherever the build begins."""
    return f"/{block.place.path}".endswith("/" + "/".join(source.strip("./").split("/")[-2:]))


def _of_processes(job: Job, block: Block) -> Setting | None:
    """What a conf says of its processes: that of a client says nothing of them."""
    settings = job.of(block)
    starts = ("taskmanager.memory.", "jobmanager.memory.", "taskmanager.")
    return next((one for start in starts for one in settings if one.key.startswith(start)), None)
