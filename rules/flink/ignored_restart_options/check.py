"""Options of a strategy that nobody chose."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import lookup

_STRATEGIES = ("fixed-delay", "failure-rate", "exponential-delay")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink"):
        groups: dict[str, list[Setting]] = {}
        for setting in job.of(block):
            if setting.key.startswith("restart-strategy."):
                name = setting.key.split(".")[1]
                if name in _STRATEGIES:
                    groups.setdefault(name, []).append(setting)
        if not groups:
            continue
        kind = lookup(job, block, "restart-strategy.type")
        if kind is not None and kind.sure == "branch":
            continue  # a program that knows several strategies sets the options of each beside it
        if kind is not None and kind.known and "." not in kind.text:
            chosen = kind.text.strip().lower()
            for name, settings in groups.items():
                if name.replace("-", "") != chosen.replace("-", ""):
                    message = f"{_keys(settings)} no effect: the strategy is `{chosen}`"
                    yield context.finding(message, settings[0], [(kind, "the strategy"), *settings[1:]])
        elif kind is None and not block.open and block.role in ("cluster", "deployment", "sessionjob"):
            for name, settings in groups.items():
                if name == "exponential-delay":
                    continue  # the default since 1.19
                message = f"{_keys(settings)} no effect: restart-strategy.type is not set, and the default strategy is not `{name}` with these options"
                yield context.finding(message, settings[0], settings[1:])


def _keys(settings: list[Setting]) -> str:
    return f"{settings[0].key} has" if len(settings) == 1 else f"{settings[0].key} and {len(settings) - 1} more have"
