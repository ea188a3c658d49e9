"""The files of a git tree that a run looks at: all of them, or what has changed since a commit that is remembered.

Folders of a commit are remembered like those of a walk (`snapshot.py`): a file stands as it stood while its blob has the same name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shoal.discover import Discovery, Found, in_tree
from shoal.git import GitError
from shoal.jobs.boundaries import above
from shoal.snapshot import NEVER, About, Folder, Snapshot, marks

if TYPE_CHECKING:
    from shoal.cache import Cache
    from shoal.git import Entry, Tree
    from shoal.model import LeftOut
    from shoal.settings import Settings

_MOST_FOLDERS = 2_000  # to be asked for by name; to list everything is cheaper then
_SHUT = "vendored"  # said of folders that are not entered


def discover(tree: Tree, root: str, settings: Settings, memory: Cache | None) -> Discovery:
    """The files of a tree; where the memory knows another commit of it, only those in whose folder something differs.

    `root` is what the project is called in the memory. Raises git.GitError.
    """
    if memory is None:
        return in_tree(tree.entries.values(), settings)
    before = memory.remembered(f"{root}{tree.prefix}", json.dumps([settings.exclude, settings.include]), tree.commit)
    entries, standing = _differing(tree, before) or (tree.entries.values(), frozenset())
    found = in_tree(entries, settings)
    if found.problems:
        memory.unsettled()
    return found._replace(folders=_by_folder(found), standing=standing)


def _differing(tree: Tree, before: Snapshot) -> tuple[Iterable[Entry], frozenset[str]] | None:
    """What stands in the folders in which something differs, and those that stand as they stood; None where all is to be listed."""
    changed = () if before.commit == tree.commit else tree.changed_since(before.commit) if before.commit else None
    if changed is None or any(f"/{path}".endswith("/pyvenv.cfg") for path in changed):
        return None
    # what differs in a folder that is not entered is a matter of that folder
    shut = {folder for folder, about in before.special() if any(item.path == folder and item.reason == _SHUT for item in about.left_out)}
    folders = set(before.unsure())
    for path in changed:
        folder = path.rpartition("/")[0]
        folders.add(next((outer for outer in reversed(above(folder)) if outer in shut), folder))
    if len(folders) > _MOST_FOLDERS:
        return None
    try:
        return tree.inside(folders), frozenset(before.folders) - folders
    except GitError:  # of a partial clone it takes more to list anything
        return None


def _by_folder(discovery: Discovery) -> tuple[Folder, ...]:
    folders: dict[str, list[Found]] = {}
    for item in discovery.found:
        folders.setdefault(item.path.rpartition("/")[0], []).append(item)
    left_out: dict[str, list[LeftOut]] = {}
    for left in discovery.left_out:
        folder = left.path if left.reason == _SHUT else left.path.rpartition("/")[0]
        left_out.setdefault(folder, []).append(left)
    return tuple(
        Folder(
            path,
            NEVER,
            tuple(item.path.rpartition("/")[2] for item in folders.get(path, ())),
            tuple(marks(item.stamp) for item in folders.get(path, ())),
            About(tuple(left_out.get(path, ()))),
        )
        for path in sorted({*folders, *left_out})
    )
