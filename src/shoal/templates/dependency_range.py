"""A pinned version that is known to be bad: `name` (as `readers.versions` names engines and libraries) within `versions`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, fits, pins

PARAMETERS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "versions", "message"],
    "properties": {"name": TEXT, "versions": TEXT, "message": TEXT},
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only exact pins are judged. Message fields: {name} {version}."""
    parameters = context.parameters
    for dependency, version in pins(job, parameters["name"]):
        if fits(version, parameters["versions"]):
            yield context.finding(parameters["message"].format(name=dependency.name, version=version.text), dependency)
