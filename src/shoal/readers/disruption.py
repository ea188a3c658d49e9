"""How many pods of a streaming engine may be evicted: PodDisruptionBudgets, and the workloads whose pods they are for."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers.namespaces import namespace_of
from shoal.readers.yaml_tree import find, get, items, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.readers.yaml_tree import Node, Tree

_STREAMING = pattern(r"kafka|broker|zookeeper|schema-?registry|flink|job-?manager|task-?manager|spark", re.IGNORECASE)
# Strimzi's drain cleaner moves the pods itself and wants a budget that lets nobody else do so.
_DRAINED_BY_OTHERS = "strimzi.io/"


def read_budget(tree: Tree, root: Node) -> None:
    """`pods-kept` with what a budget leaves: where (`namespace`), of which pods (`labels`), and `least`, how many must stay, or None for all of them."""
    least, most = find(root, "spec", "minAvailable"), find(root, "spec", "maxUnavailable")
    labels = _labels(root, "spec", "selector", "matchLabels")
    said = f"{scalar(get(root, 'metadata', 'name')) or ''} {json.dumps(labels)}"
    if (
        get(root, "spec", "selector", "matchExpressions") is not None
        or not labels
        or not _STREAMING.search(said)
        or _DRAINED_BY_OTHERS in said
    ):
        return
    at = most or least
    text = (scalar(at.value) or "").strip() if at is not None else ""
    if at is None or (least is not None and most is not None):
        return
    everything = text in (("0", "0%") if at is most else ("100%",))
    if everything or (at is least and text.isdecimal()):
        told = {"namespace": namespace_of(root), "labels": labels, "least": None if everything else int(text)}
        tree.out.facts.append(Usage("pods-kept", json.dumps(told), tree.out.place(tree.span(at.value), label=f"{at.key}: {text}")))


def read_pods(tree: Tree, root: Node) -> None:
    """`pods-of` for a workload whose number of pods is known: where, how many, and their labels."""
    replicas = find(root, "spec", "replicas")
    text = scalar(replicas.value) if replicas is not None else "1"
    labels, at = _labels(root, "spec", "template", "metadata", "labels"), replicas or find(root, "metadata", "name")
    if at is not None and text is not None and text.isdecimal() and labels:
        told = {"namespace": namespace_of(root), "labels": labels, "replicas": int(text)}
        tree.out.facts.append(Usage("pods-of", json.dumps(told), tree.out.place(tree.span(at.value))))


def _labels(root: Node, *path: str) -> dict[str, str]:
    """Labels that are written out; none where one of them is filled in elsewhere."""
    found = {item.key: scalar(item.value) or "" for item in items(get(root, *path))}
    return {} if any(MASK in f"{key}{value}" or "$" in value for key, value in found.items()) else found
