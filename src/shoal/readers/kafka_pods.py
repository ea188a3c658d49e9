"""What Kubernetes itself puts into the variables of Kafka's containers: the addresses of services, and the pod's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers.namespaces import namespace_of
from shoal.readers.yaml_tree import elements, find, get, scalar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.facts import Block
    from shoal.readers.yaml_tree import Node, Tree

# Images whose start ends at a variable that Kubernetes makes for each service, `<SERVICE>_PORT`, and the name of the service whose it is.
# Source: `configure` in the images (confluentinc/kafka-images, schema-registry-images).
_STOPS = (
    (pattern(r"(?:^|/)confluentinc/(?:cp-(?:enterprise-)?kafka|cp-server)(?::|@|$)"), "kafka"),
    (pattern(r"(?:^|/)confluentinc/cp-schema-registry(?::|@|$)"), "schema-registry"),
)
# Images that take the id as it is.
_PLAIN = pattern(r"(?:^|/)(?:confluentinc/cp-|(?:apache|bitnami|bitnamilegacy|wurstmeister)/kafka(?::|@|$))")
_OWN_START = "confluent/docker/run"
BROKER_ID = ("KAFKA_NODE_ID", "KAFKA_BROKER_ID", "KAFKA_CFG_NODE_ID", "KAFKA_CFG_BROKER_ID")


def variable_of(service: str) -> str:
    return f"{service.upper().replace('-', '_')}_PORT"


def read_links(tree: Tree, root: Node, pod: Node | None, container: Node, image: str, words: list[str]) -> None:
    """`service-links` for a container that ends when its namespace has a service of that name: `namespace/name`, at the image."""
    service = next((name for images, name in _STOPS if images.search(image)), None)
    at = find(container, "image")
    if service is None or at is None or (scalar(get(pod, "enableServiceLinks")) or "").lower() == "false":
        return
    variable = variable_of(service)
    told = {scalar(get(entry, "name")) for entry in elements(get(container, "env"))}
    if variable in told or any(variable in word for word in words):
        return
    if get(container, "command") is not None and not any(_OWN_START in word for word in words):
        return  # the image's own start, that looks, is replaced
    tree.out.facts.append(Usage("service-links", f"{namespace_of(root)}/{service}", tree.out.place(tree.span(at.value))))


def read_named(tree: Tree, root: Node, name: str) -> None:
    """`service-named` for a service with an address of its own: only of those do pods get variables."""
    at = find(root, "metadata", "name")
    headless = (scalar(get(root, "spec", "clusterIP")) or "").lower() == "none" or scalar(get(root, "spec", "type")) == "ExternalName"
    if at is not None and not headless and any(name == service for _, service in _STOPS):
        tree.out.facts.append(Usage("service-named", f"{namespace_of(root)}/{name}", tree.out.place(tree.span(at.value))))


def read_pod_name(tree: Tree, container: Node, words: Iterable[str], broker: Block) -> None:
    """An oddity for a broker whose id is the name of its pod, `kafka-0`; not where the container's own command makes a number of it."""
    said = " ".join(words)
    if not _PLAIN.search(scalar(get(container, "image")) or ""):
        return  # the start of somebody else's image may make a number of it
    for entry in elements(get(container, "env")):
        name, path = scalar(get(entry, "name")) or "", find(entry, "valueFrom", "fieldRef", "fieldPath")
        if name in BROKER_ID and name not in said and path is not None and scalar(path.value) == "metadata.name":
            tree.out.oddity("broker-id-of-pod", name, tree.span(path.value), block=broker)
