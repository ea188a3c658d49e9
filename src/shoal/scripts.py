"""The scripts of SQL that a program in Python or Java names, as those do whose tables stand in files of their own."""

from __future__ import annotations

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.model import Place, Span

_NAMED = pattern(r"[\"'](?:\./|/)?((?:[\w.-]+/)*[\w.-]+\.sql)[\"']")


def scripts_loaded(source: str, path: str) -> list[Usage]:
    """A usage `loads-script` for each path of a script in a text of the program. `path` is the program's own."""
    if ".sql" not in source:
        return []
    return [Usage("loads-script", named, Place(path, Span(0, 0))) for named in sorted({match[1] for match in _NAMED.finditer(source)})]
