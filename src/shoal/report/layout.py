"""What every renderer needs: where a place is in lines and columns, how paths and texts are shown, how things are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from shoal.cells import HEADER
from shoal.lazy import pattern
from shoal.model import Edit, Place, Problem
from shoal.report import Piece, Run
from shoal.report import Range as Range
from shoal.text import Decoded, Lines

if TYPE_CHECKING:
    from shoal.cells import Cells, InCell

AROUND = 2  # lines shown before and after a primary place, where there is room for it
MARKED = 8  # lines of a longer place that are shown
_SHOWN = 400  # characters of a longer line
_AT_HAND = 50  # lines put together again; a notebook may be one line of a megabyte

# Control characters, and the ones that reorder or hide text: none of them may reach a terminal or a log as they are.
_UNSAFE = pattern("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ue000]")


def visible(text: str) -> str:
    """The text with everything that a terminal could act on written out (`\\x1b`, `\\n`); tabs stay."""

    if text.isprintable():  # nearly always, and the expression takes a millisecond to compile
        return text

    def escape(match: re.Match[str]) -> str:
        code = ord(match.group())
        if code == 0x0A:
            return "\\n"
        if code == 0x0D:
            return "\\r"
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

    return _UNSAFE.sub(escape, text)


class Locator:
    """Turns places into ranges and excerpts; reads each file with findings once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._files: dict[str, tuple[Decoded, Lines] | None] = {}
        self._cells: dict[str, Cells | None] = {}
        self._restored: dict[tuple[str, int], str] = {}

    def _file(self, path: str) -> tuple[Decoded, Lines] | None:
        if path not in self._files:
            decoded = self._run.text(path)
            self._files[path] = (decoded, Lines(decoded.text)) if decoded else None
        return self._files[path]

    def range(self, place: Place) -> Range:
        if self._run.positions and (known := self._run.positions.ranges.get((place.path, place.span.start, place.span.end))):
            return known
        file = self._file(place.path)
        if file is None:
            return Range(1, 1, 1, 1)
        _, lines = file
        line, column = lines.position(place.span.start)
        end_line, end_column = lines.position(max(place.span.end, place.span.start))
        if end_column == 1 and end_line > line:  # a span that ends with its line's ending
            end_line -= 1
            end_column = len(lines.content(end_line)) + 1
        return Range(line, column, end_line, end_column)

    def edit(self, edit: Edit) -> Range:
        """What an edit replaces: to the very end, be it the ending of a line."""
        if self._run.positions and (known := self._run.positions.edits.get((edit.path, edit.span.start, edit.span.end))):
            return known
        file = self._file(edit.path)
        return Range(*file[1].position(edit.span.start), *file[1].position(edit.span.end)) if file else Range(1, 1, 1, 1)

    def cell(self, place: Place) -> InCell | None:
        """Where a place in a notebook is as its author sees it; None for one in any other file."""
        path = place.path
        if not path.endswith((".ipynb", ".py")):
            return None
        if self._run.positions:
            return self._run.positions.cells.get((path, place.span.start))
        if path not in self._cells:
            file = self._file(path)
            notebook = file is not None and (path.endswith(".ipynb") or file[0].text.startswith(HEADER))
            self._cells[path] = _cells(path, file[0].text) if file is not None and notebook else None
        found = self._cells[path]
        return found.at(place.span.start) if found else None

    def line(self, path: str, number: int) -> str:
        """The content of a 1-based line, empty when it cannot be read."""
        if self._run.positions and (pieces := self._run.positions.lines.get((path, number))):
            if (path, number) not in self._restored:
                if len(self._restored) > _AT_HAND:
                    self._restored.clear()
                self._restored[path, number] = restored(pieces)
            return self._restored[path, number]
        file = self._file(path)
        return file[1].content(number) if file and 1 <= number <= len(file[1]) else ""

    def numbers(self, place: Place) -> Sequence[int]:
        """The lines that are shown of a place, and around a primary one."""
        found = self.range(place)
        around = AROUND if place.role == "primary" else 0
        return range(max(1, found.line - around), min(found.end_line, found.line + MARKED - 1) + around + 1)

    def snippet(self, place: Place) -> str:
        """The text of a place: its first lines, and of long ones their beginning."""
        found = self.range(place)
        lines = []
        for number in range(found.line, min(found.end_line, found.line + MARKED - 1) + 1):
            start = found.column - 1 if number == found.line else 0
            line = self.line(place.path, number)[: found.end_column - 1 if number == found.end_line else None]
            lines.append(line[start : start + _SHOWN])
        return "\n".join(lines)

    def pieces(self, place: Place) -> Iterator[Piece]:
        """Of the lines of a place what any report shows; `Positions` puts it together again."""
        found = self.range(place)
        for number in self.numbers(place):
            content = self.line(place.path, number)
            if content:
                yield piece(number, content, found.column - 1 if number == found.line else 0)

    def split(self, path: str) -> tuple[str, str]:
        """(name of the git tree, path in it); the name is empty for what stands in the project."""
        return self._run.split(path)

    def shown(self, path: str) -> str:
        """The path as a person in the working directory would write it."""
        return shown(self._run, path)


def indent(content: str) -> int:
    """How many blanks a line begins with, within reason."""
    return min(len(content) - len(content.lstrip()), _SHOWN)


def piece(number: int, content: str, at: int = 0) -> Piece:
    """A line, or of a longer one what reports show when a place in it begins at `at`."""
    if len(content) <= _SHOWN:
        return Piece(number, len(content), 0, content)
    first = max(0, min(at - _SHOWN // 2, len(content) - _SHOWN))
    return Piece(number, len(content), first, content[first : max(at, indent(content)) + _SHOWN])


def restored(pieces: Iterable[Piece]) -> str:
    """The line that pieces are of, with blanks for what no report shows."""
    text: list[str] = []
    at = length = 0
    for one in sorted(pieces, key=lambda one: one.start):
        text += (" " * (one.start - at), one.text[max(0, at - one.start) :])
        at, length = max(at, one.start + len(one.text)), one.length
    return "".join((*text, " " * (length - at)))


def _cells(path: str, text: str) -> Cells:
    from shoal.cells import Cells

    return Cells(path, text)


def shown(run: Run, path: str) -> str:
    """The path as a person in the working directory would write it; paths in git trees start with the tree's name."""
    return path if run.split(path)[0] else relative(path, run.prefix)


def relative(path: str, prefix: str) -> str:
    """A root-relative path as seen from `prefix`: a root-relative folder, or, ending in `/`, what the root itself is called from there."""
    if prefix.endswith("/"):
        return path if path.startswith("/") else prefix + path
    if not prefix or path.startswith("/"):
        return path
    if path.startswith(prefix + "/"):
        return path[len(prefix) + 1 :]
    here, there = prefix.split("/"), path.split("/")
    common = 0
    while common < min(len(here), len(there) - 1) and here[common] == there[common]:
        common += 1
    return "/".join([".."] * (len(here) - common) + there[common:])


def plural(count: int, noun: str, many: str = "") -> str:
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def problem_text(problem: Problem) -> str:
    return problem.message + (f" ({problem.help})" if problem.help else "")


def severities(counts: Mapping[str, int]) -> str:
    """`2 errors, 1 warning`, in order of weight, out of how many findings there are of each severity."""
    words = {"error": ("error", "errors"), "warning": ("warning", "warnings"), "info": ("note", "notes")}
    return ", ".join(f"{counts[name]:,} {words[name][counts[name] != 1]}" for name in words if counts.get(name))


def totals(run: Run) -> str:
    """The line at the end: what was found, what was silenced, what was looked at and what was not."""
    found = run.open
    parts = [f"{plural(len(found), 'finding')} ({severities(Counter(finding.severity for finding in found))})" if found else "no findings"]
    states = Counter(finding.status.state for finding in run.findings)
    parts += [f"{states[state]:,} {state}" for state in ("suppressed", "baselined") if states[state]]
    if run.problems:
        parts.append(plural(len(run.problems), "problem"))
    text = f"{', '.join(parts)}; {plural(run.files, 'file')} looked at, {run.read:,} read"
    if run.cause:
        text += f"; the settings have changed ({run.cause}), which can have caused all of it"
    elif run.changed is not None:
        text += f"; only what {plural(run.changed, 'changed file')} can have caused"
    if run.left_out:
        reasons = Counter(item.reason for item in run.left_out)
        text += f"; left out: {', '.join(f'{count:,} {reason}' for reason, count in sorted(reasons.items()))}"
    return text
