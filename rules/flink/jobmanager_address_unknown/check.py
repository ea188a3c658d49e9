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
    for block in blocks:
        address, names = job.get(block, "jobmanager.rpc.address"), block.trait("neighbours").split()
        masters = [other for other in blocks if other.trait("role") == "jobmanager" and other.place.path == block.place.path]
        if block.trait("role") != "taskmanager" or address is None or not address.known or not names or not masters:
            continue
        host = address.text.strip()
        if _BARE.fullmatch(host) and host not in names:
            message = f"no service here is called {host}: {block.name} never finds the JobManager, the cluster has no slots, and jobs wait for them until they fail ({masters[0].name} is a name it knows)"
            yield context.finding(message, address, [(masters[0], "the JobManager")])
