"""Nested maps in a source, sink or pipeline: the parser takes texts alone (3.2.0 was run)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.detail == "merge" and oddity.kind == "cdc-nested":
            message = "the pipeline is refused, or lacks what is merged: its parser knows no merge keys, and takes `<<` for an option of that name"
            yield context.finding(message, oddity)
        elif oddity.kind == "cdc-nested":
            how = f"write its keys out, as {oddity.subject}.…" if oddity.detail == "map" else "write one text, with commas"
            yield context.finding(f"the pipeline is refused: {oddity.subject} is a {oddity.detail}, where texts are read; {how}", oddity)
        elif oddity.kind == "cdc-no-list":
            yield context.finding(f"the pipeline is refused: {oddity.subject} is a list of rules, each with a dash before it", oddity)
