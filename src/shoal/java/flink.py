"""Flink programs in Java: the job's settings, Kafka sources and sinks, SQL."""

from __future__ import annotations

import re
from functools import cached_property

from tree_sitter import Node

from shoal.facts import Block, Unknown, Usage
from shoal.flink_methods import (
    BACKENDS,
    BUILDER,
    CP,
    GUARANTEES,
    MANAGED,
    MAPS,
    OLD_STARTS,
    PLAIN,
    RESTARTS,
    SHOWS,
    SQL,
    STARTS,
    TYPED,
    WORKS,
    java,
)
from shoal.java.constants import CHANGES, DEPRECATED, ENDLESS, ENVIRONMENT, GONE, TABLE_ENVIRONMENTS
from shoal.java.sheet import Sheet
from shoal.java.source import same
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.values import Known, Symbol, options
from shoal.readers.delegate import is_flink_sql
from shoal.text import MASK

_PLAIN = {java(name): plain for name, plain in PLAIN.items()}
_TYPED = {java(name): plain for name, plain in TYPED.items()}
_BUILDER = {java(name): key for name, key in BUILDER.items()}
_STARTS = {java(name): value for name, value in STARTS.items()}
_OLD_STARTS = {java(name): value for name, value in OLD_STARTS.items()}
_RESTARTS = {java(name): value for name, value in RESTARTS.items()}
_SQL = {java(name): position for name, position in SQL.items()}
_WORKS = tuple(java(name) for name in WORKS)
_MAPS = tuple(java(name) for name in MAPS)
_ENVIRONMENTS = (ENVIRONMENT, *TABLE_ENVIRONMENTS)
_PARTS = (*_ENVIRONMENTS, "CheckpointConfig", "ExecutionConfig", "TableConfig", "StatementSet", "EnvironmentSettings")
_STATEMENT = pattern(r"\s*(?:INSERT\s+(?:INTO|OVERWRITE)|CREATE\s+(?:TEMPORARY\s+)?(?:VIEW|TABLE|CATALOG|FUNCTION))\s", re.IGNORECASE)
_CONFIGURATION = pattern(r"(?:new\s+Configuration\s*\(|Configuration\s*\.\s*fromMap\s*\()")
_MAKES = ("method_invocation", "object_creation_expression")
_SETTERS = frozenset({"setString", "setInteger", "setLong", "setBoolean", "setFloat", "setDouble", "set"})
_SIDES = {
    "KafkaSourceBuilder": ("source", False),
    "KafkaSinkBuilder": ("sink", False),
    "FlinkKafkaConsumer": ("source", True),
    "FlinkKafkaConsumer011": ("source", True),
    "FlinkKafkaConsumer010": ("source", True),
    "FlinkKafkaConsumer09": ("source", True),
    "FlinkKafkaConsumer08": ("source", True),
    "FlinkKafkaProducer": ("sink", True),
    "FlinkKafkaProducer011": ("sink", True),
    "FlinkKafkaProducer010": ("sink", True),
    "FlinkKafkaProducer09": ("sink", True),
    "FlinkKafkaProducer08": ("sink", True),
}


def collect(sheet: Sheet) -> None:
    _Flink(sheet).collect()
    for name, node in sheet.source.imported:
        if name in GONE:
            sheet.out.facts.append(Usage("flink-class", name, sheet.out.place(sheet.source.span(node))))
        if name in DEPRECATED:
            sheet.out.facts.append(Usage("flink-class-deprecated", name, sheet.out.place(_first_use(sheet, name, node))))


def _first_use(sheet: Sheet, name: str, imported: Node) -> Span:
    """Where a class that a file imports is first made an object of, or its constants are given; the import, where that is nowhere."""
    source, simple = sheet.source, name.rpartition(".")[2]
    made = [node for node in source.news if source.type_of(node) == simple]
    given = source.named("setStreamTimeCharacteristic") if simple == "TimeCharacteristic" else []
    if given:
        return sheet.name_span(given[0])
    return source.span(made[0].child_by_field_name("type") or made[0]) if made else source.span(imported)


class _Flink:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.source = sheet.source
        self.jobs: dict[int, Block] = {}  # by where the environment, or a configuration that it is given, is made
        self.sides: dict[int, Block] = {}

    def collect(self) -> None:
        self._environments()
        for call, _ in self._handed:
            self._note_receiver(call)
        for call in self.source.calls:
            name = self.source.name(call)
            if name in _PLAIN or name in _TYPED or name in _SETTERS or name in _SPECIAL or name in _SQL:
                self._job_call(name, call)
        for node in (*self.source.named("builder"), *self.source.news):
            self._side(node)
        for call in self.source.calls:
            self._side_call(call)
        if any(isinstance(fact, Block) and fact.form == "sql" for fact in self.sheet.out.facts):
            from shoal.readers.sql_tables import note_sides

            note_sides(self.sheet.out, self._tables("executeInsert", "insertInto", "addInsert"), self._tables("from", "fromPath", "scan"))
        self._only_shown()

    def _only_shown(self) -> None:
        """A program whose streams are printed as they were read, or through lambdas, and nothing else is done with them."""
        source = self.source
        shown = [
            call
            for call in source.named(*SHOWS)
            if (at := call.child_by_field_name("object")) is not None and at.type == "method_invocation"
        ]
        given = [part for call in source.named(*_MAPS) for part in source.arguments(call)[:1]]
        simple = all(
            part.type == "lambda_expression" and (body := part.child_by_field_name("body")) is not None and body.type != "block"
            for part in given
        )
        if shown and simple and not source.named(*_WORKS):
            self.sheet.out.facts.append(Usage("only-shown", source.name(shown[0]), self.sheet.out.place(self.sheet.name_span(shown[0]))))

    # -- the job

    def _environments(self) -> None:
        """A block for each environment that is made here; what is put into a configuration that it is given is the job's."""
        source = self.source
        traits = tuple(("managed", service) for mark, service in MANAGED if mark in source.text)[:1]
        made: dict[int, Node] = {}
        for call in source.calls:
            for node in (call.child_by_field_name("object"), call):
                kind = source.type_of(node)
                if kind not in _ENVIRONMENTS or (origin := source.origin(node)) is None or origin.type not in _MAKES:
                    continue
                first = next(iter(source.arguments(origin)), None)
                within = source.type_of(origin) == "StreamTableEnvironment" and source.type_of(first) == ENVIRONMENT
                if not within and source.type_of(origin) != "LocalStreamEnvironment":
                    made.setdefault(origin.start_byte, origin)
        for start, node in made.items():
            ours = source.type_of(node) in _ENVIRONMENTS and source.method_called(node) is None
            given = [] if not ours else self._configurations(node)
            span = Span(node.start_byte, source.name_node(node).end_byte)
            hidden, handed = not ours or any(origin is None for origin in given), self._handed_on(start)
            more = (("handed-on", "yes"),) if handed and not hidden else ()
            block = self.sheet.block("flink", "job", span, traits=(*traits, *more), open=hidden or handed)
            self.jobs[start] = block
            for origin in given:
                if origin is not None:
                    self.jobs[origin.start_byte] = self.jobs[start]
                    self._of_map(self.jobs[start], origin)
            if source.text.find("inBatchMode", node.start_byte, node.end_byte) >= 0:
                self.sheet.plain(block, "execution.runtime-mode", "BATCH", span, Span(span.end, span.end))

    def _configurations(self, node: Node) -> list[Node | None]:
        """Where the configurations are made that an environment is given; None for one that is not made here."""
        source = self.source
        given = list(source.arguments(node))
        given += [part for call in source.named("configure") if same(source.origin(call), node) for part in source.arguments(call)[:1]]
        found: list[Node | None] = []
        for part in given:
            kind = source.type_of(part)
            if kind == "EnvironmentSettings":
                settings = source.origin(part)
                inner = [
                    argument
                    for call in source.named("withConfiguration", "fromConfiguration")
                    if same(source.origin(call), settings)
                    for argument in source.arguments(call)
                ]
                found += [self._made(argument) for argument in inner]
                if settings is not None:
                    found.append(settings)
            elif kind != ENVIRONMENT:
                found.append(self._made(part))
        return found

    def _made(self, node: Node) -> Node | None:
        origin = self.source.origin(node)
        return origin if origin is not None and _CONFIGURATION.match(self.source.written(origin)) else None

    def _of_map(self, block: Block, origin: Node) -> None:
        """The options of a map that a configuration is made of."""
        if self.source.name(origin) == "fromMap":
            held = self.sheet.options(next(iter(self.source.arguments(origin)), None))
            self.sheet.mapping(block, held)
            if held.open:
                self._opened(block)

    def _handed_on(self, start: int) -> bool:
        """Whether an environment is given to something of another file, which may set more."""
        source = self.source
        for call, origin in self._handed:
            if origin.start_byte != start:
                continue
            own = source.method_called(call) if call.type == "method_invocation" else None
            classes = [source.written(node.child_by_field_name("name")) for node in source.classes]
            if own is None and not (call.type == "object_creation_expression" and source.type_of(call) in classes):
                return True
        return False

    def _note_receiver(self, call: Node) -> None:
        """Which class is given an environment: one that is named as it stands, not by an interface of it or a base class; empty for any other."""
        source = self.source
        if call.type == "method_invocation" and source.method_called(call) is not None:
            return
        to: Node | None = call
        if call.type == "method_invocation":
            owner = call.child_by_field_name("object")
            named = source.type_of(owner).startswith("class:")
            made = None if named or owner is None else source.origin(owner)
            to = owner if named else made if made is not None and made.type == "object_creation_expression" else None
        name = source.type_of(to).removeprefix("class:")
        self.sheet.out.facts.append(Usage("gives-environment", name, self.sheet.out.place(self.sheet.name_span(call))))

    @cached_property
    def _handed(self) -> list[tuple[Node, Node]]:
        """The calls and `new` that are given an environment, which is no part of a table environment then, and where it comes from."""
        source = self.source
        found = []
        for call, given in (pair for pairs in source.handed.values() for pair in pairs):
            if source.type_of(given) == ENVIRONMENT and source.type_of(call) not in TABLE_ENVIRONMENTS:
                origin = source.origin(given)
                found += [(call, origin)] if origin is not None else []
        return found

    def _block(self, node: Node | None) -> Block | None:
        """The job that an expression is a part of. A parameter or field stands for the one environment that is made here."""
        origin = self.source.origin(node)
        if origin is None:
            return None
        if origin.start_byte in self.jobs:
            return self.jobs[origin.start_byte]
        inner = self.source.arguments(origin)[:1] if origin.type == "method_invocation" else []
        if inner and self.source.type_of(origin) in TABLE_ENVIRONMENTS and self.source.type_of(inner[0]) == ENVIRONMENT:
            return self._block(inner[0])
        blocks = {block.id: block for block in self.jobs.values()}
        if len(blocks) == 1 and origin.type not in _MAKES:
            return next(iter(blocks.values()))
        return None

    def _loose(self, call: Node) -> Block:
        """The block of what is set on environments that are made in other files, or (a block of its own) that run in this very process."""
        origin = self.source.origin(call.child_by_field_name("object"))
        local = self.source.type_of(origin) == "LocalStreamEnvironment"
        key = -2 if local else -1
        if key not in self.jobs:
            traits = (("local", "yes"),) if local else (("handed-on", "yes"), ("made", "elsewhere"))
            self.jobs[key] = self.sheet.block("flink", "job", self.sheet.name_span(call), traits=traits, open=True)
        return self.jobs[key]

    def _job_call(self, name: str, call: Node) -> None:
        source = self.source
        owner = call.child_by_field_name("object")
        kind = source.type_of(owner)
        if name in _SQL:
            self._sql(call, owner, kind)
            return
        if kind not in _PARTS and not (kind == "Configuration" and name in _SETTERS):
            return
        block = self._block(owner) or (self._loose(call) if kind != "Configuration" else None)
        given = source.arguments(call)
        if block is None or source.local_only(call):
            return
        if name in _SETTERS:
            if kind in ("Configuration", "TableConfig") and len(given) == 2:
                self._option(block, call, given)
            return
        plain = _PLAIN.get(name) or (_TYPED.get(name) if kind in (ENVIRONMENT, "ExecutionConfig") else None)
        if plain is not None:
            if given and name == "setBufferTimeout" and self.source.value(given[0]) == Known(-1):
                self._fixed(block, "execution.buffer-timeout.enabled", "false", call, given[0])
            elif given:
                self.sheet.setting(block, plain.key, given[0], self.sheet.name_span(call))
        elif name in _SPECIAL:
            _SPECIAL[name](self, block, call, given)

    def _option(self, block: Block, call: Node, given: list[Node]) -> None:
        key = self.source.value(given[0])
        if isinstance(key, Known) and isinstance(key.value, str):
            self.sheet.setting(block, key.value, given[1], self.source.body(given[0]), call)
            return
        self._opened(block)

    def _opened(self, block: Block) -> None:
        """Mark a block as one that has settings which cannot be seen here."""
        made = block._replace(open=True)
        facts = self.sheet.out.facts
        facts[facts.index(block)] = made
        self.jobs = {key: made if other is block else other for key, other in self.jobs.items()}

    def _fixed(self, block: Block, key: str, value: str, call: Node, node: Node | None = None) -> None:
        """A setting whose value a method's name says, or a class."""
        name = self.sheet.name_span(call)
        span = self.source.span(node) if node is not None else Span(name.end, name.end)
        self.sheet.plain(block, key, value, name, span, "branch" if self.source.conditional(call) else "sure")

    def _enable_checkpointing(self, block: Block, call: Node, given: list[Node]) -> None:
        if given:
            self.sheet.setting(block, CP + "interval", given[0], self.sheet.name_span(call))
        else:
            self._fixed(block, CP + "interval", "500", call)
        if len(given) > 1:
            self.sheet.setting(block, CP + "mode", given[1], self.sheet.name_span(call))

    def _unaligned(self, block: Block, call: Node, given: list[Node]) -> None:
        if given:
            self.sheet.setting(block, CP + "unaligned.enabled", given[0], self.sheet.name_span(call))
        else:
            self._fixed(block, CP + "unaligned.enabled", "true" if self.source.name(call)[0] == "e" else "false", call)

    def _generic(self, block: Block, call: Node, given: list[Node]) -> None:
        self._fixed(block, "pipeline.generic-types", "false" if self.source.name(call)[0] == "d" else "true", call)

    def _failing(self, block: Block, call: Node, given: list[Node]) -> None:
        """The deprecated switch sets the number of tolerable failures to none or to the largest integer."""
        value = self.source.value(given[0]) if given else None
        if isinstance(value, Known) and isinstance(value.value, bool):
            self._fixed(block, CP + "tolerable-failed-checkpoints", "0" if value.value else "2147483647", call, given[0])

    def _creation(self, node: Node) -> tuple[str, list[Node]]:
        """The class or factory method that makes an argument, and what it is given."""
        origin = self.source.origin(node)
        if origin is None or origin.type not in ("object_creation_expression", "method_invocation"):
            return "", []
        name = self.source.type_of(origin) if origin.type[0] == "o" else self.source.name(origin)
        return name, self.source.arguments(origin)

    def _storage(self, block: Block, call: Node, given: list[Node]) -> None:
        if not given:
            return
        made, inner = self._creation(given[0])
        if made == "JobManagerCheckpointStorage":
            self._fixed(block, CP + "storage", "jobmanager", call, given[0])
        elif made == "FileSystemCheckpointStorage":
            self._fixed(block, CP + "storage", "filesystem", call, given[0])
            self._directory(block, inner, call)
        else:
            self._directory(block, given, call)

    def _directory(self, block: Block, given: list[Node], call: Node) -> None:
        """A directory as a text, a `Path` or a URI of one."""
        if not given:
            return
        made, inner = self._creation(given[0])
        node = inner[0] if made in ("Path", "URI") and inner else given[0]
        self.sheet.setting(block, CP + "dir", node, self.sheet.name_span(call), call)

    def _state_backend(self, block: Block, call: Node, given: list[Node]) -> None:
        made, inner = self._creation(given[0]) if given else ("", [])
        if made not in BACKENDS:
            return
        self._fixed(block, "state.backend.type", BACKENDS[made], call, given[0])
        if made == "MemoryStateBackend":
            self._fixed(block, CP + "storage", "jobmanager", call, given[0])
        elif made in ("FsStateBackend", "RocksDBStateBackend") and inner and self.source.type_of(inner[0]) not in BACKENDS:
            self._directory(block, inner, call)
        if made.endswith("RocksDBStateBackend"):
            position = 0 if made.startswith("Embedded") else 1
            if len(inner) > position:
                self.sheet.setting(block, CP + "incremental", inner[position], None, call)

    def _restart(self, block: Block, call: Node, given: list[Node]) -> None:
        made, inner = self._creation(given[0]) if given else ("", [])
        if made not in _RESTARTS:
            return
        kind, keys = _RESTARTS[made]
        self._fixed(block, "restart-strategy.type", kind, call, given[0])
        for (key, _), node in zip(keys, inner, strict=False):
            self.sheet.setting(block, f"restart-strategy.{kind}.{key}", node, None, call)

    def _sql(self, call: Node, owner: Node | None, kind: str) -> None:
        given = self.source.arguments(call)
        text = self.source.text_of(given[0]) if given and kind in (*TABLE_ENVIRONMENTS, "StatementSet", "") else None
        if text is None or not text.text.strip() or not (kind or is_flink_sql(text.text) or _STATEMENT.match(text.text)):
            return
        from shoal.readers.sql import read_sql

        method = self.source.method_of(call)
        executes = self.source.name(call) == "executeSql"
        submits = method is not None and executes and not self.source.conditional(call)
        alone = self.source.name(method) if submits and method is not None else ""
        block = self._block(owner) or next(iter(self.jobs.values()), None) or self._loose(call)
        single = executes and kind in TABLE_ENVIRONMENTS
        read_sql(text, self.sheet.out, block, alone=alone, catalog=self._catalog_at(call, method), single=single)

    def _catalog_at(self, call: Node, method: Node | None) -> str:
        """The catalog that is used where a statement is made: the last of its own method, where no other one uses any."""
        from shoal.readers.sql_statements import UNSURE

        catalog = ""
        for used, name in self._catalogs:
            if not same(self.source.method_of(used), method):
                return UNSURE
            if used.start_byte < call.start_byte:
                catalog = UNSURE if self.source.conditional(used) else name
        return catalog

    @cached_property
    def _catalogs(self) -> list[tuple[Node, str]]:
        """The calls after which another catalog is used, and which."""
        from shoal.readers.sql_statements import UNSURE, used_catalog

        source = self.source
        found = []
        for call in source.named("useCatalog", *_SQL) if re.search(r"(?i)\buse(?:Catalog\b|\s)", source.text) else ():
            text = source.text_of(given[0]) if (given := source.arguments(call)) else None
            if source.name(call) == "useCatalog":
                found.append((call, text.text if text is not None and MASK not in text.text else UNSURE))
            elif text is not None and (name := used_catalog(text.text, "")):
                found.append((call, name))
        return sorted(found, key=lambda one: one[0].start_byte)

    def _tables(self, *methods: str) -> list[str]:
        """The tables that calls of the Table API name."""
        values = [self.source.value(given[0]) for call in self.source.named(*methods) if (given := self.source.arguments(call))]
        return [value.value.replace("`", "") for value in values if isinstance(value, Known) and isinstance(value.value, str)]

    # -- sources and sinks

    def _side(self, node: Node) -> Block | None:
        """The block of a Kafka source or sink that is made here."""
        source = self.source
        kind = source.type_of(node)
        if node.start_byte in self.sides:
            return self.sides[node.start_byte]
        if kind is not None and (changes := CHANGES.get(kind.removesuffix("Builder"))) and kind not in CHANGES:
            ends = any(same(source.origin(call), node) and "snapshot(" in source.written(call) for call in source.named("startupOptions"))
            traits = [("connector", changes), *([("bounded", "true")] if ends else [])]
            place = source.span(node.child_by_field_name("object") or node)
            self.sides[node.start_byte] = self.sheet.block("flink", "source", place, traits=tuple(traits), open=True)
            return self.sides[node.start_byte]
        if kind is not None and (stream := ENDLESS.get(kind.removesuffix("Builder"))):
            if node.type == "method_invocation" and not kind.endswith("Builder"):
                return None  # a method of the program that gives one: it is made there
            place = source.span(node.child_by_field_name("type") or node.child_by_field_name("object") or node)
            self.sides[node.start_byte] = self.sheet.block("flink", "source", place, traits=(("connector", stream),), open=True)
            return self.sides[node.start_byte]
        if kind not in _SIDES:
            return None
        role, legacy = _SIDES[kind]
        traits = [("connector", "kafka"), *([("legacy", "true")] if legacy else [])]
        if kind == "KafkaSinkBuilder" and self._without_guarantee(node):
            traits.append(("guarantee", "default"))
        where = node.child_by_field_name("type" if legacy else "object")
        block = self.sheet.block(
            "flink", role, source.span(where or node), traits=tuple(traits), open=self._hidden(node) or (legacy and self._old_hidden(node))
        )
        self.sides[node.start_byte] = block
        if legacy:
            self._old_kafka(block, node, role)
        return block

    def _without_guarantee(self, node: Node) -> bool:
        """Whether a sink is surely built without being given a delivery guarantee."""
        mine = {
            self.source.name(call)
            for call in self.source.named("build", "setDeliveryGuarantee", "setDeliverGuarantee")
            if same(self.source.origin(call), node)
        }
        return mine == {"build"}

    def _hidden(self, node: Node) -> bool:
        """Whether properties are given that cannot be seen."""
        for call in self.source.named("setProperties", "setKafkaProducerConfig", "setProperty"):
            if same(self.source.origin(call), node):
                given = self.source.arguments(call)
                if len(given) == 1 and self.sheet.options(given[0]).open:
                    return True
                if len(given) == 2 and not isinstance(self.source.value(given[0]), Known):
                    return True
        return False

    def _old_properties(self, given: list[Node]) -> Node | None:
        return next((part for part in given if self.source.type_of(part) in ("Properties", "class:Properties")), None)

    def _old_hidden(self, node: Node) -> bool:
        """Whether the properties that a consumer, and most constructors of a producer, are given come from where they cannot be seen."""
        given = self.source.arguments(node)
        properties = self._old_properties(given)
        if properties is not None:
            return self.sheet.options(properties).open
        return len(given) > 2 and (self.source.type_of(node).startswith("FlinkKafkaConsumer") or given[2].type == "method_invocation")

    def _old_kafka(self, block: Block, node: Node, role: str) -> None:
        given = self.source.arguments(node)
        if not given:
            return
        properties = self._old_properties(given)
        if role == "source" or properties is not None:
            self.sheet.setting(block, "topic", given[0], None, node)
        if properties is not None:
            self.sheet.mapping(block, self.sheet.options(properties), "properties.")
        for part in given[1:] if role == "sink" else ():
            for way in options(self.source.value(part)):
                if isinstance(way, Symbol) and way.last in GUARANTEES:
                    self._guarantee(block, part, node)

    def _guarantee(self, block: Block, node: Node, call: Node) -> None:
        span = self.source.span(node)
        # of several the strictest one has the last word: what it asks for has to be right where it is chosen
        for text, sure in sorted(self.source.shown(node), key=lambda way: "EXACTLY" in (way[0] or "").upper()):
            shown = GUARANTEES.get(text or "", Unknown(self.source.written(node)))
            self.sheet.plain(
                block, "sink.delivery-guarantee", shown, self._key(call), span, "branch" if self.source.conditional(call) else sure
            )

    def _key(self, call: Node) -> Span:
        return (
            self.sheet.name_span(call) if call.type == "method_invocation" else self.source.span(call.child_by_field_name("type") or call)
        )

    def _side_call(self, call: Node) -> None:
        source, name = self.source, self.source.name(call)
        if name not in _SIDE_CALLS and name not in _BUILDER and name not in _OLD_STARTS:
            return
        origin = source.origin(call.child_by_field_name("object"))
        block = self.sides.get(origin.start_byte) if origin is not None else None
        given = source.arguments(call)
        if block is None:
            if name == "setTopic" and origin is not None:
                self._serializer_topic(origin, call, given)
            return
        key_span = self.sheet.name_span(call)
        sure = "branch" if source.conditional(call) else "sure"
        if name in _OLD_STARTS:
            self.sheet.plain(block, "scan.startup.mode", _OLD_STARTS[name], key_span, Span(key_span.end, key_span.end), sure)
        if not given:
            return
        if name in _BUILDER:
            self.sheet.setting(block, _BUILDER[name], given[0], key_span)
        elif name == "setProperty" and len(given) == 2:
            key = source.value(given[0])
            if isinstance(key, Known) and isinstance(key.value, str):
                self.sheet.setting(block, f"properties.{key.value}", given[1], source.body(given[0]), call)
        elif name in ("setProperties", "setKafkaProducerConfig"):
            self.sheet.mapping(block, self.sheet.options(given[0]), "properties.")
        elif name == "setStartingOffsets":
            self._offsets(block, given[0], call)
        elif name == "setBounded":
            made, _ = self._creation(given[0])
            self.sheet.plain(block, "scan.bounded.mode", _STARTS.get(made, Unknown(made)), key_span, source.span(given[0]))
        elif name in ("setDeliveryGuarantee", "setDeliverGuarantee"):
            self._guarantee(block, given[0], call)
        elif name == "setTopics":
            self._topics(block, given, key_span)

    def _topics(self, block: Block, given: list[Node], key_span: Span) -> None:
        texts = [shown[0][0] if len(shown := self.source.shown(node)) == 1 else None for node in given]
        span = Span(given[0].start_byte, given[-1].end_byte)
        known = ";".join(text for text in texts if text) if all(texts) else None
        self.sheet.plain(block, "topic", known if known is not None else Unknown(self.source.text[span.start : span.end]), key_span, span)

    def _offsets(self, block: Block, node: Node, call: Node) -> None:
        made, inner = self._creation(node)
        span, key_span = self.source.span(node), self.sheet.name_span(call)
        sure = "branch" if self.source.conditional(call) else "sure"
        self.sheet.plain(block, "scan.startup.mode", _STARTS.get(made, Unknown(self.source.written(node))), key_span, span, sure)
        if made == "committedOffsets":
            text = self.source.shown(inner[0])[0][0] if inner else "none"
            shown = text.lower() if text else Unknown(self.source.written(node))
            self.sheet.plain(block, "properties.auto.offset.reset", shown, key_span, self.source.span(inner[0]) if inner else span, sure)

    def _serializer_topic(self, origin: Node, call: Node, given: list[Node]) -> None:
        """The topic of the sink that is given this serializer."""
        for other in self.source.named("setRecordSerializer"):
            if any(same(self.source.origin(part), origin) for part in self.source.arguments(other)):
                sink = self.source.origin(other)
                block = self.sides.get(sink.start_byte) if sink is not None else None
                if block is not None and given:
                    self.sheet.setting(block, "topic", given[0], self.sheet.name_span(call))


_SIDE_CALLS = frozenset(
    {
        "setProperty",
        "setProperties",
        "setKafkaProducerConfig",
        "setStartingOffsets",
        "setBounded",
        "setDeliveryGuarantee",
        "setDeliverGuarantee",
        "setTopics",
        "setTopic",
    }
)
_SPECIAL = {
    "enableCheckpointing": _Flink._enable_checkpointing,
    "enableUnalignedCheckpoints": _Flink._unaligned,
    "disableUnalignedCheckpoints": _Flink._unaligned,
    "disableGenericTypes": _Flink._generic,
    "enableGenericTypes": _Flink._generic,
    "setFailOnCheckpointingErrors": _Flink._failing,
    "setCheckpointStorage": _Flink._storage,
    "setStateBackend": _Flink._state_backend,
    "setRestartStrategy": _Flink._restart,
}
