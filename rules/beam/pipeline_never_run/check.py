"""`beam.Pipeline()` with steps, and nothing in the program that runs it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("Pipeline"):
        if dofns.never_run(module, call):
            message = "nothing is read or written: the pipeline is built and never run, and the program ends with exit code 0 (a with block around its steps, or run())"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
