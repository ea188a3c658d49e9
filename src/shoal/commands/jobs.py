"""`shoal jobs`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from shoal.cli import CLEAN, PROBLEMS
from shoal.commands import common
from shoal.host import Outcome, Request, Texts, check
from shoal.job import Job
from shoal.jobs.describe import described
from shoal.jobs.find import jobs_of
from shoal.report.layout import relative, visible
from shoal.text import Lines


def run(arguments: argparse.Namespace) -> int:
    """Print every job that is found below the paths; findings do not change the exit code."""
    where = common.project(arguments, tuple(arguments.paths))
    if where.problems:
        common.complain(where.problems, where.prefix)
        return PROBLEMS
    request = Request(
        tuple(arguments.paths or ["."]), where.root, where.settings, where.rulebook, None, arguments.jobs, not arguments.no_cache
    )
    outcome = check(request)
    jobs = [job for job in _jobs(request, outcome) if any(path in outcome.asked for path in job.paths)]
    if arguments.graph:
        from shoal.jobs.graph import mermaid

        sys.stdout.write(mermaid(jobs, outcome.findings))
    else:
        lines = _Line(Texts(request))
        data = [described(job, lines) for job in jobs]
        sys.stdout.write(
            json.dumps({"jobs": data}, indent=2, ensure_ascii=False) + "\n" if arguments.format == "json" else text(data, where.prefix)
        )
    common.complain(outcome.problems, where.prefix)
    return PROBLEMS if outcome.problems else CLEAN


def _jobs(request: Request, outcome: Outcome) -> list[Job]:
    """Jobs, and the clusters that no job runs on as far as can be seen."""
    return [job for job in jobs_of(outcome.results.values(), request.settings, outcome.paths) if job.kind in ("job", "cluster")]


class _Line:
    """Lines of offsets, each file's text read once."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._lines: dict[str, Lines] = {}

    def __call__(self, path: str, offset: int) -> int:
        if path not in self._lines:
            self._lines[path] = Lines(self._texts[path])
        return self._lines[path].line(offset)


def text(jobs: list[dict[str, Any]], prefix: str) -> str:
    """The jobs for people."""
    if not jobs:
        return "no jobs found\n"
    parts = []
    for job in jobs:
        lines = [_title(job, prefix)]
        width = max(len(_shown(file["path"], prefix)) for file in job["files"])
        lines += [f"    {_shown(file['path'], prefix):<{min(width, 60)}}  {file['why']}" for file in job["files"]]
        if job["service_brings"]:
            lines.append(f"  {job['managed_by']} brings {job['service_brings']}")
        for engine in job["engines"]:
            if engine["version"]:
                at = engine["version_from"]
                lines.append(
                    f"  {engine['engine'].capitalize()} {visible(engine['version'])}, says {_shown(at['path'], prefix)}:{at['line']}"
                )
            for setting in engine["settings"]:
                lines.append(
                    f"    {visible(setting['option'])} = {_value(setting)}  ({setting['origin']}, {_shown(setting['path'], prefix)}:{setting['line']})"
                )
                for other in setting["overrides"]:
                    verb = "as in" if other["value"] == setting["value"] else f"wins over {_value(other)} of"
                    lines.append(f"        {verb} {_shown(other['path'], prefix)}:{other['line']} ({other['origin']})")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + f"\n\n{len(jobs)} job{'s' if len(jobs) != 1 else ''}\n"


def _title(job: dict[str, Any], prefix: str) -> str:
    title = visible(relative(job["name"], prefix))
    notes = [
        "cluster, no job of it seen" if job["kind"] == "cluster" else "",
        f"environment {visible(job['environment'])}" if job["environment"] else "",
    ]
    notes.append(f"run by {job['managed_by']}" if job["managed_by"] else "")
    shown = "; ".join(note for note in notes if note)
    return f"{title} ({shown})" if shown else title


def _value(setting: dict[str, Any]) -> str:
    value = visible(setting["value"])
    value = value if len(value) <= 80 else value[:77] + "..."
    return value if setting["known"] else f"{value} (not known here)"


def _shown(path: str, prefix: str) -> str:
    return visible(relative(path, prefix))
