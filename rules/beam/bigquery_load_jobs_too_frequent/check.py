"""`triggering_frequency` of `WriteToBigQuery` with load jobs, in seconds, against the jobs that a table takes in a day."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.values import Known

_DAY = 86_400
_JOBS = 1_500  # load jobs per table and day


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in dofns.bigquery_writes(module):
        node = call.argument(17, "triggering_frequency")
        if node is None or dofns.member(module, call, 13, "method") != "FILE_LOADS":
            continue
        value = module.value(node, call.spot)
        seconds = value.value if isinstance(value, Known) and isinstance(value.value, (int, float)) else 0
        if seconds < 1 or _DAY / seconds <= _JOBS:
            continue
        message = (
            f"a load job every {int(seconds)} s makes {_DAY // int(seconds):,} a day, and BigQuery takes {_JOBS:,} for a table: the rest fail with "
            "quotaExceeded, and so does the pipeline"
        )
        sure = "low" if isinstance(value, Known) and value.sure == "default" else ""  # who starts it may give another
        yield context.finding(message, module.place(node, call.spot), confidence=sure, covers=[module.covers(call)])
