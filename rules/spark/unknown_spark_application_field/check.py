"""Fields of a SparkApplication (sparkoperator.k8s.io/v1beta2) that its definition does not have."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import fields

# What people write for a field that there is; of the whole application, and of the driver or the executor.
_MEANT = {
    **dict.fromkeys(
        ("env", "envVars", "envFrom", "volumeMounts", "tolerations", "affinity", "labels", "annotations", "initContainers"),
        "the same of spec.driver and of spec.executor",
    ),
    **dict.fromkeys(("serviceAccount", "serviceAccountName"), "spec.driver.serviceAccount"),
    **dict.fromkeys(("jars", "files", "pyFiles", "packages", "repositories", "excludePackages"), "the same of spec.deps"),
    **dict.fromkeys(("args", "mainArgs", "applicationArguments"), "spec.arguments"),
    **dict.fromkeys(("ttlSecondsAfterFinished", "ttl"), "spec.timeToLiveSeconds"),
    **dict.fromkeys(("sparkConfiguration", "conf"), "spec.sparkConf"),
    "executors": "spec.executor",
}
_OF_POD = {
    "serviceAccountName": "serviceAccount",
    **dict.fromkeys(("resources", "requests", "limits"), "cores, coreRequest, coreLimit and memory"),
    **dict.fromkeys(("replicas", "instance"), "spec.executor.instances"),
    **dict.fromkeys(("cpu", "core"), "cores"),
    "volumes": "spec.volumes",
    "args": "spec.arguments",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind != "unknown-spark-field":
            continue
        path, _, name = oddity.subject.rpartition(".")
        if path.endswith(".labels"):
            part = path.removesuffix(".labels")
            message = f"this is a label of the pods: {part} has no service account, and runs with the namespace's default one, which may not start executors"
            yield context.finding(message, oddity, confidence="medium")
            continue
        yield fields.unknown(context, oddity, "SparkApplication", (_MEANT if path == "spec" else _OF_POD).get(name, ""))
