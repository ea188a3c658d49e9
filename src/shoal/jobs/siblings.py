"""The rest of the jobs of a few files: what stands in their project and in those above it, found without walking a whole tree.

The search is bounded, nearest folders first, so that a commit hook in a large repository stays quick: the bounds are the same whatever
is remembered of earlier runs, and a tree within them is seen whole.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from shoal.discover import Found, nearby
from shoal.jobs.boundaries import above, folder_of, marks_project

if TYPE_CHECKING:
    from shoal.model import FileResult
    from shoal.settings import Settings

MAX_ENTRIES = 800
MAX_FILES = 300
MAX_FILE_BYTES = 200_000
MAX_CODE_BYTES = 300_000
_CODE = frozenset({"python", "notebook", "java"})


def siblings(results: Iterable[FileResult], known: Container[str], root: str, settings: Settings) -> list[Found]:
    """Files that may be parts of the same jobs as those of `results`, without those `known`. `root` is the project's absolute folder.

    Empty when nothing in the results has to do with a job.
    """
    folders = sorted({folder_of(result.path) for result in results if result.facts and not result.path.startswith(("../", "/"))})
    if not folders:
        return []
    found: dict[str, Found] = {}
    seen: set[str] = set()
    left = MAX_ENTRIES
    for start in folders:
        for folder in _starts(start, root):
            if folder in seen or left <= 0:
                continue
            below, walked = nearby(folder, root, settings, seen, left)
            left -= walked
            for item in below:
                found.setdefault(item.path, item)
    return _bounded([item for path, item in found.items() if path not in known])


def _starts(folder: str, root: str) -> list[str]:
    """Where to look, nearest first: the folder of the project that holds `folder`, then those above it."""
    chain = above(folder)
    for index, place in enumerate(chain):
        try:
            names = os.listdir(os.path.join(root, place))
        except OSError:
            continue
        if any(marks_project(name) for name in names):
            return chain[index:]
    return [folder, *chain[-1:]]


def _bounded(found: list[Found]) -> list[Found]:
    kept: list[Found] = []
    code = 0
    for item in found:
        if item.size > MAX_FILE_BYTES:
            continue
        if item.kind in _CODE:
            code += item.size
            if code > MAX_CODE_BYTES:
                continue
        kept.append(item)
        if len(kept) == MAX_FILES:
            break
    return kept
