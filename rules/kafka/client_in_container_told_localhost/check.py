"""`localhost` as the only broker, in a program that a service of a compose file starts in a container of its own."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shoal.context import Context
from shoal.facts import Usage
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.templates import kafka


class Container(NamedTuple):
    """A service that starts programs; `folders` are those of the project that they may come from."""

    fact: Usage
    name: str
    programs: list[str]
    folders: list[str]


def check(job: Job, context: Context) -> Iterator[Finding]:
    # what a source of an engine hands on to its client stands at one place with it
    told = {setting.place(): setting for setting in job.settings if setting.path.endswith(".py") and kafka.all_local(setting)}
    if not told:
        return
    imports = _imports(job)
    files = {path for path in job.paths if path.endswith(".py")}
    brokers = {block.name: block for block in job.select("kafka", ("broker",))}
    seen: set[Place] = set()
    for container, program in [(service, program) for service in _containers(job) for program in service.programs]:
        main = _resolved(program, container.folders, files)
        inside = _with_imports(main, imports, files) if main and container.name not in brokers else ()
        for place, setting in told.items():
            if setting.path in inside and place not in seen:
                seen.add(place)
                message = (
                    f"{container.name} looks for Kafka at {setting.text}, which is its own container, and waits there until it times out"
                )
                related = [(container.fact.place, f"runs {program}"), *((block, "the broker") for block in list(brokers.values())[:1])]
                yield context.finding(message, setting, related)


def _containers(job: Job) -> Iterator[Container]:
    starts = {usage.place.path: json.loads(usage.detail) for usage in job.usages("starts")}
    for usage in job.usages("container"):
        name, programs, folders, image = json.loads(usage.detail)
        yield Container(usage, name, programs or starts.get(_below(usage, image), []), [_below(usage, folder) for folder in folders])


def _below(fact: Usage, path: str) -> str:
    """A path that is relative to the file of a fact, from the top."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(fact.place.path), path))
    return "" if found == "." else found


def _resolved(program: str, folders: list[str], files: Iterable[str]) -> str:
    """The one file below these folders whose path ends as the program's does in the container, or the other way round; empty for none or several."""
    wanted = program.strip("/").removeprefix("./").split("/")
    found: dict[int, list[str]] = {}
    for path in files:
        for folder in folders:
            parts = path[len(folder) :].strip("/").split("/") if not folder or path.startswith(f"{folder}/") else []
            common = min(len(parts), len(wanted))
            if common and parts[-common:] == wanted[-common:]:
                found.setdefault(common, []).append(path)
    best = set(found[max(found)]) if found else set()
    return best.pop() if len(best) == 1 else ""


def _imports(job: Job) -> dict[str, list[str]]:
    """By file, the modules that it imports, as paths without an ending; those of a name that may be a module, too."""
    found: dict[str, list[str]] = {}
    for usage in job.usages("import"):
        module, _, names = usage.detail.partition(":")
        stem = module.lstrip(".").replace(".", "/")
        inner = [posixpath.join(stem, name) for name in names.split(",") if name]
        found.setdefault(usage.place.path, []).extend([*filter(None, [stem]), *inner])
    return found


def _with_imports(main: str, imports: dict[str, list[str]], files: Iterable[str]) -> set[str]:
    """A program and the modules of its project that it imports, which stand in its folder or in one above it."""
    inside, pending = {main}, [main]
    while pending:
        at = pending.pop()
        for stem in imports.get(at, ()):
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
