"""`continuous` beside `max_retries` of a task."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.records import NamedTuple
from shoal.values.kafka import parse_int


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A target may add to a job one of the two that the bundle does not give it for all targets."""
    blocks = job.select("spark", ("application",), ("bundle",))
    for block in blocks:
        base = next((one for one in blocks if block.trait("target") and _is_base(one, block)), None)
        own = _of(job, block)
        there = _of(job, base) if base is not None else _Parts(None, [])
        pairs = [(own.continuous, own.retries)]
        pairs += [(own.continuous, there.retries if not own.retries else []), (there.continuous, own.retries)]
        for continuous, retries in pairs:
            if continuous is None:
                continue
            for setting in retries:
                message = "the deployment is refused: a continuous job restarts its runs by itself, its tasks have no retry policy"
                yield context.finding(message, setting, [(continuous, "continuous")])


class _Parts(NamedTuple):
    continuous: Setting | None
    retries: list[Setting]


def _of(job: Job, block: Block) -> _Parts:
    """What makes a job continuous, and the retry policies of its tasks."""
    settings = job.of(block)
    counts = [(one, parse_int(one.text)) for one in settings if re.fullmatch(r"job\.tasks\..+\.max_retries", one.key) and one.known]
    return _Parts(
        next((one for one in settings if one.key.startswith("job.continuous.")), None),
        [one for one, count in counts if isinstance(count, int) and count != 0],
    )


def _is_base(base: Block, block: Block) -> bool:
    """Whether a block is what a target changes: the same job of the same file, for all targets."""
    return not base.trait("target") and (base.name, base.trait("kind"), base.place.path) == (
        block.name,
        block.trait("kind"),
        block.place.path,
    )
