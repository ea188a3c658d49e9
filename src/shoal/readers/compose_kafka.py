"""Services of docker-compose files that run a Kafka broker, what lasts of them, and who asks for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.facts import Block, Usage
from shoal.lazy import pattern
from shoal.readers import compose_service, images, kafka_container
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, is_sequence, items, scalar

if TYPE_CHECKING:
    from collections.abc import Iterator


_QUORUM = tuple(f"KAFKA_{name}" for way in ("", "CFG_") for name in (f"{way}ZOOKEEPER_CONNECT", f"{way}CONTROLLER_QUORUM_VOTERS"))
# Where the images of stores have their data.
_STORE_DATA = pattern(r"^/(?:var/lib|bitnami)/[\w-]+(?:/data)?/?$|^/data/db/?$")
_DATA_AT_ROOT = pattern(r"(?:^|/)(?:minio|redis|redis-stack)(?::|@|$)")
_BROKER_VOLUME = pattern(
    r"(?!.*(?:zoo|mqtt|rabbit|amq))(?:\w+[-_])?(?:kafka|broker)(?:[-_]?(?:\d+|broker|kafka|data|logs?|storage|volume|vol|kraft|combined))*"
)
# The name of a variable is no host's: `${BROKERS-kafka:9092}`.
_HOST = pattern(r"(?<![\w.\-{$])([\w.\-]{1,253}):[0-9]{2,5}\b")
_SERVED = ("http://", "https://")  # Confluent's metadata service has bootstrap servers, too, which speak HTTP
_TOLD = pattern(r"KAFKA_(?:\w+_)?(?:BOOTSTRAP|BROKER)")
_BROKERS = pattern(r"BOOTSTRAP|BROKER(?!_ID)|KAFKA_(?:HOST|URL|ADDR|SERVER)")
_OF_HOST = pattern(r"EXTERNAL|PUBLIC|HOST_|ADVERTISED|LISTENER|MQTT|CELERY|RABBIT|AMQP|REDIS")
_ITSELF = pattern(r"(?:\w+://)?(?:localhost|127\.0\.0\.1):(\d{2,5})/?")
_REGISTRY = pattern(r"SCHEMA_?REGISTRY")
_OF_CONVERTER = pattern(r"(\w+_CONVERTER)_SCHEMA_REGISTRY_URL")
_WITHOUT_SCHEMA = pattern(r"[\w.]*\.(?:Json|String|ByteArray)Converter")
_REGISTRIES = pattern(r"schema-?registry|apicurio|karapace", re.IGNORECASE)
_OF_ZOOKEEPER = "SCHEMA_REGISTRY_KAFKASTORE_CONNECTION_URL"
_FILES = pattern(r"/mnt|/etc|/opt/kafka/?$|/opt/kafka/config")
_CONFIGURED = ("env_file", "extends", "configs", "volumes_from", "build", "network_mode")
_BARE = pattern(r"[A-Za-z][\w-]*")
_PORTS = pattern(r"(?:[\d.]+:|\[[\w:]*\]:)?(\d+):(\d+)(?:/tcp)?")


def is_configured(tree: Tree, service: Node) -> bool:
    """Whether a broker may have a configuration that is not its image's own, beside what its environment says."""
    return any(get(service, key) is not None for key in _CONFIGURED) or any(
        _FILES.match(path) for _, path, _, _ in compose_service.volumes(tree, service)
    )


def has_client(tree: Tree, services: list[Item]) -> bool:
    """Whether a service is told of Kafka's brokers, wherever these run."""
    nodes = [service.value for service in services if is_mapping(service.value)] if "kafka" in tree.source.lower() else []
    return any(_TOLD.search(one.name) for node in nodes for one in compose_service.environment(tree, node)[0])


def read_kept(tree: Tree, root: Node, services: list[Item]) -> None:
    """What lasts beside a broker: stores with a volume, and volumes for a broker that no service mounts."""
    mounted: set[str] = set()
    elsewhere = get(root, "include") is not None
    for service in services:
        node = service.value
        elsewhere = elsewhere or get(node, "extends") is not None
        kept = [volume for volume in compose_service.volumes(tree, node) if volume[0] in ("named", "bind")]
        mounted.update(name for kind, _, name, _ in kept if kind == "named")
        about = compose_service.said(node)
        image = compose_service.resolved(scalar(get(node, "image")) or "")
        # a folder of the host is as often one of scripts, unless it lies where stores have their data
        places = {
            path: span
            for kind, path, _, span in kept
            if kind == "named" or _STORE_DATA.search(path) or (path.rstrip("/") == "/data" and _DATA_AT_ROOT.search(image))
        }
        if at := kafka_container.data_path(image, service.key, about, places):
            tree.out.facts.append(Usage("keeps-data", service.key, tree.out.place(places[at])))
    for volume in items(get(root, "volumes")):
        if _BROKER_VOLUME.fullmatch(volume.key) and volume.key not in mounted and not elsewhere:
            tree.out.facts.append(Usage("unused-volume", volume.key, tree.out.place(tree.key(volume))))


def read_written(tree: Tree, service: Item, block: Block | None) -> Block | None:
    """What the broker's own command writes into the file that it starts with, and whether it may do so twice."""
    node, flags = service.value, ""
    for entry in filter(None, (find(node, key) for key in ("entrypoint", "command"))):
        for one in elements(entry.value) if is_sequence(entry.value) else [entry.value]:
            text = tree.value(one) if scalar(one) is not None else None
            body = kafka_container.started_with(text) if text is not None else None
            if text is not None and body is not None:
                from shoal.readers import properties

                traits = (("container", "true"), ("command", text.text.split()[0]))
                block = tree.out.block("kafka", "broker", "compose", tree.key(service), service.key, traits=traits, open=block is not None)
                properties.add(properties.parse(body), body, tree.out, block)
            if text is not None and (at := kafka_container.formats_again(text, flags)) is not None:
                tree.out.oddity("formatted-again", service.key, at, scalar(get(node, "restart")) or "", block)
            flags += f" {scalar(one) or ''}"
    return block


def broker_traits(
    broker: Item,
    services: dict[str, Node],
    users: dict[str, list[str]],
    known: str,
    variables: dict[str, compose_service.Variable],
    words: list[str],
    ref: str,
    templated: bool,
) -> tuple[tuple[str, str], ...]:
    """What the file says of a broker beside its settings.

    `tool`: the service runs something else of the image; `command`: how it starts the broker, when it says so; `cluster`: its ZooKeeper, or its controllers, are services of this file;
    `asked-by`: the service that comes to it by its name; `hosts`: the names by which it is found on the network of the file; `neighbours`: those of
    all services, where a name that is none of these means nothing to it; `hostname`: the one that its container is given, else each new one has
    another; `published`: its ports on the host, as `29092:9092` with the container's behind; `ports`: `open` where there are more than these;
    `image`: the name of its image, where the tag is a variable; `hidden`: `variables` where nothing but these may come from another file.
    """
    if kafka_container.is_tool(words):
        return (("tool", "true"),)
    named = next((variables[name] for name in _QUORUM if name in variables), None)
    hosts = {entry.rpartition("@")[2].partition(":")[0].strip() for entry in named.value.text.split(",")} if named else set()
    whole = bool(hosts) and all(host == "localhost" or host in services for host in hosts)
    names = compose_service.hosts(broker.key, broker.value)
    alone = scalar(get(broker.value, "network_mode")) == "host"
    user = next((user for name in names for user in users.get(name, ()) if user != broker.key and not alone), "")
    traits = {
        "cluster": "whole" if whole else "",
        "asked-by": user,
        "command": words[0] if words else "",
        "hosts": "" if alone else " ".join(names),
        "neighbours": compose_service.neighbours(broker, known, templated),
        "published": " ".join(published := list(_published(broker.value))),
        "ports": "open" if len(published) < len(elements(get(broker.value, "ports"))) else "",
        "hostname": scalar(get(broker.value, "hostname")) or ("host" if alone else ""),
        "image": image.name if "$" in ref and (image := images.parse(ref)) and "$" not in image.name else "",
        "hidden": "variables"
        if get(broker.value, "env_file") is not None and get(broker.value, "extends") is None and not templated
        else "",
    }
    return tuple((name, value) for name, value in traits.items() if value)


def _published(service: Node) -> Iterator[str]:
    """Ports of the host and of the container, as far as both are known."""
    for node in elements(get(service, "ports"))[:100]:
        text = compose_service.resolved(scalar(node) or f"{scalar(get(node, 'published')) or ''}:{scalar(get(node, 'target')) or ''}")
        if found := _PORTS.fullmatch(text):
            yield f"{found[1]}:{found[2]}"


def read_asked(tree: Tree, services: list[Item]) -> None:
    """What services on the network of the file are told in their environment: `host:port` of another one."""
    hosts = {name for service in services for name in compose_service.hosts(service.key, service.value)}
    for service in services:
        if not is_mapping(service.value) or get(service.value, "network_mode") is not None:
            continue
        for variable in compose_service.environment(tree, service.value)[0]:
            # where a broker listens is nothing that a client asks: tools of its image have the variables of the broker, copied
            for found in _HOST.finditer(variable.value.text) if not variable.name.endswith("LISTENERS") else ():
                if found[1] in hosts and found[1] not in compose_service.hosts(service.key, service.value):
                    place = tree.out.place(variable.value.span(found.start(), found.end()), label=service.key)
                    tree.out.facts.append(Usage("asks-host", found.group(), place))
                    served = variable.value.text[: found.start()].lower().endswith(_SERVED)
                    if _BROKERS.search(variable.name) and not served:
                        tree.out.facts.append(Usage("asks-broker", found.group(), place))


def read_lonely(tree: Tree, services: list[Item], brokers: list[Node]) -> None:
    """What containers with a network of their own are told of brokers, and of a schema registry: nothing but themselves, at a port of another service."""
    if not brokers or not _ITSELF.search(tree.source):
        return
    known = " ".join(map(compose_service.said, brokers))
    registries = {service.key: compose_service.said(service.value) for service in services if _is_registry(service)}
    served = " ".join([*registries.values(), *(said for said in map(compose_service.said, brokers) if "redpanda" in said)])
    for service in services:
        node = service.value
        if not is_mapping(node) or not compose_service.has_own_localhost(node):
            continue
        for variable in _told(tree, node):
            if _OF_HOST.search(variable.name):
                continue
            if _REGISTRY.search(variable.name) and not _BROKERS.search(variable.name):
                kind, there = "registry-at-itself", "" if service.key in registries else served
            elif _BROKERS.search(variable.name):
                kind, there = "asks-itself", known
            else:
                continue
            found = [_ITSELF.fullmatch(entry.strip()) for entry in variable.value.text.split(",")]
            if all(one is not None and f":{one[1]}" in there for one in found):
                place = tree.out.place(variable.value.span(0, len(variable.value.text)), label=service.key)
                tree.out.facts.append(Usage(kind, variable.value.text, place))


def _told(tree: Tree, service: Node) -> Iterator[compose_service.Variable]:
    """Its variables, but for the registry of a converter that asks none: Connect's plain JSON, text and bytes have no schema to look up."""
    variables = compose_service.environment(tree, service)[0]
    said = {variable.name: variable.value.text for variable in variables}
    for variable in variables:
        of = _OF_CONVERTER.fullmatch(variable.name)
        if of is None or not _WITHOUT_SCHEMA.fullmatch(said.get(of[1], "").strip()):
            yield variable


def read_unknown(tree: Tree, root: Node, services: list[Item], known: str) -> None:
    """What services beside a broker are told of brokers and registries under a name that no service of the file has, or none on their networks, and the names that they have.

    Networks of others, and files that this one includes, may have more names; one without a broker of its own is there to be given together with others.
    """
    networks = [item.value for item in items(get(root, "networks"))]
    if get(root, "include") is not None or any(get(network, "external") is not None for network in networks if is_mapping(network)):
        return
    every = " ".join(name for service in services for name in compose_service.hosts(service.key, service.value))
    tree.out.facts.append(Usage("compose-hosts", every, tree.out.place(tree.key(services[0]))))
    names = set(known.split())

    def apart(service: Item, host: str) -> bool:
        """Whether none of the services that are called so is on a network of this one."""
        called = [one.value for one in services if host in compose_service.hosts(one.key, one.value)]
        own = compose_service.networks(root, service.value)
        return bool(own) and all((on := compose_service.networks(root, one)) and not own & on for one in called)

    for service in services:
        if not is_mapping(service.value) or not compose_service.neighbours(service, known, tree.hidden(service)):
            continue
        for variable in _told(tree, service.value):
            if _OF_HOST.search(variable.name) or not (_BROKERS.search(variable.name) or _REGISTRY.search(variable.name)):
                continue
            for found in _HOST.finditer(variable.value.text):
                if not _BARE.fullmatch(found[1]) or found[1] == "localhost":
                    continue
                kind = "asks-unknown-host" if found[1] not in names else "asks-across-networks" if apart(service, found[1]) else ""
                if kind:
                    place = tree.out.place(variable.value.span(found.start(), found.end()), label=service.key)
                    tree.out.facts.append(Usage(kind, found.group(), place))


def read_registries(tree: Tree, services: list[Item]) -> None:
    """Schema registries that are told of ZooKeeper and of no brokers, with their images."""
    for service in services if _OF_ZOOKEEPER in tree.source else ():
        node = service.value
        if (
            not is_mapping(node)
            or tree.hidden(service)
            or any(get(node, key) is not None for key in ("build", "command", "entrypoint", "extends"))
        ):
            continue
        told = {variable.name: variable for variable in compose_service.environment(tree, node)[0]}
        image = compose_service.resolved(scalar(get(node, "image")) or "")
        if _OF_ZOOKEEPER in told and image and not any("BOOTSTRAP_SERVERS" in name for name in told):
            variable = told[_OF_ZOOKEEPER]
            tree.out.facts.append(Usage("registry-of-zookeeper", image, tree.out.place(variable.value.span(0, len(variable.value.text)))))


def _is_registry(service: Item) -> bool:
    """Whether a service is a schema registry, by its image, or by its own name where it has none."""
    named = scalar(get(service.value, "image")) if is_mapping(service.value) else None
    return _REGISTRIES.search(named or service.key) is not None


def users_of(tree: Tree, services: dict[str, Node]) -> dict[str, list[str]]:
    """The services that name a host with a port, by host."""
    found: dict[str, list[str]] = {}
    for name, node in services.items():
        for host in dict.fromkeys(_HOST.findall(compose_service.said(node))):
            found.setdefault(host, []).append(name)
    return found
