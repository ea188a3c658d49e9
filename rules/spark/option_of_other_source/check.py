"""Options of Kafka's source, of Delta's and of Auto Loader on a streaming source that surely has none of them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_KAFKA = frozenset(
    {
        "startingoffsets",
        "startingoffsetsbytimestamp",
        "endingoffsets",
        "subscribe",
        "subscribepattern",
        "maxoffsetspertrigger",
        "minoffsetspertrigger",
    }
)
_DELTA = frozenset({"ignorechanges", "ignoredeletes", "skipchangecommits", "readchangefeed", "readchangedata", "startingversion"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader",)):
        form = block.trait("format")
        if form not in spark.FILES and form != "delta":
            continue
        for setting in job.of(block):
            owner = _owner(setting.key.lower(), form)
            if owner:
                message = f"{setting.key} has no effect: only {owner} reads it, and this is a stream of {'a Delta table' if form == 'delta' else 'files'}"
                yield context.finding(message, setting.key_place(), covers=[setting])


def _owner(key: str, form: str) -> str:
    """Whose option it is, if not this source's; `failOnDataLoss` is Delta's as well."""
    if key.startswith("cloudfiles."):
        return 'Auto Loader (`.format("cloudFiles")`)'
    if key in _KAFKA or key.startswith("kafka.") or (key == "failondataloss" and form != "delta"):
        return "the source of Kafka"
    return "the source of Delta" if key in _DELTA and form != "delta" else ""
