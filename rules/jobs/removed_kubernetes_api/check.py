"""`apiVersion: extensions/v1beta1` and the like, of what runs a streaming engine."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_ROLES = "rbac.authorization.k8s.io/v1"
_WEBHOOKS = "admissionregistration.k8s.io/v1, which wants sideEffects and admissionReviewVersions"
# What a kind is served in today, and what that asks for in addition.
_NOW = {
    **dict.fromkeys(("CronJob", "Job"), "batch/v1"),
    **dict.fromkeys(("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"), _ROLES),
    **dict.fromkeys(("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"), _WEBHOOKS),
    "Ingress": "networking.k8s.io/v1, which wants a pathType and writes its backends otherwise",
    "NetworkPolicy": "networking.k8s.io/v1",
    "PodDisruptionBudget": "policy/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1, which wants a schema for each version",
    "PriorityClass": "scheduling.k8s.io/v1",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "removed-kubernetes-api":
            kind, _, gone = oddity.detail.partition(" ")
            now = _NOW.get(kind, "apps/v1, which wants a spec.selector")
            message = f"the API server refuses this {kind}: Kubernetes has not served it in {oddity.subject} since {gone} ({now})"
            yield context.finding(message, oddity)
