"""Programs in PyFlink that run in Flink's own image, which has no Python."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from shoal.classify import classify
from shoal.context import Context
from shoal.facts import Block, Dependency, Entry
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.templates import flink

# Where Python is installed when the container starts, or from outside.
_SCRIPTS = ("shell", "makefile", "yaml", "dockerfile")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for a job, at the image of what starts the program, or of the JobManager."""
    plain = {usage.place.path for usage in job.usages("only-adds")}
    images = {
        block.id: image for block in job.select("flink", ("cluster", "deployment")) if (image := _stock(job, block, plain)) is not None
    }
    if not images or any(_brings_python(dependency, plain) for dependency in job.dependencies):
        return
    for entry in job.entries:
        holder = _holder(job, entry)
        driver = entry.kind == "class" and entry.target.endswith(".python.PythonDriver")
        if holder is not None and holder.id in images and (driver or entry.kind == "python"):
            yield _finding(context, images, holder.id, entry, "")
            return
    everything = all(block.id in images for block in job.select("flink", ("cluster",), ("compose", "manifest")))
    first = next((block for block in images if job.blocks[block].role == "cluster"), "")
    if not everything or not first:
        return
    for entry in job.entries:
        block = job.blocks.get(entry.block)
        if block is not None and block.trait("inside") and entry.kind == "python":
            yield _finding(context, images, first, entry, "medium")
            return
    program = next((block for block in job.select("flink", ("job",), ("python",)) if _mounted(job, block, images)), None)
    if program is not None:
        yield _finding(context, images, first, program, "low")


def _stock(job: Job, block: Block, plain: set[str]) -> Dependency | None:
    """The image of a container, if it is Flink's own, or one to which only files are added, and nothing is added to it as it starts."""
    if block.trait("installs"):
        return None
    found = _built_on(job, block, plain) if block.trait("build") else job.images(block)
    return found[0] if len(found) == 1 and found[0].name in flink.STOCK else None


def _built_on(job: Job, block: Block, plain: set[str]) -> list[Dependency]:
    """The base of the Dockerfile that stands where a container's image is built, if that only adds files to it."""
    entry = next((one for one in job.entries if one.kind == "build" and one.block == block.id and one.args), None)
    if entry is None:
        return []
    folder = posixpath.normpath(posixpath.join(folder_of(entry.place.path), entry.args[0]))
    return [
        base
        for base in job.dependencies
        if base.ecosystem == "image" and base.place.path in plain and posixpath.normpath(folder_of(base.place.path) or ".") == folder
    ]


def _brings_python(dependency: Dependency, plain: set[str]) -> bool:
    """Whether a script installs PyFlink, or the project builds an image of its own on Flink's and adds more than files to it."""
    kind = classify(dependency.place.path)
    installed = dependency.ecosystem == "pypi" and dependency.name == "apache-flink"
    builds = kind == "dockerfile" and dependency.ecosystem == "image" and dependency.name in flink.STOCK
    return kind in _SCRIPTS and (installed or (builds and dependency.place.path not in plain))


def _holder(job: Job, entry: Entry) -> Block | None:
    """The container, or the resource, that runs a program by its own command."""
    block = job.blocks.get(entry.block)
    while block is not None and block.role == "command":
        block = job.parent(block)
    return block


def _mounted(job: Job, program: Block, images: dict[str, Dependency]) -> bool:
    """Whether a container of the cluster mounts a folder with the program, and not just the whole project."""
    for mount in job.mounts:
        if mount.block in images and mount.kind == "bind" and mount.name.startswith("."):
            beside = folder_of(mount.place.path)
            folder = posixpath.normpath(posixpath.join(beside, mount.name))
            if folder != posixpath.normpath(beside or ".") and program.place.path.startswith(f"{folder}/"):
                return True
    return False


def _finding(context: Context, images: dict[str, Dependency], at: str, why: Entry | Block, confidence: str) -> Finding:
    image = images[at]
    message = (
        f"the image {image.name}:{image.version or 'latest'} has neither Python nor PyFlink: a program in Python cannot be submitted from it,"
        " and its functions cannot run there"
    )
    others = [(other, "here, too") for block, other in images.items() if block != at]
    return context.finding(message, image, [(why, "the program"), *others[:4]], confidence=confidence)
