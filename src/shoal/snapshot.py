"""How the folders of a tree stood when it was last walked, so that another walk looks into those alone in which something has changed.

A folder's times change when an entry comes, goes or is renamed, a file's when it is written: one `lstat` for each, and nothing is listed, sorted or
hashed. It is kept in columns, since of a million files only numbers are compared and nothing is taken apart.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

from shoal.lazy import pattern
from shoal.model import LeftOut
from shoal.records import NamedTuple

_FORMAT = 2
MOUNTS = "/proc/self/mountinfo"
_MADE_BY_PROGRAMS = ("fuse", "cifs", "smb", "9p", "vboxsf", "prl_fs")
_OCTAL = pattern(r"\\([0-7]{3})")  # how a space in a path is written there
_HALF = (1 << 63) - 1
_SMALL = 16_000_000  # bytes of texts that are kept, so that they need not be put together again
_FEW = 50  # names of a folder among which one is looked for
NEVER = (0, 0)  # times that nothing has: what may change unseen is looked at again
_TO_ASK = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
Times = tuple[int, int]  # of the last change of the content, and of the entry (nanoseconds)


class About(NamedTuple):
    """What most folders have nothing of.

    `only_included`: only what `include` names counts in it; `ignored`: it is ignored, but for what git tracks. `rules` are the times of
    the ignore files in it by name, `git_index` is the index that was asked about its entries, with its stamp. `spoke` are the files that passed the
    gate or have something to say.
    """

    left_out: tuple[LeftOut, ...] = ()
    only_included: bool = False
    ignored: bool = False
    rules: tuple[tuple[str, int, int], ...] = ()
    git_index: tuple[str, str] = ("", "")
    spoke: tuple[str, ...] = ()


_NOTHING = About()


class Folder(NamedTuple):
    """A folder that was walked, its path from the root. `names` are the files to look at, `of_names` their times.

    `rewritten`: it stands as it stood, but for these files in it, which were written since; nothing else is told of it.
    """

    path: str
    times: Times
    names: tuple[str, ...]
    of_names: tuple[Times, ...]
    about: About = _NOTHING
    rewritten: bool = False


class Snapshot:
    """The folders of a walk, in no order. `key` names all that the walk came out as it did for, `commit` what a git tree stood at."""

    def __init__(self, key: str = "", commit: str = "") -> None:
        self.key = key
        self.commit = commit
        self.folders: list[str] = []
        self.names: list[str] = []
        self._counts = array("I")
        self._columns = [array("q") for _ in range(4)]  # the two times of folders, and of names
        self._about: dict[str, About] = {}
        self._starts: list[int] = [0]
        self._numbers: dict[str, int] | None = None
        self._large: dict[str, dict[str, int]] = {}  # where the files of folders with many of them stand in the columns
        self._joined: tuple[bytes, ...] = ()  # folders and names as they are written, while they are known

    def about(self, folder: str) -> About:
        return self._about.get(folder, _NOTHING)

    def special(self) -> Iterator[tuple[str, About]]:
        """The folders of which there is something to say."""
        yield from self._about.items()

    def files(self, standing: Collection[str]) -> dict[str, list[str]]:
        """The names of the files in some of the folders; of those alone that hold any."""
        names = self.names
        every = zip(self.folders, self._starts, islice(self._starts, 1, None), strict=False)
        return {folder: names[start:end] for folder, start, end in every if start != end and folder in standing}

    def written_at(self, folder: str, name: str) -> Times:
        """The times of a file; `NEVER` where there is none of that name."""
        at = self._at(folder, name)
        return NEVER if at is None else (self._columns[2][at], self._columns[3][at])

    def holds(self, folder: str, name: str) -> bool:
        """Whether a file of a folder was looked at."""
        return self._at(folder, name) is not None

    def _at(self, folder: str, name: str) -> int | None:
        """Where a file stands in the columns."""
        number = self._number(folder)
        if number is None:
            return None
        start, end = self._starts[number], self._starts[number + 1]
        if end - start > _FEW:
            if folder not in self._large:
                self._large[folder] = dict(zip(self.names[start:end], range(start, end), strict=True))
            return self._large[folder].get(name)
        return next((at for at in range(start, end) if self.names[at] == name), None)

    def _number(self, folder: str) -> int | None:
        if self._numbers is None:
            self._numbers = {path: number for number, path in enumerate(self.folders)}
        return self._numbers.get(folder)

    def unsure(self) -> Iterator[str]:
        """The folders in which a file is to be looked at again, however it stands."""
        written = self._columns[2]
        for number, folder in enumerate(self.folders) if NEVER[0] in written else ():
            if NEVER[0] in written[self._starts[number] : self._starts[number + 1]]:
                yield folder

    def changed(self, base: str) -> tuple[set[str], dict[str, dict[str, os.stat_result]]]:
        """The folders in which entries have come or gone, or that are gone; and in others the files that were written, with how they stand now.

        `base` is the root with a separator behind it.
        """
        found: set[str] = set()
        touched: dict[str, dict[str, os.stat_result]] = {}
        entries = zip(self.names, *self._columns[2:], strict=True)
        near, lstat = _Near(base), os.lstat
        for folder, count, written, changed in zip(self.folders, self._counts, *self._columns[:2], strict=True):
            here = islice(entries, count)
            try:
                path, start, inside = near.to(folder)
                info = os.stat(path, dir_fd=inside)  # a walk may begin at a link; none leads on from there
                if info.st_mtime_ns != written or info.st_ctime_ns != changed:
                    found.add(folder)
                elif count:
                    for name, of_content, of_entry in here:
                        info = lstat(start + name, dir_fd=inside)
                        if info.st_mtime_ns != of_content or info.st_ctime_ns != of_entry:
                            touched.setdefault(folder, {})[name] = info
                    continue
            except (OSError, ValueError):
                found.add(folder)
            for _ in here:  # what is the next folder's comes behind
                pass
        near.close()
        return found, touched

    def rewrite(self, folder: str, of_names: Mapping[str, Times], spoke: Iterable[str]) -> None:
        """Some files of a folder have other times now, and of these some have something to say."""
        for name, now in of_names.items():
            at = self._at(folder, name)
            assert at is not None, "it is one of these"
            for column, time in zip(self._columns[2:], now, strict=True):
                column[at] = time
        about = self.about(folder)
        speak = (*(name for name in about.spoke if name not in of_names), *spoke)
        if speak != about.spoke:
            self._about[folder] = about._replace(spoke=speak)

    def with_(self, walked: Snapshot, standing: Collection[str]) -> Snapshot:
        """Those of these folders that stand as they stood, and what was walked anew."""
        if not walked.folders and len(standing) == len(self.folders):
            self.commit = walked.commit
            return self
        made = Snapshot(self.key, walked.commit)
        first = 0
        while first < len(self.folders):
            last = first
            while last < len(self.folders) and self.folders[last] in standing:
                last += 1
            made._copy(self, first, last)
            first = last + 1
        made._copy(walked, 0, len(walked.folders))
        return made

    def add(self, folder: Folder) -> None:
        self._joined = ()
        self.folders.append(folder.path)
        self.names += folder.names
        self._counts.append(len(folder.names))
        self._starts.append(len(self.names))
        for column, time in zip(self._columns, folder.times, strict=False):
            column.append(time)
        for column, times in zip(self._columns[2:], zip(*folder.of_names, strict=True), strict=False):
            column.extend(times)
        if folder.about != _NOTHING:
            self._about[folder.path] = folder.about

    def _copy(self, other: Snapshot, first: int, last: int) -> None:
        """Take over the folders from one to before another."""
        self._joined = ()
        start, stop = other._starts[first], other._starts[last]
        folders = other.folders[first:last]
        self.folders += folders
        self.names += other.names[start:stop]
        self._counts += other._counts[first:last]
        self._starts += [len(self.names) - stop + end for end in other._starts[first + 1 : last + 1]]
        for number, (column, source) in enumerate(zip(self._columns, other._columns, strict=True)):
            column += source[first:last] if number < 2 else source[start:stop]
        if other._about:
            self._about.update((folder, other._about[folder]) for folder in folders if folder in other._about)

    def written(self) -> Iterator[bytes]:
        """The bytes of a file that `read` understands."""
        about = json.dumps([[folder, *about] for folder, about in self._about.items()], separators=(",", ":")).encode("ascii")
        texts = self._joined or ("\0".join((*texts, "")).encode("utf-8", "surrogateescape") for texts in (self.folders, self.names))
        parts = [*texts, about, self._counts.tobytes(), *(column.tobytes() for column in self._columns)]
        check = _check(parts)
        yield json.dumps([_FORMAT, self.key, self.commit, check, *map(len, parts)]).encode("ascii") + b"\n"
        yield from parts

    @classmethod
    def read(cls, path: str, key: str) -> Snapshot:
        """What a file holds; nothing where it cannot be read, is damaged or was written for another key."""
        made = cls(key)
        try:
            with open(path, "rb") as file:
                format_, written_for, commit, check, *sizes = json.loads(file.readline())
                if format_ != _FORMAT or written_for != key or len(sizes) != 8:
                    return made
                data = file.read()
            if sum(sizes) != len(data) or _check((data,)) != check:
                return made
            view, parts = memoryview(data), []
            for size in sizes:
                parts.append(view[:size])
                view = view[size:]
            folders, names, about, counts, *columns = parts
            made.folders, made.names = (_texts(part) for part in (folders, names))
            if len(folders) + len(names) < _SMALL:
                made._joined = bytes(folders), bytes(names)
            made._counts.frombytes(counts)
            for column, part in zip(made._columns, columns, strict=True):
                column.frombytes(part)
            made._about = {folder: _about(*rest) for folder, *rest in json.loads(bytes(about))}
            made._starts = [0, *accumulate(made._counts)]
            made.commit = str(commit)
        except (OSError, ValueError, TypeError, RecursionError):
            return cls(key)
        return made


class _Near:
    """Folders of a tree as seen from one that is open and not far above them: from there the kernel finds a file in four fifths of the time."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._from: str | None = None
        self._inside = ""  # what paths below it begin with; nothing where none are, or it is not open
        self._open: int | None = None

    def to(self, folder: str) -> tuple[str, str, int | None]:
        """What a folder is called, what its entries begin with, and the open folder from which both count (None: they are whole). Raises OSError."""
        if self._inside and folder.startswith(self._inside):
            path = folder[len(self._inside) :]
            return path, path + "/", self._open
        second = folder.find("/", folder.find("/") + 1)
        above = folder[:second] if second > 0 else folder if "/" in folder else ""
        if above != self._from:
            self.close()
            self._from = above
            if os.stat in os.supports_dir_fd:
                self._open = os.open(self._base + above, _TO_ASK)
                self._inside = f"{above}/" if above else ""
        if self._open is None:
            path = self._base + folder
            return path if folder else self._base[:-1] or self._base, f"{path}/" if folder else self._base, None
        path = folder[len(above) + 1 :] if above else folder
        return path or ".", f"{path}/" if path else "", self._open

    def close(self) -> None:
        if self._open is not None:
            os.close(self._open)
        self._open = self._from = None
        self._inside = ""


def _check(parts: Iterable[bytes]) -> int:
    from zlib import crc32  # half a millisecond that a commit hook saves

    check = 0
    for part in parts:
        check = crc32(part, check)
    return check


def _texts(part: memoryview) -> list[str]:
    return str(part, "utf-8", "surrogateescape").split("\0")[:-1]


def _about(left_out: list[list[str]], only_included: bool, ignored: bool, rules: list[Any], index: list[str], spoke: list[str]) -> About:
    return About(
        tuple(LeftOut(*item) for item in left_out),
        only_included,
        ignored,
        tuple((name, written, changed) for name, written, changed in rules),
        (index[0], index[1]),
        tuple(spoke),
    )


def times(info: os.stat_result) -> Times:
    return info.st_mtime_ns, info.st_ctime_ns


def times_of(path: str, follow: bool = False) -> Times:
    """The times of what stands at a path, or of what a link there leads to; `NEVER` where there is nothing."""
    try:
        return times(os.stat(path, follow_symlinks=follow))
    except (OSError, ValueError):
        return NEVER


def unreliable(mounts: str = MOUNTS) -> tuple[str, ...]:
    """Where file systems are mounted whose folders may have times that tell nothing: those made by programs (an object store shown as folders).

    Linux says what is mounted (proc_pid_mountinfo(5)); of other systems nothing is known, and local disks are the rule.
    """
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split(" ") for line in file]
    except OSError:
        return ()
    kinds = [(fields[4], fields[fields.index("-") + 1]) for fields in lines if "-" in fields[:-1] and len(fields) > 5]
    return tuple(_OCTAL.sub(lambda match: chr(int(match[1], 8)), place) for place, kind in kinds if kind.startswith(_MADE_BY_PROGRAMS))


def marks(stamp: Sequence[int]) -> Times:
    """What is kept of a file's stamp (`discover.Found`): its times, or in a git tree the name of its object."""
    _, written, changed, inode = stamp
    return (written, changed) if written or changed else (inode >> 64 & _HALF, inode & _HALF)
