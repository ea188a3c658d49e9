"""A `checkpointLocation` that is the folder of a file source, or lies in that of a Delta table without an underscore.

Tried with Spark 3.5.3: of a checkpoint in the source's own folder the file `metadata` is read as a record; folders below are not looked into.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_BINARY = ("parquet", "orc", "avro")
_FILES = frozenset(["parquet", "json", "csv", "orc", "text", "avro", "xml", "binaryFile"])


def check(job: Job, context: Context) -> Iterator[Finding]:
    read = {
        folder: (path, block.trait("format"))
        for block in job.select("spark", ("reader",))
        if block.trait("format") in _FILES and (path := spark.option(job, block, "path")) is not None and (folder := _folder(path))
    }
    for block in job.select("spark", ("writer",)):
        location, target = spark.option(job, block, "checkpointLocation"), spark.option(job, block, "path")
        folder = _folder(location) if location is not None else ""
        if location is None or not folder:
            continue
        if folder in read:
            path, form = read[folder]
            then = "and the query fails at it" if form in _BINARY else "and its text for a record"
            message = f"the query's progress is kept among the files that are read: {folder}/metadata, which the checkpoint begins with, is taken for one of them, {then} (give it a folder of its own)"
            yield context.finding(message, location, [(path, "read from here")])
            continue
        table = _folder(target) if target is not None and block.trait("format") == "delta" else ""
        below = folder.removeprefix(table + "/")
        if table and (folder == table or (below != folder and not any(part.startswith("_") for part in below.split("/")))):
            message = f"VACUUM deletes what lies in {table} and is not in the table's log, what is older of this checkpoint with it: only folders whose name begins with an underscore are left alone (_checkpoints)"
            yield context.finding(
                message, location, [(target, "the table")] if target is not None else [], severity="warning", confidence="medium"
            )


def _folder(path: Setting) -> str:
    return path.text.strip().rstrip("/") if path.known and path.sure != "branch" else ""
