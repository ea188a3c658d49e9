"""What `--changed-since` counts as changed: files, and with the settings, the baseline and rules also what these say about other files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from shoal import baseline, settings_file
from shoal.changes import Changes, in_tree, since
from shoal.cli import UsageError
from shoal.commands.common import Project
from shoal.git import GitError, Tree
from shoal.rulebook import Rule
from shoal.settings import Settings


def changes(arguments: argparse.Namespace, where: Project, paths: tuple[str, ...], tree: Tree | None = None) -> Changes:
    """What differs from the revision, in the project or in a git tree."""
    try:
        if tree is None:
            start = os.path.realpath(settings_file.start_of(paths, os.getcwd()))
            folders = [*(arguments.rules or ()), *where.settings.rule_paths]
            return _judged(since(where.root, arguments.changed_since), where, start, settings_file.load_file, folders, arguments.config)
        found = in_tree(tree, arguments.changed_since)
        # settings and rules that come from the disk are no part of a git tree
        return found if arguments.config else _judged(found, where, tree.prefix.rstrip("/"), tree.content, (), None)
    except GitError as error:
        raise UsageError(f"--changed-since: {error}" + (f" ({error.help})" if error.help else "")) from error


def _judged(changes: Changes, where: Project, start: str, load: settings_file.Load, folders: Iterable[str], named: str | None) -> Changes:
    """The changes with what follows from those of settings (looked for from `start` on, or `named`), of the baseline and of rules."""
    load_before = _load_before(changes)
    inside = os.path.isabs(start)

    def full(path: str) -> str:
        return os.path.join(changes.repository, path) if inside else path

    changed = {full(path) for path in changes.in_repository}
    file = os.path.realpath(where.file) if inside and where.file else where.file
    chain, _ = settings_file.read(file, False, load) if file else ([], [])
    if any(os.path.basename(path) in settings_file.NAMES for path in changed) or any(raw.path in changed for raw in chain):
        before = file
        if not named:
            tree = changes.tree
            beginning = os.path.relpath(start, changes.repository).replace(os.sep, "/") if inside else start
            before = settings_file.locate_in(tree, tree.content, "" if beginning == "." else beginning)
            before = full(before) if before else ""
        earlier, unread = settings_file.read(before, False, load_before) if before else ([], [])
        if unread or _findings(earlier) != _findings(chain):
            changes = changes._replace(everything=os.path.basename(file or before))
    known = where.settings.baseline
    known = os.path.realpath(known) if inside and known else known
    if known in changed:
        earlier_book, now = baseline.read(known, load_before)[0], baseline.read(known, load)[0]
        gone = (print for print, entry in earlier_book.items() if print not in now or now[print].times < entry.times)
        changes = changes._replace(released=frozenset(gone))
    rules = [name for folder in folders for name in _rules(os.path.realpath(folder), where.rulebook.rules, changed)]
    return changes._replace(rules=frozenset(rules))


def _load_before(changes: Changes) -> settings_file.Load:
    """What reads a file as it was; one that is outside the repository as it is."""

    def load(path: str) -> bytes:
        inner = os.path.relpath(path, changes.repository).replace(os.sep, "/") if os.path.isabs(path) else path
        return settings_file.load_file(path) if inner.startswith("../") else changes.tree.content(inner)

    return load


def _findings(chain: list[settings_file.Raw]) -> Settings | None:
    """What settings files say about findings; None when they are not valid."""
    try:
        return settings_file.settings_of(chain)._replace(fail_on="", timeout=0.0, baseline="")
    except (TypeError, ValueError, KeyError, AttributeError, AssertionError):
        return None


def _rules(folder: str, rules: Iterable[Rule], changed: Iterable[str]) -> set[str]:
    """The rules of a folder that have changed; all of them when something beside them has."""
    start = folder + os.sep
    ours = {rule.id: os.path.realpath(rule.folder) + os.sep for rule in rules if os.path.realpath(rule.folder).startswith(start)}
    found = set()
    for path in changed:
        if path.startswith(start):
            found |= {name for name, its in ours.items() if path.startswith(its)} or set(ours)
    return found
