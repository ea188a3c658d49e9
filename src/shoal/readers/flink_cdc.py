"""Pipelines of Flink CDC in YAML (`flink-cdc.sh`): a source, a sink, routes, transforms, and the pipeline's own options.

Checked against YamlPipelineDefinitionParser of Flink CDC 3.2.0: what stands in `source`, `sink` and `pipeline` is read as a flat map of texts; a
nested map or a list is refused, save for the lists of schema changes and functions; sections of other names are not read before 3.6, and refused since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.readers import flink_yaml
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, is_null, is_sequence, items, scalar

if TYPE_CHECKING:
    from shoal.facts import Block

SECTIONS = frozenset({"source", "sink", "route", "transform", "pipeline"})
_SOURCES = frozenset({"mysql", "postgres", "oracle", "mongodb", "sqlserver", "db2", "oceanbase", "tidb", "values"})
_MEANT = frozenset({"hostname", "host", "username", "tables", "table"})
# Lists, and of functions and models maps, that the parser takes out before it reads the rest.
_LISTS = {
    "sink": frozenset({"include.schema.changes", "exclude.schema.changes"}),
    "pipeline": frozenset({"user-defined-function", "model"}),
}


def is_pipeline(root: Node) -> bool:
    """Told by a source and a sink with a type each, flat as they are here (other tools' have a `config`), and by what else stands there."""
    source, sink = get(root, "source"), get(root, "sink")
    kind = scalar(get(source, "type"))
    if kind is None or scalar(get(sink, "type")) is None or any(is_mapping(get(side, "config")) for side in (source, sink)):
        return False
    if kind in _SOURCES and any(item.key in _MEANT for item in items(source)):
        return True
    own = is_mapping(get(root, "pipeline"))
    return own and (kind in _SOURCES or all(item.key in SECTIONS for item in items(root)))


def read(tree: Tree, root: Node) -> None:
    """The pipeline as one block, its parts as blocks in it."""
    section = find(root, "pipeline")
    own = section if section is not None and is_mapping(section.value) else None
    name = scalar(get(own.value, "name")) if own is not None else None
    first = own or next(iter(items(root)))
    whole = tree.out.block("flink-cdc", "pipeline", "yaml", tree.key(first), name or "", traits=(("section", "set" if own else ""),))
    if own is not None:
        _read_options(tree, own, whole, "pipeline")
    for role in ("source", "sink"):
        item = find(root, role)
        if item is not None:
            kind = scalar(get(item.value, "type")) or ""
            block = tree.out.block("flink-cdc", role, "yaml", tree.key(item), kind, whole, (("connector", kind),), open=_merged(tree, item))
            _read_options(tree, item, block, role)
    for role in ("route", "transform"):
        item = find(root, role)
        if item is not None and is_mapping(item.value):
            tree.out.oddity("cdc-no-list", role, tree.key(item), "", whole)
        for child in elements(item.value)[:1000] if item is not None else ():
            if is_mapping(child) and (entries := items(child)):
                block = tree.out.block("flink-cdc", role, "yaml", tree.key(entries[0]), parent=whole)
                for entry in entries:
                    _add(tree, block, entry)
    for item in items(root):
        if item.key not in SECTIONS and item.key != "<<" and not item.key.startswith(("x-", ".")):
            tree.out.oddity("cdc-unknown-section", item.key, tree.key(item), "", whole)


def _merged(tree: Tree, item: Item) -> bool:
    return tree.hidden(item) or any(child.merged for child in items(item.value))


def _read_options(tree: Tree, section: Item, block: Block, role: str) -> None:
    if any(item.merged for item in items(section.value)):
        tree.out.oddity("cdc-nested", "<<", tree.key(section), "merge", block)
    for item in items(section.value):
        nested = is_mapping(item.value) or is_sequence(item.value)
        if nested and item.key not in _LISTS.get(role, ()):
            # an empty one is as wrong, and says no more
            tree.out.oddity("cdc-nested", item.key, tree.key(item), "map" if is_mapping(item.value) else "list", block)
        elif nested and role == "pipeline":
            tree.out.setting(block, item.key, "", tree.key(item), tree.key(item))
        else:
            _add(tree, block, item)


def _add(tree: Tree, block: Block, item: Item) -> None:
    if not is_null(item.value):
        flink_yaml.add(tree, block, item)
