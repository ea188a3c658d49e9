"""Versions in TOML: pyproject.toml (PEP 621, dependency groups, Poetry, PDM, uv), Pipfile, and lock files.

A scanner of its own: the standard library's reader gives no positions and is missing on Python 3.10. It knows tables, keys, strings,
arrays and inline tables; anything else is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers import requirements, versions
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.text import Text

_TOKEN = pattern(
    r"""[ \t]*(?:(?P<triple>\"\"\"|''')|"(?P<double>(?:[^"\\\r\n]|\\.)*)"|'(?P<single>[^'\r\n]*)'|(?P<comment>\#[^\r\n]*)|(?P<bare>[^\s"'\#\[\]{},=]+)|(?P<mark>[\[\]{},=])|(?P<line>\r?\n)|(?P<other>.))""",
    re.VERBOSE | re.DOTALL,
)
_LOCKED = pattern(r'(?m)^name = "([^"\r\n]+)"[ \t]*\r?\nversion = "([^"\r\n]+)"')
_BARE_VERSION = pattern(r"\d[A-Za-z0-9.+!_\-]*")
_LISTS = pattern(r"(?:dependencies|dev-dependencies|requires-dist)$")
_DEEPEST = 50
# Where a project says for which Pythons it is.
_PYTHON = (("project", "requires-python"), ("tool", "poetry", "dependencies", "python"), ("requires", "python_version"))


class Leaf(NamedTuple):
    """A string with the path of keys that leads to it (`*` for an array), and where it stands, inside its quotes."""

    path: tuple[str, ...]
    value: str
    at: tuple[int, int]


def read(text: Text, out: Reading) -> None:
    """A pyproject.toml, Pipfile or lock file that names a project of interest."""
    lowered = text.text.lower().replace("_", "-")
    if not any(name in lowered for name in versions.PYPI):
        return
    name = out.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    if name == "pipfile.lock":
        _read_pipfile_lock(text, out)
    elif name.endswith(".lock") or name.startswith("pylock"):
        for found in _LOCKED.finditer(text.text):
            if versions.is_of_interest("pypi", found.group(1)):
                out.dependency("pypi", versions.normal(found.group(1)), found.group(2), text.span(*found.span(2)), True)
    else:
        for leaf in leaves(text.text):
            _read_leaf(leaf, text, out)


def leaves(source: str) -> Iterator[Leaf]:
    """Every string of a TOML text with its path. One pass; what is not TOML yields nothing."""
    table: tuple[str, ...] = ()
    keys: list[str] = []  # of the assignment that is being read
    stack: list[tuple[str, tuple[str, ...], list[str]]] = []  # open brackets: mark, path outside, keys outside
    base: tuple[str, ...] = ()
    header = ""
    value = False
    at, size = 0, len(source)
    while at < size:
        found = _TOKEN.match(source, at)
        if found is None:
            return
        kind = found.lastgroup or ""
        word, at = found.group(kind), found.end()
        if kind == "comment" or kind == "other":
            continue
        if kind == "triple":
            close = source.find(word, at)
            at = size if close == -1 else close + 3
            continue
        if kind == "line":
            if not stack:
                keys, value, header, base = [], False, "", table
            continue
        if kind == "mark":
            if word == "[" and not value and not stack and not keys:
                header = "["
                keys = []
            elif word == "]" and header and not stack:
                if keys:
                    table, keys = tuple(keys), []
            elif word == "=":
                value = True
            elif word in "[{":
                if len(stack) >= _DEEPEST:
                    return
                stack.append((word, base, keys))
                base = (*base, *keys, *(("*",) if word == "[" else ()))
                keys, value = [], word == "["
            elif word in "]}" and stack:
                _, base, keys = stack.pop()
                value = True
            elif word == "," and stack:
                keys, value = [], stack[-1][0] == "["
            continue
        if value and kind in ("double", "single") and (base or keys):
            yield Leaf((*base, *keys), word, found.span(kind))
        elif not value:
            keys += word.split(".") if kind == "bare" else [word]
            keys = [key.strip() for key in keys if key.strip()]


def _read_leaf(leaf: Leaf, text: Text, out: Reading) -> None:
    path = leaf.path
    if path in _PYTHON:
        out.facts.append(Usage("python-range", leaf.value, out.place(text.span(*leaf.at))))
        return
    if path[-1] == "*":
        above = path[-3:-1]
        if any(_LISTS.search(key) for key in above) or "dependency-groups" in path or "optional-dependencies" in path:
            requirements.read_requirement(text, out, *leaf.at)
        return
    poetry = path[:2] == ("tool", "poetry") and len(path) > 3
    if path[0] in ("packages", "dev-packages"):
        name, rest = path[1:2], path[2:]
    elif poetry and path[2] in ("dependencies", "dev-dependencies"):
        name, rest = path[3:4], path[4:]
    elif poetry and len(path) > 5 and path[2] == "group" and path[4] == "dependencies":
        name, rest = path[5:6], path[6:]
    else:
        return
    if not name or not versions.is_of_interest("pypi", name[0]):
        return
    if rest in (("python",), ("markers",)):
        allowed = leaf.value if rest == ("python",) else requirements.pythons(leaf.value)
        out.facts.append(Usage("for-pythons", json.dumps([versions.normal(name[0]), allowed]), out.place(text.span(*leaf.at))))
    if rest not in ((), ("version",)):
        return
    specifier = leaf.value.strip()
    pinned = re.fullmatch(r"(?:={2,3}\s*)?(" + _BARE_VERSION.pattern + ")", specifier)
    version = pinned.group(1) if pinned else "" if specifier == "*" else specifier
    out.dependency("pypi", versions.normal(name[0]), version, text.span(*leaf.at), bool(pinned))


def _read_pipfile_lock(text: Text, out: Reading) -> None:
    from shoal.readers.yaml_tree import compose, get, items, scalar, span

    roots, _ = compose(text.text)
    for root in roots[:1]:
        for group in ("default", "develop"):
            for item in items(get(root, group)):
                version = get(item.value, "version")
                pin = scalar(version) or ""
                if version is not None and pin.startswith("==") and versions.is_of_interest("pypi", item.key):
                    where = span(version)
                    out.dependency("pypi", versions.normal(item.key), pin[2:], text.span(where.start + 1, where.end - 1), True)
