"""`blacklist` and `whitelist` of Kafka's ReplaceField (read out of connect-transforms 2.6.3, 2.7.2, 3.9.0 and 4.0.0)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import transforms

_NEW = {"blacklist": ("exclude", "the fields stay in the record"), "whitelist": ("include", "all fields stay in the record")}
_SINCE, _GONE = "2.7", "4.0"


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("kafka")
    if version is not None and version.below(_SINCE):
        return
    gone = version is not None and version.at_least(_GONE)
    for transform in transforms.applied(job):
        for old, (new, stays) in _NEW.items():
            setting = transform.given.get(old)
            if transform.name != "ReplaceField" or setting is None or new in transform.given:
                continue
            renamed = setting.key.removesuffix(old) + new
            fixes = [context.rename(setting, renamed, f"rename it to {new}", "safe")] if version is not None else []
            if gone:
                message = f"`{old}` has no effect: ReplaceField has read {new} alone since Kafka 4.0, and {stays}"
            else:
                message = f"`{old}` is the old name of {new}: Kafka 4.0 reads past it, and {stays}"
            severity, sure = ("error", "high") if gone else ("", "")
            yield context.finding(
                message, setting, [(transform.type, "the transformation")], fixes=fixes, severity=severity, confidence=sure
            )
