"""Which files a run looks at, and which it leaves out and why. Nothing is opened here but ignore files."""

from __future__ import annotations

import marshal
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from shoal import gitignore
from shoal.digests import blake2b
from shoal.gitignore import Chain
from shoal.globs import literal_start, matcher
from shoal.model import LeftOut, Problem

if TYPE_CHECKING:
    from shoal.git import Entry
    from shoal.settings import Settings

# Never entered and never mentioned: what tools keep for themselves.
_TOOLS = frozenset(
    {".git", ".hg", ".svn", ".jj", ".idea", ".cache", ".tox", ".nox", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
    | {".ipynb_checkpoints"}
)
# Other people's files.
_VENDORED = frozenset(
    {"node_modules", "bower_components", "site-packages", ".venv", "vendor", "third_party", "third-party", ".terraform", ".gradle", ".eggs"}
)

_MOST_NAMES = 20_000  # of which the kind is remembered
_kinds: dict[str, str] = {}  # by name, where settings do not say otherwise


class Found(NamedTuple):
    """A file to look at. `stamp` is (size, mtime, ctime, inode); `named`: given on the command line or by `include`."""

    path: str
    kind: str
    stamp: tuple[int, int, int, int]
    named: bool = False

    @property
    def size(self) -> int:
        return self.stamp[0]


class Folder(NamedTuple):
    """A folder that was walked: the names of the files to look at out of so many candidates, why others are left out, and what all of it depends on.

    `aside` are the folders in it that are not entered (None), or only for what `include` names (True) or git tracks (False). `known` is what is remembered of it
    when nothing has changed: then its files are not among those found. The signature is empty where the folder may change unseen.
    """

    path: str
    signature: str
    names: tuple[str, ...]
    candidates: int
    left_out: tuple[LeftOut, ...]
    aside: Mapping[str, bool | None]
    known: Remembered | None = None


class Remembered(NamedTuple):
    """What is remembered of a folder with a certain signature: `names` is None when all that were candidates are looked at.

    `read` of them passed the gate, and `speaks` says whether one of them has anything to say.
    """

    names: tuple[str, ...] | None
    left_out: tuple[LeftOut, ...]
    aside: Mapping[str, bool | None]
    read: int
    speaks: bool


class Memory(Protocol):
    """What is known of folders from an earlier run."""

    def folder(self, path: str, signature: str) -> Remembered | None:
        """What is remembered; None when another signature is, or nothing."""


class Discovery(NamedTuple):
    """`found` are the files to look at, `folders` those that were walked where somebody remembers them."""

    found: tuple[Found, ...]
    left_out: tuple[LeftOut, ...]
    problems: tuple[Problem, ...]
    folders: tuple[Folder, ...] = ()


def discover(paths: Iterable[str], root: str, settings: Settings, force_exclude: bool = False, most: int = 0) -> Discovery:
    """The files below `paths`, ordered by path, each once. `root` is the project's absolute folder; paths come out relative to it.

    A file named in `paths` is looked at even when an ignore file or `exclude` leaves it out, unless `force_exclude`.
    A walk that comes to more than `most` files is given up there.
    """
    walk = _Walk(root, settings, force_exclude)
    for path in paths:
        walk.start(os.path.abspath(path), most)
    return walk.discovery()


def slices(path: str, root: str, settings: Settings, force_exclude: bool, most: int, memory: Memory | None) -> Iterator[Discovery]:
    """The same for one path, in slices of about `most` files, so that a tree of any size is never in memory as a whole.

    `memory`: what is known of folders.
    """
    walk = _Walk(root, settings, force_exclude, memory)
    walk.start(os.path.abspath(path), most)
    while walk.pending:
        yield walk.discovery()
        walk.walk(most)
    yield walk.discovery()


def split(
    path: str, root: str, settings: Settings, force_exclude: bool, files: int, folders: int
) -> tuple[Discovery, list[tuple[str, bool]]]:
    """The first part of a walk below one path: at least so many files, until so many folders are left to walk.

    These are (absolute path, only what `include` names).
    """
    walk = _Walk(root, settings, force_exclude)
    walk.part = files, folders
    walk.start(os.path.abspath(path))
    return walk.discovery(), [(folder, only_included) for folder, _, only_included in walk.pending]


def below(folders: Iterable[tuple[str, bool]], root: str, settings: Settings, force_exclude: bool) -> Discovery:
    """The rest of a walk, of some of the folders that `split` left."""
    walk = _Walk(root, settings, force_exclude)
    walk.pending = [(folder, walk.above(folder), only_included) for folder, only_included in folders]
    walk.walk()
    return walk.discovery()


def nearby(folder: str, root: str, settings: Settings, seen: set[str], most: int) -> tuple[list[Found], int]:
    """The files below a root-relative folder, those of nearer folders first, and how many entries were walked: at most about `most`.

    `seen` holds the folders walked before, which are not entered again, and gains those walked now.
    """
    walk = _Walk(root, settings, False)
    walked = walk.levels(os.path.join(root, folder) if folder else root, seen, most)
    return list(walk.found.values()), walked


def in_tree(entries: Iterable[Entry], settings: Settings, environments: Iterable[str] = ()) -> Discovery:
    """The files of a git tree that a run looks at: those that a walk through a checkout would come to.

    `environments`: the virtual environments of a tree of which these entries are a part, and which is none of git.
    """
    from shoal.git import missing, passed_over

    walk = _Walk("/", settings, False)
    listed = list(entries)
    virtual = {*environments, *(entry.path[:-11] for entry in listed if entry.path.endswith("/pyvenv.cfg"))}
    states: dict[str, bool | None] = {"": False}

    def state(folder: str) -> bool | None:
        """None for a folder that is not entered; else whether only what `include` names counts in it."""
        if folder not in states:
            above, _, name = folder.rpartition("/")
            inside = state(above)
            if inside is not None:
                inside = None if name in _TOOLS else walk.inside(folder, name, inside, False)
            if inside is not None and folder in virtual:
                walk.left_out.append(LeftOut(folder, "vendored", "a virtual environment"))
                inside = None
            states[folder] = inside
        return states[folder]

    for entry in listed:
        folder = entry.path.rpartition("/")[0]
        if (inside := state(folder)) is None:
            continue
        kind = settings.kind(entry.path)
        if why := passed_over(entry):
            if kind or why.reason == "submodule":
                walk.left_out.append(why)
        elif kind and walk.counts(entry.path, inside):
            if entry.size < 0:
                walk.problems.append(missing(entry))
            elif walk.fits(entry.path, entry.size):
                walk.found[entry.path] = Found(entry.path, kind, (entry.size, 0, 0, int(entry.oid, 16)), walk.included(entry.path))
    return walk.discovery()


class _Walk:
    def __init__(self, root: str, settings: Settings, force_exclude: bool, memory: Memory | None = None) -> None:
        self._memory = memory
        self._salt = repr((settings.exclude, settings.include))
        self._now = time.time_ns()
        self.folders: list[Folder] = []
        self._known = 0  # files in folders that are as they were
        self.part: tuple[int, int] | None = None  # how many files to find at least, and folders to leave to others
        self.pending: list[tuple[str, Chain | None, bool]] = []
        self._named = ""  # a folder that is walked whatever it holds
        self._root = root
        self._base = root.rstrip(os.sep) + os.sep
        self._settings = settings
        self._force = force_exclude
        self._excluded = matcher(settings.exclude)
        self.included = matcher(settings.include)
        self._selective = bool(settings.exclude or settings.include)
        self._chains: dict[str, Chain | None] = {}
        self._include_starts = tuple(literal_start(pattern) for pattern in settings.include)
        self.found: dict[str, Found] = {}
        self.left_out: list[LeftOut] = []
        self.problems: list[Problem] = []

    def discovery(self) -> Discovery:
        """What was found since it was last asked for."""
        found = sorted(self.found.values(), key=lambda item: item.path)
        made = Discovery(tuple(found), tuple(sorted(set(self.left_out))), tuple(sorted(set(self.problems))), tuple(self.folders))
        self.found, self.left_out, self.problems, self.folders, self._known = {}, [], [], [], 0
        return made

    def start(self, path: str, most: int = 0) -> None:
        shown = self._relative(path)
        try:
            info = os.stat(path)
        except (OSError, ValueError) as error:
            self.problems.append(Problem(shown, "unreadable", reason(error), help="check the path"))
            return
        if stat.S_ISDIR(info.st_mode):
            if self._force and self._outside(path, folder=True):
                return
            above = self.above(path)
            if above and above.ignored(path, os.path.basename(path), True):
                # asked for by name: only its own ignore files count
                above = (above.below(path) if self._force else None) or Chain.top(above.tracked.top)
            self._named = path
            self.pending = [(path, above, False)]
            self.walk(most)
        elif not stat.S_ISREG(info.st_mode):
            self.problems.append(
                Problem(shown, "unreadable", f"is {_what(info.st_mode)}, not a file", help="name ordinary files or folders")
            )
        elif self._force and self._outside(path, folder=False):
            self.left_out.append(LeftOut(shown, "excluded"))
        elif not (kind := self._settings.kind(shown)):
            self.left_out.append(LeftOut(shown, "not-read", "no reader for this kind of file"))
        elif not self.fits(shown, info.st_size):
            if not self._force:
                self.problems.append(
                    Problem(shown, "too-large", self._left(info.st_size), help="raise max-file-size in the settings to read it")
                )
        else:
            self.found[shown] = Found(shown, kind, stamp(info), not self._force)

    def _outside(self, path: str, folder: bool) -> bool:
        """Whether a walk from the project's root would not have come to this path."""
        shown = self._relative(path)
        if self.included(shown):
            return False
        if self._excluded(shown) or any(part in _VENDORED or part in _TOOLS for part in shown.split("/")[:-1]):
            return True
        chain = self.above(path)
        pieces = path.split(os.sep)
        for end in range(2, len(pieces) + 1):
            at, inner = os.sep.join(pieces[:end]), folder or end < len(pieces)
            if at.startswith(self._base) and chain and chain.ignored(at, pieces[end - 1], inner) and not (inner and chain.below(at)):
                return True
        return False

    def _relative(self, path: str) -> str:
        if path.startswith(self._base):
            inner = path[len(self._base) :]
        else:
            try:
                inner = os.path.relpath(path, self._root)
            except ValueError:  # another drive
                inner = path
        return inner.replace(os.sep, "/") if os.sep != "/" else inner

    def _left(self, size: int) -> str:
        return f"{_human(size)}, more than the {_human(self._settings.max_file_size)} that max-file-size allows"

    def fits(self, shown: str, size: int) -> bool:
        if size <= self._settings.max_file_size:
            return True
        self.left_out.append(LeftOut(shown, "too-large", self._left(size)))
        return False

    def above(self, path: str) -> Chain | None:
        """The ignore files in the folders above a path, up to the top of its checkout; None where it is in none, or such a top."""
        if os.path.lexists(os.path.join(path, ".git")):
            return None
        folder = os.path.dirname(path)
        if folder not in self._chains:
            folders = [folder]
            while not os.path.lexists(os.path.join(folders[-1], ".git")) and (parent := os.path.dirname(folders[-1])) != folders[-1]:
                folders.append(parent)
            self._chains[folder] = self._between(folders) if os.path.lexists(os.path.join(folders[-1], ".git")) else None
        return self._chains[folder]

    def _between(self, folders: list[str]) -> Chain:
        """What counts in the first of these folders, each of which stands in the next; the last is the top of a checkout."""
        chain = self._top(folders[-1])
        for place in reversed(folders[:-1]):
            if chain.ignored(place, os.path.basename(place), True):
                chain = chain.below(place) or chain  # or else it was asked for by name
            chain = self._linked(place, chain)
        return chain

    def _top(self, folder: str) -> Chain:
        """What counts at the top of a checkout."""
        chain = Chain.top(folder)
        if ignores := gitignore.read(os.path.join(folder, ".git", "info", "exclude")):
            chain = chain.link(folder, ignores)
        return self._linked(folder, chain)

    def _linked(self, folder: str, chain: Chain) -> Chain:
        """The same with the ignore file of a folder."""
        ignores = gitignore.read(os.path.join(folder, ".gitignore"))
        return chain.link(folder, ignores) if ignores else chain

    def levels(self, top: str, seen: set[str], most: int) -> int:
        """Walk folder by folder, level by level, until `most` entries were listed. Returns how many were."""
        walked = 0
        above = self.above(top)
        if above and above.ignored(top, os.path.basename(top), True):
            above = above.below(top) or Chain.top(above.tracked.top)
        level: list[tuple[str, Chain | None, bool]] = [(top, above, False)]
        while level and walked < most:
            pending: list[tuple[str, Chain | None, bool]] = []
            for folder, chain, only_included in sorted(level, key=lambda item: item[0]):
                shown = self._relative(folder) if folder != self._root else ""
                if shown in seen or walked >= most:
                    continue
                seen.add(shown)
                try:
                    with os.scandir(folder) as entries:
                        listed = sorted(entries, key=lambda entry: entry.name)
                except OSError:
                    continue
                walked += len(listed)
                names = {entry.name for entry in listed}
                if folder != top and "pyvenv.cfg" in names:
                    continue
                if ".git" in names:
                    chain = self._top(folder)
                elif ".gitignore" in names and chain:
                    chain = self._linked(folder, chain)
                for entry in listed[:most]:
                    self._entry(entry, f"{shown}/" if shown else "", chain, only_included, pending)
            level = pending
        return walked

    def walk(self, most: int = 0) -> None:
        """Walk the folders that are pending, until there are `most` files or the walk's part is done."""
        pending = self.pending
        while pending and not (most and len(self.found) + self._known >= most):
            if self.part and len(self.found) >= self.part[0] and len(pending) >= self.part[1]:
                return
            folder, chain, only_included = pending.pop(0 if self.part else -1)
            try:
                with os.scandir(folder) as entries:
                    listed = list(entries)
            except OSError as error:
                self.problems.append(
                    Problem(self._relative(folder), "unreadable", reason(error), help="exclude the folder, or give the right to read it")
                )
                continue
            names = {entry.name for entry in listed}
            if folder != self._named and "pyvenv.cfg" in names:
                self.left_out.append(LeftOut(self._relative(folder), "vendored", "a virtual environment"))
                continue
            if ".git" in names:
                chain = self._top(folder)
            elif ".gitignore" in names and chain:
                chain = self._linked(folder, chain)
            start = "" if folder == self._root else f"{self._relative(folder)}/"
            if self._memory:
                self._remembering(self._memory, listed, start, chain, only_included)
                continue
            for entry in listed:
                self._entry(entry, start, chain, only_included, pending)

    def _remembering(self, memory: Memory, listed: list[os.DirEntry[str]], start: str, chain: Chain | None, only_included: bool) -> None:
        """Take a folder as it was when it is what it was, else go through its entries. Runs for every file of a tree on every run."""
        folders: list[os.DirEntry[str]] = []
        files: list[os.DirEntry[str]] = []
        stamps: list[tuple[str, int, int, int, int, int]] = []
        newest = 0
        whole = True
        kinds = {} if self._settings.kinds else _kinds
        for entry in listed:
            name = entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry)
                    continue
                kind = kinds.get(name)
                if not (self._kind(start + name, name) if kind is None else kind):
                    continue
                files.append(entry)
                info = entry.stat(follow_symlinks=False)
            except OSError:  # said below
                whole = False
                continue
            written, changed = info.st_mtime_ns, info.st_ctime_ns
            stamps.append((name, info.st_mode, info.st_size, written, changed, info.st_ino))
            if changed > newest:
                newest = changed
            if written > newest:
                newest = written
        if not files and not folders:
            return
        pending = self.pending
        signed = (self._salt, only_included, chain.key if chain else "", [entry.name for entry in folders], stamps)
        signature = blake2b(marshal.dumps(signed), digest_size=16).hexdigest()
        shown = start[:-1]
        known = memory.folder(shown, signature) if whole else None
        with_index = ""  # which counts where an ignore file names something
        if known is None and chain:
            with_index = blake2b(f"{signature}{chain.tracked.stamp}".encode("ascii"), digest_size=16).hexdigest()
            known = memory.folder(shown, with_index) if whole else None
            signature = with_index if known else signature
        if known is not None:
            aside = known.aside
            for entry in folders:
                inside = aside.get(entry.name, False) if aside else False
                if inside is not None:
                    below = chain.below(entry.path) if chain and aside and entry.name in aside and not inside else chain
                    pending.append((entry.path, below, inside))
            self.left_out += known.left_out
            names = tuple([stamp[0] for stamp in stamps]) if known.names is None else known.names
            self._known += len(names)
            self.folders.append(Folder(shown, signature, names, len(stamps), known.left_out, aside, known))
            return
        left_out, problems, entered = len(self.left_out), len(self.problems), len(pending)
        asked = chain.tracked.asked if chain else 0
        for entry in (*folders, *files):
            self._entry(entry, start, chain, only_included, pending)
        inner = {path: (below, inside) for path, below, inside in pending[entered:]}
        aside = {
            entry.name: inside
            for entry in folders
            for below, inside in (inner.get(entry.path, (chain, None)),)
            if inside is not False or below is not chain
        }
        names = tuple([stamp[0] for stamp in stamps if start + stamp[0] in self.found])
        if chain and chain.tracked.asked > asked:
            signature = with_index
        if not whole or len(self.problems) > problems or settling(newest, self._now):
            signature = ""
        self.folders.append(Folder(shown, signature, names, len(stamps), tuple(self.left_out[left_out:]), aside))

    def _entry(
        self,
        entry: os.DirEntry[str],
        start: str,
        chain: Chain | None,
        only_included: bool,
        pending: list[tuple[str, Chain | None, bool]],
    ) -> None:
        """One of a folder's entries; `start` is what root-relative paths in the folder begin with. Runs for every file of a tree."""
        name = entry.name
        shown = start + name
        try:
            if entry.is_dir(follow_symlinks=False):
                if name in _TOOLS:
                    return
                ignored = chain is not None and chain.ignored(entry.path, name, True)
                below = chain.below(entry.path) if chain and ignored else chain
                inside = self.inside(shown, name, only_included, ignored and below is None)
                if inside is not None:
                    pending.append((entry.path, below or chain, inside))
                return
            kind = self._kind(shown, name)
            if not kind:
                return
            if (
                entry.is_symlink()
            ):  # never followed: it may leave the project or go round in circles; what it leads to inside is checked there
                self.left_out.append(LeftOut(shown, "symlink"))
                return
            included = self._selective and self.included(shown)
            if not included and (
                (self._selective and not self.counts(shown, only_included)) or (chain and chain.ignored(entry.path, name, False))
            ):
                return
            if not entry.is_file(follow_symlinks=False):
                info = entry.stat(follow_symlinks=False)
                self.left_out.append(LeftOut(shown, "not-a-file", _what(info.st_mode)))
                return
            info = entry.stat(follow_symlinks=False)
            if self.fits(shown, info.st_size) and shown not in self.found:
                self.found[shown] = Found(shown, kind, stamp(info), included)
        except OSError as error:
            self.problems.append(Problem(shown, "unreadable", reason(error)))

    def _kind(self, shown: str, name: str) -> str:
        if self._settings.kinds:
            return self._settings.kind(shown)
        kind = _kinds.get(name)
        if kind is None:
            if len(_kinds) > _MOST_NAMES:
                _kinds.clear()
            kind = _kinds[name] = self._settings.kind(name)
        return kind

    def counts(self, shown: str, only_included: bool) -> bool:
        """Whether a file in an entered folder is to be looked at, as far as the settings say."""
        return self.included(shown) or not (only_included or self._excluded(shown))

    def inside(self, shown: str, name: str, only_included: bool, ignored: bool) -> bool | None:
        """None for a folder that is not entered; else whether only what `include` names counts in it."""
        if self.included(shown):
            return False
        vendored = name in _VENDORED
        if not vendored and not only_included and not self._excluded(shown) and not ignored:
            return False
        if any(
            start.startswith(shown + "/") or shown.startswith(start + "/") or start == shown or not start for start in self._include_starts
        ):
            return True
        if vendored and not only_included:
            self.left_out.append(LeftOut(shown, "vendored"))
        return None


def settling(written: int, now: int) -> bool:
    """Whether a file was written (nanoseconds) so shortly before `now` that it may be written again without its times changing."""
    return now - written <= (2_000_000_000 if written % 1_000_000_000 == 0 else 50_000_000)


def stamp(info: os.stat_result) -> tuple[int, int, int, int]:
    """What a file's result holds for: size, times of its last change and of that of its entry (nanoseconds), inode."""
    return info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino


def _what(mode: int) -> str:
    for test, name in (
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
        (stat.S_ISDIR, "a folder"),
    ):
        if test(mode):
            return name
    return "something else"


def reason(error: OSError | ValueError) -> str:
    """What the operating system says, without the path."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error)


def _human(size: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
