"""The few fields for which the operator's resource definitions list the values, which count as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink

_VALUES = {
    "spec.mode": ("native", "standalone"),
    "spec.job.state": ("running", "suspended"),
    "spec.job.upgradeMode": ("stateless", "savepoint", "last-state"),
}
_VERSION = re.compile(r"v\d+_\d+")
_LOOSE = re.compile(r"v?(\d+)[._](\d+)(?:[._]\d+)?", re.IGNORECASE)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("deployment", "sessionjob")):
        if not flink.by_operator(block):
            continue
        for setting in job.of(block):
            value = setting.text.strip()
            if not setting.known or not value:
                continue
            if setting.key == "spec.flinkVersion":
                meant = _LOOSE.fullmatch(value)
                good = f"v{meant.group(1)}_{meant.group(2)}" if meant else ""
                right, takes = bool(_VERSION.fullmatch(value)), good or "v1_20, v2_0 and the like"
            elif setting.key in _VALUES:
                values = _VALUES[setting.key]
                plain = re.sub(r"[^a-z]", "", value.lower())
                good = next((one for one in values if one.replace("-", "") == plain), "")
                right, takes = value in values, f"{', '.join(values[:-1])} or {values[-1]}"
            else:
                continue
            if not right:
                fixes = [context.replace(setting, good, f"set {setting.key} to {good}", "unsafe")] if good else []
                message = f"Kubernetes refuses this resource: {setting.key} takes {takes}, not `{value}`"
                yield context.finding(message, setting, fixes=fixes)
