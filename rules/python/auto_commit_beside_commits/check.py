"""`commit()` in the loop of a consumer whose `enable.auto.commit` is on, or left at its default, which is on.

librdkafka stores an offset when it hands the record out and commits what is stored each 5 s; aiokafka commits the position in a task of its own; kafka-python does so
in `poll()` and in `close()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, committing
from shoal.python.tree import descend

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
        names = _named(module, at) if isinstance(at, Setting) else set()
        commits = [call for call in commits if not any(arm.kind == "if" and _names(arm.test) & names for arm in call.spot.arms)]
        if not commits:
            continue  # by hand where it is off
        if clients.library(one.consumer) in _BY_THEMSELVES:
            what = "a record counts as done a moment after it was handed out, whatever becomes of it, and this commit holds nothing back"
            sure = ""
        else:
            what = "poll() and close() commit all that was handed out, also where the work on it failed and this commit was not come to"
            sure = "low"
        message = f"{why}, beside the commit by hand: {what} (enable.auto.commit: false)"
        yield context.finding(message, at, [(module.call_place(commits[0]), "by hand")], confidence=sure)


def _named(module: Any, setting: Setting) -> set[str]:
    """The names that a setting's value is made of: `not manual_commit`."""
    written = module.raw[setting.value_span.start : setting.value_span.end]
    return set(re.findall(r"[A-Za-z_]\w*", written)) - {"not", "True", "False", "self", "true", "false"}


def _names(test: Any) -> set[str]:
    return {node.value for node in descend(test) if isinstance(node, cst.Name)} if test is not None else set()
