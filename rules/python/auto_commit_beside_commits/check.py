"""`commit()` in the loop of a consumer whose `enable.auto.commit` is on, or left at its default, which is on.

librdkafka stores an offset when it hands the record out and commits what is stored each 5 s; aiokafka commits the position in a task of its own; kafka-python does so
in `poll()` and in `close()`.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, committing

_BY_THEMSELVES = ("confluent-kafka", "aiokafka")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for one in committing.consumers(job, module):
        if not one.known or not one.by_clock or one.one_by_one:
            continue
        commits = [call for call in one.commits if not call.spot.cleanup and clients.in_or_called_in(module, call, one.loops)]
        if not commits:
            continue
        at, why = one.related[0]
        if clients.library(one.consumer) in _BY_THEMSELVES:
            what = "a record counts as done a moment after it was handed out, whatever becomes of it, and this commit holds nothing back"
            sure = ""
        else:
            what = "poll() and close() commit all that was handed out, also where the work on it failed and this commit was not come to"
            sure = "low"
        message = f"{why}, beside the commit by hand: {what} (enable.auto.commit: false)"
        yield context.finding(message, at, [(module.call_place(commits[0]), "by hand")], confidence=sure)
