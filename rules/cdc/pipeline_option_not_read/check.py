"""Options of Flink under `pipeline`, which has a few of its own and hands none on (the composers of 3.2 to 3.6), and sections of no known name."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc
from shoal.templates.tables import INTERVAL


def check(job: Job, context: Context) -> Iterator[Finding]:
    pipelines = job.select("flink-cdc", ("pipeline",))
    if pipelines:
        from shoal.readers.flink_yaml import own_key  # a YAML parser comes with it
    for block in pipelines:
        known = cdc.options(block)
        for setting in job.of(block) if known is not None else ():
            if known is None or known.option(setting.key) is not None:
                continue
            if own_key(setting.key):
                yield _of_flink(context, setting)
                continue
            meant = next(iter(known.nearest(setting.key)), "")
            why = f": did you mean {meant}?" if meant else ""
            free = meant and job.written(block, meant) is None
            fixes = [context.rename(setting, meant, f"rename it to {meant}", "unsafe")] if free else []
            message = f"`pipeline` has no option {setting.key}, so it has no effect{why}"
            yield context.finding(message, setting.key_place(), confidence="" if meant else "medium", fixes=fixes, covers=[setting])
    for oddity in job.oddities:
        if oddity.kind == "cdc-unknown-section":
            message = f"a pipeline has no section `{oddity.subject}`: Flink CDC refuses it since 3.6, and does not read it before"
            yield context.finding(message, oddity)


def _of_flink(context: Context, setting: Setting) -> Finding:
    told = f"it is told to Flink, in its configuration or as `-D{setting.key}={setting.text}` after flink-cdc.sh"
    if setting.key == INTERVAL:
        message = f"no checkpoint is taken because of this: {setting.key} is an option of Flink, which `pipeline` does not hand on; {told}"
        return context.finding(message, setting.key_place(), severity="error", covers=[setting])
    return context.finding(
        f"{setting.key} has no effect: `pipeline` hands no options on to Flink; {told}", setting.key_place(), covers=[setting]
    )
