"""Settings that a block needs, given its other settings, are missing. Reported at the setting that needs them, else at the block."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, blocks, lookup, reasons, say, schema

PARAMETERS = schema(["missing", "message"], missing=TEXTS, at=TEXTS, message=TEXT)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Fires when none of `missing` is set in the block, those around it, or its command line. `at`: keys to report at, the first that is set.

    An open block (template, include) proves no absence: nothing is reported there.
    """
    parameters = context.parameters
    for block in blocks(job, context):
        if block.open or any(lookup(job, block, key) for key in parameters["missing"]):
            continue
        where: Block | Setting = block
        for key in parameters.get("at", ()):
            if found := lookup(job, block, key):
                where = found
                break
        setting = where if isinstance(where, Setting) else None
        related = [other for other in reasons(job, block, context) if other != where]
        yield context.finding(say(parameters["message"], job, block, setting), where, related)
