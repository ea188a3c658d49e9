"""Applications of Amazon Managed Service for Apache Flink: CloudFormation resources, and the input of `create-application`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block, Entry
from shoal.lazy import pattern
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, items, scalar
from shoal.text import MASK

_TYPES = ("AWS::KinesisAnalyticsV2::Application", "AWS::KinesisAnalytics::ApplicationV2")
_RUNTIME = pattern(r"FLINK-(\d+)_(\d+)")
# What the service sets, whatever the code says, as long as nobody asks it for anything else.
_DEFAULTS = (("execution.checkpointing.interval", "60000"), ("execution.checkpointing.min-pause", "5000"))
_CUSTOM = (("execution.checkpointing.interval", "CheckpointInterval"), ("execution.checkpointing.min-pause", "MinPauseBetweenCheckpoints"))
_KEPT_TO = (("CheckpointingEnabled", "true"), ("CheckpointInterval", "60000"), ("MinPauseBetweenCheckpoints", "5000"))
# What a start or an update of an application says about its state, as settings; and the parents of these, in CloudFormation, in inputs of the
# API, and in Terraform.
_STATE = (
    ("--allowNonRestoredState", "FlinkRunConfiguration", "AllowNonRestoredState"),
    ("ApplicationRestoreConfiguration.ApplicationRestoreType", "ApplicationRestoreConfiguration", "ApplicationRestoreType"),
    ("ApplicationSnapshotConfiguration.SnapshotsEnabled", "ApplicationSnapshotConfiguration", "SnapshotsEnabled"),
    ("ApplicationSnapshotConfiguration.SnapshotsEnabled", "ApplicationSnapshotConfigurationUpdate", "SnapshotsEnabledUpdate"),
)
_PARENTS: tuple[tuple[str, ...], ...] = (
    (),
    ("ApplicationConfiguration",),
    ("ApplicationConfiguration", "RunConfiguration"),
    ("ApplicationConfigurationUpdate",),
    ("RunConfiguration",),
    ("RunConfigurationUpdate",),
)
_NUMBER = pattern(r"\d+")


def applications(root: Node) -> list[tuple[str, Node, Node]]:
    """(name, node that introduces it, its properties) of every application in a document, or of a start or an update of one."""
    found = []
    for item in items(get(root, "Resources"))[:2000]:
        if scalar(get(item.value, "Type")) in _TYPES and is_mapping(get(item.value, "Properties")):
            found.append((item.key, item.key_node, get(item.value, "Properties")))
    if is_mapping(root) and (own := find(root, "RuntimeEnvironment")) is not None:
        found.append((_name(root), own.key_node, root))
    elif not found and is_mapping(root) and (said := next(_state(root), None)) is not None:
        return [(_name(root), said[1].key_node, root)]
    return [(name, at, properties) for name, at, properties in found if properties is not None and _is_flink(properties)]


def _state(properties: Node) -> Iterator[tuple[str, Item]]:
    """What is said about the state of an application: keys and entries."""
    for parent in _PARENTS:
        for key, *path in _STATE:
            if (found := find(properties, *parent, *path)) is not None:
                yield key, found
        for update in ("", "Update"):
            checkpoints = get(properties, *parent, f"FlinkApplicationConfiguration{update}", f"CheckpointConfiguration{update}")
            if (found := _off(checkpoints, update)) is not None:
                yield "CheckpointConfiguration.CheckpointingEnabled", found
            yield from _unheard(checkpoints, update)
            monitored = get(properties, *parent, f"FlinkApplicationConfiguration{update}", f"MonitoringConfiguration{update}")
            for field in ("LogLevel", "MetricsLevel") if scalar(get(monitored, f"ConfigurationType{update}")) == "CUSTOM" else ():
                if monitored is not None and (level := find(monitored, f"{field}{update}")) is not None:
                    yield f"MonitoringConfiguration.{field}", level


def _off(checkpoints: Node | None, update: str = "") -> Item | None:
    """The entry that turns checkpoints off. The service heeds it in a CUSTOM configuration alone."""
    kind = scalar(get(checkpoints, f"ConfigurationType{update}"))
    found = find(checkpoints, f"CheckpointingEnabled{update}") if checkpoints is not None and kind == "CUSTOM" else None
    return found if found is not None and (scalar(found.value) or "").lower() == "false" else None


def _unheard(checkpoints: Node | None, update: str = "") -> Iterator[tuple[str, Item]]:
    """What a DEFAULT configuration says of checkpoints that is not so: the service keeps to its own values."""
    if checkpoints is None or scalar(get(checkpoints, f"ConfigurationType{update}")) != "DEFAULT":
        return
    for field, value in _KEPT_TO:
        found = find(checkpoints, f"{field}{update}")
        text = (scalar(found.value) or "").lower() if found is not None else ""
        if found is not None and text != value and (_NUMBER.fullmatch(text) or text == "false"):
            yield f"CheckpointConfiguration.Default{field}", found


def _name(properties: Node) -> str:
    name = scalar(get(properties, "ApplicationName")) or ""
    return "" if MASK in name else name


def _is_flink(properties: Node) -> bool:
    """By the runtime; where that is a variable, by a setting that only applications of Flink have."""
    runtime = get(properties, "RuntimeEnvironment")
    unknown = runtime is not None and (MASK in (scalar(runtime) or MASK))
    notebook = (scalar(runtime) or "").startswith("ZEPPELIN-FLINK-") if runtime is not None else False
    return (
        bool(_runtime(properties))
        or notebook
        or (unknown and is_mapping(get(properties, "ApplicationConfiguration", "FlinkApplicationConfiguration")))
    )


def _runtime(properties: Node) -> str:
    match = _RUNTIME.fullmatch(scalar(get(properties, "RuntimeEnvironment")) or "")
    return f"{match.group(1)}.{match.group(2)}" if match else ""


def read(tree: Tree, root: Node) -> None:
    """Each application as a block: its checkpoints and parallelism, the Flink it runs, the Python file that it starts."""
    for name, at, properties in applications(root):
        configuration = get(properties, "ApplicationConfiguration")
        checkpoints = get(configuration, "FlinkApplicationConfiguration", "CheckpointConfiguration")
        kind = find(checkpoints, "ConfigurationType") if checkpoints is not None else None
        word = scalar(kind.value) if kind is not None else None
        off = _off(checkpoints) is not None
        traits = [("managed", "aws-managed-flink"), *([("checkpointing", "off")] if off else [])]
        if word == "DEFAULT":
            traits.append(("fixed", "true"))
        block = tree.out.block("flink", "service", "manifest", tree.span(at), name, traits=tuple(traits))
        version = find(properties, "RuntimeEnvironment")
        if version is not None and (release := _runtime(properties)):
            tree.out.dependency("field", "flink", release, tree.span(version.value), block=block)
        if kind is not None and word == "DEFAULT":
            for key, value in _DEFAULTS:
                tree.out.setting(block, key, value, tree.key(kind), tree.span(kind.value))
        elif word == "CUSTOM" and not off:
            for key, field in _CUSTOM:
                _number(tree, block, key, find(checkpoints, field) if checkpoints is not None else None)
        parallelism = get(configuration, "FlinkApplicationConfiguration", "ParallelismConfiguration")
        if parallelism is not None:
            _number(tree, block, "parallelism.default", find(parallelism, "Parallelism"))
        for key, item in _state(properties):
            if word := scalar(item.value):
                tree.out.setting(block, key, word, tree.key(item), tree.span(item.value))
        for group in elements(get(configuration, "EnvironmentProperties", "PropertyGroups"))[:200]:
            _program(tree, block, group)


def _number(tree: Tree, block: Block, key: str, item: Item | None) -> None:
    text = scalar(item.value) if item is not None else None
    if item is not None and text and _NUMBER.fullmatch(text):
        tree.out.setting(block, key, text, tree.key(item), tree.span(item.value))


def _program(tree: Tree, block: Block, group: Node) -> None:
    item = find(group, "PropertyMap", "python") if scalar(get(group, "PropertyGroupId")) == "kinesis.analytics.flink.run.options" else None
    target = scalar(item.value) if item is not None else None
    if item is None or not target or not target.endswith(".py"):
        return
    at = tree.out.place(tree.span(item.value))
    tree.out.facts[:] = [fact for fact in tree.out.facts if not (isinstance(fact, Entry) and fact.place == at)]  # said once, with its block
    tree.out.entry("python", target, (), at.span, block)
