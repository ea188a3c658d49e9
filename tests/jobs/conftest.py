from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from shoal.classify import classify
from shoal.derive import derive
from shoal.job import Job
from shoal.jobs.find import jobs_of
from shoal.model import FileResult, Source
from shoal.readers import READERS, read
from shoal.settings import Settings

Finder = Callable[..., list[Job]]


@pytest.fixture
def find() -> Finder:
    """`find({path: text}, …)` gives the jobs in these files; files of kinds that are not read only say where projects begin."""

    def jobs(files: dict[str, str], settings: Settings = Settings(), kinds: tuple[str, ...] = ("job", "cluster")) -> list[Job]:  # noqa: B008 - never changed
        results = []
        for path, text in files.items():
            kind = classify(path)
            facts = derive(read(Source(path, kind, dedent(text).encode()))[0].facts) if kind in READERS else []
            results.append(FileResult(path, facts=tuple(facts)))
        return [job for job in jobs_of(results, settings) if job.kind in kinds]

    return jobs
