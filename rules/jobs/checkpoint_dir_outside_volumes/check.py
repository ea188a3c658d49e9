"""Directories for checkpoints, savepoints and HA data in one file, the containers and their volumes in another."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Mount
from shoal.job import Job
from shoal.jobs import questions
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.templates import flink, tables

_WHAT = ((questions.CHECKPOINT_DIR, "checkpoints"), (questions.SAVEPOINT_DIR, "savepoints"), (flink.HA_DIR, "high-availability data"))
_LASTING = ("named", "pvc")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """In the file that holds the containers as well, only several volumes at one path count: checkpoint-dir-not-durable says the rest."""
    containers = [block for block in questions.config_blocks(job) if block.form in ("compose", "manifest") and block.role != "sessionjob"]
    if not containers or len({(_stands(block), block.form) for block in containers}) > 1:
        return
    if sum(block.trait("role") == "jobmanager" for block in containers) > 1:
        return  # several clusters, or several JobManagers of one: which container is whose cannot be told
    for key, what in _WHAT:
        found = next(iter(job.origins("flink", key)), None)
        if found is None or not found.known or job.blocks[found.block].trait("local"):
            continue
        path = flink.local_path(found.text)
        if not path.startswith("/"):
            continue
        processes = _processes(containers, workers=key != flink.HA_DIR)
        verdict = _split(job, processes, path)
        if verdict is None and all(found.path != block.place.path for block in containers):
            verdict = _unbacked(job, processes, path, job.blocks[found.block])
        if verdict is not None:
            why, related = verdict
            # without an interval in sight it may be that none is ever taken
            doubtful = key == questions.CHECKPOINT_DIR and not tables.checkpoints(job)
            # on one machine a savepoint is taken by hand, and copied away
            confidence = "low" if doubtful or (key == questions.SAVEPOINT_DIR and containers[0].form == "compose") else ""
            yield context.finding(
                f"{what} go to {path}, {why}", found, [*related, (containers[0], "the containers")], confidence=confidence
            )


def _stands(block: Block) -> str:
    """A compose file or a resource is a cluster by itself; Kubernetes' own workloads often have a file each."""
    return folder_of(block.place.path) if _is_workload(block) else block.place.path


def _is_workload(block: Block) -> bool:
    return block.form == "manifest" and block.role == "cluster"


def _unbacked(job: Job, processes: list[Block], path: str, conf: Block) -> tuple[str, list[Mount]] | None:
    """Why the path does not last, and the mounts that do not help; None when it may."""
    for block in processes:
        mounts = covering(job, path, block)
        unit = "container" if block.form == "compose" else "pod"
        if _is_workload(block) and not _is_given(job, block, conf):
            continue
        if not mounts:
            return f"on the own disk of each {unit} ({block.name} has no volume there): gone with it, and nobody else can read them", []
        if all(mount.kind in questions.PASSING for mount in mounts):
            return f"a volume that ends with its {unit} ({mounts[0].kind}), and no other {unit} can read it", mounts[:1]
    return None


def _is_given(job: Job, block: Block, conf: Block) -> bool:
    """Whether a workload's pods surely get a conf: its config map is mounted by its name."""
    named = conf.form == "configmap" and bool(conf.name)
    return named and any(mount.block == block.id and (mount.kind, mount.name) == ("configMap", conf.name) for mount in job.mounts)


def _split(job: Job, processes: list[Block], path: str) -> tuple[str, list[Mount]] | None:
    """Several volumes at one path, and the mounts of them."""
    backing: dict[tuple[str, str], Mount] = {}
    for block in processes:
        for mount in covering(job, path, block):
            backing.setdefault((mount.kind, mount.name), mount)
    if len(backing) < 2 or any(kind not in _LASTING for kind, _ in backing):
        return None
    names = " and ".join(sorted(name for _, name in backing))
    return f"which is not one volume but several ({names}): nobody finds there what the others wrote", list(backing.values())


def _processes(containers: list[Block], workers: bool) -> list[Block]:
    """The JobManagers, or whatever there is, and the TaskManagers, which read and write state, but no high-availability data."""
    masters = [block for block in containers if block.trait("role") == "jobmanager"] or containers
    return [*masters, *(block for block in containers if workers and block.trait("role") == "taskmanager" and block not in masters)]


def covering(job: Job, path: str, block: Block) -> list[Mount]:
    """The deepest mounts of a block that a path lies in; a container's root is no volume."""
    return questions.covering((mount for mount in job.mounts if mount.block == block.id and mount.path.strip("/")), path)
