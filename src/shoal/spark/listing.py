"""Which files a task lists: of a folder that executors see, and of git repositories, in portions that another task reads."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from shoal import git
from shoal.discover import Discovery, below, discover, in_tree, reason, split
from shoal.model import Problem
from shoal.spark import rows
from shoal.spark.plan import Plan, column, plan_in
from shoal.spark.rows import Batches, Row
from shoal.spark.scanning import number_of, plain_notes

_PORTION_BYTES = 1_000_000
_PORTION_FILES = 256
_TOP_FILES = 10_000  # listed sooner than tasks are spread for them
_FOLDERS = 512  # to spread over tasks


def list_top(plan: Plan, found: Batches) -> Batches:
    """The first files of a folder that this machine sees, in portions of about as many bytes, and the folders in which the others stand."""
    yield from rows.batches((portion for row in rows.rows(found) for portion in _top(plan, row)), rows.PORTION)


def _top(plan: Plan, row: Row) -> Iterator[Row]:
    tree: Row = {"repo": row["repo"], "rev": row["rev"], "place": plan.root, "settings": ""}
    paths = plan.paths or (plan.root,)
    if len(paths) > 1:  # they may stand in one another
        yield from portions(tree, discover(paths, plan.root, plan.settings, plan.force_exclude))
        return
    first, rest = split(paths[0], plan.root, plan.settings, plan.force_exclude, _TOP_FILES, _FOLDERS)
    yield from portions(tree, first)
    for folder in rest:
        yield {**tree, "folders": json.dumps([folder])}


def list_folders(plan: Plan, found: Batches) -> Batches:
    """Portions as they are, and folders as the portions of their files."""
    yield from rows.batches((portion for row in rows.rows(found) for portion in _walked(plan, row)), rows.PORTION)


def _walked(plan: Plan, row: Row) -> Iterable[Row]:
    if not row["folders"]:
        return (row,)
    tree = {name: row[name] for name in rows.PART}
    folders = [(path, only_included) for path, only_included in json.loads(row["folders"])]
    return portions(tree, below(folders, (plan.paths or (plan.root,))[0], plan.root, plan.settings, plan.force_exclude))


def list_repository(plan: Plan, found: Batches) -> Batches:
    """The files of git repositories (`repo` is `PATH` or `PATH@REVISION`), in portions that name blobs."""
    yield from rows.batches((portion for row in rows.rows(found) for portion in _repository(plan, row["repo"], row["known"])), rows.PORTION)


def _repository(plan: Plan, text: str, known: str | None) -> Iterator[Row]:
    folder, revision = git.split(os.path.join(plan.base, text)) or (os.path.join(plan.base, text), "")
    if not revision and "@" in text:  # there is no such repository
        folder, _, revision = folder.rpartition("@")
    revision = revision or "HEAD"
    part: Row = {"repo": column(git.named(text, revision)), "rev": "", "place": "", "settings": ""}
    try:
        tree = git.Tree(folder, revision)
        part |= {"rev": tree.commit, "place": json.dumps({"git": tree.folder, "commit": tree.commit, "top": tree.top})}
        # a commit stands for all that is in it
        seen = {**part, "mark": number_of(f"{part['repo']}\0{part['place']}")}
        if tree.commit == known:
            yield {**seen, "same": True}
            return
        yield seen
        part["settings"], wrong = _settings_in(plan, tree)
        yield from portions(
            part, Discovery((), (), wrong) if wrong else in_tree(tree.entries.values(), plan_in(plan, part["settings"]).settings)
        )
    except git.GitError as error:
        yield from portions(part, Discovery((), (), (Problem("", "unreadable", reason(error), help=error.help),)))


def _settings_in(plan: Plan, tree: git.Tree) -> tuple[str, tuple[Problem, ...]]:
    """The settings file that stands in a git tree, for `plan_in`, and what is wrong with it."""
    arguments = json.loads(plan.arguments)
    if arguments.get("config"):  # one for all, which the driver has read
        return "", ()
    from shoal.commands import roots

    texts: dict[str, str] = {}

    def load(path: str) -> bytes:
        data = tree.content(path)
        texts[path] = data.decode("utf-8", "surrogateescape")
        return data

    where = roots.project_in(argparse.Namespace(**arguments), tree, load)
    return json.dumps([where.file, texts, where.root]) if where.file else "", where.problems


def portions(tree: Row, discovery: Discovery) -> Iterator[Row]:
    notes = json.dumps(plain_notes(discovery.problems, discovery.left_out)) if discovery.problems or discovery.left_out else ""
    in_git = tree["place"][:1] == "{"
    kept: list[list[Any]] = []
    weight = 0
    for item in discovery.found:
        kept.append([item.path, item.kind, item.size, item.stamp[3] if in_git else 0, item.named])
        weight += item.size
        if weight >= _PORTION_BYTES or len(kept) >= _PORTION_FILES:
            yield {**tree, "files": json.dumps(kept), "notes": notes}
            kept, weight, notes = [], 0, ""
    if kept or notes:
        yield {**tree, "files": json.dumps(kept), "notes": notes}
