"""Versions in Gradle and sbt builds: string and map notation, variables of the same file, version catalogs.

Builds are programs; what is read here is what stands in them as literals.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import versions

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.readers.toml_pins import Leaf
    from shoal.text import Text

_STRING_OR_COMMENT = pattern(r"(\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\\\r\n]|\\.)*')|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?")
_VARIABLE = pattern(
    r"(?:\b(\w+)|\b(?:extra|ext|project\.ext)\[[ \t]*[\"'](\w[\w.\-]*)[\"'][ \t]*\]|\bset\([ \t]*[\"'](\w[\w.\-]*)[\"'][ \t]*,)[ \t]*(?::[ \t]*String[ \t]*)?(?::?=)?[ \t]*[\"']([\w.+\-]+)[\"']"
)
_COORDINATE = pattern(r"([\"'])([\w.\-]{3,100}):([\w.\-${}]{1,200})(?::([^\"':@\s]{0,200}))?(?:[:@][^\"'\r\n]{0,200})?\1")
_PLUS = pattern(r"[ \t]*\+[ \t]*([\w.]+)")
_MAP = pattern(
    r"\bgroup[ \t]*[:=][ \t]*[\"']([\w.\-]{1,200})[\"'],\s{0,100}name[ \t]*[:=][ \t]*[\"']([\w.\-${}]{1,200})[\"'](?:,\s{0,100}version[ \t]*[:=][ \t]*([\"'][^\"'\r\n]{1,100}[\"']|[\w.]{1,100}))?"
)
_SBT = pattern(
    r"\"([\w.\-]{1,200})\"[ \t]{0,20}(%{1,3})[ \t]{0,20}\"([\w.\-]{1,200})\"[ \t]{0,20}%[ \t]{0,20}(\"[^\"\r\n]{1,100}\"|[\w.]{1,100})"
)
_SHADOW = pattern(r"\b(?:com\.(?:github\.johnrengelman|gradleup)\.shadow|io\.github\.goooler\.shadow)\b|\bshadowJar\b")
_CHOOSES = pattern(r"flinkShadowJar|\bconfigurations\s*=|\bexclude[ (]+(?:dependency[ (]+)?[\"'](?:org\.apache\.flink|org/apache/flink)")
_SCALA = pattern(r"scalaVersion[^\r\n\"]{0,40}\"(2\.1[0-3]|3)")
_REFERENCE = pattern(r"\$\{?([\w.]+)\}?")


def read(text: Text, out: Reading) -> None:
    """A build file, a version catalog or a build.sbt."""
    if not any(word in text.text for word in ("flink", "beam", "spark", "kafka", "delta", "iceberg", "paimon", "hudi")):
        return
    name = out.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    if name.endswith(".toml"):
        _read_catalog(text, out)
        return
    source = _STRING_OR_COMMENT.sub(lambda found: found.group(1) or re.sub(r"[^\r\n]", " ", found.group()), text.text)
    variables = _variables(source)
    if name.endswith(".sbt"):
        _read_sbt(source, text, out, variables)
        return
    for found in _COORDINATE.finditer(source):
        version = found.group(4) or ""
        end = found.end() - 1
        if not version:
            plus = _PLUS.match(source, found.end())
            if plus:
                version, end = f"${{{plus.group(1)}}}", plus.end()
        _add(found.group(2), found.group(3), version, (found.start(2), end), source, text, out, variables)
    for found in _MAP.finditer(source):
        version = (found.group(3) or "").strip()
        version = version[1:-1] if version[:1] in ("'", '"') else f"${{{version}}}" if version else ""
        _add(found.group(1), found.group(2), version, found.span(), source, text, out, variables)


def _variables(source: str) -> dict[str, str]:
    """Names that the file gives a plain string, once."""
    found: dict[str, str] = {}
    twice = set()
    for match in _VARIABLE.finditer(source):
        name = match.group(1) or match.group(2) or match.group(3)
        if found.setdefault(name, match.group(4)) != match.group(4):
            twice.add(name)
    return {name: value for name, value in found.items() if name not in twice}


def _resolve(value: str, variables: dict[str, str]) -> str:
    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        return variables.get(name) or variables.get(name.rsplit(".", 1)[-1]) or match.group()

    return _REFERENCE.sub(fill, value) if "$" in value else value


def _add(
    group: str, artifact: str, version: str, at: tuple[int, int], source: str, text: Text, out: Reading, variables: dict[str, str]
) -> None:
    name = f"{group}:{_resolve(artifact, variables)}"
    if not versions.is_of_interest("maven", name) or "$" in name:
        return
    line = source[source.rfind("\n", max(0, at[0] - 300), at[0]) + 1 : at[0]].lstrip()
    if line.startswith(("test", "androidTest", "integrationTest")):
        return
    if line.startswith(("implementation", "api(", "api ", "compile(", "compile ")) and versions.in_flinks_lib(name) and _shadows(source):
        out.oddity("engine-bundled", name, text.span(*at))
    known = _resolve(version, variables)
    exact = bool(re.fullmatch(r"\d[\w.\-]*", known))
    if "$" in known:
        known, exact = "", False
    out.dependency("maven", name, known, text.span(*at), exact)


def _shadows(source: str) -> bool:
    """Whether the build puts all that it runs with into one jar: nothing is left out, and no list of its own says what goes in."""
    return _SHADOW.search(source) is not None and _CHOOSES.search(source) is None


def _read_sbt(source: str, text: Text, out: Reading, variables: dict[str, str]) -> None:
    scala = _SCALA.search(source)
    for found in _SBT.finditer(source):
        group, sign, artifact, version = found.groups()
        suffix = f"_{scala.group(1)}" if scala and sign == "%%" and not re.search(r"_2\.1\d$", artifact) else ""
        version = version[1:-1] if version.startswith('"') else _resolve(f"${{{version}}}", variables)
        name = f"{group}:{artifact}{suffix}"
        rest = source[found.end() : found.end() + 20].lstrip()
        if versions.is_of_interest("maven", name) and not re.match(r"%[ \t]*(?:Test|\"test\")", rest):
            exact = "$" not in version
            out.dependency("maven", name, version if exact else "", text.span(found.start(), found.end()), exact)


def _read_catalog(text: Text, out: Reading) -> None:
    """`libs.versions.toml`: libraries name their version, or refer to one of the table above."""
    from shoal.readers.toml_pins import leaves

    named: dict[str, Leaf] = {}
    libraries: dict[str, dict[str, Leaf]] = {}
    for leaf in leaves(text.text):
        if leaf.path[:1] == ("versions",) and len(leaf.path) == 2:
            named[leaf.path[1]] = leaf
        elif leaf.path[:1] == ("libraries",) and len(leaf.path) > 1:
            libraries.setdefault(leaf.path[1], {})[".".join(leaf.path[2:])] = leaf
    for parts in libraries.values():
        if "" in parts:
            coordinates = parts[""].value.split(":")
            leaf = parts[""]
            if len(coordinates) == 3:
                _catalogued(f"{coordinates[0]}:{coordinates[1]}", coordinates[2], leaf, text, out)
            continue
        module = parts["module"].value if "module" in parts else ":".join(parts[key].value for key in ("group", "name") if key in parts)
        if "version.ref" in parts and parts["version.ref"].value in named:
            leaf = named[parts["version.ref"].value]
            _catalogued(module, leaf.value, leaf, text, out)
        elif "version" in parts:
            _catalogued(module, parts["version"].value, parts["version"], text, out)


def _catalogued(name: str, version: str, leaf: Leaf, text: Text, out: Reading) -> None:
    if versions.is_of_interest("maven", name):
        out.dependency("maven", name, version, text.span(*leaf.at), bool(re.fullmatch(r"\d[\w.\-]*", version)))
