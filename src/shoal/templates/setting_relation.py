"""Two settings contradict each other: `left` must be in `relation` to `right` (times `factor`), and is not."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, TYPES, Measure, blocks, limit, lookup, measure, overridden, say, schema
from shoal.values import Bad

_SIDE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["key"],
    "properties": {"key": TEXT, "default": {"type": ["string", "number"]}, "type": TYPES},
}
PARAMETERS = schema(
    ["type", "left", "right", "relation", "message"],
    type=TYPES,
    left=_SIDE,
    right=_SIDE,
    relation={"enum": ["<", "<=", ">", ">="]},
    factor={"type": "number", "exclusiveMinimum": 0},
    explicit={"enum": ["either", "left", "right", "both"]},
    at={"enum": ["left", "right"]},
    exempt=TEXTS,
    message=TEXT,
)
_RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A side that is not set counts with its `default`; without one the relation is not judged. `explicit` says which sides must be written."""
    parameters = context.parameters
    engine = parameters["engine"]
    compare = _RELATIONS[parameters["relation"]]
    explicit = parameters.get("explicit", "either")
    exempt = {value.lower() for value in parameters.get("exempt", ())}
    for block in blocks(job, context):
        left, left_value = _side(job, block, engine, parameters["left"], parameters["type"])
        right, right_value = _side(job, block, engine, parameters["right"], parameters["type"])
        if left_value is None or right_value is None:
            continue
        if any(side and overridden(job, parameters[name]["key"], side) for name, side in (("left", left), ("right", right))):
            continue  # what is in force is judged where it stands
        if left and right and _of_other_program(job, engine, left, right):
            continue
        written = {"either": left or right, "left": left, "right": right, "both": left and right}[explicit]
        if not written or any(side and side.text.strip().lower() in exempt for side in (left, right)):
            continue
        bound: Any = right_value
        if factor := parameters.get("factor"):
            bound = type(right_value)(int(right_value[0] * factor)) if isinstance(right_value, tuple) else right_value * factor
        if compare(left_value, bound):
            continue
        first, second = (right, left) if parameters.get("at") == "right" and right else (left, right)
        if first is None:
            first, second = second, None
        assert first is not None
        message = say(
            parameters["message"],
            job,
            block,
            first,
            left=left_value,
            right=right_value,
            bound=bound,
            left_key=left.key if left else parameters["left"]["key"],
            right_key=right.key if right else parameters["right"]["key"],
            left_origin="" if left else " (the default)",
            right_origin="" if right else " (the default)",
        )
        yield context.finding(message, first, related=[(second, "the other side")] if second else [])


def _of_other_program(job: Job, engine: str, left: Setting, right: Setting) -> bool:
    """Whether the two stand in different programs, of which one says both: another that it takes something from is not asked then."""
    if left.path == right.path or any(job.blocks[side.block].form not in ("python", "java") for side in (left, right)):
        return False
    return any(setting.path == other.path for one, other in ((left, right), (right, left)) for setting in job.anywhere(engine, one.key))


def _side(job: Job, block: Block, engine: str, side: dict[str, Any], type_name: str) -> tuple[Setting | None, Measure | None]:
    """The setting and its value; (None, default) when unset, (setting, None) when the value cannot be known or is ill-typed."""
    type_name = side.get("type", type_name)
    found = lookup(job, block, side["key"])
    if found is None:
        absent = side.get("default")
        return None, None if absent is None or block.open else limit(engine, type_name, absent)
    value = measure(engine, type_name, found.text) if found.known else None
    return found, None if isinstance(value, Bad) else value
