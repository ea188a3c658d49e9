"""Rows of a micro-batch that are grouped by windows of time within the batch, and appended as if each window were whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.inserts import replaces
from shoal.job import Job
from shoal.model import Finding
from shoal.python.batch_writes import APPENDS, does_with, parameters, save_format, save_mode
from shoal.python.frame import GROUPINGS, SAVES, Frame
from shoal.python.tree import descend, last_name

_WINDOWS = ("window", "session_window")
_IDS = ("batch_id", "batchId", "epoch_id", "epochId")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if replaces(module.raw):
        return  # a table that puts the parts together
    said: set[int] = set()
    for function, where in module.contexts.running("foreach-batch"):
        for one in module.frames.batch_calls(function):
            grouped = next((step for frame in one.frames if (step := _by_window(frame)) is not None), None)
            if (
                one.call.name not in SAVES
                or grouped is None
                or id(grouped.node) in said
                or save_mode(module, one.call) != "append"
                or save_format(module, one.call) not in APPENDS
            ):
                continue
            said.add(id(grouped.node))
            ids = [name for at, name in enumerate(parameters(module, function)) if (at == 1 and not where.through) or name.endswith(_IDS)]
            parted = any(does_with(module, function, name) for name in ids)  # a row says of which batch it is
            message = "a window gets a row from each batch that has records of it, with what that batch has of its total: one batch is grouped here, not the stream (group above writeStream, with a watermark, or MERGE the parts)"
            related = [(module.call_place(one.call), "each part is appended here")]
            sure = "low" if parted else ""
            yield context.finding(message, module.frames.place(grouped), related, confidence=sure, covers=[module.covers(one.call)])


def _by_window(frame: Frame) -> Frame | None:
    """The step that groups a frame by windows of time."""
    return next((step for step in frame.steps(*GROUPINGS) if any(_is_window(arg) for arg in step.arguments or ())), None)


def _is_window(node: Any) -> bool:
    return any(isinstance(part, cst.Call) and last_name(part.func) in _WINDOWS for part in descend(node))
