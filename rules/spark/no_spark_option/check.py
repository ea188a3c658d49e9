"""Options of Spark without their prefix, and other engines' options, in spark-defaults.conf and behind `--conf`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Edit, Finding, Fix, Place, Span


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only names that mean something to Spark or Flink, in files that nobody but Spark reads: others may be somebody's own business."""
    blocks = job.select("spark", ("defaults", "submit"))
    written = {setting.key for block in blocks for setting in job.of(block)}
    dropped = [
        (oddity.subject, oddity.place)
        for oddity in job.oddities
        if oddity.kind == "non-spark-property" and "spark-defaults" in oddity.place.path.rpartition("/")[2]
    ]
    for block in blocks:
        if block.role == "submit":
            dropped += [(setting.key, setting.key_place()) for setting in job.of(block)]
    for key, place in dropped:
        if "." not in key or key.startswith(("spark.", "spec.", "--", "$")):
            continue
        meant = f"spark.{key}"
        option, other = catalogue.load("spark").option(meant), catalogue.load("flink").option(key)
        fixes: list[Fix] = []
        if option is not None and not option.prefix:
            why = f"{meant} is the option"
            if meant not in written and place.span.end - place.span.start >= len(key):
                start = Span(place.span.start, place.span.start)
                fixes = [Fix(f"write {meant}", "unsafe", (Edit(place.path, start, "spark."),))]
        elif other is not None and not other.prefix:
            why = "it is an option of Flink"
        else:
            continue
        message = f"spark-submit leaves out `{key}`, which does not begin with spark.; {why}"
        yield context.finding(message, Place(place.path, place.span, label=key), fixes=fixes)
