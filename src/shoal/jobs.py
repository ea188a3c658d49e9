"""Which files make one job. For now every file is a job of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shoal.facts import Block, Dependency, Entry, Mount, Oddity, Setting
from shoal.job import Job
from shoal.model import FileResult
from shoal.settings import Settings

_FACTS = (Block, Setting, Dependency, Entry, Mount, Oddity)


def jobs_of(results: Iterable[FileResult], settings: Settings) -> Iterator[Job]:
    for result in results:
        facts = [fact for fact in result.facts if isinstance(fact, _FACTS)]
        if facts:
            yield Job(facts, (result.path,))
