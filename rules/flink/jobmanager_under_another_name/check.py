"""The name by which a compose file's TaskManagers call the JobManager, beside the one that it has for itself: Pekko drops what is sent to any other."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding

_KEY = "jobmanager.rpc.address"


def check(job: Job, context: Context) -> Iterator[Finding]:
    blocks = job.select("flink", ("cluster",), ("compose",))
    for master in blocks:
        own = _own(job, master)
        if master.trait("role") != "jobmanager" or not own or master.trait("network"):
            continue
        others = [block for block in blocks if block.trait("role") == "taskmanager" and block.place.path == master.place.path]
        for block in others:
            address = job.get(block, _KEY)
            host = address.text.strip() if address is not None and address.known else ""
            if address is None or host == own or host not in master.trait("hosts").split() or _leads(job, block) or _leads(job, master):
                continue
            known = "the id of its container" if own == "-" else own
            message = f"{master.name} takes {known} for its address and drops what is sent to {host}: no TaskManager registers, and jobs wait for slots until they fail (JOB_MANAGER_RPC_ADDRESS={host})"
            yield context.finding(message, job.get(master, _KEY) or master, [(address, "calls it by this name")])
            break


def _own(job: Job, master: Block) -> str:
    """What a JobManager takes for its address: what it is told, or what its entry point does (`hostname -f`); empty where that is not seen."""
    told = job.get(master, _KEY)
    if told is not None:
        return told.text.strip() if told.known else ""
    return "" if master.open else master.trait("names-itself")


def _leads(job: Job, block: Block) -> bool:
    """Whether TaskManagers are told elsewhere who leads."""
    return any(job.get(block, key) is not None for key in ("high-availability.type", "high-availability"))
