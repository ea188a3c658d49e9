"""Names that Flink only reads for old times' sake."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job, numbers
from shoal.model import Finding

_ROLES = ("cluster", "deployment", "sessionjob", "session", "command", "job")


def check(job: Job, context: Context) -> Iterator[Finding]:
    options = catalogue.load("flink")
    for block in job.select("flink", _ROLES):
        if block.trait("legacy-environment"):
            continue
        version = job.version("flink", block)
        pinned = version is not None and len(version.parts) > 1
        at = version.minor if version is not None and pinned else _assumed(block, str(context.options["assumed-version"]))
        for setting in job.of(block):
            option = options.option(setting.key, at)
            if option is None or option.prefix or setting.key.startswith("spec."):
                continue
            if any(alias.key == setting.key and alias.deprecated for alias in option.aliases):
                fixes = []
                whole = setting.key_span.end - setting.key_span.start == len(setting.key)
                if pinned and whole and job.written(block, option.key) is None:
                    fixes = [context.rename(setting, option.key, f"rename it to {option.key}", "safe")]
                message = f"`{setting.key}` is the old name of {option.key}: Flink {at} still reads it, a later version may ignore it without a word"
                yield context.finding(message, setting.key_place(label=setting.key), fixes=fixes, covers=[setting.place()])
            elif option.key == setting.key and option.deprecated and numbers(option.deprecated) <= numbers(at):
                gone = f", and Flink {option.removed} ignores it" if option.removed else ""
                message = f"`{setting.key}` is deprecated since Flink {option.deprecated}{gone}"
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting.place()])


def _assumed(block: Block, version: str) -> str:
    """`config.yaml` is read since 1.19."""
    return "1.19" if block.form == "flink-yaml" and numbers(version) < (1, 19) else version
