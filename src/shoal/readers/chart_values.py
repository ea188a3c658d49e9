"""The values file of a Helm chart: every single value with its path, for the templates that refer to it."""

from __future__ import annotations

import re

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.model import Place
from shoal.readers.yaml_tree import Node, Tree, flatten, is_null, is_plain, scalar
from shoal.text import MASK

_MOST = 1_000
_LONGEST = 300
# Helm holds numbers as floats: 1.20 becomes 1.2, 1000000 becomes 1e+06. YAML's other words for booleans become true and false.
_CHANGES = pattern(r"[-+]?(?:\d{7,}|\d[\d_]*\.\d*|\.\d+|0\d+|0[xob].*|\d.*e.*|\d+(?::\d+)+)|yes|no|on|off|y|n|true|false", re.IGNORECASE)


def read(tree: Tree, root: Node) -> None:
    """None of a file with too many values: a missing one would be taken for unset."""
    leaves = []
    for leaf in flatten(root):
        leaves.append(leaf)
        if len(leaves) > _MOST:
            return
    for leaf in leaves:
        text = scalar(leaf.value)
        if is_null(leaf.value):
            detail = f"{leaf.key}="
        elif text is None or MASK in text or len(text) > _LONGEST or "\n" in text or (is_plain(leaf.value) and _changed(text)):
            detail = f"{leaf.key}?"
        else:
            detail = f"{leaf.key}={text}"
        if "=" not in leaf.key and "?" not in leaf.key:
            tree.out.facts.append(Usage("chart-value", detail, Place(tree.out.path, tree.span(leaf.value))))


def _changed(text: str) -> bool:
    return text not in ("true", "false") and _CHANGES.fullmatch(text) is not None
