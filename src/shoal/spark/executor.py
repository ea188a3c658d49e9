"""What runs in Python workers: rows in, rows out, in Arrow batches. No function here knows a session or a DataFrame."""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import pickle
import posixpath
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from shoal import baseline, facts, gate, git, host, pool
from shoal.cache import digest as digest_of
from shoal.changes import Changes, Touched
from shoal.cli import UsageError
from shoal.core import conclude, grouped
from shoal.digests import blake2b
from shoal.discover import Discovery, Found, below, discover, in_tree, reason, split
from shoal.facts import TELLING, Block, Dependency, Fact, Mount, Oddity, Setting, Statement, Usage
from shoal.files import read_bytes
from shoal.git import Entry
from shoal.job import Job
from shoal.model import FileResult, Finding, LeftOut, Problem, Told
from shoal.readers import READERS
from shoal.report import Run
from shoal.report.html.owners import PLACES, owners_of
from shoal.report.layout import Locator
from shoal.rulebook import RuleLoadError
from shoal.spark import rows, wheel
from shoal.spark.found import finding_row
from shoal.spark.plan import Plan, checked_as, column, key_of, plan_in, relocate, rulebook, shown_of, text_of, whole
from shoal.spark.tables import FILES
from shoal.suppress import Suppression
from shoal.text import Decoded, Lines, decode
from shoal.wire import pack, plain, told_of, unpack

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
Batches = Iterator["pa.RecordBatch"]

_PORTION_BYTES = 1_000_000
_PORTION_FILES = 256
_GIVEN_BYTES = 300_000
_GIVEN_FILES = 64
_TOP_FILES = 10_000  # listed sooner than tasks are spread for them
_FOLDERS = 512  # to spread over tasks


# -- list -------------------------------------------------------------------------------------------------------------------------------------


def list_top(plan: Plan, found: Batches) -> Batches:
    """The first files of a folder that this machine sees, in portions of about as many bytes, and the folders in which the others stand."""
    yield from rows.batches((portion for row in rows.rows(found) for portion in _top(plan, row)), rows.PORTION)


def _top(plan: Plan, row: Row) -> Iterator[Row]:
    tree: Row = {"repo": row["repo"], "rev": row["rev"], "place": plan.root, "settings": ""}
    paths = plan.paths or (plan.root,)
    if len(paths) > 1:  # they may stand in one another
        yield from _portions(tree, discover(paths, plan.root, plan.settings, plan.force_exclude))
        return
    first, rest = split(paths[0], plan.root, plan.settings, plan.force_exclude, _TOP_FILES, _FOLDERS)
    yield from _portions(tree, first)
    for folder in rest:
        yield {**tree, "folders": json.dumps([folder])}


def list_folders(plan: Plan, found: Batches) -> Batches:
    """Portions as they are, and folders as the portions of their files."""
    yield from rows.batches((portion for row in rows.rows(found) for portion in _walked(plan, row)), rows.PORTION)


def _walked(plan: Plan, row: Row) -> Iterable[Row]:
    if not row["folders"]:
        return (row,)
    tree = {name: row[name] for name in rows.PART}
    folders = [(path, only_included) for path, only_included in json.loads(row["folders"])]
    return _portions(tree, below(folders, plan.root, plan.settings, plan.force_exclude))


def list_repository(plan: Plan, found: Batches) -> Batches:
    """The files of git repositories (`repo` is `PATH` or `PATH@REVISION`), in portions that name blobs."""
    yield from rows.batches((portion for row in rows.rows(found) for portion in _repository(plan, row["repo"], row["known"])), rows.PORTION)


def _repository(plan: Plan, text: str, known: str | None) -> Iterator[Row]:
    folder, revision = git.split(os.path.join(plan.base, text)) or (os.path.join(plan.base, text), "")
    if not revision and "@" in text:  # there is no such repository
        folder, _, revision = folder.rpartition("@")
    revision = revision or "HEAD"
    part: Row = {"repo": column(git.named(text, revision)), "rev": "", "place": "", "settings": ""}
    try:
        tree = git.Tree(folder, revision)
        part |= {"rev": tree.commit, "place": json.dumps({"git": tree.folder, "commit": tree.commit, "top": tree.top})}
        # a commit stands for all that is in it
        seen = {**part, "mark": _number(f"{part['repo']}\0{part['place']}")}
        if tree.commit == known:
            yield {**seen, "same": True}
            return
        yield seen
        part["settings"], wrong = _settings_in(plan, tree)
        yield from _portions(
            part, Discovery((), (), wrong) if wrong else in_tree(tree.entries.values(), plan_in(plan, part["settings"]).settings)
        )
    except git.GitError as error:
        yield from _portions(part, Discovery((), (), (Problem("", "unreadable", reason(error), help=error.help),)))


def _settings_in(plan: Plan, tree: git.Tree) -> tuple[str, tuple[Problem, ...]]:
    """The settings file that stands in a git tree, for `plan_in`, and what is wrong with it."""
    arguments = json.loads(plan.arguments)
    if arguments.get("config"):  # one for all, which the driver has read
        return "", ()
    from shoal.commands import roots

    texts: dict[str, str] = {}

    def load(path: str) -> bytes:
        data = tree.content(path)
        texts[path] = data.decode("utf-8", "surrogateescape")
        return data

    where = roots.project_in(argparse.Namespace(**arguments), tree, load)
    return json.dumps([where.file, texts, where.root]) if where.file else "", where.problems


def _portions(tree: Row, discovery: Discovery) -> Iterator[Row]:
    notes = json.dumps(_plain_notes(discovery.problems, discovery.left_out)) if discovery.problems or discovery.left_out else ""
    in_git = tree["place"][:1] == "{"
    kept: list[list[Any]] = []
    weight = 0
    for item in discovery.found:
        kept.append([item.path, item.kind, item.size, item.stamp[3] if in_git else 0, item.named])
        weight += item.size
        if weight >= _PORTION_BYTES or len(kept) >= _PORTION_FILES:
            yield {**tree, "files": json.dumps(kept), "notes": notes}
            kept, weight, notes = [], 0, ""
    if kept or notes:
        yield {**tree, "files": json.dumps(kept), "notes": notes}


def _plain_notes(problems: Iterable[Problem], left_out: Iterable[LeftOut]) -> list[Any]:
    return [[list(problem) for problem in problems], [list(item) for item in left_out]]


# -- read, gate, hash -------------------------------------------------------------------------------------------------------------------------


def scan(plan: Plan, found: Batches) -> Batches:
    """Read the files of portions. Those that pass the gate keep their content; of the others little more than their names goes on."""
    yield from rows.batches((row for portion in rows.rows(found) for row in _scanned(plan, portion)), rows.SCANNED)


def _scanned(plan: Plan, portion: Row) -> Iterator[Row]:
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
    return _number("\0".join((tree["repo"], tree["rev"], item.path, item.kind, str(item.named), digest, notes)))


def _number(text: str) -> int:
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
    return {**tree, "path": "", "notes": json.dumps(_plain_notes((), left_out)), "files": 0} if left_out else None


def _unread(tree: Row, item: Found, problem: Problem) -> Row:
    return _kept(tree, item, "", json.dumps(_plain_notes((problem,), ())))


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
    verdict = gate.judged(item.path, item.kind, data, dropped.engines, item.named)
    if isinstance(verdict, LeftOut):
        return _kept(tree, _sized(item, data), digest_of(data), json.dumps(_plain_notes((), (verdict,))))
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


# -- check ------------------------------------------------------------------------------------------------------------------------------------


def check(plan: Plan, found: Batches) -> Batches:
    """Check each content once, in a child process of this worker: what kills it is a problem of the file."""
    yield from rows.batches(_checked(plan, rows.rows(found)), rows.CHECKED)


def scan_and_check(plan: Plan, found: Batches) -> Batches:
    """Read the files of portions and check them where they are: of few files it costs less to check a content twice than to find out."""
    yield from rows.batches(_scanned_and_checked(plan, found), rows.JOINED)


def _scanned_and_checked(plan: Plan, found: Batches) -> Iterator[Row]:
    scanned = [row for portion in rows.rows(found) for row in _scanned(plan, portion)]
    contents = {row["key"]: row for row in scanned if row.get("key")}
    packed = {row["key"]: row["packed"] for row in _checked(plan, contents.values())}
    for row in scanned:
        yield {**row, "packed": packed.get(row.get("key"))}


def _checked(plan: Plan, found: Iterable[Row]) -> Iterator[Row]:
    for items in _given(found):
        for item, answer in zip(items, _apart(plan, items), strict=True):
            if isinstance(answer, pool.Lost):
                answer = (pack(_lost(shown_of(item[0]), answer)), plan_in(plan, item[5]).settings.timeout)
            packed, seconds = answer
            text = json.dumps(packed) if packed else ""
            yield {"key": column(item[0]), "packed": text, "sure": _sure(packed), "seconds": seconds}


def _sure(packed: list[Any] | None) -> bool:
    """`FileResult.sure`; few results have problems, so that the others are not unpacked for it."""
    return not (packed and packed[2]) or unpack("", packed).sure


def _lost(path: str, lost: pool.Lost) -> FileResult:
    problem = Problem(path, lost.kind, lost.message, help="exclude the file, and please report this with it")
    return FileResult(path, problems=(problem,))


def _given(found: Iterable[Row]) -> Iterator[list[list[Any]]]:
    """Items for the child process, in portions of about as many bytes, each under one tree's settings."""
    kept: list[list[Any]] = []
    weight = 0
    for row in found:
        if kept and kept[-1][5] != row["settings"]:
            yield kept
            kept, weight = [], 0
        kept.append([text_of(row["key"]), row["kind"], row["named"], row["content"], None, row["settings"]])
        weight += len(row["content"])
        if weight >= _GIVEN_BYTES or len(kept) >= _GIVEN_FILES:
            yield kept
            kept, weight = [], 0
    if kept:
        yield kept


# The child process of this Python worker, with the plan that it works for. It outlives a task, as the worker does: what it has loaded is worth keeping.
_children: dict[str, pool.Steady] = {}


def _apart(plan: Plan, items: list[list[Any]]) -> list[Any]:
    """Check contents in the child process: [key or path, kind, named, deflated content, what it is told, settings of their tree] each.

    Answers (packed result, seconds) or Lost.
    """

    def work(item: list[Any]) -> tuple[list[Any] | None, float]:
        began = time.process_time()
        name, kind, named, content, told, settings = item
        path = shown_of(name) if told is None else name
        data = zlib.decompress(content)
        about = told_of(*told) if told else None
        packed = examined(Found(path, kind, (len(data), 0, 0, 0), named), data, plan_in(plan, settings), about)
        return packed, time.process_time() - began

    if not pool.AVAILABLE:
        return [work(item) for item in items]
    name = repr(plan)
    if name not in _children:
        for child in _children.values():
            child.close()
        _children.clear()
        _prepare(plan)
        _children[name] = pool.Steady(work)
    return _children[name].do(items, plan_in(plan, items[0][5]).settings.timeout) if items else []


def examined(found: Found, data: bytes, plan: Plan, told: Told | None = None) -> list[Any] | None:
    """The packed result of a content, made by the very code of the local engine; None for nothing found."""
    _, _, packed = host._answer(found, _not_here, rulebook(plan), plan.settings, None, True, False, data, told)
    return packed


def _not_here(path: str) -> bytes:
    raise FileNotFoundError(path)


def _prepare(plan: Plan) -> None:
    """Load in this process what each child would otherwise load again."""
    book = rulebook(plan)
    for rule in book:
        if not rule.use:
            continue
        with contextlib.suppress(RuleLoadError):  # said for each file, as the local engine does
            book.check(rule)
    for module in set(READERS.values()):
        import_module(module)


# -- conclude ---------------------------------------------------------------------------------------------------------------------------------


def conclude_trees(plan: Plan, found: Batches) -> Batches:
    """Findings, problems and jobs of whole trees. Rows come ordered by tree."""
    yield from rows.batches((row for tree, files in _trees(rows.rows(found)) for row in _concluded(plan, tree, files)), rows.CONCLUDED)


def _trees(found: Iterator[Row]) -> Iterator[tuple[tuple[str, str], list[Row]]]:
    tree: tuple[str, str] | None = None
    kept: list[Row] = []
    for row in found:
        at = (row["repo"], row["rev"])
        if tree is not None and at != tree:
            yield tree, kept
            kept = []
        tree = at
        kept.append(row)
    if tree is not None:
        yield tree, kept


def _concluded(plan: Plan, tree: tuple[str, str], files: list[Row]) -> Iterator[Row]:
    own = next((row["settings"] for row in files if row["settings"]), "")
    place = next((row["place"] for row in files if row["place"]), "")
    told: Row = {"repo": tree[0], "rev": tree[1]}
    try:
        changes = _changes(plan, place)
    except UsageError as error:
        yield {**told, "what": "problem", "problem": problem_row(Problem("", "unreadable", str(error)))}
        return
    plan = plan._replace(changes=None)
    base, plan = plan, plan_in(plan, own)
    book, settings = rulebook(plan), plan.settings
    problems: set[Problem] = set()
    left_out: set[LeftOut] = set()
    load = _loader(plan, place)
    texts = Contents(plan, load)
    survey = _Survey(base, plan, own, texts)
    yield {**told, "what": "totals", "totals": _totals(files)}
    for row in files:
        path = text_of(row["path"] or "")
        notes = json.loads(row["notes"]) if row["notes"] else [[], []]
        wrong = tuple(Problem(*item) for item in notes[0])
        left_out.update(LeftOut(*item) for item in notes[1])
        if row["paths"]:
            survey.dropped(*json.loads(row["paths"]))
        if not path:
            problems.update(wrong)
            continue
        if not row["kind"]:  # CODEOWNERS of a table
            texts.add(path, row["content"])
            continue
        packed = row["packed"]
        result = unpack(path, json.loads(relocate(packed, shown_of(text_of(row["key"])), path))) if packed else FileResult(path)
        found = Found(path, row["kind"], (row["size"], 0, 0, 0), row["named"])
        survey.kept(found, result._replace(problems=(*result.problems, *wrong)) if wrong else result)
        left_out.update(result.left_out)
        if row["content"] is not None:
            texts.add(path, row["content"])
    asked = survey.paths()
    theirs = survey.look_around(asked) if not whole(plan) and book.joins else set()
    survey.tell()
    results = [survey.looked[path].result for path in sorted(survey.looked)]
    touched = Touched(changes, results, survey.paths(), book.engines, settings) if changes else None
    failed: list[Problem] = []
    # the table of jobs wants them, too
    jobs = list(grouped(results, settings, survey.paths(), failed)) if plan.tables else None
    findings, more = conclude(results, book, settings, texts, touched=touched, paths=survey.paths(), jobs=jobs)
    kept = host.about(findings, asked, settings)
    problems = {*problems, *more, *failed} - theirs
    if changes and touched:
        kept = tuple(finding for finding in kept if touched.keeps(finding))
        problems = {problem for problem in problems if touched.concerns(problem.path)}
        yield {**told, "what": "changed", "changed": {"files": len(changes.paths), "cause": changes.everything}}
    kept, wrong = _baselined(plan, own, kept, load)
    problems.update(wrong)
    if plan.several:  # after the baseline, which is the tree's own
        kept = tuple(finding._replace(fingerprint=_marked(plan, files[0], finding.fingerprint)) for finding in kept)
    run = Run((), (), (), 0, 0, book, texts.decoded)
    locator, owners = Locator(run), _owners(run)
    for finding in kept:
        yield {**told, "what": "finding", "finding": finding_row(finding, locator, owners(finding.primary.path))}
    for problem in sorted(problems):
        yield {**told, "what": "problem", "problem": problem_row(problem)}
    for item in sorted(left_out):
        yield {**told, "what": "left_out", "left_out": dict(zip(rows.LEFT_OUT, map(column, item), strict=True))}
    for job in _jobs(jobs or (), texts):
        yield {**told, "what": "job", "job": job}


def _totals(files: list[Row]) -> Row:
    """What was looked at of a tree, as `driver.Totals` counts it."""
    read = [row["size"] for row in files if row["key"] is not None]
    dropped = sum(len(names) for row in files if row["paths"] for names in json.loads(row["paths"])[0].values())
    return {"files": sum(bool(row["kind"]) for row in files) + dropped, "read": len(read), "bytes": sum(read)}


def _changes(plan: Plan, place: str) -> Changes | None:
    """What differs from the revision of --changed-since: what the driver saw of a folder, what can be seen here of a git tree."""
    if plan.changes or place[:1] != "{":
        return plan.changes
    arguments = argparse.Namespace(**json.loads(plan.arguments))
    if not arguments.changed_since:
        return None
    from shoal.commands import roots, since

    told = json.loads(place)
    tree = git.Tree(told["git"], told["commit"])
    return since.changes(arguments, roots.project_in(arguments, tree), (), tree)


def _baselined(
    plan: Plan, own: str, findings: tuple[Finding, ...], load: Callable[[str], bytes] | None
) -> tuple[tuple[Finding, ...], tuple[Problem, ...]]:
    """The findings with those of the baseline marked: that of the command line, or of the tree's own settings."""
    file = plan.settings.baseline
    if own and file and load:
        book, problem = baseline.read(file) if os.path.isabs(file) else baseline.read(file, load)
        return (findings, (problem,)) if problem else (baseline.mark(findings, book, os.path.basename(file)), ())
    if not plan.baseline_name:
        return findings, ()
    entries = {fingerprint: baseline.Entry(rule, path, times) for fingerprint, rule, path, times in plan.baseline}
    return baseline.mark(findings, entries, plan.baseline_name), ()


def _owners(run: Run) -> Callable[[str], tuple[str, ...]]:
    """Who owns paths, where what reads CODEOWNERS is installed (`shoal[report]`)."""
    return owners_of(run) if find_spec("codeowners") else lambda path: ()


def _loader(plan: Plan, place: str) -> Callable[[str], bytes] | None:
    """What reads the files of a tree where it stands; None for an input that holds the contents itself."""
    if place[:1] == "{":
        told = json.loads(place)
        return git.Tree(told["git"], told["commit"]).content
    if plan.root:
        return lambda path: read_bytes(os.path.join(plan.root, path), plan.settings.max_file_size)
    return None


class _Survey(host.Survey):
    """What was looked at of a tree. Files that must be looked at again are, in the child process of this worker."""

    def __init__(self, base: Plan, plan: Plan, own: str, texts: Contents) -> None:
        super().__init__(host.Request(plan.paths, plan.root, plan.settings, rulebook(plan), None, 1, False), rulebook(plan))
        self._base = base
        self._own = own
        self._texts = texts

    def dropped(self, folders: dict[str, list[str]], named: list[str]) -> None:
        """Take in files that the gate dropped."""
        for folder, names in folders.items():
            self._folders.setdefault(folder, []).extend(names)
        self._named.update(named)

    def kept(self, found: Found, result: FileResult) -> None:
        """Take in a file that was checked."""
        self._listed((found,))
        if result != FileResult(found.path):
            self.looked[found.path] = host.Looked(found.path, result)

    def _found_at(self, path: str) -> Found:
        return Found(path, self._request.settings.kind(path), (0, 0, 0, 0), path in self._named)

    def _look(
        self,
        found: Sequence[Found],
        progress: host.Progress | None = None,
        data: bytes | None = None,
        cached: bool = True,
        told: Mapping[str, Told] | None = None,
    ) -> int:
        for item in found:
            content = self._texts.data(item.path)
            if content is None:
                continue
            about = told[item.path] if told else None
            (answer,) = _apart(self._base, [[item.path, item.kind, item.named, zlib.compress(content, 1), plain(about or ()), self._own]])
            if isinstance(answer, pool.Lost):
                self.looked[item.path] = host.Looked(item.path, _lost(item.path, answer))
            elif answer[0]:
                self.looked[item.path] = host.Looked(item.path, unpack(item.path, answer[0]))
        return len(found)


def _marked(plan: Plan, row: Row, fingerprint: str) -> str:
    """A fingerprint that is no other tree's; for git trees as the local engine has it (`commands.roots`)."""
    mark = text_of(row["repo"])
    if row["place"]:
        told = json.loads(row["place"])
        mark = f"{told['top']}@{told['commit'] if mark.rpartition('@')[0] in plan.shared else ''}"
    return sha256(f"{mark}\0{fingerprint}".encode("utf-8", "surrogateescape")).hexdigest()[:20]


class Contents(Mapping[str, str]):
    """The decoded texts of a tree's files, inflated when asked for."""

    def __init__(self, plan: Plan, load: Callable[[str], bytes] | None) -> None:
        self._plan = plan
        self._load = load
        self._data: dict[str, bytes] = {}
        self._lines: dict[str, Lines] = {}
        self._texts: dict[str, Decoded | None] = {}

    def add(self, path: str, content: bytes) -> None:
        self._data[path] = content

    def data(self, path: str) -> bytes | None:
        """The bytes of a file, fetched from where it stands when they did not come along."""
        found = self._data.get(path)
        if found:
            return zlib.decompress(found)
        try:
            return self._load(path) if self._load else None
        except (OSError, ValueError):
            return None

    def decoded(self, path: str) -> Decoded | None:
        if path not in self._texts:
            data = self.data(path)
            kind = self._plan.settings.kind(path)
            self._texts[path] = None if data is None else decode(data, "latin-1" if kind == "properties" else "utf-8")
        return self._texts[path]

    def __getitem__(self, path: str) -> str:
        found = self.decoded(path)
        return found.text if found else ""

    def lines(self, path: str) -> Lines:
        if path not in self._lines:
            self._lines[path] = Lines(self[path])
        return self._lines[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)


def problem_row(problem: Problem) -> Row:
    return {
        "path": column(problem.path),
        "kind": problem.kind,
        "message": column(problem.message),
        "line": problem.line,
        "help": column(problem.help),
    }


def _jobs(jobs: Iterable[Job], texts: Contents) -> Iterator[Row]:
    from shoal.jobs.describe import described

    for job in jobs:
        if job.kind not in ("job", "cluster"):
            continue
        told = described(job, lambda path, offset: texts.lines(path).line(offset))
        base = {
            "job": column(told["name"]),
            "kind": told["kind"],
            "environment": column(told["environment"]),
            "managed_by": told["managed_by"],
            "files": [{"path": column(file["path"]), "why": file["why"]} for file in told["files"]],
        }
        for engine in told["engines"] or [{"engine": "", "version": "", "settings": []}]:
            yield {
                **base,
                "engine": engine["engine"],
                "version": engine["version"],
                "settings": [(column(one["option"]), column(one["value"])) for one in engine["settings"] if one["known"]],
                "origins": [
                    {name: column(one[name]) if isinstance(one[name], str) else one[name] for name in _ORIGIN} for one in engine["settings"]
                ],
            }


_ORIGIN = ("option", "key", "value", "known", "path", "line", "origin")


# -- facts ------------------------------------------------------------------------------------------------------------------------------------


def fact_rows(plan: Plan, found: Batches) -> Batches:
    """The facts of files, a row each."""
    yield from rows.batches((fact for row in rows.rows(found) for fact in _facts(plan, row)), {**rows.TREE, **rows.FACT})


def _facts(plan: Plan, row: Row) -> Iterator[Row]:
    path = text_of(row["path"])
    result = unpack(path, json.loads(relocate(row["packed"], shown_of(text_of(row["key"])), path)))
    if not result.facts:
        return
    data = zlib.decompress(row["content"])
    lines = Lines(decode(data, "latin-1" if row["kind"] == "properties" else "utf-8").text)
    blocks = {fact.id: fact for fact in result.facts if isinstance(fact, Block)}
    for fact in result.facts:
        told = fact_row(fact, blocks)
        if told is not None:
            start = told["start"]
            yield {"repo": row["repo"], "rev": row["rev"], "path": row["path"], **told, "line": lines.line(start)}


def fact_row(fact: Fact | Suppression, blocks: Mapping[str, Block]) -> Row | None:
    """A fact by the columns of the table of facts, without its line; None for what is only shoal's own business."""
    row: Row
    if isinstance(fact, Setting):
        row = {
            "fact": "setting",
            "block": fact.block,
            "engine": fact.engine,
            "key": fact.key,
            "value": fact.text,
            "known": fact.known,
            "sure": fact.sure,
        }
    elif isinstance(fact, Block):
        row = {"fact": "block", "block": fact.id, "engine": fact.engine, "name": fact.name, "traits": list(dict(fact.traits).items())}
    elif isinstance(fact, Dependency):
        row = {
            "fact": "dependency",
            "block": fact.block,
            "kind": fact.ecosystem,
            "name": fact.name,
            "version": fact.version,
            "known": fact.exact,
        }
    elif isinstance(fact, facts.Entry):
        row = {"fact": "entry", "block": fact.block, "kind": fact.kind, "name": fact.target, "detail": " ".join(fact.args)}
    elif isinstance(fact, Mount):
        row = {"fact": "mount", "block": fact.block, "kind": fact.kind, "name": fact.name, "detail": fact.path}
    elif isinstance(fact, Oddity):
        row = {"fact": "oddity", "block": fact.block, "kind": fact.kind, "name": fact.subject, "detail": fact.detail}
    elif isinstance(fact, Statement):
        row = {
            "fact": "statement",
            "block": fact.block,
            "kind": fact.kind,
            "name": fact.target,
            "detail": " ".join(fact.sources),
            "value": " ".join(fact.features),
        }
    elif isinstance(fact, Usage):
        if fact.kind in _OURS:
            return None
        row = {"fact": "usage", "block": fact.block, "kind": fact.kind, "detail": fact.detail}
    else:
        return None
    block = blocks.get(row["block"])
    if block is not None:
        row["role"], row["form"] = block.role, block.form
        row.setdefault("engine", block.engine)
    row["start"], row["end"] = (fact.key_place() if isinstance(fact, Setting) else fact.place).span
    if "traits" in row:
        row["traits"] = [(column(name), column(value)) for name, value in row["traits"]]
    return {name: column(value) if isinstance(value, str) else value for name, value in row.items()}


# Facts by which shoal puts files together; nobody else would ask for them.
_OURS = TELLING | {"import", "chart-value", "kustomize-image"}

STEPS: dict[str, Callable[[Plan, Batches], Batches]] = {
    "list-top": list_top,
    "list-folders": list_folders,
    "list-repository": list_repository,
    "scan": scan,
    "scan-contents": scan_contents,
    "check": check,
    "scan-and-check": scan_and_check,
    "conclude": conclude_trees,
    "files": file_rows,
    "facts": fact_rows,
}


# Steps of which this Python worker has loaded what they need.
_settled: set[str] = set()


def run(step: str, plan: Plan, found: Batches) -> Batches:
    """One step of an audit over the batches of a partition."""
    if wheel.archive():
        told = pickle.dumps(plan)
        wheel.unpack()
        unpacked = import_module("shoal.spark.executor")
        yield from unpacked.run(step, pickle.loads(told), found)
        return
    yield from STEPS[step](plan, found)
    if step not in _settled:
        # PySpark collects garbage after each task. To look through modules and rules for it takes longer than most tasks
        _settled.add(step)
        gc.collect()
        gc.freeze()
