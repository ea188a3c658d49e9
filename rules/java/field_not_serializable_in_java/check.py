"""Fields that hold, once a function is made, what Java's serialization refuses."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_SURE = {"surely-not-serializable": "high", "library-not-serializable": "medium"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind in _SURE:
            message = f"{oddity.subject} holds an object that is not Serializable ({oddity.detail}): Flink serializes the function to send it to the tasks, and refuses the job (NotSerializableException); make the field transient and fill it in open()"
            yield context.finding(message, oddity, confidence=_SURE[oddity.kind])
