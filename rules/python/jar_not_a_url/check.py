"""`pipeline.jars` and `add_jars` take URLs; a path ends the program with a MalformedURLException (run on 1.20.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_KEYS = ("pipeline.jars", "pipeline.classpaths")
_URL = pattern(r"[A-Za-z][A-Za-z0-9+.-]+:")  # one letter is a drive


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink"):
        for key in _KEYS:
            setting = job.written(block, key)
            if setting is None or not setting.known:
                continue
            parts = [part.strip(" \t\n[]'\"") for part in re.split("[;,]" if setting.text.lstrip()[:1] == "[" else ";", setting.text)]
            if wrong := next((part for part in parts if part and not _URL.match(part)), ""):
                yield context.finding(_told(wrong, key), setting)
    module = context.module
    for call in module.named("add_jars", "add_classpaths"):
        if module.receiver_type(call) != "flink.Environment":
            continue
        for arg in call.node.args:
            path = "" if arg.star or arg.keyword is not None else module.constant(arg.value, call.spot)
            if isinstance(path, str) and path.strip() and not _URL.match(path.strip()):
                yield context.finding(_told(path, call.name), module.place(arg.value, call.spot), covers=[module.covers(call)])


def _told(path: str, what: str) -> str:
    url = f"file://{path}" if path.startswith("/") else "file:///…"
    return f"the program stops with a MalformedURLException: {what} takes URLs, and `{path}` is a path (`{url}`)"
