"""The names that PyFlink's modules and classes have, from the source in its wheels, read and never run."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tools.catalogue import fetch, pins

_PACKAGES = ("pyflink.common", "pyflink.datastream", "pyflink.table")
# Classes whose members programs name, `Outer.Inner` where they stand in another one; of others the modules' names must do.
_CLASSES = """
AggregatingState AggregatingStateDescriptor AllWindowedStream BucketAssigner CheckpointConfig CheckpointingMode Configuration ConnectedStreams DataStream
DataStreamSink DataTypes DeliveryGuarantee Duration Elasticsearch6SinkBuilder Elasticsearch7SinkBuilder ElasticsearchEmitter Encoder
EnvironmentSettings EventTimeSessionWindows ExecutionConfig ExternalizedCheckpointCleanup ExternalizedCheckpointRetention
FileSink FileSink.BulkFormatBuilder FileSink.RowFormatBuilder FileSource FileSourceBuilder FlinkKafkaConsumer FlinkKafkaProducer
FormatDescriptor FormatDescriptor.Builder FunctionContext JdbcConnectionOptions JdbcConnectionOptions.JdbcConnectionOptionsBuilder
JdbcExecutionOptions JdbcExecutionOptions.Builder JdbcSink
JobClient JobExecutionResult KafkaOffsetResetStrategy KafkaOffsetsInitializer KafkaRecordSerializationSchema
KafkaRecordSerializationSchemaBuilder KafkaSink KafkaSinkBuilder KafkaSource KafkaSourceBuilder KeyedStream KinesisFirehoseSinkBuilder
KinesisStreamsSinkBuilder ListState ListStateDescriptor MapState MapStateDescriptor
OutputFileConfig OutputFileConfig.OutputFileConfigBuilder ProcessingTimeSessionWindows PulsarSinkBuilder PulsarSourceBuilder ReducingState
ReducingStateDescriptor RestartStrategies
RollingPolicy Row RowKind RuntimeContext RuntimeExecutionMode Schema.Builder SlidingEventTimeWindows SlidingProcessingTimeWindows
StateTtlConfig StateTtlConfig.Builder StatementSet StreamExecutionEnvironment StreamTableEnvironment StreamingFileSink
StreamingFileSink.DefaultBulkFormatBuilder StreamingFileSink.DefaultRowFormatBuilder Table TableConfig TableDescriptor
TableDescriptor.Builder TableEnvironment
TableResult Time TimeCharacteristic TimerService TumblingEventTimeWindows TumblingProcessingTimeWindows Types ValueState ValueStateDescriptor
WatermarkStrategy WindowedStream
"""


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    modules: dict[str, set[str]] = defaultdict(set)
    classes: dict[str, set[str]] = defaultdict(set)
    for version in pins.PYFLINK:
        wheel = fetch.pip(cache, f"apache-flink=={version}", platform=pins.MANYLINUX, python=pins.PYFLINK_PYTHON.get(version, "3.11"))
        read(fetch.unpack(wheel, (".py",)), modules, classes)
    return {"pyflink": render(modules, classes)}


def render(modules: dict[str, set[str]], classes: dict[str, set[str]]) -> str:
    """A line for each module, then one for each class, whose name comes after a colon."""
    lines = [f"# pyflink\t{' '.join(map(pins.minor, pins.PYFLINK))}"]
    named = sorted(modules.items()) + [(f":{name}", members) for name, members in sorted(classes.items())]
    lines += [f"{name}\t{' '.join(sorted(member for member in members if member[:1] != '_'))}" for name, members in named]
    return "\n".join(lines) + "\n"


def read(sources: Iterable[Path], modules: dict[str, set[str]], classes: dict[str, set[str]]) -> None:
    """Adds what one release has to the names of the releases before it."""
    trees = {
        _module(source): (ast.parse(source.read_text(encoding="utf-8")), source.name == "__init__.py")
        for source in sources
        if "pyflink" in source.parts
    }
    own: dict[str, set[str]] = {}
    stars: dict[str, set[str]] = {}
    bodies: dict[str, ast.ClassDef] = {}
    for name, (tree, package) in trees.items():
        own[name], stars[name] = set(), set()
        for statement in _statements(tree.body):
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                stars[name].add(_absolute(name, package, statement))
            own[name].update(_bound(statement))
            if isinstance(statement, ast.ClassDef):
                bodies.setdefault(statement.name, statement)
                for inner in statement.body:
                    if isinstance(inner, ast.ClassDef):
                        bodies.setdefault(f"{statement.name}.{inner.name}", inner)
        parent, _, last = name.rpartition(".")
        own.get(parent, set()).add(last)
    for name in trees:  # once more, for parents that were read after their modules
        parent, _, last = name.rpartition(".")
        if parent in own:
            own[parent].add(last)
    for name in trees:
        if name.startswith(_PACKAGES) and ".tests" not in name and "._" not in name:
            waiting, seen = [name], {name}
            for at in waiting:
                modules[name] |= own.get(at, set())
                waiting += [other for other in stars.get(at, ()) if other not in seen]
                seen |= stars.get(at, set())
    for name in bodies.keys() & set(_CLASSES.split()):
        classes[name] |= _members(name, bodies)


def _module(source: Path) -> str:
    parts = source.with_suffix("").parts
    start = parts.index("pyflink")
    return ".".join(part for part in parts[start:] if part != "__init__")


def _statements(body: list[ast.stmt]) -> Iterable[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try)):
            yield from _statements([*statement.body, *statement.orelse])
            for handler in getattr(statement, "handlers", ()):
                yield from _statements(handler.body)


def _bound(statement: ast.stmt) -> Iterable[str]:
    """The names that a statement gives a value."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in statement.names if alias.name != "*")
    elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


def _absolute(module: str, package: bool, statement: ast.ImportFrom) -> str:
    if not statement.level:
        return statement.module or ""
    base = module.split(".")[: len(module.split(".")) - statement.level + package]
    return ".".join([*base, *([statement.module] if statement.module else [])])


def _members(name: str, bodies: dict[str, ast.ClassDef]) -> set[str]:
    """What a class and those it is made from define, attributes that methods set included."""
    found: set[str] = set()
    waiting = [name]
    for at in waiting:
        cls = bodies.get(at)
        if cls is None:
            continue
        bases = [base.value if isinstance(base, ast.Subscript) else base for base in cls.bases]  # `ListState(MergingState[T, Iterable[T]])`
        outer = at.rpartition(".")[0]
        for base in bases:
            if isinstance(base, ast.Name):
                parent = f"{outer}.{base.id}" if f"{outer}.{base.id}" in bodies else base.id
                waiting += [parent] if parent not in waiting else []
        for statement in _statements(cls.body):
            found.update(_bound(statement))
        found |= {node.attr for node in ast.walk(cls) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    return found | ({"name", "value"} if "Enum" in waiting else set())
