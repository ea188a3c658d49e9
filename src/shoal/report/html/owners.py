"""Who owns a path, as the project's CODEOWNERS says. The file is scanned like any other: nothing in it may stop or stall a report."""

from __future__ import annotations

import re
from collections.abc import Callable

from shoal.lazy import pattern
from shoal.report import Run
from shoal.report.layout import visible

# Where GitHub and GitLab look, in their order.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
_MAX_LINES = 20_000
_MAX_STARS = 6  # more of them in one pattern can make matching take for ever
_SECTION = pattern(r"\^?\[[^\]]*\](?:\[\d+\])?(?P<owners>\s.*)?\Z")


def owners_of(run: Run) -> Callable[[str], tuple[str, ...]]:
    """Answers with the owners of a path, as its project or its git tree says; nobody where that names none.

    What is not seen here was answered where it is seen: `Positions.owners`.
    """
    elsewhere = run.positions.owners if run.positions else {}
    books: dict[str, Callable[[str], tuple[str, ...]]] = {}

    def owners(path: str) -> tuple[str, ...]:
        root, inner = run.split(path)
        if root not in books:
            books[root] = _owners(run, f"{root}/" if root else "")
        return books[root](inner) or elsewhere.get(path, ())

    return owners


def _owners(run: Run, start: str) -> Callable[[str], tuple[str, ...]]:
    text = next((decoded.text for decoded in (run.text(start + place) for place in PLACES) if decoded), "")
    lines = _usable(text)
    if not lines:
        return lambda path: ()
    from codeowners import CodeOwners

    book = CodeOwners("\n".join(lines))
    known: dict[str, tuple[str, ...]] = {}

    def owners(path: str) -> tuple[str, ...]:
        if path not in known:
            known[path] = tuple(visible(name) for _, name in book.of(path))
        return known[path]

    return owners


def _usable(text: str) -> list[str]:
    """Lines of pattern and owners: comments dropped, owners of a GitLab section written out, patterns nobody can read left out."""
    found: list[str] = []
    inherited = ""
    for line in text.splitlines()[:_MAX_LINES]:
        line = re.sub(r"(?:^|\s)#.*", "", line).strip()
        if section := _SECTION.match(line):
            inherited = (section["owners"] or "").strip()
            continue
        pattern, _, owners = re.sub(r"\\ ", "\0", line).partition(" ")
        if pattern and _readable(pattern):
            found.append(f"{pattern} {owners.strip() or inherited}".replace("\0", "\\ ").strip())
    return found


def _readable(pattern: str) -> bool:
    from codeowners import path_to_regex

    if len(pattern) > 1_000 or pattern.count("*") > _MAX_STARS or pattern.startswith("!"):
        return False
    try:
        path_to_regex(pattern)
    except (ValueError, re.error):
        return False
    return True
