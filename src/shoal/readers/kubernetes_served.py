"""Versions of Kubernetes' API in which an object is served no more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers.yaml_tree import find, scalar

if TYPE_CHECKING:
    from shoal.readers.yaml_tree import Node, Tree

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "CronJob")
_ROLES = ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
# The kinds that were once served in a version, and the release of Kubernetes that has them no more.
# Source: the Deprecated API Migration Guide of Kubernetes.
_GONE = {
    "extensions/v1beta1": {**dict.fromkeys((*WORKLOADS, "NetworkPolicy"), "1.16"), "Ingress": "1.22"},
    "apps/v1beta1": dict.fromkeys(WORKLOADS, "1.16"),
    "apps/v1beta2": dict.fromkeys(WORKLOADS, "1.16"),
    "batch/v2alpha1": {"CronJob": "1.21"},
    "batch/v1beta1": {"CronJob": "1.25"},
    "policy/v1beta1": {"PodDisruptionBudget": "1.25"},
    "autoscaling/v2beta1": {"HorizontalPodAutoscaler": "1.25"},
    "autoscaling/v2beta2": {"HorizontalPodAutoscaler": "1.26"},
    "networking.k8s.io/v1beta1": {"Ingress": "1.22"},
    "rbac.authorization.k8s.io/v1beta1": dict.fromkeys(_ROLES, "1.22"),
    "apiextensions.k8s.io/v1beta1": {"CustomResourceDefinition": "1.22"},
    "admissionregistration.k8s.io/v1beta1": dict.fromkeys(_WEBHOOKS, "1.22"),
    "scheduling.k8s.io/v1beta1": {"PriorityClass": "1.22"},
}
_STREAMING = pattern(r"flink|spark|kafka|strimzi|debezium|cp-(?:zookeeper|schema-registry|ksql)|job-?manager|task-?manager", re.IGNORECASE)


def read_version(tree: Tree, root: Node, kind: str, known: bool = False) -> None:
    """An object in a version that no cluster of today serves. `known`: whether it is known to have to do with a streaming engine."""
    api = find(root, "apiVersion")
    spoken = (scalar(api.value) or "").strip() if api is not None else ""
    gone = _GONE.get(spoken, {}).get(kind)
    if api is None or gone is None or "apabilities" in tree.out.raw:  # by which a chart chooses the version
        return
    span = tree.span(root)
    if known or _STREAMING.search(tree.out.raw, span.start, span.end):
        tree.out.oddity("removed-kubernetes-api", spoken, tree.span(api.value), f"{kind} {gone}")
