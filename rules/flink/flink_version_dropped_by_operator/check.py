"""`flinkVersion` below 1.15, which the validator of the operator refuses since 1.7.0 (FlinkVersion.isSupported)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, numbers
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import flink

_OPERATOR = "flink-kubernetes-operator"
_DROPS = "1.7"  # the first release that refuses
_OLD = pattern(r"v1_1[0-4]")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Which release is installed is seldom in sight, and the project may be as old as its Flink: low confidence then."""
    pins = [one for one in job.dependencies if one.name == _OPERATOR and numbers(one.version)]
    if any(numbers(pin.version) < numbers(_DROPS) for pin in pins):
        return
    for block in job.select("flink", ("deployment",)):
        setting = job.get(block, "spec.flinkVersion") if flink.by_operator(block) else None
        if setting is None or not setting.known or not _OLD.fullmatch(setting.text.strip()):
            continue
        shown = setting.text.strip().removeprefix("v").replace("_", ".")
        message = f"the operator refuses this resource since its release {_DROPS}: it runs Flink 1.15 and later, and this is for {shown}"
        related = [(pin.place, "the operator's release") for pin in pins[:1]]
        yield context.finding(message, setting, related, confidence="" if pins else "low")
