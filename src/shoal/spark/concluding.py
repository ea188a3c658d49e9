"""Whole trees are concluded: findings, problems and jobs, out of what their contents yield."""

from __future__ import annotations

import argparse
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec

from shoal import baseline, git, host, pool
from shoal.changes import Changes, Touched
from shoal.cli import UsageError
from shoal.core import conclude, grouped
from shoal.discover import Found
from shoal.files import read_bytes
from shoal.job import Job
from shoal.model import FileResult, Finding, LeftOut, Problem, Told
from shoal.report import Run
from shoal.report.html.owners import owners_of
from shoal.report.layout import Locator
from shoal.spark import rows
from shoal.spark.checking import apart, lost_result
from shoal.spark.contents import Contents
from shoal.spark.found import finding_row
from shoal.spark.plan import Plan, column, plan_in, relocate, rulebook, shown_of, text_of, whole
from shoal.spark.rows import Batches, Row
from shoal.wire import plain, unpack


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
            (answer,) = apart(self._base, [[item.path, item.kind, item.named, zlib.compress(content, 1), plain(about or ()), self._own]])
            if isinstance(answer, pool.Lost):
                self.looked[item.path] = host.Looked(item.path, lost_result(item.path, answer))
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
