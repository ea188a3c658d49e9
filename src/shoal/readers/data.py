"""YAML, JSON and INI files as data, for the Python modules that load them: `yaml.safe_load(open("conf.yaml"))["kafka"]`.

What a file holds is told as other modules tell their constants (`shoal.python.elsewhere`), with the places in the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.model import DATA, Place, Span
from shoal.readers import ini, yaml_tree
from shoal.readers.yaml_tree import TooMuch, Tree
from shoal.text import MASK

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

    from shoal.readers import Reading
    from shoal.text import Text

_DEEPEST = 6
_LONGEST = 20_000
# Plain scalars that are no texts, where YAML 1.1 and 1.2 agree.
_WHOLE = pattern(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = pattern(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}")
_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def read(text: Text, out: Reading) -> None:
    """Add what the file's one document holds to the facts; nothing where it does not parse, or holds too much."""
    if out.path.lower().endswith((".ini", ".cfg")):
        _add(_sections(text, out), out)
        return
    roots, errors = yaml_tree.compose(text.text)
    if errors or len(roots) != 1:
        return
    try:
        data = _encoded(Tree(text, out), roots[0], 0)
    except TooMuch:
        return
    _add(data, out)


def _sections(text: Text, out: Reading) -> Any:
    """The sections of an INI file, each with what the default one says; None where the INI reader takes its options for a client's itself."""
    found = ini.sections(text.text)
    if any("bootstrap.servers" in options for options in found.values()):
        return None
    common = found.pop("DEFAULT", {})
    inner = []
    for name, options in found.items():
        entries = []
        for key, option in {**common, **options}.items():
            value = option.value
            known = MASK not in value and "%(" not in value and "${" not in value and "\n" not in value
            at = text.span(*option.value_at)
            entries.append([key, ["k", value, "sure"] if known else None, [out.path, at.start, at.end]])
        inner.append([name, ["d", entries, out.templated], [out.path, 0, 0]])
    return ["d", inner, True]


def _add(data: Any, out: Reading) -> None:
    made = json.dumps([data, None], separators=(",", ":"))
    if data is not None and len(made) <= _LONGEST:
        out.facts.append(Usage("has", f"{DATA}={made}", Place(out.path, Span(0, 0))))


def _encoded(tree: Tree, node: Node, level: int) -> Any:
    """A node as `answers.decoded` takes it; None for what a template, a variable or whoever reads it decides."""
    if level > _DEEPEST:
        return None
    if yaml_tree.is_mapping(node):
        last = {item.key: item for item in yaml_tree.items(node)}
        inner = [[key, _encoded(tree, item.value, level + 1), [tree.out.path, *tree.span(item.value)]] for key, item in last.items()]
        return ["d", inner, tree.out.templated]
    if yaml_tree.is_sequence(node):
        return ["l", "list", [_encoded(tree, one, level + 1) for one in yaml_tree.elements(node)], False]
    text = yaml_tree.scalar(node) or ""
    if MASK in text or "${" in text:
        return None
    if not yaml_tree.is_plain(node):
        return ["k", text, "sure"]
    if yaml_tree.is_null(node):
        return ["k", None, "sure"]
    if text in _WORDS:
        return ["k", _WORDS[text], "sure"]
    if _WHOLE.fullmatch(text):
        return ["k", int(text), "sure"]
    return ["k", float(text) if _DECIMAL.fullmatch(text) else text, "sure"]
