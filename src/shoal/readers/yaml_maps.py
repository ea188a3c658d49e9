"""Confs, images and scripts that stand somewhere in YAML of no known kind: chart values, job definitions, patches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.lazy import pattern
from shoal.readers import delegate, flink_yaml
from shoal.readers.embedded import FLINK_CONF, read_file, read_properties, read_unnamed
from shoal.readers.yaml_tree import MAX_NODES, Item, Node, Tree, elements, find, get, is_mapping, items, kind_and_version, scalar

_IMAGE = pattern(r"flink|spark|kafka|beam", re.IGNORECASE)
_TAGGED = pattern(r"[:@][^/]*$")  # an image with its tag or digest
_COMMAND = pattern(
    r"\b(?:spark-submit|FLINK_PROPERTIES|flink\s+run|sql-client\.sh|pyflink|standalone-job|(?:yarn|kubernetes)-session\.sh|gcloud\s+dataflow)\b|"
    r"\bhelm\s[^\n]{0,200}/flink-kubernetes-operator|--runner[= ]\w*(?:Flink|Spark|Portable)Runner"
)
_SPARK_CONF = pattern(r"spark[-_]?conf(?:ig)?$", re.IGNORECASE)
_SPARK_OPERATOR = "spark.kubernetes.operator."  # how the operator itself works, which no application reads
_COORDINATES = frozenset({"packages", "coordinates", "spark_packages", "jars_packages"})
# Options that nothing but a Kafka client has, by what a map without a list of brokers is called then.
_CLIENTS = {
    "producer": re.compile(
        r"(?:linger\.ms|batch\.(?:size|num\.messages)|buffer\.memory|compression\.(?:type|codec)|(?:delivery|message)\.timeout\.ms|enable\.idempotence|transactional\.id|"
        r"max\.in\.flight\.requests\.per\.connection|queue\.buffering\.max\.\w+|request\.required\.acks|max\.request\.size)$"
    ),
    "consumer": re.compile(
        r"(?:group\.id|auto\.offset\.reset|enable\.auto\.(?:commit|offset\.store)|auto\.commit\.interval\.ms|max\.poll\.(?:records|interval\.ms)|session\.timeout\.ms|"
        r"heartbeat\.interval\.ms|isolation\.level|fetch\.(?:min\.bytes|max\.wait\.ms|wait\.max\.ms)|max\.partition\.fetch\.bytes)$"
    ),
}
_WORKER = frozenset((*(f"{store}.storage.replication.factor" for store in ("config", "offset", "status")), "plugin.path", "key.converter"))
_BROKER = frozenset(
    (
        "offsets.topic.replication.factor",
        "default.replication.factor",
        "min.insync.replicas",
        "auto.create.topics.enable",
        "advertised.listeners",
    )
)
# What a map of the options of a broker, or of a worker, has several of, whatever it is called: charts and playbooks hand such maps on as they are.
_OF_BROKERS = _BROKER | {
    "transaction.state.log.replication.factor",
    "transaction.state.log.min.isr",
    "log.retention.hours",
    "inter.broker.protocol.version",
    "num.partitions",
}
_OF_WORKERS = frozenset(f"{store}.storage.topic" for store in ("config", "offset", "status"))
_FLINK = pattern(r"flink", re.IGNORECASE)
_SQL_KEY = pattern(r"(?:sql|query|queries|statements?|ddl|insert)$", re.IGNORECASE)
_SQL = pattern(r"\s*(?:--[^\n]*\n\s*)*(?:CREATE|INSERT|SET|EXECUTE|BEGIN|USE|ADD|RESET)\b", re.IGNORECASE)


def read(tree: Tree, root: Node, name: str, depth: int = 0) -> None:
    """Walk a document, each node once, and read what is recognised; what was read is not walked into."""
    form = "values" if "values" in name else "yaml"
    seen: set[int] = set()
    top: list[tuple[Node, Item | None, str, Node]] = [(root, None, "", root)]
    stack = [iter(top)]
    while stack and len(seen) < MAX_NODES:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
            continue
        parent, item, under, node = part
        if scalar(node) is not None:
            if item is None:
                _read_scalar(tree, under, node)
            else:
                _read_entry(tree, item, parent, form, depth)
        elif id(node) not in seen:
            seen.add(id(node))
            entries = items(node)
            if node is not root and _is_object(node):  # a task of Ansible, objects that a chart's values add
                from shoal.readers import yaml_documents

                yaml_documents.read_root(tree, node, name, depth + 1)
            elif not entries or not _read_map(tree, item or Item(under, entries[0].key_node, node), entries, form):
                stack.append(_parts(node, entries, under))


def _is_object(node: Node) -> bool:
    """Whether a mapping is a Kubernetes object, and not the name of one."""
    return kind_and_version(node) is not None and is_mapping(get(node, "metadata"))


def _parts(node: Node, entries: list[Item], under: str) -> Iterator[tuple[Node, Item | None, str, Node]]:
    """(mapping or sequence, entry when a mapping, key it stands under, value) of each part of a node."""
    for item in entries:
        yield node, item, item.key, item.value
    for child in elements(node):
        yield node, None, under, child


def _read_entry(tree: Tree, item: Item, parent: Node, form: str, depth: int) -> None:
    text = scalar(item.value) or ""
    if not text:
        return
    if ("." in item.key or "\n" in text) and (read_file(tree, item, form, open=True, depth=depth) or read_unnamed(tree, item, form, depth)):
        return
    if item.key == "value" and scalar(get(parent, "name")) == "FLINK_PROPERTIES":
        read_properties(tree.value(item.value), tree, tree.key(item), form)
    elif item.key == "allowNonRestoredState":  # of a FlinkDeployment that a chart's template makes
        flink_yaml.add(tree, tree.out.block("flink", "resource", form, tree.key(item), open=True), item, f"spec.job.{item.key}")
    elif item.key == "image" or item.key.endswith("Image"):
        tag = find(parent, "imageTag") if item.key == "image" and not _TAGGED.search(text) else None
        if _IMAGE.search(text) and tag is not None and (version := scalar(tag.value)):
            # what runs jobs is set where the chart is installed, as a rule: its default says nothing of the program beside it
            if "kafka" in text or not re.match(r"\d", version):
                delegate.image(f"{text}:{version}", tree.span(tag.value), tree.out, None)
        elif _IMAGE.search(text):
            delegate.image(text, tree.span(item.value), tree.out, None)
    elif item.key == "repository" and _IMAGE.search(text):
        tag = find(parent, "tag")
        version = scalar(tag.value) if tag else None
        if tag is not None and version:
            delegate.image(f"{text}:{version}", tree.span(tag.value), tree.out, None)
    else:
        _read_scalar(tree, item.key, item.value)


def _read_scalar(tree: Tree, key: str, node: Node) -> None:
    text = scalar(node) or ""
    if ".jar" in text:
        delegate.jars(tree.value(node), tree.out, None)
    elif key in _COORDINATES:
        delegate.coordinates(tree.value(node), tree.out, None)
    if len(text) < 12 or " " not in text:
        return
    if text.startswith("FLINK_PROPERTIES="):
        whole = tree.value(node)
        read_properties(whole.slice(17, len(text)), tree, whole.span(0, 16), "yaml")
        return
    if delegate.is_flink_sql(text) or (_SQL_KEY.search(key) and _SQL.match(text) and _FLINK.search(tree.source)):
        delegate.sql(tree.value(node), tree.out, None)
    elif _COMMAND.search(text):
        delegate.command(tree.value(node), tree.out, None)


def _read_map(tree: Tree, item: Item, entries: list[Item], form: str) -> bool:
    """Read a map of engine options; False when it is none. A mapping in a list is introduced by its own first key."""
    kind = _kind(item, entries)
    if kind == "flink":
        block = tree.out.block("flink", "cluster", form, tree.key(item), traits=(("key", item.key),), open=True)
        flink_yaml.read_map(tree, item.value, block)
    elif kind == "spark":
        from shoal.readers import spark_yaml

        spark_yaml.read_map(tree, item, form)
    elif kind == "kafka":
        from shoal.readers import kafka_yaml

        kafka_yaml.read_map(tree, item, form)
    elif item.key == "configurationOverrides" and (told := _overridden(entries)):
        # of Confluent's charts, which make a variable of each: a part of what the container is told
        block = tree.out.block(*told, form, tree.key(item), traits=(("key", item.key),), open=True)
        flink_yaml.read_map(tree, item.value, block)
    elif kind == "" and (told := _handed_on(entries)):
        block = tree.out.block(*told, form, tree.key(item), traits=(("key", item.key),), open=True)
        flink_yaml.read_map(tree, item.value, block)
    elif item.key == "kafka":
        from shoal.readers import kafka_yaml

        if not kafka_yaml.is_spring(item.value):
            return False
        kafka_yaml.read_spring(tree, item)
    else:
        return False
    return True


def _overridden(entries: list[Item]) -> tuple[str, str] | None:
    """Whose options a chart's values override, by some that nothing else has: a worker's of Kafka Connect, or a broker's."""
    keys = {child.key for child in entries}
    if keys & _BROKER:
        return "kafka", "broker"
    return ("kafka-connect", "worker") if keys & _WORKER else None


def _handed_on(entries: list[Item]) -> tuple[str, str] | None:
    """Whose options a map holds, by several that nobody else has; a topic has only one of them."""
    keys = {child.key for child in entries if not is_mapping(child.value)}
    if len(keys & _OF_WORKERS) > 1:
        return "kafka-connect", "worker"
    return ("kafka", "broker") if len(keys & _OF_BROKERS) > 1 else None


def _kind(item: Item, entries: list[Item]) -> str:
    """The engine whose options a map holds, by dotted keys that stand directly in it, or by its name and what is below."""
    for child in entries:
        key = child.key
        if "." in key and not is_mapping(child.value):
            if key.startswith("spark.") and len(key) > 8 and scalar(child.value) is not None:
                if key.startswith(_SPARK_OPERATOR):
                    continue
                return "spark"
            if key == "bootstrap.servers":
                return "kafka"
            if flink_yaml.own_key(key) and scalar(child.value) is not None:
                return "flink"
    name = item.key
    for role, options in _CLIENTS.items():
        if role in name.lower() and sum(bool(options.match(child.key)) and scalar(child.value) is not None for child in entries) > 1:
            return "kafka"
    if FLINK_CONF.match(name):
        return "flink" if flink_yaml.mostly(item.value) else ""
    if name.lower() in ("configuration", "config", "conf") and flink_yaml.proven(item.value) and flink_yaml.mostly(item.value):
        return "flink"
    return "spark" if _SPARK_CONF.match(name) and get(item.value, "spark") is not None else ""
