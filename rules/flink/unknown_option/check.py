"""Keys that are nearly options."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_ROLES = ("cluster", "deployment", "sessionjob", "session", "command", "job")
# Written by the entry point of the stock image itself, and copied from there.
_HARMLESS = frozenset({"query.server.port"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    options = catalogue.load("flink")
    for block in job.select("flink", _ROLES):
        if block.trait("legacy-environment"):
            continue
        version = job.version("flink", block)
        for setting in job.of(block):
            key = setting.key
            if key in _HARMLESS or "." not in key or key.startswith(("spec.", "$")) or key.upper() == key or options.known(key):
                continue
            near = options.nearest(key, version.minor if version else None)
            if not near:
                continue
            meant = " or ".join(near[:2])
            # a span that is shorter than the key is the last segment of a nested one
            whole = setting.key_span.end - setting.key_span.start == len(key)
            fixes = [context.rename(setting, near[0], f"rename it to {near[0]}", "unsafe")] if whole and len(near) == 1 else []
            message = f"Flink ignores `{key}` without a word: there is no such option ({meant} may be meant)"
            yield context.finding(message, setting.key_place(label=key), fixes=fixes, covers=[setting.place()])
