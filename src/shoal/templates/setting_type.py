"""A value that the option's type does not accept, by the catalogue's type and the engine's own grammar."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Fix
from shoal.templates.common import TEXT, TEXTS, blocks, say, schema, stands_in
from shoal.values import Bad

PARAMETERS = schema(["types", "message"], types=TEXTS, catalogue=TEXT, exempt=TEXTS, message=TEXT)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """`types`: catalogue type words the rule is about. The message may use {why}; `exempt` values are never reported. A certain correction is a safe fix."""
    from importlib import import_module

    parameters = context.parameters
    engine = parameters["engine"]
    options = catalogue.load(parameters.get("catalogue", engine))
    grammar = import_module(f"shoal.values.{engine}")
    types = set(parameters["types"])
    exempt = {value.lower() for value in parameters.get("exempt", ())}
    for block in blocks(job, context):
        version = job.version(engine, block)
        at = (version.parts[:2],) if version and engine == "flink" and len(version.parts) > 1 else ()
        for setting in job.of(block):
            if not setting.known or _quoted(setting.text) or setting.text.strip().lower() in exempt:
                continue  # quotes that the engine takes for part of the value are another rule's business
            option = options.option(setting.key, version.minor if version else None)
            if option is None or option.prefix or option.type.partition("<")[0] not in types:
                continue
            value = grammar.parse(option.type, setting.text, option.values, *at)
            if not isinstance(value, Bad) or (not option.values and stands_in(setting.text)):
                continue
            fixes: list[Fix] = []
            if value.suggestion is not None:
                fixes.append(context.replace(setting, value.suggestion, f"write {value.suggestion}", "safe"))
            yield context.finding(
                say(parameters["message"], job, block, setting, why=value.why, allowed=", ".join(option.values)), setting, fixes=fixes
            )


def _quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
