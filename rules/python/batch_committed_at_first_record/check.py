"""`commit()` in the loop over a batch: `poll()` of kafka-python, `getmany()` of aiokafka and `consume()` of confluent-kafka move the position past the whole batch.

kafka-python's `poll` sets the position to the next offset to fetch before it returns (`update_offsets=True`), and `commit()` takes `all_consumed_offsets()`; read in
2.0.2, 2.2.15 and 3.0.12. aiokafka's `FetchResult.getall` does the same (`consumed_to`). Over the consumer itself both count record by record. confluent-kafka was
run (2.16.1, against librdkafka's mock cluster): `consume(5)` of ten records, then `commit()`, commits offset 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, handlers
from shoal.python.tree import ASSIGNMENTS, Call, contains, targets, unawaited
from shoal.python.values import Object

# What gives a batch, by client, with the argument that says how many records at most, and after how many loops there is one record.
_BATCHES = {
    "kafka.Consumer": ("poll", 1, "max_records", 2),
    "aiokafka.Consumer": ("getmany", 99, "max_records", 2),
    "confluent.Consumer": ("consume", 0, "num_messages", 1),
}
_MOVES = ("seek", "seek_to_committed", "seek_to_beginning", "seek_to_end")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    few = {
        block.place.span
        for block in job.select("kafka", ("consumer",), ("python",))
        if (most := job.written(block, "max.poll.records")) is not None and not (most.known and most.text.strip() not in ("1", "None"))
    }
    moved = {call.function for call in module.named(*_MOVES)}
    said = set()
    for commit in module.named("commit"):
        if _told_what(commit) or commit.function in moved or not commit.spot.loops:
            continue
        for consumer in module.receivers(commit):
            batch = _batch(module, commit, consumer) if consumer.type in _BATCHES and not _single(module, consumer, few) else None
            if batch is None or batch[0] in said:
                continue
            taken, each = batch
            said.add(taken)
            of = "partitions" if each is None else "records"
            message = (
                f"{taken.name}() has moved the position past all that it gave, and commit() commits that: the {of} of the batch that are not yet worked on are"
                " lost in a crash (commit behind the loop, or the offset of each record)"
            )
            sure = "medium" if each is not None and all(arm.kind in ("loop", "try") for arm in _arms(commit, each)) else "low"
            related = [(module.call_place(taken), "gives the batch")]
            yield context.finding(message, module.call_place(commit), related, confidence=sure, covers=[module.covers(commit)])


def _told_what(commit: Call) -> bool:
    """Whether a commit is given offsets, or a record."""
    return any(arg.star or arg.keyword is None or arg.keyword.value not in ("asynchronous", "timeout_ms") for arg in commit.node.args)


def _single(module: Any, consumer: Object, few: set[Any]) -> bool:
    """Whether a consumer is set up to give one record at a time, or one does not know how many."""
    return any(module.call_place(call).span in few for call, made in clients.made(module, clients.CONSUMERS) if made.node is consumer.node)


def _batch(module: Any, commit: Call, consumer: Object) -> tuple[Call, Any] | None:
    """The call that gives the batch in whose loop a commit stands, and the loop over its records; None for it where that is over partitions alone."""
    name, position, keyword, deep = _BATCHES[consumer.type]
    for taken in clients.uses(module, consumer, name):
        most = module.constant(taken.argument(position, keyword), taken.spot)
        if taken.function is not commit.function or most == 1 or (name == "consume" and not isinstance(most, int)):
            continue
        held = _given(module, taken)
        over = []
        for loop in commit.spot.loops:
            if isinstance(loop, cst.For) and (contains(loop.iter, taken.node) or clients.mentions(loop.iter, held)):
                over.append(loop)
                held |= clients.target_names(loop.target)
        if over and _worked_on(module, commit, over[-1], held | clients.records(module, consumer, over[-1])):
            return taken, over[-1] if len(over) >= deep else None
    return None


def _given(module: Any, taken: Call) -> set[str]:
    """The names that are given a batch, which a coroutine waits for."""
    node = module.tree.statements[taken.spot.statement].node
    if not isinstance(node, ASSIGNMENTS) or node.value is None or unawaited(node.value) is not taken.node:
        return set()
    return {name for target in targets(node) for name in clients.target_names(target)}


def _arms(commit: Call, loop: Any) -> list[Any]:
    """The branches around a commit in a loop."""
    arms = commit.spot.arms
    first = next((number for number, arm in enumerate(arms) if arm.kind == "loop" and arm.test is loop), len(arms))
    return list(arms[first:])


def _worked_on(module: Any, commit: Call, loop: Any, held: set[str]) -> bool:
    """Whether a loop works on what it goes through, before the commit."""
    return any(
        call.function is commit.function
        and call.name not in handlers.APART
        and call.spot.statement < commit.spot.statement
        and any(arm.test is loop for arm in call.spot.arms)
        and any(clients.mentions(arg.value, held) for arg in call.node.args)
        for call in module.calls
    )
