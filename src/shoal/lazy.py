"""Regular expressions that are compiled when they are first used: a commit hook needs few of those that the modules it imports hold."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _Lazy:
    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern  # as a compiled one has it: others are put together of it
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Asked for while the slots are empty; afterwards they hold the compiled expression's own methods."""
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile(text, flags)`, but compiled with the first use. Not for `re.match(…)` and the like: ask the pattern itself."""
    return cast("re.Pattern[AnyStr]", _Lazy(text, flags))
