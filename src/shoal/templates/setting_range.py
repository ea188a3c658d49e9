"""A setting's value lies outside what works: `levels` name thresholds, the first one that the value crosses speaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, TYPES, limit, measure, reasons, say, schema, subjects, unseen
from shoal.values import Bad

_BOUND = {"type": ["string", "number"]}
PARAMETERS = schema(
    ["keys", "type", "levels", "message"],
    keys=TEXTS,
    type=TYPES,
    levels={
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "below": _BOUND,
                "above": _BOUND,
                "at-least": _BOUND,
                "at-most": _BOUND,
                "option": TEXT,
                "severity": {"enum": ["error", "warning", "info"]},
                "confidence": {"enum": ["high", "medium", "low"]},
                "message": TEXT,
            },
        },
    },
    message=TEXT,
    exempt=TEXTS,
    replace=TEXT,
    safety={"enum": ["safe", "unsafe"]},
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """`below` and `above` are strict, `at-least` and `at-most` include the bound; `option` names the rule option that replaces it.

    All bounds of one level must hold. `exempt`: values (case ignored) that are never reported.
    `replace`: the value that a fix writes instead.
    """
    parameters = context.parameters
    engine, type_name = parameters["engine"], parameters["type"]
    exempt = {value.lower() for value in parameters.get("exempt", ())}
    for block, setting in subjects(job, context):
        value: Any = measure(engine, type_name, setting.text)
        if isinstance(value, Bad) or setting.text.strip().lower() in exempt:
            continue  # an ill-typed value is another rule's business
        for level in parameters["levels"]:
            bounds: dict[str, Any] = {
                name: limit(engine, type_name, context.options[level["option"]] if "option" in level else level[name])
                for name in ("below", "above", "at-least", "at-most")
                if name in level
            }
            crossed = (
                ("below" not in bounds or value < bounds["below"])
                and ("above" not in bounds or value > bounds["above"])
                and ("at-least" not in bounds or value >= bounds["at-least"])
                and ("at-most" not in bounds or value <= bounds["at-most"])
            )
            if crossed:
                message = say(
                    level.get("message", parameters["message"]), job, block, setting, human=value, limit=next(iter(bounds.values()), "")
                )
                fixes = []
                if good := parameters.get("replace"):
                    fixes.append(context.replace(setting, good, f"set {setting.key} to {good}", parameters.get("safety", "unsafe")))
                related = [other for other in reasons(job, block, context) if other != setting]
                confidence = level.get("confidence", "") or ("medium" if unseen(job, block, context) else "")
                yield context.finding(message, setting, related, level.get("severity", ""), confidence, fixes)
                break
