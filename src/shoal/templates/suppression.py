"""Rules about suppression comments themselves. They are judged in `suppress.apply`, once all findings are known."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

PARAMETERS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kind"],
    "properties": {"kind": {"enum": ["unused", "reasonless", "unknown"]}},
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Nothing to find before the other rules have spoken."""
    yield from ()
