"""MirrorMaker 2: its properties (`connect-mirror-maker.sh`), and the flows of Strimzi's KafkaMirrorMaker2.

By MirrorMakerConfig: `clusters` names the clusters, `A.…` is told to one of them, `A->B.…` to what copies from A to B. A flow of another cluster than those is
never asked for, and neither is most of what stands there without a name before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.readers import flink_yaml, properties
from shoal.readers.properties import Entry
from shoal.readers.yaml_tree import Node, Tree, elements, find, get, is_mapping, items, scalar

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading
    from shoal.text import Text

_ARROW = "->"
# What a cluster's clients are told alike; the rest is for a worker or a connector.
_SHARED = pattern(r"bootstrap\.servers$|security\.|ssl\.|sasl\.")
# The service of a Strimzi cluster for its clients.
_OF_STRIMZI = pattern(r"([\w.-]+?)-kafka-bootstrap(?:\.[\w.-]+)?:\d+$")
_CONNECTORS = ("sourceConnector", "checkpointConnector", "heartbeatConnector")
_PATTERNS = {
    "topicsPattern": "topics",
    "groupsPattern": "groups",
    "topicsExcludePattern": "topics.exclude",
    "groupsExcludePattern": "groups.exclude",
}


def is_mirror(entries: list[Entry]) -> bool:
    """Told by the list of clusters beside a flow, or the brokers of one of them."""
    found = _listed(entries)
    if found is None:
        return False
    keys = {entry.key for entry in entries}
    return any(_ARROW in key for key in keys) or any(f"{name}.bootstrap.servers" in keys for name in names(found.value))


def _listed(entries: list[Entry]) -> Entry | None:
    """The list of clusters: of several, properties keep the last."""
    return next((entry for entry in reversed(entries) if entry.key == "clusters"), None)


def names(value: str) -> list[str]:
    """The clusters of a list."""
    return [name.strip() for name in value.split(",") if name.strip()]


def read(entries: list[Entry], text: Text, out: Reading) -> None:
    """The file as a `maker`, each cluster and each flow as a block in it, without their names in the keys."""
    listed = _listed(entries)
    if listed is None:
        return
    clusters = sorted(names(listed.value), key=len, reverse=True)
    parts: dict[tuple[str, str], list[Entry]] = {("maker", ""): []}
    for entry in entries:
        role, name, cut = _part(entry.key, clusters)
        parts.setdefault((role, name), []).append(_cut(entry, cut))
    maker = out.block(
        "kafka-mirror", "maker", "properties", text.span(*listed.key_at), traits=(("clusters", ",".join(names(listed.value))),)
    )
    for (role, name), own in parts.items():
        if role == "maker":
            properties.add(own, text, out, maker)
            continue
        block = out.block("kafka-mirror", role, "properties", text.span(*own[0].key_at), name, maker)
        properties.add(own, text, out, block)
        shared = [entry for entry in own if role == "cluster" and _SHARED.match(entry.key)]
        if shared:
            client = out.block(
                "kafka",
                "admin",
                "properties",
                text.span(*shared[0].key_at),
                name,
                block,
                (("library", "java"), ("host", "kafka-mirror")),
                open=True,
            )
            properties.add(shared, text, out, client)


def _part(key: str, clusters: list[str]) -> tuple[str, str, int]:
    """What an option is told to, and how long the name before it is."""
    source, arrow, rest = key.partition(_ARROW)
    if arrow and source:
        target = next((name for name in clusters if rest.startswith(f"{name}.")), rest.partition(".")[0])
        return "flow", f"{source}{_ARROW}{target}", min(len(source) + len(_ARROW) + len(target) + 1, len(key))
    for name in clusters:
        if key.startswith(f"{name}."):
            return "cluster", name, len(name) + 1
    return "maker", "", 0


def _cut(entry: Entry, length: int) -> Entry:
    """An entry without the name before its key; where escapes make the key longer in the text, its place is that of the whole."""
    start, end = entry.key_at
    plain = end - start == len(entry.key)
    return entry._replace(key=entry.key[length:], key_at=(start + length, end) if plain else entry.key_at)


def read_resource(tree: Tree, root: Node, maker: Block) -> None:
    """The flows of a resource of Strimzi's: each connector as a block, which is told what stands in its own `config` and no more."""
    for mirror in elements(get(root, "spec", "mirrors"))[:1000]:
        if not is_mapping(mirror) or not items(mirror):
            continue
        source = scalar(get(mirror, "sourceCluster")) or scalar(get(mirror, "source", "alias")) or ""
        target = scalar(get(mirror, "targetCluster")) or scalar(get(root, "spec", "target", "alias")) or ""
        hidden = any(tree.hidden(item) for item in items(mirror))
        traits = (("operator", "strimzi"), ("enabled", "true"))
        place = tree.key(items(mirror)[0])
        flow = tree.out.block("kafka-mirror", "flow", "manifest", place, f"{source}{_ARROW}{target}", maker, traits, open=hidden)
        if (address := _address(root, target)) is not None and (named := _OF_STRIMZI.match(scalar(address) or "")):
            tree.out.facts.append(Usage("mirror-target", named[1], tree.out.place(tree.span(address)), flow.id))
        for item in items(mirror):
            if item.key in _PATTERNS:
                flink_yaml.add(tree, flow, item, _PATTERNS[item.key])
        for name in _CONNECTORS:
            connector = find(mirror, name)
            if connector is not None and is_mapping(connector.value):
                made = (("connector", name.removesuffix("Connector")),)
                block = tree.out.block("kafka-mirror", "connector", "manifest", tree.key(connector), flow.name, flow, made, open=hidden)
                flink_yaml.read_map(tree, get(connector.value, "config"), block)


def _address(root: Node, alias: str) -> Node | None:
    """Where a resource says that the brokers of a cluster are."""
    entries = [*elements(get(root, "spec", "clusters"))[:1000], *filter(None, (get(root, "spec", "target"),))]
    return next((get(entry, "bootstrapServers") for entry in entries if scalar(get(entry, "alias")) == alias), None)
