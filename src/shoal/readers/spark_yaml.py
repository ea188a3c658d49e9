"""Spark in YAML: the resources of three operators, and maps of `spark.…` options under any name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import delegate, flink_yaml
from shoal.readers.kubernetes import add_fields, flags_with_values, name_of, read_mounts, words_of
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, is_null, items, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block

OPERATORS = {"sparkoperator.k8s.io": "kubeflow", "spark.apache.org": "apache", "spark.stackable.tech": "stackable"}
_SKIP = frozenset({"sparkConf", "hadoopConf", "driverSpec", "executorSpec", "template"})
# All fields of a SparkApplication of v1beta2 in the definition of the Kubeflow operator, which has dropped none since that version of the API is there.
_FIELDS = {
    (): (
        "arguments batchScheduler batchSchedulerOptions deps driver driverIngressOptions driverPodDisruptionBudget dynamicAllocation executor failureRetries "
        "hadoopConf hadoopConfigMap image imagePullPolicy imagePullSecrets mainApplicationFile mainClass memoryOverheadFactor mode monitoring nodeSelector "
        "proxyUser pythonVersion restartPolicy retryInterval sparkConf sparkConfigMap sparkUIOptions sparkVersion suspend timeToLiveSeconds type volumes"
    ),
    ("driver",): (
        "affinity annotations configMaps coreLimit coreRequest cores dnsConfig env envFrom envSecretKeyRefs envVars gpu hostAliases hostNetwork image "
        "initContainers javaOptions kubernetesMaster labels lifecycle memory memoryLimit memoryOverhead nodeSelector podName podSecurityContext ports "
        "priorityClassName schedulerName secrets securityContext serviceAccount serviceAnnotations serviceLabels shareProcessNamespace sidecars template "
        "terminationGracePeriodSeconds tolerations volumeMounts"
    ),
    ("executor",): (
        "affinity annotations configMaps coreLimit coreRequest cores deleteOnTermination dnsConfig env envFrom envSecretKeyRefs envVars gpu hostAliases "
        "hostNetwork image initContainers instances javaOptions labels lifecycle memory memoryLimit memoryOverhead nodeSelector podSecurityContext ports "
        "priorityClassName schedulerName secrets securityContext serviceAccount shareProcessNamespace sidecars template terminationGracePeriodSeconds "
        "tolerations volumeMounts"
    ),
    ("restartPolicy",): "onFailureRetries onFailureRetryInterval onSubmissionFailureRetries onSubmissionFailureRetryInterval type",
}
_VERSION = pattern(r"v?(\d+\.\d+(?:\.\d+)?)")


def operator_of(version: str) -> str:
    """Which operator an `apiVersion` belongs to; empty when it is none of Spark's."""
    return "kubeflow" if MASK in version else OPERATORS.get(version.partition("/")[0], "")


def read_application(tree: Tree, root: Node, kind: str, version: str) -> None:
    """A SparkApplication, ScheduledSparkApplication, SparkCluster or SparkConnect as one block."""
    spec_item = find(root, "spec")
    operator = operator_of(version)
    if not operator or spec_item is None or not is_mapping(spec_item.value):
        return
    outer = spec_item
    if kind == "ScheduledSparkApplication":
        spec_item = find(spec_item.value, "template") or spec_item
    spec = spec_item.value
    conf = find(spec, "sparkConf")
    place = tree.key(conf or find(root, "kind") or spec_item)
    traits = [("kind", kind), ("apiVersion", scalar(get(root, "apiVersion")) or ""), ("operator", operator)]
    for trait in ("type", "mode"):
        if value := scalar(get(spec, trait)):
            traits.append((trait, value))
    block = tree.out.block(
        "spark", "application", "manifest", place, name_of(tree, root), traits=tuple(traits), open=tree.hidden(spec_item)
    )
    if version == "sparkoperator.k8s.io/v1beta2":
        _read_unknown(tree, spec, block)
    read_conf(tree, conf, block)
    _read_hadoop(tree, find(spec, "hadoopConf"), block)
    add_fields(tree, block, spec_item, "spec", _SKIP)
    if outer is not spec_item:
        add_fields(tree, block, outer, "spec", frozenset({"template"}))
    _read_versions(tree, spec, block)
    _read_dependencies(tree, spec, block)
    _read_entry(tree, spec, block)
    _read_variables(tree, get(spec, "driver", "env"), block)
    for part in ("driver", "executor", "server"):
        node = get(spec, part)
        if node is not None and is_mapping(node):
            pod = get(node, "template", "spec") or get(node, "podTemplateSpec", "spec")
            if pod is not None:
                read_mounts(tree, pod, block)
            read_mounts(tree, spec, block, only=[node, *([config] if (config := get(node, "config")) is not None else [])])
            if image := find(node, "image"):
                delegate.image(scalar(image.value) or "", tree.span(image.value), tree.out, block)
    for part in ("driverSpec", "executorSpec"):
        if (pod := get(spec, part, "podTemplateSpec", "spec")) is not None:
            read_mounts(tree, pod, block)


def _read_unknown(tree: Tree, spec: Node, block: Block) -> None:
    """Fields that the definition of the resource does not have, and one of the driver's among its labels."""
    for path, names in _FIELDS.items():
        known = names.split()
        for item in items(get(spec, *path) if path else spec):
            if item.key not in known and item.key.isidentifier():
                tree.out.oddity("unknown-spark-field", ".".join(("spec", *path, item.key)), tree.key(item), block=block)
    for part in ("driver", "executor"):
        label = find(spec, part, "labels", "serviceAccount")
        if label is not None and get(spec, part, "serviceAccount") is None:
            tree.out.oddity("unknown-spark-field", f"spec.{part}.labels.serviceAccount", tree.key(label), block=block)


def read_conf(tree: Tree, conf: Item | None, block: Block) -> None:
    """A `spark.…` map; nested maps are joined with dots."""
    if conf is None:
        return
    # Zeppelin's interpreter passes over what is empty
    zeppelin = any(item.key.startswith("zeppelin.") for item in items(conf.value))
    flink_yaml.read_map(tree, conf.value, block, empty=not zeppelin)
    for item in items(conf.value):
        if item.key == "spark.jars.packages" and scalar(item.value):
            delegate.coordinates(tree.value(item.value), tree.out, block)
        elif item.key == "spark.jars" and scalar(item.value):
            delegate.jars(tree.value(item.value), tree.out, block)


def _read_hadoop(tree: Tree, conf: Item | None, block: Block) -> None:
    for item in items(conf.value) if conf is not None else ():
        if scalar(item.value) is not None and not is_null(item.value):
            flink_yaml.add(tree, block, item, f"spark.hadoop.{item.key}")


def _read_versions(tree: Tree, spec: Node, block: Block) -> None:
    for path in (("sparkVersion",), ("runtimeVersions", "sparkVersion"), ("sparkImage", "productVersion")):
        version = find(spec, *path)
        if version is not None and (match := _VERSION.match(scalar(version.value) or "")):
            tree.out.dependency("field", "spark", match.group(1), tree.span(version.value), block=block)
    for path in (("image",), ("sparkImage", "custom")):
        image = find(spec, *path)
        if image is not None and (ref := scalar(image.value)):
            delegate.image(ref, tree.span(image.value), tree.out, block)


def _read_dependencies(tree: Tree, spec: Node, block: Block) -> None:
    for child in elements(get(spec, "deps", "packages")):
        if scalar(child):
            delegate.coordinates(tree.value(child), tree.out, block)
    for path in (("deps", "jars"), ("deps", "files")):
        for child in elements(get(spec, *path)):
            if scalar(child):
                delegate.jars(tree.value(child), tree.out, block)
    jars = get(spec, "jars")
    if scalar(jars) and jars is not None:
        delegate.jars(tree.value(jars), tree.out, block)


def _read_entry(tree: Tree, spec: Node, block: Block) -> None:
    words = [word for key in ("arguments", "args", "driverArgs") for word in words_of(tree, get(spec, key))]
    texts = tuple(word for word, _ in words)
    if not block.trait("apiVersion").startswith("spark.stackable."):  # that operator joins them into one line for a shell
        flags_with_values(tree, words, block)
    for key in ("mainApplicationFile", "pyFiles", "jars"):
        main = find(spec, key)
        target = scalar(main.value) if main is not None else None
        if main is not None and target and not is_null(main.value):
            kind = "python" if target.endswith(".py") or key == "pyFiles" else "jar"
            tree.out.entry(kind, target, texts, tree.span(main.value), block)
            delegate.jars(tree.value(main.value), tree.out, block)
            return
    main_class = find(spec, "mainClass")
    if main_class is not None and (name := scalar(main_class.value)):
        tree.out.entry("class", name, texts, tree.span(main_class.value), block)


def _read_variables(tree: Tree, variables: Node | None, block: Block) -> None:
    """The driver's environment, by the names of its variables, as its older form `envVars` has them."""
    for child in elements(variables):
        name, value = scalar(get(child, "name")), find(child, "value")
        if name and value is not None and scalar(value.value) is not None and not is_null(value.value):
            flink_yaml.add(tree, block, value, f"spec.driver.env.{name}")


def read_map(tree: Tree, item: Item, form: str) -> None:
    """A map of Spark options under any name: an Airflow task's `conf`, a cluster's `spark_conf`, chart values."""
    block = tree.out.block("spark", "application", form, tree.key(item), traits=(("key", item.key),), open=True)
    read_conf(tree, item, block)
