"""`s3.access-key`, `fs.s3a.endpoint` and the like in a program's configuration or a script's SET.

`FileSystem.initialize` is called by the entry points of JobManager, TaskManager and client with the configuration of their own process, and by none
for the configuration of a job; `MiniCluster.start`, which runs a program by itself, does not call it at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding

_READ_BY_FILE_SYSTEMS = ("s3.", "s3a.", "fs.s3a.", "presto.s3.", "fs.azure.", "fs.gs.", "gs.", "fs.oss.")
_TARGETS = ("remote", "local", "kubernetes-session", "yarn-session")


def check(job: Job, context: Context) -> Iterator[Finding]:
    if job.usages("sets-up-file-systems") or any(
        setting.text.strip().strip("\"'") not in _TARGETS for setting in job.anywhere("flink", "execution.target")
    ):
        return
    outside = {_plain(setting.key) for block in job.select("flink", ("cluster", "deployment")) for setting in job.of(block)}
    for block in job.select("flink", ("job", "session")):
        found = [one for one in job.of(block) if one.key.startswith(_READ_BY_FILE_SYSTEMS) and _plain(one.key) not in outside]
        if found:
            first, *rest = found
            message = f"{first.key} has no effect here: a process sets up its file systems as it starts, with its own configuration, and nobody gives them that of the job"
            related = [(one.key_place(label=one.key), "nor has this") for one in rest]
            yield context.finding(
                message, first.key_place(label=first.key), related, confidence="low" if all(map(_hadoops, found)) else "", covers=found
            )


def _hadoops(setting: Setting) -> bool:
    """Whether it has the name that Hadoop has for it, whose own file systems a table format may use."""
    return setting.key.startswith("fs.")


def _plain(key: str) -> str:
    """A key in one spelling: the file systems take a dot for a hyphen."""
    return key.replace("-", ".")
