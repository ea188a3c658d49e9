"""Applications sent to one standalone master, of which one streams for ever and says nothing of `spark.cores.max`.

`spark.deploy.defaultCores`, what an application gets that does not say, is Int.MaxValue (Deploy.scala of 3.5 and 4.0). Tried on a standalone cluster of 4.1.4:
the second application is registered and never gets an executor.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs.boundaries import is_compose
from shoal.model import Finding, Place
from shoal.readers.spark_command import CORE_LIMITS
from shoal.records import NamedTuple


class _Sent(NamedTuple):
    program: str
    master: str
    limited: str
    place: Place
    on_request: bool

    @property
    def name(self) -> str:
        return self.program.rsplit("/", 1)[-1]


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A limit that is set for all (on the master, in a conf file) ends it; what a program sets itself counts for the program."""
    if job.usages("core-limit"):
        return
    limited = [setting for setting in job.settings if setting.engine == "spark" and setting.key in CORE_LIMITS]
    if any(job.blocks[setting.block].role == "defaults" for setting in limited):
        return
    on_request = {usage.block for usage in job.usages("on-request")}
    sent = [
        _Sent(program, master, limits, usage.place, usage.block in on_request)
        for usage in job.usages("submitted")
        for program, master, limits in [json.loads(usage.detail)]
    ]
    for one in sent:
        path = _program(job, one.name)
        if one.limited == "yes" or not path or any(setting.path == path for setting in limited) or not _streams_on(job, path):
            continue
        others = [other for other in sent if other.master == one.master and other.name != one.name]
        if not others:
            continue
        other = next((other for other in others if not other.on_request), others[0])
        message = (
            f"this streaming application takes every core of {one.master} for as long as it runs, and {other.name} waits for some: 'Initial job "
            "has not accepted any resources'; limit each with spark.cores.max (--total-executor-cores)"
        )
        # scripts may be run one at a time, and so may services of a profile; of executors of some cores each there are as many as memory allows
        apart = not is_compose(one.place.path) or one.on_request or other.on_request
        sure = "" if one.limited == "no" and not apart else "low"
        yield context.finding(message, one.place, [(other.place, f"{other.name} is sent there, too")], confidence=sure)


def _program(job: Job, name: str) -> str:
    """The one program of this name that runs queries."""
    found = {block.place.path for block in job.select("spark", ("writer",)) if block.place.path.rsplit("/", 1)[-1] == name}
    return found.pop() if len(found) == 1 else ""


def _streams_on(job: Job, path: str) -> bool:
    """Whether a program starts queries and none of them ends by itself."""
    started = [block for block in job.select("spark", ("writer",)) if block.place.path == path and block.trait("start")]
    return bool(started) and not any(
        block.open or job.get(block, "trigger.availableNow") or job.get(block, "trigger.once") for block in started
    )
