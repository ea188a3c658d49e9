"""What was found out about files before: per project one file in the user's cache folder, never in the scanned tree.

A remembered answer holds while the file's size, times and inode are those it had, or else while its content hashes to the same.
Everything else an answer depends on (rules, settings, version) is in the name of the file. It has a line for each folder in which a file has
something to say. How all others stood is in the snapshot of a walk (`snapshot.py`), a second file.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shoal import __version__
from shoal.digests import blake2b, sha256
from shoal.discover import Found, settling
from shoal.files import cache_folder, write_pieces
from shoal.model import Told
from shoal.records import NamedTuple
from shoal.rulebook import Rulebook, packaged
from shoal.settings import Settings
from shoal.snapshot import NEVER, Folder, Snapshot, Times, marks

if TYPE_CHECKING:
    from shoal.conclusions import Conclusions

_FORMAT = 5
_KEEP = 6  # caches of one project: a few selections of rules, the settings before the last change
_DAYS = 30


class Known(NamedTuple):
    """What is remembered of a file: its content's digest, whether it passed the gate, and its packed result (None: nothing found).

    `stamp` is what it had (`discover.Found`), None where it may have been written again since.
    """

    digest: str
    read: bool
    packed: list[Any] | None
    stamp: list[int] | None = None


_SILENT = Known("", False, None)


def digest(data: bytes, told: Told | None = None) -> str:
    """What a file's result follows from: its content, and what other files say about it."""
    made = blake2b(data, digest_size=16)
    if told:
        made.update(repr(told).encode("utf-8", "surrogateescape"))
    return made.hexdigest()


class _Folder:
    """A folder's line, taken apart. `entries` has [stamp, digest, passed the gate] and `packed` the results of those that say something."""

    def __init__(self, line: bytes = b"") -> None:
        self.entries: dict[str, Any] = {}
        self.packed: dict[str, Any] = {}
        self.seen: set[str] = set()
        self.changed = False
        if line:
            try:
                packed, entries = line.split(b"\t")
                self.packed = dict(json.loads(packed)) if packed else {}
                self.entries = dict(json.loads(entries))
            except (ValueError, TypeError, RecursionError):
                self.__init__()  # type: ignore[misc]

    def known(self, name: str) -> Known | None:
        entry = self.entries.get(name)
        if isinstance(entry, list) and len(entry) == 3 and isinstance(entry[1], str):
            return Known(entry[1], bool(entry[2]), self.packed.get(name), entry[0])
        return None

    def line(self) -> bytes:
        return b"\t".join((_plain(self.packed) if self.packed else b"", _plain(self.entries)))


def _name(path: str) -> bytes:
    """What a folder is called in the file, where tabs and line ends part things."""
    name = path.encode("utf-8", "surrogateescape")
    return name if b"\\" not in name and path.isprintable() else name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\t", b"\\t")


def _plain(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii")


class Cache:
    """The memory of one project under one set of rules and settings. A file that cannot be read or trusted is an empty memory.

    Of files that say nothing, which most are, there is but their state in the snapshot of a walk.
    """

    def __init__(self, folder: str, root: str, key: str) -> None:
        self._folder = folder
        self._project = _short(root)
        self._key = key
        self._head = _plain([_FORMAT, key, root])
        self._path = os.path.join(folder, f"results-{self._project}-{_short(key)}.lines")
        self._lines: dict[bytes, bytes] = {}  # by the name of a folder, the rest of its line
        self._open: dict[str, _Folder] = {}
        self._unsure: set[str] = set()  # files that went wrong in this run
        self.before = Snapshot()
        self._walked = Snapshot()
        self._rewritten = False  # files of folders that stand were written
        self._walk = ""  # where the snapshot of this run's walk is to be
        self._walking = False  # what is looked at now will be signed
        self._standing: frozenset[str] = frozenset()
        try:
            with open(self._path, "rb") as file:
                if file.readline() == self._head + b"\n":
                    for line in file:
                        name, _, rest = line.partition(b"\t")
                        self._lines[name] = rest.rstrip(b"\n")
        except OSError:
            pass

    def remembered(self, path: str, key: str, commit: str = "") -> Snapshot:
        """The snapshot of the last walk that began at this absolute path (`discover.slices`), which that of this run will replace.

        `commit` is what a git tree stands at now (`trees.discover`).
        """
        self._walk = os.path.join(self._folder, f"folders-{self._project}-{_short(f'{self._key} {path}')}")
        self._walking = True
        self.before = Snapshot.read(self._walk, f"{self._key}\n{path}\n{key}")
        self._walked.commit = commit
        return self.before

    def unsettled(self) -> None:
        """Not all of a git tree could be listed: another run is to list it anew."""
        self._walked.commit = ""

    def speaking(self, folder: str, touched: Container[str]) -> Iterator[tuple[str, Known | None]]:
        """The other files of a folder of the snapshot that have something to say, by name; None where it is not known any more."""
        opened = self._opened(folder)
        for name in self.before.about(folder).spoke:
            if name in touched:
                continue
            known = opened.known(f":{name}") or opened.known(f"!{name}")
            yield name, known if known and known.stamp and marks(known.stamp) == self.before.written_at(folder, name) else None

    def find(self, found: Found, told: Told | None = None) -> tuple[Known | None, bool]:
        """What is remembered of a file, and whether it looks untouched; else it holds when the digest is the same."""
        folder, name = self._place(found, told)
        known = folder.known(name)
        if known is None:
            return (_SILENT, True) if not told and not found.named and self._silent(found) else (None, False)
        return known, known.stamp == list(found.stamp)

    def _silent(self, found: Found) -> bool:
        """Whether a file looks untouched that had nothing to say in the walk before."""
        if not self.before.folders:
            return False
        folder, _, name = found.path.rpartition("/")
        times = self.before.written_at(folder, name)
        return times != NEVER and times == marks(found.stamp) and name not in self.before.about(folder).spoke

    def _place(self, found: Found, told: Told | None) -> tuple[_Folder, str]:
        """The folder of a file and what the file is called there. A second look is remembered beside the first, by what the file was told."""
        path, _, name = found.path.rpartition("/")
        folder = self._opened(path)
        name = f"!{name}" if found.named else f":{name}"
        if told:
            name = f"{name}\0{digest(b'', told)}"
        folder.seen.add(name)
        return folder, name

    def _opened(self, path: str) -> _Folder:
        folder = self._open.get(path)
        if folder is None:
            folder = self._open[path] = _Folder(self._lines.get(_name(path), b""))
        return folder

    def keep(self, found: Found, digest: str, read: bool, packed: list[Any] | None, told: Told | None = None) -> None:
        """Remember an answer. A file written just now may be written again without its times changing: then only its digest counts."""
        folder, name = self._place(found, told)
        if self._walking and not (read or packed or told or folder.entries):
            return  # the snapshot will know
        stamp = None if settling(max(found.stamp[1:3]), time.time_ns()) else list(found.stamp)
        entry = [stamp, digest, read]
        if folder.entries.get(name) != entry or folder.packed.get(name) != packed:
            folder.entries[name] = entry
            folder.packed.pop(name, None)
            if packed is not None:
                folder.packed[name] = packed
            folder.changed = True

    def forget(self, found: Found, told: Told | None = None) -> None:
        folder, name = self._place(found, told)
        folder.changed |= folder.entries.pop(name, None) is not None
        folder.packed.pop(name, None)
        self._unsure.add(found.path)

    def sign(self, walked: Folder) -> None:
        """Remember how a folder stood that was walked, once its files were looked at. Of those that say nothing this is all that is kept."""
        folder = self._opened(walked.path)
        if not (folder.entries or folder.changed or self._unsure):
            self._sign(walked, walked.of_names, ())
            del self._open[walked.path]
            return
        for name in [name for name in folder.entries if name not in folder.seen]:
            if not walked.rewritten or name[1:].partition("\0")[0] in walked.names:
                del folder.entries[name]
                folder.packed.pop(name, None)
                folder.changed = True
        start = f"{walked.path}/" if walked.path else ""
        spoke: list[str] = []
        of_names: list[Times] = []
        for name, times in zip(walked.names, walked.of_names, strict=True):
            called = f":{name}" if f":{name}" in folder.entries else f"!{name}"
            known = folder.known(called)
            of_names.append(times if (known.stamp if known else start + name not in self._unsure) else NEVER)
            if known and (known.read or known.packed is not None):
                spoke.append(name)
            elif known and known.stamp:
                del folder.entries[called]
                folder.changed = True
        self._sign(walked, tuple(of_names), tuple(spoke))
        if not folder.entries and _name(walked.path) not in self._lines:
            del self._open[walked.path]

    def _sign(self, walked: Folder, of_names: tuple[Times, ...], spoke: tuple[str, ...]) -> None:
        if walked.rewritten:
            self.before.rewrite(walked.path, dict(zip(walked.names, of_names, strict=True)), spoke)
            self._rewritten = True
        else:
            self._walked.add(walked._replace(of_names=of_names, about=walked.about._replace(spoke=spoke)))

    def stands(self, standing: frozenset[str]) -> None:
        """These folders of the snapshot stand as they stood, but for files in them that were written."""
        self._walking = False
        self._standing = standing.difference(self._walked.folders)

    def save(self, whole: bool) -> None:
        """Write it down. `whole`: everything in the project was looked at, so what was not seen is gone."""
        lines = self._after(whole)
        walked = self._walk and (
            self._walked.folders
            or self._rewritten
            or len(self._standing) < len(self.before.folders)
            or self._walked.commit != self.before.commit
        )
        if not walked and lines == self._lines:
            return
        try:
            os.makedirs(self._folder, exist_ok=True)
            first = not os.path.exists(self._path)
            # the snapshot comes last: what it takes for known is known then
            if lines != self._lines:
                write_pieces(self._path, (self._head, *(b"\n" + name + b"\t" + line for name, line in lines.items())))
            if walked:
                write_pieces(self._walk, self.before.with_(self._walked, self._standing).written())
            self._prune(first)
        except OSError:  # a full disk or a read-only home costs time, not the run
            return

    def _after(self, whole: bool) -> dict[bytes, bytes]:
        """The lines as they are to be."""
        lines = self._lines
        if whole:
            spoke = (folder for folder, about in self.before.special() if about.spoke and folder in self._standing)
            seen = {_name(path) for path in (*spoke, *(path for path, folder in self._open.items() if folder.seen))}
            lines = {name: line for name, line in lines.items() if name in seen}
        changed = {_name(path): folder.line() if folder.entries else b"" for path, folder in self._open.items() if folder.changed}
        return {name: line for name, line in {**lines, **changed}.items() if line} if changed else lines

    def _prune(self, everything: bool) -> None:
        """Delete what this project has too many of; and of all projects, once a cache is made for the first time, what is old: a look at each takes time."""
        own = tuple(f"{kind}-{self._project}-" for kind in ("results", "folders", "jobs"))
        wanted = ("results-", "folders-", "jobs-", "settings-", "rulebook-") if everything else own
        with os.scandir(self._folder) as entries:
            caches = sorted((entry.stat().st_mtime, entry.name, entry.path) for entry in entries if entry.name.startswith(wanted))
        old = {path for written, _, path in caches if written < time.time() - _DAYS * 86400}
        for kind in own:
            old.update([path for _, name, path in caches if name.startswith(kind)][:-_KEEP])
        for path in old:
            os.unlink(path)


def conclusions(root: str, rulebook: Rulebook, settings: Settings, digests: Mapping[str, str]) -> Conclusions:
    """What is remembered of the jobs of a project; `digests` are those of the files at hand."""
    from shoal.conclusions import Conclusions

    key = key_of(rulebook, settings)
    return Conclusions(os.path.join(cache_folder(), f"jobs-{_short(root)}-{_short(key)}.json"), f"{root}\n{key}", digests)


def key_of(rulebook: Rulebook, settings: Settings) -> str:
    """Everything but a file's path and content that its result depends on."""
    shaping = settings._replace(
        severity="",
        confidence="",
        baseline="",
        fail_on="",
        exclude=(),
        include=(),
        overrides=tuple(item._replace(severity="", confidence="") for item in settings.overrides),
    )
    rules = sha256(" ".join(rule.id for rule in rulebook.rules).encode()).hexdigest()
    parts = (str(_FORMAT), __version__, sys.version, rulebook.digest, rules, repr(shaping), _sources(), _parsers())
    return sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _parsers() -> str:
    """The versions of the parsers, which may come to read what they could not. Names tell: to ask `importlib.metadata` takes 20 ms."""
    for folder in sys.path:
        with contextlib.suppress(OSError):
            if os.path.isdir(os.path.join(folder, "libcst")):
                return " ".join(
                    sorted(name for name in os.listdir(folder) if name.startswith(("libcst-", "ruamel")) and name.endswith("-info"))
                )
    return ""


def _sources() -> str:
    """In a checkout, a stamp of shoal's own sources: they change without the version changing."""
    if packaged():
        return ""
    stamps = []
    for folder, folders, names in os.walk(os.path.dirname(__file__)):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            info = os.stat(os.path.join(folder, name))
            stamps.append(f"{name} {info.st_mtime_ns} {info.st_size}")
    return sha256("\n".join(stamps).encode()).hexdigest()


def _short(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
