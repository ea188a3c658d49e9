"""Images that a kustomization changes: the environments in which other versions run."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Mapping

from shoal.facts import Dependency, Fact, Setting, Usage
from shoal.jobs.boundaries import folder_of
from shoal.jobs.environments import Environment
from shoal.model import Place
from shoal.readers import versions
from shoal.records import NamedTuple

_DIGEST = 72  # of `@sha256:` and 64 digits


class Change(NamedTuple):
    """What a kustomization makes of one image; `name` is the whole name as the resource has it, `fields` whether it finds `spec.image` too."""

    place: Place
    name: str
    new_name: str
    new_tag: str
    digest: str
    resources: tuple[str, ...]
    fields: bool


def changes_of_images(facts: Mapping[str, tuple[Fact, ...]]) -> list[Change]:
    """All changes of images in the files of a run; `resources` are files and folders from the root of the run."""
    found = []
    for path, some in facts.items():
        for fact in some:
            if isinstance(fact, Usage) and fact.kind == "kustomize-image":
                said = json.loads(fact.detail)
                named = [name for name in said["resources"] if "://" not in name]
                resources = tuple(posixpath.normpath(posixpath.join(folder_of(path), name)) for name in named)
                found.append(Change(fact.place, said["name"], said["newName"], said["newTag"], said["digest"], resources, said["fields"]))
    return found


def with_images(found: list[Environment], changes: list[Change]) -> list[Environment]:
    """The environments with those that kustomizations make: one that a patch of the same folder made gets the images as well."""
    if not changes:
        return found
    kept = list(found)
    folders: dict[str, list[Change]] = {}
    for change in changes:
        folders.setdefault(folder_of(change.place.path), []).append(change)
    for folder, some in folders.items():
        here = {id(one): _changed(one, some) for one in kept}
        patched = {one.paths[0] for one in kept if here[id(one)] and _made_in(one, folder)}
        following = []
        for one in kept:
            made = here[id(one)]
            if made is None or (one.name and not _made_in(one, folder)):
                following.append(one)
            elif _made_in(one, folder) or folder == folder_of(one.paths[0]):  # nothing runs without what stands beside it
                following.append(one._replace(facts=tuple(made), paths=_with(one.paths, some[0].place.path)))
            else:
                following.append(one)
                if one.paths[0] not in patched:
                    name = folder.rsplit("/", 1)[-1] or some[0].place.path
                    following.append(Environment(name, tuple(made), _with(one.paths, some[0].place.path)))
        kept = following
    return kept


def _with(paths: tuple[str, ...], path: str) -> tuple[str, ...]:
    return paths if path in paths else (*paths, path)


def _made_in(environment: Environment, folder: str) -> bool:
    """Whether a patch of a kustomization's folder made an environment."""
    return bool(environment.name) and any(folder_of(path) == folder for path in environment.paths[1:])


def _changed(environment: Environment, changes: Iterable[Change]) -> list[Fact] | None:
    """The facts with the new images; None when no image changes."""
    changes = [change for change in changes if _covers(change, environment.paths[0])]
    if not changes:
        return None
    fields = {fact.value_span for fact in environment.facts if isinstance(fact, Setting) and fact.key == "spec.image"}
    facts: list[Fact] = []
    for fact in environment.facts:
        if isinstance(fact, Dependency) and fact.ecosystem == "image" and fact.place.path in environment.paths:
            for change in changes:
                if (change.fields or fact.place.span not in fields) and _is(fact, change.name):
                    fact = _new(fact, change)
                    break
        facts.append(fact)
    return facts if facts != list(environment.facts) else None


def _covers(change: Change, path: str) -> bool:
    return any(path == resource or resource == "." or path.startswith(f"{resource}/") for resource in change.resources)


def _is(image: Dependency, name: str) -> bool:
    """Whether an image has this whole name. Its registry is not kept, but the length of what is written tells whether there is one."""
    if versions.repository(name) != image.name:
        return False
    written = len(name) + (len(image.version) + 1 if image.version else 0)
    return image.place.span.end - image.place.span.start in (written, written + _DIGEST)


def _new(image: Dependency, change: Change) -> Dependency:
    """The image that takes another's place. A digest goes in the place of a tag, and says no version."""
    tag = change.new_tag or ("" if change.digest else image.version)
    name = versions.repository(change.new_name) if change.new_name else image.name
    exact = bool(change.digest) or bool(re.match(r"v?\d+\.\d+|(?:.*-)?spark-\d", tag))
    return Dependency("image", name, tag, change.place, exact, image.block)
