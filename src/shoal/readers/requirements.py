"""Requirements files, what a `setup.py` or `setup.cfg` pins, and the specifiers on a `pip install` line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers import versions
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.model import Span
    from shoal.readers import Reading
    from shoal.text import Text

_REQUIREMENT = pattern(
    r"""(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)[ \t]*(?:\[[^\]\r\n]*\])?[ \t]*
    \(?[ \t]*(?P<spec>(?:===|==|~=|!=|<=|>=|<|>)[ \t]*[A-Za-z0-9.*+!_\-]+(?:[ \t]*,[ \t]*(?:===|==|~=|!=|<=|>=|<|>)[ \t]*[A-Za-z0-9.*+!_\-]+)*)?""",
    re.VERBOSE,
)
# A pin as a literal, and on a line of its own, or the only one of an option.
_IN_QUOTES = pattern(r"""["']([A-Za-z][\w.-]*(?:\[[\w,. -]*\])?[ \t]*===?[^"'\n]*)["']""")
_IN_LINE = pattern(r"(?m)^[ \t]*(?:\w+[ \t]*=(?!=)[ \t]*)?([A-Za-z][\w.-]*(?:\[[\w,. -]*\])?[ \t]*===?[^\n]*)$")
_MARKED = pattern(r"""python_(?:full_)?version\s*(==|~=|!=|<=|>=|<|>)\s*["']([\d.]+(?:\.\*)?)["']""")
_EGG = pattern(r"#egg=([A-Za-z0-9._-]+)")
_PIN = pattern(r"={2,3}[ \t]*([A-Za-z0-9.+!_\-]+)")
_WHEEL = pattern(r"([A-Za-z0-9_.]+)-(\d[A-Za-z0-9_.!+]*)(?:-[A-Za-z0-9_.]+){3,4}\.whl|([A-Za-z0-9_.-]+?)-(\d[A-Za-z0-9_.!+]*)\.tar\.gz")


class Requirement(NamedTuple):
    """`version` is the pinned version, or the whole specifier of a range (`exact` false); offsets are those of the text read; `marker` is
    the condition behind it, if there is one."""

    name: str
    version: str
    exact: bool
    start: int
    end: int
    marker: str = ""


def parse(text: str, start: int = 0, end: int = -1) -> Requirement | None:
    """The requirement that begins at `start` of a text; None when none does."""
    end = len(text) if end < 0 else end
    while start < end and text[start] in " \t\"'":
        start += 1
    found = _REQUIREMENT.match(text, start, end)
    if not found:
        return None
    spec = found.group("spec") or ""
    after = text[found.end() : end].lstrip(" \t)")
    if after.startswith("@") or (not spec and after.startswith(("/", ":", "\\"))):
        return None
    stop = found.end("spec") if spec else found.end("name")
    pin = _PIN.fullmatch(spec)
    name = found.group("name").rstrip("._-")
    marker = after.partition(";")[2].partition("--hash")[0].strip(" \t\\") if after.startswith(";") else ""
    return Requirement(name, pin.group(1) if pin else re.sub(r"[ \t]+", "", spec), bool(pin), found.start("name"), stop, marker)


def read_requirement(text: Text, out: Reading, start: int = 0, end: int = -1) -> None:
    """Add the `pypi` dependency that a specifier names, if it is one of interest."""
    found = parse(text.text, start, end)
    if found is not None:
        _read(found, text.span(found.start, found.end), out)


def read_resolved(value: str, span: Span, out: Reading) -> None:
    """The same for a specifier that stands at `span` in another form (a variable was filled in)."""
    found = parse(value)
    if found is not None:
        _read(found, span, out)


def _read(found: Requirement, span: Span, out: Reading) -> None:
    name = versions.normal(found.name)
    if versions.is_of_interest("pypi", name):
        out.dependency("pypi", name, found.version, span, found.exact)
        if found.marker:
            out.facts.append(Usage("for-pythons", json.dumps([name, pythons(found.marker)]), out.place(span)))
    elif name in versions.MISTAKEN:
        out.oddity("mistaken-package", name, span, versions.MISTAKEN[name])


def pythons(marker: str) -> str:
    """The range of Pythons for which a marker holds, as a specifier; `?` where it asks for something else, too."""
    clauses = [_MARKED.fullmatch(part.strip(" \t()")) for part in re.split(r"\band\b", marker)]
    return ",".join(clause.group(1) + clause.group(2) for clause in clauses if clause) if all(clauses) else "?"


def _read_setup(text: Text, out: Reading, specifier: re.Pattern[str]) -> None:
    """The pins of a `setup.py` or `setup.cfg`. The ranges there are those of a library: what runs is chosen by who installs it."""
    for found in specifier.finditer(text.text):
        line = text.text[text.text.rfind("\n", 0, found.start()) + 1 : found.start()]
        requirement = parse(text.text, *found.span(1)) if "#" not in line else None
        if requirement is not None and requirement.exact:
            _read(requirement, text.span(requirement.start, requirement.end), out)


def read(text: Text, out: Reading) -> None:
    """Requirements and constraints files: one specifier a line; options, includes, URLs and hashes are passed over."""
    name = out.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    if name.startswith("setup."):
        _read_setup(text, out, _IN_QUOTES if name == "setup.py" else _IN_LINE)
        return
    whole = text.text
    for start, end in text.lines():
        while start < end and whole[start] in " \t\x00\x0c\r":
            start += 1
        if start == end or whole[start] in "#\\":
            continue
        if whole.startswith("-", start):
            _read_file_name(text, out, start, end)
            continue
        comment = re.compile(r"[ \t]#").search(whole, start, end)
        stop = comment.start() if comment else end
        if "/" in whole[start:stop].split(";")[0].split("--")[0] and "@" not in whole[start:stop]:
            _read_file_name(text, out, start, stop)
        else:
            read_requirement(text, out, start, stop)


def _read_file_name(text: Text, out: Reading, start: int, end: int) -> None:
    """A wheel or source archive named by path or URL carries its version."""
    line = text.text[start : min(end, start + 2000)]
    at = max(line.rfind("/"), line.rfind(" "), line.rfind("=")) + 1
    found = _WHEEL.match(line, at)
    if not found:
        return
    name, version = (found.group(1), found.group(2)) if found.group(1) else (found.group(3), found.group(4))
    if versions.is_of_interest("pypi", name):
        out.dependency("pypi", versions.normal(name), version, text.span(start + found.start(), start + found.end()), True)
