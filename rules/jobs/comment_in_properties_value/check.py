"""A comment after the value of a properties file, whose format has comments on lines of their own only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Edit, Finding, Fix, Place, Span
from shoal.templates.option_value import refusal
from shoal.templates.options import reader_of
from shoal.values import Bad

# A number, a boolean or one word, and words behind a `#`.
_COMMENTED = pattern(r"([\w.\-]+)([ \t]+)(#+[ \t]+[^\r\n]*[^\W\d_]{2}[^\r\n]*)")
# Any text may stand in these.
_FREE = pattern(
    r"passw|secret|token|credential|jaas|regex|pattern|replac|expression|condition|filter|query|sql|statement|"
    r"descri|comment|title|label|header|message|text|display|format|delim|separator|java-?options|\.opts|\burl|\buri",
    re.IGNORECASE,
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select(forms=("properties",)):
        for setting in job.of(block):
            found = _COMMENTED.fullmatch(setting.text) if setting.known and "#" in setting.text else None
            start, end = setting.value_span
            # escapes and lines that go on: the value is not what stands in the file
            if found is None or end - start != len(setting.text) or _FREE.search(setting.key) or _refused(job, block, setting):
                continue
            value = found[1]
            message = f"in properties this is no comment but a part of the value: {setting.key} is not `{value}`"
            fix = Fix("delete the comment", "unsafe", (Edit(setting.path, Span(start + len(value), end), ""),))
            at = Place(setting.path, Span(start + found.start(3), end))
            yield context.finding(message, at, fixes=[fix], covers=[setting])


def _refused(job: Job, block: Block, setting: Setting) -> bool:
    """Whether a rule about the option's values says that this one is refused."""
    if block.engine in ("spark", "flink"):
        from importlib import import_module

        option = catalogue.load(block.engine).option(setting.key)
        grammar = import_module(f"shoal.values.{block.engine}")
        return option is not None and not option.prefix and isinstance(grammar.parse(option.type, setting.text, option.values), Bad)
    reader = reader_of(job, block)
    option = reader.option(setting.key, reader.at) if reader is not None else None
    return reader is not None and option is not None and not option.prefix and refusal(block, reader, option, setting.text) is not None
