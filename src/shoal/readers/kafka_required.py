"""Variables without which the start scripts of some images give up before they start anything."""

from __future__ import annotations

from shoal.lazy import pattern
from shoal.readers import compose_service
from shoal.readers.yaml_tree import Node, Tree, elements, find, get, scalar

_CONNECT = (
    *("CONNECT_BOOTSTRAP_SERVERS", "CONNECT_GROUP_ID", "CONNECT_KEY_CONVERTER", "CONNECT_VALUE_CONVERTER"),
    *("CONNECT_CONFIG_STORAGE_TOPIC", "CONNECT_OFFSET_STORAGE_TOPIC", "CONNECT_STATUS_STORAGE_TOPIC", "CONNECT_REST_ADVERTISED_HOST_NAME"),
)
# What an image asks for, in the order in which it does; of those with a bar between them one is enough.
# Source: include/etc/confluent/docker/configure of confluentinc/kafka-images and schema-registry-images; start-kafka.sh of wurstmeister/kafka.
_REQUIRED = (
    (pattern(r"^(?:docker\.io/)?confluentinc/cp-(?:kafka|server)-connect(?:-base)?(?::|@|$)"), _CONNECT),
    (
        pattern(r"^(?:docker\.io/)?confluentinc/cp-schema-registry(?::|@|$)"),
        ("SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS|SCHEMA_REGISTRY_KAFKASTORE_CONNECTION_URL", "SCHEMA_REGISTRY_HOST_NAME"),
    ),
    (pattern(r"^(?:docker\.io/)?confluentinc/cp-zookeeper(?::|@|$)"), ("ZOOKEEPER_CLIENT_PORT|ZOOKEEPER_SECURE_CLIENT_PORT",)),
    (pattern(r"^(?:docker\.io/)?wurstmeister/kafka(?::|@|$)"), ("KAFKA_ZOOKEEPER_CONNECT",)),
)
_ALONE = pattern(r"(?:^|[\\/])(?:docker-)?compose\.ya?ml$")
# What changes what a service or a container starts, or where its variables come from.
_ELSEWHERE = ("build", "command", "entrypoint", "args", "env_file", "envFrom", "extends", "links")


def read_service(tree: Tree, name: str, service: Node) -> None:
    """A service of a compose file that is read alone."""
    if _ALONE.search(tree.out.path):
        _read(tree, name, service, compose_service.resolved(scalar(get(service, "image")) or ""))


def read_container(tree: Tree, name: str, container: Node) -> None:
    """A container of a pod."""
    _read(tree, name, container, scalar(get(container, "image")) or "")


def _read(tree: Tree, name: str, node: Node, ref: str) -> None:
    image = find(node, "image")
    if image is None or tree.out.templated or any(get(node, key) is not None for key in _ELSEWHERE):
        return
    asked = next((asked for known, asked in _REQUIRED if known.search(ref)), ())
    # A name that stands anywhere in the file may come here by an anchor; one without a value comes from whoever starts this.
    missing = [names.split("|")[0] for names in asked if not any(one in tree.source for one in names.split("|"))]
    if missing and not _scripted(node):
        detail = f"{name}: {ref.partition(':')[0].partition('@')[0]}"
        tree.out.oddity("required-variable", ", ".join(missing), tree.span(image.value), detail)


def _scripted(node: Node) -> bool:
    """Whether something of one's own may be mounted over the image's scripts."""
    mounted = [
        scalar(one) or scalar(get(one, "target")) or scalar(get(one, "mountPath")) or ""
        for key in ("volumes", "volumeMounts")
        for one in elements(get(node, key))
    ]
    return any("/etc/confluent" in one or one.endswith(".sh") or "start-kafka" in one for one in mounted)
