"""Which files a run looks at, and which it leaves out and why. Nothing is opened here but ignore files."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from sys import intern
from typing import TYPE_CHECKING

from shoal import gitignore
from shoal.classify import told_by_folder
from shoal.gitignore import Chain
from shoal.globs import literal_start, matcher
from shoal.model import LeftOut, Problem
from shoal.records import NamedTuple
from shoal.rewalk import Rewalk
from shoal.snapshot import NEVER, About, Folder, Snapshot, Times, times, times_of, unreliable

if TYPE_CHECKING:
    from shoal.git import Entry
    from shoal.settings import Settings

_RULES = (".git/info/exclude", ".gitignore")  # of a folder
# Never entered and never mentioned: what tools keep for themselves.
_TOOLS = frozenset(
    {".git", ".hg", ".svn", ".jj", ".idea", ".cache", ".tox", ".nox", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
    | {".ipynb_checkpoints", ".quarto", "_freeze"}
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


class Discovery(NamedTuple):
    """`found` are the files to look at. Where a walk is remembered, `folders` are those that it looked into, and `standing`, at its end, those
    of the snapshot that stand as they stood: their files are not among those found.
    """

    found: tuple[Found, ...]
    left_out: tuple[LeftOut, ...]
    problems: tuple[Problem, ...]
    folders: tuple[Folder, ...] = ()
    standing: frozenset[str] | None = None


def discover(paths: Iterable[str], root: str, settings: Settings, force_exclude: bool = False, most: int = 0) -> Discovery:
    """The files below `paths`, ordered by path, each once. `root` is the project's absolute folder; paths come out relative to it.

    A file named in `paths` is looked at even when an ignore file or `exclude` leaves it out, unless `force_exclude`.
    A walk that comes to more than `most` files is given up there.
    """
    walk = _Walk(root, settings, force_exclude)
    for path in paths:
        walk.start(os.path.abspath(path), most)
    return walk.discovery()


def slices(
    path: str, root: str, settings: Settings, force_exclude: bool, most: int, remembered: Callable[[str, str], Snapshot] | None
) -> Iterator[Discovery]:
    """The same for one path, in slices of about `most` files, so that a tree of any size is never in memory as a whole.

    `remembered(path, key)` is the snapshot of the last walk through this folder, empty unless ignore files above and settings were the same.
    """
    walk = _Walk(root, settings, force_exclude)
    walk.remembered = remembered
    walk.start(os.path.abspath(path), most)
    while walk.pending or walk.written:
        yield walk.discovery()
        walk.walk(most)
    yield walk.discovery()._replace(standing=frozenset(walk.again.standing) if walk.again else None)


def split(
    path: str, root: str, settings: Settings, force_exclude: bool, files: int, folders: int
) -> tuple[Discovery, list[tuple[str, bool]]]:
    """The first part of a walk below one path: at least so many files, until so many folders are left to walk.

    These are (absolute path, only what `include` names).
    """
    walk = _Walk(root, settings, force_exclude)
    walk.part = files, folders
    walk.start(os.path.abspath(path))
    return walk.discovery(), [(folder, bool(only_included)) for folder, _, only_included in walk.pending]


def below(folders: Iterable[tuple[str, bool]], path: str, root: str, settings: Settings, force_exclude: bool) -> Discovery:
    """The rest of a walk below one path, of some of the folders that `split` left."""
    walk = _Walk(root, settings, force_exclude)
    start = os.path.abspath(path)
    walk.pending = [(folder, walk.way(folder, start), only_included) for folder, only_included in folders]
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
    from shoal.git import FOLDER, missing, passed_over

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
        if (inside := state(folder)) is None or entry.mode == FOLDER:
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
    def __init__(self, root: str, settings: Settings, force_exclude: bool) -> None:
        self.remembered: Callable[[str, str], Snapshot] | None = None
        self.again: Rewalk | None = None
        self._now = time.time_ns()
        self.folders: list[Folder] = []
        self._unreliable: tuple[str, ...] = ()  # where a folder's times tell nothing
        self._ignored: set[str] = set()  # folders that are entered for what git tracks
        self.part: tuple[int, int] | None = None  # how many files to find at least, and folders to leave to others
        # absolute folders with the ignore files above them, and whether only what `include` names counts: None for one that was walked before
        self.pending: list[tuple[str, Chain | None, bool | None]] = []
        self.written: dict[str, dict[str, os.stat_result]] = {}  # files that were written in folders that else stand as they stood
        self._named = ""  # a folder that is walked whatever it holds
        self._root = root
        self._base = root.rstrip(os.sep) + os.sep
        self._settings = settings
        self._force = force_exclude
        self._excluded = matcher(settings.exclude)
        self.included = matcher(settings.include)
        self._selective = bool(settings.exclude or settings.include)
        self._chains: dict[str, Chain | None] = {}
        self._ways: dict[str, Chain | None] = {}
        self._include_starts = tuple(literal_start(pattern) for pattern in settings.include)
        self.found: dict[str, Found] = {}
        self.left_out: list[LeftOut] = []
        self.problems: list[Problem] = []

    def discovery(self) -> Discovery:
        """What was found since it was last asked for."""
        found = sorted(self.found.values(), key=lambda item: item.path)
        made = Discovery(tuple(found), tuple(sorted(set(self.left_out))), tuple(sorted(set(self.problems))), tuple(self.folders))
        self.found, self.left_out, self.problems, self.folders = {}, [], [], []
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
            above = self.way(path, path)
            self._named = path
            self.pending = [(path, above, False)]
            if self.remembered:
                self._unreliable = tuple(os.path.join(place, "") for place in unreliable())
                key = json.dumps([above and above.key, self._settings.exclude, self._settings.include])
                before = self.remembered(path, key)
                self.again = Rewalk(before, self._base, self._relative_folder(path), above, self._link)
                changed, self.written = self.again.changed()
                # those above come first
                self.pending = [(self._base + folder if folder else self._root, None, None) for folder in sorted(changed, reverse=True)]
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

    def _relative_folder(self, path: str) -> str:
        return "" if path == self._root else self._relative(path)

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

    def way(self, folder: str, start: str) -> Chain | None:
        """The ignore files that count on the way into a folder to which a walk that begins at `start` comes."""
        if folder == start:
            above = self.above(start)
            if above and above.ignored(start, os.path.basename(start), True):
                # asked for by name: only its own ignore files count
                return (above.below(start) if self._force else None) or Chain.top(above.tracked.top)
            return above
        parent = os.path.dirname(folder)
        if parent not in self._ways:
            names = [name for name in (".git", ".gitignore") if os.path.lexists(os.path.join(parent, name))]
            self._ways[parent] = self._link(parent, names, self.way(parent, start))
        chain = self._ways[parent]
        ignored = chain is not None and chain.ignored(folder, os.path.basename(folder), True)
        return (chain.below(folder) or chain) if chain and ignored else chain

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
        return self._linked(folder, self._linked(folder, chain, os.path.join(".git", "info", "exclude")))

    def _link(self, folder: str, names: Collection[str], chain: Chain | None) -> Chain | None:
        """The ignore files that count in a folder that holds these names; `chain` are those above it."""
        if ".git" in names:
            return self._top(folder)
        return self._linked(folder, chain) if chain and ".gitignore" in names else chain

    def _linked(self, folder: str, chain: Chain, name: str = ".gitignore") -> Chain:
        """The same with the ignore file of a folder. One that cannot be read is told once: what it leaves out is looked at."""
        path = os.path.join(folder, name)
        try:
            ignores = gitignore.read(path)
        except OSError as error:
            shown = self._relative(path)
            if all(problem.path != shown for problem in self.problems):
                help = "give the right to read it; until then, what it leaves out is looked at"
                self.problems.append(Problem(shown, "unreadable", reason(error), help=help))
            return chain
        return chain.link(folder, ignores) if ignores else chain

    def levels(self, top: str, seen: set[str], most: int) -> int:
        """Walk folder by folder, level by level, until `most` entries were listed. Returns how many were."""
        walked = 0
        above = self.above(top)
        if above and above.ignored(top, os.path.basename(top), True):
            above = above.below(top) or Chain.top(above.tracked.top)
        level: list[tuple[str, Chain | None, bool | None]] = [(top, above, False)]
        while level and walked < most:
            pending: list[tuple[str, Chain | None, bool | None]] = []
            for folder, chain, only_included in sorted(level, key=lambda item: item[0]):
                shown = self._relative_folder(folder)
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
                chain = self._link(folder, names, chain)
                for entry in listed[:most]:
                    self._entry(entry, f"{shown}/" if shown else "", chain, bool(only_included), pending)
            level = pending
        return walked

    def walk(self, most: int = 0) -> None:
        """Walk the folders that are pending, until there are `most` files or the walk's part is done."""
        pending = self.pending
        while (pending or self.written) and not (most and len(self.found) >= most):
            if not pending:  # they come last: only now is it known which of their folders stand
                self._rewritten(*self.written.popitem())
                continue
            if self.part and len(self.found) >= self.part[0] and len(pending) >= self.part[1]:
                return
            folder, chain, only_included = pending.pop(0 if self.part else -1)
            if self.again:
                self._noted(self.again, folder, chain, only_included)
            else:
                self._into(folder, self._relative_folder(folder), chain, bool(only_included))

    def _into(self, folder: str, shown: str, chain: Chain | None, only_included: bool) -> tuple[Chain | None, Collection[str]] | None:
        """Look into a folder; gives the ignore files that count in it and the names that it holds, None where it cannot be read."""
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError as error:
            self.problems.append(Problem(shown, "unreadable", reason(error), help="exclude the folder, or give the right to read it"))
            return None
        names = {entry.name for entry in listed}
        if folder != self._named and "pyvenv.cfg" in names:
            self.left_out.append(LeftOut(shown, "vendored", "a virtual environment"))
            return chain, ()
        chain = self._link(folder, names, chain)
        start = f"{shown}/" if shown else ""
        for entry in listed:
            self._entry(entry, start, chain, only_included, self.pending)
        return chain, names

    def _rewritten(self, folder: str, files: Mapping[str, os.stat_result]) -> None:
        """Take files that were written where they stood, unless their folder is gone, ignored by now or was walked."""
        if not self.again or folder not in self.again.standing:
            return
        if any(info.st_size > self._settings.max_file_size for info in files.values()):  # which is said of the folder
            self.pending.append((self._base + folder if folder else self._root, None, None))
            return
        start = f"{folder}/" if folder else ""
        for name, info in files.items():
            shown = start + name
            self.found[shown] = Found(shown, self._kind(shown, name), stamp(info), self._selective and self.included(shown))
        of_names = tuple(self._settled(*times(info)) for info in files.values())
        self.folders.append(Folder(folder, NEVER, tuple(files), of_names, rewritten=True))

    def _noted(self, again: Rewalk, folder: str, way: Chain | None, only_included: bool | None) -> None:
        """Look into a folder, and note how it stands. Runs for every folder of a tree on a first run."""
        shown = self._relative_folder(folder)
        if only_included is None:
            if not again.take(shown):
                return
            way, only_included, ignored = again.way(shown)
        else:
            ignored = folder in self._ignored
        left_out, problems, entered = len(self.left_out), len(self.problems), len(self.pending)
        asked = way.tracked.asked if way else 0
        already = len(self.found)
        tells = not (self._unreliable and f"{folder}{os.sep}".startswith(self._unreliable))
        own = self._settled(*times_of(folder, follow=True)) if tells else NEVER
        chain, names = self._into(folder, shown, way, only_included) or (way, ())
        rules = tuple(
            (name, *self._settled(*times_of(os.path.join(folder, name)))) for name in _RULES if chain and name.partition("/")[0] in names
        )
        again.walked(shown, rules, chain)
        inner = self.pending[entered:]
        del self.pending[entered:]
        children = [self._relative(path) for path, *_ in inner]
        for child, (path, below, inside) in zip(children, inner, strict=True):
            if again.enters(child, below is not chain, bool(inside)):
                self.pending.append((path, below, inside))
                if below is not chain:
                    self._ignored.add(path)
        again.keep(shown, set(children))
        tracked = chain.tracked if chain else None
        index = (tracked.index, tracked.stamp) if tracked and tracked.asked > (asked if way and way.tracked is tracked else 0) else ("", "")
        why = tuple(self.left_out[left_out:])
        # a file may become smaller where it stands, and a folder that cannot be read may be readable the next time
        sure = len(self.problems) == problems and not any(item.reason == "too-large" for item in why)
        start = len(shown) + 1 if shown else 0
        here = [*islice(reversed(self.found.values()), len(self.found) - already)]
        names_here = tuple([intern(item.path[start:]) for item in here])
        of_names = tuple([self._settled(item.stamp[1], item.stamp[2]) for item in here])
        about = About(why, only_included, ignored, rules, index)
        self.folders.append(Folder(shown, own if sure else NEVER, names_here, of_names, about))

    def _settled(self, written: int, changed: int) -> Times:
        """Times that tell whether something has changed since; others where it may change without them."""
        return NEVER if settling(max(written, changed), self._now) else (written, changed)

    def _entry(
        self,
        entry: os.DirEntry[str],
        start: str,
        chain: Chain | None,
        only_included: bool,
        pending: list[tuple[str, Chain | None, bool | None]],
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
            if told_by_folder(name):
                return self._settings.kind(shown)
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
