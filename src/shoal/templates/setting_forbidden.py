"""A setting stands where it must not: it is rejected, ignored or dangerous there, whatever its value."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, blocks, reasons, say, schema

PARAMETERS = schema(["message"], keys=TEXTS, prefixes=TEXTS, except_values=TEXTS, message=TEXT)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Fires on each of `keys` (any spelling) and each key that starts with one of `prefixes`, unless its value is in `except_values`."""
    parameters = context.parameters
    spared = {value.lower() for value in parameters.get("except_values", ())}
    prefixes = tuple(parameters.get("prefixes", ()))
    for block in blocks(job, context):
        found: list[Setting] = [setting for key in parameters.get("keys", ()) if (setting := job.get(block, key))]
        if prefixes:
            found += [setting for setting in job.of(block) if setting.key.startswith(prefixes)]
        for setting in found:
            if setting.text.strip().lower() not in spared and (setting.known or not spared):
                related = [other for other in reasons(job, block, context) if other != setting]
                yield context.finding(say(parameters["message"], job, block, setting), setting, related)
