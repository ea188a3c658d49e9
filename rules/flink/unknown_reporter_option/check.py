"""What stands behind `metrics.reporter.<name>.` goes to the reporter, which reads what it knows (Prometheus' read in 1.20.1)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding

_PREFIX = "metrics.reporter."
_ANY = frozenset(
    {
        "class",
        "factory.class",
        "interval",
        "scope.delimiter",
        "scope.variables.excludes",
        "scope.variables.additional",
        "filter.includes",
        "filter.excludes",
    }
)
# The reporters whose arguments are known, by the end of their class.
_ARGUMENTS = {name: frozenset({"port", "filterLabelValueCharacters"}) for name in ("PrometheusReporterFactory", "PrometheusReporter")}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink"):
        reporters: dict[str, dict[str, Setting]] = {}
        for setting in job.of(block):
            if setting.key.startswith(_PREFIX):
                name, _, argument = setting.key[len(_PREFIX) :].partition(".")
                reporters.setdefault(name, {})[argument] = setting
        for name, options in reporters.items():
            made = options.get("factory.class") or options.get("class")
            kind = made.text.strip().rpartition(".")[2] if made is not None and made.known else ""
            for argument, setting in options.items():
                if argument in _ANY:
                    continue
                meant = argument.removeprefix("factory.")
                if meant != argument:
                    message = f"the reporter does not read {setting.key}: behind `factory.` stands `class` alone; `{_PREFIX}{name}.{meant}` is what it reads"
                elif kind in _ARGUMENTS and argument not in _ARGUMENTS[kind]:
                    message = (
                        f"the reporter does not read {setting.key}: {kind} knows {' and '.join(sorted(_ARGUMENTS[kind], reverse=True))}"
                    )
                else:
                    continue
                yield context.finding(message, setting, [(made, "the reporter")] if made is not None else [])
