"""Texts that are others each time they are made: with a random part, the time, or the name of a new folder in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import Spot, last_name
from shoal.python.values import Instance, Partial, Symbol

if TYPE_CHECKING:
    from shoal.python.module import Module

_ANEW = {
    **dict.fromkeys(
        (
            "uuid.uuid1",
            "uuid.uuid4",
            "secrets.token_hex",
            "random.randint",
            "random.random",
            "random.randrange",
            "random.getrandbits",
            "numpy.random.randint",
            "numpy.random.rand",
            "numpy.random.random",
        ),
        "a random part",
    ),
    **dict.fromkeys(
        ("time.time", "time.time_ns", "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today"), "the time"
    ),
    **dict.fromkeys(("time.strftime", "datetime.date.today"), "the time"),
    **dict.fromkeys(("tempfile.mkdtemp", "tempfile.TemporaryDirectory"), "a new folder"),
}
# Of what is new they make something that is new, too.
_METHODS = frozenset({"strftime", "isoformat", "timestamp", "replace", "date", "time", "astimezone", "lower", "format"})
_WRAPS = frozenset({"str", "int", "round", "join", "Path"})
_LEVELS = 8


def anew(module: Module, node: Any, spot: Spot, level: int = 0) -> str:
    """What is new in a text each time; empty where nothing is, or only where nothing else is given."""
    if level > _LEVELS:
        return ""
    inner: list[Any] = []
    if isinstance(node, cst.FormattedString):
        inner = [part.expression for part in node.parts if isinstance(part, cst.FormattedStringExpression)]
    elif isinstance(node, (cst.BinaryOperation, cst.ConcatenatedString)):
        inner = [node.left, node.right]
    elif isinstance(node, (cst.Subscript, cst.Attribute)):
        inner = [node.value]
        held = module.value(node, spot) if isinstance(node, cst.Subscript) else None
        if isinstance(held, Partial) and held.node is not node:  # what a dict or a list holds under a known key
            return anew(module, held.node, held.spot, level + 1)
        owner = module.value(node.value, spot) if isinstance(node, cst.Attribute) else None
        kept = owner.cls.attributes.get(last_name(node), []) if isinstance(owner, Instance) else []
        if len(kept) == 1:  # a field that is set in one place
            return anew(module, kept[0].node, kept[0].spot, level + 1)
    elif isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        if len(found) == 1 and found[0].kind == "assign":
            return anew(module, found[0].node, found[0].spot, level + 1)
    elif isinstance(node, cst.Call):
        value = module.value(node.func, spot)
        if isinstance(value, Symbol) and value.name in _ANEW:
            return _ANEW[value.name]
        name = last_name(node.func)
        if name in _METHODS and isinstance(node.func, cst.Attribute):
            inner = [node.func.value]
        if name in _WRAPS or name == "format":
            inner += [arg.value for arg in node.args]
    return next((what for part in inner if (what := anew(module, part, spot, level + 1))), "")
