"""Files inside YAML: a block scalar under a file's name, as config maps, chart values and bundles hold them."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

from shoal.classify import classify
from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers.yaml_tree import Item, Node, Tree, documents, scalar
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.readers import Reading

# Maps and texts under these names hold Flink options, whatever the chart.
FLINK_CONF = pattern(
    r"flink[-_]?(?:conf|config|configuration|properties)$|flink(?:Conf|Config|Configuration|Properties)(?:uration)?$", re.IGNORECASE
)
_DEEPEST = 4
_MANIFEST = pattern(r"(?m)^apiVersion: ")
# What other readers take as a text of its own.
_HANDED_ON = frozenset({"properties", "spark-conf", "sql", "shell", "json", "requirements"})
_TELLING = pattern(r"flink|spark|kafka|beam|bootstrap\.servers|connector", re.IGNORECASE)
_SINK = pattern(r"(?m)^ *sink:")  # of a pipeline of Flink CDC, which may not say whose it is


def read_file(tree: Tree, item: Item, form: str, name: str = "", open: bool = False, depth: int = 0) -> bool:
    """Read the text of an entry by the file name that is its key; False when it is no such thing."""
    text = scalar(item.value)
    if not text or depth > _DEEPEST:
        return False
    key = item.key.rsplit("/", 1)[-1]
    kind = classify(key) if "." in key else ""
    if key == "FLINK_PROPERTIES" or (FLINK_CONF.match(key) and "\n" in text):
        kind = "flink-conf"
    if not kind or ("\n" not in text and ": " not in text and "=" not in text):
        return False
    inner = tree.value(item.value)
    opened = open or tree.hidden(item) or f"#{MASK}" in text
    if kind == "flink-conf":
        _legacy(tree, item, inner, form, name, opened, key == "FLINK_PROPERTIES")
        return True
    if kind == "yaml":
        return _yaml(tree, item, inner, form, name, opened, depth)
    if kind == "python" and form == "configmap":
        return _python(tree, item, inner)
    telling = kind == "sql" or _TELLING.search(f"{key} {text}")  # the reader of SQL looks for what Flink's alone has
    if kind in _HANDED_ON and telling and not key.startswith(("log4j", "logback")):
        from shoal.readers import READERS

        reader = import_module(READERS[kind])
        if kind == "properties":  # whose they are, its name may tell
            reader.read(inner, tree.out, key.lower())
        else:
            reader.read(inner, tree.out)
        return True
    return False


def _python(tree: Tree, item: Item, inner: Text) -> bool:
    """A program in a config map, the first of its file; what does not parse is no problem of the outer file."""
    from shoal.python import guard

    out = tree.out
    if out.module is not None or not guard.concerns(inner.text):
        return False
    from shoal.python.reader import read_source

    problems = len(out.problems)
    out.inner = True
    read_source(inner, out)
    out.inner = False
    del out.problems[problems:]
    if out.module is None:
        return False
    out.facts.append(Usage("file-in-map", item.key, out.place(Span(tree.key(item).start, tree.span(item.value).end))))
    return True


def read_unnamed(tree: Tree, item: Item, form: str, depth: int) -> bool:
    """A text of several lines whose key is no file name: a Flink conf, or manifests, as its lines tell."""
    text = scalar(item.value) or ""
    if "\n" not in text or depth > _DEEPEST:
        return False
    if (_MANIFEST.search(text) or item.key == "values") and _TELLING.search(text):  # `values`: of a chart, in an Argo CD application
        return _yaml(tree, item, tree.value(item.value), form, "", True, depth)
    if "manager." not in text and "state." not in text and "checkpointing" not in text:
        return False
    from shoal.readers.flink_yaml import own_key

    lines = [line.strip() for line in text.split("\n")[:500] if not line.lstrip().startswith("#")]
    keys = [line.partition(": ")[0] for line in lines if ": " in line]
    own = sum(1 for key in keys if own_key(key))
    if (
        own < 2 or own * 2 < len(keys) or sum(1 for line in lines if " " in line and ": " not in line) > own
    ):  # prose, with a conf for an example
        return False
    _legacy(tree, item, tree.value(item.value), form, "", True, False)
    return True


def read_properties(text: Text, tree: Tree, place: Span, form: str) -> None:
    """A FLINK_PROPERTIES value that stands on its own, as in a container's environment in chart values."""
    from shoal.readers.conf_text import read_legacy

    block = tree.out.block("flink", "cluster", form, place, traits=(("file", "FLINK_PROPERTIES"),), open=True)
    read_legacy(text, tree.out, block, properties=True, entry_point="unknown")


def _legacy(tree: Tree, item: Item, inner: Text, form: str, name: str, open: bool, properties: bool) -> None:
    from shoal.readers.conf_text import read_legacy

    block = tree.out.block("flink", "cluster", form, tree.key(item), name, traits=(("file", item.key),), open=open)
    read_legacy(inner, tree.out, block, properties=properties, entry_point="unknown" if properties else "")


def _yaml(tree: Tree, item: Item, inner: Text, form: str, name: str, open: bool, depth: int) -> bool:
    if not item.key.lower().startswith("config.y") and not _TELLING.search(inner.text) and not _SINK.search(inner.text):
        return False
    from shoal.readers import flink_yaml, yaml_documents

    below = Tree(inner, tree.out, tree)
    quiet = _quietly(inner, tree.out)
    for root in quiet:
        if flink_yaml.is_config(item.key.lower(), root) or (item.key.lower().startswith("config.y") and flink_yaml.proven(root)):
            block = tree.out.block("flink", "cluster", form, tree.key(item), name, traits=(("file", item.key),), open=open)
            flink_yaml.read_map(below, root, block, strict=True)
        else:
            yaml_documents.read_root(below, root, item.key.lower(), depth + 1)
    return bool(quiet)


def _quietly(inner: Text, out: Reading) -> list[Node]:
    """Documents of an inner text; what does not parse in there is no problem of the outer file."""
    problems = len(out.problems)
    roots = documents(inner, out)
    del out.problems[problems:]
    return roots
