"""Requests and limits of containers that Kubernetes cannot read, or reads as next to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

# `2g`, `512MB`, `1 gib`: by 1024, as the JVM, Flink, Spark and Docker count.
_MEANT = pattern(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(?:i?b)?\s*", re.IGNORECASE)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        text, detail = oddity.subject, oddity.detail
        if oddity.kind == "no-quantity":
            found = _MEANT.fullmatch(text) if detail != "cpu" else None
            meant = f"it would be {found[1]}{found[2].upper()}i" if found else "units are m, k, M, G, Ki, Mi, Gi"
            yield context.finding(f"Kubernetes does not take {text!r} for a quantity, and no pod comes of it: {meant}", oddity)
        elif oddity.kind == "tiny-quantity":
            much = f"{detail} bytes" if float(detail) >= 1 else f"{detail} of a byte: `m` stands for thousandths"
            yield context.finding(f"to Kubernetes, {text} of memory are {much}", oddity, confidence="medium")
