"""What rules over several files found in a job before: it holds as long as none of the job's files has changed.

One JSON file for each project and each set of rules and settings, beside that of the files' own results (`cache.py`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from shoal.digests import blake2b
from shoal.files import write_bytes
from shoal.job import Job
from shoal.model import FileResult, Finding
from shoal.wire import pack, unpack

_FORMAT = 1
_MOST = 20_000


class Conclusions:
    """`digests` are those of the contents of all files of the run. A file that cannot be read or trusted is an empty memory."""

    def __init__(self, path: str, key: str, digests: Mapping[str, str]) -> None:
        self._path = path
        self._key = key
        self._digests = digests
        self._entries: dict[str, Any] = {}
        self._seen: dict[str, Any] = {}
        try:
            with open(path, "rb") as file:
                data = json.load(file)
            if data["format"] == _FORMAT and data["key"] == key:
                self._entries = dict(data["jobs"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass

    def name(self, job: Job) -> str:
        """What a job is known by: how it was put together, and what is in its files. Empty when that cannot be told."""
        contents = [self._digests.get(path, "") for path in job.paths]
        if not all(contents):
            return ""
        others = len(job.statements()) + len(job.usages())
        amounts = (len(job.settings), len(job.dependencies), len(job.entries), len(job.mounts), len(job.oddities), others)
        parts = (job.name, job.kind, job.environment, job.outside, job.members, tuple(job.blocks), amounts, contents)
        return blake2b(repr(parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()

    def known(self, name: str) -> list[Finding] | None:
        """What was found in a job of this name; None when it is not known."""
        packed = self._entries.get(name) if name else None
        if packed is None:
            return None
        try:
            found = list(unpack("", packed).findings)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            return None
        self._seen[name] = packed
        return found

    def keep(self, name: str, findings: list[Finding]) -> None:
        if name:
            self._seen[name] = pack(FileResult("", tuple(findings)))

    def save(self, whole: bool) -> None:
        """Write it down. `whole`: every job of the project was seen, so the others are gone."""
        kept = self._seen if whole or len(self._entries) > _MOST else {**self._entries, **self._seen}
        if kept == self._entries:
            return
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            data = {"format": _FORMAT, "key": self._key, "jobs": kept}
            write_bytes(self._path, json.dumps(data, separators=(",", ":")).encode("utf-8", "surrogatepass"))
        except OSError:  # a full disk or a read-only home costs time, not the run
            return
