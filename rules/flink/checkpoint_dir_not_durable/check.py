"""Local paths where another container has to read what this one wrote."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Mount, Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup

_HOMES = frozenset({"home", "root", "Users"})
# The last is a field of Google's (now Spotify's) operator, which takes savepoints by itself.
_WHAT = (
    (flink.CHECKPOINT_DIR, "checkpoints"),
    (flink.SAVEPOINT_DIR, "savepoints"),
    (flink.HA_DIR, "high-availability data"),
    ("spec.job.savepointsDir", "savepoints"),
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """What stands in one file is judged by itself; volumes of a ConfigMap's containers may stand in other files of the project."""
    files: dict[str, list[Block]] = {}
    for block in job.select("flink", ("cluster", "deployment", "session", "job")):
        files.setdefault(block.place.path, []).append(block)
    for blocks in files.values():
        yield from _of_file(job, context, blocks)


def _of_file(job: Job, context: Context, blocks: list[Block]) -> Iterator[Finding]:
    for block in flink.masters(job, blocks):
        for key, what in _WHAT:
            found = lookup(job, block, key)
            if found is None or not found.known:
                continue
            path = flink.local_path(found.text)
            if not path.startswith("/"):
                continue
            if verdict := _judge(job, block, blocks, path):
                why, confidence, related = verdict
                if key == flink.SAVEPOINT_DIR and block.form == "compose":
                    confidence = "low"  # on one machine a savepoint is taken by hand, and copied away
                told = [(other, "told so, too") for other in _told(job, block, blocks, key, found)]
                yield context.finding(f"{what} go to {path}, {why}", found, [*related, *told], confidence=confidence)


def _told(job: Job, block: Block, blocks: list[Block], key: str, found: Setting) -> list[Setting]:
    """Where the other containers of a compose file are given the same directory."""
    others = [other for other in blocks if other.id != block.id and other.form == block.form == "compose"]
    same = (setting for other in others if (setting := lookup(job, other, key)) is not None)
    return [setting for setting in same if setting.path == found.path and setting.text == found.text and setting.span != found.span]


def _judge(job: Job, block: Block, blocks: list[Block], path: str) -> tuple[str, str, list[Mount]] | None:
    """Why the path does not last, how sure that is, and what backs it; None when something does."""
    if block.role == "deployment":
        return _backed(_covering(job, path, {block.id}), "pod", block.open)
    if block.form == "compose":
        own = _covering(job, path, {block.id})
        # without an interval in sight it may be that none is ever taken; one container may be all there is
        alone = not any(other.form == "compose" and other.trait("role") == "taskmanager" for other in blocks)
        if verdict := _backed(own, "container", alone or flink.interval(job, block) is None):
            return verdict
        workers = [other for other in blocks if other.form == "compose" and other.trait("role") == "taskmanager"]
        without = [other for other in workers if _backed(_covering(job, path, {other.id}), "container", False)]
        if without and block.trait("role") == "jobmanager":
            return (
                f"a volume in {block.name} but not in {without[0].name}: TaskManagers write state to their own disk, where nobody else finds it",
                "medium",
                own,
            )
        return None
    if flink.on_kubernetes(block) or block.form == "values":
        every = [mount for mount in job.mounts_of("flink") if mount.path.strip("/")]
        here = [mount for mount in every if mount.place.path == block.place.path]
        beside = [] if here else questions.covering(every, path)  # a ConfigMap often has a file to itself
        if any(mount.kind not in questions.PASSING and mount.kind != "hostPath" for mount in beside):
            return None
        return _backed(questions.covering(here, path) or beside, "pod", block.open or not here)
    if path.startswith(("/tmp/", "/var/tmp/")) or path in ("/tmp", "/var/tmp"):
        return "which one machine has for itself and empties when it restarts", "low", []
    if path.count("/") > 1 and path.split("/")[1] in _HOMES:
        return "a home folder: what another machine writes or reads there is its own", "low", []
    return None  # a shared disk may well be mounted there


def _backed(mounts: list[Mount], unit: str, doubtful: bool) -> tuple[str, str, list[Mount]] | None:
    if not mounts:
        return (
            f"on the {unit}'s own disk: gone when the {unit} is replaced, and no other {unit} can read them",
            "low" if doubtful else "medium",
            [],
        )
    bad = [mount for mount in mounts if mount.kind in questions.PASSING]
    if bad:
        return (
            f"a volume that ends with its {unit} ({bad[0].kind}), and no other {unit} can read it",
            "low" if unit == "container" else "medium",
            bad[:1],
        )
    hosts = [mount for mount in mounts if mount.kind == "hostPath"]
    if hosts:
        return f"a folder of whatever node the pod runs on ({hosts[0].name}): a pod on another node does not find it", "low", hosts[:1]
    return None


def _covering(job: Job, path: str, blocks: set[str]) -> list[Mount]:
    mounts = (mount for mount in job.mounts_of("flink") if mount.block in blocks and mount.path.strip("/"))
    return questions.covering(mounts, path)
