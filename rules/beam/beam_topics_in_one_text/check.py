"""`topics="orders"`: each letter of it goes into the payload of the external transform (built with 2.77)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import dotted
from shoal.python.values import Known, Object, Partial, options


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("ReadFromKafka"):
        node = call.argument(1, "topics")
        if node is None or not module.qualified(call).startswith("apache_beam.") or not _is_text(module, node, call.spot):
            continue
        value = module.constant(node, call.spot)
        letters = [f"`{one}`" for one in dict.fromkeys(value)] if isinstance(value, str) else []
        read = f"topics named {', '.join(letters[:3])}{' …' if len(letters) > 3 else ''}" if letters else "topics named by its letters"
        message = f"topics is a list: each letter of a text is taken for a topic, so that this reads {read}"
        yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _is_text(module: Any, node: Any, spot: Any) -> bool:
    """Whether it is a text, whatever it says."""
    if isinstance(node, cst.Name):
        found = module.lookup(node.value, spot)
        if len(found) == 1 and found[0][0].kind == "assign":
            return _is_text(module, found[0][0].node, found[0][0].spot)
    if isinstance(node, cst.Attribute) and any(
        isinstance(one, Object) and one.type == "py.Arguments" for one in options(module.value(node.value, spot))
    ):
        return _plain_argument(module, node.attr.value)
    if isinstance(node, cst.Call) and dotted(node.func) in ("os.getenv", "os.environ.get"):
        return True
    if isinstance(node, cst.Subscript) and dotted(node.value) == "os.environ":
        return True
    values = list(options(module.value(node, spot)))
    return bool(values) and all(
        isinstance(one, Partial) or (isinstance(one, Known) and isinstance(one.value, str) and one.sure != "default") for one in values
    )


def _plain_argument(module: Any, name: str) -> bool:
    """Whether an argument of the command line stays the text that is given."""
    for call in module.named("add_argument"):
        flags = [module.string(arg.value, call.spot).lstrip("-").replace("-", "_") for arg in call.node.args if arg.keyword is None]
        if name in flags or module.string(call.argument(99, "dest"), call.spot) == name:
            kind = call.argument(99, "type")
            return not call.has_stars and not call.has_keyword("nargs", "action") and (kind is None or dotted(kind) == "str")
    return False
