"""`spark.conf.set` of options that no session can change: those of the core, and the static ones of SQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.templates.spark import refused_at_runtime


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("session",)):
        for setting in job.of(block):
            why = refused_at_runtime(setting.key)
            if why:
                yield context.finding(f"{setting.key} {why}", setting.key_place(label=setting.key), covers=[setting])
    for key, place in _set(context.module):
        why = refused_at_runtime(key)
        if why:
            yield context.finding(f"{key} {why}", place)


def _set(module: Any) -> Iterator[tuple[str, Place]]:
    """Keys given to `spark.conf.set`, and where."""
    for call in module.named("set"):
        node = call.argument(0, "key")
        if node is not None and any(found.type == "spark.RuntimeConf" for found in module.receivers(call)):
            key = module.string(node, call.spot)
            if key:
                yield key, module.place(node, call.spot, label=key)
