"""`rm -rf DIR && spark-submit …`, where a query has its checkpoint in DIR."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import spark

_KEY = "spark.sql.streaming.checkpointLocation"
# A script that says what it is for: run by somebody who wants to begin anew.
_RESETS = pattern(r"(?i)(?:.*[/\\])?[^/\\]*(?:reset|clean|fresh|purge|wipe|demo|test|dev)[^/\\]*")
_OF_THE_MACHINE = pattern(r"file:/*(?=/)|hdfs://[^/]*(?=/)|\./")


def check(job: Job, context: Context) -> Iterator[Finding]:
    deleted = [oddity for oddity in job.oddities if oddity.kind == "folder-deleted"]
    if not deleted:
        return
    writers = job.select("spark", ("writer",))
    places = [spark.option(job, block, "checkpointLocation") for block in writers]
    places += [job.get(block, _KEY) for block in job.select("spark", ("defaults", "application", "submit", "job"))]
    outputs = [found.text for block in writers if (found := spark.option(job, block, "path")) is not None and found.known]
    for oddity in deleted:
        folder = _shape(oddity.subject)
        if folder is None:
            continue
        option = next((one for one in places if one is not None and one.known and folder.fullmatch(_plain(one.text))), None)
        if option is None:
            continue
        message = "each start throws away what the last one read and counted: the query begins anew, skips what came meanwhile or reads all of it again"
        # with the tables gone as well it is a demonstration that begins from nothing
        anew = any(
            shape is not None and shape.fullmatch(_plain(text)) for other in deleted for text in outputs if (shape := _shape(other.subject))
        )
        restarted = oddity.place.path.endswith((".yaml", ".yml"))  # a container's command, run again after each failure
        unsure = oddity.detail != "always" or anew or _RESETS.fullmatch(oddity.place.path) is not None
        confidence = "low" if unsure else "high" if restarted else ""
        yield context.finding(message, oddity, [*oddity.related, (option, "its checkpoint")], confidence=confidence)


def _shape(path: str) -> re.Pattern[str] | None:
    """What matches the folder and everything below it; nothing where a part of it is not known."""
    plain = _plain(path)
    plain = plain[:-2] if plain.endswith("/*") else plain
    if not plain or "$" in plain or plain in ("*", "."):
        return None
    return re.compile("[^/]*".join(map(re.escape, plain.split("*"))) + r"(?:/.*)?")


def _plain(path: str) -> str:
    """A path without the scheme of the machine's or the cluster's own files."""
    return _OF_THE_MACHINE.sub("", path.strip(), count=1).rstrip("/")
