"""`FROM apache/beam_python3.11_sdk` with `ENTRYPOINT ["python", "pipeline.py"]`: neither a worker's boot program nor the launcher of a flex template."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_WORKER = pattern(r"apache/beam_(?:python|java|go)[\d.]*_sdk")
_PROGRAM = pattern(r"(?:\S*/)?(?:python[\d.]*|java)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Of an interpreter alone: a script may well start the boot program at its end."""
    bases = [one for one in job.dependencies if one.ecosystem == "image" and one.place.path.rpartition(".")[2] not in ("yaml", "yml")]
    for usage in job.usages("entry-point"):
        own = [one for one in bases if one.place.path == usage.place.path and one.place.span.start < usage.place.span.start]
        base = max(own, key=lambda one: one.place.span.start, default=None)
        words = json.loads(usage.detail)
        if base is None or not _WORKER.fullmatch(base.name) or not words or not _PROGRAM.fullmatch(words[0]):
            continue
        if any("launcher" in word or "boot" in word or "sdk_worker" in word for word in words):
            continue
        message = "workers that run in this image never report: they start this program, which builds the pipeline once more, in place of /opt/apache/beam/boot; and for a flex template it is the launcher's program that has to be started (/opt/google/dataflow/python_template_launcher)"
        yield context.finding(message, usage.place, [(base, "the image of a worker")])
