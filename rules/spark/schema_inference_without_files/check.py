"""`spark.sql.streaming.schemaInference` in a program whose streams all come from sources that bring a schema of their own.

Read in Spark 3.5: `DataSource.sourceSchema` asks for it where the source is a `FileFormat`, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding

_KEY = "spark.sql.streaming.schemaInference"
# Sources with a schema that nobody can change.
_FIXED = frozenset({"kafka", "rate", "rate-micro-batch", "socket"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    readers = job.select("spark", ("reader",))
    forms = {block.trait("format") for block in readers}
    # what is not followed may read files: a reader that a function is given, one in a module that shares the session
    if not forms or not forms <= _FIXED or any(block.open for block in readers) or context.module.raw.count("readStream") > len(readers):
        return
    whose = f"{' and '.join(sorted(forms))} {'brings' if len(forms) == 1 else 'bring'} a schema that is always the same"
    for setting in _set(job):
        message = f"this has no effect: it is for streams of files, and no stream of this program reads any ({whose})"
        yield context.finding(message, setting.key_place(), [(readers[0], "reads no files")], covers=[setting])


def _set(job: Job) -> Iterator[Setting]:
    for block in job.select("spark", ("job", "session")):
        for setting in job.of(block):
            if setting.key == _KEY and setting.known and setting.text.strip().lower() == "true":
                yield setting
