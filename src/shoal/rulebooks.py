"""All rules of a run: the built-in ones, those of installed packages, and those of folders.

A check.py is code. It is run from an installed package or a folder named on the command line, never because a settings file,
which comes with the scanned tree, says so: from a folder named there only rules that `use` a template are taken.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from shoal import rulebook
from shoal.model import Problem
from shoal.rulebook import Rule, Rulebook
from shoal.settings import Settings

_GROUP = "shoal.rules"


def load(settings: Settings, trusted: Iterable[str] = ()) -> Rulebook:
    """The rulebook of a run; `trusted` are the folders named on the command line. What fails to load is among its problems."""
    books = [rulebook.load()]
    problems: list[Problem] = []
    for name in settings.rule_packages:
        folder = _package(name)
        if folder is None:
            problems.append(
                Problem(
                    "",
                    "rule-failed-to-load",
                    f"rule-packages: no installed package has a {_GROUP} entry point {name!r}",
                    help="install it beside shoal",
                )
            )
        else:
            books.append(_of(folder, problems))
    for path in trusted:
        books.append(_of(path, problems))
    for path in settings.rule_paths:
        books.append(_without_code(_of(path, problems), problems))
    if len(books) == 1 and not problems:
        return books[0]
    from hashlib import sha256

    rules: dict[str, Rule] = {}
    for book in books:
        problems += book.problems
        for rule in book:
            if rule.id in rules:
                problems.append(
                    Problem(f"{rule.folder}/rule.yaml", "rule-failed-to-load", f"id {rule.id} is also that of {rules[rule.id].folder}")
                )
            else:
                rules[rule.id] = rule
    digest = sha256(" ".join(book.digest for book in books).encode()).hexdigest()
    return Rulebook(rules.values(), digest, tuple(problems))


def _of(folder: str, problems: list[Problem]) -> Rulebook:
    folder = os.path.abspath(folder)
    if not os.path.isdir(folder):
        problems.append(Problem(folder, "rule-failed-to-load", "no such folder of rules"))
        return Rulebook((), "")
    return rulebook.load(folder)


def _without_code(book: Rulebook, problems: list[Problem]) -> Rulebook:
    for rule in book:
        if not rule.use:
            help = "name the folder with --rules, or install it as a package"
            problems.append(
                Problem(f"{rule.folder}/check.py", "rule-failed-to-load", "code is not run because a settings file says so", help=help)
            )
    return book.only(lambda rule: bool(rule.use))


def _package(name: str) -> str | None:
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    for point in entry_points(group=_GROUP, name=name):
        spec = find_spec(point.module)
        if spec and spec.submodule_search_locations:
            return str(next(iter(spec.submodule_search_locations)))
    return None
