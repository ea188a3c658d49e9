"""Namespaces of Kubernetes, as far as files tell of them: who deploys them may put them into another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.jobs.boundaries import folder_of
from shoal.readers.yaml_tree import get, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Usage
    from shoal.readers.yaml_tree import Node


def namespace_of(root: Node) -> str:
    """The namespace of a resource; empty where it names none, or leaves it to a template."""
    name = scalar(get(root, "metadata", "namespace")) or ""
    return "" if MASK in name or "$" in name else name


def meet(one: Usage, other: Usage) -> bool:
    """Whether what two facts name as `namespace/name` may be the same: of one namespace, and in one folder or in folders side by side."""
    (here, name), (there, called) = one.detail.split("/")[:2], other.detail.split("/")[:2]
    folder, beside = folder_of(one.place.path), folder_of(other.place.path)
    near = folder == beside or (bool(folder and beside) and folder_of(folder) == folder_of(beside))
    return name == called and near and (here == there or not (here and there))
