"""Flink options in YAML maps: `config.yaml`, `flinkConfiguration` and the like; nested, dotted and mixed.

Checked against GlobalConfiguration of Flink 1.20.5 and 2.1.3: keys are joined with dots, the later of two paths that
meet in one key wins, the same key twice in one mapping aborts the start, and so do a null value and a second document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.readers import yaml_tree
from shoal.readers.kafka_names import unbracketed
from shoal.readers.yaml_tree import MAX_NODES, Item, Node, Tree, elements, flatten, is_mapping, is_null, is_sequence, items, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Span
    from shoal.readers import Reading
    from shoal.text import Text

# Keys that only Flink has. Generic words (`state`, `client`, `jobmanager.replicas`) prove nothing.
_KEYS = (
    "blob.server.port classloader.resolve-order cluster.evenly-spread-out-slots execution.attached execution.runtime-mode "
    "execution.target heartbeat.interval heartbeat.timeout high-availability.cluster-id high-availability.storageDir "
    "high-availability.type jobmanager.bind-host jobmanager.bind-port kubernetes.cluster-id parallelism.default "
    "pipeline.auto-generate-uids pipeline.auto-watermark-interval pipeline.generic-types pipeline.jars "
    "pipeline.max-parallelism pipeline.name pipeline.object-reuse rest.bind-address rest.bind-port restart-strategy "
    "restart-strategy.type state.backend state.checkpoint-storage taskmanager.bind-host taskmanager.host "
    "taskmanager.numberOfTaskSlots "
)
_PREFIXES = (
    "akka.ask. autoscaler.standalone. env.java.home env.java.opts execution.batch. execution.buffer-timeout "
    "execution.checkpointing. execution.savepoint. execution.state-recovery. high-availability.jobmanager. "
    "high-availability.zookeeper. historyserver.archive historyserver.web job.autoscaler. jobmanager.adaptive- "
    "jobmanager.archive. jobmanager.execution. jobmanager.heap. jobmanager.memory. jobmanager.retrieve- jobmanager.rpc. "
    "jobmanager.scheduler jobmanager.web. jobstore. kubernetes.operator. metrics.reporter. metrics.reporters. pekko. "
    "pipeline.operator-chaining python.fn-execution. query.server.port queryable-state. rest.client. rest.flamegraph. "
    "restart-strategy.exponential-delay. restart-strategy.failure-rate. restart-strategy.fixed-delay. slotmanager. "
    "state.backend. state.changelog. state.checkpoints. state.savepoints. table.dml-sync table.exec table.local-time-zone "
    "table.optimizer taskmanager.data. taskmanager.debug. taskmanager.heap. taskmanager.memory. taskmanager.network. "
    "taskmanager.registration. taskmanager.rpc. taskmanager.runtime. taskmanager.slot. web.backpressure web.cancel web.submit "
    "web.timeout web.upload "
)
_OWN_KEYS = frozenset(_KEYS.split())
_OWN_PREFIXES = tuple(_PREFIXES.split())
# How the scripts of Flink say that they could not read a conf.
_FAILURE = "[ERROR] Could not parse configurations properly."
# log4j's keys and Spring Boot's, which nothing in Flink reads from there.
_LOGGING = ("log4j.", "log4j2.", "rootLogger.", "logger.", "appender.", "logging.level.")
# A word too common for a proof by itself; several of them, or one beside an own key, are.
_WEAK = ("metrics.reporter", "env.java.", "heartbeat.", "historyserver.", "query.server.", "web.", "rest.")


def own_key(key: str) -> bool:
    """Whether only Flink has an option of this name."""
    return key in _OWN_KEYS or key.startswith(_OWN_PREFIXES)


def proven(node: Node | None) -> bool:
    """Whether a mapping holds Flink options: by at least one key that only Flink has, or several likely ones."""
    weak = 0
    for count, item in enumerate(flatten(node) if node is not None else ()):
        if own_key(item.key):
            weak += 1
            if weak > 1 or not item.key.startswith(_WEAK):
                return True
        if count > 400:
            break
    return False


def read_overwritten(text: Text, out: Reading) -> bool:
    """A conf into which Flink's entry point wrote the message of its own failure; False when the text is anything else."""
    if not text.text.startswith(_FAILURE):
        return False
    span = text.span(0, len(_FAILURE))
    name = out.path.replace("\\", "/").rpartition("/")[2]
    block = out.block("flink", "cluster", "flink-conf" if name.startswith("flink-conf") else "flink-yaml", out.place(span), open=True)
    out.oddity("conf-overwritten", name, span, "", block)
    return True


def mostly(node: Node) -> bool:
    """Whether most leaves of a mapping stand under Flink's own roots: a file that is a Flink conf as a whole."""
    from shoal.readers.conf_text import ROOTS

    good = total = 0
    for item in flatten(node):
        total += 1
        good += item.key.partition(".")[0] in ROOTS
        if total > 400:
            break
    return total > 0 and good * 10 >= total * 8


def read_map(tree: Tree, node: Node | None, block: Block, strict: bool = False, empty: bool = True) -> None:
    """Add the options of a mapping to `block`.

    strict: Flink itself reads the text as `config.yaml`, so that a null value stops it.
    empty: an empty text is a value, too.
    """
    if node is None or not is_mapping(node):
        return
    if not tree.out.templated:
        report_duplicates(tree, node, block)
    found: dict[str, Item] = {}
    for item in flatten(node):
        found.pop(item.key, None)
        found[item.key] = item
    told = block.engine != "flink"
    spring = block.trait("framework") == "spring"
    for item in found.values():
        if not told and item.key.startswith(_LOGGING):  # of several the first is enough
            told = True
            tree.out.oddity("foreign-line", item.key, tree.key(item), "a logging property", block)
        if is_null(item.value):
            if strict and not tree.out.templated:
                tree.out.oddity("null-value", item.key, tree.key(item), "Flink refuses a file with an empty value", block)
            continue
        if empty or scalar(item.value) != "":
            add(tree, block, item, unbracketed(item.key) if spring else "")


def add(tree: Tree, block: Block, item: Item, key: str = "") -> None:
    """One option; the words of a list are joined with `;`, the way Flink writes a list, or with commas for the others."""
    node = item.value
    where = tree.key(item)
    value = scalar(node)
    if value is None:
        if is_sequence(node):
            words = [scalar(child) for child in elements(node)[:1000]]
            if all(word is not None for word in words):
                joined = (";" if block.engine == "flink" else ",").join(word or "" for word in words)
                tree.out.setting(block, key or item.key, joined, where, tree.span(node), sure=tree.sureness(where, block))
        return
    sure = tree.sureness(where, block)
    tree.out.setting(block, key or item.key, value.rstrip("\r\n"), where, tree.span(node), tree.comment(node), sure=sure)


def report_duplicates(tree: Tree, node: Node, block: Block | None) -> None:
    """The same key twice in one mapping, at any level."""
    stack: list[tuple[str, Node]] = [("", node)]
    seen_nodes: set[int] = set()
    while stack and len(seen_nodes) < MAX_NODES:
        prefix, current = stack.pop()
        if id(current) in seen_nodes or not is_mapping(current):
            continue
        seen_nodes.add(id(current))
        first: dict[str, Span] = {}
        for item in items(current):
            if item.merged:
                continue
            full = f"{prefix}{item.key}"
            if is_mapping(item.value):
                stack.append((f"{full}.", item.value))
            if item.key in first:
                related = (tree.out.place(first[item.key], "related", "first here"),)
                tree.out.oddity("duplicate-key", full, tree.key(item), "the same key twice in one mapping", block, related)
            else:
                first[item.key] = tree.key(item)


def read_config(tree: Tree, node: Node, name: str) -> None:
    """A whole conf file. Under another name than Flink's own it is a part of one, put together by some script."""
    own = name in ("config.yaml", "config.yml", "flink-config.yaml", "flink-config.yml")
    first = next(iter(items(node)), None)
    place = tree.key(first) if first else tree.span(node)
    opened = not own or (tree.out.templated and f"#{MASK}" in tree.source)
    block = tree.out.block("flink", "cluster", "flink-yaml" if own else "yaml", place, open=opened)
    read_map(tree, node, block, strict=own)


def is_config(name: str, node: Node) -> bool:
    """Whether a document is Flink's own conf file, by name and content."""
    if not is_mapping(node) or name.startswith("values"):
        return False
    named = name in ("config.yaml", "config.yml", "flink-config.yaml", "flink-config.yml") or "flink" in name
    return proven(node) and (named or mostly(node)) and not is_null(yaml_tree.get(node, "parallelism"))
