"""Dataproc workflow templates (`gcloud dataproc workflow-templates import`) and single jobs: what is run, with which properties, on what cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import delegate
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, items, scalar

if TYPE_CHECKING:
    from shoal.facts import Block

_JOBS = {"pysparkJob": "spark", "sparkJob": "spark", "sparkSqlJob": "spark", "flinkJob": "flink"}
_PROGRAMS = (("mainPythonFileUri", "python"), ("mainJarFileUri", "jar"), ("mainClass", "class"), ("queryFileUri", "sql"))
_RUNTIME = pattern(r"(\d+\.\d+)(?:[.-]|$)")
_ENGINE = pattern(r"(spark|flink):(.+)")


def is_workflow(root: Node) -> bool:
    """A workflow template, or one job of Dataproc."""
    jobs = elements(get(root, "jobs"))[:100]
    return any(get(part, name) is not None for part in (root, *jobs) if is_mapping(part) for name in _JOBS)


def read(tree: Tree, root: Node) -> None:
    """Every job as a block of its own, each with the properties of the cluster that the template makes for them."""
    software = get(root, "placement", "managedCluster", "config", "softwareConfig")
    for job in [root, *elements(get(root, "jobs"))[:500]]:
        for item in items(job) if is_mapping(job) else ():
            if item.key in _JOBS and is_mapping(item.value):
                _read_job(tree, item, scalar(get(job, "stepId")) or "", software)


def _read_job(tree: Tree, item: Item, name: str, software: Node | None) -> None:
    engine = _JOBS[item.key]
    traits = (("platform", "dataproc"), ("program", "dataproc"))
    role = "submit" if engine == "spark" else "command"
    cluster = _read_cluster(tree, engine, traits, software)
    block = tree.out.block(engine, role, "yaml", tree.key(item), name, parent=cluster, traits=traits, open=True)
    version = find(software, "imageVersion") if software is not None else None
    if version is not None and (match := _RUNTIME.match(scalar(version.value) or "")):
        tree.out.dependency("field", "dataproc", match.group(1), tree.span(version.value), block=block)
    for field, kind in _PROGRAMS:
        target = find(item.value, field)
        text = scalar(target.value) if target is not None else None
        if target is not None and text:
            tree.out.entry(kind, text, (), tree.span(target.value), block)
    for option in items(get(item.value, "properties"))[:1000]:
        if (text := scalar(option.value)) is not None:
            tree.out.setting(block, option.key, text, tree.key(option), tree.span(option.value))
    for jar in elements(get(item.value, "jarFileUris"))[:200]:
        if scalar(jar):
            delegate.jars(tree.value(jar), tree.out, block)


def _read_cluster(tree: Tree, engine: str, traits: tuple[tuple[str, str], ...], software: Node | None) -> Block | None:
    """The engine's properties of the cluster, `file:key`: what its conf files hold before a job says otherwise."""
    properties = find(software, "properties") if software is not None else None
    if properties is None:
        return None
    block: Block | None = None
    for option in items(properties.value)[:1000]:
        match = _ENGINE.fullmatch(option.key)
        text = scalar(option.value)
        if match is None or match.group(1) != engine or text is None:
            continue
        if block is None:
            role = "defaults" if engine == "spark" else "cluster"
            block = tree.out.block(engine, role, "yaml", tree.key(properties), traits=(*traits, ("within", "workflow")), open=True)
        tree.out.setting(block, match.group(2), text, tree.key(option), tree.span(option.value))
    return block
