"""`frame.write.mode("update")`: a batch writer knows four modes. Tried on Spark 4.3 (INVALID_SAVE_MODE); the names are those of 2.4."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_MODES = frozenset({"append", "overwrite", "ignore", "error", "errorifexists", "default"})
_SAVES = ("save", "saveAsTable", "jdbc", "parquet", "json", "csv", "orc")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("mode", *_SAVES):
        node = call.argument(0, "saveMode") if call.name == "mode" else call.argument(99, "mode")
        made = module.sure_receivers(call) if node is not None and not call.spot.expects_error() else []
        text = module.string(node, call.spot) if made and all(obj.type == "spark.BatchWriter" for obj in made) else ""
        if text and text.lower() not in _MODES:
            message = (
                f"the write fails: there is no save mode {text}; it is append, overwrite, ignore or error"
                f"{' (rows are updated by MERGE, or by what the target offers)' if text.lower() in ('update', 'upsert', 'merge') else ''}"
            )
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
