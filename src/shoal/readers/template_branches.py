"""Which parts of a template are put in on a condition only: Helm, Jinja and FreeMarker."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.readers import Reading

_DIRECTIVE = pattern(
    r"\{\{-?[ \t]*(?P<helm>if|range|with|define|block|else|end)\b[^{}]{0,400}\}\}|\{%-?[ \t]*(?P<jinja>if|for|else|elif|endif|endfor)\b[^%]{0,400}%\}"
    r"|<(?P<ftl>#if|#list|/#if|/#list)\b[^>]{0,400}>"
)
_OPENS = frozenset({"if", "range", "with", "define", "block", "for", "#if", "#list"})
_CLOSES = frozenset({"end", "endif", "endfor", "/#if", "/#list"})
_CONDITIONS = frozenset({"if", "range", "with", "for", "#if", "#list"})


class Branches:
    """Conditional ranges of a file; asked for each setting whether it always holds within its block."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, out: Reading) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        if not out.templated:
            return
        opened: list[tuple[str, int]] = []
        found: list[tuple[int, int]] = []
        for match in _DIRECTIVE.finditer(out.raw):
            word = match.group(match.lastgroup or 0)
            if word in _OPENS:
                opened.append((word, match.start()))
            elif word in _CLOSES and opened:
                start_word, start = opened.pop()
                if start_word in _CONDITIONS:
                    found.append((start, match.end()))
        for start, end in sorted(found):
            self._starts.append(start)
            self._ends.append(end)

    def hold(self, offset: int, since: int) -> bool:
        """Whether a condition that begins after `since` (where the block does) has `offset` in it."""
        index = bisect_right(self._starts, offset) - 1
        for back in range(index, max(-1, index - 200), -1):
            if self._starts[back] < since:
                return False
            if self._ends[back] > offset:
                return True
        return False
