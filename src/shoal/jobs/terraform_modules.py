"""Modules of Terraform: what the simple references of their files to variables come to by default.

Only what is certain is filled in: `var.a`, or `${var.a}` within a text, of a variable of the module that no call of the module in the same run sets.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from shoal.facts import Fact, Setting, Unknown, Usage
from shoal.jobs.boundaries import folder_of
from shoal.jobs.environments import Environment, written_at
from shoal.lazy import pattern
from shoal.model import Place

_REFERENCE = pattern(r"\$\{\s*var\.([\w-]+)\s*\}")
_WHOLE = pattern(r"var\.([\w-]+)")

Module = dict[str, tuple[str, Place]]  # name of a variable -> its default, and where that stands


def modules_of(facts: Mapping[str, tuple[Fact, ...]]) -> dict[str, Module]:
    """The modules of a run, by folder: those with a variable that has a default nobody else sets."""
    modules: dict[str, Module] = {}
    given: set[tuple[str, str]] = set()
    for path, found in facts.items():
        for fact in found if path.endswith(".tf") else ():
            if not isinstance(fact, Usage):
                continue
            if fact.kind == "terraform-variable" and "=" in fact.detail:
                name, _, value = fact.detail.partition("=")
                modules.setdefault(folder_of(path), {})[name] = (value, fact.place)
            elif fact.kind == "terraform-given":
                source, _, name = fact.detail.rpartition("#")
                given.add((posixpath.normpath(posixpath.join(folder_of(path), source)), name))
    for folder, name in given:
        modules.get("" if folder == "." else folder, {}).pop(name, None)
    return modules


def with_defaults(environment: Environment, module: Module) -> Environment:
    """An environment with the settings that defaults fill in, and for each where these stand (`filled`)."""
    facts = tuple(_filled(environment.facts, module))
    files = dict.fromkeys(fact.place.path for fact in facts if isinstance(fact, Usage) and fact.kind == "filled")
    return environment._replace(facts=facts, paths=(*environment.paths, *(path for path in files if path not in environment.paths)))


def _filled(facts: Iterable[Fact], module: Module) -> Iterator[Fact]:
    for fact in facts:
        if not isinstance(fact, Setting) or not isinstance(fact.value, Unknown):
            yield fact
            continue
        text = fact.value.text.strip()
        whole = _WHOLE.fullmatch(text)
        names = [whole.group(1)] if whole else _REFERENCE.findall(text)
        if not names or any(name not in module for name in names):
            yield fact
            continue
        value = module[names[0]][0] if whole else _REFERENCE.sub(lambda found: module[found.group(1)][0], text)
        if "$" in value or "\n" in value:
            yield fact
            continue
        made = fact._replace(value=value, sure="default")  # a file of variables, or who calls the module, may say otherwise
        yield made
        for name in names:
            yield Usage("filled", written_at(made), module[name][1])
