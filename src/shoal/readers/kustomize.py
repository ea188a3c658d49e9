"""Kustomize: patches written inside a kustomization, as part of a resource or as a list of operations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shoal.facts import Unknown, Usage
from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers import delegate, flink_yaml
from shoal.readers.kafka_yaml import MANAGES
from shoal.readers.yaml_tree import Item, Node, Tree, documents, elements, find, get, is_mapping, is_null, is_sequence, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block

_CONFS = {"flinkConfiguration": ("flink", "deployment"), "flinkConfig": ("flink", "deployment"), "sparkConf": ("spark", "application")}
_ROLES = {
    "FlinkDeployment": ("flink", "deployment"),
    "FlinkSessionJob": ("flink", "sessionjob"),
    "SparkApplication": ("spark", "application"),
    "ScheduledSparkApplication": ("spark", "application"),
}
# What a target names is a regular expression: only one that means a single resource is taken.
_PLAIN = pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")


def is_operations(root: Node) -> bool:
    """A JSON patch: a list of operations, each with `op` and `path`."""
    first = next(iter(elements(root)), None)
    return is_sequence(root) and scalar(get(first, "op")) is not None and (scalar(get(first, "path")) or "").startswith("/")


def read_operations(tree: Tree, root: Node, kind: str = "", target: str = "") -> None:
    """What a JSON patch puts into a resource's conf; the rest of that conf is elsewhere. `kind` and `target` name the resource, where that is known."""
    blocks: dict[tuple[str, str], Block] = {}
    for operation in elements(root)[:2000]:
        path, value, does = find(operation, "path"), find(operation, "value"), scalar(get(operation, "op"))
        if path is None or does not in ("add", "replace", "remove") or (value is None and does != "remove"):
            continue
        steps = [step.replace("~1", "/").replace("~0", "~") for step in (scalar(path.value) or "").split("/")[1:]]
        if steps == list(MANAGES):
            tree.out.facts.append(Usage("connectors-managed", target, tree.out.place(tree.span(path.value))))
        name = next((step for step in steps if step in _CONFS), "")
        owner = _ROLES.get(kind) or (_CONFS[name] if name else None)
        if owner is None or (not name and not target):
            continue
        if owner not in blocks:
            blocks[owner] = tree.out.block(*owner, "manifest", tree.span(path.value), target, traits=(("kind", "patch"),), open=True)
        span = tree.span(path.value)
        span = Span(max(span.start, span.end - len(steps[-1])), span.end)
        if value is None:
            if name and steps[-1] != name:  # what is taken away is no longer known to be set
                tree.out.setting(blocks[owner], steps[-1], Unknown("removed"), span, Span(span.end, span.end))
        elif steps[-1] == name:
            flink_yaml.read_map(tree, value.value, blocks[owner])
        elif (text := scalar(value.value)) is not None and not is_null(value.value):
            key = steps[-1] if name else ".".join(steps)
            tree.out.setting(blocks[owner], key, text, span, tree.span(value.value))
            if steps == ["spec", "image"]:
                delegate.image(text, tree.span(value.value), tree.out, blocks[owner])


def read_kustomization(tree: Tree, root: Node, depth: int) -> None:
    """The patches that a kustomization holds as texts, and the images that it changes."""
    from shoal.readers import yaml_documents

    _read_images(tree, root)
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
            kind, target = scalar(get(child, "target", "kind")) or "", scalar(get(child, "target", "name")) or ""
            for part in roots:
                if is_operations(part):
                    read_operations(below, part, kind, target if kind and _PLAIN.fullmatch(target) else "")
                else:
                    yaml_documents.read_root(below, part, "patch.yaml", depth + 1)


def _read_images(tree: Tree, root: Node) -> None:
    """Each change of an image as a `kustomize-image`, with the resources it is for.

    Kustomize looks for images in lists of containers, and in fields of other resources only where `configurations` name them.
    """
    images = [child for child in elements(get(root, "images"))[:200] if is_mapping(child)]
    resources = [text for key in ("resources", "bases") for child in elements(get(root, key))[:500] if (text := scalar(child))]
    for child in images if resources else ():
        name = scalar(get(child, "name"))
        new = {key: scalar(get(child, key)) or "" for key in ("newName", "newTag", "digest")}
        if not name or not any(new.values()) or MASK in "".join((name, *new.values())) or "$" in "".join(new.values()):
            continue
        fields = get(root, "configurations") is not None or get(root, "transformers") is not None
        detail = json.dumps({"name": name, **new, "fields": fields, "resources": resources})
        tree.out.facts.append(Usage("kustomize-image", detail, tree.out.place(tree.span(child))))
