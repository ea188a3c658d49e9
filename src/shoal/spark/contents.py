"""The texts of a tree's files, as rows brought them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping

from shoal.spark.plan import Plan
from shoal.text import Decoded, Lines, decode


class Contents(Mapping[str, str]):
    """The decoded texts of a tree's files, inflated when asked for."""

    def __init__(self, plan: Plan, load: Callable[[str], bytes] | None) -> None:
        self._plan = plan
        self._load = load
        self._data: dict[str, bytes] = {}
        self._lines: dict[str, Lines] = {}
        self._texts: dict[str, Decoded | None] = {}

    def add(self, path: str, content: bytes) -> None:
        self._data[path] = content

    def data(self, path: str) -> bytes | None:
        """The bytes of a file, fetched from where it stands when they did not come along."""
        found = self._data.get(path)
        if found:
            return zlib.decompress(found)
        try:
            return self._load(path) if self._load else None
        except (OSError, ValueError):
            return None

    def decoded(self, path: str) -> Decoded | None:
        if path not in self._texts:
            data = self.data(path)
            kind = self._plan.settings.kind(path)
            self._texts[path] = None if data is None else decode(data, "latin-1" if kind == "properties" else "utf-8")
        return self._texts[path]

    def __getitem__(self, path: str) -> str:
        found = self.decoded(path)
        return found.text if found else ""

    def lines(self, path: str) -> Lines:
        if path not in self._lines:
            self._lines[path] = Lines(self[path])
        return self._lines[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)
