"""Kafka in YAML: Strimzi's resources, and maps of client options under any name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers import delegate, flink_yaml
from shoal.readers.kafka_names import SPRING, is_native
from shoal.readers.kubernetes import add_fields, name_of, read_mounts
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, items, scalar

if TYPE_CHECKING:
    from shoal.facts import Block

_CONSUMER = pattern(
    r"group\.id$|auto\.offset\.reset$|enable\.auto\.commit$|max\.poll\.|session\.timeout\.ms$|isolation\.level$|fetch\.|key\.deserializer$"
)
_PRODUCER = pattern(
    r"acks$|linger\.ms$|batch\.size$|delivery\.timeout\.ms$|enable\.idempotence$|transactional\.id$|transaction\.timeout\.ms$|max\.block\.ms$|key\.serializer$"
)
_RESOURCES = {
    "Kafka": ("kafka", "broker", ("spec", "kafka", "config"), ("spec", "kafka", "version"), ("spec", "kafka")),
    "KafkaConnect": ("kafka-connect", "worker", ("spec", "config"), ("spec", "version"), ("spec",)),
    "KafkaConnector": ("kafka-connect", "connector", ("spec", "config"), (), ("spec",)),
    "KafkaMirrorMaker2": ("kafka-connect", "worker", (), ("spec", "version"), ("spec",)),
}

# Stores of offsets that Debezium's operator knows, in its own order.
_STORES = ("file", "memory", "redis", "kafka", "configMap", "jdbc", "store")
MANAGES = ("metadata", "annotations", "strimzi.io/use-connector-resources")
_LABEL = ("metadata", "labels", "strimzi.io/cluster")
# `strimz.io/cluster`, `strimzi/cluster`, `strimzi.io/Cluster`: what was meant to be the label above.
_MISSPELT_LABEL = pattern(r"(?i:str[a-z]*zi?[a-z]*(?:\.[a-z]+)?[/.]cluster)")
# Resources that the operator makes users, topics and nodes of, and what it asks Cruise Control for.
_MADE = ("KafkaUser", "KafkaTopic", "KafkaNodePool", "KafkaRebalance")


# Versions of the API before the one that Strimzi 0.23 asks for.
_OLD_APIS = ("v1alpha1", "v1beta1")

# All fields of small resources in the definitions of Strimzi 0.31 to 0.51; those of a mirror are in a list.
_FIELDS = {
    "KafkaTopic": frozenset(("config", "partitions", "replicas", "topicName")),
    "KafkaConnector": frozenset(("alterOffsets", "autoRestart", "class", "config", "listOffsets", "pause", "state", "tasksMax", "version")),
}
# What v1beta2 has and v1 has not, for each as the proposal for v1 says (113, and 121 for resources).
_GONE = {
    "Kafka": (("spec", "zookeeper"), ("spec", "jmxTrans"), ("spec", "kafka", "resources")),
    "KafkaConnect": (("spec", "externalConfiguration"),),
    "KafkaConnector": (("spec", "pause"),),
}
_MIRROR = frozenset(
    (
        *(f"{name}Connector" for name in ("checkpoint", "heartbeat", "source")),
        *(f"{name}{kind}Pattern" for name in ("groups", "topics") for kind in ("", "Exclude", "Blacklist")),
        "source",
        "sourceCluster",
        "targetCluster",
    )
)


def read_resource(tree: Tree, root: Node, kind: str) -> None:
    """A Strimzi resource: its `config` as the settings, its other fields as `spec.…`."""
    _read_unknown(tree, root, kind)
    api = find(root, "apiVersion")
    if api is not None and (spoken := (scalar(api.value) or "").rpartition("/")[2]) in _OLD_APIS:
        tree.out.oddity("old-strimzi-api", spoken, tree.key(api), kind)
    if kind in _MADE:
        _read_made(tree, root, kind)
    if kind not in _RESOURCES or find(root, "spec") is None:
        if kind == "KafkaConnect":
            _read_management(tree, root)
        return
    engine, role, conf_path, version_path, field_path = _RESOURCES[kind]
    conf = find(root, *conf_path) if conf_path else None
    fields = find(root, *field_path)
    place = tree.key(conf or find(root, "kind") or next(iter(items(root))))
    traits = _traits(tree, root, kind)
    made_of = find(root, "spec", "class")
    name = scalar(made_of.value) if made_of is not None else None
    if name:
        traits.append(("class", name))
    if any(scalar(user) == "ANONYMOUS" for user in elements(get(root, "spec", "kafka", "authorization", "superUsers"))):
        traits.append(("anonymous", "trusted"))
    if find(root, "spec", "cruiseControl") is not None:
        traits.append(("cruise-control", "there"))
    block = tree.out.block(
        engine, role, "manifest", place, name_of(tree, root), traits=tuple(traits), open=any(tree.hidden(item) for item in items(root))
    )
    _read_label(tree, root, block)
    if conf is not None:
        flink_yaml.read_map(tree, conf.value, block)
    if role == "connector" and made_of is not None and name:
        flink_yaml.add(tree, block, made_of, "connector.class")  # the operator hands it to Connect as this
    add_fields(tree, block, fields, ".".join(field_path), frozenset({"config", "template", "kafka"}), lists=kind == "Kafka")
    if kind == "KafkaConnect":
        _read_volumes(tree, root, block)
        _read_management(tree, root, block.id)
    if kind == "KafkaMirrorMaker2":
        from shoal.readers import kafka_mirror

        kafka_mirror.read_resource(tree, root, block)
    if kind == "Kafka":
        add_fields(tree, block, find(root, "spec", "zookeeper"), "spec.zookeeper", frozenset({"template"}))
    version = find(root, *version_path) if version_path else None
    if version is not None and (text := scalar(version.value)):
        tree.out.dependency("field", "kafka", text, tree.span(version.value), block=block)
    image = find(fields.value, "image") if fields is not None else None
    if image is not None:
        delegate.image(scalar(image.value) or "", tree.span(image.value), tree.out, block)


def _read_unknown(tree: Tree, root: Node, kind: str) -> None:
    """Fields that a resource's definition does not have."""
    parts = [(get(root, "spec"), _FIELDS[kind], "spec")] if kind in _FIELDS else []
    if kind == "KafkaMirrorMaker2":
        parts = [(mirror, _MIRROR, "spec.mirrors[]") for mirror in elements(get(root, "spec", "mirrors"))]
    for node, known, path in parts:
        for item in items(node):
            if item.key not in known and item.key.isidentifier():
                tree.out.oddity("unknown-strimzi-field", f"{path}.{item.key}", tree.key(item), kind)
    gone = _GONE.get(kind, ()) if scalar(get(root, "apiVersion")) == "kafka.strimzi.io/v1" else ()
    for way in gone:
        if (entry := find(root, *way)) is not None:
            tree.out.oddity("unknown-strimzi-field", ".".join(way), tree.key(entry), f"{kind} of v1")


def read_server(tree: Tree, root: Node) -> None:
    """A `DebeziumServer` of Debezium's operator: the source's `config` as a connector's settings, and where the operator puts the offsets.

    The trait `offsets` is the first store that `spec.source.offset` names, `storage` the type of the volume for data; either may be missing.
    """
    source = get(root, "spec", "source")
    conf, made_of = find(source, "config"), find(source, "class")
    place = conf or made_of or find(root, "kind")
    if place is None:
        return
    named = next((name for name in _STORES if find(source, "offset", name) is not None), "")
    data = get(root, "spec", "runtime", "storage", "data", "type") or get(root, "spec", "storage", "type")
    traits = [
        ("program", "debezium-server"),
        ("kind", "DebeziumServer"),
        ("offsets", named),
        ("storage", (scalar(data) or "") if data is not None else ""),
    ]
    if made_of is not None and (name := scalar(made_of.value)):
        traits.append(("class", name))
    hidden = any(tree.hidden(item) for item in items(root))
    traits += [("hidden", "true")] if hidden else []
    # variables may add to it, and so may the operator's own lists of transformations
    block = tree.out.block("kafka-connect", "connector", "manifest", tree.key(place), name_of(tree, root), traits=tuple(traits), open=True)
    if conf is not None:
        flink_yaml.read_map(tree, conf.value, block)
    if made_of is not None:
        flink_yaml.add(tree, block, made_of, "connector.class")
    add_fields(tree, block, find(source, "offset"), "spec.source.offset")
    if image := find(root, "spec", "image"):
        delegate.image(scalar(image.value) or "", tree.span(image.value), tree.out, block)


def _read_management(tree: Tree, root: Node, worker: str = "") -> None:
    """Whether the operator makes connectors of resources: it does so only where an annotation says so."""
    metadata, told = find(root, "metadata"), find(root, *MANAGES)
    place = told or find(root, "metadata", "name")
    if metadata is None or place is None:
        return
    value = scalar(told.value) if told is not None else "true" if tree.hidden(metadata) else "false"
    kind = "connectors-unmanaged" if value == "false" else "connectors-managed"
    tree.out.facts.append(Usage(kind, name_of(tree, root), tree.out.place(tree.span(place.value)), worker))


def _read_volumes(tree: Tree, root: Node, worker: Block) -> None:
    """What is mounted for connectors: volumes by their names in a folder of Strimzi's, and those of the pod's template."""
    for volume in elements(get(root, "spec", "externalConfiguration", "volumes")):
        named = find(volume, "name")
        if named is not None and (name := scalar(named.value)):
            kind = "secret" if get(volume, "secret") is not None else "configMap"
            tree.out.mount(f"/opt/kafka/external-configuration/{name}", kind, name, tree.span(named.value), worker)
    template = get(root, "spec", "template")
    container = get(template, "connectContainer")
    if container is not None:
        read_mounts(tree, get(template, "pod"), worker, [container])


def _read_made(tree: Tree, root: Node, kind: str) -> None:
    """A user, a topic, a pool of nodes or a rebalance, and the cluster that it is for."""
    place = find(root, "metadata", "name") or find(root, "kind")
    if place is None:
        return
    roles = ",".join(filter(None, map(scalar, elements(get(root, "spec", "roles")))))
    traits = (*_traits(tree, root, kind), ("roles", roles))
    opened = any(tree.hidden(item) for item in items(root))
    block = tree.out.block("kubernetes", kind.lower(), "manifest", tree.key(place), name_of(tree, root), traits=traits, open=opened)
    _read_label(tree, root, block)
    add_fields(tree, block, find(root, "spec"), "spec", frozenset({"template"}), lists=kind == "KafkaNodePool")


def _traits(tree: Tree, root: Node, kind: str) -> list[tuple[str, str]]:
    """What a resource of Strimzi is, where, and which cluster it is for."""
    namespace, cluster = tree.shown(get(root, "metadata", "namespace")), tree.shown(get(root, *_LABEL))
    traits = [("kind", kind), ("operator", "strimzi"), ("namespace", namespace), ("cluster", cluster)]
    if find(root, "spec", "plugins") is not None:
        traits.append(("plugins", "there"))  # of a KafkaConnect: mounted from images of their own
    for trait in ("managed", "node-pools"):
        if value := scalar(get(root, "metadata", "annotations", f"strimzi.io/{trait}")):
            traits.append((trait, value))
    return traits


def _read_label(tree: Tree, root: Node, block: Block) -> None:
    """Where a resource says which cluster it is for."""
    label = find(root, *_LABEL)
    if label is not None and (name := scalar(label.value)):
        tree.out.facts.append(Usage("cluster-label", name, tree.out.place(tree.span(label.value)), block.id))
    for item in items(get(root, *_LABEL[:2])) if label is None else ():
        if _MISSPELT_LABEL.fullmatch(item.key):
            tree.out.facts.append(Usage("cluster-label-misspelt", item.key, tree.out.place(tree.key(item)), block.id))


def read_map(tree: Tree, item: Item, form: str) -> None:
    """A map of client options; what it is for shows in its keys or its name, if at all."""
    keys = [child.key for child in items(item.value)]
    name = item.key.lower()
    consumes = any(_CONSUMER.match(key) for key in keys) or "consumer" in name
    produces = any(_PRODUCER.match(key) for key in keys) or "producer" in name
    role = "client" if consumes == produces else "consumer" if consumes else "producer"
    traits = (("key", item.key), *([("library", "confluent-kafka")] if is_native(keys) else []))
    block: Block = tree.out.block("kafka", role, form, tree.key(item), traits=traits, open=True)
    flink_yaml.read_map(tree, item.value, block)


def is_spring(node: Node) -> bool:
    """Spring Boot's `spring.kafka`: told by its spelling of the broker list, or by a client's properties."""
    paths = ((), ("consumer",), ("producer",), ("streams",))
    return get(node, "listener", "ack-mode") is not None or any(
        get(node, *path, name) is not None
        for path in paths
        for name in ("bootstrap-servers", "group-id", "auto-offset-reset", "key-serializer", "application-id")
    )


def read_spring(tree: Tree, item: Item) -> None:
    """`spring.kafka` as a consumer, a producer and an application of Kafka Streams; what stands above them is for all."""
    for name in ("ack-mode", "ackMode", "ack_mode"):
        if (mode := find(item.value, "listener", name)) is not None and (told := scalar(mode.value)) is not None:
            tree.out.facts.append(Usage("ack-mode", told, tree.out.place(tree.key(mode))))
    for name in ("transaction-id-prefix", "transactionIdPrefix", "transaction_id_prefix"):
        if (prefix := find(item.value, "producer", name)) is not None:  # a failed send fails the transaction
            tree.out.facts.append(Usage("template-watched", name, tree.out.place(tree.key(prefix))))
    for role in ("consumer", "producer", "streams"):
        part = find(item.value, role)
        if part is None or not is_mapping(part.value):
            continue
        traits = (("framework", "spring"),)
        block = tree.out.block("kafka", role, "yaml", tree.key(part), traits=traits, open=True)
        for source in (item.value, part.value):
            for child in items(source):
                if child.key in SPRING and not is_mapping(child.value) and (source is part.value or get(part.value, child.key) is None):
                    flink_yaml.add(tree, block, child, SPRING[child.key])
            flink_yaml.read_map(tree, get(source, "properties"), block)
