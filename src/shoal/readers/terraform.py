"""Terraform: config maps, manifests, chart values and job settings in HCL, read by the readers of YAML as the JSON that they stand for.

Only what is written out counts: whatever a variable, a function or a condition makes is masked, and so is unknown.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

from shoal.lazy import pattern
from shoal.readers import terraform_topics, terraform_variables
from shoal.readers.json_text import escaped
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.readers.yaml_tree import Node, Tree

_TELLING = pattern(
    r"flink|spark|kafka-connect|connector\.class|google_pubsub_subscription|\"google_dataflow_(?:flex_template_)?job\"|\"aws_msk_configuration\"|\"(?:confluent_)?kafka_topic\""
    r"|\bKAFKA_(?:CFG_)?(?:LISTENERS|ADVERTISED_\w+|(?:NODE|BROKER)_ID)\b|\b(?:cp-(?:kafka|zookeeper)|debezium)\b|\bapache/(?:kafka|beam)"
    r"|\bkafka\.strimzi\.io/|\bplatform\.confluent\.io/|\bstrimzi-kafka-operator\b|\bexecution\.checkpointing\b",
    re.IGNORECASE,
)
_BLOCKS = ("resource", "module", "locals")
# Resources whose fields are those of CloudFormation, spelled as Terraform does.
_CLOUD_FORMATION = ("aws_kinesisanalyticsv2_application",)
# Resources that are Kubernetes' own objects, spelled as Terraform does (each with `_v1`, too), by their kind.
_OBJECTS = {
    "kubernetes_deployment": "Deployment",
    "kubernetes_stateful_set": "StatefulSet",
    "kubernetes_daemonset": "DaemonSet",
    "kubernetes_daemon_set": "DaemonSet",
    "kubernetes_job": "Job",
    "kubernetes_cron_job": "CronJob",
    "kubernetes_pod": "Pod",
}
# Their blocks that stand once for each entry of a list.
_LISTED = {
    "container": "containers",
    "init_container": "initContainers",
    "env": "env",
    "env_from": "envFrom",
    "port": "ports",
    "volume": "volumes",
    "volume_mount": "volumeMounts",
    "volume_claim_template": "volumeClaimTemplates",
    "items": "items",
    "toleration": "tolerations",
}
_ENCODERS = ("jsonencode", "yamlencode")
_DEEPEST = 100


def read(text: Text, out: Reading) -> None:
    """Read the blocks of a file that name an engine, its variables and its topics."""
    terraform_variables.read(text, out)
    terraform_topics.read(text, out)
    if not _TELLING.search(text.text):
        return
    from hcl2 import parses_to_tree
    from lark.exceptions import UnexpectedInput

    from shoal.readers import delegate

    source = _closed(text.text)
    try:
        try:
            body = parses_to_tree(_telling(source)).children[0]
        except UnexpectedInput:  # a heredoc may hold what looks like the start of a block
            body = parses_to_tree(source).children[0]
    except UnexpectedInput as error:
        at = min(error.pos_in_stream or 0, len(text.text))
        word = _WORD.match(text.text, at)
        said = f"`{word.group()}` is not expected here" if word else "it ends within a block, a list or a text"
        at = at if word else len(text.text.rstrip())
        out.problem("unparsable", f"not valid HCL: {said}", text.at(at), help="correct the syntax, or exclude the file")
        return
    delegate.operators(text, out)
    for block in body.children:
        if block.data != "block" or _name(block) not in _BLOCKS or not _TELLING.search(text.text, block.meta.start_pos, block.meta.end_pos):
            continue
        labels = [
            text.text[child.meta.start_pos : child.meta.end_pos].strip('"')
            for child in block.children[1:]
            if _is(child, "string", "identifier")
        ]
        kind = labels[0] if labels else ""
        writer = _Writer(text.text, kind in _CLOUD_FORMATION)
        if (name := _OBJECTS.get(kind.removesuffix("_v1"))) is not None:
            writer.manifest(block, name)
        else:
            writer.block(block)
        _read_block(kind, text.compose(writer.parts), out)


_WORD = pattern(r"\w+|[^\w\s]")
_STARTS = pattern(r"(?m)^(?=(?:resource|module|locals|data|variable|output|provider|terraform|moved|import|check|removed|ephemeral)\b)")
_COMMENT = pattern(r'(?m)^[^"\r\n]*/\*')
_HEREDOC = pattern(r"<<-?(\w+)")
_WRITTEN = pattern(r"[^\r\n]")


def _closed(source: str) -> str:
    """The text with blanks behind the end of a heredoc put before it: Terraform passes over them, the parser does not."""
    markers = "|".join(sorted(set(_HEREDOC.findall(source))))
    return re.sub(rf"(?m)^([ \t]*)({markers})([ \t]+)(?=\r?$)", r"\1\3\2", source) if markers else source


def _telling(source: str) -> str:
    """The text with nothing but the blocks that name an engine, where they stand: the parser takes some 3 ms for each kilobyte."""
    if _COMMENT.search(source):
        return source  # what is commented out would look alive without the start of its comment
    starts = [0, *(found.start() for found in _STARTS.finditer(source)), len(source)]
    blocks = (source[start:end] for start, end in itertools.pairwise(starts))
    return "".join(block if _TELLING.search(block) else _WRITTEN.sub(" ", block) for block in blocks)


def _read_block(kind: str, body: Text, out: Reading) -> None:
    from shoal.readers import delegate, json_documents, yaml_documents
    from shoal.readers.embedded import read_file
    from shoal.readers.yaml_tree import TooMuch, Tree, compose, elements, get, is_mapping, items, scalar

    roots, errors = compose(body.text)
    if errors or not roots:
        return
    tree, root = Tree(body, out), roots[0]
    try:
        if kind.startswith("kubernetes_config_map"):
            for item in items(get(root, "data")):
                read_file(tree, item, "configmap", scalar(get(root, "metadata", "name")) or "")
        elif kind == "aws_msk_configuration":
            _read_brokers(tree, root)
        elif kind in _TOPICS:
            _read_topic(tree, root)
        elif kind.removesuffix("_v1") in _OBJECTS:
            yaml_documents.read_root(tree, root, "")
        elif kind == "kubernetes_manifest":
            manifest = get(root, "manifest")
            if manifest is not None:
                yaml_documents.read_root(tree, manifest, "")
        elif kind == "kubectl_manifest":
            manifest = get(root, "yaml_body")
            if scalar(manifest) is not None and manifest is not None:
                delegate.manifests(tree.value(manifest), out)
            elif manifest is not None:
                yaml_documents.read_root(tree, manifest, "")
        elif kind == "helm_release":
            _read_release(tree, root)
            for value in elements(get(root, "values")):
                _chart_values(tree, value, out)
        elif kind == "google_pubsub_subscription":
            _read_subscription(tree, root)
        elif kind in _DATAFLOW:
            _read_dataflow(tree, root, kind)
        elif is_mapping(root) and not json_documents.read_known(tree, root):
            yaml_documents.read_root(tree, root, "")
    except TooMuch:
        return


def _read_brokers(tree: Tree, root: Node) -> None:
    """What Amazon's brokers are told beside what the service sets by itself, and the one version that it is for."""
    from shoal.readers.yaml_tree import elements, find, get, scalar

    told = find(root, "server_properties")
    if told is None or not (text := tree.value(told.value)).text.strip(MASK):
        return
    block = terraform_variables.read_brokers(text, tree.key(told), scalar(get(root, "name")) or "", tree.out)
    versions = elements(get(root, "kafka_versions"))
    if len(versions) == 1 and (version := scalar(versions[0])) and MASK not in version:
        tree.out.dependency("field", "kafka", version, tree.span(versions[0]), block=block)


# A topic by Mongey's provider and by Confluent's, whose service keeps each topic three times.
_TOPICS = ("kafka_topic", "confluent_kafka_topic")


def _read_topic(tree: Tree, root: Node) -> None:
    """A topic with options of its own; one that has none takes the brokers'."""
    from shoal.readers import flink_yaml
    from shoal.readers.yaml_tree import find, get, items, scalar

    config = find(root, "config")
    options = items(config.value) if config is not None else []
    if config is None or not options:
        return
    name = scalar(get(root, "name") or get(root, "topic_name")) or ""
    block = tree.out.block("kafka", "topic", "terraform", tree.key(config), name)
    for item in options:
        flink_yaml.add(tree, block, item)
    if (replicas := find(root, "replication_factor")) is not None:
        flink_yaml.add(tree, block, replicas, "replicas")


def _read_release(tree: Tree, root: Node) -> None:
    """Strimzi's operator from a repository of charts, in whatever release is the newest."""
    from shoal.readers.yaml_tree import find, get, scalar

    chart = find(root, "chart")
    name = scalar(chart.value) if chart is not None else None
    if chart is None or name is None or name.rpartition("/")[2] != "strimzi-kafka-operator" or get(root, "version") is not None:
        return
    if name.startswith("oci://") or get(root, "repository") is not None:
        tree.out.oddity("operator-unpinned", name, tree.span(chart.value))


_DAY = 86_400
# Pub/Sub itself sends the messages on, or writes them.
_SENT_ON = ("push_config", "bigquery_config", "cloud_storage_config")


def _read_subscription(tree: Tree, root: Node) -> None:
    """A subscription that readers pull from, and keeps what they did not acknowledge for less than a day."""
    from shoal.readers.yaml_tree import get, scalar

    kept = get(root, "message_retention_duration")
    seconds = _SECONDS.fullmatch(scalar(kept) or "")
    if kept is not None and seconds and int(seconds.group(1)) < _DAY and all(get(root, name) is None for name in _SENT_ON):
        tree.out.oddity("short-retention", scalar(get(root, "name")) or "", tree.span(kept), seconds.group())


_SECONDS = pattern(r"(\d+)(?:\.\d+)?s")


# What the provider does with a job that is destroyed, where `on_delete` is left out (Default in resource_dataflow_job.go and resource_dataflow_flex_template_job.go).
_DATAFLOW = {"google_dataflow_job": "drain", "google_dataflow_flex_template_job": "cancel"}
# Parameters that name what a pipeline reads from without an end, and Google's templates that do.
_ENDLESS = pattern(r"(?:input_?)?subscription(?:_?(?:name|id|path))?|input_?topic", re.IGNORECASE)
_STREAMING = pattern(
    r"(?:Cloud_)?(?:PubSub|Kafka|Datastream|Spanner_Change_Streams|Bigtable_Change_Streams|Stream|Jms|Mqtt|Pulsar|Kinesis|AMQP)\w*_to_\w+"
)


def _read_dataflow(tree: Tree, root: Node, kind: str) -> None:
    """An oddity for a streaming job of Dataflow that is cancelled where it could be drained: `detail` says how it is known to stream, and whether it is told so."""
    from shoal.readers.yaml_tree import find, get, items, scalar

    told = find(root, "on_delete")
    if (scalar(told.value) if told is not None else _DATAFLOW[kind]) != "cancel" or scalar(
        get(root, "lifecycle", "prevent_destroy")
    ) == "true":
        return
    source = next((item for item in items(get(root, "parameters")) if _ENDLESS.fullmatch(item.key)), None)
    template = scalar(get(root, "template_gcs_path")) or scalar(get(root, "container_spec_gcs_path")) or ""
    name = template.rpartition("/")[2]
    why = ""
    if source is not None:
        why = f"its parameter {source.key}"
    elif _STREAMING.fullmatch(name):
        why = f"its template {name}"
    elif scalar(get(root, "enable_streaming_engine")) == "true":
        why = "enable_streaming_engine"
    at = told if told is not None else find(root, "name") or next(iter(items(root)), None)
    if why and at is not None:
        tree.out.oddity("dataflow-cancelled", why, tree.span(at.value), "told" if told is not None else "by default")


def _chart_values(tree: Tree, node: Node, out: Reading) -> None:
    from shoal.readers import chart_values, yaml_documents
    from shoal.readers.yaml_tree import Tree, compose, is_mapping, scalar

    roots = [node]
    if scalar(node) is not None:
        inner = tree.value(node)
        roots, errors = compose(inner.text)
        if errors:
            return
        tree = Tree(inner, out)
    for root in roots:
        if is_mapping(root):
            yaml_documents.read_root(tree, root, "values.yaml")
            chart_values.read(tree, root)


def _is(node: Any, *kinds: str) -> bool:
    return getattr(node, "data", "") in kinds


def _name(node: Any) -> str:
    """The name of an attribute or block."""
    return str(node.children[0].children[0])


class _Writer:
    """Writes a parsed block as JSON, character for character where the two agree."""

    def __init__(self, text: str, pascal: bool) -> None:
        self.text = text
        self.pascal = pascal
        self.camel = False
        self.parts: list[tuple[str, int]] = []

    def block(self, node: Any, depth: int = 0) -> None:
        """`{ name = value  name "label" { … } }`"""
        *_, opening, body, closing = node.children
        self.mapping(opening, [entry for entry in body.children if _is(entry, "attribute", "block")], closing, depth)

    def mapping(self, opening: Any, entries: list[Any], closing: Any, depth: int) -> None:
        self.parts.append(("{", opening.start_pos))
        if self.camel and entries and entries[0].data != "object_elem":
            entries = self.listed(entries, depth)
        for number, entry in enumerate(entries):
            if number:
                self.parts.append((",", entry.meta.start_pos))
            self.key(entry.children[0], self.camel and entry.data != "object_elem")
            self.parts.append((":", entry.children[-1].end_pos - 1 if entry.data == "block" else entry.children[-1].meta.start_pos))
            if entry.data == "block":
                self.block(entry, depth + 1)
            else:
                self.value(entry.children[-1], depth + 1)
        self.parts.append(("}", closing.start_pos))

    def manifest(self, node: Any, kind: str) -> None:
        """A block as the object of Kubernetes that it stands for."""
        self.camel = True
        self.block(node)
        opening = node.children[-3]
        self.parts.insert(1, (f'"apiVersion":"v1","kind":"{kind}",', opening.start_pos))

    def listed(self, entries: list[Any], depth: int) -> list[Any]:
        """The entries of an object's block that are none of a list; those that are come first, one list for each name."""
        lists: dict[str, list[Any]] = {}
        dynamic: list[str] = []
        others = []
        for entry in entries:
            name = _name(entry)
            if entry.data == "block" and name in _LISTED:
                lists.setdefault(_LISTED[name], []).append(entry)
            elif entry.data == "block" and name == "dynamic":
                dynamic.append(self.source(entry.children[1]).strip('"'))
            else:
                others.append(entry)
        if "env" in dynamic or "env_from" in dynamic:
            lists.setdefault("envFrom", [])
        start = entries[0].meta.start_pos if entries else 0
        for name, blocks in lists.items():
            at = blocks[0].meta.start_pos if blocks else start
            self.parts.append((f'"{name}":[', at))
            for number, entry in enumerate(blocks):
                if number:
                    self.parts.append((",", entry.meta.start_pos))
                self.block(entry, depth + 1)
            self.parts.append(("]," if others else "]", blocks[-1].meta.end_pos - 1 if blocks else start))
            if not others and name != list(lists)[-1]:
                self.parts.append((",", at))
        return others

    def key(self, node: Any, camel: bool = False) -> None:
        node = _bare(node)
        if node.data == "string":
            self.string(node)
        elif node.data in ("identifier", "keyword", *_LITERALS):
            name = self.source(node)
            if self.pascal or camel:
                first, *others = name.split("_")
                name = "".join([first.capitalize() if self.pascal else first, *(word.capitalize() for word in others)])
            self.parts += [('"', node.meta.start_pos), (name, node.meta.start_pos), ('"', node.meta.end_pos - 1)]
        else:
            self.unknown(node)

    def value(self, node: Any, depth: int) -> None:
        """One expression; anything but a literal becomes a masked text."""
        node = _bare(node)
        if depth > _DEEPEST:
            self.unknown(node)
        elif node.data == "object":
            self.mapping(node.children[0], [entry for entry in node.children if _is(entry, "object_elem")], node.children[-1], depth)
        elif node.data == "tuple":
            self.parts.append(("[", node.meta.start_pos))
            for number, entry in enumerate(_expressions(node)):
                if number:
                    self.parts.append((",", entry.meta.start_pos))
                self.value(entry, depth + 1)
            self.parts.append(("]", node.meta.end_pos - 1))
        elif node.data == "string":
            self.string(node)
        elif node.data in ("heredoc_template", "heredoc_template_trim"):
            self.heredoc(node.children[0], node.data == "heredoc_template_trim")
        elif node.data in _LITERALS:
            self.parts.append((self.source(node), node.meta.start_pos))
        elif node.data == "function_call" and _name(node) in _ENCODERS and len(given := _arguments(node)) == 1:
            self.value(given[0], depth + 1)
        elif node.data == "function_call" and _name(node) == "merge":
            self.merged(node, [_bare(one) for one in _arguments(node)], depth)
        elif node.data == "function_call" and _name(node) == "join":
            given = [_bare(one) for one in _arguments(node)]
            if [one.data for one in given] == ["string", "tuple"]:
                self.joined(*given)
            else:
                self.unknown(node)
        else:
            self.unknown(node)

    def merged(self, node: Any, given: list[Any], depth: int) -> None:
        """`merge(local.more, { a = 1 })`: one object, with a key and a value that nobody knows where not all of it is written here."""
        objects = [one for one in given if one.data == "object"]
        entries = [entry for one in objects for entry in one.children if _is(entry, "object_elem")]
        names = [self.source(entry.children[0]).strip('"') for entry in entries]
        if not objects or len(set(names)) < len(names):
            self.unknown(node)
            return
        self.mapping(objects[0].children[0], entries, objects[-1].children[-1], depth)
        if len(objects) < len(given):
            closing = self.parts.pop()
            self.parts.append((f'{"," if entries else ""}"{MASK}":"{MASK}"', closing[1]))
            self.parts.append(closing)

    def joined(self, between: Any, listed: Any) -> None:
        """`join("\\n", ["a", "b"])`: one text; what of the list is none is masked."""
        self.parts.append(('"', listed.meta.start_pos))
        for number, entry in enumerate(map(_bare, _expressions(listed))):
            if number:
                self.inner(between)
            if entry.data == "string":
                self.inner(entry)
            else:
                self.parts.append((MASK, entry.meta.start_pos))
        self.parts.append(('"', listed.meta.end_pos - 1))

    def string(self, node: Any) -> None:
        """A text between quotes, whose escapes are JSON's; what is put in is masked."""
        self.parts.append(('"', node.meta.start_pos))
        self.inner(node)
        self.parts.append(('"', node.meta.end_pos - 1))

    def inner(self, node: Any) -> None:
        for part in node.children[1:-1]:
            start, piece, source = part.meta.start_pos, part.children[0], self.source(part)
            if getattr(piece, "type", "").startswith("ESCAPED"):  # `$${` stands for `${`
                self.parts.append((source[1:], start + 1))
            else:
                self.parts.append((source if hasattr(piece, "type") else MASK * len(source), start))

    def heredoc(self, token: Any, trimmed: bool) -> None:
        """The lines up to the word, without their common indentation after `<<-`."""
        first, *lines, last = token.splitlines(keepends=True)
        indents = [len(line) - len(line.lstrip(" \t")) for line in [*lines, last] if line.strip()] if trimmed else []
        cut = min(indents, default=0)
        masked = _masked("".join(lines))
        at = token.start_pos + len(first)
        self.parts.append(('"', token.start_pos))
        done = 0
        for line in lines:
            skip = min(cut, len(line) - len(line.lstrip(" \t")))
            shown = masked[done : done + len(line)].rstrip("\r\n")
            self.parts += escaped(Text(shown[skip:], [(0, at + done + skip)]))
            self.parts.append(("\\n", at + done + len(shown) - (1 if shown else 0)))
            done += len(line)
        self.parts.append(('"', at + done))

    def unknown(self, node: Any) -> None:
        masked = MASK * (node.meta.end_pos - node.meta.start_pos)
        self.parts += [('"', node.meta.start_pos), (masked, node.meta.start_pos), ('"', node.meta.end_pos - 1)]

    def source(self, node: Any) -> str:
        return self.text[node.meta.start_pos : node.meta.end_pos]


def _bare(node: Any) -> Any:
    """An expression without what only holds it: brackets around it, too."""
    while _is(node, "expr_term", "object_elem_key") and len(inner := _expressions(node)) == 1:
        node = inner[0]
    return node


def _expressions(node: Any) -> list[Any]:
    return [child for child in node.children if hasattr(child, "data") and child.data != "new_line_or_comment"]


def _arguments(call: Any) -> list[Any]:
    return [given for child in call.children if _is(child, "arguments") for given in _expressions(child)]


_LITERALS = ("int_lit", "float_lit", "literal_value")
_PUT_IN = pattern(r"\$\$\{|%%\{|[$%]\{(?:[^{}\n]|\{[^{}\n]*\})*\}")


def _masked(text: str) -> str:
    return _PUT_IN.sub(lambda found: found.group() if found.group() in ("$${", "%%{") else MASK * len(found.group()), text)
