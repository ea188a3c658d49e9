"""`s3.entropy.key` and the checkpoint directory it is meant for."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup

_KEY = "s3.entropy.key"
# The key of Flink's documentation.
_USUAL = "_entropy_"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Flink puts entropy into the paths of checkpoint data and into no other."""
    for block in job.select("flink", ("cluster", "deployment")):
        key, directory = job.get(block, _KEY), lookup(job, block, flink.CHECKPOINT_DIR)
        if directory is None or not directory.known or not flink.scheme(directory.text).startswith("s3"):
            continue
        if key is not None and key.known and key.text.strip() and key.text.strip() not in directory.text:
            message = f"no entropy is put into any path: {directory.text.strip()} does not hold {key.text.strip()}, so all checkpoint data have one prefix"
            yield context.finding(message, key, [(directory, "where checkpoints go")])
        elif key is None and not block.open and _USUAL in directory.text and directory.block == block.id:
            message = f"`{_USUAL}` becomes a folder of that name: no {_KEY} says that it is to be replaced"
            yield context.finding(message, directory)
