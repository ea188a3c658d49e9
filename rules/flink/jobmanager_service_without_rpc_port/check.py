"""A Service by whose name TaskManagers look for the JobManager, and which does not hand on the port of its RPC."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.text import MASK

_PORT = "6123"


def check(job: Job, context: Context) -> Iterator[Finding]:
    if any(setting.key == "jobmanager.rpc.port" and setting.text.strip() != _PORT for setting in job.settings):
        return
    workers = {
        block.trait("master").split(".")[0]: block
        for block in job.select("flink", ("cluster",), ("manifest",))
        if block.trait("role") == "taskmanager" and block.trait("master")
    }
    services = [block for block in job.select("kubernetes", ("service",)) if block.trait("kind") == "Service" and block.name in workers]
    # of several environments each has a Service of the same name
    served = {block.name for block in services if _PORT in block.trait("ports").split(",")}
    for service in services:
        ports = [setting for setting in job.settings if setting.block == service.id and setting.key.startswith("spec.ports.")]
        told = {setting.key: setting.text.strip() for setting in job.settings if setting.block == service.id}
        hidden = MASK in "".join(told.values()) or not service.trait("selector")
        if service.name in served or not ports or hidden or told.get("spec.clusterIP") == "None":
            continue
        worker = workers[service.name]
        message = (
            f"TaskManagers look for the JobManager at {service.name}:{_PORT}, and this Service does not hand on that port: none registers, and jobs wait for "
            f"slots until they fail (ports {_PORT} for RPC and 6124 for the blob server)"
        )
        yield context.finding(message, ports[0].place(), [(worker, "looks for it here")])
