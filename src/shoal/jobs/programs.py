"""Which programs of a project the containers of its compose files start, with the modules that these import."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Iterable, Iterator

from shoal.facts import Oddity, Usage
from shoal.job import Job
from shoal.jobs.boundaries import is_below
from shoal.model import Place
from shoal.readers.flink_client import OFFICIAL
from shoal.records import NamedTuple


class Container(NamedTuple):
    """A service that starts programs; `folders` are those of the project that they may come from, `roots` those of them that stand in it as they are."""

    fact: Usage
    name: str
    programs: list[str]
    folders: list[str]
    roots: list[str]


def containers(job: Job) -> Iterator[Container]:
    starts = {usage.place.path: json.loads(usage.detail) for usage in job.usages("starts")}
    for usage in job.usages("container"):
        name, programs, folders, image, volumes = json.loads(usage.detail)
        mounted = [folder for kind, _, folder in volumes if kind == "bind"]
        beside = posixpath.normpath(posixpath.dirname(image)) if image else ""
        roots = [folder for folder in folders if folder in mounted or posixpath.normpath(folder) == beside]
        yield Container(
            usage,
            name,
            programs or starts.get(below(usage.place, image), []),
            [below(usage.place, folder) for folder in folders],
            [below(usage.place, folder) for folder in roots],
        )


def started(job: Job) -> Iterator[tuple[Container, str, set[str]]]:
    """Each program that a container starts and that is found in the project, with its own file and those that it imports."""
    imported, files = imports(job), {path for path in job.paths if path.endswith(".py")}
    for container in containers(job):
        for program in container.programs:
            main = resolved(program, container, files)
            if main:
                yield container, program, with_imports(main, imported, files)


def untold(job: Job, kind: str) -> Iterator[tuple[Oddity, str, bool]]:
    """Services on Flink's image that nothing tells where the JobManager is: the oddity of this kind, the service that may be it (empty where none
    is known), and whether another entry point takes the place of the image's.
    """
    told = {(usage.detail, posixpath.dirname(usage.place.path)) for usage in job.usages("jobmanager-told")}
    for oddity in job.oddities:
        if oddity.kind != kind or (oddity.subject, posixpath.dirname(oddity.place.path)) in told:
            continue
        master, image, overridden = json.loads(oddity.detail)
        if not image or _stock_flink(job, below(oddity.place, image), overridden):
            yield oddity, master, overridden


def _stock_flink(job: Job, path: str, overridden: bool) -> bool:
    """Whether a Dockerfile builds on Flink's own image, and leaves its conf and its entry point as they are."""
    seen = job.in_file(path)
    bases = [one for one in seen.dependencies if one.ecosystem == "image"]
    return (
        bool(bases)
        and all(OFFICIAL.fullmatch(base.name) for base in bases)
        and not seen.usages("jobmanager-told", *(() if overridden else ("entry-point",)))
        and not any("conf" in mount.path or mount.path.rstrip("/") in ("/opt", "/opt/flink") for mount in seen.mounts)
        and not any(block.role == "cluster" for block in seen.blocks.values())
    )


def below(place: Place, path: str) -> str:
    """A path that is relative to the file of a place, from the top."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(place.path), path))
    return "" if found == "." else found


def resolved(program: str, container: Container, files: Collection[str]) -> str:
    """The one file below a container's folders whose path ends as the program's does in there, or the other way round; empty for none or several.

    Of several it is the one that stands so in a folder which is mounted, or whose own Dockerfile the image is built from.
    """
    name = program.strip("/").removeprefix("./")
    wanted = name.split("/")
    exact = {path for root in container.roots if (path := posixpath.join(root, name)) in files}
    if len(exact) == 1:
        return exact.pop()
    found: dict[int, list[str]] = {}
    for path in files:
        for folder in container.folders:
            parts = path[len(folder) :].strip("/").split("/") if is_below(path, folder) else []
            common = min(len(parts), len(wanted))
            if common and parts[-common:] == wanted[-common:]:
                found.setdefault(common, []).append(path)
    best = set(found[max(found)]) if found else set()
    return best.pop() if len(best) == 1 else ""


def imports(job: Job) -> dict[str, list[str]]:
    """By file, the modules that it imports, as paths without an ending; those of a name that may be a module, too."""
    found: dict[str, list[str]] = {}
    for usage in job.usages("import"):
        module, _, names = usage.detail.partition(":")
        stem = module.lstrip(".").replace(".", "/")
        inner = [posixpath.join(stem, name) for name in names.split(",") if name]
        found.setdefault(usage.place.path, []).extend([*filter(None, [stem]), *inner])
    return found


def with_imports(main: str, imported: dict[str, list[str]], files: Iterable[str]) -> set[str]:
    """A program and the modules of its project that it imports, which stand in its folder or in one above it."""
    inside, pending = {main}, [main]
    while pending:
        at = pending.pop()
        for stem in imported.get(at, ()):
            folder = posixpath.dirname(at)
            while True:
                found = posixpath.join(folder, f"{stem}.py")
                if found in files and found not in inside:
                    inside.add(found)
                    pending.append(found)
                if not folder:
                    break
                folder = posixpath.dirname(folder)
    return inside
