"""Kustomize: patches written inside a kustomization, as part of a resource or as a list of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.model import Span
from shoal.readers import flink_yaml
from shoal.readers.yaml_tree import Item, Node, Tree, documents, elements, find, get, is_mapping, is_null, is_sequence, scalar

if TYPE_CHECKING:
    from shoal.facts import Block

_CONFS = {"flinkConfiguration": ("flink", "deployment"), "flinkConfig": ("flink", "deployment"), "sparkConf": ("spark", "application")}


def is_operations(root: Node) -> bool:
    """A JSON patch: a list of operations, each with `op` and `path`."""
    first = next(iter(elements(root)), None)
    return is_sequence(root) and scalar(get(first, "op")) is not None and (scalar(get(first, "path")) or "").startswith("/")


def read_operations(tree: Tree, root: Node) -> None:
    """What a JSON patch puts into a resource's conf; the rest of that conf is elsewhere."""
    blocks: dict[str, Block] = {}
    for operation in elements(root)[:2000]:
        path, value = find(operation, "path"), find(operation, "value")
        if path is None or value is None or scalar(get(operation, "op")) not in ("add", "replace"):
            continue
        steps = (scalar(path.value) or "").split("/")[1:]
        name = next((step for step in steps if step in _CONFS), "")
        if not name:
            continue
        if name not in blocks:
            engine, role = _CONFS[name]
            blocks[name] = tree.out.block(engine, role, "manifest", tree.span(path.value), traits=(("kind", "patch"),), open=True)
        if steps[-1] == name:
            flink_yaml.read_map(tree, value.value, blocks[name])
        elif scalar(value.value) is not None and not is_null(value.value):
            key = steps[-1].replace("~1", "/").replace("~0", "~")
            span = tree.span(path.value)
            tree.out.setting(
                blocks[name], key, scalar(value.value) or "", Span(span.end - len(steps[-1]), span.end), tree.span(value.value)
            )


def read_kustomization(tree: Tree, root: Node, depth: int) -> None:
    """The patches that a kustomization holds as texts."""
    from shoal.readers import yaml_documents

    for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        for child in elements(get(root, key))[:500]:
            item = find(child, "patch") if is_mapping(child) else Item("", child, child)  # type: ignore[arg-type]
            if item is None or "\n" not in (scalar(item.value) or ""):
                continue
            inner = tree.value(item.value)
            problems = len(tree.out.problems)
            roots = documents(inner, tree.out)
            del tree.out.problems[problems:]
            below = Tree(inner, tree.out, tree)
            for part in roots:
                yaml_documents.read_root(below, part, "patch.yaml", depth + 1)
