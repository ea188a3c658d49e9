"""Jar names: `flink-sql-connector-kafka-3.3.0-1.20.jar` in a URL, a path, a list of paths or a COPY line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers import versions
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Span
    from shoal.readers import Reading
    from shoal.text import Text

# Maximal runs, so that the search is linear whatever the text.
_NAME = pattern(r"[\w.+\-\ue000]+")
# Names that hold a version themselves come first: iceberg-flink-runtime-1.18-1.5.0.jar.
_SPLIT = pattern(
    r"(?P<name>(?:iceberg-(?:flink|spark)(?:-runtime)?-\d+\.\d+(?:_2\.1\d)?|paimon-(?:flink|spark)-\d+\.\d+|hudi-(?:flink|spark)\d+\.\d+-bundle(?:_2\.1\d)?|"
    r"beam-runners-flink-\d+\.\d+(?:-job-server)?|flink-doris-connector-\d+\.\d+(?:_2\.1\d)?)|[A-Za-z](?:(?!-\d+\.\d)[\w.-])*)-(?P<version>\d+\.\d[\w.+-]*)"
)
_FETCHED = pattern(r"\b(?:https?|ftp)://[^\s\"'=,;]*$")
_COORDINATE = pattern(r"(?<![\w.\-:])([\w.\-]{1,200}):([\w.\-]{1,200}):([\w.\-+]{1,100})")


class Jar(NamedTuple):
    name: str
    version: str


def parse(file_name: str) -> Jar | None:
    """Artifact and version of a jar's file name; None when it is no versioned jar."""
    if not file_name.endswith(".jar") or len(file_name) > 200:
        return None
    found = _SPLIT.fullmatch(file_name[:-4])
    return Jar(found.group("name"), found.group("version")) if found else None


def read_jars(text: Text, out: Reading, block: Block | None = None) -> None:
    """Add a `jar` dependency for every jar of interest that the text names."""
    if ".jar" not in text.text:
        return
    seen = set()
    for match in _NAME.finditer(text.text):
        jar = parse(match.group())
        if jar and versions.is_of_interest("jar", jar.name) and jar not in seen:
            seen.add(jar)
            _add(jar, text.text, match.start(), text.span(match.start(), match.end()), out, block)


def _add(jar: Jar, text: str, start: int, span: Span, out: Reading, block: Block | None) -> None:
    """One jar; noted too is that it is fetched under this name, by a URL that ends with it."""
    out.dependency("jar", jar.name, jar.version, span, True, block)
    if _FETCHED.search(text[:start][-400:]):
        out.facts.append(Usage("jar-fetched", f"{jar.name}-{jar.version}", out.place(span), block.id if block else ""))


def read_jars_in(value: str, span: Span, out: Reading, block: Block | None = None) -> None:
    """The same for a value that stands at `span` in another form (a variable was filled in)."""
    for match in _NAME.finditer(value):
        jar = parse(match.group())
        if jar and versions.is_of_interest("jar", jar.name):
            _add(jar, value, match.start(), span, out, block)


def read_coordinates(text: Text, out: Reading, block: Block | None = None) -> None:
    """Add a `maven` dependency for every `group:artifact:version` of interest, as `--packages` lists them."""
    for match in _COORDINATE.finditer(text.text):
        name = f"{match.group(1)}:{match.group(2)}"
        if versions.is_of_interest("maven", name):
            out.dependency("maven", name, match.group(3), text.span(match.start(), match.end()), True, block)


def read_coordinates_in(value: str, span: Span, out: Reading, block: Block | None = None) -> None:
    """The same for a value that stands at `span` in another form."""
    for match in _COORDINATE.finditer(value):
        name = f"{match.group(1)}:{match.group(2)}"
        if versions.is_of_interest("maven", name):
            out.dependency("maven", name, match.group(3), span, True, block)
