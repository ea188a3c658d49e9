"""A value that was the default of another version: written to keep it, or copied from the wrong documentation."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, blocks, schema
from shoal.templates.options import judged, reader_of

PARAMETERS = schema(["message"], message=TEXT, readers=TEXTS)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The message may use {key} {value} {version} (in use), {now} (its default) and {then} (the last version with that default)."""
    for block in blocks(job, context):
        reader = reader_of(job, block)
        named = reader is not None and reader.name in context.parameters.get("readers", (reader.name,))
        if reader is None or not named or reader.version is None or reader.at is None:
            continue
        for setting in judged(job, block):
            option = reader.option(setting.key, reader.at) if setting.known else None
            if option is None or option.prefix or option.default is None or _same(option.default, setting.text):
                continue
            for version in reversed(reader.tables[0].versions):
                other = reader.tables[0].option(setting.key, version)
                if other is not None and other.default is not None and _same(other.default, setting.text):
                    message = context.parameters["message"].format(
                        key=setting.key, value=setting.text.strip(), version=reader.at, now=option.default or "empty", then=version
                    )
                    yield context.finding(message, setting, [(reader.version.source, "the version")])
                    break


def _same(default: str, text: str) -> bool:
    return default.replace(" ", "").lower() == text.strip().replace(" ", "").lower()
