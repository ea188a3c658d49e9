"""What was found out about files before: per project one JSON file in the user's cache folder, never in the scanned tree.

A remembered answer holds while the file's size, times and inode are those it had, or else while its content hashes to the same.
Everything else an answer depends on (rules, settings, version) is in the name of the JSON file.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal import __version__
from shoal.digests import blake2b, sha256
from shoal.discover import Found
from shoal.files import cache_folder, write_bytes
from shoal.model import Told
from shoal.rulebook import Rulebook, packaged
from shoal.settings import Settings

if TYPE_CHECKING:
    from shoal.conclusions import Conclusions

_FORMAT = 1
_KEEP = 6  # caches of one project: a few selections of rules, the settings before the last change
_DAYS = 30


class Known(NamedTuple):
    """What is remembered of a file: its content's digest, whether it passed the gate, and its packed result (None: nothing found)."""

    digest: str
    read: bool
    packed: list[Any] | None


def digest(data: bytes, told: Told | None = None) -> str:
    """What a file's result follows from: its content, and what other files say about it."""
    made = blake2b(data, digest_size=16)
    if told:
        made.update(repr(told).encode("utf-8", "surrogateescape"))
    return made.hexdigest()


class Cache:
    """The memory of one project under one set of rules and settings. A file that cannot be read or trusted is an empty memory."""

    def __init__(self, folder: str, root: str, key: str) -> None:
        self._folder = folder
        self._project = _short(root)
        self._key = key
        self._path = os.path.join(folder, f"results-{self._project}-{_short(key)}.json")
        self._entries: dict[str, Any] = {}
        self._seen: set[str] = set()
        self._changed = False
        try:
            with open(self._path, "rb") as file:
                data = json.load(file)
            if data["format"] == _FORMAT and data["key"] == key and data["root"] == root:
                self._entries = data["files"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            self._changed = True

    def same(self, found: Found, told: Told | None = None) -> Known | None:
        """What is remembered, when the file looks untouched."""
        entry = self._entry(found, told)
        if entry and entry[0] == list(found.stamp):
            return Known(*entry[1:])
        return None

    def last(self, found: Found, told: Told | None = None) -> Known | None:
        """What is remembered, whether the file looks untouched or not: it holds when the digest is the same."""
        entry = self._entry(found, told)
        return Known(*entry[1:]) if entry else None

    def _entry(self, found: Found, told: Told | None) -> list[Any] | None:
        name = _name(found, told)
        self._seen.add(name)
        entry = self._entries.get(name)
        if isinstance(entry, list) and len(entry) == 4 and isinstance(entry[1], str):
            return entry
        return None

    def keep(self, found: Found, digest: str, read: bool, packed: list[Any] | None, told: Told | None = None) -> None:
        """Remember an answer. A file written just now may be written again without its times changing: then only its digest counts."""
        changed = max(found.stamp[1:3])
        window = 2_000_000_000 if changed % 1_000_000_000 == 0 else 50_000_000
        stamp = list(found.stamp) if time.time_ns() - changed > window else None
        entry = [stamp, digest, read, packed]
        name = _name(found, told)
        if self._entries.get(name) != entry:
            self._entries[name] = entry
            self._changed = True

    def forget(self, found: Found, told: Told | None = None) -> None:
        self._changed |= self._entries.pop(_name(found, told), None) is not None

    def save(self, root: str, whole: bool) -> None:
        """Write it down. `whole`: everything in the project was looked at, so what was not seen is gone."""
        if whole and self._entries.keys() - self._seen:
            self._entries = {name: entry for name, entry in self._entries.items() if name in self._seen}
            self._changed = True
        if not self._changed:
            return
        data = {"format": _FORMAT, "key": self._key, "root": root, "files": self._entries}
        try:
            os.makedirs(self._folder, exist_ok=True)
            write_bytes(self._path, json.dumps(data, separators=(",", ":")).encode())
            self._prune()
        except OSError:  # a full disk or a read-only home costs time, not the run
            return

    def _prune(self) -> None:
        caches = sorted(
            (entry.stat().st_mtime, entry.name, entry.path)
            for entry in os.scandir(self._folder)
            if entry.name.startswith(("results-", "jobs-", "settings-", "rulebook-"))
        )
        mine = [path for _, name, path in caches if name.startswith(f"results-{self._project}-")]
        jobs = [path for _, name, path in caches if name.startswith(f"jobs-{self._project}-")]
        old = [path for written, _, path in caches if written < time.time() - _DAYS * 86400]
        for path in {*mine[:-_KEEP], *jobs[:-_KEEP], *old}:
            os.unlink(path)


def conclusions(root: str, rulebook: Rulebook, settings: Settings, digests: Mapping[str, str]) -> Conclusions:
    """What is remembered of the jobs of a project; `digests` are those of the files at hand."""
    from shoal.conclusions import Conclusions

    key = key_of(rulebook, settings)
    return Conclusions(os.path.join(cache_folder(), f"jobs-{_short(root)}-{_short(key)}.json"), f"{root}\n{key}", digests)


def key_of(rulebook: Rulebook, settings: Settings) -> str:
    """Everything but a file's path and content that its result depends on."""
    shaping = settings._replace(
        severity="",
        confidence="",
        baseline="",
        fail_on="",
        exclude=(),
        include=(),
        overrides=tuple(item._replace(severity="", confidence="") for item in settings.overrides),
    )
    rules = sha256(" ".join(rule.id for rule in rulebook.rules).encode()).hexdigest()
    parts = (str(_FORMAT), __version__, sys.version, rulebook.digest, rules, repr(shaping), _sources())
    return sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _sources() -> str:
    """In a checkout, a stamp of shoal's own sources: they change without the version changing."""
    if packaged():
        return ""
    stamps = []
    for folder, folders, names in os.walk(os.path.dirname(__file__)):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            info = os.stat(os.path.join(folder, name))
            stamps.append(f"{name} {info.st_mtime_ns} {info.st_size}")
    return sha256("\n".join(stamps).encode()).hexdigest()


def _name(found: Found, told: Told | None) -> str:
    """A second look at a file is remembered beside the first one, by what the file was told."""
    name = f"!{found.path}" if found.named else f":{found.path}"
    return f"{name}\0{digest(b'', told)}" if told else name


def _short(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
