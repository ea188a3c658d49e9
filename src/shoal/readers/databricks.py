"""Databricks bundles: jobs, their clusters and tasks, pipelines, and what targets change in them; and the documents that its APIs take for one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.facts import Usage
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
# What tells a task of the Jobs API, and the settings of a pipeline, from other things with such names.
_OF_TASK = frozenset(
    {*(key for key, _, _ in _TASKS), "pipeline_task", "run_job_task", "dbt_task", "condition_task", "for_each_task", "spark_submit_task"}
    | {"existing_cluster_id", "new_cluster", "job_cluster_key", "environment_key"}
)
_OF_PIPELINE = frozenset(
    {"development", "continuous", "channel", "edition", "photon", "serverless", "storage", "target", "catalog", "clusters"}
)
_RUNTIME = pattern(r"(\d+\.\d+)\.x")


def is_bundle(root: Node) -> bool:
    """A bundle, or one of the files it includes: jobs or pipelines below `resources`, at the top or in a target."""
    if any(_kinds(part) for part in (root, *(item.value for item in items(get(root, "targets"))[:50]))):
        return True
    return is_mapping(get(root, "bundle")) and scalar(get(root, "bundle", "name")) is not None


def _kinds(part: Node) -> bool:
    return any(is_mapping(get(part, "resources", kind)) for kind in ("jobs", "pipelines"))


def is_document(root: Node) -> bool:
    """What the Jobs or the Pipelines API is sent, or gives: one job or pipeline, its settings maybe one level down."""
    return _document(root) != ""


def _document(root: Node) -> str:
    node = _settings(root)
    if not is_mapping(node):
        return ""
    tasks = elements(get(node, "tasks"))
    if tasks and all(scalar(get(task, "task_key")) and _OF_TASK & {item.key for item in items(task)} for task in tasks[:50]):
        return "job"
    runs = [kind for kind in ("libraries", "notebooks") if elements(get(node, kind))]
    return "pipeline" if runs and scalar(get(node, "name")) and len(_OF_PIPELINE & {item.key for item in items(node)}) > 2 else ""


def _settings(root: Node) -> Node:
    return next(
        (found for key in ("settings", "new_settings", "spec") if (found := get(root, key)) is not None and is_mapping(found)), root
    )


def read_document(tree: Tree, root: Node) -> None:
    node = _settings(root)
    name = find(node, "name")
    key = name or next(iter(items(node)))
    whole = Item(scalar(name.value) or "" if name is not None else "", key.key_node, node)
    if _document(root) == "job":
        _read_job(tree, whole, "")
    else:
        _read_pipeline(tree, whole, "")


def read(tree: Tree, root: Node) -> None:
    """Every job and pipeline as a block; what a target overrides is a block of its own, with the trait `target`."""
    bundle, included = find(root, "bundle"), find(root, "include")
    if bundle is not None:
        texts = [scalar(one) or "" for one in elements(included.value)] if included is not None else []
        tree.out.facts.append(Usage("bundle", "\n".join(texts), tree.out.place(tree.key(included or bundle))))
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
    continuous, schedule = find(job.value, "continuous"), find(job.value, "schedule")
    if continuous is not None and schedule is not None and is_mapping(continuous.value) and is_mapping(schedule.value):
        related = (tree.out.place(tree.key(schedule))._replace(role="related", label="the schedule"),)
        tree.out.oddity("scheduled-and-continuous", "continuous", tree.key(continuous), block=block, related=related)
    for cluster in elements(get(job.value, "job_clusters")):
        _read_cluster(tree, find(cluster, "new_cluster"), block)
    for index, task in enumerate(elements(get(job.value, "tasks"))[:500]):
        _read_task(tree, task, index, block)


def _read_task(tree: Tree, task: Node, index: int, block: Block) -> None:
    for item in items(task):
        if scalar(item.value) is not None and not is_null(item.value):
            flink_yaml.add(tree, block, item, f"job.tasks.{index}.{item.key}")
    waits = find(task, "depends_on")
    for number, other in enumerate(elements(waits.value)[:100] if waits is not None else []):
        before = find(other, "task_key")
        if before is not None and waits is not None and (text := scalar(before.value)):
            tree.out.setting(block, f"job.tasks.{index}.depends_on.{number}", text, tree.key(waits), tree.span(before.value))
    pipeline = find(task, "pipeline_task", "pipeline_id")
    if pipeline is not None:
        flink_yaml.add(tree, block, pipeline, f"job.tasks.{index}.pipeline_task.pipeline_id")
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
    clusters = find(pipeline.value, "clusters")
    if clusters is not None and elements(clusters.value) and scalar(get(pipeline.value, "serverless")) == "true":
        tree.out.oddity("clusters-of-serverless", "clusters", tree.key(clusters), block=block)
    skip = frozenset({"configuration", "libraries", "notebooks", "clusters", "permissions", "notifications"})
    add_fields(tree, block, Item("", pipeline.key_node, pipeline.value), "pipeline", skip)
    spark_yaml.read_conf(tree, find(pipeline.value, "configuration"), block)
    for cluster in elements(get(pipeline.value, "clusters")):
        spark_yaml.read_conf(tree, find(cluster, "spark_conf"), block)
    for library in (*elements(get(pipeline.value, "libraries")), *elements(get(pipeline.value, "notebooks"))):
        for path in (("notebook", "path"), ("file", "path"), ("path",)):
            main = find(library, *path)
            if main is not None and (name := scalar(main.value)):
                tree.out.entry("sql" if name.endswith(".sql") else "python", name, (), tree.span(main.value), block)
