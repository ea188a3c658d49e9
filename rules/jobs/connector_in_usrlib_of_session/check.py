"""Connectors in `/opt/flink/usrlib`, which the entry points of application clusters alone look into (`tryFindUserLibDirectory`)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Mount, Oddity
from shoal.job import Job
from shoal.jobs import programs
from shoal.lazy import pattern
from shoal.model import Finding

_USRLIB = "/opt/flink/usrlib/"
_JAR = pattern(r"flink-(?:sql-)?connector-[^/]*\.jar")
_FOLDER = pattern(r"connectors?|flink-connectors?|connector-jars")
# What names jars for a job.
_NAMES = ("pipeline.jars", "pipeline.classpaths", "--classpath", "--jarfile", "--library", "--jars")


def check(job: Job, context: Context) -> Iterator[Finding]:
    sessions = _sessions(job)
    if not sessions or job.usages("names-jars") or any(setting.key in _NAMES for setting in job.settings):
        return
    jars = [one for one in job.dependencies if one.ecosystem == "jar" and "connector" in one.name]
    if any(not posixpath.basename(one.place.path).lower().startswith(("dockerfile", "docker-compose", "compose")) for one in jars):
        return  # a program, or a script, names jars itself
    where = "but in a session cluster (`jobmanager`, `taskmanager`) nothing of usrlib is on the classpath: tables and jobs do not find the connector (lib has it for all)"
    for oddity in _built(job, sessions):
        yield context.finding(f"{oddity.subject} is put into usrlib, {where}", oddity)
    told: set[str] = set()
    for block in sessions:
        for mount in job.mounts:
            name = _connector(mount) if mount.block == block.id and block.place.path not in told else ""
            if not name:
                continue
            certain = name.endswith(".jar")
            if not certain and jars:
                continue  # the image brings what is needed, it may be
            told.add(block.place.path)
            yield context.finding(f"{name} is in usrlib of {block.name}, {where}", mount, confidence="" if certain else "low")


def _sessions(job: Job) -> list[Block]:
    """The processes of session clusters in compose files, of files that hold nothing else and name nothing of usrlib in a command."""
    blocks = [block for block in job.select("flink", ("cluster",), ("compose",)) if block.trait("role") in ("jobmanager", "taskmanager")]
    other = {block.place.path for block in blocks if block.trait("application") or block.trait("names-usrlib")}
    masters = {block.place.path for block in blocks if block.trait("role") == "jobmanager"}
    return [block for block in blocks if block.place.path in masters - other]


def _built(job: Job, sessions: list[Block]) -> Iterator[Oddity]:
    """What Dockerfiles of these put there, where no other cluster is built from them."""
    ids = {block.id for block in sessions}
    builds: dict[str, bool] = {}
    for entry in job.entries:
        if entry.kind == "build":
            path = programs.below(entry.place, entry.target)
            builds[path] = builds.get(path, True) and entry.block in ids
    for oddity in job.oddities:
        if oddity.kind == "connector-in-usrlib" and builds.get(oddity.place.path):
            yield oddity


def _connector(mount: Mount) -> str:
    """The jar of a connector, or the folder for such, that is mounted there; empty for anything else."""
    if not f"{mount.path.rstrip('/')}/".startswith(_USRLIB) or mount.kind not in ("bind", "named"):
        return ""
    names = [posixpath.basename(mount.path.rstrip("/")), posixpath.basename(mount.name.rstrip("/"))]
    return next((name for name in names if _JAR.fullmatch(name)), "") or next((name for name in names[:1] if _FOLDER.fullmatch(name)), "")
