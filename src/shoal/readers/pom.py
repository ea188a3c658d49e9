"""Maven's pom.xml: dependencies with the versions that the file itself settles.

Expat reads it, so that every element has its offset. A DOCTYPE is refused: no entity is ever expanded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers import versions
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.text import Text

_PROPERTY = pattern(r"\$\{([^{}$]+)\}")
_VELOCITY = pattern(r"(?m)^\s*#(?:set|if|foreach|parse|macro)\b|\{\{")
_VERSION = pattern(r"\d[\w.-]{0,60}")
_DEEPEST = 200


class Leaf(NamedTuple):
    """An element's text and where it stands, in characters."""

    text: str
    start: int
    end: int


class Pom(NamedTuple):
    """`properties` by name; `dependencies` (`profiled` those of profiles) and `managed` as maps of their child elements; `project` those of the project and its parent;
    `plugins` the artifacts of the build's plugins, but for those that a profile adds."""

    properties: dict[str, Leaf]
    dependencies: list[dict[str, Leaf]]
    managed: list[dict[str, Leaf]]
    project: dict[str, Leaf]
    profiled: list[dict[str, Leaf]]
    plugins: set[str]


class Refused(Exception):
    """The file has a DOCTYPE, or is nested too deep."""


def read(text: Text, out: Reading) -> None:
    """Add a `maven` dependency for each that concerns an engine, test scope left out."""
    if "<modules>" not in text.text and not any(
        group in text.text
        for group in ("apache.flink", "apache.beam", "apache.spark", "apache.kafka", "io.delta", "iceberg", "paimon", "hudi", "ververica")
    ):
        return
    from xml.parsers.expat import ErrorString, ExpatError

    try:
        pom = parse(text.text)
    except Refused as error:
        out.problem("unparsable", str(error), help="remove it, or exclude the file")
        return
    except ExpatError as error:
        if out.unfinished or _VELOCITY.search(text.text) or "archetype-resources" in out.path:
            from shoal.model import LeftOut

            out.left_out.append(LeftOut(out.path, "template", f"no XML: {ErrorString(error.code)}"))
        else:
            out.problem(
                "unparsable",
                f"not valid XML: {ErrorString(error.code)}",
                _offset(text.text, error),
                "correct the syntax, or exclude the file",
            )
        return
    managed: dict[str, Leaf] = {}
    for declared in pom.managed:
        if "version" in declared and "artifactId" in declared:
            managed.setdefault(f"{_value(declared, 'groupId', pom)}:{_value(declared, 'artifactId', pom)}", declared["version"])
    used = {f"{_value(one, 'groupId', pom)}:{_value(one, 'artifactId', pom)}" for one in pom.dependencies}
    for declared in [
        *pom.dependencies,
        *(one for one in pom.managed if f"{_value(one, 'groupId', pom)}:{_value(one, 'artifactId', pom)}" not in used),
    ]:
        _add(declared, pom, managed, text, out)
    _bundled(pom, text, out)
    if _value(pom.project, "packaging", pom) == "pom":
        artifact = _value(pom.project, "artifactId", pom)
        for name, leaf in list(pom.properties.items())[:200]:
            value = resolve(leaf.text, pom)
            if _VERSION.fullmatch(value) and artifact:
                out.facts.append(Usage("property-for-modules", f"{artifact} {name}={value}", out.place(text.span(leaf.start, leaf.end))))


def _bundled(pom: Pom, text: Text, out: Reading) -> None:
    """An oddity for each artifact of Flink itself that the build puts into the job's jar, though the cluster has it.

    A scope that is left out is `compile`, unless the parent or an imported list says otherwise.
    """
    whole = "maven-assembly-plugin" in pom.plugins and "<descriptorRef>jar-with-dependencies" in text.text
    if not whole and "maven-shade-plugin" not in pom.plugins:
        return
    scopes = {f"{_value(one, 'groupId', pom)}:{_value(one, 'artifactId', pom)}": _value(one, "scope", pom) for one in pom.managed}
    for declared in pom.dependencies:
        name = f"{_value(declared, 'groupId', pom)}:{_value(declared, 'artifactId', pom)}"
        scope = _value(declared, "scope", pom) or scopes.get(name, "" if "version" in declared else "unknown")
        left_out = re.search(rf"<exclude>\s*org\.apache\.flink:(?:\*|flink-\*|{re.escape(name.rpartition(':')[2])})", text.text)
        if (
            versions.in_flinks_lib(name)
            and scope in ("", "compile", "runtime")
            and not left_out
            and not any(one is declared for one in pom.profiled)
        ):
            at = declared["artifactId"]
            out.oddity("engine-bundled", name, text.span(at.start, at.end))


def _offset(source: str, error: object) -> int:
    line = getattr(error, "lineno", 1)
    at = 0
    for _ in range(line - 1):
        at = source.find("\n", at) + 1
    return at + getattr(error, "offset", 0)


def _value(declared: dict[str, Leaf], key: str, pom: Pom) -> str:
    return resolve(declared[key].text, pom) if key in declared else ""


def _add(declared: dict[str, Leaf], pom: Pom, managed: dict[str, Leaf], text: Text, out: Reading) -> None:
    name = f"{_value(declared, 'groupId', pom)}:{_value(declared, 'artifactId', pom)}"
    if not versions.is_of_interest("maven", name) or _value(declared, "scope", pom) == "test":
        return
    leaf = declared.get("version") or managed.get(name)
    parent = _value(pom.project, "parent.artifactId", pom)
    if parent and leaf is not None and "$" in (whole := f"{name}:{resolve(leaf.text, pom)}"):
        out.facts.append(Usage("version-of-parent", f"{parent} {whole}", out.place(text.span(leaf.start, leaf.end))))
        return
    if "$" in name:
        return
    if leaf is None:
        at = declared["artifactId"]
        out.dependency("maven", name, "", text.span(at.start, at.end), False)
        return
    version = resolve(leaf.text, pom)
    exact = not version.startswith(("[", "(")) and version not in ("LATEST", "RELEASE")
    # where the number stands: a property's own text, if one property is all there is
    single = _PROPERTY.fullmatch(leaf.text.strip())
    where = pom.properties.get(single.group(1), leaf) if single else leaf
    out.dependency("maven", name, version, text.span(where.start, where.end), exact)


def resolve(value: str, pom: Pom) -> str:
    """A text with the properties of the same file filled in; what it does not know stays as written."""
    for _ in range(5):
        if "${" not in value or len(value) > 500:
            break

        def fill(match: re.Match[str]) -> str:
            name = match.group(1)
            known = pom.properties.get(name) or pom.project.get(name.removeprefix("project.").removeprefix("pom."))
            return known.text if known else match.group()

        value = _PROPERTY.sub(fill, value)
    return value.strip()


def parse(source: str) -> Pom:
    """The parts of a pom that concern versions. Raises ExpatError, or Refused for a DOCTYPE."""
    from xml.parsers import expat

    data = source.encode("utf-8", "replace")
    offsets = _Offsets(source, data)
    parser = expat.ParserCreate("utf-8", " ")
    pom = Pom({}, [], [], {}, [], set())
    path: list[str] = []
    texts: list[list[str]] = []
    starts: list[int] = []
    current: dict[str, Leaf] = {}
    leaf = False

    def begin(name: str, _: dict[str, str]) -> None:
        nonlocal current, leaf
        path.append(name.rsplit(" ", 1)[-1])
        if len(path) > _DEEPEST:
            raise Refused("the XML is nested deeper than 200 levels")
        texts.append([])
        starts.append(parser.CurrentByteIndex)
        leaf = True
        if path[-1] == "dependency":
            current = {}

    def end(_: str) -> None:
        nonlocal leaf
        name = path[-1]
        body = "".join(texts.pop())
        start = starts.pop()
        if leaf and body.strip():
            close = parser.CurrentByteIndex
            open_end = data.find(b">", start, close) + 1
            raw = data[open_end:close]
            lead = len(raw) - len(raw.lstrip())
            tail = len(raw) - len(raw.rstrip())
            found = Leaf(body.strip(), offsets.at(open_end + lead), offsets.at(close - tail))
            if path[-2:-1] == ["dependency"]:
                current[name] = found
            elif path[-2:-1] == ["properties"]:
                pom.properties.setdefault(name, found)
            elif path[-2:] == ["plugin", "artifactId"] and "profile" not in path and "pluginManagement" not in path:
                pom.plugins.add(found.text)
            elif path[:-1] == ["project"]:
                pom.project.setdefault(name, found)
            elif path[:-1] == ["project", "parent"]:
                pom.project.setdefault(f"parent.{name}", found)
                if name in ("version", "groupId"):
                    pom.project.setdefault(name, found)
        leaf = False
        if name == "dependency" and "artifactId" in current:
            if "dependencyManagement" in path:
                pom.managed.append(current)
            elif "plugin" not in path:
                pom.dependencies.append(current)
                if "profile" in path:
                    pom.profiled.append(current)
        path.pop()

    def characters(text: str) -> None:
        if texts:
            texts[-1].append(text)

    def doctype(*_: object) -> None:
        raise Refused("a DOCTYPE is refused: it could define entities without end")

    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    parser.Parse(data, True)
    return pom


class _Offsets:
    """Character offsets of byte offsets, asked in ascending order more or less."""

    def __init__(self, source: str, data: bytes) -> None:
        self.data = data
        self.ascii = len(source) == len(data)
        self.byte = self.char = 0

    def at(self, byte: int) -> int:
        if self.ascii:
            return byte
        if byte < self.byte:
            self.char -= len(self.data[byte : self.byte].decode("utf-8", "ignore"))
        else:
            self.char += len(self.data[self.byte : byte].decode("utf-8", "ignore"))
        self.byte = byte
        return self.char
