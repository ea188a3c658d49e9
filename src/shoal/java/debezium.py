"""Debezium embedded in a program in Java: where it keeps how far it has read."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.sheet import Sheet
from shoal.lazy import pattern
from shoal.python.values import Known

_SETTERS = ("with", "setProperty", "put", "putIfAbsent", "property")
_STORE, _FILE = "offset.storage", "offset.storage.file.filename"
_CONSTANTS = {"OFFSET_STORAGE": _STORE, "OFFSET_STORAGE_FILE_FILENAME": _FILE}
# Without a snapshot at the start the place in the database's log may be kept by the database; one at each start may be meant.
_OTHER_SNAPSHOT = pattern(r"(?i)snapshot[._]mode\"?\s*,(?!\s*\"?(?:initial|when_needed)\b)")
_TESTS = pattern(r"@Test\b|\borg\.junit\b|\borg\.testng\b")
_MADE_ANEW = pattern(r"Files?\s*\.\s*createTemp(?:File|Directory)\(")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    if "debezium" not in source.text.lower() or _TESTS.search(source.text) or _OTHER_SNAPSHOT.search(source.text):
        return
    calls = [(call, source.arguments(call)) for call in source.named(*_SETTERS)]
    keys = [(call, given, _key(sheet, given[0])) for call, given in calls if len(given) == 2]
    stores = {source.written(given[1]) for _, given, key in keys if key == _STORE}
    for call, given, key in keys:
        if len(stores) > 1 and source.conditional(call):
            continue  # a program that knows several stores is told which one to take
        fate = _fate(sheet, key, given[1]) if key else ""
        if fate:
            sheet.out.oddity("offsets-not-kept", key, source.span(given[1]), fate)


def _key(sheet: Sheet, node: Node) -> str:
    value = sheet.source.value(node)
    if isinstance(value, Known):
        return value.value if value.value in (_STORE, _FILE) else ""
    return _CONSTANTS.get(sheet.source.written(node).rpartition(".")[2], "")


def _fate(sheet: Sheet, key: str, node: Node) -> str:
    """What becomes of the offsets, in words; empty where they may last."""
    source, value = sheet.source, sheet.source.value(node)
    text = value.value if isinstance(value, Known) and isinstance(value.value, str) else ""
    if key == _STORE:
        memory = text.endswith(".MemoryOffsetBackingStore") or re.match(
            r"(?:\w+\.)*MemoryOffsetBackingStore\.class\b", source.written(node)
        )
        return "are in memory, and gone with the process" if memory else ""
    if text:
        return "are in /tmp, and gone with the container or when the machine starts again" if text.startswith("/tmp/") else ""
    made = source.origin(node)
    return "are in a file that each start makes anew" if made is not None and _MADE_ANEW.match(source.written(made)) else ""
