"""PyFlink: job settings, Kafka builders, table descriptors, SQL texts and jars."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.facts import Block, Statement, Unknown, Usage
from shoal.flink_methods import BACKENDS, BUILDER, CP, GUARANTEES, MANAGED, OLD_STARTS, PLAIN, RESTARTS, SQL, STARTS, TYPED
from shoal.inserts import INSERTED, MADE_UP, plain_insert, replaces, table_of
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.catalogs import Catalogs
from shoal.python.facts import Sheet, text_value
from shoal.python.loops import texts
from shoal.python.texts import literal, text_of
from shoal.python.tree import Call, Spot, dotted
from shoal.python.values import Known, Mapping, Object, Sequence, Symbol, names, options
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


# Methods of a table that keep something for every key or row, as features of a statement.
_STATEFUL = {"group_by": "group-by", "distinct": "select-distinct"}
_LOOKS = names("print_schema get_schema get_resolved_schema")
_JOINS = names("join left_outer_join right_outer_join full_outer_join")
# What makes use of a table, and which argument the table is; -1: it is a method of the table itself.
_INSERTS = {"execute_insert": -1, "insert_into": -1, "add_insert": 1}
_QUERIES = {"execute": -1, **dict.fromkeys(("to_data_stream", "to_append_stream", "to_retract_stream", "to_changelog_stream"), 0)}
_USES = {**_INSERTS, "create_temporary_view": 1, **_QUERIES}
# In the condition of a join: a time that it looks back, or the window of both sides.
_TIMED = pattern(
    r"\.(?:milli|second|minute|hour|day|week|month|year)s?\b|\b(?:between|interval)\b|\bwindow_(?:start|end|time)\b", re.IGNORECASE
)

_ELSEWHERE = ("made", "elsewhere")  # of an environment that the module is given


class _Flink:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.module = sheet.module
        self.out = sheet.out
        self.blocks: dict[int, Block] = {}
        self.merged: dict[int, Object] = {}
        self.loose: Block | None = None
        self.catalogs = Catalogs(sheet.module)
        self.imported = any(
            (statement.node.__class__.__name__ in ("Import", "ImportFrom")) and "pyflink" in _import_name(statement.node)
            for statement in sheet.module.tree.statements
        )

    def collect(self) -> None:
        from shoal.readers.sql_tables import note_sides

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
                self.start_builder(call)
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
        for call in module.calls:
            self.builder_call(call)
        self.table_queries()
        note_sides(self.out, self.tables("execute_insert", "insert_into", "add_insert"), self.tables("from_path", "scan"))

    def jdbc_sink(self, call: Call) -> None:
        """`JdbcSink.sink` with a statement that puts a row in twice when it is written again."""
        node = call.argument(0, "sql")
        if node is None or not any(obj.type == "flink.OtherSink" for obj in self.module.objects(call.node, call.spot)):
            return
        text = text_of(self.module, node, call.spot)
        found = plain_insert(text.text) if text is not None else None
        if text is not None and found is not None and not replaces(self.module.text.text):
            self.out.oddity("plain-insert", table_of(found), text.span(*found.span(1)), INSERTED)

    def table_queries(self) -> None:
        """Inserts, views and queries that the Table API makes, as the SQL would be: the statement has what keeps state last, a query the rest."""
        told: set[Span] = set()
        for call in sorted(self.module.named(*_USES), key=lambda call: call.name in _QUERIES):
            query, position = call.name in _QUERIES, _USES[call.name]
            target = self.module.string(call.node.args[0].value, call.spot) if call.node.args and not query else ""
            used = call.receiver_node if position < 0 else call.argument(position, "table")
            for table in self.module.objects(used, call.spot) if used is not None and (target or query) else ():
                lines = self.lines(table) if table.type == "flink.Table" else []
                sources = tuple(name for line in lines for made in line if (name := self.read_by(made)))
                if not sources:
                    continue
                kept = [found for line in lines for at in range(len(line)) if (found := self.kept(line, at)) is not None]
                steps = ((line, at) for line in lines for at in range(len(line)))
                windows = [("windowed-group-by", over) for line, at in steps if (over := self.windowed(line, at)) is not None]
                if not query:
                    feature, where = kept.pop(0) if kept else ("", self.sheet.name_span(call))
                    kind = "insert" if call.name in _INSERTS else "create-view"
                    features: tuple[str, ...] = (feature,) if feature else ()
                    if windows and kind == "create-view":
                        features += ("windowed-group-by",)
                    place, alone = self.out.place(where), self.alone(call)
                    self.out.facts.append(Statement(kind, target.replace("`", ""), sources, features, place, alone=alone))
                    told.add(where)
                for feature, where in kept + windows if query or call.name in _INSERTS else ():
                    if where not in told:
                        self.out.facts.append(Statement("select", "", sources, (feature,), self.out.place(where)))
                        told.add(where)

    def lines(self, table: Object) -> list[list[Object]]:
        """What a table was made from, newest first; after it the same of each table that it is joined with."""
        found = [table.line()]
        for line in found:
            for made in line if len(found) < 20 else ():
                if made.call in _JOINS and isinstance(made.node, cst.Call) and made.node.args:
                    joined = self.module.objects(made.node.args[0].value, made.spot)
                    found += [other.line() for other in joined if other.type == "flink.Table" and all(other is not one[0] for one in found)]
        return found

    def read_by(self, made: Object) -> str:
        """The table that is read; empty where none is, or none that is known."""
        if made.call not in ("from_path", "scan") or not isinstance(made.node, cst.Call) or not made.node.args:
            return ""
        return self.module.string(made.node.args[0].value, made.spot)

    def kept(self, line: list[Object], at: int) -> tuple[str, Span] | None:
        """The feature of a step that keeps state, and where it stands."""
        made = line[at]
        if made.call not in _STATEFUL and made.call not in _JOINS:
            return None
        if not isinstance(made.node, cst.Call) or not isinstance(made.node.func, cst.Attribute):
            return None  # another module's
        text = self.conditions(made)
        if made.call in _JOINS:
            later = "".join(self.conditions(other) for other in line[:at] if other.call in ("where", "filter"))
            if _TIMED.search(text + later) or "<" in text or ">" in text:
                return None
        elif (at + 1 < len(line) and line[at + 1].call in ("window", "over_window")) or _TIMED.search(text):
            return None
        return _STATEFUL.get(made.call, "regular-join"), self.sheet.span(made.node.func.attr, made.spot)

    def windowed(self, line: list[Object], at: int) -> Span | None:
        """Where a window is put over what a table has, by `window(…).group_by(…)`; None for other steps, and where one before may have made its time."""
        made = line[at]
        if made.call != "window" or at == 0 or line[at - 1].call != "group_by" or not isinstance(made.node, cst.Call):
            return None
        before = "".join(self.conditions(other) for other in line[at:]).lower()
        if "proctime" in before or not isinstance(made.node.func, cst.Attribute) or any(other.call == "window" for other in line[at + 1 :]):
            return None
        return self.sheet.span(made.node.func.attr, made.spot)

    def conditions(self, made: Object) -> str:
        """What a step is given beside another table, as it is written; what cannot be seen may be about any time."""
        found = []
        for arg in made.node.args[made.call in _JOINS :] if isinstance(made.node, cst.Call) else ():
            node, spot = arg.value, made.spot
            if isinstance(node, cst.Name):
                binding = next((binding for binding, _ in self.module.lookup(node.value, spot) if binding.kind == "assign"), None)
                if binding is None:
                    return "interval"
                node, spot = binding.node, binding.spot
            found.append(self.sheet.source(self.sheet.span(node, spot)))
        return " ".join(found)

    def tables(self, *methods: str) -> list[str]:
        """The tables that calls of the Table API name, but for those of which nothing but the columns is asked."""
        asked = {id(call.receiver_node) for call in self.module.named(*_LOOKS)}
        calls = (call for call in self.module.named(*methods) if call.node.args and id(call.node) not in asked)
        found = (self.module.string(call.node.args[0].value, call.spot) for call in calls)
        return [name.replace("`", "") for name in found if name]

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
        made, arguments = self.constructor(node, call)
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
        made, arguments = self.constructor(node, call)
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
        made, arguments = self.constructor(node, call)
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

    def constructor(self, node: Any, call: Call) -> tuple[str, Call | None]:
        """The name of the class or factory method an argument calls, and that call."""
        if isinstance(node, cst.Name):
            for binding, _ in self.module.lookup(node.value, call.spot):
                if binding.kind == "assign" and isinstance(binding.node, cst.Call):
                    return self.constructor(binding.node, Call(call.node, "", binding.spot, None, ""))
        if not isinstance(node, cst.Call):
            return "", None
        value = self.module.value(node.func, call.spot)
        name = value.last if isinstance(value, Symbol) else ""
        return name, Call(node, name, call.spot, None, "argument")

    def ways(self, node: Any, spot: Spot, level: int = 0) -> list[tuple[str, Call | None]]:
        """As `constructor`, for each value that a name or a conditional expression may have."""
        found: list[tuple[str, Call | None]] = []
        if isinstance(node, cst.IfExp) and level < 3:
            test = self.module.constant(node.test, spot)
            for way, child in ((True, node.body), (False, node.orelse)):
                if test is not (not way):
                    found += self.ways(child, spot, level + 1)
        elif isinstance(node, cst.Name) and level < 3:
            for binding, _ in self.module.lookup(node.value, spot):
                if binding.kind == "assign":
                    found += self.ways(binding.node, binding.spot, level + 1)
        return found or [self.constructor(node, Call(node, "", spot, None, ""))]

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
        if not receivers and not self.imported and not dotted(call.receiver_node or node).endswith("_env"):
            return  # some other library's; a table environment of another module is told by its name
        parts = texts(self.module, node, call.spot)
        found = [text_of(self.module, part, spot) for part, spot in parts]
        if not any(text is not None and text.text.strip() for text in found):
            return
        if not receivers and not self.imported and not any(text is not None and is_flink_sql(text.text) for text in found):
            return
        from shoal.readers.sql import read_sql

        parent = self.block(receivers[0], call) if receivers else next(iter(self.blocks.values()), None)
        if parent is None:
            parent = self.loose = self.loose or self.sheet.block("flink", "job", self.sheet.name_span(call))
        catalog = self.catalogs.at(call)
        for (part, spot), text in zip(parts, found, strict=True):
            if text is not None and text.text.strip():
                origin = literal(self.module.others.origin(part, spot), text.text)
                catalog = read_sql(text, self.out, parent, alone=self.alone(call), catalog=catalog, origin=origin)

    def alone(self, call: Call) -> str:
        """The function that submits a statement as a job of its own."""
        submits = ("execute_sql", "execute_insert")
        if call.name not in submits or call.spot.conditional:
            return ""
        if call.use == "chained" and any(
            other.function is call.function and other.spot.statement > call.spot.statement for other in self.module.named(*submits)
        ):
            return ""  # it is waited for
        return call.function.qualname if call.function is not None else "the module"

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

    # -- sources, sinks and tables

    def start_builder(self, call: Call) -> None:
        """A block for each source or sink that is known and each table descriptor, even if nothing is set on it."""
        for obj in self.module.objects(call.node, call.spot):
            self.side_block(obj)

    def side_block(self, obj: Object) -> Block | None:
        root = obj.root
        if id(root) in self.blocks:
            return self.blocks[id(root)]
        kinds = {
            "flink.KafkaSourceBuilder": ("source", "kafka", "false"),
            "flink.KafkaSinkBuilder": ("sink", "kafka", "false"),
            "flink.OldKafkaSource": ("source", "kafka", "true"),
            "flink.OldKafkaSink": ("sink", "kafka", "true"),
            "flink.PulsarSourceBuilder": ("source", "pulsar", "false"),
            "flink.OldKinesisSource": ("source", "kinesis", "false"),
            "flink.OldRabbitSource": ("source", "rabbitmq", "false"),
            "flink.TableDescriptorBuilder": ("table", "", ""),
        }
        if root.type not in kinds or not isinstance(root.node, cst.Call):
            return None
        role, connector, legacy = kinds[root.type]
        node = root.node
        traits: list[tuple[str, str]] = [("connector", connector)] if connector else []
        if legacy == "true":
            traits.append(("legacy", "true"))
        if role == "table":
            return self.table(root, node)
        if root.type == "flink.KafkaSinkBuilder" and self.without_guarantee(root):
            traits.append(("guarantee", "default"))
        if role == "sink" and self.several(root):
            traits.append(("several", "true"))
        where = node.func.value if isinstance(node.func, cst.Attribute) else node.func
        block = self.sheet.block("flink", role, self.sheet.span(where, root.spot), traits=tuple(traits), open=self.hidden(root))
        self.blocks[id(root)] = block
        if legacy == "true":
            self.old_kafka(block, Call(node, "", root.spot, None, ""), role)
        elif root.type == "flink.OldKinesisSource":
            self.kinesis(block, Call(node, "", root.spot, None, ""))
        return block

    def table(self, root: Object, node: cst.Call) -> Block:
        """A table by its descriptor."""
        from shoal.python.descriptors import described

        made = described(self.sheet, root)
        block = self.sheet.block("flink", "table", self.sheet.span(node.func, root.spot), made.name, traits=made.traits, open=made.open)
        self.blocks[id(root)] = block
        if node.args:
            self.sheet.setting(block, "connector", node.args[0].value, root.spot)
        if made.watermark is not None:
            self.out.oddity("watermark", made.name, self.sheet.name_span(made.watermark), "", block)
        return block

    def table_format(self, block: Block, node: Any, call: Call) -> None:
        """A format by its name, or by a descriptor with options of its own, which go by the format's name in the table."""
        from shoal.python.descriptors import calls_on, format_descriptor

        made, where = format_descriptor(self.module, node, call), self.sheet.name_span(call)
        if made is None:
            self.sheet.setting(block, "format", node, call.spot, where)
            return
        named = made.node.args[0].value
        self.sheet.setting(block, "format", named, made.spot, where)
        for option in calls_on(self.module, made, "option"):
            key, value = option.argument(0, "key"), option.argument(1, "value")
            if key is not None and value is not None:
                self.sheet.pair(block, key, value, option.spot, self.module.string(named, made.spot) + ".")

    def kinesis(self, block: Block, call: Call) -> None:
        """Where a Kinesis consumer begins, by the name that the starting position has elsewhere."""
        config = call.argument(2, "config_props")
        value = self.module.value(config, call.spot) if config is not None else None
        for pair in value.pairs if isinstance(value, Mapping) else ():
            if pair.key == "flink.stream.initpos" and self.module.string(pair.value_node, pair.spot).upper() == "LATEST":
                key_span, span = self.sheet.body_span(pair.key_node, pair.spot), self.sheet.body_span(pair.value_node, pair.spot)
                self.sheet.plain(block, "scan.startup.mode", "latest-offset", key_span, span)

    def several(self, root: Object) -> bool:
        """Whether the code that makes a sink runs more than once in a program: its function is called in two places, neither of which excludes the other."""
        function = root.spot.function
        sites = self.module.call_sites(function) if function is not None else []
        return any(
            all(arm.group != other.group or arm.index == other.index for arm in one.spot.arms for other in two.spot.arms)
            for index, one in enumerate(sites)
            for two in sites[index + 1 :]
            if one.function is two.function
        )

    def without_guarantee(self, root: Object) -> bool:
        """Whether a sink is surely built without being given a delivery guarantee."""
        given = [self.module.receivers(call) for call in self.module.named("set_delivery_guarantee")]
        if not all(given) or any(obj.root is root for objects in given for obj in objects):
            return False
        return any(obj.root is root for call in self.module.named("build") for obj in self.module.receivers(call))

    def hidden(self, root: Object) -> bool:
        """Whether properties are given that cannot be seen."""
        for call in self.module.named("set_properties", "set_property", "set_kafka_producer_config"):
            for obj in self.module.receivers(call):
                if obj.root is root and call.node.args:
                    first, second = call.node.args[0].value, call.argument(1, "value")
                    if call.name == "set_property":
                        if second is None or self.sheet.pairs(first, second, call.spot).open:
                            return True
                        continue
                    value = self.module.value(first, call.spot)
                    if not isinstance(value, (Mapping, Known)) or (isinstance(value, Mapping) and value.open):
                        return True
        return False

    def old_kafka(self, block: Block, call: Call, role: str) -> None:
        names = {"source": (0, "topics", 2, "properties"), "sink": (0, "topic", 2, "producer_config")}[role]
        topic = call.argument(names[0], names[1])
        if topic is not None:
            self.sheet.setting(block, "topic", topic, call.spot)
        node = call.argument(names[2], names[3])
        value = self.module.value(node, call.spot)
        if isinstance(value, Mapping):
            self.sheet.mapping(block, value, "properties.")
        semantic = call.argument(5, "semantic") if role == "sink" else None
        if semantic is not None:
            self.guarantee(block, semantic, call)

    def guarantee(self, block: Block, node: Any, call: Call) -> None:
        """One setting for each guarantee that a flag may choose; the last one counts, so the strongest comes last."""
        value = self.module.value(node, call.spot)
        span = self.sheet.span(node, call.spot)
        found = [GUARANTEES.get(text_value(self.module, option) or "") for option in options(value)]
        found.sort(key=lambda shown: ("none", "at-least-once", "exactly-once").index(shown) if shown else -1)
        for shown in found:
            self.sheet.plain(
                block,
                "sink.delivery-guarantee",
                shown if shown else Unknown(self.sheet.source(span)),
                self.sheet.name_span(call),
                span,
                "branch" if call.spot.conditional or len(found) > 1 else "sure",
            )

    def builder_call(self, call: Call) -> None:
        name = call.name
        if name not in _BUILDER_METHODS and name not in OLD_STARTS:
            return
        for obj in self.module.receivers(call):
            if not obj.type.startswith("flink."):
                continue
            if name == "set_topic" and obj.type == "flink.SerializerBuilder":
                self.serializer_topic(obj, call)
                continue
            if name in ("set_topic",):
                continue
            block = self.side_block(obj)
            if block is None or block.role not in ("source", "sink", "table"):
                continue
            key_span = self.sheet.name_span(call)
            first = call.node.args[0].value if call.node.args else None
            if name in OLD_STARTS:
                self.sheet.plain(block, "scan.startup.mode", OLD_STARTS[name], key_span, type(key_span)(key_span.end, key_span.end))
            if first is None:
                continue
            if name in ("set_property", "option"):
                second = call.argument(1, "value")
                if second is not None:
                    self.sheet.pair(block, first, second, call.spot, "properties." if name == "set_property" else "")
            elif name in ("set_properties", "set_kafka_producer_config"):
                value = self.module.value(first, call.spot)
                if isinstance(value, Mapping):
                    self.sheet.mapping(block, value, "properties.", call.spot)
            elif name == "set_starting_offsets":
                self.offsets(block, first, call)
            elif name == "set_start_cursor":
                if self.constructor(first, call)[0] == "latest":
                    self.sheet.plain(block, "scan.startup.mode", "latest-offset", key_span, self.sheet.span(first, call.spot))
            elif name in ("set_bounded", "set_bounded_stop_cursor", "set_unbounded"):
                made, _ = self.constructor(first, call)
                if name != "set_unbounded":
                    self.sheet.plain(
                        block, "scan.bounded.mode", STARTS.get(made, Unknown(made)), key_span, self.sheet.span(first, call.spot)
                    )
            elif name == "set_delivery_guarantee":
                self.guarantee(block, first, call)
            elif name == "set_topics":
                self.topics(block, call)
            elif name == "format" and block.role == "table":
                self.table_format(block, first, call)
            elif name in BUILDER:
                self.sheet.setting(block, BUILDER[name], first, call.spot, key_span)

    def topics(self, block: Block, call: Call) -> None:
        values = [text_value(self.module, self.module.value(arg.value, call.spot)) if not arg.star else None for arg in call.node.args]
        span = self.sheet.span(call.node.args[0].value, call.spot)
        last = self.sheet.span(call.node.args[-1].value, call.spot)
        whole = type(span)(span.start, last.end)
        known = (
            ";".join(value for value in values if value is not None).replace(",", ";")
            if all(value is not None for value in values)
            else None
        )
        self.sheet.plain(
            block, "topic", known if known is not None else Unknown(self.sheet.source(whole)), self.sheet.name_span(call), whole
        )

    def offsets(self, block: Block, node: Any, call: Call) -> None:
        ways = self.ways(node, call.spot)
        # of several the one that skips records comes last, and counts
        ways.sort(key=lambda way: way[0] == "latest")
        sure = "branch" if call.spot.conditional or len(ways) > 1 else "sure"
        for made, arguments in ways:
            given = (arguments.node, arguments.spot) if arguments is not None and made in STARTS else (node, call.spot)
            span = self.sheet.span(*given)
            value = STARTS.get(made, Unknown(self.sheet.source(span)))
            self.sheet.plain(block, "scan.startup.mode", value, self.sheet.name_span(call), span, sure)
        made, arguments = ways[-1]
        if made == "committed_offsets" and arguments is not None:
            reset = arguments.argument(0, "offset_reset_strategy")
            if reset is not None:
                text = text_value(self.module, self.module.value(reset, call.spot))
                span = self.sheet.span(reset, arguments.spot)
                self.sheet.plain(
                    block,
                    "properties.auto.offset.reset",
                    text.lower() if text else Unknown(self.sheet.source(span)),
                    self.sheet.name_span(call),
                    span,
                    sure,
                )
            else:
                self.sheet.plain(block, "properties.auto.offset.reset", "none", self.sheet.name_span(call), span, sure)

    def serializer_topic(self, obj: Object, call: Call) -> None:
        """The topic of the sink that is given this serializer."""
        for other in self.module.named("set_record_serializer"):
            if not other.node.args:
                continue
            for serializer in self.module.objects(other.node.args[0].value, other.spot):
                if serializer.root is obj.root:
                    for sink in self.module.receivers(other):
                        block = self.side_block(sink)
                        if block is not None and call.node.args:
                            self.sheet.setting(block, "topic", call.node.args[0].value, call.spot, self.sheet.name_span(call))


_BUILDER_METHODS = frozenset(
    {
        *BUILDER,
        "set_property",
        "set_properties",
        "set_kafka_producer_config",
        "set_starting_offsets",
        "set_bounded",
        "set_bounded_stop_cursor",
        "set_start_cursor",
        "set_delivery_guarantee",
        "set_topics",
        "set_topic",
        "option",
        "format",
    }
)


def _import_name(node: Any) -> str:
    from shoal.python.tree import dotted

    if isinstance(node, cst.ImportFrom):
        return dotted(node.module) if node.module is not None else ""
    return " ".join(dotted(alias.name) for alias in node.names)
