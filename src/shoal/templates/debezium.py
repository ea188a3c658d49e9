"""What rules ask of Debezium's connectors that read one server."""

from __future__ import annotations

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.templates.common import verbatim
from shoal.templates.kafka import names_file

# A server by its name or address, as far as it stands there.
HOST = pattern(r"[A-Za-z0-9](?:[\w.:-]*[A-Za-z0-9])?")
# … or by what a worker looks up: `${file:/mnt/credentials.properties:host}`, which is one server wherever it is written for that worker.
_REFERENCE = pattern(r"\$\{[\w-]+:[^${}]+\}")


def told(setting: Setting | None) -> str:
    """A server, or a port, as far as it is told: by itself, or by a reference that workers look up; empty where it is not."""
    if setting is None:
        return ""
    if setting.known:
        return verbatim(setting) if HOST.fullmatch(verbatim(setting)) else ""
    return setting.text.strip() if _REFERENCE.fullmatch(setting.text.strip()) else ""


def both_run(job: Job, one: Block, two: Block, apart: bool) -> str | None:
    """How sure it is that two connectors of a folder both run: its files may be variants, of which one is taken.

    `apart` is whether they read different tables. None where they read the same in files that nothing brings together.
    """
    if one.place.path == two.place.path:
        return "high" if one.form == "manifest" else ""
    if _posters(job, one) & _posters(job, two):
        return ""
    if one.form == two.form == "manifest" and one.trait("cluster") == two.trait("cluster"):
        return "" if apart else "low"
    return "low" if apart else None


def _posters(job: Job, block: Block) -> set[str]:
    """The scripts that post a connector's file."""
    return {usage.place.path for usage in job.usages("file-posted") if names_file(usage.detail, block.place.path)}
