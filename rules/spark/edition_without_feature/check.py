"""`edition: CORE` of a pipeline whose code has expectations or change flows, `PRO` with expectations."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text

_LACKS = {"core": ("expectations", "changes"), "pro": ("expectations",)}
_WORDS = {"expectations": "expectations", "changes": "the flows of change data (apply_changes)"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    used = job.usages("pipeline-feature")
    for block in job.select("spark", ("application",), ("bundle",)):
        edition = job.get(block, "pipeline.edition")
        found = next((fact for fact in used if fact.detail in _LACKS.get(text(edition), ()) and _runs(job, block, fact.place.path)), None)
        if edition is not None and found is not None:
            message = f"the pipeline fails: its edition {edition.text.strip().upper()} lacks {_WORDS[found.detail]}, which its code uses"
            # what a serverless pipeline makes of an edition is written nowhere
            sure = "low" if text(job.get(block, "pipeline.serverless")) == "true" else ""
            yield context.finding(message, edition, [(found.place, "used here")], confidence=sure)


def _runs(job: Job, block: Block, path: str) -> bool:
    """Whether a pipeline names a file, by its last folder and its name: notebooks are named as they stand in the workspace."""
    tail = path.removesuffix(".py").removesuffix(".ipynb").replace("\\", "/").split("/")[-2:]
    return any(
        entry.target.removesuffix(".py").removesuffix(".ipynb").split("/")[-2:] == tail
        for entry in job.entries
        if entry.block == block.id and len(tail) == 2
    )
