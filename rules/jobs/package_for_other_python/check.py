"""Pins of streaming packages beside the Python of the image that installs them, or those that the project says it is for."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from typing import Any

from shoal.classify import classify
from shoal.context import Context
from shoal.facts import Dependency, Usage
from shoal.job import Job, numbers
from shoal.jobs.boundaries import above, folder_of, is_below
from shoal.jobs.programs import below
from shoal.model import CONFIDENCES, Finding, Place
from shoal.readers.versions import leaves_out, misses
from shoal.records import NamedTuple

_ANY = 10**6
_MOVES = (
    "its import of kafka.vendor.six.moves fails, which Python 3.12 and later do not find; 2.0.3 is the first release that they can import"
)
_ASYNC = "`async` is a keyword since Python 3.7, and this release has it for a name: the import fails with a SyntaxError"
_SDIST = "releases of its minor version have wheels for Python {wheels} alone, and from source its dependencies (apache-beam, pemja) do not build"
_OLD = "it wants Python 3.{oldest} or later, so pip refuses it"
_CODE = "its import fails with `TypeError: code() argument 13 must be str, not int`, for it makes code objects as Pythons before 3.11 did"
_PICKLE = "functions cannot be pickled there (`IndexError: tuple index out of range` in 3.3, a `TypeError` before), so UDFs, foreach() and RDDs fail"
_TYPING = "it imports typing.io, which Python 3.13 does not have"
_NO_WHEEL = (
    "{first} is the first release with wheels for it, and from source it needs the headers of librdkafka, which nothing here installs"
)
_MUSL = "there are no wheels for Alpine, and from source it needs the headers of librdkafka, which nothing here installs"
_LOOP = "the last release is of 2020, and its worker ends as it starts: asyncio.Queue takes no `loop` since Python 3.10; faust-streaming goes on from it"


class Row(NamedTuple):
    """Releases from `first` up to `end`, which does not count, do not work on the Pythons 3.`since` up to 3.`until`, the last one included.

    `kind`: `fails` for the import (or the program), `install` for pip, `build` where libraries that an image may have would help, and
    `alpine` where these are missing in images of Alpine alone.
    """

    package: str
    first: tuple[int, ...]
    end: tuple[int, ...]
    since: int
    until: int
    kind: str
    confidence: str
    why: str


# From the releases on PyPI: their wheels' tags (`pip index versions --only-binary :all: --python-version …`), their Requires-Python, what imports fail in
# Python 3.11, and in a Python 3.11 that lacks what 3.12 and 3.13 removed; kafka-python 2.0.2 and 2.0.6 and pyspark 3.3.4 to 3.5.5 in 3.10 to 3.13 themselves; sdists of apache-flink, apache-beam and pemja were built with pip.
_ROWS = (
    Row("kafka-python", (0,), (1, 4, 3), 7, 99, "fails", "high", _ASYNC),
    Row("kafka-python", (1, 4, 3), (2, 0, 3), 12, 99, "fails", "high", _MOVES),
    Row("kafka-python", (3,), (_ANY,), 0, 7, "install", "high", _OLD.format(oldest=8)),
    Row("apache-flink", (0,), (1, 16), 9, 99, "install", "high", _SDIST.format(wheels="3.6 to 3.8")),
    Row("apache-flink", (1, 16), (1, 17), 10, 99, "install", "high", _SDIST.format(wheels="3.6 to 3.9")),
    Row("apache-flink", (1, 17), (1, 19), 11, 99, "install", "high", _SDIST.format(wheels="3.7 to 3.10")),
    Row("apache-flink", (1, 19), (2, 1), 12, 99, "install", "high", _SDIST.format(wheels="3.8 to 3.11")),
    Row("apache-flink", (2, 1), (2, 4), 13, 99, "install", "high", _SDIST.format(wheels="3.9 to 3.12")),
    Row("apache-flink", (1, 17), (1, 19), 0, 6, "install", "high", _OLD.format(oldest=7)),
    Row("apache-flink", (1, 19), (2, 1), 0, 7, "install", "high", _OLD.format(oldest=8)),
    Row("apache-flink", (2, 1), (_ANY,), 0, 8, "install", "high", _OLD.format(oldest=9)),
    Row("pyspark", (3,), (3, 1), 11, 99, "fails", "high", _CODE),
    Row("pyspark", (3, 1), (3, 4), 11, 12, "fails", "low", _PICKLE),
    Row("pyspark", (3, 1), (3, 3), 13, 99, "fails", "low", _PICKLE),
    Row("pyspark", (3, 3), (3, 5), 13, 99, "fails", "high", _TYPING),
    Row("pyspark", (3, 3), (3, 5), 0, 6, "install", "high", _OLD.format(oldest=7)),
    Row("pyspark", (3, 5), (4,), 0, 7, "install", "high", _OLD.format(oldest=8)),
    Row("pyspark", (4,), (4, 1), 0, 8, "install", "high", _OLD.format(oldest=9)),
    Row("pyspark", (4, 1), (4, 3), 0, 9, "install", "high", _OLD.format(oldest=10)),
    Row("pyspark", (4, 3), (_ANY,), 0, 10, "install", "high", _OLD.format(oldest=11)),
    Row("confluent-kafka", (0,), (1, 6), 9, 9, "build", "medium", _NO_WHEEL.format(first="1.6.0")),
    Row("confluent-kafka", (0,), (1, 9), 10, 10, "build", "medium", _NO_WHEEL.format(first="1.9.0")),
    Row("confluent-kafka", (0,), (2, 0, 2), 11, 11, "build", "medium", _NO_WHEEL.format(first="2.0.2")),
    Row("confluent-kafka", (0,), (2, 3), 12, 12, "build", "medium", _NO_WHEEL.format(first="2.3.0")),
    Row("confluent-kafka", (0,), (2, 6), 13, 13, "build", "medium", _NO_WHEEL.format(first="2.6.0")),
    Row("confluent-kafka", (0,), (2, 12, 1), 14, 99, "build", "medium", _NO_WHEEL.format(first="2.12.1")),
    Row("confluent-kafka", (0,), (_ANY,), 0, 99, "alpine", "medium", _MUSL),
    Row("aiokafka", (0, 12), (0, 13), 0, 8, "install", "high", _OLD.format(oldest=9)),
    Row("aiokafka", (0, 13), (_ANY,), 0, 9, "install", "high", _OLD.format(oldest=10)),
    Row("faust-streaming", (0, 12), (_ANY,), 0, 9, "install", "high", _OLD.format(oldest=10)),
    Row("faust", (0,), (_ANY,), 10, 99, "fails", "high", _LOOP),
)
_DOES = {"fails": "does not work", "install": "cannot be installed", "build": "has to be built", "alpine": "has to be built"}
_PACKAGES = frozenset(row.package for row in _ROWS)
_PYTHONS = range(6, 15)  # all that have been released, as far as these packages go


class Running(NamedTuple):
    """Pythons on one of which a package runs, by their minor versions, and the place that says so."""

    minors: tuple[int, ...]
    shown: str
    place: Place
    sure: str
    image: dict[str, Any]


class Pins:
    """What the files of a project say of packages, by the file and the package: their releases, and the Pythons that a marker names."""

    def __init__(self, job: Job) -> None:
        self.releases: dict[tuple[str, str], set[str]] = {}
        for dependency in job.dependencies:
            self.releases.setdefault((dependency.place.path, dependency.name), set()).add(dependency.version)
        self.markers: dict[tuple[str, str], list[str]] = {}
        for usage in job.usages("for-pythons"):
            name, allowed = json.loads(usage.detail)
            self.markers.setdefault((usage.place.path, name), []).append(allowed)

    def meant(self, dependency: Dependency, minors: tuple[int, ...]) -> bool:
        """Whether a package is asked for on all of these Pythons alike: no marker that leaves one out, no second release for others."""
        key = (dependency.place.path, dependency.name)
        return len(self.releases[key]) == 1 and not any(
            allowed == "?" or misses(allowed, (3, minor)) for allowed in self.markers.get(key, ()) for minor in minors
        )


def check(job: Job, context: Context) -> Iterator[Finding]:
    running = _installing(job)
    ranges = {folder_of(usage.place.path): usage for usage in job.usages("python-range")}
    if not running and not ranges:
        return
    pins = Pins(job)
    replaced = bool(job.usages("six-moves-replaced"))
    for dependency in job.dependencies:
        if dependency.ecosystem != "pypi" or dependency.name not in _PACKAGES:
            continue
        found: list[tuple[Row, Running]] = []
        for one in (*_in_images(dependency, running), *_in_range(dependency, ranges)):
            rows = [_broken(dependency, minor, one.image) for minor in one.minors]
            row = rows[0]
            if row is not None and all(rows) and pins.meant(dependency, one.minors) and not (replaced and row.why == _MOVES):
                found.append((row, one))
        if found:
            yield _finding(context, dependency, found)


def _installing(job: Job) -> dict[str, list[Running]]:
    """By file, the images for which it is installed, and those that a Dockerfile itself installs packages for."""
    contexts: dict[str, set[str]] = {}
    for entry in job.entries:
        if entry.kind == "build" and entry.args:
            contexts.setdefault(below(entry.place, entry.target), set()).add(below(entry.place, entry.args[0]))
    found: dict[str, list[Running]] = {}
    for usage in job.usages("image-python"):
        image, path = json.loads(usage.detail), usage.place.path
        shown = f"Python 3.{image['minor']}{' or later' if image['newest'] else ''} of {image['image']}"
        sure = "medium" if image["newest"] or image["argued"] else "high"
        running = Running((image["minor"],), shown, usage.place, sure, image)
        for file in {path, *_files(image["files"], folder_of(path), contexts.get(path))}:
            found.setdefault(file, []).append(running)
    return found


def _files(files: list[str], folder: str, contexts: set[str] | None) -> set[str]:
    """The paths of what a Dockerfile installs, as far as its build context is known: by a compose file, else its folder."""
    found = {posixpath.normpath(posixpath.join(context, file)) for context in contexts or {folder} for file in files}
    if not contexts and folder:  # built from further up, it names its own folder
        outer = {posixpath.normpath(posixpath.join(place, file)) for place in above(folder)[1:] for file in files}
        found |= {path for path in outer if is_below(path, folder)}
    return found


def _in_images(dependency: Dependency, running: dict[str, list[Running]]) -> Iterator[Running]:
    at = dependency.place
    for one in running.get(at.path, ()):
        if one.place.path != at.path or any(start <= at.span.start < end for start, end in one.image["stages"]):
            yield one


def _in_range(dependency: Dependency, ranges: dict[str, Usage]) -> Iterator[Running]:
    """The Pythons that the pyproject.toml or Pipfile beside a pin allows."""
    usage = ranges.get(folder_of(dependency.place.path))
    minors = tuple(minor for minor in _PYTHONS if not misses(usage.detail, (3, minor))) if usage is not None else ()
    if usage is not None and minors and classify(dependency.place.path) != "dockerfile":
        sure = "high" if usage.place.path == dependency.place.path else "medium"
        yield Running(minors, f"any Python that `{usage.detail}` allows", usage.place, sure, {})


def _broken(dependency: Dependency, minor: int, image: dict[str, Any]) -> Row | None:
    """Why a package cannot be had on a Python: the row of its release, or of a range all of whose releases have one."""
    rows = sorted(row for row in _ROWS if row.package == dependency.name and row.since <= minor <= row.until and _counts(row, image))
    if dependency.exact:
        version = (*numbers(dependency.version), 0, 0)[:3]
        return next((row for row in rows if numbers(dependency.version) and row.first <= version < row.end), None)
    reached: tuple[int, ...] = (0,)
    for row in rows:
        if row.first > reached and not leaves_out(dependency.version, reached, row.first):
            return None
        reached = max(reached, row.end)
    if not rows or (reached < (_ANY,) and not leaves_out(dependency.version, reached, (_ANY,))):
        return None
    return next((row for row in reversed(rows) if not leaves_out(dependency.version, row.first, row.end)), None)


def _counts(row: Row, image: dict[str, Any]) -> bool:
    if row.kind == "alpine":
        return bool(image) and image["alpine"] and not image["librdkafka"]
    return row.kind != "build" or not image or not image["librdkafka"]


def _finding(context: Context, dependency: Dependency, found: list[tuple[Row, Running]]) -> Finding:
    row, running = max(found, key=lambda one: CONFIDENCES.index(_confidence(*one)))
    release = f"{dependency.name} {dependency.version}".strip()
    message = f"{release} {_DOES[row.kind]} on {running.shown}: {row.why}"
    return context.finding(message, dependency, [(one.place, "the Python") for _, one in found], confidence=_confidence(row, running))


def _confidence(row: Row, running: Running) -> str:
    """As sure as both are; what a machine may have beside Python is known of images alone."""
    if row.kind == "build" and not running.image:
        return "low"
    return min(row.confidence, running.sure, key=CONFIDENCES.index)
