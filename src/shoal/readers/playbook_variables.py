"""Variables of Ansible, in the files where playbooks and roles keep them: what the templates of roles refer to."""

from __future__ import annotations

from shoal.facts import Usage
from shoal.readers.yaml_tree import Node, Tree, elements, get, is_mapping, is_null, items, scalar
from shoal.text import MASK

_MOST = 1_000
_LONGEST = 300


def read(tree: Tree, root: Node) -> None:
    """The variables of a file of its own, or of the plays in it."""
    _read(tree, root)
    for play in elements(root)[:100]:
        if get(play, "hosts") is not None:
            _read(tree, get(play, "vars"))


def _read(tree: Tree, variables: Node | None) -> None:
    for item in items(variables)[:_MOST] if variables is not None and is_mapping(variables) else ():
        text = scalar(item.value)
        if item.key.isidentifier() and text is not None:
            known = not is_null(item.value) and len(text) <= _LONGEST and "\n" not in text
            # what a template stands for is known by its own text, which whoever fills it in looks at again
            shown = tree.shown(item.value) if MASK in text else text
            detail = f"{item.key}={shown}" if known and MASK not in shown else f"{item.key}?"
            tree.out.facts.append(Usage("playbook-variable", detail, tree.out.place(tree.span(item.value))))
