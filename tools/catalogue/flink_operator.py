"""Options of the Flink Kubernetes operator and its autoscaler.

Not all releases of the operator's jars can be had, so the facts come from the reference tables that the project generates from its
option classes at each release, in a clone of the project's repository placed at `flink-kubernetes-operator.git` in the cache directory.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from tools.catalogue import fetch, pins
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
    if not clone(cache).exists():
        raise fetch.FetchError(f"clone the operator's repository to {clone(cache)}")
    snapshots = []
    for version in pins.FLINK_OPERATOR:
        options = {state.key: state for state in _read(clone(cache), f"release-{version}")}
        snapshots.append((pins.minor(version), options))
    return {"flink-operator": render("flink-operator", snapshots)}


def clone(cache: Path) -> Path:
    """Where the clone of the operator's repository is looked for."""
    return cache / "flink-kubernetes-operator.git"


def _read(repository: Path, tag: str) -> Iterator[State]:
    listed: set[str] = set()
    for name in fetch.run(["git", "-C", str(repository), "ls-tree", "-r", "--name-only", tag]).split("\n"):
        if Path(name).stem in _TABLES and name.endswith(".html"):
            for row in _ROW.finditer(_show(repository, tag, name)):
                state = _state({word: html.unescape(text).strip() for word, text in row.groupdict().items()})
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
    key, type_ = row["key"], re.sub(r"<[^>]+>", "", row["type"]) if row["type"].startswith("<p>") else row["type"]
    values = tuple(re.findall(r'<li>"([^"]+)"', row["text"])) if type_.endswith("Enum") or "Enum" in type_ else ()
    aliases = ((_OLD + key, False),) if key.startswith(_AUTOSCALER) else ()
    default = None if row["default"] == "(none)" else re.sub(r"<[^>]+>", "", row["default"]).strip('"')
    return State(key, _TYPES.get(type_, type_.lower()), default, values, aliases, "", _scope(key))


def _scope(key: str) -> str:
    return "autoscaler" if "autoscaler." in key else "operator"
