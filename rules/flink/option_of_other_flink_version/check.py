"""Keys from the documentation of another version."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_ROLES = ("cluster", "deployment", "sessionjob", "session", "command", "job")


def check(job: Job, context: Context) -> Iterator[Finding]:
    options = catalogue.load("flink")
    for block in job.select("flink", _ROLES):
        version = job.version("flink", block)
        if version is None or len(version.parts) < 2 or version.below("1.13") or block.trait("legacy-environment"):
            continue
        for setting in job.of(block):
            if setting.key.startswith("spec.") or options.option(setting.key, version.minor) is not None:
                continue
            option = options.option(setting.key)
            if option is None or option.prefix:
                continue
            what = {change.what: change.version for change in options.history(setting.key)}
            older = next((key for key in options.spellings(setting.key) if _reads(options, key, version.minor)), None)
            place = setting.key_place(label=setting.key)
            related = [(version.source, "the version")]
            fixes = []
            if older is not None:
                if job.written(block, older) is None and setting.key_span.end - setting.key_span.start == len(setting.key):
                    fixes = [context.rename(setting, older, f"rename it to {older}", "unsafe")]
                message = f"Flink {version.minor} ignores `{setting.key}` without a word: in that version the option is called {older}"
            elif "removed" in what:
                message = f"Flink {version.minor} ignores `{setting.key}` without a word: the option was removed in {what['removed']}"
            elif option.since:
                message = f"Flink {version.minor} ignores `{setting.key}` without a word: the option exists since {option.since}"
            else:
                continue
            yield context.finding(message, place, related, fixes=fixes, covers=[setting.place()])


def _reads(options: catalogue.Catalogue, key: str, version: str) -> bool:
    found = options.option(key, version)
    return found is not None and found.key == key
