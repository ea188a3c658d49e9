"""Environments: a base and what an override, an overlay, a target or a values file changes in it.

Each environment has facts of its own in which what is overridden does not stand any more. A change is only applied where it can be
proven which block it is for: the same service in a compose override, the same resource in a patch, the same key in a values file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from shoal.facts import Block, Dependency, Entry, Fact, Mount, Oddity, Setting, Statement
from shoal.jobs.boundaries import common, folder_of, is_compose
from shoal.lazy import pattern
from shoal.records import NamedTuple

_BASE_COMPOSE = pattern(r"(?:docker-)?compose\.ya?ml", re.IGNORECASE)
_VARIANT = pattern(r"(?:docker-)?compose[-_.]([\w.-]+?)\.ya?ml|([\w.-]+?)[-_.](?:docker-)?compose\.ya?ml", re.IGNORECASE)
_BASE = "base"  # as kustomizations call it
VALUES = pattern(r"values(?:[-_.]([\w.-]+?))?\.ya?ml", re.IGNORECASE)


class Environment(NamedTuple):
    """`name` is empty for the only or the base one; `facts` are those in force; `paths` the files they come from, the base first."""

    name: str
    facts: tuple[Fact, ...]
    paths: tuple[str, ...]


def merge(base: Iterable[Fact], change: Iterable[Fact], pairs: dict[str, str], whole: bool) -> list[Fact]:
    """The facts of `base` with `change` applied. `pairs`: id of a block in `change` -> id of the block it is for.

    whole: settings of a changed block replace all of the base's (a variable is given anew), else key by key.
    """
    changed = list(change)
    fresh: dict[str, set[str]] = {}
    for fact in changed:
        if isinstance(fact, Setting) and fact.block in pairs:
            fresh.setdefault(pairs[fact.block], set()).add(fact.key)
    pinned = {pairs[fact.block] for fact in changed if isinstance(fact, Dependency) and fact.block in pairs}
    said = {pairs[fact.id]: fact for fact in changed if isinstance(fact, Block) and fact.id in pairs}
    kept: list[Fact] = []
    for fact in base:
        if isinstance(fact, Block) and fact.id in said:
            fact = _told(fact, said[fact.id])
        if isinstance(fact, Setting) and fact.block in fresh and (whole or fact.key in fresh[fact.block]):
            continue
        if isinstance(fact, Dependency) and fact.block in pinned and fact.ecosystem in ("image", "field"):
            continue
        kept.append(fact)
    for fact in changed:
        if isinstance(fact, Block):
            if fact.id not in pairs:
                kept.append(fact._replace(parent=pairs.get(fact.parent, fact.parent)))
        elif isinstance(fact, (Setting, Dependency, Entry, Mount, Oddity, Statement)) and fact.block in pairs:
            kept.append(fact._replace(block=pairs[fact.block]))
        else:
            kept.append(fact)
    return kept


def _told(block: Block, change: Block) -> Block:
    """A block with what a change says of it anew: a service's restart policy, its plugins."""
    traits = {**dict(block.traits), **{name: value for name, value in change.traits if value}}
    return block._replace(traits=tuple(traits.items()), open=block.open or (change.form == "compose" and change.open))


def compose_environments(files: dict[str, tuple[Fact, ...]]) -> list[Environment]:
    """Environments of the compose files of one folder: the base with its override, and each variant that changes the base or stands alone."""
    names = {path: path.rsplit("/", 1)[-1] for path in files}
    base = next((path for path, name in sorted(names.items()) if _BASE_COMPOSE.fullmatch(name)), "")
    found: list[Environment] = []
    facts: tuple[Fact, ...] = files.get(base, ())
    paths: tuple[str, ...] = (base,) if base else ()
    override = next((path for path, name in sorted(names.items()) if ".override." in name.lower()), "")
    if base and override:
        pairs = _same_services(facts, files[override])
        facts, paths = tuple(merge(facts, files[override], pairs, whole=True)), (base, override)
    if base:
        found.append(Environment("", facts, paths))
    for path in sorted(files):
        if path in (base, override):
            continue
        match = _VARIANT.fullmatch(names[path])
        name = (match.group(1) or match.group(2)) if match else names[path]
        pairs = _same_services(files[base], files[path]) if base else {}
        imaged = {fact.block for fact in files[path] if isinstance(fact, Dependency) and fact.ecosystem == "image"}
        if pairs and not imaged & set(pairs):
            found.append(Environment(name, tuple(merge(files[base], files[path], pairs, whole=True)), (base, path)))
        else:
            found.append(Environment("", files[path], (path,)))
    return found


def _same_services(base: Iterable[Fact], change: Iterable[Fact]) -> dict[str, str]:
    known = {(fact.engine, fact.name): fact.id for fact in base if isinstance(fact, Block) and fact.form == "compose"}
    return {
        fact.id: known[fact.engine, fact.name]
        for fact in change
        if isinstance(fact, Block) and fact.form == "compose" and (fact.engine, fact.name) in known
    }


def resource_environments(files: dict[str, tuple[Fact, ...]]) -> list[Environment]:
    """Environments of manifests and bundles of one project: every resource by itself, and again with each patch or target that changes it.

    A patch is a resource of the same kind and name that says neither image nor version (an overlay's) or that stands in a kustomization;
    all patches of one folder make one environment. A target says so itself. What stands in a folder `base` counts by itself only where
    nothing changes it.
    """
    resources: list[tuple[str, Block]] = []
    for path, facts in files.items():
        resources += [(path, fact) for fact in facts if isinstance(fact, Block) and is_resource(fact)]
    parts = {path: Parts(files[path]) for path in dict.fromkeys(path for path, _ in resources)}
    patches: list[tuple[str, Block]] = []
    others: dict[str, list[tuple[str, Block]]] = {}  # by name
    for path, block in resources:
        if _is_patch(path, block, parts[path]):
            patches.append((path, block))
        else:
            others.setdefault(block.name, []).append((path, block))
    patched = {(path, block.id): _bases(path, block, others.get(block.name, [])) for path, block in patches}
    found = []
    for path, block in resources:
        if patched.get((path, block.id)) or (block.trait("kind") == "patch" and not block.name):
            continue
        mine = parts[path].of(block)
        changes: dict[str, Environment] = {}
        for at, patch in patches:
            if (path, block.id) not in patched[at, patch.id]:
                continue
            where = patch.trait("target") or folder_of(at)
            base = changes.get(where) or Environment(patch.trait("target") or where.rsplit("/", 1)[-1] or at, tuple(mine), (path,))
            merged = merge(base.facts, parts[at].of(patch), {patch.id: block.id}, whole=False)
            changes[where] = base._replace(facts=tuple(merged), paths=base.paths if at in base.paths else (*base.paths, at))
        if not (changes and _BASE in folder_of(path).split("/")):  # which is there for what changes it, and never applied alone
            found.append(Environment(block.trait("target"), tuple(mine), (path,)))
        found += changes.values()
    return found


def _bases(path: str, patch: Block, resources: list[tuple[str, Block]]) -> set[tuple[str, str]]:
    """The resources that a patch is for, as (path, id): of those with its name, the ones that stand nearest."""
    same = [(at, block) for at, block in resources if _same(patch, block)]
    nearest = max((common(path, at) for at, _ in same), default=0)
    return {(at, block.id) for at, block in same if common(path, at) == nearest}


class Parts:
    """The facts of a file by the block that they are of: a file may hold thousands of blocks."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts = tuple(facts)
        self._inside: dict[str, list[int]] = {}
        for number, fact in enumerate(self._facts):
            if isinstance(fact, Block):
                self._inside.setdefault(fact.id, []).append(number)
                if fact.parent != fact.id:
                    self._inside.setdefault(fact.parent, []).append(number)
            elif block := getattr(fact, "block", ""):
                self._inside.setdefault(block, []).append(number)

    def directly(self, block: Block) -> Iterator[Fact]:
        """What says that it is a block's own."""
        return (self._facts[number] for number in self._inside.get(block.id, ()))

    def of(self, block: Block) -> list[Fact]:
        """The facts of one block and of those that stand in it, in the order of the file."""
        numbers: set[int] = set()
        seen = {block.id}
        todo = [block.id]
        while todo:
            for number in self._inside.get(todo.pop(), ()):
                numbers.add(number)
                fact = self._facts[number]
                if isinstance(fact, Block) and fact.id not in seen:
                    seen.add(fact.id)
                    todo.append(fact.id)
        return [self._facts[number] for number in sorted(numbers)]


def is_resource(block: Block) -> bool:
    """Whether a block is a resource that describes a job or cluster of its own."""
    if block.role == "service":
        return block.engine == "flink"  # one of Amazon's, and none of Kubernetes' own
    return block.role in ("deployment", "sessionjob") or (block.role == "application" and block.form in ("manifest", "bundle"))


def _same(one: Block, other: Block) -> bool:
    return bool(one.name) and (one.engine, one.role, one.form, one.name) == (other.engine, other.role, other.form, other.name)


def _is_patch(path: str, block: Block, parts: Parts) -> bool:
    if block.trait("target") or block.trait("kind") == "patch" or path.rsplit("/", 1)[-1].lower().startswith("kustomization."):
        return True
    if block.role not in ("deployment", "application") or block.form != "manifest":
        return False
    return not any(isinstance(fact, Dependency) and fact.ecosystem in ("image", "field") for fact in parts.directly(block))


def conf_environments(files: dict[str, tuple[Fact, ...]]) -> list[Environment]:
    """Environments of conf files: the values files of one chart (each variant over `values.yaml`), and every other folder's files together."""
    charts: dict[str, dict[str, str]] = {}
    rest: dict[str, list[str]] = {}
    for path in sorted(files):
        match = VALUES.fullmatch(path.rsplit("/", 1)[-1])
        if match:
            charts.setdefault(folder_of(path), {})[match.group(1) or ""] = path
        else:
            # JSON holds one cluster's configuration a file, confs of one folder are read together
            rest.setdefault(path if path.lower().endswith(".json") else folder_of(path), []).append(path)
    found = []
    for variants in charts.values():
        base = variants.get("")
        for name, path in variants.items():
            if base and name:
                pairs = _same_values(files[base], files[path])
                found.append(Environment(name, tuple(merge(files[base], files[path], pairs, whole=False)), (base, path)))
            else:
                found.append(Environment(name, files[path], (path,)))
    for paths in rest.values():
        found.append(Environment("", tuple(fact for path in paths for fact in files[path]), tuple(paths)))
    return found


def _same_values(base: Iterable[Fact], change: Iterable[Fact]) -> dict[str, str]:
    def key(block: Block) -> tuple[str, str, str]:
        return block.engine, block.role, block.trait("key") or block.trait("file")

    known: dict[tuple[str, str, str], list[str]] = {}
    for fact in base:
        if isinstance(fact, Block):
            known.setdefault(key(fact), []).append(fact.id)
    pairs = {}
    for fact in change:
        if isinstance(fact, Block) and fact.form == "values" and len(known.get(key(fact), ())) == 1:
            pairs[fact.id] = known[key(fact)][0]
    return pairs


def is_compose_file(path: str, facts: Iterable[Fact]) -> bool:
    """Whether a file is a compose file, by what was read in it or else by its name."""
    return is_compose(path) or any(isinstance(fact, Block) and fact.form == "compose" for fact in facts)


def written_at(setting: Setting) -> str:
    """What `filled` says of where a setting's value stands."""
    return f"{setting.path}#{setting.value_span.start}"
