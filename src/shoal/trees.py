"""The files of a git tree that a run looks at: all of them, or what has changed since a commit that is remembered.

Folders of a commit are remembered like those of a walk (`snapshot.py`): a file stands as it stood while its blob has the same name.
"""

from __future__ import annotations

import json
from collections.abc import Container
from typing import TYPE_CHECKING

from shoal.discover import Discovery, Found, in_tree
from shoal.git import GitError
from shoal.jobs.boundaries import above, folder_of
from shoal.records import NamedTuple
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
    differing = _differing(tree, before, settings)
    found = in_tree(differing.entries if differing else tree.entries.values(), settings)
    if found.problems:
        memory.unsettled()
    standing = frozenset(before.folders) - differing.folders if differing else frozenset[str]()
    return found._replace(folders=_by_folder(found, standing), standing=standing)


class _Differing(NamedTuple):
    """What stands in these folders, in which entries have come or gone, and the files of others that were written where they stood."""

    entries: list[Entry]
    folders: frozenset[str]


def _differing(tree: Tree, before: Snapshot, settings: Settings) -> _Differing | None:
    """What differs from the tree that is remembered; None where all is to be listed."""
    changed = {} if before.commit == tree.commit else tree.changed_since(before.commit) if before.commit else None
    if changed is None or any(f"/{path}".endswith("/pyvenv.cfg") for path in changed):
        return None
    # what differs in a folder that is not entered is a matter of that folder
    shut = {folder for folder, about in before.special() if any(item.path == folder and item.reason == _SHUT for item in about.left_out)}
    folders = set(before.unsure())
    written: list[Entry] = []
    for path, entry in changed.items():
        folder = folder_of(path)
        outer = next((outer for outer in reversed(above(folder)) if outer in shut), None)
        if outer is None and entry and before.holds(folder, path.rpartition("/")[2]):
            written.append(entry)
        else:
            folders.add(folder if outer is None else outer)
    if len(folders) > _MOST_FOLDERS:
        return None
    try:
        written = tree.sized([entry for entry in written if folder_of(entry.path) not in folders])
        # of what is missing, or too large, something is said of its folder
        folders |= {folder_of(entry.path) for entry in written if not 0 <= entry.size <= settings.max_file_size}
        there = [entry for entry in written if folder_of(entry.path) not in folders]
        return _Differing([*tree.inside(folders), *there], frozenset(folders))
    except GitError:  # of a partial clone it takes more to list anything
        return None


def _by_folder(discovery: Discovery, standing: Container[str]) -> tuple[Folder, ...]:
    """The folders of what was found; in those that stand it was written where it stood."""
    folders: dict[str, list[Found]] = {}
    for item in discovery.found:
        folders.setdefault(folder_of(item.path), []).append(item)
    left_out: dict[str, list[LeftOut]] = {}
    for left in discovery.left_out:
        folder = left.path if left.reason == _SHUT else folder_of(left.path)
        left_out.setdefault(folder, []).append(left)
    return tuple(
        Folder(
            path,
            NEVER,
            tuple(item.path.rpartition("/")[2] for item in folders.get(path, ())),
            tuple(marks(item.stamp) for item in folders.get(path, ())),
            About(tuple(left_out.get(path, ()))),
            path in standing,
        )
        for path in sorted({*folders, *left_out})
    )
