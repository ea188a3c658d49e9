"""A checkpoint location, of one query, of a variable or the default for all, on a local, relative or temporary path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting, Unknown
from shoal.job import Job
from shoal.jobs import questions
from shoal.jobs.outside import service
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import spark

_KEY = "spark.sql.streaming.checkpointLocation"
_SCHEME = pattern(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = pattern(r"[A-Za-z]:[\\/]")  # a workstation
# A driver's variable, whose name says what its program does with it.
_VARIABLE = pattern(r"(?:spark\.kubernetes\.driverEnv|spec\.driver\.env(?:Vars)?)\.\w*CHECKPOINT\w*", re.IGNORECASE)
# Volumes that outlive the driver's pod, mounted by options of Spark's own.
_MOUNT = pattern(r"spark\.kubernetes\.driver\.volumes\.(?:persistentVolumeClaim|nfs)\.[^.]+\.mount\.path")
_LASTING = ("pvc", "named", "bind")
_PASSING = "in a volume that ends with its pod"
# `CHECKPOINT_LOCATION`, `<your-bucket>/checkpoints`, `path/to/checkpoint`: to be filled in
_TO_FILL_IN = pattern(r"[A-Z0-9]+(?:_[A-Z0-9]+)+|.*<[^>]+>.*|(?i:your[-_ ].*|/?path/to/.*)")
# Folders of the lakehouse that is attached to a notebook of Microsoft Fabric: a relative path is one of OneLake's there.
_LAKEHOUSE = pattern(r"(?:Files|Tables)/")
# Folders of a machine or an image, hardly of an HDFS.
_OF_A_MACHINE = pattern(r"/(?:home|Users|root|opt|app|usr|srv|workspaces?)/")
# DBFS outlives the driver, its /tmp too.
_CLEARED = "a folder of DBFS for what nobody needs any more"
# What a text that is filled in begins with, where that is a path: `/tmp/checkpoint-` of `f"/tmp/checkpoint-{topic}"`.
_BEGINNING = pattern(r"(?:file:|\.{0,2}/|[\w.-]+/)\S*")
_TEMPORARY = pattern(r"/(?:dbfs/)?(?:tmp|var/tmp|local_disk0)(?:/|$)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    said: set[str] = set()
    for block in job.select("spark", ("defaults", "application", "submit", "job", "writer")):
        if block.role != "writer" and _unused(job):
            continue
        if block.role == "writer" and block.trait("format") in spark.SHOWN:
            continue  # nobody needs to know what was shown before
        found = spark.option(job, block, "checkpointLocation") if block.role == "writer" else job.get(block, _KEY)
        path = _path(found)
        if found is None or not path or _TO_FILL_IN.fullmatch(path):
            continue
        why, confidence = _judge(job, block, path)
        if why and why != _PASSING and spark.is_local(job, block):  # a test, or a demo that starts again on the machine where it ran
            if block.role not in ("job", "writer") or not (why == "a temporary folder" or why.startswith("relative")):
                continue
            confidence = "low"
        if why:
            yield context.finding(_message(path, why), found, confidence=confidence)
            said.add(path)
    yield from _variables(job, context, said)
    yield from _beside_program(job, context)


def _beside_program(job: Job, context: Context) -> Iterator[Finding]:
    """Checkpoints in the program's own folder, which may be a volume where there is any."""
    files = service(job.outside).files
    lasting = any(mount.kind in _LASTING for mount in job.mounts_of("spark"))
    for usage in job.usages("checkpoint-beside-program"):
        block = job.blocks.get(usage.block)
        if block is None or block.trait("format") in spark.SHOWN or files == "dbfs" or lasting:
            continue
        near_hdfs = files == "hdfs" or job.anywhere("spark", "spark.hadoop.fs.defaultFS") or spark.master_is(job, block, "yarn")
        message = f"queries lose their offsets and state with the driver: the checkpoint is in the folder {usage.detail}"
        confidence = "low" if near_hdfs or usage.detail == "of the program" or spark.is_local(job, block) else "medium"
        yield context.finding(message, usage.place, confidence=confidence)


def _variables(job: Job, context: Context, said: set[str]) -> Iterator[Finding]:
    """The program may do something else with a variable, or the application may be a batch."""
    for block in job.select("spark", ("defaults", "application", "submit")):
        for setting in job.of(block):
            path = setting.text.strip()
            if not (_VARIABLE.fullmatch(setting.key) and setting.known and path.startswith(("/", "file:"))) or spark.is_local(job, block):
                continue
            why, _ = _judge(job, block, path)
            if why:
                streams = spark.streams(job, block) not in ("", "ends")
                yield context.finding(_message(path, why), setting, confidence="medium" if streams else "low")
    for usage in job.usages("driver-checkpoint"):  # what a service of compose tells its driver
        told, path = job.blocks.get(usage.block), usage.detail.strip()
        if path in said or told is None or not path.startswith(("/", "file:")) or spark.is_local(job, told):
            continue
        why, confidence = _judge(job, told, path)
        if why:
            streams = spark.streams(job, told) not in ("", "ends")
            yield context.finding(_message(path, why), usage.place, confidence="medium" if streams and not confidence else "low")


def _path(found: Setting | None) -> str:
    """The path, or what it surely begins with."""
    if found is None or found.known:
        return found.text.strip() if found else ""
    begins = found.value.begins if isinstance(found.value, Unknown) else ""
    return f"{begins}…" if _BEGINNING.fullmatch(begins) else ""


def _message(path: str, why: str) -> str:
    when = "once somebody clears it" if why == _CLEARED else "with the driver"
    return f"queries lose their offsets and state {when}: {path} is {why}"


def _unused(job: Job) -> bool:
    """Whether each query of the job has a location of its own, so that none has the default."""
    writers = job.select("spark", ("writer",))
    return bool(writers) and all(spark.option(job, writer, "checkpointLocation") is not None for writer in writers)


def _judge(job: Job, block: Block, path: str) -> tuple[str, str]:
    """What is wrong with the path, and how sure that is; a path without scheme is one of the default file system's, often HDFS."""
    bare = re.sub(r"^(?:file|dbfs):/*", "/", path)
    folders = [mount.path for mount in job.mounts_of("spark") if mount.kind in _LASTING and (mount.block == block.id or job.kind == "job")]
    folders += [
        setting.text for setting in job.settings if _MOUNT.fullmatch(setting.key) and (setting.block == block.id or job.kind == "job")
    ]
    if not path or any(folder.strip("/") and f"{bare}/".startswith(folder.rstrip("/") + "/") for folder in folders):
        return "", ""
    if bare.endswith("…") and any(folder.startswith(bare[:-1]) for folder in folders):
        return "", ""
    files = service(job.outside).files
    mounts = questions.covering(job.mounts_of("spark"), bare)
    elsewhere = _SCHEME.match(path) or files == "hdfs" or job.anywhere("spark", "spark.hadoop.fs.defaultFS")
    if not elsewhere and any(mount.kind in questions.PASSING for mount in mounts):
        return _PASSING, "medium"
    if files == "dbfs" and re.match(r"/(?:dbfs|Volumes)/", bare) and not _TEMPORARY.match(bare):
        return "", ""  # mounted on the driver's disk, and lasting
    if path.startswith("file:"):
        return "a path on the driver's own disk", ""
    if path.startswith("dbfs:") or block.form == "bundle" or (files == "dbfs" and not _SCHEME.match(path)):
        return (_CLEARED, "low") if _TEMPORARY.match(bare) else ("", "")
    if _SCHEME.match(path) or _DRIVE.match(path) or _LAKEHOUSE.match(path):
        return "", ""
    if files == "hdfs" and not path.startswith("/"):
        return f"relative, to a folder in the HDFS that {job.outside} deletes with the cluster", "low"
    if not path.startswith("/"):
        return "relative, to whatever folder the driver was started in", "medium"
    pods = [other for other in job.select("spark", ("application",), ("manifest",)) if other is block or job.kind == "job"]
    if pods:
        block = pods[0]
        return "a path inside the pod, unless spark.hadoop.fs.defaultFS says otherwise", "medium" if job.get(
            block, "spark.hadoop.fs.defaultFS"
        ) is None else "low"
    if _OF_A_MACHINE.match(path) and files != "hdfs" and not job.anywhere("spark", "spark.hadoop.fs.defaultFS"):
        return "on the driver's own disk, unless spark.hadoop.fs.defaultFS says otherwise", "low"
    if not _TEMPORARY.match(path):
        return "", ""
    near_hdfs = files == "hdfs" or job.anywhere("spark", "spark.hadoop.fs.defaultFS") or spark.master_is(job, block, "yarn")
    return "a temporary folder", "low" if near_hdfs else ""
