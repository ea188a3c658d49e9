"""Resources of Confluent's operator for Kubernetes: a broker's or a worker's options as a list of `key=value`, and connectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.readers import delegate, flink_yaml
from shoal.readers.command_words import Word, add_pair
from shoal.readers.kubernetes import add_fields, name_of
from shoal.readers.yaml_tree import elements, find, get, items, scalar

if TYPE_CHECKING:
    from shoal.readers.yaml_tree import Node, Tree

_ROLES = {"Kafka": ("kafka", "broker"), "Connect": ("kafka-connect", "worker"), "Connector": ("kafka-connect", "connector")}


def read_resource(tree: Tree, root: Node, kind: str) -> None:
    """What a resource says of options; the operator adds many of its own, so that what is missing proves nothing. The listeners are settings by their paths."""
    engine, role = _ROLES[kind]
    spec = get(root, "spec")
    conf = find(spec, "configs") if role == "connector" else find(spec, "configOverrides", "server")
    place = conf or find(root, "metadata", "name") or find(root, "kind")
    if spec is None or place is None:
        return
    traits = [("kind", kind), ("operator", "confluent"), ("namespace", scalar(get(root, "metadata", "namespace")) or "")]
    made_of = find(spec, "class")
    if made_of is not None and (name := scalar(made_of.value)):
        traits.append(("class", name))
    hidden = role != "connector" or any(tree.hidden(item) for item in items(root))
    block = tree.out.block(engine, role, "manifest", tree.key(place), name_of(tree, root), traits=tuple(traits), open=hidden)
    if role == "connector":
        if conf is not None:
            flink_yaml.read_map(tree, conf.value, block)
        if made_of is not None:
            flink_yaml.add(tree, block, made_of, "connector.class")
        if tasks := find(spec, "taskMax"):
            flink_yaml.add(tree, block, tasks, "tasks.max")
        return
    add_fields(tree, block, find(spec, "listeners"), "spec.listeners")
    for child in elements(conf.value if conf is not None else None):
        text = tree.value(child)
        if "=" in text.text:
            add_pair(tree.out, block, Word(text.text, text))
    if image := find(spec, "image", "application"):
        delegate.image(scalar(image.value) or "", tree.span(image.value), tree.out, block)
