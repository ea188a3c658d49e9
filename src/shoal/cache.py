"""What was found out about files before: per project one file in the user's cache folder, never in the scanned tree.

A remembered answer holds while the file's size, times and inode are those it had, or else while its content hashes to the same.
Everything else an answer depends on (rules, settings, version) is in the name of the file. It has a line for each folder of the project, which
is taken apart only when something in the folder has changed: of a tree in which nothing has, a run reads a signature for each folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from shoal import __version__
from shoal.digests import blake2b, sha256
from shoal.discover import Folder, Found, Remembered, settling
from shoal.files import cache_folder, write_pieces
from shoal.model import LeftOut, Told
from shoal.rulebook import Rulebook, packaged
from shoal.settings import Settings

if TYPE_CHECKING:
    from shoal.conclusions import Conclusions

_FORMAT = 4
_KEEP = 6  # caches of one project: a few selections of rules, the settings before the last change
_DAYS = 30


class Known(NamedTuple):
    """What is remembered of a file: its content's digest, whether it passed the gate, and its packed result (None: nothing found)."""

    digest: str
    read: bool
    packed: list[Any] | None


def digest(data: bytes, told: Told | None = None) -> str:
    """What a file's result follows from: its content, and what other files say about it."""
    made = blake2b(data, digest_size=16)
    if told:
        made.update(repr(told).encode("utf-8", "surrogateescape"))
    return made.hexdigest()


class _Folder:
    """A folder's line, taken apart. `entries` has [stamp, digest, passed the gate] and `packed` the results of those that say something."""

    def __init__(self, line: bytes = b"") -> None:
        self.signature = ""
        self.read = 0  # files that passed the gate
        self.names: list[str] | None = None
        self.left_out: list[list[str]] = []
        self.aside: dict[str, bool | None] = {}
        self.entries: dict[str, Any] = {}
        self.packed: dict[str, Any] = {}
        self.seen: set[str] = set()
        self.changed = False
        if line:
            try:
                signature, read, names, left_out, aside, packed, entries = line.split(b"\t")
                self.read = int(read)
                self.names = json.loads(names) if names else None
                self.left_out = json.loads(left_out) if left_out else []
                self.aside = dict(json.loads(aside)) if aside else {}
                self.packed = dict(json.loads(packed)) if packed else {}
                self.entries = dict(json.loads(entries))
                self.signature = signature.decode("ascii")
            except (ValueError, TypeError, RecursionError):
                self.__init__()  # type: ignore[misc]

    def known(self, name: str) -> tuple[list[int] | None, Known] | None:
        entry = self.entries.get(name)
        if isinstance(entry, list) and len(entry) == 3 and isinstance(entry[1], str):
            return entry[0], Known(entry[1], bool(entry[2]), self.packed.get(name))
        return None

    def line(self) -> bytes:
        names = _plain(self.names) if self.names is not None else b""
        left_out = _plain(self.left_out) if self.left_out else b""
        aside = _plain(self.aside) if self.aside else b""
        packed = _plain(self.packed) if self.packed else b""
        signed = f"{self.signature}\t{self.read}".encode("ascii")
        return b"\t".join((signed, names, left_out, aside, packed, _plain(self.entries)))


def _name(path: str) -> bytes:
    """What a folder is called in the file, where tabs and line ends part things."""
    name = path.encode("utf-8", "surrogateescape")
    return name if b"\\" not in name and path.isprintable() else name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\t", b"\\t")


def _plain(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii")


class Cache:
    """The memory of one project under one set of rules and settings. A file that cannot be read or trusted is an empty memory."""

    def __init__(self, folder: str, root: str, key: str) -> None:
        self._folder = folder
        self._project = _short(root)
        self._head = _plain([_FORMAT, key, root])
        self._path = os.path.join(folder, f"results-{self._project}-{_short(key)}.lines")
        self._lines: dict[bytes, bytes] = {}  # by the name of a folder, the rest of its line
        self._open: dict[str, _Folder] = {}
        self._walked: set[str] = set()  # folders whose lines count, as they are or anew
        self._spill: IO[bytes] | None = None  # lines that are done with and say nothing: of a large tree they are too many to be kept
        self._spilled: dict[bytes, int] = {}  # where each stands there
        try:
            with open(self._path, "rb") as file:
                if file.readline() == self._head + b"\n":
                    for line in file:
                        name, _, rest = line.partition(b"\t")
                        self._lines[name] = rest.rstrip(b"\n")
        except OSError:
            pass

    def folder(self, path: str, signature: str) -> Remembered | None:
        """What is remembered of a folder with this signature (`discover.Memory`)."""
        line = self._lines.get(_name(path))
        if line is None or not line.startswith(signature.encode("ascii")):
            return None
        fields = line.split(b"\t", 6)
        if len(fields) != 7 or len(fields[0]) != len(signature):
            return None
        self._walked.add(path)
        _, read, names, left_out, aside, packed, _ = fields
        if not (names or left_out or aside or packed) and read.isdigit():  # of most folders there is nothing to say
            return Remembered(None, (), {}, int(read), False)
        found = self._opened(path)
        if found.signature != signature:  # the line made no sense
            return None
        left = tuple(LeftOut(*item) for item in found.left_out)
        return Remembered(None if found.names is None else tuple(found.names), left, found.aside, found.read, bool(found.packed))

    def speaking(self, path: str) -> list[tuple[Found, Known]]:
        """What is remembered of the files of an unchanged folder that have something to say; their kinds are not known here."""
        folder = self._opened(path)
        start = f"{path}/" if path else ""
        told = []
        for name in folder.packed:
            entry = None if "\0" in name else folder.known(name)
            if entry and entry[0]:
                size, written, changed, inode = entry[0]
                told.append((Found(start + name[1:], "", (size, written, changed, inode), name[0] == "!"), entry[1]))
        return told

    def same(self, found: Found, told: Told | None = None) -> Known | None:
        """What is remembered, when the file looks untouched."""
        entry = self._entry(found, told)
        return entry[1] if entry and entry[0] == list(found.stamp) else None

    def last(self, found: Found, told: Told | None = None) -> Known | None:
        """What is remembered, whether the file looks untouched or not: it holds when the digest is the same."""
        entry = self._entry(found, told)
        return entry[1] if entry else None

    def _entry(self, found: Found, told: Told | None) -> tuple[list[int] | None, Known] | None:
        folder, name = self._place(found, told)
        return folder.known(name)

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
            folder = self._open[path] = _Folder(self._line(_name(path)))
        return folder

    def _line(self, name: bytes) -> bytes:
        at = self._spilled.get(name)
        if at is None or self._spill is None:
            return self._lines.get(name, b"")
        try:
            self._spill.seek(at)
            line = self._spill.readline().rstrip(b"\n")
            self._spill.seek(0, os.SEEK_END)
        except OSError:
            return b""
        return line

    def keep(self, found: Found, digest: str, read: bool, packed: list[Any] | None, told: Told | None = None) -> None:
        """Remember an answer. A file written just now may be written again without its times changing: then only its digest counts."""
        stamp = None if settling(max(found.stamp[1:3]), time.time_ns()) else list(found.stamp)
        folder, name = self._place(found, told)
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

    def sign(self, walked: Folder) -> None:
        """Remember a folder that was walked, once its files were looked at: as a whole, unless one of them must be looked at again anyway."""
        folder = self._opened(walked.path)
        gone = [name for name in folder.entries if name not in folder.seen]
        for name in gone:
            del folder.entries[name]
            folder.packed.pop(name, None)
        sure = all((entry := folder.entries.get(f":{name}")) is not None and entry[0] is not None for name in walked.names)
        read = sum(bool(folder.entries[f":{name}"][2]) for name in walked.names if f":{name}" in folder.entries)
        left_out = [list(item) for item in walked.left_out]
        names = list(walked.names) if left_out or len(walked.names) != walked.candidates else None
        signature = walked.signature if sure else ""
        now = (signature, read, names, left_out, dict(walked.aside))
        if gone or now != (folder.signature, folder.read, folder.names, folder.left_out, folder.aside):
            folder.signature, folder.read, folder.names, folder.left_out, folder.aside = now
            folder.changed = True
        if folder.changed and not folder.packed:
            self._put_by(walked.path, folder)
            return
        self._walked.add(walked.path)
        if not folder.changed:
            del self._open[walked.path]

    def _put_by(self, path: str, folder: _Folder) -> None:
        name = _name(path)
        try:
            if self._spill is None:
                from tempfile import TemporaryFile

                self._spill = TemporaryFile()  # noqa: SIM115 - it lives as long as the cache
            self._spilled[name] = self._spill.tell()
            self._spill.write(folder.line() + b"\n")
        except OSError:  # a full disk costs what would be remembered
            self._spilled.pop(name, None)
        self._lines.pop(name, None)
        del self._open[path]

    def save(self, whole: bool) -> None:
        """Write it down. `whole`: everything in the project was looked at, so what was not seen is gone."""
        changed = {_name(path): folder for path, folder in self._open.items() if folder.changed}
        seen = {_name(path) for path in (*self._walked, *(path for path, folder in self._open.items() if folder.seen))} if whole else None
        gone = seen is not None and not self._lines.keys() <= seen
        if not (changed or gone or self._spilled):
            return
        try:
            os.makedirs(self._folder, exist_ok=True)
            write_pieces(self._path, self._written(changed, seen))
            self._prune()
        except OSError:  # a full disk or a read-only home costs time, not the run
            return

    def _written(self, changed: dict[bytes, _Folder], seen: set[bytes] | None) -> Iterator[bytes]:
        yield self._head
        for name, line in self._lines.items():
            if name not in changed and (seen is None or name in seen):
                yield b"\n" + name + b"\t" + line
        for name, folder in changed.items():
            yield b"\n" + name + b"\t" + folder.line()
        if self._spill is not None:
            self._spill.seek(0)
            for name, line in zip(self._spilled, self._spill, strict=False):
                if name not in changed:
                    yield b"\n" + name + b"\t" + line.rstrip(b"\n")

    def _prune(self) -> None:
        caches = sorted(
            (entry.stat().st_mtime, entry.name, entry.path)
            for entry in os.scandir(self._folder)
            if entry.name.startswith(("results-", "jobs-", "settings-", "rulebook-"))
        )
        mine = [path for _, name, path in caches if name.startswith(f"results-{self._project}-")]
        jobs = [path for _, name, path in caches if name.startswith(f"jobs-{self._project}-")]
        old = [path for written, _, path in caches if written < time.time() - _DAYS * 86400]
        for path in {*mine[:-_KEEP], *jobs[:-_KEEP], *old}:
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
