"""Checkpoints in MinIO, whose container has no volume."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import flink
from shoal.values import objectstores

_ENDPOINT = pattern(r"(?:spark\.hadoop\.)?(?:fs\.)?(?:presto\.)?s3a?\.endpoint")
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
        ask = next((one for one in asked if re.sub(r"^\w+://", "", one.text.strip()).partition(":")[0] in names), None)
        if ask is None or not (kept or bucket):
            continue
        what = f"checkpoints ({kept[0].text})" if kept else f"the bucket {bucket}"
        message = f"{what} and all else in {names[0]} are on its container's own disk: gone with `docker compose down`, and when the container is made anew, so jobs start from nothing"
        related = [(one, "what is kept there") for one in kept[:1]]
        yield context.finding(message, store.place, [*related, (ask, "the store that is asked")])


def _in_s3(setting: Setting) -> bool:
    return setting.known and objectstores.scheme(setting.text) in ("s3", "s3a", "s3n")
