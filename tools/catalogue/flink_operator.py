"""Options of the Flink Kubernetes operator and its autoscaler.

Jars of few releases can be had, and of those the facts come by reflection, as everywhere. The other releases keep what the stored table says of them,
which was read from the reference tables that the project generates from its option classes at each release: a clone of its repository, placed at
`flink-kubernetes-operator.git` in the cache directory, is read again when there is one, and is what a new release needs.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from shoal import catalogue
from tools.catalogue import fetch, flink, pins
from tools.catalogue.state import State, render

_AUTOSCALER = "job.autoscaler."
_TABLES = (
    "auto_scaler_configuration",
    "autoscaler_standalone_configuration",
    "kubernetes_operator_config_configuration",
    "kubernetes_operator_metric_configuration",
)
_SOURCES = {
    r'operatorConfig\("([^"]+)"\)': "kubernetes.operator.",
    r'autoScalerConfig\("([^"]+)"\)': "job.autoscaler.",
}
_ROW = re.compile(r"<h5>(?P<key>[^<]+)</h5>.*?<td[^>]*>(?P<default>.*?)</td>\s*<td>(?P<type>.*?)</td>\s*<td>(?P<text>.*?)</td>", re.DOTALL)
_TYPES = {"Integer": "int", "MemorySize": "memory"}
_OLD = "kubernetes.operator."  # autoscaler options had it before the autoscaler became a module of its own, and still are read with it


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    cloned = clone(cache).exists()
    found: dict[str, dict[str, State]] = {}
    for version in pins.FLINK_OPERATOR:
        minor = pins.minor(version)
        states = _read(clone(cache), f"release-{version}") if cloned else _stored(minor)
        found[minor] = {state.key: state for state in states}
    for minor, wanted in pins.FLINK_OPERATOR_JARS.items():
        for key, state in extract(cache, wanted).items():
            known = found[minor].get(key, state)
            found[minor][key] = known._replace(type=state.type, default=state.default, values=state.values)
            _say_alike(found, key, known.default, state.default)
    return {"flink-operator": render("flink-operator", list(found.items()))}


def extract(cache: Path, wanted: tuple[str, ...]) -> dict[str, State]:
    """Options by key of the jars, by reflection; those that a deployment may set."""
    jars, needs = fetch.maven(cache, wanted), fetch.maven(cache, pins.FLINK_OPERATOR_NEEDS)
    rows = flink.parse_rows(fetch.java("FlinkOptions.java", ["-only", ",".join(map(str, jars)), *map(str, jars), *map(str, needs)]))
    return {row.key: State(row.key, row.type, row.default, row.values, (), "", _scope(row.key)) for row in rows if row.key[0] != "$"}


def _say_alike(found: dict[str, dict[str, State]], key: str, written: str | None, printed: str | None) -> None:
    """The reference says `86400000 ms` and loses what is in angle brackets; where a jar says `1 d`, the other releases mean the same."""
    for options in found.values():
        if key in options and options[key].default == written:
            options[key] = options[key]._replace(default=printed)


def _stored(minor: str) -> Iterator[State]:
    """What the stored table says of one release."""
    table = catalogue.load("flink-operator")
    for key in table.keys(minor):
        option = table.option(key, minor)
        assert option is not None
        aliases = tuple((alias.key, alias.deprecated) for alias in option.aliases)
        flags = "" if option.type else "h"  # left out of the reference
        yield State(key, option.type, option.default, option.values, aliases, flags, option.scope)


def clone(cache: Path) -> Path:
    """Where the clone of the operator's repository is looked for."""
    return cache / "flink-kubernetes-operator.git"


def _read(repository: Path, tag: str) -> Iterator[State]:
    listed: set[str] = set()
    for name in fetch.run(["git", "-C", str(repository), "ls-tree", "-r", "--name-only", tag]).split("\n"):
        if Path(name).stem in _TABLES and name.endswith(".html"):
            for row in _ROW.finditer(_show(repository, tag, name)):
                state = _state({word: shown(text) if word != "text" else html.unescape(text) for word, text in row.groupdict().items()})
                if state.key not in listed:
                    listed.add(state.key)
                    yield state
    for name in fetch.run(["git", "-C", str(repository), "ls-tree", "-r", "--name-only", tag]).split("\n"):
        if name.endswith("Options.java") and "/test/" not in name:
            text = _show(repository, tag, name)
            for pattern, prefix in _SOURCES.items():
                if prefix == _AUTOSCALER and not any(key.startswith(prefix) for key in listed):
                    prefix = _OLD + prefix  # before the autoscaler left the operator's namespace
                for match in re.finditer(pattern, text):
                    key = prefix + match[1]
                    if key not in listed and key.removeprefix(_OLD) not in listed:
                        listed.add(key)  # left out of the reference
                        yield State(key, "", flags="h", scope=_scope(key))


def _show(repository: Path, tag: str, name: str) -> str:
    return fetch.run(["git", "-C", str(repository), "show", f"{tag}:{name}"])


def _state(row: dict[str, str]) -> State:
    key, type_ = row["key"], row["type"]
    values = tuple(re.findall(r'<li>"([^"]+)"', row["text"])) if type_.endswith("Enum") or "Enum" in type_ else ()
    aliases = ((_OLD + key, False),) if key.startswith(_AUTOSCALER) else ()
    default = None if row["default"] == "(none)" else row["default"].strip('"')
    return State(key, _TYPES.get(type_, type_.lower()), default, values, aliases, "", _scope(key))


def shown(cell: str) -> str:
    """What a cell shows; `&lt;host&gt;` is text, no mark-up."""
    return html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()


def _scope(key: str) -> str:
    return "autoscaler" if "autoscaler." in key else "operator"
