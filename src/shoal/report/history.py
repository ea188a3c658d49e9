"""What earlier audits counted: one JSON line a run, in a file that each run adds its own to."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from shoal.files import read_bytes, write_bytes
from shoal.report import Past, Run

_MAX_BYTES = 50_000_000


def read(file: str) -> tuple[Past, ...]:
    """The runs of a history, the oldest first; none where there is no such file yet. Raises OSError, and ValueError for a file that is none."""
    if not os.path.lexists(file):
        return ()
    try:
        return tuple(_past(json.loads(line)) for line in read_bytes(file, _MAX_BYTES).decode("utf-8").splitlines() if line.strip())
    except (KeyError, TypeError, RecursionError, ValueError) as error:
        raise ValueError(f"{file} is not a history of shoal") from error


def _past(entry: Any) -> Past:
    when = datetime.fromisoformat(str(entry["time"]).replace("Z", "+00:00")).astimezone(timezone.utc)
    counts = [int(entry[name]) for name in ("errors", "warnings", "notes", "files")]
    if min(counts) < 0:
        raise ValueError("a count is negative")
    return Past(when.strftime("%Y-%m-%dT%H:%M:%SZ"), *counts)


def of(run: Run) -> Past:
    """This run, as the history keeps it."""
    return now(Counter(finding.severity for finding in run.open), run.files)


def now(counts: Mapping[str, int], files: int) -> Past:
    """A run that ends now, with so many open findings of each severity."""
    time = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Past(time, counts.get("error", 0), counts.get("warning", 0), counts.get("info", 0), files)


def write(file: str, runs: tuple[Past, ...]) -> None:
    """Replace a history. Raises OSError."""
    text = "".join(json.dumps(past._asdict()) + "\n" for past in runs)
    write_bytes(file, text.encode(), os.stat(file) if os.path.exists(file) else None)
