"""Texts as JSON writes them, for what is read as the JSON that it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.text import Text

_RUN = pattern(r"[^\"\\\x00-\x1f]+|[\"\\\x00-\x1f]")
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def escaped(text: Text) -> list[tuple[str, int]]:
    """What stands between the quotes, as parts for `Text.compose`: (characters, offset of the first of them)."""
    return [(_ESCAPED.get(run.group(), run.group()), text.at(run.start())) for run in _RUN.finditer(text.text)]
