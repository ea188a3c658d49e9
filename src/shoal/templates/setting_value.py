"""A setting has a value that is known to be wrong: one of `values`, or none of `allowed`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, reasons, say, schema, subjects

PARAMETERS = schema(
    ["keys", "message"],
    keys=TEXTS,
    values=TEXTS,
    allowed=TEXTS,
    pattern=TEXT,
    message=TEXT,
    replace={"type": "object", "additionalProperties": TEXT},
    safety={"enum": ["safe", "unsafe"]},
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Values compare without case or outer blanks. `pattern` must match the whole value. `replace` maps a bad value to a good one."""
    parameters = context.parameters
    values = {value.lower() for value in parameters.get("values", ())}
    allowed = {value.lower() for value in parameters.get("allowed", ())}
    pattern = re.compile(parameters["pattern"], re.IGNORECASE) if "pattern" in parameters else None
    replacements = {bad.lower(): good for bad, good in parameters.get("replace", {}).items()}
    for block, setting in subjects(job, context):
        value = setting.text.strip()
        folded = value.lower()
        if not (folded in values or (allowed and folded not in allowed) or (pattern and pattern.fullmatch(value))):
            continue
        fixes = []
        if folded in replacements:
            good = replacements[folded]
            fixes.append(context.replace(setting, good, f"set {setting.key} to {good}", parameters.get("safety", "unsafe")))
        related = [other for other in reasons(job, block, context) if other != setting]
        yield context.finding(say(parameters["message"], job, block, setting), setting, related, fixes=fixes)
