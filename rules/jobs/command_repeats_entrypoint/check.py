"""`command: python …` for an image whose ENTRYPOINT is `["python", …]`."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import programs
from shoal.lazy import pattern
from shoal.model import Finding

_INTERPRETER = pattern(r"(python|java|spark-submit|faust)[\d.]*")
# Programs that start what they are given.
_STARTS = pattern(r"entry|wait|launch|wrap|exec|init|start|supervis|debugpy|agent|run(?:ner)?\b", re.IGNORECASE)


def check(job: Job, context: Context) -> Iterator[Finding]:
    entries = {usage.place.path: usage for usage in job.usages("entry-point")}
    for usage in job.usages("hands-on"):
        name, image, words = json.loads(usage.detail)
        entry = entries.get(programs.below(usage.place, image))
        first = json.loads(entry.detail) if entry is not None else []
        if entry is None or not first or not words or any(_STARTS.search(word) for word in first[1:]):
            continue
        one, other = (_INTERPRETER.fullmatch(posixpath.basename(word)) for word in (first[0], words[0]))
        if one and other and one[1] == other[1]:
            program = " ".join(first[1:]).removeprefix("-m ").removeprefix("-jar ")
            gets = f"{program} gets them as its arguments" if program else f"{first[0]} takes the second one for its program"
            message = f"{name} starts `{' '.join([*first, *words[:4]])}{' …' if len(words) > 4 else ''}`, since a command is handed to the image's ENTRYPOINT: {gets}"
            yield context.finding(message, usage.place, [(entry.place, "the ENTRYPOINT")])
