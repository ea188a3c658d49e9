"""A job as plain data: its files and why each belongs, its engine and version, and what is in force with where that comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.facts import Setting
from shoal.job import Job, spellings
from shoal.jobs.effective import origin
from shoal.jobs.outside import service
from shoal.records import NamedTuple

ENGINES = ("flink", "spark", "beam")
LineOf = Callable[[str, int], int]


class InForce(NamedTuple):
    """An option with the setting in force first, and those that it wins over."""

    key: str
    settings: tuple[Setting, ...]


def engines(job: Job) -> list[str]:
    """The engines a job runs on, the code's first."""
    first = [block.engine for block in job.blocks.values() if block.engine in ENGINES and origin(block) is not None]
    return list(dict.fromkeys(first))


def in_force(job: Job, engine: str) -> list[InForce]:
    """Every option that is set for the whole job, by its newest name."""
    keys: dict[str, str] = {}
    fields = ("spec.", "--") if engine == "flink" else ("spec.", "job.", "pipeline.")
    for setting in job.settings:
        block = job.blocks.get(setting.block)
        if setting.engine == engine and block is not None and origin(block) is not None and not setting.key.startswith(fields):
            keys.setdefault(spellings(engine, setting.key)[0], setting.key)
    found = [InForce(primary, tuple(_distinct(job, job.origins(engine, key)))) for primary, key in sorted(keys.items())]
    return [one for one in found if one.settings]


def _distinct(job: Job, settings: list[Setting]) -> list[Setting]:
    """Without the copies that services of one file carry of one value."""
    kept: dict[tuple[str, str, str], Setting] = {}
    for setting in settings:
        kept.setdefault((setting.path, setting.text.strip(), word(job, setting)), setting)
    return list(kept.values())


def word(job: Job, setting: Setting) -> str:
    """Where a setting comes from, in a word or two."""
    source = origin(job.blocks[setting.block])
    return source.word if source else ""


def described(job: Job, line_of: LineOf) -> dict[str, Any]:
    """The job as JSON-able data. `line_of(path, offset)` gives 1-based lines."""
    shown = []
    for engine in engines(job):
        version = job.version(engine)
        shown.append(
            {
                "engine": engine,
                "version": version.text if version else "",
                "version_from": _where(version.source.place.path, version.source.place.span.start, line_of) if version else None,
                "settings": [_setting(job, one, line_of) for one in in_force(job, engine)],
            }
        )
    return {
        "name": job.name,
        "kind": job.kind,
        "environment": job.environment,
        "managed_by": job.outside,
        "service_brings": service(job.outside).brings,
        "files": [{"path": member.path, "why": member.why} for member in job.members],
        "engines": shown,
    }


def _setting(job: Job, one: InForce, line_of: LineOf) -> dict[str, Any]:
    first, *rest = (
        {
            "key": setting.key,
            "value": setting.text.strip(),
            "known": setting.known,
            **_where(setting.path, setting.key_span.start, line_of),
            "origin": word(job, setting),
        }
        for setting in one.settings
    )
    return {"option": one.key, **first, "overrides": rest}


def _where(path: str, offset: int, line_of: LineOf) -> dict[str, Any]:
    return {"path": path, "line": line_of(path, offset)}
