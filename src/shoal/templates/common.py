"""What the templates share: which settings a rule speaks of, when it applies, and how values are measured and said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.facts import Block, Dependency, Setting
from shoal.job import Job, Version, numbers
from shoal.lazy import pattern
from shoal.values import Bad, Duration, MemorySize

Measure = Duration | MemorySize | int | float

_STANDS_IN = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|@[A-Za-z][\w.-]*@|__[A-Za-z]\w*__")

TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT, "minItems": 1}
TYPES = {"enum": ["duration", "ms", "seconds", "memory", "int", "float"]}

CONDITION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "key": TEXT,
        "any-key": TEXTS,
        "is": TEXTS,
        "not": TEXTS,
        "set": {"type": "boolean"},
        "unset-or": TEXTS,
        "unless": TEXTS,
        "trait": TEXT,
        "version": {"type": "object", "additionalProperties": TEXT, "minProperties": 1, "maxProperties": 1},
        "unless-version": {"type": "object", "additionalProperties": TEXT, "minProperties": 1, "maxProperties": 1},
    },
    "minProperties": 1,
}
# What a block may be of: a name that none has would select nothing, and say so to nobody.
ENGINE: dict[str, Any] = {"enum": ["flink", "flink-cdc", "spark", "kafka", "kafka-connect", "kafka-mirror", "beam", "kubernetes"]}
# Which blocks a rule looks at: `engine`, and optionally their roles, forms and conditions that must all hold.
SCOPE: dict[str, Any] = {
    "engine": ENGINE,
    "roles": TEXTS,
    "forms": TEXTS,
    "when": {"type": "array", "items": CONDITION},
}


def schema(required: list[str], **properties: Any) -> dict[str, Any]:
    """The PARAMETERS of a template: the common scope and its own properties."""
    return {"type": "object", "additionalProperties": False, "required": ["engine", *required], "properties": {**SCOPE, **properties}}


def blocks(job: Job, context: Context) -> Iterator[Block]:
    """Blocks the rule applies to. A condition that hangs on an unknown value does not hold."""
    parameters = context.parameters
    for block in job.select(parameters["engine"], parameters.get("roles", ()), parameters.get("forms", ())):
        if all(holds(job, block, condition) for condition in parameters.get("when", ())):
            yield block


def holds(job: Job, block: Block, condition: dict[str, Any]) -> bool:
    """Whether one `when:` condition surely holds for a block."""
    if "version" in condition or "unless-version" in condition:
        (name, specifier), *_ = (condition.get("version") or condition["unless-version"]).items()
        matches = fits(job.version(name, block), specifier)
        return matches if "version" in condition else not matches
    if "trait" in condition:
        value = block.trait(condition["trait"])
        return _compares(value or None, condition)
    if "any-key" in condition:
        return any(lookup(job, block, key) for key in condition["any-key"])
    found = lookup(job, block, condition["key"])
    if "set" in condition:
        # absence in an open block (a template, an include) is not proven
        return found is not None if condition["set"] else found is None and not block.open
    if "unset-or" in condition and found is None:
        return not block.open
    if "unless" in condition:  # where the value cannot be seen, one of these would be at odds with what the other conditions ask for
        return found is None or not found.known or text(found) not in {word.lower() for word in condition["unless"]}
    if found is None or not found.known or found.sure == "branch":  # a program that knows several modes may be run in another one
        return False
    return _compares(found.text, condition)


def reasons(job: Job, block: Block, context: Context) -> list[Setting]:
    """The settings that made the rule's `when:` conditions hold: the other places of a finding."""
    found = [lookup(job, block, condition["key"]) for condition in context.parameters.get("when", ()) if "key" in condition]
    return [setting for setting in found if setting is not None]


def unseen(job: Job, block: Block, context: Context) -> bool:
    """Whether an `unless:` condition holds for a block because what cannot be seen of it does not speak against it: a finding is less sure then."""
    conditions = [condition for condition in context.parameters.get("when", ()) if "unless" in condition]
    return block.open and any(not verbatim(lookup(job, block, condition["key"])) for condition in conditions)


def lookup(job: Job, block: Block, key: str) -> Setting | None:
    """The setting in effect for a block: on its own command line (`-Dkey=value`), in it, or in the blocks it stands in."""
    for child in job.children(block):
        if child.role == "command" and child.engine == block.engine and (found := job.get(child, key)):
            return found
    return job.effective(block, key)


def verbatim(setting: Setting | None) -> str:
    """A known value without the space around it; empty for none or an unknown one."""
    return setting.text.strip() if setting is not None and setting.known else ""


def text(setting: Setting | None) -> str:
    """The same, folded to lower case."""
    return verbatim(setting).lower()


def _compares(value: str | None, condition: dict[str, Any]) -> bool:
    folded = value.strip().lower() if value is not None else None
    if "is" in condition or "unset-or" in condition:
        return folded in {word.lower() for word in condition.get("is") or condition["unset-or"]}
    if "not" in condition:
        return folded is not None and folded not in {word.lower() for word in condition["not"]}
    return folded is not None


def fits(version: Version | None, specifier: str) -> bool:
    """Whether a version surely satisfies `>=2.0`, `<1.19`, or several of these joined by commas; an unknown one does not."""
    if version is None:
        return False
    for part in specifier.split(","):
        part = part.strip()
        if part.startswith(">="):
            if not version.at_least(part[2:].strip()):
                return False
        elif part.startswith("<"):
            if not version.below(part[1:].strip()):
                return False
        elif numbers(part.lstrip("= "))[: len(version.parts)] != version.parts[: len(numbers(part.lstrip("= ")))]:
            return False
    return True


def pins(job: Job, *names: str) -> Iterator[tuple[Dependency, Version]]:
    """The exact pins of engines and libraries, named as `readers.versions` names them; each once in a file, where a download line names a jar twice."""
    from shoal.readers.versions import engine_versions

    seen = set()
    for dependency in job.dependencies:
        for name, text in engine_versions(dependency) if dependency.exact else ():
            mark = (dependency.place.path, dependency.name, text)
            if name in names and mark not in seen and (parts := numbers(text)):
                seen.add(mark)
                yield dependency, Version(parts, dependency)


def subjects(job: Job, context: Context) -> Iterator[tuple[Block, Setting]]:
    """The settings the rule speaks of: `keys`, each under whichever spelling the engine would use, with a known value."""
    for block in blocks(job, context):
        for key in context.parameters["keys"]:
            found = job.get(block, key)
            if found and found.known and not overridden(job, key, found):
                yield block, found


def overridden(job: Job, key: str, setting: Setting) -> bool:
    """Whether another setting of the same option is surely in force for the whole job."""
    if job.kind != "job":
        return False
    first = next(iter(job.origins(setting.engine, key)), None)
    return first is not None and first.block != setting.block and first.sure == "sure"


def stands_in(text: str) -> bool:
    """Whether a script writes the value here before the file is read: `SPARK_UI_PORT`, `@ui.port@`. Of words of an enumeration ask somebody else."""
    return _STANDS_IN.fullmatch(text.strip()) is not None


def measure(engine: str, type_name: str, text: str) -> Measure | Bad:
    """A value as something that can be compared: durations and sizes by the engine's own grammar, `ms` and `seconds` as plain integers."""
    if type_name in ("ms", "seconds", "int"):
        try:
            number = int(text.strip())
        except ValueError:
            return Bad("not an integer", None)
        return number if type_name == "int" else Duration(number * (1_000_000 if type_name == "ms" else 1_000_000_000))
    if type_name == "float":
        try:
            return float(text.strip())
        except ValueError:
            return Bad("not a number", None)
    if engine == "spark":
        from shoal.values import spark

        return spark.parse_time(text) if type_name == "duration" else spark.parse_bytes(text)
    from shoal.values import flink

    return flink.parse_duration(text) if type_name == "duration" else flink.parse_memory(text)


def limit(engine: str, type_name: str, value: Any) -> Measure:
    """A threshold from a rule.yaml or option; those are written in the same grammar, so a bad one is a mistake in the rule."""
    if type_name in ("ms", "seconds") and isinstance(value, str):
        found = measure("flink", "duration", value)
    else:
        found = measure(engine, type_name, str(value))
    if isinstance(found, Bad):
        raise ValueError(f"threshold {value!r} is not a {type_name}: {found.why}")
    return found


def say(template: str, job: Job, block: Block, setting: Setting | None = None, **extra: Any) -> str:
    """A rule's message with its values filled in. Fields: {key} {value} {human} {name} {form} and whatever the template adds."""
    fields: dict[str, Any] = {"name": block.name or block.form, "form": block.form, "role": block.role}
    if setting:
        value = setting.text.strip()
        fields |= {"key": setting.key, "value": value if len(value) <= 120 else value[:119] + "…"}
    return template.format_map(fields | extra)
