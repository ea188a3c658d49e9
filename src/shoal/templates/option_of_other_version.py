"""A key that other versions know and the pinned one does not: removed before it, or added later."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.classify import PROGRAMS
from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job, numbers
from shoal.model import Edit, Finding, Fix, Span
from shoal.templates.common import TEXT, TEXTS, blocks, schema
from shoal.templates.options import PURE_PYTHON, Reader, judged, reader_of, renamable, whole

# `harmless`: values with which nothing is lost, since it is what happens without the option.
# `long-gone`: the message, of low confidence, where no version is known and the option went before it; it may use {key} and {version}.
PARAMETERS = schema(
    ["message"],
    message=TEXT,
    readers=TEXTS,
    harmless={"type": "object", "additionalProperties": TEXTS},
    **{
        "long-gone": {
            "type": "object",
            "additionalProperties": False,
            "required": ["before", "message"],
            "properties": {"before": TEXT, "message": TEXT},
        }
    },
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The message may use {key} {version} {reader} and {why}; nothing is said where the version is not known."""
    parameters = context.parameters
    for block in blocks(job, context):
        reader = reader_of(job, block)
        if reader is None or reader.name not in parameters.get("readers", (reader.name,)):
            continue
        if reader.version is None:
            if "long-gone" in parameters:
                yield from _gone(job, context, block, reader)
            continue
        for setting in judged(job, block):
            key = setting.key
            if reader.option(key, reader.at) is not None or (setting.path.endswith(PROGRAMS) and not whole(setting)):
                continue  # a method call stands for the key: which releases have the method is another question
            option = reader.option(key)
            if option is None or option.prefix:
                continue
            other = next((one for one in reader.spellings(key) if _reads(reader, one)), None)
            fixes = []
            if other is not None:
                if renamable(job, block, setting, other):
                    fixes = [context.rename(setting, other, f"rename it to {other}", "unsafe")]
                why = f"in that version the option is called {other}"
            else:
                why = _event(reader, key, option.since)
                if not why:
                    continue
                if _on_its_own_line(block, setting):
                    edit = Edit(setting.path, Span(setting.key_span.start, setting.key_span.start), "# ")
                    fixes = [Fix("comment it out", "unsafe", (edit,))]
            shown = key.replace(".", "_") if reader.name in PURE_PYTHON else key
            message = parameters["message"].format(key=shown, version=reader.at, why=why, reader=reader.name)
            place = setting.key_place(label=key)
            related = [(reader.version.source, "the version")]
            if setting.known and setting.text.strip().lower() in parameters.get("harmless", {}).get(key, ()):
                yield context.finding(message, place, related, "info", "low", fixes, covers=[setting])
            else:
                yield context.finding(message, place, related, fixes=fixes, covers=[setting])


def _gone(job: Job, context: Context, block: Block, reader: Reader) -> Iterator[Finding]:
    """Options that every release since some version ignores, where the release is not known."""
    gone = context.parameters["long-gone"]
    version = job.version("kafka" if block.engine == "kafka-connect" else block.engine, block)
    if version is not None and version.below(gone["before"]):
        return  # older than anything that the catalogue holds, and it may ask for them
    for setting in judged(job, block):
        option = reader.option(setting.key)
        if option is None or option.prefix or option.removed is None:
            continue
        if numbers(option.removed) <= numbers(gone["before"]):
            message = gone["message"].format(key=setting.key, version=option.removed)
            yield context.finding(message, setting.key_place(label=setting.key), severity="info", confidence="low", covers=[setting])


def _on_its_own_line(block: Block, setting: Setting) -> bool:
    """Whether the setting is a line of a conf in which `#` makes a comment, and nothing is quoted or goes on behind it."""
    one_line = setting.value_span.end - setting.value_span.start == len(setting.text)
    return (
        block.form in ("flink-conf", "properties", "compose", "configmap")
        and block.role in ("cluster", "defaults")
        and one_line
        and whole(setting)
    )


def _event(reader: Reader, key: str, since: str | None) -> str:
    """What became of the key; empty when the catalogue does not say."""
    changes = [change for table in reader.tables for change in table.history(key)]
    what = {change.what: change.version for change in changes}
    if "removed" in what:
        return f"the option was removed in {what['removed']}"
    return f"the option exists since {since}" if since else ""


def _reads(reader: Reader, key: str) -> bool:
    found = reader.option(key, reader.at)
    return found is not None and found.key == key
