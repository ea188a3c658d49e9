"""What an audit reads: the project that folders stand in, and each git tree by itself, put together into one outcome."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from shoal import baseline, git, rulebooks, settings_file
from shoal.changes import Changes
from shoal.commands import common, since
from shoal.digests import sha256
from shoal.discover import reason
from shoal.host import Outcome, Request, Texts
from shoal.model import Edit, Finding, LeftOut, Place, Problem
from shoal.records import NamedTuple
from shoal.report import Root
from shoal.settings import Settings
from shoal.text import Decoded


class Asked(NamedTuple):
    """The paths of a command line: what is on the disk, and what stands in git trees as (text, repository, revision)."""

    paths: tuple[str, ...]
    trees: tuple[tuple[str, str, str], ...]


class Part(NamedTuple):
    """One root: with `root` a git tree. `request` is None when it cannot be read; then `where.problems` say why."""

    where: common.Project
    request: Request | None
    root: Root | None = None


def asked(paths: list[str]) -> Asked:
    """Tell git trees (`REPOSITORY@REVISION`, bare repositories) from files and folders."""
    plain: list[str] = []
    trees: dict[str, tuple[str, str, str]] = {}
    for path in paths:
        if found := git.split(path):
            name = git.named(path, found[1])
            trees[name] = (name, *found)
        else:
            plain.append(path)
    return Asked(tuple(plain), tuple(trees.values()))


def parts(arguments: argparse.Namespace) -> list[Part]:
    """What is to be checked, the project on the disk first."""
    found = asked(arguments.paths)
    made = []
    if found.paths or not found.trees:
        where = common.project(arguments, found.paths)
        arguments.paths = list(found.paths)
        made.append(Part(where, None if where.problems else common.request(arguments, where)))
    return made + [_tree(arguments, *each) for each in found.trees]


def _tree(arguments: argparse.Namespace, name: str, folder: str, revision: str) -> Part:
    try:
        tree = git.Tree(folder, revision)
        where = project_in(arguments, tree)
    except git.GitError as error:
        problem = Problem(name, "unreadable", reason(error), help=error.help)
        return Part(common.Project("", "", Settings(), rulebooks.load(Settings()), (problem,)), None)
    root = Root(name, tree.top, tree.commit)
    if where.problems:
        return Part(where, None, root)
    changes = since.changes(arguments, where, (), tree) if arguments.changed_since else None
    options = (None, arguments.jobs, not arguments.no_cache, arguments.force_exclude)
    return Part(where, Request((), where.root, where.settings, where.rulebook, *options, tree=tree, changes=changes), root)


def project_in(arguments: argparse.Namespace, tree: git.Tree, load: settings_file.Load | None = None) -> common.Project:
    """The settings that stand in the tree, or those of --config; rules come from the command line or from installed packages.

    `load` reads a file of the tree.
    """
    if arguments.config:
        file, load = os.path.abspath(arguments.config), settings_file.load_file
    else:
        load = load or tree.content
        file = settings_file.locate_in(tree, load)
    where = common.in_file(arguments, file, load, f"{tree.top}@")
    if where.settings.rule_paths and not arguments.config:
        problem = Problem(file, "settings", "rule-paths cannot be read out of a git tree", help="name the folder with --rules")
        return where._replace(problems=(*where.problems, problem))
    return where


def known(outcome: Outcome, part: Part) -> Outcome:
    """The outcome with the findings of the baseline marked."""
    book, problem = baseline_of(part)
    if problem:
        return outcome._replace(problems=(*outcome.problems, problem))
    return outcome._replace(findings=baseline.mark(outcome.findings, book, os.path.basename(part.where.settings.baseline)))


def baseline_of(part: Part) -> tuple[baseline.Book, Problem | None]:
    """The baseline of a part, empty without one; a git tree's own is read from the tree."""
    file = part.where.settings.baseline
    if not file:
        return {}, None
    tree = part.request.tree if part.request else None
    return baseline.read(file, tree.content) if tree and not os.path.isabs(file) else baseline.read(file)


class Whole(NamedTuple):
    """All parts together: paths in git trees start with the tree's name."""

    outcome: Outcome
    text: Callable[[str], Decoded | None]
    roots: tuple[Root, ...]
    changes: tuple[Changes, ...]


def together(done: list[tuple[Part, Outcome]]) -> Whole:
    """One outcome of several. Where there are several roots, fingerprints tell their findings apart."""
    roots = tuple(part.root for part, _ in done if part.root)
    several = len(done) > 1
    sources = {part.root.name if part.root else "": Texts(part.request) for part, _ in done if part.request}
    outcomes = [_named(outcome, part.root, several, roots) if part.root else outcome for part, outcome in done]

    def text(path: str) -> Decoded | None:
        name = next((root.name for root in roots if path.startswith(root.name + "/")), "")
        found = sources.get(name)
        return None if found is None else found.decoded(path[len(name) + 1 :] if name else path)

    return Whole(
        Outcome(
            tuple(finding for outcome in outcomes for finding in outcome.findings),
            tuple(problem for outcome in outcomes for problem in outcome.problems),
            tuple(item for outcome in outcomes for item in outcome.left_out),
            {},
            sum(outcome.files for outcome in outcomes),
            sum(outcome.read for outcome in outcomes),
        ),
        text,
        roots,
        tuple(part.request.changes for part, _ in done if part.request and part.request.changes),
    )


def _named(outcome: Outcome, root: Root, several: bool, roots: tuple[Root, ...]) -> Outcome:
    mark = ""
    if several:  # the same file may stand in two repositories, or in two revisions of one
        shared = sum(other.repository == root.repository for other in roots) > 1
        mark = f"{root.repository}@{root.commit if shared else ''}"
    return outcome._replace(
        findings=tuple(_finding(finding, root.name, mark) for finding in outcome.findings),
        problems=tuple(_problem(problem, root.name) for problem in outcome.problems),
        left_out=tuple(LeftOut(f"{root.name}/{item.path}", item.reason, item.detail) for item in outcome.left_out),
    )


def _problem(problem: Problem, name: str) -> Problem:
    return problem if os.path.isabs(problem.path) else problem._replace(path=f"{name}/{problem.path}" if problem.path else name)


def _finding(finding: Finding, name: str, mark: str) -> Finding:
    def place(each: Place) -> Place:
        return each._replace(path=f"{name}/{each.path}")

    def edit(each: Edit) -> Edit:
        return each._replace(path=f"{name}/{each.path}")

    fingerprint = (
        sha256(f"{mark}\0{finding.fingerprint}".encode("utf-8", "surrogateescape")).hexdigest()[:20] if mark else finding.fingerprint
    )
    fixes = tuple(fix._replace(edits=tuple(edit(each) for each in fix.edits)) for fix in finding.fixes)
    return finding._replace(places=tuple(place(each) for each in finding.places), fixes=fixes, fingerprint=fingerprint)
