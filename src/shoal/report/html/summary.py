"""What is said above the list: what to fix first, and the counts by severity, rule, engine, owner and folder."""

from __future__ import annotations

from collections import Counter

from shoal.records import NamedTuple
from shoal.report import Run
from shoal.report.html.rows import Row

NOBODY = "(nobody)"
TOP = "."
_DEPTH = 3  # components of a path that make a folder of the summary, or two below what all have in common


class Count(NamedTuple):
    """`errors`, `warnings` and `notes` are of `total`; `worst` is the heaviest severity among them."""

    name: str
    total: int
    errors: int
    warnings: int
    notes: int
    text: str = ""

    @property
    def worst(self) -> str:
        return "error" if self.errors else "warning" if self.warnings else "info"


class Summary(NamedTuple):
    """Each is ordered by weight. `owners` is empty when the project names none; `first` are the rules to start with.

    A finding counts in one of `folders`, and in each of `inside` that holds it (those are in order of name). `common` starts every folder.
    """

    severities: tuple[Count, ...]
    confidences: tuple[Count, ...]
    rules: tuple[Count, ...]
    engines: tuple[Count, ...]
    owners: tuple[Count, ...]
    folders: tuple[Count, ...]
    inside: tuple[Count, ...]
    first: tuple[Count, ...]
    common: str


def summary_of(run: Run, rows: list[Row]) -> Summary:
    texts = {rule.id: rule.summary for rule in run.rulebook.rules}
    rules = _counts([(row.rule, row.severity) for row in rows], texts)
    owned = any(row.owners for row in rows)
    common = _common([row.folder for row in rows])
    depth = max(_DEPTH, len(common) + 2)
    pairs = [(row.folder.split("/")[:depth], row) for row in rows]
    weights = {name: place for place, name in enumerate(("error", "warning", "info", "high", "medium", "low"))}
    return Summary(
        tuple(sorted(_counts([(row.severity, row.severity) for row in rows]), key=lambda count: weights[count.name])),
        tuple(sorted(_counts([(row.confidence, row.severity) for row in rows]), key=lambda count: weights[count.name])),
        rules,
        _counts([(row.engine, row.severity) for row in rows]),
        _counts([(owner, row.severity) for row in rows for owner in row.owners or (NOBODY,)]) if owned else (),
        _counts([("/".join(folder) or TOP, row.severity) for folder, row in pairs]),
        _inside(pairs),
        rules[:6],
        "".join(f"{part}/" for part in common),
    )


def _common(folders: list[str]) -> list[str]:
    """The components that all folders start with."""
    if not folders:
        return []
    split = [folder.split("/") for folder in folders]
    pairs = enumerate(zip(min(split), max(split), strict=False))
    return min(split)[: next((at for at, (one, other) in pairs if one != other), min(len(min(split)), len(max(split))))]


def _inside(pairs: list[tuple[list[str], Row]]) -> tuple[Count, ...]:
    """Counts of all folders that hold findings at any depth, by name."""
    named = (("/".join(parts[:end]), row.severity) for parts, row in pairs for end in range(1, len(parts) + 1))
    return tuple(sorted(_counts([(name, severity) for name, severity in named if name])))


def _counts(named: list[tuple[str, str]], texts: dict[str, str] | None = None) -> tuple[Count, ...]:
    """Counts by name: most errors first, then most warnings."""
    by_name: dict[str, Counter[str]] = {}
    for name, severity in named:
        by_name.setdefault(name, Counter())[severity] += 1
    counts = [
        Count(name, found.total(), found["error"], found["warning"], found["info"], (texts or {}).get(name, ""))
        for name, found in by_name.items()
    ]
    return tuple(sorted(counts, key=lambda count: (-count.errors, -count.warnings, -count.notes, count.name)))
