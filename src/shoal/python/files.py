"""Which file of the project an expression opens or reads, by the path that the program gives."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import dotted
from shoal.python.values import UNKNOWN, Known, Mapping, Object, Symbol

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call, Spot
    from shoal.python.values import Pair, Value

# What gives the content of the text or handle that it is given.
LOADS = frozenset({"yaml.safe_load", "yaml.load", "yaml.full_load", "json.load", "json.loads"})
_DEEP = 6
_ENDINGS = (".yaml", ".yml", ".json")
_READS = ("read", "read_text", "read_bytes")
_WRAPS = ("Path", "str", "abspath", "realpath", "normpath")
_SAME = ("resolve", "absolute", "expanduser")


# What reads an INI file, and the methods with which its values are made something.
INI = "py.IniFile"
PARSERS = frozenset({"configparser.ConfigParser", "configparser.RawConfigParser", "configparser.SafeConfigParser"})
_INI_ENDINGS = (".ini", ".cfg")
_CONVERTS = {"get": "str", "getint": "int", "getfloat": "float", "getboolean": "bool"}


def ini(module: Module, parser: Object) -> Value:
    """What a parser of INI files holds: the sections of the one file that it reads."""
    calls = [
        call
        for call in module.named("read", "read_string", "read_dict", "read_file", "readfp", "set")
        if any(one.node is parser.node for one in module.objects(call.receiver_node, call.spot))
    ]
    node = calls[0].argument(0, "filenames") if len(calls) == 1 and calls[0].name == "read" else None
    if node is None:
        return UNKNOWN
    path = _data(_path(module, node, calls[0].spot), _INI_ENDINGS)
    return module.others.file(path, node, calls[0].spot)


def entry(module: Module, node: Any, spot: Spot) -> Pair | None:
    """The entry that a call takes out of what a file holds: `conf.get("codec")`, `conf.getint("kafka", "retries")`."""
    func = node.func if isinstance(node, cst.Call) and node.args else None
    if not isinstance(func, cst.Attribute) or func.attr.value not in _CONVERTS:
        return None
    held, keys = module.value(func.value, spot), [module.string(arg.value, spot) for arg in node.args if arg.keyword is None]
    if isinstance(held, Object) and held.type == INI and len(keys) > 1:
        section = ini(module, held)
        found = section.get(keys[0]) if isinstance(section, Mapping) else None
        held, keys = (module.value(found.value_node, found.spot) if found is not None else UNKNOWN), keys[1:]
    return held.get(keys[0].lower()) or held.get(keys[0]) if isinstance(held, Mapping) and keys else None


def ini_method(module: Module, parser: Object, name: str, call: Call) -> Value:
    """`config.get("kafka", "group_id")`, `config.getint("kafka", "retries")`, `config.items("kafka")`."""
    section = module.string(call.argument(0, "section"), call.spot)
    held = ini(module, parser) if section and name in (*_CONVERTS, "items") else UNKNOWN
    found = held.get(section) if isinstance(held, Mapping) else None
    inner = module.value(found.value_node, found.spot) if found is not None else UNKNOWN
    return inner if name == "items" else of_section(module, inner, name, call.argument(1, "option"), call.spot)


def of_section(module: Module, section: Value, name: str, option: Any, spot: Spot) -> Value:
    """An option of a section, as the method of this name makes it."""
    key = module.string(option, spot).lower()
    pair = section.get(key) if isinstance(section, Mapping) and key and name in _CONVERTS else None
    value = module.value(pair.value_node, pair.spot) if pair is not None else UNKNOWN
    if not isinstance(value, Known) or not isinstance(value.value, str):
        return UNKNOWN
    from shoal.python.expressions import from_settings

    made = from_settings(_CONVERTS[name], value.value)
    return UNKNOWN if made is None else value._replace(value=made)


def opened(module: Module, node: Any, spot: Spot) -> str:
    """The relative path of the YAML or JSON file whose text or handle an expression is; empty where that cannot be told."""
    found = _opened(module, node, spot)
    return _data(_path(module, *found)) if found is not None else ""


def parameter(module: Module, node: Any, spot: Spot, level: int = 0) -> str:
    """The parameter that names the file whose content an expression is, by a name or two and `or {}`; empty for any other."""
    if isinstance(node, cst.BooleanOperation):
        return parameter(module, node.left, spot, level)
    if isinstance(node, cst.Name) and level <= _DEEP:
        bound = [binding for binding, _ in module.lookup(node.value, spot)]
        return parameter(module, bound[0].node, bound[0].spot, level + 1) if len(bound) == 1 and bound[0].kind == "assign" else ""
    func = module.value(node.func, spot) if isinstance(node, cst.Call) and node.args else None
    found = _opened(module, node.args[0].value, spot) if isinstance(func, Symbol) and func.name in LOADS else None
    return _from_parameter(module, *found) if found is not None else ""


def named(module: Module, node: Any, spot: Spot) -> str:
    """The relative path of the YAML or JSON file that an expression names; empty where that cannot be told."""
    return _data(_path(module, node, spot))


def _opened(module: Module, node: Any, spot: Spot, level: int = 0) -> tuple[Any, Spot] | None:
    """What names the file whose text or handle an expression is, and where."""
    if level > _DEEP:
        return None
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        if len(found) == 1 and found[0].kind in ("assign", "with"):
            return _opened(module, found[0].node, found[0].spot, level + 1)
        return None
    if not isinstance(node, cst.Call):
        return None
    func = node.func
    if isinstance(func, cst.Attribute) and func.attr.value in _READS:
        return _opened(module, func.value, spot, level + 1) or (func.value, spot)
    if isinstance(func, cst.Attribute) and func.attr.value == "open" and dotted(func.value) not in ("io", "codecs"):
        return func.value, spot
    if dotted(func).rpartition(".")[2] == "open" and node.args:
        return node.args[0].value, spot
    return None


def _from_parameter(module: Module, node: Any, spot: Spot, level: int = 0) -> str:
    if level > _DEEP:
        return ""
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        if len(found) != 1:
            return ""
        return node.value if found[0].kind == "param" else _from_parameter(module, found[0].node, found[0].spot, level + 1)
    if not isinstance(node, cst.Call):
        return ""
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in _SAME:
        return _from_parameter(module, node.func.value, spot, level + 1)
    wraps = dotted(node.func).rpartition(".")[2] in _WRAPS and len(node.args) == 1
    return _from_parameter(module, node.args[0].value, spot, level + 1) if wraps else ""


def _data(path: str, endings: tuple[str, ...] = _ENDINGS) -> str:
    """A path that names data; one of a container or another disk only by its last part."""
    if not path.endswith(endings):
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
    if name.rpartition(".")[2] in _WRAPS and len(node.args) == 1:
        return _path(module, node.args[0].value, spot, level + 1)
    return ""
