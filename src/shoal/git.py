"""Reads files out of git repositories, bare or not, at a revision and without a checkout.

Only objects are read (`rev-parse`, `ls-tree`, `cat-file`): no hook, filter, text conversion, external diff or pager of the repository
runs, nothing is fetched, and nothing is written. What git itself refuses (a repository that belongs to somebody else) is a `GitError`.

    tree = git.Tree("jobs.git", "v1.2")
    for path, data in tree.read(lambda path: path.endswith(".yaml"), limit=2_000_000):
        ...
    tree.left_out, tree.problems    # what was not read, and why

Nothing here needs the rest of a run, so it works in a Spark executor as well as in a worker of this machine's pool.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import IO

from shoal.gate import LFS_POINTER
from shoal.model import LeftOut, Problem
from shoal.records import NamedTuple

MAX_BYTES = 2_000_000
_SECONDS = 600.0  # for a listing; a repository on a dead network mount must not hold a run for ever
_ARGUMENTS = 200  # paths on a command line
_MOST_ASKED = 50  # entries that are asked for one by one: each costs a process
_WINDOW = 200  # objects asked for at once: their names fit into a pipe, so neither side waits for the other
_MOST_OPEN = 32  # repositories whose `git cat-file` waits for the next question: a list has thousands
FOLDER = "040000"
_FILES, _LINK, _SUBMODULE = ("100644", "100755", "100664"), "120000", "160000"

# What a repository's own config could have git run or fetch, and how much of a pack git may map at once (workers have little address space).
_FLAGS = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.untrackedCache=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.alternateRefsCommand="),
    *("-c", "core.quotePath=false"),
    *("-c", "core.packedGitWindowSize=32m"),
    *("-c", "core.packedGitLimit=512m"),
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # what git before 2.45 understands: no transport is allowed, so nothing is fetched
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}

_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH")


class GitError(OSError):
    """What git could not do, in words for the user; `help` says what to do about it. `partial`: something would have had to be fetched."""

    def __init__(self, message: str, help: str = "", partial: bool = False) -> None:
        super().__init__(message)
        self.help = help
        self.partial = partial


class Entry(NamedTuple):
    """A file of a tree. `path` is from the top of the repository; `size` in bytes, -1 when the repository lacks the object."""

    path: str
    mode: str
    oid: str
    size: int


def split(text: str) -> tuple[str, str] | None:
    """(repository, revision) that `REPOSITORY@REVISION`, or the path of a bare repository, names; None for anything else.

    An existing file or folder that is not a bare repository is just that, whatever it is called.
    """
    if os.path.lexists(text):
        return (text, "HEAD") if is_bare(text) else None
    at = text.rfind("@")
    while at != -1:
        folder, revision = text[:at] or ".", text[at + 1 :]
        if revision and os.path.isdir(folder):
            return folder, revision
        at = text.rfind("@", 0, at)
    return None


def named(text: str, revision: str) -> str:
    """What a tree is called in reports: `REPOSITORY@REVISION`, whether or not it was asked for with its revision."""
    return text.rstrip("/") if text.endswith(f"@{revision}") else f"{text.rstrip('/')}@{revision}"


def is_bare(path: str) -> bool:
    """Whether a folder looks like a bare repository, or like the `.git` of one that is not."""
    return all(os.path.exists(os.path.join(path, name)) for name in ("HEAD", "objects", "refs")) and os.path.isdir(path)


def run(folder: str, *arguments: str, given: bytes = b"") -> bytes:
    """What a git command prints, with `given` on its standard input. Raises GitError."""
    import subprocess  # 4 ms that an audit of folders saves

    try:
        done = subprocess.run(command(folder, *arguments), input=given, capture_output=True, env=environment(), timeout=_SECONDS)
    except FileNotFoundError as error:
        raise GitError("git is not installed", "install git, or name a folder that is checked out") from error
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git has not answered within {_SECONDS:g} s") from error
    except (OSError, ValueError) as error:
        raise GitError(f"git cannot be run: {error}") from error
    if done.returncode:
        raise failure(done.stderr, folder)
    return done.stdout


def command(folder: str, *arguments: str) -> list[str]:
    return ["git", *_FLAGS, "-C", folder, *arguments]


def environment() -> dict[str, str]:
    """The environment without what redirects git (a hook's GIT_DIR, GIT_INDEX_FILE …); configuration given by it stays."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    return {**kept, **_ENVIRONMENT}


def failure(stderr: bytes, folder: str) -> GitError:
    """Git's complaint as one line, with what to do."""
    text = stderr.decode("utf-8", "replace").strip()
    if "dubious ownership" in text:
        return GitError(
            "the repository belongs to another user, so git refuses to read it",
            f"if you trust it: git config --global --add safe.directory {os.path.abspath(folder)}",
        )
    if "safe.bareRepository" in text:
        return GitError("git is configured not to look for bare repositories", "unset safe.bareRepository, or name a checkout")
    if "not a git repository" in text:
        return GitError("not a git repository")
    if "promisor remote" in text or "lazy fetching disabled" in text:
        return GitError("the repository is a partial clone and lacks a part of this revision", "fetch it: git fetch --refetch", True)
    lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in text.splitlines() if line.strip()]
    return GitError(lines[0] if lines else "git failed and does not say why")


class Changed(NamedTuple):
    """Files that differ from `base`, where the work left a revision. `paths` are from the repository's `top`; some may be gone."""

    top: str
    base: str
    paths: tuple[str, ...]


def changed_since(folder: str, revision: str) -> Changed:
    """What the working tree around `folder` changes, committed or not, with the files that are not tracked. Raises GitError."""
    if not os.path.isdir(folder):
        raise GitError("not a git repository")
    top = run(folder, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
    base = _left(top, revision, "HEAD")
    changed = run(top, *_without_filters(top), "diff-index", *_DIFF, base, "--")
    others = run(top, "ls-files", "-z", "--others", "--exclude-standard")
    return Changed(top, base, _names(changed + others))


def changed_between(folder: str, revision: str, commit: str) -> Changed:
    """What a commit changes. Raises GitError."""
    base = _left(folder, revision, commit)
    return Changed(folder, base, _names(run(folder, "diff-tree", "-r", *_DIFF, base, commit)))


_PLAIN = ("-z", "--no-renames", "--no-ext-diff", "--no-textconv")
_DIFF = (*_PLAIN, "--name-only", "--ignore-submodules=all")


def _left(folder: str, revision: str, commit: str) -> str:
    """Where the work that leads to `commit` left a revision."""
    known = commit_of(folder, revision)
    try:
        return run(folder, "merge-base", known, commit).decode("ascii").strip()
    except GitError as error:
        raise GitError(
            f"{revision!r} and what is checked have no common past here",
            "if the clone is shallow: git fetch --unshallow (in CI: fetch-depth: 0)",
        ) from error


def _without_filters(folder: str) -> list[str]:
    """Flags under which comparing files with what is committed starts no program that the repository's config names."""
    try:
        listed = run(folder, "config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process|required)$")
    except GitError:  # there are none
        return []
    flags = []
    for name in _names(listed):
        flags += ["-c", f"{name}={'false' if name.endswith('.required') else ''}"]
    return flags


def _names(listed: bytes) -> tuple[str, ...]:
    return tuple(sorted({name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name}))


def _is_revision(revision: str) -> bool:
    return bool(revision) and not revision.startswith("-") and "\0" not in revision and "\n" not in revision


def commit_of(folder: str, revision: str) -> str:
    """The full name of the commit that a revision is. Raises GitError."""
    if not _is_revision(revision):
        raise GitError(f"{revision!r} is no revision")
    try:
        return run(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode("ascii").strip()
    except GitError as error:
        if revision == "HEAD":
            raise GitError("the repository has no commits", error.help) from error
        raise GitError(f"the repository knows no revision {revision!r}", "fetch it, or name another (git log, git tag)") from error


class Tree:
    """The files of a repository at a revision. Raises GitError when it is no repository, or knows no such revision.

    `folder` is the repository as it was given, `top` what git calls it (absolute), `prefix` the folder in it that was asked for, empty for
    all of it or ending in `/`; `commit` is the revision's full name. Picklable; a process opens its own `git cat-file` when it first reads.
    """

    def __init__(self, folder: str, revision: str = "HEAD") -> None:
        self.folder = os.path.abspath(folder)
        self.revision = revision
        self.bare, self.top, self.prefix, self.commit = _asked_once(self.folder, revision) or _asked(self.folder, revision)
        self.left_out: list[LeftOut] = []
        self.problems: list[Problem] = []
        self._entries: dict[str, Entry] | None = None
        self._known: dict[str, Entry | None] = {}  # what is known while not everything is listed
        self._asked = 0
        self._blobs: Blobs | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_blobs": None}

    @property
    def entries(self) -> dict[str, Entry]:
        """Everything in the tree but folders, by path. Raises GitError when a part of the tree itself is missing."""
        if self._entries is None:
            where = (["--", self.prefix] if self.prefix else []) if not self.bare else []
            try:
                found = self._listed("-r", *where)
            except GitError as error:
                if not error.partial:
                    raise
                try:
                    found = self._partial(where)
                except GitError:  # folders are missing too
                    raise error from None
            self._entries = {entry.path: entry for entry in found}
        return self._entries

    def entry(self, path: str) -> Entry | None:
        """One entry, for which not all of the tree is listed unless many are asked for; None for none. Raises GitError.

        It may stand outside the folder that was asked for, as settings do.
        """
        if self._entries is not None and path.startswith(self.prefix):
            return self._entries.get(path)
        if path not in self._known:
            self._asked += 1
            if self._asked == _MOST_ASKED and path.startswith(self.prefix):
                return self.entries.get(path)
            self.look_up((path,))
        return self._known.get(path)

    def know(self, path: str, oid: int, size: int) -> None:
        """Take an ordinary file for known that an earlier listing of this commit, or of one in which it stood the same, has shown."""
        self._known[path] = Entry(path, _FILES[0], f"{oid:0{len(self.commit)}x}", size)

    def look_up(self, paths: Collection[str]) -> None:
        """Ask for several entries at once. Raises GitError."""
        try:
            found = {entry.path: entry for entry in self._within(paths)}
        except GitError as error:
            if not error.partial:
                raise
            found = self.entries  # which can do without the sizes of what is missing
        self._known.update((path, found.get(path)) for path in paths)

    def inside(self, folders: Collection[str]) -> list[Entry]:
        """What stands in these folders, the folders among it, but nothing that stands in those. Raises GitError."""
        found = self._within([f"{folder}/" for folder in sorted(folders) if folder])
        if "" in folders:
            found += self._listed()
        found = [entry for entry in found if entry.path.rpartition("/")[0] in folders and entry.path.startswith(self.prefix)]
        self._known.update((entry.path, entry) for entry in found)
        return found

    def _within(self, paths: Collection[str]) -> list[Entry]:
        asked, found = list(paths), list[Entry]()
        for start in range(0, len(asked), _ARGUMENTS):
            found += self._listed("--", *asked[start : start + _ARGUMENTS])
        return found

    def _listed(self, *arguments: str) -> list[Entry]:
        listed = run(self.folder, "ls-tree", "-z", "-l", "--full-tree", self.commit, *arguments)
        return [entry for entry in map(_entry, listed.split(b"\0")) if entry]

    def changed_since(self, commit: str) -> dict[str, Entry | None] | None:
        """The paths in which this tree differs from another commit of the repository; None where that is not there any more.

        With each the entry of an ordinary file that was one before, whose size is not known (-1); None where something else has changed.
        """
        try:
            # submodules among them, for they are said to be left out
            told = run(self.folder, "diff-tree", "-r", "--raw", "--no-abbrev", *_PLAIN, commit, self.commit)
        except GitError:
            return None
        changed: dict[str, Entry | None] = {}
        records = iter(told.split(b"\0")[:-1])
        for about, name in zip(records, records, strict=True):
            before, mode, _, oid, _ = about.decode("ascii")[1:].split(" ")
            path = name.decode("utf-8", "surrogateescape")
            if path.startswith(self.prefix):
                changed[path] = Entry(path, mode, oid, -1) if before in _FILES and mode in _FILES else None
        return changed

    def sized(self, entries: Collection[Entry]) -> list[Entry]:
        """Entries with their sizes, -1 for what the repository lacks. Raises GitError."""
        sizes = self._sizes({entry.oid for entry in entries}) if entries else {}
        found = [entry._replace(size=sizes.get(entry.oid, -1)) for entry in entries]
        self._known.update((entry.path, entry) for entry in found)
        return found

    def _sizes(self, oids: Collection[str]) -> dict[str, int]:
        """The sizes of objects; of those alone that are there."""
        answered = run(self.folder, "cat-file", "--batch-check", given="".join(f"{oid}\n" for oid in sorted(oids)).encode())
        lines = (line.split() for line in answered.decode("ascii").splitlines())
        return {fields[0]: int(fields[2]) for fields in lines if len(fields) == 3}

    def _partial(self, where: list[str]) -> list[Entry]:
        """The entries of a partial clone: git before 2.45 gives up a listing with sizes where it may not fetch what is missing."""
        reached = run(self.folder, "rev-list", "--objects", "--no-object-names", "--missing=print", f"{self.commit}^{{tree}}").split()
        there = {oid.decode() for oid in reached if not oid.startswith(b"?")}
        listed = run(self.folder, "ls-tree", "-r", "-z", "--full-tree", self.commit, *where)
        found = [entry for entry in map(_entry, listed.split(b"\0")) if entry]
        sizes = self._sizes({entry.oid for entry in found} & there)
        return [entry._replace(size=sizes.get(entry.oid, -1 if entry.mode in _FILES else 0)) for entry in found]

    def content(self, path: str, limit: int = 50_000_000) -> bytes:
        """The content of one file. Raises GitError: no such file, no ordinary or too large a one, or one that the repository lacks."""
        entry = self.entry(path)
        if entry is None or passed_over(entry):
            raise GitError("no such file in the repository at this revision")
        if entry.size < 0:
            problem = missing(entry)
            raise GitError(problem.message, problem.help)
        if entry.size > limit:
            raise GitError(f"holds {entry.size:,} bytes, more than {limit:,}")
        data = next(self._reader().read((entry.oid,)))
        if data is None:
            problem = missing(entry)
            raise GitError(problem.message, problem.help)
        return data

    def read(self, wanted: Callable[[str], object], limit: int = MAX_BYTES) -> Iterator[tuple[str, bytes]]:
        """(path, content) of the files for which `wanted(path)` is true, in order of path.

        Symbolic links, submodules, files of more than `limit` bytes and pointers to files in Git LFS are in `left_out` afterwards,
        files that the repository lacks (a partial clone) in `problems`. Raises GitError.
        """
        found = []
        for entry in self.entries.values():
            if why := passed_over(entry):
                if entry.mode == _SUBMODULE or wanted(entry.path):
                    self.left_out.append(why)
            elif wanted(entry.path):
                if entry.size > limit:
                    self.left_out.append(LeftOut(entry.path, "too-large", f"{entry.size:,} bytes"))
                elif entry.size < 0:
                    self.problems.append(missing(entry))
                else:
                    found.append(entry)
        for entry, data in zip(found, self._reader().read(entry.oid for entry in found), strict=True):
            if data is None:
                self.problems.append(missing(entry))
            elif data.startswith(LFS_POINTER):
                self.left_out.append(LeftOut(entry.path, "lfs-pointer", "its content is in Git LFS"))
            else:
                yield entry.path, data

    def _reader(self) -> Blobs:
        if self._blobs is None or not self._blobs.usable:
            self._blobs = Blobs(self.folder)
            _opened.add(self._blobs)
        return self._blobs

    def close(self) -> None:
        if self._blobs and self._blobs.usable:
            self._blobs.close()
        self._blobs = None


def _asked_once(folder: str, revision: str) -> tuple[bool, str, str, str] | None:
    """What `_asked` gives, of one git process instead of three; None where that does not do. A list has thousands of repositories."""
    if not _is_revision(revision):
        return None
    inside = [] if is_bare(folder) else ["--show-toplevel", "--show-prefix"]
    try:
        shown = run(folder, "rev-parse", "--is-bare-repository", "--absolute-git-dir", *inside, f"{revision}^{{commit}}")
    except GitError:
        return None
    lines = shown.decode("utf-8", "surrogateescape").split("\n")[:-1]
    if len(lines) != 3 + len(inside) or len(lines[-1]) not in (40, 64):  # a path with a line end in it
        return None
    top, prefix = (lines[2], lines[3]) if inside else (lines[1], "")
    return lines[0] == "true", top, prefix, lines[-1]


def _asked(folder: str, revision: str) -> tuple[bool, str, str, str]:
    """Whether a repository is bare, its top, the folder in it that was asked for, and the commit. Raises GitError."""
    shown = run(folder, "rev-parse", "--is-bare-repository", "--absolute-git-dir").decode("utf-8", "surrogateescape").splitlines()
    bare, top, prefix = shown[0] == "true", shown[1], ""
    if not bare and not is_bare(folder):
        inside = run(folder, "rev-parse", "--show-toplevel", "--show-prefix").decode("utf-8", "surrogateescape").split("\n")
        top, prefix = inside[0], inside[1]
    return bare, top, prefix, commit_of(folder, revision)


def _entry(record: bytes) -> Entry | None:
    about, tab, path = record.partition(b"\t")
    if not tab:
        return None
    mode, kind, oid, *rest = about.decode("ascii").split()
    size = int(rest[0]) if rest and rest[0].isdigit() else 0 if kind != "blob" else -1
    return Entry(path.decode("utf-8", "surrogateescape"), mode, oid, size)


def passed_over(entry: Entry) -> LeftOut | None:
    """Why an entry is no file that could be read; None for an ordinary file."""
    if entry.mode == _LINK:
        return LeftOut(entry.path, "symlink")
    if entry.mode == _SUBMODULE:
        return LeftOut(entry.path, "submodule", f"another repository at {entry.oid[:12]}; name that one too")
    return None if entry.mode in _FILES else LeftOut(entry.path, "not-a-file", f"mode {entry.mode}")


def missing(entry: Entry) -> Problem:
    return Problem(
        entry.path, "unreadable", f"the repository lacks object {entry.oid[:12]}", help="fetch it: git fetch --refetch, or a full clone"
    )


class Blobs:
    """A `git cat-file --batch` process of this process.

    usable   it can be asked: it was not closed, and is no child of the process that forked this one
    reading  somebody has not read to the end yet
    """

    _owner = 0

    def __init__(self, folder: str) -> None:
        import subprocess

        try:
            self._process = subprocess.Popen(
                command(folder, "cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git cannot be run: {error}") from error
        assert self._process.stdin and self._process.stdout
        self._orders: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout
        self._owner = os.getpid()
        self.reading = False

    @property
    def usable(self) -> bool:
        return self._owner == os.getpid()

    def read(self, oids: Iterable[str]) -> Iterator[bytes | None]:
        """The contents of objects in the order asked for; None for one that is not there. Raises GitError when git ends early.

        Who stops halfway leaves answers in the pipe, which nobody may take for those to the next question: the process is closed then.
        """
        remaining, waiting = iter(oids), 0
        self.reading = True
        try:
            while asked := list(islice(remaining, _WINDOW)):
                waiting = len(asked)
                try:
                    self._orders.write("".join(f"{oid}\n" for oid in asked).encode("ascii"))
                    self._orders.flush()
                except OSError as error:
                    raise GitError("git ended while files were read") from error
                for _ in asked:
                    data = self._answer()
                    waiting -= 1
                    yield data
        finally:
            self.reading = False
            if waiting and self.usable:
                self.close()

    def _answer(self) -> bytes | None:
        header = self._answers.readline().split()
        if len(header) == 2 and header[1] == b"missing":
            return None
        if len(header) != 3:
            raise GitError("git ended while files were read", "the repository may be damaged: git fsck")
        size = int(header[2])
        data = self._answers.read(size + 1)
        if len(data) != size + 1:
            raise GitError("git ended while files were read", "the repository may be damaged: git fsck")
        return data[:-1]

    def close(self) -> None:
        self._owner = 0
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # what was not written yet
            self._orders.close()
        self._answers.close()

    def __del__(self) -> None:  # `subprocess` keeps a process that nobody waited for, with its pipes open, and so git waits for ever
        if self.usable:
            self.close()


class _Opened(threading.local):
    """What this thread has open: of more than some, those that were opened first are closed, unless they are being read."""

    def __init__(self) -> None:
        self.blobs: list[weakref.ref[Blobs]] = []

    def add(self, blobs: Blobs) -> None:
        open_ = [one for ref in self.blobs if (one := ref()) is not None and one.usable]
        for one in [one for one in open_ if not one.reading][: max(0, len(open_) + 1 - _MOST_OPEN)]:
            one.close()
        self.blobs = [weakref.ref(one) for one in [*open_, blobs] if one.usable]


_opened = _Opened()
