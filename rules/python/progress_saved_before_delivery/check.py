"""What a program saves about its progress, by its name, behind a send that is only queued: after a crash it goes on behind records that never came."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, queued, sends
from shoal.python.tree import Call, last_name

_SAVES = r"(?:save|store|write|update|set|persist|put|dump|commit|advance)"
_PROGRESS = r"(?:check_?points?|cursor|watermark|high_?water(?:_?mark)?|progress|bookmark|last_?(?:id|seen|run|sync|processed|published|modified|offset|ts|timestamp)\w*)"
# `save_checkpoint(…)`, `saveLastId(…)`
_NOTES = pattern(rf"(?i)_*{_SAVES}_?(?:\w+_)??{_PROGRESS}(?:_\w+)?")
_SHOWN = pattern(r"(?i)bar$|tqdm")
_HOLDER, _VERB = pattern(rf"(?i)(?:\w*_)?{_PROGRESS}(?:_?\w+)?"), pattern(rf"(?i){_SAVES}")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if queued.DELIVERED.search(module.raw):
        return
    noting = [call for call in module.calls if _notes(call)]
    for note in noting:
        above = [
            call
            for call in module.calls
            if call.spot.scope is note.spot.scope
            and call.spot.statement < note.spot.statement
            and call.spot.arms[: len(note.spot.arms)] == note.spot.arms
        ]
        marks = sends.MARKS.match(note.name) is not None  # behind a helper send-failure-only-logged looks at it
        sent = next(
            (call for call in reversed(above) if queued.queues(module, call) or (not marks and queued.queued_by(module, call))), None
        )
        if sent is None or module.receiver_type(note) in clients.CONSUMERS or _clears(module, note, sent):
            continue
        message = f"{note.name} says that the record is out while it may still wait in the producer: a crash in between, or a refusal by the broker, leaves it out for good (flush() before it and look at what is left, or do it in the delivery report)"
        related = [(module.call_place(queued.queued_by(module, sent) or sent), "only queued here")]
        yield context.finding(message, module.call_place(note), related, covers=[module.covers(note)])
        return


def _notes(call: Call) -> bool:
    """Whether a call saves progress, or marks a row of an outbox, as its name has it, or that of what it is called on: `checkpoint.save(…)`."""
    if _NOTES.fullmatch(call.name) or sends.MARKS.match(call.name):
        return True
    receiver = last_name(call.receiver_node) if call.receiver_node is not None else ""
    if _SHOWN.search(receiver) or (call.name == "update" and not call.node.args) or (receiver == "progress" and call.name == "update"):
        return False  # a bar that people look at: `progress_bar.update()`, `progress.update(task, advance=1)`
    return bool(receiver) and _HOLDER.fullmatch(receiver) is not None and _VERB.fullmatch(call.name) is not None


def _clears(module: Any, note: Call, sent: Call) -> bool:
    """Whether something between a send and the note may wait for the delivery."""
    return any(
        call.spot.scope is note.spot.scope
        and sent.spot.statement <= call.spot.statement < note.spot.statement
        and call.node is not sent.node
        and queued.may_wait(module, call)
        for call in module.calls
    )
