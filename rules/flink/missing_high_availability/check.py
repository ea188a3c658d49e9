"""Durable checkpoints that a restarted JobManager does not know of."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in flink.masters(job, job.select("flink", ("cluster", "deployment"))):
        if block.open or flink.ha_mode(job, block) != "none":
            continue
        directory = lookup(job, block, flink.CHECKPOINT_DIR)
        if directory is None and _session(job, block):
            message = (
                "when the JobManager's pod restarts, the cluster knows nothing of the jobs that ran: there is no high-availability.type"
            )
            yield context.finding(message, block, confidence="low")
            continue
        if directory is None or not directory.known or not _lasting(job, block, flink.local_path(directory.text)):
            continue
        mode = lookup(job, block, "spec.job.upgradeMode")
        # who upgrades by savepoints has state to lose, though the interval may stand in the code
        stateful = flink.by_operator(block) and mode is not None and mode.text.strip().lower() == "savepoint"
        if flink.interval(job, block) is None and not stateful:
            continue
        if lookup(job, block, flink.HA_DIR) is not None and lookup(job, block, flink.HA_TYPE) is None:
            continue  # high-availability-options-without-type
        if mode is not None and mode.text.strip().lower() == "last-state":
            continue  # last-state-without-high-availability
        message = (
            "when the JobManager restarts, its jobs are forgotten: checkpoints are durable, but without high-availability.type"
            " nothing remembers which is the last, and the job starts from nothing"
        )
        explicit = lookup(job, block, flink.HA_TYPE)
        confidence = "medium" if flink.on_kubernetes(block) else "low"
        yield context.finding(message, explicit or block, [(directory, "checkpoints go here")], confidence=confidence)


def _lasting(job: Job, block: Block, path: str) -> bool:
    """Whether checkpoints outlive the pod: on remote storage, or on a claim that every pod mounts there."""
    if not path:
        return True
    mounts = [mount for mount in job.mounts_of("flink") if block.role != "deployment" or mount.block == block.id]
    found = questions.covering((mount for mount in mounts if mount.path.strip("/")), path)
    everywhere = {mount.block for mount in mounts} == {mount.block for mount in found}
    return flink.on_kubernetes(block) and bool(found) and everywhere and all(mount.kind == "pvc" for mount in found)


def _session(job: Job, block: Block) -> bool:
    """The conf of a cluster that somebody puts together of Deployments, as its config map shows; operators have their own ways."""
    address = job.get(block, "jobmanager.rpc.address")
    named = address is not None and address.known and address.text.strip() not in ("localhost", "127.0.0.1")
    return block.form == "configmap" and named and lookup(job, block, flink.HA_DIR) is None
