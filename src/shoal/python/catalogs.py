"""Which of Flink's catalogs is used where a program makes a table: `use_catalog`, `USE CATALOG` and what helpers do, in source order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.python.loops import texts
from shoal.python.texts import text_of
from shoal.readers.sql_statements import UNSURE, used_catalog

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call, Function

_USES = pattern(r"(?i)\buse_catalog\b|\buse\s+(?:catalog\b|[\w`{}]+\.)")
_SQL = frozenset({"execute_sql", "sql_update"})
_DEEP = 4  # calls of functions that are followed, one within the other


class Catalogs:
    """`at` answers with a name, UNSURE, or an empty text where nothing was used before."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._any = bool(_USES.search(module.raw))
        self._ends: dict[int, str | None] = {}
        self._calls: dict[int, list[Call]] = {}
        for call in module.calls if self._any else ():
            self._calls.setdefault(id(call.function), []).append(call)

    def at(self, call: Call, level: int = 0) -> str:
        """The catalog that is used when a call is made."""
        if not self._any:
            return ""
        used: str | None = None
        for other in self._calls.get(id(call.function), ()):
            if other is call:
                break
            apart = any(mine.group == theirs.group and mine.index != theirs.index for mine in call.spot.arms for theirs in other.spot.arms)
            after = None if apart else self._after(other, level)
            if after is not None:
                used = after if other.spot.arms == call.spot.arms[: len(other.spot.arms)] else UNSURE
        if used is None and call.function is not None:
            sites = self._module.call_sites(call.function) if level < _DEEP else []
            found = {self.at(site, level + 1) for site in sites}
            used = found.pop() if len(found) == 1 else UNSURE
        return used or ""

    def _after(self, call: Call, level: int) -> str | None:
        """The catalog that is used once a call is done; None where it leaves that alone."""
        module = self._module
        if call.name == "use_catalog":
            return module.string(call.argument(0, "catalog_name"), call.spot) or UNSURE
        if call.name in _SQL:
            node = call.argument(0, "stmt")
            used = ""
            for part, spot in texts(module, node, call.spot) if node is not None else ():
                text = text_of(module, part, spot)
                used = used_catalog(text.text, used) if text is not None else UNSURE
            return used or None
        function = module.target(call)
        return self._end(function, level + 1) if function is not None and level < _DEEP else None

    def _end(self, function: Function, level: int) -> str | None:
        """The catalog that is used at a function's end."""
        key = id(function)
        if key not in self._ends:
            self._ends[key] = None  # while it is looked at
            for call in self._calls.get(key, ()):
                after = self._after(call, level)
                if after is not None:
                    self._ends[key] = UNSURE if call.spot.conditional else after
        return self._ends[key]
