"""What runs in Python workers: rows in, rows out, in Arrow batches. No function here knows a session or a DataFrame."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import posixpath
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from shoal import baseline, facts, gate, git, host, pool
from shoal.across import ROUNDS, tell
from shoal.cache import digest as digest_of
from shoal.core import conclude
from shoal.discover import Found, discover, in_tree, reason
from shoal.facts import Block, Dependency, Fact, Mount, Oddity, Setting, Statement, Usage
from shoal.files import read_bytes
from shoal.git import Entry
from shoal.jobs.boundaries import marks_project
from shoal.jobs.outside import names_service
from shoal.model import FileResult, LeftOut, Problem, Told
from shoal.readers import READERS
from shoal.report import Run
from shoal.report.html.owners import PLACES, owners_of
from shoal.report.layout import Locator
from shoal.rulebook import RuleLoadError
from shoal.spark import rows, wheel
from shoal.spark.found import finding_row
from shoal.spark.plan import Plan, checked_as, column, key_of, relocate, rulebook, shown_of, text_of, whole
from shoal.suppress import Suppression
from shoal.text import Decoded, Lines, decode
from shoal.wire import pack, unpack

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
Batches = Iterator["pa.RecordBatch"]

_PORTION_BYTES = 1_000_000
_PORTION_FILES = 256
_GIVEN_BYTES = 300_000
_GIVEN_FILES = 64
_CODE = frozenset({"python", "notebook", "sql"})


# -- list -------------------------------------------------------------------------------------------------------------------------------------


def list_folder(plan: Plan, found: Batches) -> Batches:
    """The files of a folder that this machine sees, in portions of about as many bytes; the paths asked for are those of the plan."""
    for row in rows.rows(found):
        discovery = discover(plan.paths or (plan.root,), plan.root, plan.settings, plan.force_exclude)
        notes = json.dumps([_plain_notes(discovery.problems, discovery.left_out)])
        tree: Row = {"repo": row["repo"], "rev": row["rev"], "place": plan.root}
        yield from rows.batches(
            ({**tree, "files": files, "notes": note} for files, note in _portions(discovery.found, notes)), rows.PORTION
        )


def list_repository(plan: Plan, found: Batches) -> Batches:
    """The files of git repositories (`repo` is `PATH` or `PATH@REVISION`), in portions that name blobs."""
    yield from rows.batches((portion for row in rows.rows(found) for portion in _repository(plan, row["repo"])), rows.PORTION)


def _repository(plan: Plan, text: str) -> Iterator[Row]:
    folder, revision = git.split(os.path.join(plan.base, text)) or (os.path.join(plan.base, text), "")
    if not revision and "@" in text:  # there is no such repository
        folder, _, revision = folder.rpartition("@")
    revision = revision or "HEAD"
    name = git.named(text, revision)
    try:
        tree = git.Tree(folder, revision)
        discovery = in_tree(tree.entries.values(), plan.settings)
    except git.GitError as error:
        wrong = _plain_notes((Problem("", "unreadable", reason(error), help=error.help),), ())
        yield {"repo": column(name), "rev": "", "place": "", "files": "[]", "notes": json.dumps([wrong])}
        return
    place = json.dumps({"git": tree.folder, "commit": tree.commit, "top": tree.top})
    notes = json.dumps([_plain_notes(discovery.problems, discovery.left_out)])
    for files, note in _portions(discovery.found, notes):
        yield {"repo": column(name), "rev": tree.commit, "place": place, "files": files, "notes": note}


def _portions(found: Iterable[Found], notes: str) -> Iterator[tuple[str, str]]:
    kept: list[list[Any]] = []
    weight = 0
    for item in found:
        kept.append([item.path, item.kind, list(item.stamp), item.named])
        weight += item.size
        if weight >= _PORTION_BYTES or len(kept) >= _PORTION_FILES:
            yield json.dumps(kept), notes
            kept, weight, notes = [], 0, ""
    if kept or notes:
        yield json.dumps(kept), notes


def _plain_notes(problems: Iterable[Problem], left_out: Iterable[LeftOut]) -> list[Any]:
    return [[list(problem) for problem in problems], [list(item) for item in left_out]]


# -- read, gate, hash -------------------------------------------------------------------------------------------------------------------------


def scan(plan: Plan, found: Batches) -> Batches:
    """Read the files of portions; those that pass the gate keep their content."""
    yield from rows.batches(_scanned(plan, rows.rows(found)), rows.SCANNED)


def _scanned(plan: Plan, portions: Iterator[Row]) -> Iterator[Row]:
    limit = plan.settings.max_file_size
    for portion in portions:
        tree = {name: portion[name] for name in ("repo", "rev", "place")}
        if portion["notes"]:
            yield {**tree, "path": "", "looked": False, "read": False, "marks": False, "notes": json.dumps(json.loads(portion["notes"])[0])}
        items = [Found(path, kind, tuple(stamp), named) for path, kind, stamp, named in json.loads(portion["files"])]
        for item, data in _read(portion["place"], items, limit):
            if isinstance(data, bytes):
                yield _row(plan, tree, item, data)
            else:
                yield _unread(tree, item, Problem(item.path, "unreadable", reason(data), help=getattr(data, "help", "")))


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
    for item in items:
        try:
            yield item, read_bytes(os.path.join(place, item.path), limit)
        except (OSError, ValueError) as error:
            yield item, error


def _oid(item: Found) -> str:
    """The name of a blob, which `discover.in_tree` keeps as the inode: SHA-1, or SHA-256 in newer repositories."""
    name = f"{item.stamp[3]:040x}"
    return name if len(name) == 40 else name.zfill(64)


def scan_contents(plan: Plan, found: Batches) -> Batches:
    """The same for rows that hold their content already: `repo`, `rev`, `path`, `content`."""
    yield from rows.batches((one for row in rows.rows(found) if (one := _content_row(plan, row))), rows.SCANNED)


def _content_row(plan: Plan, row: Row) -> Row | None:
    path = posixpath.normpath((row["path"] or "").replace("\\", "/")).lstrip("/")
    content = row["content"]
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    size = len(data) if data is not None else row.get("size") or 0
    tree = {"repo": row["repo"] or "", "rev": row["rev"] or ""}
    discovery = in_tree((Entry(path, "100644", "0", size),), plan.settings)
    if discovery.found and data is not None:
        return _row(plan, tree, discovery.found[0], data, True)
    if path in PLACES and data is not None:  # nothing that is checked, but reports say who owns what
        told: Row = {"path": path, "looked": False, "read": False, "marks": True, "digest": digest_of(data)}
        return {**tree, **told, "content": zlib.compress(data, 1)}
    left_out = discovery.left_out or ((LeftOut(path, "empty", "the row has no content"),) if discovery.found else ())
    return {**tree, "path": "", "looked": False, "marks": False, "notes": json.dumps(_plain_notes((), left_out))} if left_out else None


def _unread(tree: Row, item: Found, problem: Problem) -> Row:
    notes = json.dumps(_plain_notes((problem,), ()))
    return {**_listed(tree, item), "read": False, "notes": notes}


def _listed(tree: Row, item: Found) -> Row:
    path = item.path
    return {
        **tree,
        "path": column(path),
        "kind": item.kind,
        "named": item.named,
        "size": item.size,
        "stamp": " ".join(map(str, item.stamp)),
        "looked": True,
        "marks": marks_project(path.rpartition("/")[2]) or names_service(path) or item.kind in _CODE,
    }


def _row(plan: Plan, tree: Row, item: Found, data: bytes, only: bool = False) -> Row:
    """A row of a file that was read. `only`: it cannot be read again, so Python keeps its content for what other files may ask of it."""
    row = _listed(tree, item)
    row["digest"] = digest_of(data)
    row["size"] = len(data)
    row["read"] = False
    if data.startswith(gate.LFS_POINTER):
        row["notes"] = json.dumps(_plain_notes((), (LeftOut(item.path, "lfs-pointer", "its content is in Git LFS"),)))
    elif gate.passes(item.kind, data, rulebook(plan).engines):
        why = "" if item.named else gate.left_out(item.kind, data)
        if why:
            row["notes"] = json.dumps(_plain_notes((), (LeftOut(item.path, why),)))
        else:
            row["read"] = True
            row["key"] = column(key_of(row["digest"], item.kind, item.named, checked_as(item.path, plan.settings)))
            row["content"] = zlib.compress(data, 1)
    elif only and item.kind == "python":
        row["content"] = zlib.compress(data, 1)
    return row


# -- check ------------------------------------------------------------------------------------------------------------------------------------


def check(plan: Plan, found: Batches) -> Batches:
    """Check each content once, in a child process of this worker: what kills it is a problem of the file."""
    yield from rows.batches(_checked(plan, found), rows.CHECKED)


def _checked(plan: Plan, found: Batches) -> Iterator[Row]:
    for items in _given(found):
        for item, answer in zip(items, _apart(plan, items), strict=True):
            if isinstance(answer, pool.Lost):
                shown = shown_of(item[0])
                problem = Problem(shown, answer.kind, answer.message, help="exclude the file, and please report this with it")
                answer = (pack(FileResult(shown, problems=(problem,))), plan.settings.timeout)
            packed, seconds = answer
            text = json.dumps(packed) if packed else ""
            yield {"key": column(item[0]), "packed": text, "sure": not (packed and packed[2]), "seconds": seconds}


def _given(found: Batches) -> Iterator[list[list[Any]]]:
    """Items for the child process, in portions of about as many bytes."""
    kept: list[list[Any]] = []
    weight = 0
    for row in rows.rows(found):
        kept.append([text_of(row["key"]), row["kind"], row["named"], row["content"], None])
        weight += len(row["content"])
        if weight >= _GIVEN_BYTES or len(kept) >= _GIVEN_FILES:
            yield kept
            kept, weight = [], 0
    if kept:
        yield kept


# The child process of this Python worker, with the plan that it works for. It outlives a task, as the worker does: what it has loaded is worth keeping.
_children: dict[str, pool.Steady] = {}


def _apart(plan: Plan, items: list[list[Any]]) -> list[Any]:
    """Check contents in the child process: [key or path, kind, named, deflated content, what it is told] each; (packed result, seconds) or Lost."""

    def work(item: list[Any]) -> tuple[list[Any] | None, float]:
        began = time.process_time()
        name, kind, named, content, told = item
        path = shown_of(name) if told is None else name
        data = zlib.decompress(content)
        packed = examined(Found(path, kind, (len(data), 0, 0, 0), named), data, plan, None if told is None else _about(told))
        return packed, time.process_time() - began

    if not pool.AVAILABLE:
        return [work(item) for item in items]
    name = repr(plan)
    if name not in _children:
        for child in _children.values():
            child.close()
        _children.clear()
        _prepare(plan)
        _children[name] = pool.Steady(work, plan.settings.timeout)
    return _children[name].do(items)


def _about(told: list[Any]) -> Told:
    constants, runs, wanted = told
    return Told(tuple((name, value) for name, value in constants), tuple(runs), tuple(wanted))


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
    book, settings = rulebook(plan), plan.settings
    results: dict[str, FileResult] = {}
    problems: set[Problem] = set()
    left_out: set[LeftOut] = set()
    texts = Contents(plan, _loader(plan, next((row["place"] for row in files if row["place"]), "")))
    seen: dict[str, Found] = {}
    for row in files:
        path = text_of(row["path"])
        notes = json.loads(row["notes"]) if row["notes"] else [[], []]
        wrong = tuple(Problem(*item) for item in notes[0])
        left_out.update(LeftOut(*item) for item in notes[1])
        if not row["looked"]:
            problems.update(wrong)
            if row["content"] is not None:
                texts.add(path, row["content"])
            continue
        seen[path] = Found(path, row["kind"], (row["size"], 0, 0, 0), row["named"])
        packed = row["packed"]
        result = unpack(path, json.loads(relocate(packed, shown_of(text_of(row["key"])), path))) if packed else FileResult(path)
        results[path] = result._replace(problems=(*result.problems, *wrong)) if wrong else result
        left_out.update(result.left_out)
        if row["content"] is not None:
            texts.add(path, row["content"])
    results = {path: results[path] for path in sorted(results)}
    asked = frozenset(results)
    theirs: set[Problem] = set()
    if not whole(plan) and any(rule.scope != "file" for rule in book):
        request = host.Request(plan.paths, plan.root, settings, book, None, 1, False)
        around = host._around(request, book, [host.Looked(path, True, result) for path, result in results.items()], [], seen)
        theirs = {problem for item in around for problem in item.result.problems}
        results = dict(sorted({**{item.path: item.result for item in around}, **results}.items()))
    results = _told(plan, results, seen, texts)
    findings, more = conclude(results.values(), book, settings, texts)
    kept = host.about(findings, asked, settings)
    if plan.several:
        kept = tuple(finding._replace(fingerprint=_marked(plan, files[0], finding.fingerprint)) for finding in kept)
    if plan.baseline_name:
        entries = {fingerprint: baseline.Entry(rule, path, times) for fingerprint, rule, path, times in plan.baseline}
        kept = baseline.mark(kept, entries, plan.baseline_name)
    base: Row = {"repo": tree[0], "rev": tree[1]}
    run = Run((), (), (), 0, 0, book, texts.decoded)
    locator, owners = Locator(run), _owners(run)
    for finding in kept:
        yield {**base, "what": "finding", "finding": finding_row(finding, locator, owners(finding.primary.path))}
    for problem in sorted({*problems, *more} - theirs):
        yield {**base, "what": "problem", "problem": problem_row(problem)}
    for item in sorted(left_out):
        yield {**base, "what": "left_out", "left_out": dict(zip(rows.LEFT_OUT, map(column, item), strict=True))}
    if plan.jobs:
        for job in _jobs(plan, results.values(), texts):
            yield {**base, "what": "job", "job": job}


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


def _told(plan: Plan, results: dict[str, FileResult], seen: Mapping[str, Found], texts: Contents) -> dict[str, FileResult]:
    """The results with those of the files looked at again about which other files say something: `host` does the same."""
    if not any(result.facts for result in results.values()):
        return results

    for _ in range(ROUNDS):
        told = {path: about for path, about in tell(results, plan.settings).items() if path in seen}
        if not told:
            break
        for path, about in told.items():
            data = texts.data(path)
            first, item = results[path], seen[path]
            result = FileResult(path)
            if data is not None:
                plain = [list(map(list, about.constants)), list(about.runs), list(about.wanted)]
                (answer,) = _apart(plan, [[path, item.kind, item.named, zlib.compress(data, 1), plain]])
                if isinstance(answer, pool.Lost):
                    problem = Problem(path, answer.kind, answer.message, help="exclude the file, and please report this with it")
                    result = FileResult(path, problems=(problem,))
                elif answer[0]:
                    result = unpack(path, answer[0])
            results[path] = result._replace(left_out=first.left_out, told=about)
    return results


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


def _jobs(plan: Plan, results: Iterable[FileResult], texts: Contents) -> Iterator[Row]:
    from shoal.jobs import jobs_of
    from shoal.jobs.describe import described

    for job in jobs_of(results, plan.settings):
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
_OURS = frozenset({"asks", "has", "runs", "import", "chart-value", "kustomize-image"})

STEPS: dict[str, Callable[[Plan, Batches], Batches]] = {
    "list-folder": list_folder,
    "list-repository": list_repository,
    "scan": scan,
    "scan-contents": scan_contents,
    "check": check,
    "conclude": conclude_trees,
    "facts": fact_rows,
}


def run(step: str, plan: Plan, found: Batches) -> Batches:
    """One step of an audit over the batches of a partition."""
    if wheel.archive():
        told = pickle.dumps(plan)
        wheel.unpack()
        unpacked = import_module("shoal.spark.executor")
        return unpacked.run(step, pickle.loads(told), found)  # type: ignore[no-any-return]
    return STEPS[step](plan, found)
