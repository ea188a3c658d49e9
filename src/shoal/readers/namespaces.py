"""Namespaces of Kubernetes, as far as files tell of them: who deploys them may put them into another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.readers.yaml_tree import get, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.readers.yaml_tree import Node


def namespace_of(root: Node) -> str:
    """The namespace of a resource; empty where it names none, or leaves it to a template."""
    name = scalar(get(root, "metadata", "namespace")) or ""
    return "" if MASK in name or "$" in name else name
