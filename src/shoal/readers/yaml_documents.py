"""YAML files: each document goes to the reader that its content asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers.yaml_tree import (
    MAX_NODES,
    Node,
    TooMuch,
    Tree,
    elements,
    find,
    flatten,
    get,
    is_mapping,
    is_sequence,
    items,
    kind_and_version,
    scalar,
)
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.readers import Reading

_BOOTSTRAP = pattern(r"([a-z0-9][a-z0-9-]*)-kafka-bootstrap\b")
_CONDA = pattern(r"(?i)(?:[\w-]*[-_])?(?:conda|environment)\b")  # channels may be those of who installs it
_BUNDLE = pattern(r"(strimzi-cluster-operator|flink-kubernetes-operator)\.v(\d+(?:\.\d+)+)")

# Where playbooks and roles of Ansible keep their variables.
_PLAYBOOK = pattern(r"(?:^|.*[/\\])(?:group_vars|host_vars|defaults|vars)[/\\].+\.ya?ml")
_DEEPEST = 4


def read(text: Text, out: Reading) -> None:
    """Read every document of a YAML file."""
    from shoal.readers import delegate
    from shoal.readers.flink_yaml import read_overwritten

    if read_overwritten(text, out):
        return
    delegate.operators(text, out)
    tree = Tree(text, out)
    name = out.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    try:
        for root in tree.documents():
            read_root(tree, root, name)
            if name.startswith("values") and is_mapping(root):
                from shoal.readers import chart_values

                chart_values.read(tree, root)
            elif _PLAYBOOK.fullmatch(out.path) or is_sequence(root):
                from shoal.readers import playbook_variables

                playbook_variables.read(tree, root)
    except TooMuch:
        out.problem("too-large", f"anchors and aliases make more than {MAX_NODES} nodes of it", help="write it out, or exclude the file")


def read_root(tree: Tree, root: Node, name: str, depth: int = 0) -> None:
    """Read one document; `name` is the name of the file it stands in."""
    if depth > _DEEPEST:
        return
    if is_mapping(root):
        if (named := kind_and_version(root)) is not None:
            _read_object(tree, root, *named, name, depth)
            return
        if _read_by_shape(tree, root, name) or _is_interface(root):
            return
    from shoal.readers import kustomize

    if kustomize.is_operations(root):
        kustomize.read_operations(tree, root)
    elif name.startswith("kustomization."):
        kustomize.read_kustomization(tree, root, depth)
    else:
        _read_any(tree, root, name, depth)


def _read_by_shape(tree: Tree, root: Node, name: str) -> bool:
    from shoal.readers import compose, databricks, dataproc, flink_cdc, flink_yaml, sql_client_yaml

    if compose.is_compose(root):
        compose.read(tree, root)
    elif databricks.is_bundle(root):
        databricks.read(tree, root)
    elif databricks.is_document(root):
        databricks.read_document(tree, root)
    elif dataproc.is_workflow(root):
        dataproc.read(tree, root)
    elif sql_client_yaml.is_environment(root):
        sql_client_yaml.read(tree, root)
    elif flink_cdc.is_pipeline(root):
        flink_cdc.read(tree, root)
    elif flink_yaml.is_config(name, root):
        flink_yaml.read_config(tree, root, name)
    elif is_sequence(get(root, "dependencies")) and (is_sequence(get(root, "channels")) or _CONDA.match(name)):
        _read_conda(tree, root)
    else:
        return False
    return True


def _read_conda(tree: Tree, root: Node) -> None:
    """What an environment of conda installs: its own packages, and under `pip` those of PyPI, which are called the same."""
    from shoal.readers import delegate

    for node in elements(get(root, "dependencies"))[:1000]:
        if (pin := scalar(node)) is None:
            for child in elements(get(node, "pip"))[:1000]:
                delegate.requirement(tree.value(child), tree.out)
        elif found := re.fullmatch(r"(?:[\w-]+::)?([\w.-]+)[ =]=?[ ]?(\d[\w.]*)(?:=\w+)?", pin):
            delegate.package(found.group(1), found.group(2), tree.span(node), tree.out)


def _is_interface(root: Node) -> bool:
    """A description of an HTTP interface (OpenAPI), whose examples configure nothing."""
    return any(get(root, key) is not None for key in ("openapi", "swagger")) and get(root, "paths") is not None


def _read_subscription(tree: Tree, root: Node) -> None:
    """The release of an operator that OpenShift's lifecycle manager installs, by the name of its bundle."""
    started = find(root, "spec", "startingCSV")
    found = _BUNDLE.fullmatch(scalar(started.value) or "") if started is not None else None
    if started is not None and found is not None:
        name = "strimzi" if found[1] == "strimzi-cluster-operator" else found[1]
        tree.out.dependency("field", name, found[2], tree.span(started.value))


def _read_object(tree: Tree, root: Node, kind: str, version: str, name: str, depth: int) -> None:
    """A Kubernetes object, by its kind and API group; readers are imported as they are needed."""
    _read_addresses(tree, root)
    if kind.startswith(("Flink", "Spark", "ScheduledSpark", "Kafka")):
        from shoal.readers.kubernetes import read_quantities

        read_quantities(tree, root)
    templated = MASK in version
    if "beta" in version or "alpha" in version:
        from shoal.readers import kubernetes_served

        if kind not in kubernetes_served.WORKLOADS:  # which are read with what they run
            kubernetes_served.read_version(tree, root, kind)
    if kind.startswith("Flink") and ("flink" in version or templated or (kind == "FlinkApplication" and "confluent.io/" in version)):
        from shoal.readers import flink_manifests

        flink_manifests.read(tree, root, kind)
    elif kind.startswith(("Spark", "ScheduledSpark")) and ("spark" in version or templated):
        from shoal.readers import spark_yaml

        spark_yaml.read_application(tree, root, kind, version)
    elif (kind.startswith("Kafka") and version.startswith("kafka.strimzi.io/")) or (
        kind == "KafkaTopic" and version.startswith("eventstreams.ibm.com/")  # IBM's operator has Strimzi's topics
    ):
        from shoal.readers import kafka_yaml

        kafka_yaml.read_resource(tree, root, kind)
    elif version.startswith("platform.confluent.io/") and kind in ("Kafka", "Connect", "Connector"):
        from shoal.readers import confluent_yaml

        confluent_yaml.read_resource(tree, root, kind)
    elif kind == "DebeziumServer" and version.startswith("debezium.io/"):
        from shoal.readers import kafka_yaml

        kafka_yaml.read_server(tree, root)
    elif kind == "Subscription" and version.startswith("operators.coreos.com/"):
        _read_subscription(tree, root)
    elif kind in ("Kustomization", "Component") and version.startswith("kustomize.config.k8s.io"):
        from shoal.readers import kustomize

        kustomize.read_kustomization(tree, root, depth)
    elif kind in ("List", "Template"):  # the second one is OpenShift's
        for child in elements(get(root, "items" if kind == "List" else "objects"))[:10_000]:
            read_root(tree, child, name, depth + 1)
    elif kind in ("ConfigMap", "Secret"):
        from shoal.readers.embedded import read_file

        for item in items(get(root, "data" if kind == "ConfigMap" else "stringData")):
            read_file(tree, item, "configmap", tree.shown(get(root, "metadata", "name")), depth=depth)
        if kind == "Secret" and version == "v1":
            from shoal.readers.kubernetes_secret import read_secret

            read_secret(tree, root)
    elif kind != "CustomResourceDefinition" and not _read_workload(tree, root, kind):
        _read_any(tree, root, name, depth)


def _read_addresses(tree: Tree, root: Node) -> None:
    """The clusters of Strimzi whose service for clients an object names."""
    for name in sorted(set(_BOOTSTRAP.findall(tree.source, root.start_mark.index, root.end_mark.index))):
        tree.out.facts.append(Usage("strimzi-address", name, tree.out.place(tree.span(root))))


def _read_workload(tree: Tree, root: Node, kind: str) -> bool:
    """Kubernetes' own kinds. Ververica's `Deployment` holds a Flink conf and is none of them."""
    from shoal.readers import claims, kubernetes

    if kind in ("Service", "Ingress") or (kind == "Route" and (scalar(get(root, "apiVersion")) or "").startswith("route.openshift.io/")):
        kubernetes.read_service(tree, root, kind)
    elif kind == "PersistentVolumeClaim":
        claims.read_claim(tree, root)
    elif kind == "PodDisruptionBudget":
        from shoal.readers import disruption

        disruption.read_budget(tree, root)
    elif kind in kubernetes.WORKLOADS and get(root, "spec", "template", "spec", "flinkConfiguration") is None:
        kubernetes.read_workload(tree, root, kind)
    else:
        return False
    return True


def _read_any(tree: Tree, root: Node, name: str, depth: int) -> None:
    """A document of no known kind: whatever confs, images and scripts stand in it."""
    if is_mapping(root) or is_sequence(root):
        from shoal.readers import amazon_flink, yaml_maps

        amazon_flink.read(tree, root)
        if not _read_channels(tree, root):
            yaml_maps.read(tree, root, name, depth)


def _read_channels(tree: Tree, root: Node) -> bool:
    """Channels of MicroProfile Reactive Messaging, or bindings of Spring Cloud Stream, in a program's own configuration, nested, dotted and mixed.

    True where that is all that a document has to say of Kafka.
    """
    if "smallrye-kafka" not in tree.source and not all(word in tree.source for word in ("spring", "stream", "bind")):
        return False
    from shoal.readers import bindings, channels, properties

    told = [
        channels.Entry(item.key, properties.value_in(value), tree.key(item), tree.span(item.value), tree.comment(item.value))
        for item in flatten(root)
        if (value := scalar(item.value)) is not None
    ]
    if any(channels.counts(entry.key) for entry in told):
        channels.read(told, "yaml", tree.out)
        return True
    if any(entry.key.startswith(bindings.MARK) for entry in told):
        bindings.read(told, "yaml", tree.out)
    return False
