"""The few fields for which the operator's resource definitions list the values, which count as they are written, and fields of a job that there are not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import flink

_VALUES = {
    "spec.mode": ("native", "standalone"),
    "spec.job.state": ("running", "suspended"),
    "spec.job.upgradeMode": ("stateless", "savepoint", "last-state"),
}
# All fields of `spec.job` in the definitions up to operator 1.14, and what people write for them.
_JOB = {
    "jarURI": ("jar", "jarUri", "jarUrl", "jarURL", "jarFile", "jarPath"),
    "entryClass": ("className", "mainClass", "class", "entryclass", "entrypointClass", "main"),
    "initialSavepointPath": ("savepointPath", "fromSavepoint", "savepoint", "initialSavepoint"),
    "args": ("arguments", "programArgs"),
    **dict.fromkeys(
        ("parallelism", "state", "upgradeMode", "allowNonRestoredState", "savepointTriggerNonce", "checkpointTriggerNonce"), ()
    ),
    **dict.fromkeys(("savepointRedeployNonce", "autoscalerResetNonce"), ()),
}
# What people write elsewhere than in the job for a field that there is, by its last name.
_MEANT = {
    **dict.fromkeys(
        (
            "affinity",
            "containers",
            "env",
            "envFrom",
            "imagePullSecrets",
            "initContainers",
            "nodeSelector",
            "securityContext",
            "sidecars",
            "spec",
            "tolerations",
            "volumeMounts",
            "volumes",
        ),
        "podTemplate",
    ),
    **dict.fromkeys(("serviceAccountName", "serviceaccount"), "serviceAccount"),
    **dict.fromkeys(("flinkConfig", "flinkProperties", "configuration"), "flinkConfiguration"),
    **{name: f"spec.job.{name}" for name in _JOB},
}
_VERSION = pattern(r"v\d+_\d+")
_LOOSE = pattern(r"v?(\d+)[._](\d+)(?:[._]\d+)?", re.IGNORECASE)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "no-such-field":
            meant = _MEANT.get(oddity.subject.rpartition(".")[2], "")
            yield context.finding(_no_such(oddity.subject, meant), oddity, confidence="" if meant else "medium")
    for block in job.select("flink", ("deployment", "sessionjob")):
        if not flink.by_operator(block):
            continue
        emr = job.written(block, "spec.emrReleaseLabel") is not None  # whose definitions have fields of their own
        for setting in job.of(block):
            field = setting.key.removeprefix("spec.job.")
            if field != setting.key and "." not in field and field not in _JOB and not emr:
                meant = next((name for name, wrong in _JOB.items() if field in wrong), "")
                yield context.finding(
                    _no_such(f"spec.job.{field}", meant), setting.key_place(label=setting.key), confidence="" if meant else "medium"
                )
                continue
            value = setting.text.strip()
            if not setting.known or not value:
                continue
            if setting.key == "spec.flinkVersion":
                loose = _LOOSE.fullmatch(value)
                good = f"v{loose.group(1)}_{loose.group(2)}" if loose else ""
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


def _no_such(field: str, meant: str) -> str:
    why = f"; {meant} may be meant" if meant else ""
    return f"there is no field {field}: kubectl refuses the resource, and the API server drops the field{why}"
