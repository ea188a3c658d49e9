"""What every host on this machine does: find the files, check them (here or in workers, or remember the answer), conclude."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from sys import intern
from typing import TYPE_CHECKING, Any

from shoal import gate, pool
from shoal.classify import by_content, is_setup
from shoal.core import check_source, conclude
from shoal.discover import Discovery, Found, discover, reason, slices, stamp
from shoal.facts import Usage
from shoal.files import cache_folder, read_bytes
from shoal.globs import matcher
from shoal.model import FileResult, Finding, LeftOut, Problem, Source, Told
from shoal.paths import Paths, none_is, repositories
from shoal.readers import READERS
from shoal.records import NamedTuple
from shoal.rulebook import Rulebook
from shoal.settings import Settings
from shoal.text import Decoded, decode
from shoal.wire import pack, unpack

if TYPE_CHECKING:
    from shoal.cache import Cache, Known
    from shoal.changes import Changes, Touched
    from shoal.conclusions import Conclusions
    from shoal.git import Tree
    from shoal.snapshot import Folder


class Request(NamedTuple):
    """What to check. `root` is the project's absolute folder; `stdin` are the path and bytes of a file that comes by a pipe.

    `context`: where only a part of the project is asked for, the rest is read too, so that rules over several files see whole jobs.
    `tree`: read this git tree instead of `paths`; then `root` is but a name for what is remembered. `changes`: report only what these can
    have caused.
    """

    paths: tuple[str, ...]
    root: str
    settings: Settings
    rulebook: Rulebook
    stdin: tuple[str, bytes] | None = None
    workers: int = 0
    cache: bool = True
    force_exclude: bool = False
    context: bool = True
    tree: Tree | None = None
    changes: Changes | None = None


_NO_PATHS = Paths({})


class Outcome(NamedTuple):
    """`results` are of the files that say something; `paths` are all that were looked at. `asked` are those that were asked for, the others
    give their jobs what is missing.

    Findings and problems are about what was asked for. `files` of it were looked at, `read` of them passed the gate.
    """

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[LeftOut, ...]
    results: dict[str, FileResult]
    files: int
    read: int
    asked: Paths = _NO_PATHS
    paths: Paths = _NO_PATHS


class Looked(NamedTuple):
    """One file that has something to say: what it yields, and its content's digest where one was made."""

    path: str
    result: FileResult
    digest: str = ""


class Recalled(NamedTuple):
    """What is remembered of folders: how many files were looked at in them, how many passed the gate, and what was left out."""

    files: int
    read: int
    left_out: list[LeftOut]


class Step(NamedTuple):
    """How far a run is: files and bytes looked at of all that are to be, the findings in files so far, and what the last file yields.

    That is what the file says by itself: nothing is suppressed yet, and what other files say about it comes later.
    """

    files: int
    all_files: int
    size: int
    whole_size: int
    findings: int
    result: FileResult


Progress = Callable[[Step], None]

# Below this much work a second process costs more than it saves.
_FEW_FILES = 200
_FEW_BYTES = 400_000
_WORKER_BYTES = 400_000  # for which a further worker is worth what it costs to start
# Parts of a file's size that count where it will most likely get no further than the gate: to check a byte takes so many times as long.
_SILENT = 32
# A rule over Python runs on libcst, whose native parser can die; so Python is read in a worker even when it is one file.
_FRAGILE = frozenset({"python", "notebook"})
# Files of a tree that are in memory together.
_SLICE = 50_000


def check(request: Request, progress: Progress | None = None) -> Outcome:
    """Look at everything a request names."""
    rulebook = request.rulebook.only(request.settings.ever_enabled)
    left_out: list[LeftOut] = []
    problems: list[Problem] = list(rulebook.problems)
    run = Survey(request, rulebook)
    files = read = 0
    if request.stdin:
        path, data = request.stdin
        piped = Found(path, request.settings.kind(path), (len(data), 0, 0, 0), True)
        if not piped.kind:
            left_out.append(LeftOut(path, "not-read", "no reader for this kind of file"))
        else:
            read += run.look((piped,), data=data)
            files += 1
    for discovery in run.discover() if request.paths or request.tree else ():
        left_out += discovery.left_out
        problems += discovery.problems
        found = tuple(item for item in discovery.found if not request.stdin or item.path != request.stdin[0])
        read += run.look(found, progress, cached=True)
        files += len(found)
        run.sign(discovery.folders)
        if discovery.standing is not None:
            known = run.recall(discovery.standing)
            files, read, left_out = files + known.files, read + known.read, left_out + known.left_out
    asked = run.paths()
    left_out += [left for item in run.looked.values() for left in item.result.left_out]
    theirs: set[Problem] = set()
    if request.context and files and (rulebook.joins or run.asks()):
        theirs = run.look_around(asked)
    run.tell()
    run.save()
    results = {path: run.looked[path].result for path in sorted(run.looked)}
    memory = _memory(request, rulebook, run.looked.values())
    paths = run.paths()
    touched = _touched(request, rulebook, results, paths)
    findings, more = conclude(results.values(), rulebook, request.settings, Texts(request), memory, touched, paths)
    if memory:
        memory.save(whole(request))
    reported, said = about(findings, asked, request.settings), sorted({*problems, *more} - theirs)
    if touched:
        reported = tuple(finding for finding in reported if touched.keeps(finding))
        said = [problem for problem in said if touched.concerns(problem.path)]
    return Outcome(reported, tuple(said), tuple(sorted(set(left_out))), results, files, read, asked, paths)


def _touched(request: Request, rulebook: Rulebook, results: Mapping[str, FileResult], paths: Paths) -> Touched | None:
    if request.changes is None:
        return None
    from shoal.changes import Touched

    return Touched(request.changes, results.values(), paths, rulebook.engines, request.settings)


def _memory(request: Request, rulebook: Rulebook, looked: Iterable[Looked]) -> Conclusions | None:
    """What was found in jobs before; None where nothing is remembered of so few files, or no rule is about jobs."""
    digests = {item.path: item.digest for item in looked if item.digest and item.result.sure}
    if not digests or not rulebook.joins:
        return None
    from shoal.cache import conclusions

    return conclusions(request.root, rulebook, request.settings, digests)


def whole(request: Request) -> bool:
    """Whether all of the project was asked for."""
    return request.tree is not None or any(os.path.abspath(path) == request.root for path in request.paths)


def about(findings: list[Finding], asked: Container[str], settings: Settings) -> tuple[Finding, ...]:
    """The findings that are to be reported: in files that were asked for, or with one of them on the other side, and of the wanted weight."""
    return tuple(
        finding
        for finding in findings
        if (finding.primary.path in asked or any(place.path in asked for place in finding.places if place.role == "related"))
        and settings.reports(finding)
    )


class Survey:
    """What was looked at so far. `looked` holds the files that have something to say, by path."""

    def __init__(self, request: Request, rulebook: Rulebook) -> None:
        self.looked: dict[str, Looked] = {}
        self._request = request
        self._rulebook = rulebook
        self._folders: dict[str, list[str]] = {}
        self._named: set[str] = set()
        self._rewritten: dict[str, frozenset[str]] = {}  # files that were written in folders that else stand as they stood
        self._frozen = False  # somebody has the paths: what is listed from now on is not among theirs
        self._parses = False  # there is Python of jobs here
        self._cache: Cache | None = None

    def _memory(self) -> Cache:
        if self._cache is None:
            from shoal.cache import Cache, key_of

            self._cache = Cache(cache_folder(), self._request.root, key_of(self._rulebook, self._request.settings))
        return self._cache

    def discover(self) -> Iterator[Discovery]:
        """The files of the request, in slices; of one whole folder only those in whose folder something has changed."""
        request = self._request
        if request.tree is not None:
            from shoal import trees  # and with it all that starts git

            try:
                yield trees.discover(request.tree, request.root, request.settings, self._memory() if request.cache else None)
            except OSError as error:
                yield Discovery((), (), (Problem("", "unreadable", reason(error), help=getattr(error, "help", "")),))
        elif len(request.paths) == 1 and not request.stdin and os.path.isdir(request.paths[0]):
            remembered = self._memory().remembered if request.cache else None
            yield from slices(request.paths[0], request.root, request.settings, request.force_exclude, _SLICE, remembered)
        else:
            yield discover(request.paths, request.root, request.settings, request.force_exclude)

    def recall(self, standing: frozenset[str]) -> Recalled:
        """Say again what was found in folders in which nothing has changed, but for the files that were written, which have been looked at."""
        memory = self._memory()
        memory.stands(standing)
        stands = memory.before.files(standing)
        self._folders.update(stands)
        files = sum(map(len, stands.values())) - sum(map(len, self._rewritten.values()))
        read = 0
        left_out: list[LeftOut] = []
        again: list[Found] = []
        included = matcher(self._request.settings.include)
        for folder, about in memory.before.special():
            if folder not in standing:
                continue
            left_out += about.left_out
            for name, known in memory.speaking(folder, self._rewritten.get(folder, ())) if about.spoke else ():
                path = f"{folder}/{name}" if folder else name
                if included(path):
                    self._named.add(path)
                result = _recalled(path, known.packed) if known else None
                if known and self._request.tree and known.stamp:
                    self._request.tree.know(path, known.stamp[3], known.stamp[0])
                if known and result:
                    read += known.read
                    if known.packed is not None:
                        self.looked[path] = Looked(path, result, known.digest)
                elif found := self._found_at(path):
                    again.append(found)
        return Recalled(files, read + self._look(again), left_out)

    def look(self, found: Sequence[Found], progress: Progress | None = None, data: bytes | None = None, cached: bool = False) -> int:
        """Look at files for the first time; returns how many passed the gate. `data`: the bytes of the only file; `cached`: remember them."""
        self._listed(found)
        return self._look(found, progress, data, cached)

    def _listed(self, found: Iterable[Found]) -> None:
        for item in found:
            folder, _, name = item.path.rpartition("/")
            if self._frozen:
                self._folders[folder] = [*self._folders.get(folder, ()), name]
            else:
                self._folders.setdefault(folder, []).append(intern(name))
            if item.named:
                self._named.add(item.path)

    def _look(
        self,
        found: Sequence[Found],
        progress: Progress | None = None,
        data: bytes | None = None,
        cached: bool = True,
        told: Mapping[str, Told] | None = None,
    ) -> int:
        """Look at files, or say again what was found when they were last looked at. `told`: what other files say, by path."""
        # reading what is remembered of a whole project costs more than a few files do
        few = self._cache is None and len(found) <= 20 and not any(map(_fragile, found))
        cache = self._memory() if cached and self._request.cache and not few else None
        read = 0
        todo: list[Found] = []
        last: list[Known | None] = []
        for item in found:
            known, same = cache.find(item, told[item.path] if told else None) if cache else (None, False)
            result = _recalled(item.path, known.packed) if known and same else None
            if known is None or result is None:
                todo.append(item)
                last.append(known)
                continue
            read += known.read
            if known.packed is not None:
                self.looked[item.path] = Looked(item.path, result, known.digest)
        fragile = set() if self._parses else {item.path for item in todo if _fragile(item)}
        for passed, looked in _look(todo, last, self._request, self._rulebook, cache, progress, data, told, self._parses):
            read += passed
            if looked:
                self.looked[looked.path] = looked
                self._parses = self._parses or looked.path in fragile
        return read

    def paths(self) -> Paths:
        """All that was looked at so far."""
        self._frozen = True
        seen = self._request.root and self._request.tree is None
        return Paths(dict(self._folders), repositories(self._request.root) if seen else none_is)

    def asks(self) -> bool:
        """Whether a file names something of another module of its project."""
        return any(isinstance(fact, Usage) and fact.kind == "asks" for item in self.looked.values() for fact in item.result.facts)

    def look_around(self, asked: Paths) -> set[Problem]:
        """Look at the rest of the jobs that the files are parts of, where not the whole project was asked for. Returns the problems there."""
        if whole(self._request) or not any(item.result.facts for item in self.looked.values()):
            return set()
        from shoal.jobs.siblings import siblings

        results = [item.result for item in self.looked.values()]
        around = siblings(results, asked, self._request.root, self._request.settings)
        self.look(around, cached=True)
        return {problem for item in around if item.path in self.looked for problem in self.looked[item.path].result.problems}

    def tell(self) -> None:
        """Look again at the files about which others say something."""
        if not any(item.result.facts for item in self.looked.values()):
            return
        from shoal.across import ROUNDS, Modules, tell

        paths = self.paths()
        modules = Modules(paths)
        for _ in range(ROUNDS):
            told = tell({path: item.result for path, item in self.looked.items()}, self._request.settings, modules)
            again = [found for path in told if path in paths and (found := self._found_at(path))]
            if not again:
                return
            # what a file is left out for was said the first time
            first = {item.path: self.looked.pop(item.path, Looked(item.path, FileResult(item.path))) for item in again}
            self._look(again, told=told)
            for path, before in first.items():
                now = self.looked.get(path, before._replace(result=FileResult(path)))
                result = now.result._replace(left_out=before.result.left_out, told=told[path])
                self.looked[path] = now._replace(result=result)

    def _found_at(self, path: str) -> Found | None:
        """A file that was looked at, as it was found; None when it is gone."""
        request = self._request
        named, kind = path in self._named, request.settings.kind(path)
        if request.tree is not None:
            entry = request.tree.entry(path)
            return Found(path, kind, (entry.size, 0, 0, int(entry.oid, 16)), named) if entry else None
        if request.stdin and path == request.stdin[0]:
            return Found(path, kind, (len(request.stdin[1]), 0, 0, 0), True)
        try:
            return Found(path, kind, stamp(os.lstat(os.path.join(request.root, path))), named)
        except OSError:
            return None

    def sign(self, folders: Iterable[Folder]) -> None:
        """Remember how folders stood."""
        for folder in folders:
            self._memory().sign(folder)
            if folder.rewritten:
                self._rewritten[folder.path] = frozenset(folder.names)

    def save(self) -> None:
        """Write down what is remembered."""
        if self._cache:
            self._cache.save(whole(self._request))


def _fragile(item: Found) -> bool:
    return item.kind in _FRAGILE or is_setup(item.path, item.kind)


def _recalled(path: str, packed: list[Any] | None) -> FileResult | None:
    """A remembered result; None when what is remembered makes no sense."""
    if packed is None:
        return FileResult(path)
    try:
        return unpack(path, packed)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError):
        return None


def _look(
    found: Sequence[Found],
    last: Sequence[Known | None],
    request: Request,
    rulebook: Rulebook,
    cache: Cache | None,
    progress: Progress | None,
    data: bytes | None = None,
    told: Mapping[str, Told] | None = None,
    parses: bool = False,
) -> Iterator[tuple[bool, Looked | None]]:
    """Look at files, here or in workers: whether each passed the gate, and what it has to say. In no order.

    Answers travel packed, so that it makes no difference where they come from. `last`: what is remembered of each; `data`: the bytes of the
    only file; `told`: what other files say, by path; `parses`: Python has been parsed in this run before.
    """
    if not found:
        return
    settings = request.settings
    load = loader(request)
    facts = rulebook.joins
    given = [told[item.path] if told else None for item in found]
    piped = request.stdin[0] if request.stdin else ""

    def work(number: int) -> tuple[str, bool, list[Any] | None]:
        """(digest, passed the gate, packed result); None for nothing found."""
        known = last[number]
        bytes_ = request.stdin[1] if request.stdin and found[number].path == piped else data
        return _answer(found[number], load, rulebook, settings, known, facts, cache is not None, bytes_, given[number])

    if any(_fragile(item) and (parses or given[number] or ((known := last[number]) and known.read)) for number, item in enumerate(found)):
        # Python is probably going to be parsed: workers that are forked now need not load the parser, each for itself
        from shoal.python import parser

        parser.load()
    silent = cache is not None and told is None and bool(cache.before.folders)  # a file of which nothing is known said nothing before
    # opening a file costs as much as looking through 2 kB
    sizes = [(item.size + 2_000) // (_SILENT if silent and last[number] is None else 1) for number, item in enumerate(found)]
    workers = request.workers or pool.cores()
    fragile = any(map(_fragile, found))
    small = len(found) < _FEW_FILES and sum(sizes) < _FEW_BYTES
    answers = (
        pool.spread(work, sizes, min(workers, len(found), 1 + sum(sizes) // _WORKER_BYTES), settings.timeout)
        if pool.AVAILABLE and (fragile or not small)
        else pool.here(work, len(found), settings.timeout)
    )
    done = files = counted = 0
    size = sum(item.size for item in found) if progress else 0
    for number, answer in answers:
        item = found[number]
        if isinstance(answer, pool.Lost):
            problem = Problem(item.path, answer.kind, answer.message, help="exclude the file, and please report this with it")
            answer = ("", True, pack(FileResult(item.path, problems=(problem,))))
        digest, read, packed = answer
        result = _recalled(item.path, packed)
        assert result is not None, "made by ourselves"
        if cache and not result.sure:  # what went wrong may go well the next time
            cache.forget(item, given[number])
        elif cache:
            cache.keep(item, digest, read, packed, given[number])
        yield read, Looked(item.path, result, digest) if packed is not None else None
        if progress:
            done, files, counted = done + item.size, files + 1, counted + len(result.findings)
            progress(Step(files, len(found), done, size, counted, result))


def _answer(
    found: Found,
    load: Callable[[str], bytes],
    rulebook: Rulebook,
    settings: Settings,
    known: Known | None,
    facts: bool,
    hashed: bool,
    data: bytes | None,
    told: Told | None,
) -> tuple[str, bool, list[Any] | None]:
    path = found.path
    digest = ""
    try:
        if data is None:
            data = load(path)
        if hashed and known:
            digest = _digest(data, told)
            if known.digest == digest and _recalled(path, known.packed):
                return digest, known.read, known.packed
        read, result = examine(found, data, rulebook, settings, told)
    except (OSError, ValueError) as error:
        read, result = False, FileResult(path, problems=(Problem(path, "unreadable", reason(error), help=getattr(error, "help", "")),))
    except MemoryError:
        read, result = (
            True,
            FileResult(path, problems=(Problem(path, "too-large", "ran out of memory", help="exclude the file or split it"),)),
        )
    except Exception as error:
        crash = Problem(path, "reader-crashed", f"{type(error).__name__}: {error}", help="please report this with the file")
        read, result = True, FileResult(path, problems=(crash,))
    packed = pack(result, facts)
    if hashed and data is not None and not digest and (read or any(packed)):  # of the others nothing is known by its content
        digest = _digest(data, told)
    return digest, read, packed if any(packed) else None


def _digest(data: bytes, told: Told | None) -> str:
    from shoal.cache import digest

    return digest(data, told)


def examine(found: Found, data: bytes, rulebook: Rulebook, settings: Settings, told: Told | None = None) -> tuple[bool, FileResult]:
    """Check the content of a file: whether it passed the gate, and what it yields. `told`: what other files say about it."""
    path, kind = found.path, by_content(found.path, found.kind, data)
    verdict = gate.judged(path, kind, data, rulebook.engines, found.named, told is not None)
    if verdict is True and kind in READERS:
        return True, check_source(Source(path, kind, data), rulebook, settings, told)
    return False, FileResult(path, left_out=(verdict,) if isinstance(verdict, LeftOut) else ())


def loader(request: Request) -> Callable[[str], bytes]:
    """What reads the bytes of a root-relative path, from the disk or from the git tree. It raises OSError or ValueError."""
    if request.tree:
        return request.tree.content
    root, limit = request.root, request.settings.max_file_size
    return lambda path: read_bytes(os.path.join(root, path), limit)


class Texts(Mapping[str, str]):
    """The decoded texts of files, read when asked for. `contents` are files as they would be, and are not read."""

    def __init__(self, request: Request, contents: Mapping[str, bytes] | None = None) -> None:
        self._request = request
        self._contents = {request.stdin[0]: request.stdin[1]} if request.stdin else {}
        self._contents.update(contents or {})
        self._decoded: dict[str, Decoded | None] = {}

    def data(self, path: str) -> bytes | None:
        """The bytes of a root-relative path; None when it cannot be read (any more)."""
        if path in self._contents:
            return self._contents[path]
        try:
            return loader(self._request)(path)
        except (OSError, ValueError):
            return None

    def decoded(self, path: str) -> Decoded | None:
        if path not in self._decoded:
            data = self.data(path)
            fallback = "latin-1" if self._request.settings.kind(path) == "properties" else "utf-8"
            self._decoded[path] = None if data is None else decode(data, fallback)
        return self._decoded[path]

    def __getitem__(self, path: str) -> str:
        found = self.decoded(path)
        return found.text if found else ""

    def __iter__(self) -> Iterator[str]:
        return iter(self._decoded)

    def __len__(self) -> int:
        return len(self._decoded)
