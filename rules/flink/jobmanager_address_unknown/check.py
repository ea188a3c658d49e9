"""`jobmanager.rpc.address` of a TaskManager in a compose file, beside the names of the file's services."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_BARE = pattern(r"[A-Za-z][\w-]*")  # a name with dots may be that of a machine


def check(job: Job, context: Context) -> Iterator[Finding]:
    blocks = job.select("flink", ("cluster",), ("compose",))
    masters = {block.place.path: block for block in reversed(blocks) if block.trait("role") == "jobmanager"}  # the first of each file
    for block in blocks:
        address, master = job.get(block, "jobmanager.rpc.address"), masters.get(block.place.path)
        names = block.trait("neighbours").split()
        if block.trait("role") != "taskmanager" or address is None or not address.known or not names or master is None:
            continue
        if master.trait("network"):  # that of another container, or of the machine
            continue
        host = address.text.strip()
        if _BARE.fullmatch(host) and host not in names:
            message = f"no service here is called {host}: {block.name} never finds the JobManager, the cluster has no slots, and jobs wait for them until they fail ({master.name} is a name it knows)"
            yield context.finding(message, address, [(master, "the JobManager")])
