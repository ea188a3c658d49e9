"""Files of portions are read, gated and hashed. Those that pass the gate keep their content, of the others little more than their names goes on."""

from __future__ import annotations

import json
import os
import posixpath
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from shoal import gate, git
from shoal.cache import digest as digest_of
from shoal.classify import by_content
from shoal.digests import blake2b
from shoal.discover import Found, in_tree, reason
from shoal.files import read_bytes
from shoal.git import Entry
from shoal.model import LeftOut, Problem
from shoal.report.html.owners import PLACES
from shoal.spark import rows
from shoal.spark.plan import Plan, checked_as, column, key_of, plan_in, rulebook
from shoal.spark.rows import Batches, Row
from shoal.spark.tables import FILES


def scan(plan: Plan, found: Batches) -> Batches:
    """Read the files of portions. Those that pass the gate keep their content; of the others little more than their names goes on."""
    yield from rows.batches((row for portion in rows.rows(found) for row in scanned_rows(plan, portion)), rows.SCANNED)


def scanned_rows(plan: Plan, portion: Row) -> Iterator[Row]:
    tree = {name: portion[name] for name in rows.PART}
    if portion["same"] or portion["mark"] or portion["notes"]:
        yield {**tree, "path": "", **{name: portion[name] for name in ("notes", "same", "mark")}, "files": 0}
    plan = plan_in(plan, portion["settings"])
    dropped = _Dropped(plan, tree)
    items = [Found(path, kind, (size, 0, 0, blob), named) for path, kind, size, blob, named in json.loads(portion["files"] or "[]")]
    for item, data in _read(portion["place"], items, plan.settings.max_file_size):
        if isinstance(data, bytes):
            row = _row(plan, tree, item, data, dropped)
        else:
            row = _unread(tree, item, Problem(item.path, "unreadable", reason(data), help=getattr(data, "help", "")))
        if row:
            yield row
    yield from dropped.row()


class _Dropped:
    """Files that the gate dropped, together: there are many, and only what they are called counts for others."""

    def __init__(self, plan: Plan, tree: Row) -> None:
        self.engines = rulebook(plan).engines
        self._plan = plan
        self._tree = tree
        self._folders: dict[str, list[str]] = {}
        self._named: list[str] = []
        self._about: list[list[Any]] = []
        self._files = 0
        self._mark = 0

    def add(self, item: Found, data: bytes) -> None:
        folder, _, name = item.path.rpartition("/")
        self._folders.setdefault(folder, []).append(name)
        if item.named:
            self._named.append(item.path)
        self._files += 1
        if self._plan.tables:
            digest = digest_of(data)
            self._about.append([item.path, item.kind, len(data), digest])
            self._mark += _mark(self._tree, item, digest, "")

    def row(self) -> Iterator[Row]:
        if self._files:
            about = json.dumps(self._about) if self._about else None
            paths = json.dumps([self._folders, self._named])
            yield {**self._tree, "paths": paths, "about": about, "files": self._files, "mark": self._mark}


def _mark(tree: Row, item: Found, digest: str, notes: str) -> int:
    """A number of a file in its state: their sum tells trees apart, whatever the order and the portions of files.

    What git keeps is told apart by its commit, unless it could not be read.
    """
    if tree["place"][:1] == "{" and digest:
        return 0
    return number_of("\0".join((tree["repo"], tree["rev"], item.path, item.kind, str(item.named), digest, notes)))


def number_of(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogateescape"), digest_size=6).digest(), "big")


def _read(place: str, items: list[Found], limit: int) -> Iterator[tuple[Found, bytes | OSError | ValueError]]:
    """The contents of files of a folder, or of a git repository by the names of their blobs."""
    if place[:1] == "{":
        blobs = git.Blobs(json.loads(place)["git"])
        try:
            for item, data in zip(items, blobs.read(map(_oid, items)), strict=True):
                yield (
                    item,
                    git.GitError("the repository lacks it", "fetch it: git fetch --refetch, or a full clone") if data is None else data,
                )
        finally:
            blobs.close()
        return
    start = os.path.join(place, "")
    for item in items:
        try:
            yield item, read_bytes(start + item.path, limit)
        except (OSError, ValueError) as error:
            yield item, error


def _oid(item: Found) -> str:
    """The name of a blob, which `discover.in_tree` keeps as the inode: SHA-1, or SHA-256 in newer repositories."""
    name = f"{item.stamp[3]:040x}"
    return name if len(name) == 40 else name.zfill(64)


def scan_contents(plan: Plan, found: Batches) -> Batches:
    """The same for rows that hold their content already: `repo`, `rev`, `path`, `content`."""
    yield from rows.batches(_contents(plan, rows.rows(found)), rows.SCANNED)


def _contents(plan: Plan, found: Iterator[Row]) -> Iterator[Row]:
    dropped: dict[tuple[str, str], _Dropped] = {}
    for row in found:
        tree = {"repo": row["repo"] or "", "rev": row["rev"] or "", "place": "", "settings": ""}
        at = tree["repo"], tree["rev"]
        if at not in dropped:
            dropped[at] = _Dropped(plan, tree)
        told = _content_row(plan, tree, row, dropped[at])
        if told:
            yield told
    for each in dropped.values():
        yield from each.row()


def _content_row(plan: Plan, tree: Row, row: Row, dropped: _Dropped) -> Row | None:
    path = posixpath.normpath((row["path"] or "").replace("\\", "/")).lstrip("/")
    content = row["content"]
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    size = len(data) if data is not None else row.get("size") or 0
    discovery = in_tree((Entry(path, "100644", "0", size),), plan.settings, plan.environments)
    if discovery.found and data is not None:
        return _row(plan, tree, discovery.found[0], data, dropped, True)
    if path in PLACES and data is not None:  # nothing that is checked, but reports say who owns what
        item = Found(path, "", (size, 0, 0, 0), False)
        return {**_kept(tree, item, digest_of(data)), "content": zlib.compress(data, 1), "files": 0}
    left_out = discovery.left_out or ((LeftOut(path, "empty", "the row has no content"),) if discovery.found else ())
    return {**tree, "path": "", "notes": json.dumps(plain_notes((), left_out)), "files": 0} if left_out else None


def _unread(tree: Row, item: Found, problem: Problem) -> Row:
    return _kept(tree, item, "", json.dumps(plain_notes((problem,), ())))


def _kept(tree: Row, item: Found, digest: str, notes: str = "") -> Row:
    return {
        **tree,
        "path": column(item.path),
        "kind": item.kind,
        "named": item.named,
        "size": item.size,
        "digest": digest or None,
        "notes": notes or None,
        "files": 1,
        "mark": _mark(tree, item, digest, notes),
    }


def _row(plan: Plan, tree: Row, item: Found, data: bytes, dropped: _Dropped, only: bool = False) -> Row | None:
    """A row of a file that was read; None for one that the gate dropped.

    `only`: it cannot be read again, so Python keeps its content for what other files may ask of it.
    """
    verdict = gate.judged(item.path, by_content(item.path, item.kind, data), data, dropped.engines, item.named)
    if isinstance(verdict, LeftOut):
        return _kept(tree, _sized(item, data), digest_of(data), json.dumps(plain_notes((), (verdict,))))
    if verdict:
        row = _kept(tree, _sized(item, data), digest_of(data))
        row["key"] = column(key_of(row["digest"], item.kind, item.named, checked_as(item.path, plan.settings), tree["settings"]))
        row["content"] = zlib.compress(data, 1)
        return row
    if only and item.kind in ("python", "dockerfile", "yaml", "json"):
        return {**_kept(tree, _sized(item, data), digest_of(data)), "content": zlib.compress(data, 1)}
    dropped.add(item, data)
    return None


def _sized(item: Found, data: bytes) -> Found:
    """The file as it was read: it may have grown since it was listed."""
    return item._replace(stamp=(len(data), *item.stamp[1:]))


def file_rows(plan: Plan, found: Batches) -> Batches:
    """The table of files: of those that the gate dropped, too."""
    yield from rows.batches((file for row in rows.rows(found) for file in _files(row)), {**rows.TREE, **FILES})


def _files(row: Row) -> Iterator[Row]:
    tree = {"repo": row["repo"], "rev": row["rev"]}
    if row["kind"]:
        told = {name: row[name] for name in ("path", "kind", "size", "digest", "key")}
        yield {**tree, **told, "read": row["key"] is not None}
    for path, kind, size, digest in json.loads(row["about"] or "[]"):
        yield {**tree, "path": column(path), "kind": kind, "size": size, "digest": digest, "read": False}


def plain_notes(problems: Iterable[Problem], left_out: Iterable[LeftOut]) -> list[Any]:
    return [[list(problem) for problem in problems], [list(item) for item in left_out]]
