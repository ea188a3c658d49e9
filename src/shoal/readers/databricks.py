"""Databricks bundles: jobs, their clusters and tasks, pipelines, and what targets change in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import delegate, flink_yaml, spark_yaml
from shoal.readers.kubernetes import add_fields, words_of
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, is_null, items, scalar

if TYPE_CHECKING:
    from shoal.facts import Block

_TASKS = (
    ("spark_python_task", "python_file", "python"),
    ("notebook_task", "notebook_path", "python"),
    ("python_wheel_task", "entry_point", "class"),
    ("spark_jar_task", "main_class_name", "class"),
    ("sql_task", "file", "sql"),
)
# Of a job, what a rule about retries, overlap and schedule reads; tasks and clusters come under their own keys.
_SKIP = frozenset(
    {"tasks", "job_clusters", "environments", "permissions", "parameters", "tags", "email_notifications", "webhook_notifications", "health"}
)
_RUNTIME = pattern(r"(\d+\.\d+)\.x")


def is_bundle(root: Node) -> bool:
    """A bundle, or one of the files it includes: jobs or pipelines below `resources`, at the top or in a target."""
    if any(_kinds(part) for part in (root, *(item.value for item in items(get(root, "targets"))[:50]))):
        return True
    return is_mapping(get(root, "bundle")) and scalar(get(root, "bundle", "name")) is not None


def _kinds(part: Node) -> bool:
    return any(is_mapping(get(part, "resources", kind)) for kind in ("jobs", "pipelines"))


def read(tree: Tree, root: Node) -> None:
    """Every job and pipeline as a block; what a target overrides is a block of its own, with the trait `target`."""
    _read_resources(tree, root, "")
    for target in items(get(root, "targets"))[:50]:
        _read_resources(tree, target.value, target.key)


def _read_resources(tree: Tree, part: Node, target: str) -> None:
    for job in items(get(part, "resources", "jobs"))[:500]:
        if is_mapping(job.value):
            _read_job(tree, job, target)
    for pipeline in items(get(part, "resources", "pipelines"))[:500]:
        if is_mapping(pipeline.value):
            _read_pipeline(tree, pipeline, target)


def _read_job(tree: Tree, job: Item, target: str) -> None:
    traits = [("kind", "job"), *([("target", target)] if target else [])]
    block = tree.out.block(
        "spark", "application", "bundle", tree.key(job), job.key, traits=tuple(traits), open=bool(target) or tree.hidden(job)
    )
    add_fields(tree, block, Item("", job.key_node, job.value), "job", _SKIP)
    for cluster in elements(get(job.value, "job_clusters")):
        _read_cluster(tree, find(cluster, "new_cluster"), block)
    for index, task in enumerate(elements(get(job.value, "tasks"))[:500]):
        _read_task(tree, task, index, block)


def _read_task(tree: Tree, task: Node, index: int, block: Block) -> None:
    for item in items(task):
        if scalar(item.value) is not None and not is_null(item.value):
            flink_yaml.add(tree, block, item, f"job.tasks.{index}.{item.key}")
    inner = get(task, "for_each_task", "task")
    if inner is not None:
        task = inner
    _read_cluster(tree, find(task, "new_cluster"), block)
    for key, field, kind in _TASKS:
        node = get(task, key)
        main = find(node, field)
        if main is None:
            continue
        args = words_of(tree, get(node, "parameters"))
        target = scalar(main.value) or scalar(get(main.value, "path"))
        if target:
            tree.out.entry(kind, target, tuple(word for word, _ in args), tree.span(main.value), block)
    for library in elements(get(task, "libraries")):
        coordinates = get(library, "maven", "coordinates")
        if coordinates is not None and scalar(coordinates):
            delegate.coordinates(tree.value(coordinates), tree.out, block)
        jar, pypi = get(library, "jar"), get(library, "pypi", "package")
        if jar is not None and scalar(jar):
            delegate.jars(tree.value(jar), tree.out, block)
        if pypi is not None and (match := re.match(r"([\w.\-]+)==([\w.]+)$", scalar(pypi) or "")):
            tree.out.dependency("pypi", match.group(1), match.group(2), tree.span(pypi), block=block)


def _read_cluster(tree: Tree, cluster: Item | None, block: Block) -> None:
    if cluster is None:
        return
    spark_yaml.read_conf(tree, find(cluster.value, "spark_conf"), block)
    version = find(cluster.value, "spark_version")
    if version is not None and (match := _RUNTIME.match(scalar(version.value) or "")):
        tree.out.dependency("field", "databricks-runtime", match.group(1), tree.span(version.value), block=block)


def _read_pipeline(tree: Tree, pipeline: Item, target: str) -> None:
    traits = [("kind", "pipeline"), *([("target", target)] if target else [])]
    block = tree.out.block(
        "spark", "application", "bundle", tree.key(pipeline), pipeline.key, traits=tuple(traits), open=bool(target) or tree.hidden(pipeline)
    )
    skip = frozenset({"configuration", "libraries", "clusters", "permissions", "notifications"})
    add_fields(tree, block, Item("", pipeline.key_node, pipeline.value), "pipeline", skip)
    spark_yaml.read_conf(tree, find(pipeline.value, "configuration"), block)
    for cluster in elements(get(pipeline.value, "clusters")):
        spark_yaml.read_conf(tree, find(cluster, "spark_conf"), block)
    for library in elements(get(pipeline.value, "libraries")):
        for path in (("notebook", "path"), ("file", "path")):
            main = find(library, *path)
            if main is not None and (name := scalar(main.value)):
                tree.out.entry("sql" if name.endswith(".sql") else "python", name, (), tree.span(main.value), block)
