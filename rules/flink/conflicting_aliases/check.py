"""One option, two names, two values."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding

_ROLES = ("cluster", "deployment", "sessionjob", "session", "command", "job")


def check(job: Job, context: Context) -> Iterator[Finding]:
    options = catalogue.load("flink")
    for block in job.select("flink", _ROLES):
        version = job.version("flink", block)
        at = version.minor if version is not None and len(version.parts) > 1 else None
        groups: dict[str, dict[str, Setting]] = {}
        for setting in job.of(block):
            option = options.option(setting.key, at)
            named = option is not None and "<" in option.key  # one key of several reporters, pools, …
            if option is not None and not option.prefix and not named and not setting.key.startswith("spec."):
                groups.setdefault(options.canonical(option.key), {})[setting.key] = setting
        for settings in groups.values():
            if len(settings) < 2 or not all(setting.known for setting in settings.values()):
                continue
            if len({setting.text.strip().lower() for setting in settings.values()}) < 2:
                continue
            some = next(iter(settings))
            option = options.option(some, at)
            assert option is not None
            order = [option.key, *(alias.key for alias in option.aliases)]
            ranked = sorted(settings.values(), key=lambda setting: order.index(setting.key) if setting.key in order else len(order))
            for loser in ranked[1:]:
                message = f"Flink ignores this line: `{loser.key}` and `{ranked[0].key}` are the same option, and the value of the latter counts ({ranked[0].text.strip()})"
                yield context.finding(message, loser, [(ranked[0], "this one counts")], confidence="" if at else "medium")
