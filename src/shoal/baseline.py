"""The baseline: findings that are known and do not count, by fingerprint. It only ever shrinks, unless it is told to grow."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable

from shoal.discover import reason
from shoal.files import read_bytes, write_bytes
from shoal.model import Finding, Problem, Status
from shoal.records import NamedTuple

FILE = ".shoal-baseline.json"
_MAX_BYTES = 50_000_000


class Entry(NamedTuple):
    """`times`: how often a finding may occur. `rule` and `path` (relative to the project) are for the reader of the file."""

    rule: str
    path: str
    times: int


Book = dict[str, Entry]


def _load(path: str) -> bytes:
    return read_bytes(path, _MAX_BYTES)


def read(path: str, load: Callable[[str], bytes] = _load) -> tuple[Book, Problem | None]:
    """The entries of a baseline file, by fingerprint."""
    try:
        data = json.loads(load(path))
        if data["version"] != 1:
            raise ValueError(f"version {data['version']} is not known here")
        book = {}
        for entry in data["findings"]:
            if not isinstance(entry["count"], int) or entry["count"] < 1:
                raise ValueError("a count is not a positive number")
            book[str(entry["fingerprint"])] = Entry(str(entry["rule"]), str(entry["path"]), entry["count"])
    except OSError as error:
        return {}, Problem(path, "settings", f"the baseline cannot be read: {reason(error)}", help="`shoal baseline` writes one")
    except (KeyError, TypeError):
        return {}, Problem(path, "settings", "not a baseline of shoal", help="`shoal baseline` writes one")
    except (ValueError, RecursionError) as error:
        return {}, Problem(path, "settings", f"not a baseline: {error}", help="`shoal baseline` writes one")
    return book, None


def mark(findings: Iterable[Finding], book: Book, where: str) -> tuple[Finding, ...]:
    """The findings, those that the baseline knows with status `baselined`."""
    left = {fingerprint: entry.times for fingerprint, entry in book.items()}
    marked = []
    for finding in findings:
        if finding.status.state == "open" and left.get(finding.fingerprint, 0) > 0:
            left[finding.fingerprint] -= 1
            finding = finding._replace(status=Status("baselined", "", where))
        marked.append(finding)
    return tuple(marked)


class Update(NamedTuple):
    """A new baseline, and how it differs: entries that went, and findings that are new and (unless added) still open."""

    book: Book
    gone: int
    new: int


def update(book: Book | None, findings: Iterable[Finding], looked_at: Collection[str], exists: Collection[str], add: bool) -> Update:
    """The baseline after a run.

    `book` is None when there is none yet: then all open findings go in. Else entries only shrink to what was found. An entry
    of a file that was not looked at stays while the file `exists`.
    """
    counts: Book = {}
    for finding in findings:
        if finding.status.state == "open":
            before = counts.get(finding.fingerprint)
            counts[finding.fingerprint] = Entry(finding.rule, finding.primary.path, before.times + 1 if before else 1)
    if book is None:
        return Update(counts, 0, sum(entry.times for entry in counts.values()))
    kept: Book = {}
    for fingerprint, entry in book.items():
        if entry.path not in looked_at and entry.path in exists:
            kept[fingerprint] = entry
        elif found := counts.get(fingerprint):
            kept[fingerprint] = entry._replace(times=min(entry.times, found.times))
    gone = sum(entry.times for entry in book.values()) - sum(entry.times for entry in kept.values())
    new = sum(max(0, entry.times - (kept[fingerprint].times if fingerprint in kept else 0)) for fingerprint, entry in counts.items())
    if add:
        kept |= counts
    return Update(kept, gone, new)


def write(path: str, book: Book) -> None:
    """Write a baseline: a line an entry, in order of path and rule, so that it merges well."""
    rows = sorted((entry.path, entry.rule, fingerprint, entry.times) for fingerprint, entry in book.items())
    lines = ",\n".join(
        json.dumps({"path": place, "rule": rule, "fingerprint": fingerprint, "count": count}) for place, rule, fingerprint, count in rows
    )
    text = '{"version": 1, "findings": [\n' + lines + ("\n" if lines else "") + "]}\n"
    write_bytes(path, text.encode(), os.stat(path) if os.path.exists(path) else None)
