"""Applies fixes: in memory, until nothing is left to fix, each step read and checked again before it counts; then on disk."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator

from shoal.core import conclude
from shoal.discover import Found, reason
from shoal.files import read_bytes, write_bytes
from shoal.host import Outcome, Request, Texts, about, examine
from shoal.model import Edit, Finding, Fix, Problem
from shoal.records import NamedTuple
from shoal.text import Decoded, encode

_ROUNDS = 10  # a fix may make room for another; more rounds than that is two rules undoing each other
_SINGLY = 200  # fixes that are tried one by one when a batch did not hold


class Change(NamedTuple):
    """A file before and after."""

    path: str
    before: bytes
    after: bytes


class Settled(NamedTuple):
    """What the fixes come to. `fixed` findings are gone; `refused` are those whose fix did not hold when it was checked."""

    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    fixed: int
    refused: tuple[Finding, ...]


class _State(NamedTuple):
    """The tree as it would be: contents of changed files, results and findings."""

    contents: dict[str, bytes]
    outcome: Outcome


# A finding and the one of its fixes that is applied.
Step = tuple[Finding, Fix]


def settle(outcome: Outcome, request: Request, unsafe: bool) -> Settled:
    """Apply what can be applied. Nothing is written."""
    state = _State({}, outcome)
    texts = Texts(request)
    refused: dict[tuple[str, str], Finding] = {}
    seen: set[tuple[tuple[str, bytes], ...]] = set()
    fixed = 0
    for _ in range(_ROUNDS):
        steps = list(_choose(state.outcome.findings, texts, outcome.asked, unsafe, refused))
        if not steps:
            break
        done = 0
        after = _try(steps, state, request, texts)
        if after is not None:
            state, done = after, len(steps)
        else:
            for step in steps[:_SINGLY]:
                again = next(_choose([_current(step[0], state)], Texts(request, state.contents), outcome.asked, unsafe, {}), None)
                after = _try([again], state, request, Texts(request, state.contents)) if again else None
                if after is not None:
                    state, done = after, done + 1
                else:
                    refused[_name(step[0])] = step[0]
        fixed += done
        texts = Texts(request, state.contents)
        shape = tuple(sorted(state.contents.items()))
        if shape in seen:
            break
        seen.add(shape)
    original = Texts(request)
    changes = [Change(path, original.data(path) or b"", data) for path, data in sorted(state.contents.items())]
    return Settled(
        tuple(change for change in changes if change.before != change.after), state.outcome.findings, fixed, tuple(refused.values())
    )


def _name(finding: Finding) -> tuple[str, str]:
    return finding.rule, finding.fingerprint


def _current(finding: Finding, state: _State) -> Finding:
    """The same finding after other files or lines changed."""
    return next((other for other in state.outcome.findings if _name(other) == _name(finding)), finding._replace(fixes=()))


def _choose(
    findings: Iterable[Finding], texts: Texts, asked: Container[str], unsafe: bool, refused: dict[tuple[str, str], Finding]
) -> Iterator[Step]:
    """Fixes that do not touch each other, in order of the findings: the first that is allowed of each open finding.

    Nothing is changed in files that were not asked for.
    """
    taken: dict[str, list[Edit]] = {}
    for finding in findings:
        if finding.status.state != "open" or _name(finding) in refused:
            continue
        fix = next((fix for fix in finding.fixes if fix.edits and (unsafe or fix.safety == "safe")), None)
        if fix is None or not all(edit.path in asked and _editable(texts.decoded(edit.path)) for edit in fix.edits):
            continue
        fresh = [edit for edit in fix.edits if edit not in taken.get(edit.path, ())]
        if any(_touch(edit, other) for edit in fresh for other in taken.get(edit.path, ())):
            continue
        for edit in fresh:
            taken.setdefault(edit.path, []).append(edit)
        yield finding, fix


def _editable(decoded: Decoded | None) -> bool:
    """A text with bytes that did not decode would not come back as it was."""
    return decoded is not None and decoded.bad_at < 0


def _touch(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap or meet; two insertions at one place have no order."""
    return one.span.start <= other.span.end and other.span.start <= one.span.end


def _try(steps: list[Step], state: _State, request: Request, texts: Texts) -> _State | None:
    """The state after the steps; None when a file no longer reads, or a finding is still there."""
    edits: dict[str, list[Edit]] = {}
    for _, fix in steps:
        for edit in fix.edits:
            if edit not in edits.setdefault(edit.path, []):
                edits[edit.path].append(edit)
    contents = dict(state.contents)
    results = dict(state.outcome.results)
    for path, changes in edits.items():
        decoded = texts.decoded(path)
        if decoded is None or not all(0 <= edit.span.start <= edit.span.end <= len(decoded.text) for edit in changes):
            return None
        try:
            data = encode(edited(decoded.text, changes), decoded)
        except UnicodeEncodeError:
            return None
        found = Found(path, request.settings.kind(path), (len(data), 0, 0, 0), True)
        told = results[path].told if path in results else None
        _, result = examine(found, data, request.rulebook.only(request.settings.ever_enabled), request.settings, told)
        if set(result.problems) - set(state.outcome.results[path].problems if path in state.outcome.results else ()):
            return None
        contents[path], results[path] = data, result
    rulebook = request.rulebook.only(request.settings.ever_enabled)
    findings, _ = conclude(
        [results[path] for path in sorted(results)], rulebook, request.settings, Texts(request, contents), paths=state.outcome.paths
    )
    reported = about(findings, state.outcome.asked, request.settings)
    before, after = _counts(state.outcome.findings), _counts(reported)
    gone = Counter((finding.rule, finding.primary.path) for finding, _ in steps)
    if any(after[name] > before[name] - count for name, count in gone.items()):
        return None
    known = {finding.fingerprint: finding.status for finding in state.outcome.findings if finding.status.state == "baselined"}
    marked = tuple(finding._replace(status=known.get(finding.fingerprint, finding.status)) for finding in reported)
    return _State(contents, state.outcome._replace(findings=marked, results=results))


def _counts(findings: Iterable[Finding]) -> Counter[tuple[str, str]]:
    return Counter((finding.rule, finding.primary.path) for finding in findings if finding.status.state != "suppressed")


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits that do not overlap; new lines get the line ending that the text uses."""
    crlf = text.count("\r\n") * 2 > text.count("\n") > 0
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        new = edit.new_text.replace("\r\n", "\n").replace("\n", "\r\n") if crlf else edit.new_text
        text = text[: edit.span.start] + new + text[edit.span.end :]
    return text


def write(changes: Iterable[Change], root: str) -> tuple[int, list[Problem]]:
    """Write the changed files; returns how many were. A file that changed meanwhile or leads out of the project is left alone."""
    problems: list[Problem] = []
    written = 0
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    for change in changes:
        path = os.path.join(root, change.path)
        target = os.path.realpath(path)
        try:
            if os.path.islink(path) and not target.startswith(inside):
                problems.append(
                    Problem(change.path, "unwritable", "is a link that leads out of the project", help="fix the file it leads to")
                )
            elif not os.access(target, os.W_OK):
                problems.append(Problem(change.path, "unwritable", "is read-only"))
            elif read_bytes(target, max(len(change.before), 1)) != change.before:
                problems.append(Problem(change.path, "unwritable", "changed while it was checked", help="run again"))
            else:
                write_bytes(target, change.after, os.stat(target))
                written += 1
        except OSError as error:
            problems.append(Problem(change.path, "unwritable", reason(error)))
    return written, problems
