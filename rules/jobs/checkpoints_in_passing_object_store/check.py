"""Checkpoints in MinIO, whose container has no volume."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.jobs.boundaries import folder_of, is_below
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import flink
from shoal.values import objectstores

_ENDPOINT = pattern(r"(?:spark\.hadoop\.)?(?:fs\.)?(?:presto\.)?s3a?\.endpoint")
_FOR_FILES = pattern(r"docker(?:-compose)?|compose|deploy(?:ment)?|infra(?:structure)?")
_KEYS = ("checkpointlocation", "spark.sql.streaming.checkpointlocation")


def check(job: Job, context: Context) -> Iterator[Finding]:
    stores = job.usages("passing-store")
    if not stores:
        return
    flinks = [
        setting for key in (questions.CHECKPOINT_DIR, questions.SAVEPOINT_DIR, flink.HA_DIR) for setting in job.anywhere("flink", key)
    ]
    kept = [one for one in (*flinks, *(one for one in job.settings if one.engine == "spark" and one.key.lower() in _KEYS)) if _in_s3(one)]
    asked = [setting for setting in job.settings if setting.known and _ENDPOINT.fullmatch(setting.key)]
    for store in stores:
        names, bucket = json.loads(store.detail)
        folder = _of_project(folder_of(store.place.path))
        ask = next(
            (one for one in asked if is_below(one.path, folder) and re.sub(r"^\w+://", "", one.text.strip()).partition(":")[0] in names),
            None,
        )
        inside = next((one for one in kept if is_below(one.path, folder)), None)
        if ask is None or not (inside or bucket):
            continue
        what = f"checkpoints ({inside.text})" if inside else f"the bucket {bucket}"
        message = f"{what} and all else in {names[0]} are on its container's own disk: gone with `docker compose down`, and when the container is made anew, so jobs start from nothing"
        related = [(inside, "what is kept there")] if inside else []
        yield context.finding(message, store.place, [*related, (ask, "the store that is asked")])


def _of_project(folder: str) -> str:
    """The folder that a compose file's services belong to: its own, or the one above where that is there for such files."""
    above, _, name = folder.rpartition("/")
    return above if _FOR_FILES.fullmatch(name) else folder


def _in_s3(setting: Setting) -> bool:
    return setting.known and objectstores.scheme(setting.text) in ("s3", "s3a", "s3n")
