"""Names that a program makes up at each start: with a random part, or the time."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from shoal.templates import kafka

if TYPE_CHECKING:
    from shoal.context import Context
    from shoal.facts import Setting


def anew(context: Context, setting: Setting) -> bool:
    """Whether what a setting is given is surely another name at every start."""
    return not setting.known and bool(kafka.RANDOM.search(setting.text) or any(_made_up(context, name) for name in _parts(setting.text)))


def _parts(text: str) -> list[str]:
    """The variables that a name is put together of: `group`, `"orders-" + suffix`, `f"orders-{suffix}"`."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _made_up(context: Context, name: str) -> bool:
    """Whether all that a program gives a variable of this name has such a part; `name=name,` on a line of its own hands it on."""
    module = context.module
    lines = rf"^[ \t]*{name}[ \t]*=[ \t]*(?!{name}[ \t]*[,)])(.+)$"
    given = re.findall(lines, module.raw, re.MULTILINE) if module is not None and name.isidentifier() else []
    return bool(given) and all(kafka.RANDOM.search(value) for value in given)
