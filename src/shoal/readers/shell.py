"""Shell scripts, and the recipes of Makefiles and justfiles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.readers import mask
from shoal.readers.command_line import read_command

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.text import Text

_RECIPE = re.compile(r"[ \t]+[@+-]*")


def read(text: Text, out: Reading) -> None:
    """A script as a whole; of a Makefile, what stands in recipes."""
    name = out.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    if name.startswith("justfile"):
        text = text.compose([(mask(text.text), 0)])
    if name.startswith(("makefile", "gnumakefile", "justfile")) or name.endswith(".mk"):
        text = _recipes(text)
    read_command(text, out)


def _recipes(text: Text) -> Text:
    """The recipe lines with make's own marks taken away; other lines are left out, `$$` is the shell's `$`."""
    parts: list[tuple[str, int]] = []
    continued = False
    whole = text.text
    for start, end in text.lines():
        found = _RECIPE.match(whole, start, end)
        if found or continued:
            at = found.end() if found and not continued else start
            pieces = whole[at:end].split("$$")
            for index, piece in enumerate(pieces):
                parts.append((piece + ("$" if index + 1 < len(pieces) else ""), at))
                at += len(piece) + 2
            if end < len(whole):
                parts.append(("\n", end))
            continued = whole[start:end].endswith("\\")
        else:
            continued = False
    return text.compose(parts) if parts else text.slice(0, 0)
