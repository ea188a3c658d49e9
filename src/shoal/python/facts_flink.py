"""PyFlink: what a program sets for its job, its SQL texts and jars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.facts import Block, Unknown, Usage
from shoal.flink_methods import BACKENDS, CP, MANAGED, MAPS, PLAIN, RESTARTS, SHOWS, SQL, TYPED, WORKS
from shoal.inserts import INSERTED, MADE_UP, definition, plain_insert, replaces, table_of
from shoal.python import facts_table_api
from shoal.python.catalogs import Catalogs
from shoal.python.constructors import constructor
from shoal.python.facts import Sheet
from shoal.python.facts_flink_sides import Sides
from shoal.python.loops import texts
from shoal.python.texts import literal, text_of
from shoal.python.tree import Call, Spot, dotted
from shoal.python.values import Object, Sequence, options
from shoal.readers.delegate import is_flink_sql

_JOB_TYPES = frozenset(
    {
        "flink.Environment",
        "flink.TableEnvironment",
        "flink.CheckpointConfig",
        "flink.ExecutionConfig",
        "flink.Configuration",
        "flink.TableConfig",
        "flink.EnvironmentSettings",
        "flink.StatementSet",
    }
)
_CONFIGURATION_SETTERS = frozenset({"set_string", "set_integer", "set_boolean", "set_float", "set_double", "set"})
_SPECIAL = frozenset(
    {
        "enable_checkpointing",
        "enable_unaligned_checkpoints",
        "disable_unaligned_checkpoints",
        "set_fail_on_checkpointing_errors",
        "set_checkpoint_storage",
        "set_state_backend",
        "set_restart_strategy",
    }
)


def collect(sheet: Sheet) -> None:
    _Flink(sheet).collect()


_ELSEWHERE = ("made", "elsewhere")  # of an environment that the module is given


class _Flink:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.module = sheet.module
        self.out = sheet.out
        self.sides = Sides(sheet)
        self.blocks: dict[int, Block] = {}
        self.merged: dict[int, Object] = {}
        self.loose: Block | None = None
        self.by_name: set[str] = set()  # environments of other modules that run SQL which is Flink's
        self.catalogs = Catalogs(sheet.module)
        self.imported = any(
            (statement.node.__class__.__name__ in ("Import", "ImportFrom")) and "pyflink" in _import_name(statement.node)
            for statement in sheet.module.tree.statements
        )

    def collect(self) -> None:
        module = self.module
        for call in module.named("configure", "add_all"):
            for obj in module.receivers(call):
                if obj.type in _JOB_TYPES and call.node.args:
                    for other in module.objects(call.node.args[0].value, call.spot):
                        self.merged[id(other.root)] = obj.root
        for call in module.calls:
            name = call.name
            if name in PLAIN or name in _SPECIAL:
                self.job_call(call)
            elif name in TYPED or name in _CONFIGURATION_SETTERS or name == "get_execution_environment" or name == "create":
                self.typed_call(call)
            elif name in SQL:
                self.sql(call)
            elif name in ("builder", "FlinkKafkaConsumer", "FlinkKafkaProducer", "FlinkKinesisConsumer", "RMQSource", "for_connector"):
                self.sides.start_builder(call)
            elif name in ("add_jars", "add_classpaths"):
                self.jars(call)
            elif name == "sink":
                self.jdbc_sink(call)
            elif name in ("static_index", "dynamic_index") and call.argument(1, "key_field") is None:
                if self.imported and "Elasticsearch" in dotted(call.node.func):
                    self.out.oddity("plain-insert", "the index", self.sheet.name_span(call), MADE_UP)
            elif name in ("ignore_parse_errors", "set_ignore_parse_errors"):
                if self.imported and (name[0] == "i" or self.module.constant(call.argument(0, "ignore_parse_errors"), call.spot) is True):
                    self.out.oddity("parse-errors-ignored", name, self.sheet.name_span(call))
            elif name == "in_batch_mode":
                self.in_batch_mode(call)
            elif name == "socketTextStream" and self.imported:  # PyFlink has none of its own, and reaches for that of Java
                self.out.oddity("socket-source", name, self.sheet.name_span(call))
        for call in module.calls:
            self.sides.builder_call(call)
        facts_table_api.collect(self.sheet)
        self.only_shown()

    def only_shown(self) -> None:
        """A module whose streams are printed as they were read, or through lambdas, and nothing else is done with them."""
        module = self.module
        shown = [call for call in module.named(SHOWS[0]) if any(obj.type.startswith("flink.") for obj in module.receivers(call))]
        mapped = [arg.value for call in module.named(*MAPS) for arg in call.node.args[:1]]
        if shown and not module.named(*WORKS) and all(isinstance(node, cst.Lambda) for node in mapped):
            self.out.facts.append(Usage("only-shown", shown[0].name, self.out.place(self.sheet.name_span(shown[0]))))

    def jdbc_sink(self, call: Call) -> None:
        """`JdbcSink.sink` with a statement that puts a row in twice when it is written again, or that makes the table."""
        node = call.argument(0, "sql")
        if node is None or not any(obj.type == "flink.OtherSink" for obj in self.module.objects(call.node, call.spot)):
            return
        text = text_of(self.module, node, call.spot)
        found = plain_insert(text.text) if text is not None else None
        if text is not None and found is not None and not replaces(self.module.text.text):
            self.out.oddity("plain-insert", table_of(found), text.span(*found.span(1)), INSERTED)
        if text is not None and (what := definition(text.text)):
            self.out.oddity("table-made-by-sink", what, self.sheet.name_span(call))

    # -- the job's own settings

    def root(self, obj: Object) -> Object:
        at = obj.root
        for _ in range(10):
            if id(at) not in self.merged:
                break
            at = self.merged[id(at)]
        return at

    def block(self, obj: Object, call: Call) -> Block:
        root = self.root(obj)
        if id(root) not in self.blocks:
            made = isinstance(root.node, cst.Call)  # here, else whoever made it may have set more
            span = self.sheet.span(root.node.func, root.spot) if made else self.sheet.name_span(call)
            traits = tuple(("managed", service) for mark, service in MANAGED if mark in self.out.raw)[:1]
            self.blocks[id(root)] = self.sheet.block("flink", "job", span, traits=traits if made else (*traits, _ELSEWHERE), open=not made)
        return self.blocks[id(root)]

    def job_blocks(self, call: Call) -> list[Block]:
        """The blocks a call sets something in; for a receiver that cannot be followed, one for the module."""
        found = [obj for obj in self.module.receivers(call) if obj.type in _JOB_TYPES]
        if found:
            return list(dict.fromkeys(self.block(obj, call) for obj in found))
        if not self.imported or call.receiver_node is None:
            return []
        if len(self.blocks) == 1:
            return list(self.blocks.values())
        if self.loose is None:
            self.loose = self.sheet.block("flink", "job", self.sheet.name_span(call), traits=(_ELSEWHERE,), open=True)
        return [self.loose]

    def job_call(self, call: Call) -> None:
        plain = PLAIN.get(call.name)
        for block in self.job_blocks(call):
            if plain is not None:
                node = call.argument(plain.position, plain.keyword)
                if call.name == "set_buffer_timeout" and self.module.constant(node, call.spot) == -1:
                    self.fixed(block, "execution.buffer-timeout.enabled", "false", call, node)
                elif node is not None:
                    self.sheet.setting(block, plain.key, node, call.spot, self.sheet.name_span(call))
            else:
                getattr(self, call.name)(block, call)

    def fixed(self, block: Block, key: str, value: str, call: Call, node: Any = None) -> None:
        """A setting whose value a method's name says."""
        name = self.sheet.name_span(call)
        span = self.sheet.span(node, call.spot) if node is not None else type(name)(name.end, name.end)
        self.sheet.plain(block, key, value, name, span, "branch" if call.spot.conditional else "sure")

    def enable_checkpointing(self, block: Block, call: Call) -> None:
        interval, mode = call.argument(0, "interval"), call.argument(1, "mode")
        if interval is not None:
            self.sheet.setting(block, CP + "interval", interval, call.spot, self.sheet.name_span(call))
        elif not call.has_stars:
            self.fixed(block, CP + "interval", "500", call)
        if mode is not None:
            self.sheet.setting(block, CP + "mode", mode, call.spot, self.sheet.name_span(call))

    def enable_unaligned_checkpoints(self, block: Block, call: Call) -> None:
        node = call.argument(0, "enabled")
        if node is not None:
            self.sheet.setting(block, CP + "unaligned.enabled", node, call.spot, self.sheet.name_span(call))
        else:
            self.fixed(block, CP + "unaligned.enabled", "true", call)

    def disable_unaligned_checkpoints(self, block: Block, call: Call) -> None:
        self.fixed(block, CP + "unaligned.enabled", "false", call)

    def set_fail_on_checkpointing_errors(self, block: Block, call: Call) -> None:
        """The deprecated switch sets the number of tolerable failures to none or to the largest integer (1.20, 2.0)."""
        node = call.argument(0, "fail_on_checkpointing_errors")
        value = self.module.constant(node, call.spot)
        if isinstance(value, bool):
            self.fixed(block, CP + "tolerable-failed-checkpoints", "0" if value else "2147483647", call, node)

    def set_checkpoint_storage(self, block: Block, call: Call) -> None:
        node = call.argument(0, "storage")
        made, arguments = constructor(self.module, node, call)
        if made == "JobManagerCheckpointStorage":
            self.fixed(block, CP + "storage", "jobmanager", call, node)
        elif made in ("FileSystemCheckpointStorage", "CheckpointStorage"):  # the abstract one hands a path on as it is, and Flink takes it
            self.fixed(block, CP + "storage", "filesystem", call, node)
            self.argument(block, CP + "dir", arguments, 0, "checkpoint_path" if made[0] == "F" else "j_checkpoint_storage", call)
        elif node is not None and not self.module.string(node, call.spot):  # one of its own, or made out of sight
            span = self.sheet.span(node, call.spot)
            self.sheet.plain(block, CP + "storage", Unknown(self.sheet.source(span)), self.sheet.name_span(call), span)

    def set_state_backend(self, block: Block, call: Call) -> None:
        node = call.argument(0, "state_backend")
        made, arguments = constructor(self.module, node, call)
        if made not in BACKENDS:
            return
        self.fixed(block, "state.backend.type", BACKENDS[made], call, node)
        if made == "MemoryStateBackend":
            self.fixed(block, CP + "storage", "jobmanager", call, node)
        elif made in ("FsStateBackend", "RocksDBStateBackend"):
            self.argument(block, CP + "dir", arguments, 0, "checkpoint_directory_uri" if made[0] == "F" else "checkpoint_data_uri", call)
        if made.endswith("RocksDBStateBackend"):
            position = 0 if made.startswith("Embedded") else 1
            self.argument(block, CP + "incremental", arguments, position, "enable_incremental_checkpointing", call)

    def set_restart_strategy(self, block: Block, call: Call) -> None:
        node = call.argument(0, "restart_strategy_configuration")
        made, arguments = constructor(self.module, node, call)
        if made not in RESTARTS:
            return
        kind, keys = RESTARTS[made]
        self.fixed(block, "restart-strategy.type", kind, call, node)
        for position, (key, keyword) in enumerate(keys):
            self.argument(block, f"restart-strategy.{kind}.{key}", arguments, position, keyword, call)

    def in_batch_mode(self, call: Call) -> None:
        for obj in self.module.objects(call.node, call.spot):
            if obj.type == "flink.EnvironmentSettings":
                self.fixed(self.block(obj, call), "execution.runtime-mode", "BATCH", call)

    def argument(self, block: Block, key: str, made: Call | None, position: int, keyword: str, via: Call) -> None:
        node = made.argument(position, keyword) if made is not None else None
        if made is not None and node is not None:
            self.sheet.setting(block, key, node, made.spot, None, via.spot)

    def typed_call(self, call: Call) -> None:
        """Names that other libraries have too: the receiver must be known."""
        name = call.name
        if name in ("get_execution_environment", "create"):
            for obj in self.module.objects(call.node, call.spot):
                if obj.type in ("flink.Environment", "flink.TableEnvironment"):
                    self.block(obj, call)
            return
        for obj in self.module.receivers(call):
            if obj.type not in _JOB_TYPES:
                continue
            if name in TYPED:
                plain = TYPED[name]
                node = call.argument(plain.position, plain.keyword)
                if node is not None and obj.type in ("flink.Environment", "flink.ExecutionConfig"):
                    self.sheet.setting(self.block(obj, call), plain.key, node, call.spot, self.sheet.name_span(call))
            elif obj.type in ("flink.Configuration", "flink.TableConfig") and len(call.node.args) >= 2:
                key_node, value_node = call.node.args[0].value, call.node.args[1].value
                block = self.block(obj, call)
                made = self.sheet.pair(block, key_node, value_node, call.spot)
                if made.open:
                    block = self.opened(block)
                for pair in made.pairs:
                    if pair.key in ("pipeline.jars", "pipeline.classpaths"):
                        self.jar_text(pair.value_node, Call(call.node, "", pair.spot, None, ""), block)

    def opened(self, block: Block) -> Block:
        """The block, marked as one that has settings which cannot be seen here."""
        made = block._replace(open=True)
        self.out.facts[self.out.facts.index(block)] = made
        self.blocks = {key: made if other is block else other for key, other in self.blocks.items()}
        return made

    # -- SQL and jars

    def sql(self, call: Call) -> None:
        node = call.argument(SQL[call.name], "stmt" if call.name != "sql_query" else "query")
        if node is None:
            return
        receivers = [obj for obj in self.module.receivers(call) if obj.type in _JOB_TYPES]
        name = dotted(call.receiver_node or node)
        if not receivers and not self.imported and not name.endswith("_env"):
            return  # some other library's; a table environment of another module is told by its name
        parts = texts(self.module, node, call.spot)
        found = [text_of(self.module, part, spot) for part, spot in parts]
        if not any(text is not None and text.text.strip() for text in found):
            return
        if not receivers and not self.imported and name not in self.by_name:
            if not any(text is not None and is_flink_sql(text.text) for text in found):
                return
            self.by_name.add(name)
        from shoal.readers.sql import read_sql

        parent = self.block(receivers[0], call) if receivers else next(iter(self.blocks.values()), None)
        if parent is None:
            span, traits = self.sheet.name_span(call), () if self.imported else (_ELSEWHERE,)
            parent = self.loose = self.loose or self.sheet.block("flink", "job", span, traits=traits, open=not self.imported)
        catalog, before = self.catalogs.at(call), len(self.out.facts)
        for (part, spot), text in zip(parts, found, strict=True):
            if text is not None and text.text.strip():
                origin = literal(self.module.others.origin(part, spot), text.text)
                alone = facts_table_api.submitted_by(self.module, call)
                single = call.name == "execute_sql" and bool(receivers)
                catalog = read_sql(text, self.out, parent, alone=alone, catalog=catalog, origin=origin, single=single)
        if call.name == "sql_query":
            facts_table_api.put_to_use(self.sheet, call, before)

    def jars(self, call: Call) -> None:
        block = next((self.block(obj, call) for obj in self.module.receivers(call) if obj.type in _JOB_TYPES), None)
        if block is None and not self.imported:
            return
        self.out.facts.append(Usage("names-jars", call.name, self.out.place(self.sheet.name_span(call))))
        for arg in call.node.args:
            self.jar_text(arg.value, call, block)

    def jar_text(self, node: Any, call: Call, block: Block | None) -> None:
        """The jars that an expression names; of paths that are put together, those whose names are written out in it."""
        from shoal.readers.jars import read_jars

        before = len(self.out.facts)
        self.whole_jars(node, call, block)
        if len(self.out.facts) == before:
            for literal, spot in self.literals(node, call.spot):
                if (text := text_of(self.module, literal, spot)) is not None:
                    read_jars(text, self.out, block)

    def literals(self, node: Any, spot: Spot, level: int = 0) -> Iterator[tuple[cst.SimpleString, Spot]]:
        """The texts that stand in an expression, and in what its names are assigned."""
        pending = [node]
        while pending:
            at = pending.pop()
            if isinstance(at, cst.SimpleString):
                yield at, spot
            elif isinstance(at, cst.Name) and level < 3:
                for binding, _ in self.module.lookup(at.value, spot):
                    if binding.kind == "assign":
                        yield from self.literals(binding.node, binding.spot, level + 1)
            else:
                pending += reversed(at.children)

    def whole_jars(self, node: Any, call: Call, block: Block | None) -> None:
        from shoal.readers.jars import read_jars

        value = self.module.value(node, call.spot)
        for option in options(value):
            if isinstance(option, Sequence):
                for inner in option.nodes:
                    if (text := text_of(self.module, inner, option.spot)) is not None:
                        read_jars(text, self.out, block)
                return
        text = text_of(self.module, node, call.spot)
        if text is None:
            found = (
                next((binding for binding, _ in self.module.lookup(node.value, call.spot)), None) if isinstance(node, cst.Name) else None
            )
            if found is not None and found.kind == "for":
                self.whole_jars(found.node, Call(call.node, "", found.spot, None, ""), block)
            return
        read_jars(text, self.out, block)


def _import_name(node: Any) -> str:
    from shoal.python.tree import dotted

    if isinstance(node, cst.ImportFrom):
        return dotted(node.module) if node.module is not None else ""
    return " ".join(dotted(alias.name) for alias in node.names)
