"""A rule's page: tests need all of its examples, readers a few."""

from __future__ import annotations

from collections.abc import Callable

from shoal.lazy import pattern

SHOWN = 3  # examples of a section that a reader is shown at first
_EXAMPLES = pattern(r"(?ms)^## (?:Bad|Good)\n.*?(?=^## (?:Good|How to fix|When to ignore)$)")
_FENCE = pattern(r"(?ms)^```\w+ (\w+).*?^```[ \t]*\n")


def folded(text: str, rest: Callable[[str, int], str]) -> str:
    """A rule.md with the first examples of each section, and what `rest` makes of the text and the number of the others.

    What stands before an example goes with it, and so does what a fix makes of it.
    """
    return _EXAMPLES.sub(lambda section: _folded(section[0], rest), text)


def _folded(section: str, rest: Callable[[str, int], str]) -> str:
    ends: list[int] = []
    for fence in _FENCE.finditer(section):
        if fence[1] == "fixed" and ends:
            ends[-1] = fence.end()
        else:
            ends.append(fence.end())
    if len(ends) <= SHOWN + 1:  # a single one takes no more room than a word about it
        return section
    return f"{section[: ends[SHOWN - 1]]}\n{rest(section[ends[SHOWN - 1] :].strip(), len(ends) - SHOWN)}\n\n"
