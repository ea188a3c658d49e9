"""File results as plain lists: what crosses a pipe (marshal) and what is kept in the cache (JSON). Neither can run code when read.

The inverse is written out by hand for each kind of data: it runs for every fact of a remembered tree.
"""

from __future__ import annotations

from sys import intern
from typing import Any

from shoal.facts import TELLING, Block, Dependency, Entry, Mount, Oddity, Origin, Setting, Statement, Unknown, Usage
from shoal.model import Edit, FileResult, Finding, Fix, LeftOut, Place, Problem, Span, Told
from shoal.suppress import Suppression

_TAGS: dict[type, str] = {
    Setting: "s",
    Block: "b",
    Dependency: "d",
    Entry: "e",
    Mount: "m",
    Oddity: "o",
    Statement: "q",
    Usage: "u",
    Suppression: "i",
}


def pack(result: FileResult, facts: bool = True) -> list[Any]:
    """A result as lists, texts and numbers. `facts` False leaves out those that only job rules ask for."""
    kept = [fact for fact in result.facts if type(fact) in _TAGS and (facts or type(fact) is Suppression or _for_files(fact))]
    return [
        [plain(finding) for finding in result.findings],
        [[_TAGS[type(fact)], *plain(fact)] for fact in kept],
        [list(problem) for problem in result.problems],
        [list(item) for item in result.left_out],
        *([plain(result.told)] if result.told else []),
    ]


def _for_files(fact: Any) -> bool:
    """Whether another file's own findings may depend on a fact."""
    return type(fact) is Usage and fact.kind in TELLING


def plain(value: Any) -> Any:
    """Plain data (a `Told`, a fact) with lists for tuples."""
    if isinstance(value, Unknown):
        return [value.text, value.begins] if value.begins else [value.text]
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    return value


def unpack(path: str, data: list[Any]) -> FileResult:
    """The inverse of `pack`. Raises ValueError, TypeError, KeyError or IndexError for what `pack` did not make."""
    findings, facts, problems, left_out, *told = data
    return FileResult(
        path,
        tuple(_finding(*finding) for finding in findings),
        tuple(_FACTS[fact[0]](*fact[1:]) for fact in facts),
        tuple(Problem(*problem) for problem in problems),
        tuple(LeftOut(*item) for item in left_out),
        told_of(*told[0]) if told else None,
    )


def told_of(constants: list[list[str]], *rest: list[str]) -> Told:
    """The inverse of a `Told` as JSON. Raises TypeError or ValueError for anything else."""
    return Told(tuple((name, value) for name, value in constants), *map(tuple, rest))


def _place(data: list[Any]) -> Place:
    path, (start, end), role, label = data
    return Place(path, Span(start, end), role, label)


def _edits(data: list[Any]) -> tuple[Edit, ...]:
    return tuple(Edit(path, Span(start, end), text) for path, (start, end), text in data)


def _finding(
    rule: str, message: str, places: list[Any], severity: str, confidence: str, fixes: list[Any], status: list[str], fingerprint: str
) -> Finding:
    made = tuple(Fix(title, safety, _edits(edits)) for title, safety, edits in fixes)
    return Finding(rule, message, tuple(map(_place, places)), severity, confidence, made, fingerprint=fingerprint)


def _setting(
    block: str,
    engine: str,
    key: str,
    value: Any,
    path: str,
    key_span: list[int],
    value_span: list[int],
    sure: str,
    comment: str,
    origin: list[Any] | None,
) -> Setting:
    # a repository sets the same options again and again, to the same values
    known = intern(value) if isinstance(value, str) else Unknown(*value)
    at = Origin(origin[0], Span(*origin[1])) if origin else None
    return Setting(block, engine, intern(key), known, path, Span(*key_span), Span(*value_span), sure, comment, at)


def _block(
    id: str, engine: str, role: str, form: str, name: str, place: list[Any], parent: str, traits: list[list[str]], open: bool
) -> Block:
    return Block(id, engine, role, form, name, _place(place), parent, tuple((key, value) for key, value in traits), open)


def _dependency(ecosystem: str, name: str, version: str, place: list[Any], exact: bool, block: str) -> Dependency:
    return Dependency(ecosystem, name, version, _place(place), exact, block)


def _entry(kind: str, target: str, args: list[str], place: list[Any], block: str) -> Entry:
    return Entry(kind, target, tuple(args), _place(place), block)


def _mount(path: str, kind: str, name: str, place: list[Any], block: str) -> Mount:
    return Mount(path, kind, name, _place(place), block)


def _oddity(kind: str, block: str, subject: str, detail: str, place: list[Any], related: list[Any], edits: list[Any]) -> Oddity:
    return Oddity(kind, block, subject, detail, _place(place), tuple(map(_place, related)), _edits(edits))


def _statement(kind: str, target: str, sources: list[str], features: list[str], place: list[Any], block: str, alone: str) -> Statement:
    return Statement(kind, target, tuple(sources), tuple(features), _place(place), block, alone)


def _usage(kind: str, detail: str, place: list[Any], block: str) -> Usage:
    return Usage(kind, detail, _place(place), block)


def _suppression(path: str, span: list[int], reach: list[int], rules: list[str], reason: str) -> Suppression:
    return Suppression(path, Span(*span), Span(*reach), tuple(rules), reason)


_FACTS: dict[str, Any] = {
    "s": _setting,
    "b": _block,
    "d": _dependency,
    "e": _entry,
    "m": _mount,
    "o": _oddity,
    "q": _statement,
    "u": _usage,
    "i": _suppression,
}
