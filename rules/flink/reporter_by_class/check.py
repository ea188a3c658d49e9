"""`metrics.reporter.<name>.class`: since 1.17 Flink makes reporters by their factories alone, and logs a warning (ReporterSetup of 1.15.4 to 1.20.5 read).

Flink 2 does not know the option at all, which the rule about options of other versions says.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding, Fix
from shoal.templates.options import FLINK_ROLES

_PREFIX = "metrics.reporter."
_OWN = "org.apache.flink.metrics."


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where no version is known the cluster may be an old one: low confidence."""
    for block in job.select("flink", FLINK_ROLES):
        version = job.version("flink", block)
        if version is not None and (version.below("1.17") or version.at_least("2.0") or not version.at_least("1.17")):
            continue
        for setting in job.of(block):
            name, _, argument = setting.key.removeprefix(_PREFIX).rpartition(".")
            if not setting.key.startswith(_PREFIX) or argument != "class" or not name or "." in name:
                continue
            factory = f"{_PREFIX}{name}.factory.class"
            if block.open or job.get(block, factory) is not None:
                continue
            since = f"Flink {version.minor}" if version is not None else "Flink since 1.17"
            message = f"{since} does not load this reporter but for a warning in its log, and there are no metrics from it: a reporter is named by its factory ({factory})"
            yield context.finding(
                message, setting, fixes=_fixes(context, setting, factory), confidence="" if version is not None else "low"
            )


def _fixes(context: Context, setting: Setting, factory: str) -> list[Fix]:
    """The factories of Flink's own reporters are called like these."""
    if not setting.known or not setting.text.startswith(_OWN) or not setting.text.endswith("Reporter"):
        return []
    title = f"name its factory, {setting.text.rpartition('.')[2]}Factory"
    edits = (
        *context.rename(setting, factory, title, "unsafe").edits,
        *context.replace(setting, setting.text + "Factory", title, "unsafe").edits,
    )
    return [Fix(title, "unsafe", edits)] if len(edits) == 2 else []
