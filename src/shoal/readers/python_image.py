"""Which Python the last stage of a Dockerfile has, and which files of the build context are installed for it."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers.images import parse
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.model import Span
    from shoal.readers import Reading
    from shoal.readers.dockerfile import Copy, Instruction

_TAG = pattern(r"3(?:\.(\d{1,2}))?(?:\.\d+)?(?:(?:a|b|rc)\d+)?(?:-.*)?")
# Tags that mean the newest Python, and what it was at least when this was written: 3.14 of October 2025.
_NEWEST_TAG = pattern(r"(?:latest|slim|alpine|bookworm|trixie|bullseye)?(?:-.*)?")
NEWEST = 14
# What may bring another Python than the image's own.
_ELSEWHERE = pattern(r"(?i)conda|mamba|pyenv|deadsnakes|pypy|uv[ \t]+(?:python|venv)|UV_PYTHON|--python\b")
_NAMED = pattern(r"(?i)python-?3\.(\d+)")
_LISTED = pattern(r"(?:[ \t]-r|--requirements?)[ \t=]*([\w./-]+)")
# Commands that install what a project itself asks for, and the files in which it does.
_PROJECT = (
    (re.compile(r"pip[\d.]*\s+install\s+(?:-[\w=-]+\s+)*\.(?:\[[\w,-]+\])?(?=\s|$|&|;)"), ("pyproject.toml",)),
    (re.compile(r"\bpoetry\b[^\n&;|]*\sinstall\b"), ("pyproject.toml", "poetry.lock")),
    (re.compile(r"\bpdm\b[^\n&;|]*\s(?:install|sync)\b"), ("pyproject.toml", "pdm.lock")),
    (re.compile(r"\buv\b[^\n&;|]*\ssync\b"), ("pyproject.toml", "uv.lock")),
    (re.compile(r"\bpipenv\b[^\n&;|]*\s(?:install|sync)\b"), ("Pipfile", "Pipfile.lock")),
)


class Stage(NamedTuple):
    """`reference` is the base image with the build's arguments filled in, or the name of a stage before; `at` counts instructions."""

    reference: str
    alias: str
    at: int
    span: Span
    argued: bool


class Python(NamedTuple):
    """The minor version of Python 3 in an image; `newest`: its tag names none, so it is this one or a later one."""

    minor: int
    newest: bool
    alpine: bool


def python_of(reference: str) -> Python | None:
    """The Python that an image of Python has; None for any other image, and where its tag is not known."""
    image = parse(reference)
    if image is None or "$" in reference or image.name.rsplit("/", 1)[-1] != "python":
        return None
    found = _TAG.fullmatch(image.tag)
    alpine = "alpine" in image.tag
    if found is not None and found.group(1):
        return Python(int(found.group(1)), False, alpine)
    official = image.name == "python" or image.name.endswith("library/python")
    return Python(NEWEST, True, alpine) if official and not image.digest and (found or _NEWEST_TAG.fullmatch(image.tag)) else None


def read_python(instructions: list[Instruction], stages: list[Stage], copies: Iterable[Copy], out: Reading) -> None:
    """Add what is known of the last stage's Python, with the stages before it that have the same one and so may install for it."""
    bases = [_base(stages, index) for index in range(len(stages))]
    pythons = [python_of(base.reference) for base in bases]
    last = pythons[-1] if pythons else None
    if last is None or any(_brings_another(instruction.text.text, last) for instruction in instructions if instruction.name != "FROM"):
        return
    ends = [*(stage.at for stage in stages[1:]), len(instructions)]
    files: list[str] = []
    spans = []
    for stage, end, python in zip(stages, ends, pythons, strict=True):
        if python is not None and python.minor == last.minor:
            inside = instructions[stage.at : end]
            files += _installed(inside, list(copies))
            spans.append([inside[0].text.span(0, 0).start, max(one.text.span(0, len(one.text.text)).end for one in inside)])
    detail = {
        **last._asdict(),
        "image": bases[-1].reference,
        "argued": bases[-1].argued,
        "librdkafka": any("rdkafka" in instruction.text.text for instruction in instructions),
        "files": sorted(set(files)),
        "stages": spans,
    }
    out.facts.append(Usage("image-python", json.dumps(detail), out.place(bases[-1].span)))


def _base(stages: list[Stage], index: int) -> Stage:
    """The stage whose base image one builds on in the end."""
    for before in range(index - 1, -1, -1):
        if stages[before].alias and stages[before].alias == stages[index].reference.lower():
            return _base(stages, before)
    return stages[index]


def _brings_another(text: str, python: Python) -> bool:
    """Whether an instruction speaks of a Python that is not the image's."""
    return _ELSEWHERE.search(text) is not None or any(int(found) != python.minor for found in _NAMED.findall(text))


def _installed(instructions: list[Instruction], copies: list[Copy]) -> list[str]:
    """The files, relative to the build context, whose requirements the commands of a stage install."""
    found: list[str] = []
    folder = ""
    for name, body, _ in instructions:
        if name == "WORKDIR":
            folder = posixpath.join(folder, body.text.strip().strip("\"'"))
        elif name == "RUN":
            text = body.text.replace("\\\n", " ")
            if "pip" in text:
                found += [_outside(posixpath.join(folder, file), copies) for file in _LISTED.findall(text)]
            for command, files in _PROJECT:
                if command.search(text):
                    found += [source for file in files for source in _sources(file, copies)]
    return [file for file in found if file]


def _sources(name: str, copies: list[Copy]) -> list[str]:
    """Where a file of this name is copied from, the top of the build context when it comes with everything else."""
    return [posixpath.normpath(copy.source) for copy in copies if posixpath.basename(copy.source) == name] or [name]


def _outside(path: str, copies: list[Copy]) -> str:
    """What a path in the image is in the build context, by the COPY that reaches deepest; empty when none puts it there."""
    path = posixpath.normpath(path)
    best = (-1, "")
    for copy in copies:
        target = posixpath.normpath(copy.target)
        if target == "." and not path.startswith("/"):
            rest = path
        elif path == target or path.startswith(f"{target.rstrip('/')}/"):
            rest = path[len(target) :].strip("/")
        else:
            continue
        if rest == posixpath.basename(copy.source):  # copied into a folder that is there already
            rest = ""
        best = max(best, (len(target), posixpath.normpath(posixpath.join(copy.source, rest))))
    return best[1].lstrip("/")
