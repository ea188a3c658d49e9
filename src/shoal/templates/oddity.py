"""Something the reader saw go wrong in the format itself: a dropped line, a duplicate key, a malformed block."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Fix
from shoal.templates.common import CONDITION, ENGINE, TEXT, TEXTS, holds

PARAMETERS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kinds", "message"],
    "properties": {
        "kinds": TEXTS,
        "engine": ENGINE,
        "unless": TEXT,
        "forms": TEXTS,
        "when": {"type": "array", "items": CONDITION},
        "message": TEXT,
        "fix": TEXT,
        "safety": {"enum": ["safe", "unsafe"]},
    },
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Fires on each oddity of the `kinds`, in blocks of the `forms` and `engine` for which `when` holds. `unless`: a pattern of subjects to leave alone.

    Message fields: {subject} {detail} {form}."""
    parameters = context.parameters
    kinds, forms = set(parameters["kinds"]), set(parameters.get("forms", ()))
    for oddity in job.oddities:
        block = job.blocks.get(oddity.block)
        if "unless" in parameters and re.match(parameters["unless"], oddity.subject):
            continue
        if oddity.kind not in kinds or (forms and (block is None or block.form not in forms)):
            continue
        if "engine" in parameters and (block is None or block.engine != parameters["engine"]):
            continue
        conditions = parameters.get("when", ())
        if conditions and (block is None or not all(holds(job, block, condition) for condition in conditions)):
            continue
        message = parameters["message"].format(
            subject=oddity.subject, detail=oddity.detail, form=block.form if block else "", name=block.name if block else ""
        )
        fixes = [Fix(parameters.get("fix", "apply the correction"), parameters.get("safety", "safe"), oddity.edits)] if oddity.edits else []
        yield context.finding(message, oddity, related=oddity.related, fixes=fixes)
