"""A pinned version that is known to be bad: `name` (as `readers.versions` names engines and libraries) within `versions`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, Version, numbers
from shoal.model import Finding
from shoal.templates.common import TEXT, fits

PARAMETERS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "versions", "message"],
    "properties": {"name": TEXT, "versions": TEXT, "message": TEXT},
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only exact pins are judged. Message fields: {name} {version}."""
    from shoal.readers.versions import engine_versions

    parameters = context.parameters
    for dependency in job.dependencies:
        if not dependency.exact:
            continue
        for name, text in engine_versions(dependency):
            parts = numbers(text)
            if name == parameters["name"] and parts and fits(Version(parts, dependency), parameters["versions"]):
                yield context.finding(parameters["message"].format(name=dependency.name, version=text), dependency)
