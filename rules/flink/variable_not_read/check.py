"""Variables of containers of the stock image that stand for options, and that nobody reads; `command` of a pod stands in place of the entry point that does."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink

_READ = {"jobmanager.rpc.address": "JOB_MANAGER_RPC_ADDRESS", "taskmanager.numberOfTaskSlots": "TASK_MANAGER_NUMBER_OF_TASK_SLOTS"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A value that is the option's default, or that the configuration beside it says, too, costs nothing.

    Images made from the stock one have its entry point as a rule, and a configuration that is not seen may hold the option: low confidence.
    """
    for oddity in job.oddities:
        if oddity.kind == "entry-point-passed-over":
            image = next(iter(job.images(job.blocks[oddity.block])), None) if oddity.block in job.blocks else None
            message = f"nothing reads {oddity.subject}: only the entry point of Flink's image does, and `command` starts {oddity.detail} in its place (write `args: [{oddity.detail.removesuffix('.sh')}]`)"
            yield context.finding(message, oddity, confidence="" if image is not None and image.name in flink.STOCK else "low")
    found = [oddity for oddity in job.oddities if oddity.kind == "variable-not-read"]
    if not found:
        return
    table = catalogue.load("flink")
    every = table.keys()
    options = {_plain(key): key for key in every if key.startswith(("jobmanager.", "taskmanager."))}
    for oddity in found:
        key = options.get(_plain(oddity.subject))
        block, option = job.blocks.get(oddity.block), table.option(key) if key else None
        if key is None or option is None or block is None or option.default == oddity.detail.strip() or job.get(block, key) is not None:
            continue
        image = next(iter(job.images(block)), None)
        if image is None or "flink" not in image.name or "bitnami" in image.name:  # Bitnami's entry point has names of its own
            continue
        sure = image.name in flink.STOCK and not block.open
        what = f"it reads {_READ[key]}" if key in _READ else f"write `{key}: …` in FLINK_PROPERTIES"
        yield context.finding(
            f"Flink's image does not read {oddity.subject}, so {key} stays as it is; {what}", oddity, confidence="" if sure else "low"
        )


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
