"""A spelling that the pinned version still reads for old times' sake, or an option that is on its way out."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, blocks, schema
from shoal.templates.options import judged, reader_of, renamable

PARAMETERS = schema(["renamed", "deprecated", "gone"], renamed=TEXT, deprecated=TEXT, gone=TEXT, readers=TEXTS)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Messages: `renamed` {key} {new} {version}; `deprecated` {key} {since}, followed by `gone` {version} where a version lacks it.

    Where no version is known the rule's option `assumed-version` counts, if it has one; a rename is only offered where one is.
    """
    parameters = context.parameters
    for block in blocks(job, context):
        reader = reader_of(job, block)
        if reader is None or reader.name not in parameters.get("readers", (reader.name,)):
            continue
        at = reader.at or _assumed(block, str(context.options.get("assumed-version", "")))
        if not at:
            continue
        for setting in judged(job, block):
            key = setting.key
            option = reader.option(key, at)
            if option is None or option.prefix:
                continue
            place, covers = setting.key_place(label=key), [setting]
            if option.key != key and any(alias.key == key and alias.deprecated for alias in option.aliases):
                fixes = []
                if reader.version and renamable(job, block, setting, option.key):
                    fixes = [context.rename(setting, option.key, f"rename it to {option.key}", "safe")]
                message = parameters["renamed"].format(key=key, new=option.key, version=at)
                yield context.finding(message, place, fixes=fixes, covers=covers)
            elif option.key == key and option.deprecated and numbers(option.deprecated) <= numbers(at):
                gone = parameters["gone"].format(version=option.removed) if option.removed else ""
                message = parameters["deprecated"].format(key=key, since=option.deprecated) + gone
                yield context.finding(message, place, covers=covers)


def _assumed(block: Block, version: str) -> str:
    """`config.yaml` is read since Flink 1.19."""
    return "1.19" if block.form == "flink-yaml" and version and numbers(version) < (1, 19) else version
