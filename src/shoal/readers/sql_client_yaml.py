"""The YAML environment of Flink's SQL client before 1.15: catalogs, tables, `execution:` and `configuration:`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.readers import flink_yaml
from shoal.readers.yaml_tree import Node, Tree, elements, find, flatten, get, is_mapping, is_null, is_sequence, items, scalar

if TYPE_CHECKING:
    from shoal.facts import Block

_EXECUTION = frozenset(
    {
        "planner",
        "result-mode",
        "max-table-result-rows",
        "time-characteristic",
        "periodic-watermarks-interval",
        "min-idle-state-retention",
        "max-idle-state-retention",
        "current-catalog",
        "current-database",
    }
)


def is_environment(root: Node) -> bool:
    """Told by the fields of `execution` that only this format has, or by tables and catalogs listed with a type."""
    if any(item.key in _EXECUTION and scalar(item.value) is not None for item in items(get(root, "execution"))):
        return True
    if not any(get(root, key) is not None for key in ("execution", "deployment", "functions", "configuration")):
        return False
    for key in ("tables", "catalogs"):
        node = get(root, key)
        if is_sequence(node) and any(scalar(get(child, "name")) and scalar(get(child, "type")) for child in elements(node)[:50]):
            return True
    return False


def read(tree: Tree, root: Node) -> None:
    """The session as one block, each table as another, with the keys as they are nested."""
    first = find(root, "execution") or find(root, "configuration") or next(iter(items(root)))
    traits = (("legacy-environment", "true"),)
    session = tree.out.block("flink", "session", "yaml", tree.key(first), traits=traits)
    for section in ("execution", "deployment"):
        entry = find(root, section)
        for item in flatten(entry.value, section) if entry is not None else ():
            if scalar(item.value) is not None and not is_null(item.value):
                flink_yaml.add(tree, session, item)
    flink_yaml.read_map(tree, get(root, "configuration"), session)
    for kind, role in (("tables", "table"), ("catalogs", "catalog")):
        for child in elements(get(root, kind))[:1000]:
            _read_table(tree, child, role, session)


def _read_table(tree: Tree, node: Node, role: str, session: Block) -> None:
    name = find(node, "name")
    if name is None or not is_mapping(node):
        return
    connector = scalar(get(node, "connector", "type")) or ""
    traits = (("legacy-environment", "true"), *((("legacy-connector", connector),) if connector else ()))
    block = tree.out.block("flink", role, "yaml", tree.span(name.value), scalar(name.value) or "", session, traits)
    for item in flatten(node):
        if scalar(item.value) is not None and not is_null(item.value):
            flink_yaml.add(tree, block, item)
    # client options are a list of key and value pairs here
    for pair in elements(get(node, "connector", "properties")):
        key, value = find(pair, "key"), find(pair, "value")
        if key is not None and value is not None and (text := scalar(key.value)) and scalar(value.value) is not None:
            tree.out.setting(block, f"properties.{text}", scalar(value.value) or "", tree.span(key.value), tree.span(value.value))
