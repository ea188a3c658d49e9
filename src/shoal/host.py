"""What every host on this machine does: find the files, check them (here or in workers, or remember the answer), conclude."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal import gate, pool
from shoal.core import check_source, conclude
from shoal.discover import Discovery, Found, discover, in_tree, reason
from shoal.facts import Usage
from shoal.files import cache_folder, read_bytes
from shoal.model import FileResult, Finding, LeftOut, Problem, Source, Told
from shoal.readers import READERS
from shoal.rulebook import Rulebook
from shoal.settings import Settings
from shoal.text import Decoded, decode
from shoal.wire import pack, unpack

if TYPE_CHECKING:
    from shoal.cache import Cache, Known
    from shoal.changes import Changes, Touched
    from shoal.conclusions import Conclusions
    from shoal.git import Tree


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


class Outcome(NamedTuple):
    """`results` are by path; `asked` are those that were asked for, the others give their jobs what is missing.

    Findings and problems are about what was asked for. `files` of it were looked at, `read` of them passed the gate.
    """

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[LeftOut, ...]
    results: dict[str, FileResult]
    files: int
    read: int
    asked: frozenset[str] = frozenset()


class Looked(NamedTuple):
    """One file looked at: whether it passed the gate, what it yields, and its content's digest where one was made."""

    path: str
    read: bool
    result: FileResult
    digest: str = ""


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
# A rule over Python runs on libcst, whose native parser can die; so Python is read in a worker even when it is one file.
_FRAGILE = frozenset({"python", "notebook"})


def check(request: Request, progress: Progress | None = None) -> Outcome:
    """Look at everything a request names."""
    rulebook = request.rulebook.only(request.settings.ever_enabled)
    left_out: list[LeftOut] = []
    problems: list[Problem] = list(rulebook.problems)
    looked: list[Looked] = []
    seen: dict[str, Found] = {}
    caches: list[Cache] = []
    if request.stdin:
        path, data = request.stdin
        piped = Found(path, request.settings.kind(path), (len(data), 0, 0, 0), True)
        if not piped.kind:
            left_out.append(LeftOut(path, "not-read", "no reader for this kind of file"))
        else:
            looked += _look((piped,), request, rulebook, None, None, data)
            seen[path] = piped
    if request.paths or request.tree:
        discovery = _discover(request)
        left_out += discovery.left_out
        problems += discovery.problems
        found = tuple(item for item in discovery.found if not request.stdin or item.path != request.stdin[0])
        looked += _remembering(found, request, rulebook, progress, caches)
        seen.update((item.path, item) for item in found)
    asked = frozenset(item.path for item in looked)
    left_out += [left for item in looked for left in item.result.left_out]
    files, read = len(looked), sum(item.read for item in looked)
    theirs: set[Problem] = set()
    if request.context and asked and (any(rule.scope != "file" for rule in rulebook.rules) or _asks(looked)):
        around = _around(request, rulebook, looked, caches, seen)
        theirs.update(problem for item in around for problem in item.result.problems)
        looked += around
    looked = _told(looked, seen, request, rulebook, caches)
    if caches:
        caches[0].save(request.root, _whole(request))
    results = {item.path: item.result for item in sorted(looked, key=lambda item: item.path)}
    memory = _memory(request, rulebook, looked)
    touched = _touched(request, rulebook, results)
    findings, more = conclude(results.values(), rulebook, request.settings, Texts(request), memory, touched)
    if memory:
        memory.save(_whole(request))
    reported, said = about(findings, asked, request.settings), sorted({*problems, *more} - theirs)
    if touched:
        reported = tuple(finding for finding in reported if touched.keeps(finding))
        said = [problem for problem in said if touched.concerns(problem.path)]
    return Outcome(
        reported,
        tuple(said),
        tuple(sorted(set(left_out))),
        results,
        files,
        read,
        asked,
    )


def _touched(request: Request, rulebook: Rulebook, results: Mapping[str, FileResult]) -> Touched | None:
    if request.changes is None:
        return None
    from shoal.changes import Touched

    return Touched(request.changes, results.values(), rulebook.engines, request.settings)


def _memory(request: Request, rulebook: Rulebook, looked: list[Looked]) -> Conclusions | None:
    """What was found in jobs before; None where nothing is remembered of so few files, or no rule is about jobs."""
    digests = {item.path: item.digest for item in looked if item.digest and not item.result.problems}
    if not digests or not any(rule.scope != "file" for rule in rulebook.rules):
        return None
    from shoal.cache import conclusions

    return conclusions(request.root, rulebook, request.settings, digests)


def _discover(request: Request) -> Discovery:
    if request.tree is None:
        return discover(request.paths, request.root, request.settings, request.force_exclude)
    try:
        return in_tree(request.tree.entries.values(), request.settings)
    except OSError as error:
        return Discovery((), (), (Problem("", "unreadable", reason(error), help=getattr(error, "help", "")),))


def _whole(request: Request) -> bool:
    return request.tree is not None or any(os.path.abspath(path) == request.root for path in request.paths)


def about(findings: list[Finding], asked: frozenset[str], settings: Settings) -> tuple[Finding, ...]:
    """The findings that are to be reported: in files that were asked for, or with one of them on the other side, and of the wanted weight."""
    return tuple(
        finding
        for finding in findings
        if (finding.primary.path in asked or any(place.path in asked for place in finding.places if place.role == "related"))
        and settings.reports(finding)
    )


def _around(request: Request, rulebook: Rulebook, looked: list[Looked], caches: list[Cache], seen: dict[str, Found]) -> list[Looked]:
    """The rest of the jobs that the files are parts of; nothing where they have to do with none, or the whole project was asked for."""
    if _whole(request) or not any(item.result.facts for item in looked):
        return []
    from shoal.jobs.siblings import siblings

    found = siblings([item.result for item in looked], request.root, request.settings)
    seen.update((item.path, item) for item in found)
    return _remembering(tuple(found), request, rulebook, None, caches)


def _asks(looked: list[Looked]) -> bool:
    """Whether a file names something of another module of its project."""
    return any(isinstance(fact, Usage) and fact.kind == "asks" for item in looked for fact in item.result.facts)


def _told(looked: list[Looked], seen: Mapping[str, Found], request: Request, rulebook: Rulebook, caches: list[Cache]) -> list[Looked]:
    """What was looked at, with the files looked at again about which others say something."""
    if not any(item.result.facts for item in looked):
        return looked
    from shoal.across import ROUNDS, Modules, tell

    by_path = {item.path: item for item in looked}
    modules = Modules(by_path)
    for _ in range(ROUNDS):
        told = tell({path: item.result for path, item in by_path.items()}, request.settings, modules)
        again = tuple(seen[path] for path in told if path in seen)
        if not again:
            break
        for item in _remembering(again, request, rulebook, None, caches, told):
            # what a file is left out for, and whether it passed the gate, was said the first time
            first = by_path[item.path]
            result = item.result._replace(left_out=first.result.left_out, told=told[item.path])
            by_path[item.path] = item._replace(read=first.read, result=result)
    return list(by_path.values())


def _remembering(
    found: tuple[Found, ...],
    request: Request,
    rulebook: Rulebook,
    progress: Progress | None,
    caches: list[Cache],
    told: Mapping[str, Told] | None = None,
) -> list[Looked]:
    """Look at files, or say again what was found when they were last looked at. `caches`: the one of this run, once it was needed."""
    few = len(found) <= 20 and not any(item.kind in _FRAGILE for item in found)
    if not request.cache or few:  # reading what is remembered of a whole project costs more than a few files do
        return _look(found, request, rulebook, None, progress, told=told)
    if not caches:
        from shoal.cache import Cache, key_of

        caches.append(Cache(cache_folder(), request.root, key_of(rulebook, request.settings)))
    cache = caches[0]
    looked: list[Looked] = []
    todo: list[Found] = []
    for item in found:
        known = cache.same(item, told[item.path] if told else None)
        result = _recalled(item.path, known.packed) if known else None
        if known and result:
            looked.append(Looked(item.path, known.read, result, known.digest))
        else:
            todo.append(item)
    looked += _look(tuple(todo), request, rulebook, cache, progress, told=told)
    return looked


def _recalled(path: str, packed: list[Any] | None) -> FileResult | None:
    """A remembered result; None when what is remembered makes no sense."""
    if packed is None:
        return FileResult(path)
    try:
        return unpack(path, packed)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError):
        return None


def _look(
    found: tuple[Found, ...],
    request: Request,
    rulebook: Rulebook,
    cache: Cache | None,
    progress: Progress | None,
    data: bytes | None = None,
    told: Mapping[str, Told] | None = None,
) -> list[Looked]:
    """Look at files, here or in workers. Answers travel packed, so that it makes no difference where they come from.

    `data`: the bytes of the only file; `told`: what other files say, by path.
    """
    if not found:
        return []
    settings = request.settings
    load = loader(request)
    facts = any(rule.scope != "file" for rule in rulebook.rules)
    given = [told[item.path] if told else None for item in found]
    last = [cache.last(item, given[number]) if cache else None for number, item in enumerate(found)]
    piped = request.stdin[0] if request.stdin else ""

    def work(number: int) -> tuple[str, bool, list[Any] | None]:
        """(digest, passed the gate, packed result); None for nothing found."""
        known = last[number]
        bytes_ = request.stdin[1] if request.stdin and found[number].path == piped else data
        return _answer(found[number], load, rulebook, settings, known, facts, cache is not None, bytes_, given[number])

    sizes = [item.size + 2_000 for item in found]  # opening a file costs as much as looking through 2 kB
    workers = request.workers or pool.cores()
    fragile = any(item.kind in _FRAGILE for item in found)
    small = len(found) < _FEW_FILES and sum(sizes) < _FEW_BYTES
    answers = (
        pool.spread(work, sizes, min(workers, len(found)), settings.timeout)
        if pool.AVAILABLE and (fragile or not small)
        else pool.here(work, len(found), settings.timeout)
    )
    looked = []
    done = counted = 0
    size = sum(item.size for item in found) if progress else 0
    for number, answer in answers:
        item = found[number]
        done += item.size
        if isinstance(answer, pool.Lost):
            problem = Problem(item.path, answer.kind, answer.message, help="exclude the file, and please report this with it")
            looked.append(Looked(item.path, True, FileResult(item.path, problems=(problem,))))
            continue
        digest, read, packed = answer
        result = _recalled(item.path, packed)
        assert result is not None, "made by ourselves"
        looked.append(Looked(item.path, read, result, digest))
        if cache and result.problems:  # a problem may be gone the next time
            cache.forget(item, given[number])
        elif cache:
            cache.keep(item, digest, read, packed, given[number])
        counted += len(result.findings)
        if progress:
            progress(Step(len(looked), len(found), done, size, counted, result))
    return looked


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
        if hashed:
            from shoal.cache import digest as digest_of

            digest = digest_of(data, told)
            if known and known.digest == digest and _recalled(path, known.packed):
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
    return digest, read, packed if any(packed) else None


def examine(found: Found, data: bytes, rulebook: Rulebook, settings: Settings, told: Told | None = None) -> tuple[bool, FileResult]:
    """Check the content of a file: whether it passed the gate, and what it yields. `told`: what other files say about it."""
    path, kind = found.path, found.kind
    if data.startswith(gate.LFS_POINTER):
        return False, FileResult(path, left_out=(LeftOut(path, "lfs-pointer", "its content is in Git LFS"),))
    if kind not in READERS or not (told or gate.passes(kind, data, rulebook.engines)):
        return False, FileResult(path)
    if not found.named and (why := gate.left_out(kind, data)):
        return False, FileResult(path, left_out=(LeftOut(path, why),))
    return True, check_source(Source(path, kind, data), rulebook, settings, told)


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
