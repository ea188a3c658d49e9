"""Which file of the project an expression opens or reads, by the path that the program gives."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import dotted

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Spot

_DEEP = 6
_ENDINGS = (".yaml", ".yml", ".json")
_READS = ("read", "read_text", "read_bytes")
_SAME = ("resolve", "absolute", "expanduser")


def opened(module: Module, node: Any, spot: Spot, level: int = 0) -> str:
    """The relative path of the YAML or JSON file whose text or handle an expression is; empty where that cannot be told."""
    if level > _DEEP:
        return ""
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        if len(found) == 1 and found[0].kind in ("assign", "with"):
            return opened(module, found[0].node, found[0].spot, level + 1)
        return ""
    if not isinstance(node, cst.Call):
        return ""
    func = node.func
    if isinstance(func, cst.Attribute) and func.attr.value in _READS:
        return opened(module, func.value, spot, level + 1) or _data(_path(module, func.value, spot))
    if isinstance(func, cst.Attribute) and func.attr.value == "open" and dotted(func.value) not in ("io", "codecs"):
        return _data(_path(module, func.value, spot))
    if dotted(func).rpartition(".")[2] == "open" and node.args:
        return _data(_path(module, node.args[0].value, spot))
    return ""


def _data(path: str) -> str:
    """A path that names data; one of a container or another disk only by its last part."""
    if not path.endswith(_ENDINGS):
        return ""
    return posixpath.basename(path) if posixpath.isabs(path) else posixpath.normpath(path)


def _path(module: Module, node: Any, spot: Spot, level: int = 0) -> str:
    """The end of a path, as far back as it is written out."""
    text = module.string(node, spot)
    if text or level > _DEEP:
        return text
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        return _path(module, found[0].node, found[0].spot, level + 1) if len(found) == 1 and found[0].kind == "assign" else ""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
        return posixpath.join(_path(module, node.left, spot, level + 1), module.string(node.right, spot))
    if not isinstance(node, cst.Call):
        return ""
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in _SAME:
        return _path(module, node.func.value, spot, level + 1)
    name = dotted(node.func)
    if name.endswith("path.join"):
        parts: list[str] = []
        for arg in reversed(node.args):
            part = module.string(arg.value, spot)
            if not part:
                break
            parts.insert(0, part)
        return posixpath.join(*parts) if parts else ""
    if name.rpartition(".")[2] in ("Path", "str", "abspath", "realpath", "normpath") and len(node.args) == 1:
        return _path(module, node.args[0].value, spot, level + 1)
    return ""
