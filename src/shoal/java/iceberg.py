"""Iceberg's Hadoop catalogs in Java whose warehouse is an object store: `new HadoopCatalog(conf, "s3a://…")`, `CatalogLoader.hadoop(…)`."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.sheet import Sheet
from shoal.lazy import pattern
from shoal.python.values import Known
from shoal.values.objectstores import SCHEME, scheme

_LOCKS = pattern(r"lock-impl|LOCK_IMPL|LockManager")
_CONFIGURES = pattern(rf'"fs\.({SCHEME})\.')


def collect(sheet: Sheet) -> None:
    source = sheet.source
    if _LOCKS.search(source.text):
        return
    for node in source.news:
        given = source.arguments(node)
        if source.type_of(node) == "HadoopCatalog" and len(given) == 2:
            _report(sheet, node.child_by_field_name("type") or node, given[0], given[1])
    for call in source.named("hadoop", "fromHadoopTable"):
        given, owner = source.arguments(call), source.written(call.child_by_field_name("object")).rpartition(".")[2]
        if (owner, source.name(call)) == ("TableLoader", "fromHadoopTable") and given:
            _report(sheet, source.name_node(call), None, given[0])
        elif (owner, source.name(call)) == ("CatalogLoader", "hadoop") and len(given) == 3:
            warehouse = next((entry.value_node for entry in sheet.options(given[2]).entries if entry.key == "warehouse"), None)
            _report(sheet, source.name_node(call), given[1], warehouse)


def _report(sheet: Sheet, at: Node, conf: Node | None, warehouse: Node | None) -> None:
    """An oddity with the scheme; `configured` where it is a default's, or where only the Hadoop configuration speaks of an object store."""
    source = sheet.source
    value = source.value(warehouse) if warehouse is not None else None
    if isinstance(value, Known):
        if found := scheme(str(value.value)):
            sheet.out.oddity("hadoop-catalog", found, source.span(at), "" if value.sure == "sure" else "configured")
        return
    name = source.written(conf)
    for call in source.named("set") if re.fullmatch(r"\w+", name) else ():
        given = source.arguments(call)
        match = (
            _CONFIGURES.match(source.written(given[0])) if given and source.written(call.child_by_field_name("object")) == name else None
        )
        if match is not None:
            sheet.out.oddity("hadoop-catalog", match.group(1), source.span(at), "configured")
            return
