"""PySpark: session settings, and the options of streaming readers and writers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.facts import Block, Setting, Usage
from shoal.lazy import pattern
from shoal.python.batch_writes import only_looks
from shoal.python.expressions import as_one
from shoal.python.facts import Sheet
from shoal.python.loops import texts
from shoal.python.texts import text_of
from shoal.python.tree import Call, Spot, descend, dotted
from shoal.python.values import Choice, Known, Mapping, Object, Sequence, names, options
from shoal.text import MASK

_JOB = frozenset({"spark.Builder", "spark.Session", "spark.RuntimeConf", "spark.Conf", "spark.Context"})
_SIDES = {"spark.Reader": "reader", "spark.Writer": "writer", "spark.BatchReader": "batch-reader", "spark.BatchWriter": "batch-writer"}
_SIDE_METHODS = names(
    "format option options outputMode trigger queryName foreachBatch foreach start toTable table load schema partitionBy json csv parquet text orc"
)
_ENDS = frozenset({"start", "toTable", "table"})
_LOADS = frozenset({"load", "json", "csv", "parquet", "orc", "text"})
_BROKERS = "kafka.bootstrap.servers"
_SOURCE = ("failOnDataLoss", "startingOffsets", "maxOffsetsPerTrigger", "subscribe", "subscribePattern")
# An exported notebook, as source or as JSON.
_DATABRICKS = pattern(r"\A# Databricks notebook source|\"application/vnd\.databricks\.v1\+(?:cell|notebook)\"")
# What a path is made of that lies in the folder of the program, or in the one where it was started, and what others may say of it.
_OWN_FOLDER = names("__file__ getcwd cwd abspath")
_FROM_OUTSIDE = names("getenv environ get args argv config conf settings")
_TRIGGERS = ("processingTime", "once", "availableNow", "continuous", "realTime")


def _gives_schema(call: Call) -> bool:
    return call.name == "schema" or call.has_keyword("schema") or (call.name in ("json", "csv") and call.argument(1, "schema") is not None)


def collect(sheet: Sheet) -> None:
    _Spark(sheet).collect()


class _Spark:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.module = sheet.module
        self.blocks: dict[int, Block] = {}
        self.sides: dict[int, tuple[Object, list[Call]]] = {}
        exported = sheet.module.notebook and _DATABRICKS.search(sheet.module.raw) is not None
        self.platform = (("platform", "databricks"),) if exported else ()
        self.given: Block | None = None  # the session that a notebook finds, where options are set on it

    def collect(self) -> None:
        module = self.module
        for call in module.calls:
            name = call.name
            if name in (
                "config",
                "set",
                "setAll",
                "setIfMissing",
                "setMaster",
                "setAppName",
                "master",
                "appName",
                "getOrCreate",
                "SparkConf",
                "SparkContext",
                "remote",
            ):
                self.job_call(call)
            elif name == "configure_spark_with_delta_pip":
                self.with_delta(call)
            elif name == "sql":
                self.sql(call)
            elif name == "format" and self.module.string(call.argument(0, "source"), call.spot) == "delta":
                sheet = self.sheet
                sheet.out.facts.append(Usage("delta-table", "", sheet.out.place(sheet.name_span(call))))
            if name in _SIDE_METHODS:
                for obj in module.receivers(call):
                    if obj.type in _SIDES:
                        calls = self.sides.setdefault(id(obj.node), (obj, []))[1]
                        if call not in calls:  # one stream of several reaches the same writer
                            calls.append(call)
        for obj, calls in self.sides.values():
            self.side(obj, calls)
        if "PYSPARK_SUBMIT_ARGS" in self.sheet.out.raw:
            self.launch()
        if _BROKERS in self.sheet.out.raw:
            self.handed_out()

    # -- the session

    def launch(self) -> None:
        """`os.environ["PYSPARK_SUBMIT_ARGS"] = "--packages … pyspark-shell"`: what the session's JVM is started with."""
        scopes = {id(spot.scope): spot.scope for _, spot in self.module.tree.subscripts}
        given = [
            change[1:] for scope in scopes.values() for change in (*scope.changes.get("os.environ", ()), *scope.changes.get("environ", ()))
        ]
        calls = (call for call in self.module.named("setdefault", "putenv") if len(call.node.args) == 2)
        given += [(call.node.args[0].value, call.node.args[1].value, call.spot) for call in calls]
        for key, node, spot in given:
            if key is None or node is None or self.module.constant(key, spot) != "PYSPARK_SUBMIT_ARGS":
                continue
            text = text_of(self.module, node, spot)
            if text is not None:
                from shoal.readers import shell_words
                from shoal.readers.command_words import Word
                from shoal.readers.spark_command import read_spark

                words = [Word(word.text, word) for word in shell_words.words(text)]
                hides = any(MASK in word.value for word in words)
                block = self.sheet.block("spark", "job", self.sheet.span(node, spot), open=hides)
                read_spark("pyspark", words, text, self.sheet.out, None, block=block)

    def block(self, obj: Object, call: Call) -> Block:
        root = obj.root
        if id(root) not in self.blocks:
            node = root.node.func if isinstance(root.node, cst.Call) else root.node
            span = self.sheet.span(node, root.spot)
            span = span if span.end > span.start else self.sheet.name_span(call)
            made = (("class", "SparkContext"),) if root.type == "spark.Context" else ()
            self.blocks[id(root)] = self.sheet.block("spark", "job", span, traits=(*self.platform, *made))
        return self.blocks[id(root)]

    def job_call(self, call: Call) -> None:
        sheet = self.sheet
        name = call.name
        if name in ("SparkConf", "getOrCreate"):
            for obj in self.module.objects(call.node, call.spot):
                if obj.type in _JOB:
                    self.block(obj, call)
            return
        if name == "SparkContext":
            self.context(call)
            return
        if name == "set" and self.sets_given(call):
            return
        for obj in self.module.receivers(call):
            if obj.type not in ("spark.Builder", "spark.RuntimeConf", "spark.Conf"):
                continue
            block = self.block(obj, call)
            args = call.node.args
            if name in ("master", "setMaster") and args:
                sheet.setting(block, "spark.master", args[0].value, call.spot, sheet.name_span(call))
            elif name in ("appName", "setAppName") and args:
                sheet.setting(block, "spark.app.name", args[0].value, call.spot, sheet.name_span(call))
            elif name == "remote":
                continue
            elif name == "setAll" and args:
                self.pairs(block, args[0].value, call)
            else:
                key, value = call.argument(0, "key"), call.argument(1, "value")
                if key is not None and value is not None:
                    made = sheet.pair(block, key, value, call.spot)
                    if made.open:  # an option of any name
                        sheet.out.facts.append(Usage("names-jars", name, sheet.out.place(sheet.name_span(call))))
                    for pair in made.pairs:
                        if pair.key in ("spark.jars.packages", "spark.jars"):
                            self.packages(pair.key, pair.value_node, pair.spot, block)
                mapping = call.argument(9, "map")
                if mapping is not None and isinstance(found := as_one(self.module, self.module.value(mapping, call.spot)), Mapping):
                    sheet.mapping(block, found, "", call.spot)
                conf = call.argument(9, "conf")
                for other in self.module.objects(conf, call.spot) if conf is not None else []:
                    # The configuration's own settings belong to this session, however often it is given.
                    theirs = self.blocks.get(id(other.root), block)
                    if theirs is not block:
                        self.adopt(theirs, block)

    def with_delta(self, call: Call) -> None:
        """`configure_spark_with_delta_pip(builder, extra_packages=[…])`: what is brought beside Delta."""
        builder, extra = call.argument(0, "spark_session_builder"), call.argument(1, "extra_packages")
        found = next((obj for obj in self.module.objects(builder, call.spot) if obj.type == "spark.Builder"), None) if builder else None
        if found is None:
            return
        block, key = self.block(found, call), "spark.jars.packages"
        self.sheet.out.facts.append(Usage("brings-delta", block.id, self.sheet.out.place(self.sheet.name_span(call))))
        if extra is None:
            return
        value = self.module.value(extra, call.spot)
        whole = isinstance(value, Sequence) and not value.open
        for node, spot in [(node, value.spot) for node in value.nodes] if isinstance(value, Sequence) and whole else [(extra, call.spot)]:
            self.sheet.setting(block, key, node, spot, self.sheet.name_span(call))
            self.packages(key, node, spot, block)

    def sets_given(self, call: Call) -> bool:
        """Reads `spark.conf.set("spark.…", …)` on a session that a notebook, or a function, is given."""
        key, value = call.argument(0, "key"), call.argument(1, "value")
        receiver = dotted(call.receiver_node)
        if key is None or value is None or not receiver.endswith(".conf"):
            return False
        if not self.module.notebook or self.module.lookup("spark", call.spot) or receiver != "spark.conf":
            named = self.module.string(key, call.spot).startswith("spark.")
            if not named or self.module.receivers(call) or not self.module.of_spark:
                return False
        if self.given is None:
            self.given = self.sheet.block("spark", "session", self.sheet.name_span(call), traits=self.platform)
        self.sheet.pair(self.given, key, value, call.spot)
        return True

    def context(self, call: Call) -> None:
        """The master that a context is made with."""
        master = call.argument(0, "master")
        for obj in self.module.objects(call.node, call.spot) if master is not None else ():
            if obj.type == "spark.Context":
                self.sheet.setting(self.block(obj, call), "spark.master", master, call.spot, self.sheet.name_span(call))

    def adopt(self, other: Block, block: Block) -> None:
        """Settings made on a SparkConf are the session's."""
        facts = self.sheet.out.facts
        for index, fact in enumerate(facts):
            if getattr(fact, "block", None) == other.id:
                facts[index] = fact._replace(block=block.id)  # type: ignore[call-arg]
        facts.remove(other)
        for key, found in self.blocks.items():
            if found is other:
                self.blocks[key] = block

    def pairs(self, block: Block, node: Any, call: Call) -> None:
        value = self.module.value(node, call.spot)
        if not isinstance(value, Sequence):
            return
        for item in value.nodes:
            pair = self.module.value(item, value.spot)
            if isinstance(pair, Sequence) and len(pair.nodes) == 2:
                self.sheet.pair(block, pair.nodes[0], pair.nodes[1], pair.spot, "", call.spot)

    def packages(self, key: str, node: Any, spot: Spot, block: Block) -> None:
        from shoal.readers.jars import read_coordinates, read_coordinates_in, read_jars

        text = text_of(self.module, node, spot)
        if text is not None:
            (read_coordinates if key == "spark.jars.packages" else read_jars)(text, self.sheet.out, block)
            return
        value = self.module.value(node, spot)
        if isinstance(value, Known) and isinstance(value.value, str) and key == "spark.jars.packages":
            read_coordinates_in(value.value, self.sheet.span(node, spot), self.sheet.out, block)

    def sql(self, call: Call) -> None:
        from shoal.readers.sql import read_sql

        for obj in self.module.receivers(call):
            node = call.argument(0, "sqlQuery")
            if obj.type != "spark.Session" or node is None:
                continue
            for part, spot in texts(self.module, node, call.spot):
                text = text_of(self.module, part, spot)
                if text is not None and text.text.strip():
                    read_sql(text, self.sheet.out, self.block(obj, call), "spark")
            return

    # -- readers and writers

    def handed_out(self) -> None:
        """Dicts of options that only the Kafka source has, which nothing here reads with: another module is given them."""
        sheet = self.sheet
        used = {fact.key_span.start for fact in sheet.out.facts if isinstance(fact, Setting)}
        for statement in self.module.tree.statements:
            node = statement.node
            given = node.value if isinstance(node, (cst.Assign, cst.AnnAssign, cst.Return)) else None
            value = self.module.value(given, statement.spot) if isinstance(given, cst.Dict) else None
            brokers = value.get(_BROKERS) if isinstance(value, Mapping) else None
            if brokers is None or not isinstance(value, Mapping) or not any(value.get(key) for key in _SOURCE):
                continue
            span = sheet.body_span(brokers.key_node, brokers.spot)
            if span.start in used or value.get("endingOffsets") or value.get("topic"):  # of a batch, of a sink
                continue
            block = sheet.block("spark", "reader-options", span, traits=(("format", "kafka"),), open=True)
            sheet.mapping(block, value)

    def side(self, obj: Object, calls: list[Call]) -> None:
        sheet = self.sheet
        role = _SIDES[obj.type]
        names = {call.name: call for call in calls}
        traits: list[tuple[str, str]] = [*self.platform]
        form = self.format(names)
        if role.startswith("batch-") and form != "kafka":
            return  # whose options are none of Kafka's
        if form:
            traits.append(("format", form))
        ends = [call.name for call in calls if call.name in _ENDS]
        if role == "writer":
            traits += [("start", ends[-1])] if ends and not (not form and self.replaced(obj, calls)) else []
            for name in ("foreachBatch", "foreach"):
                if name in names:
                    beside = any(names[name].spot.excludes(call.spot) for call in calls)  # another branch ends the query without it
                    traits.append((name, "perhaps" if beside else "true"))
            traits += [("after", "stop")] if self.stopped_before(calls[-1]) else []
            traits += [("looks", "true")] if "foreachBatch" in names and only_looks(self.module, names["foreachBatch"]) else []
        elif role == "reader":
            traits += [("loads", call.name) for call in calls if call.name in _LOADS][-1:]
            traits += [("schema", "true")] if any(_gives_schema(call) for call in calls) else []
        hidden = any(self.hidden(call) for call in calls)
        node = obj.node.attr if isinstance(obj.node, cst.Attribute) else obj.node
        name = ""
        if "queryName" in names and names["queryName"].node.args:
            name = self.module.string(names["queryName"].node.args[0].value, names["queryName"].spot)
        # The session the stream was read with, when that can be followed.
        parent = next((self.blocks[id(step.root)] for step in obj.line() if id(step.root) in self.blocks), None)
        if parent is None and self.blocks:
            parent = next(iter(self.blocks.values())) if len(set(self.blocks.values())) == 1 else None
        block = sheet.block("spark", role, sheet.span(node, obj.spot), name, parent, tuple(traits), hidden)
        for call in calls:
            self.side_call(block, call)
            if role == "writer" and call.name == "option" and len(call.node.args) == 2:
                self.beside_program(block, call)

    def beside_program(self, block: Block, call: Call) -> None:
        """Notes a checkpoint in the folder that the program stands in, or was started from."""
        key, value = (arg.value for arg in call.node.args)
        if self.module.string(key, call.spot).lower() != "checkpointlocation" or self.module.string(value, call.spot):
            return
        words = set(self.words(value, call.spot))
        if words & _OWN_FOLDER and not words & _FROM_OUTSIDE and "" not in words:
            folder = "of the program" if "__file__" in words else "that the driver was started in"
            place = self.sheet.out.place(self.sheet.body_span(value, call.spot))
            self.sheet.out.facts.append(Usage("checkpoint-beside-program", folder, place, block.id))

    def words(self, node: Any, spot: Spot, level: int = 5) -> Iterator[str]:
        """The names and methods that an expression is made of, through names that are given once; empty for a parameter."""
        for part in (node, *descend(node)):
            if isinstance(part, cst.Attribute):
                yield part.attr.value
            elif isinstance(part, cst.Name):
                yield part.value
                held = [binding for binding, _ in self.module.lookup(part.value, spot)]
                if level and len(held) == 1 and held[0].kind == "assign" and isinstance(held[0].node, cst.CSTNode):
                    yield from self.words(held[0].node, held[0].spot, level - 1)
                elif any(binding.kind == "param" for binding in held):
                    yield ""

    def replaced(self, obj: Object, calls: list[Call]) -> bool:
        """Whether what is started may be another writer: `writer = frame.writeStream`, and in each branch one with a format."""
        return any(
            other.type == "spark.Writer" and other.node is not obj.node
            for call in calls
            if call.name in _ENDS
            for other in self.module.receivers(call)
        )

    def stopped_before(self, call: Call) -> bool:
        """Whether a query of the same function, or of the same notebook, is stopped before this one is started."""
        return any(
            stop.function is call.function and stop.spot.statement < call.spot.statement and not stop.spot.conditional
            for stop in self.module.named("stop")
            if "spark.StreamingQuery" in {obj.type for obj in self.module.receivers(stop)}
        )

    def format(self, names: dict[str, Call]) -> str:
        call = names.get("format")
        after = list(names)[list(names).index("format") :] if call is not None else []
        if call is not None and not call.spot.conditional and ("foreachBatch" in after or "foreach" in after):
            return ""  # they take its place
        if call is not None and call.node.args:
            return self.module.string(call.node.args[0].value, call.spot).lower()
        for end in ("start", "load"):
            if end in names and (node := names[end].argument(9, "format")) is not None:
                return self.module.string(node, names[end].spot).lower()
        return next((short for short in ("json", "csv", "parquet", "text", "orc") if short in names), "")

    def hidden(self, call: Call) -> bool:
        if call.name == "option":
            key, value = call.argument(0, "key"), call.argument(1, "value")
            return key is not None and self.sheet.pairs(key, value, call.spot).open
        if call.name in _LOADS and call.name != "load" and any(arg.star == "**" for arg in call.node.args):
            return True  # the schema may be among them
        if call.name in ("options", "load") or call.name in _ENDS:
            for arg in call.node.args:
                if arg.star:
                    value = as_one(self.module, self.module.value(arg.value, call.spot))
                    if not isinstance(value, Mapping) or value.open:
                        return True
                elif arg.keyword is not None and "_" in arg.keyword.value and call.name == "start":
                    return True  # no option of Spark's: the project's own writer takes it, and may add others
        return False

    def side_call(self, block: Block, call: Call) -> None:
        sheet = self.sheet
        args = call.node.args
        name = call.name
        if name == "option":
            key, value = call.argument(0, "key"), call.argument(1, "value")
            if key is not None and value is not None:
                sheet.pair(block, key, value, call.spot)
        elif name in ("options", "load") or name in _ENDS:
            for arg in args:
                if arg.star == "**" and isinstance(found := as_one(self.module, self.module.value(arg.value, call.spot)), Mapping):
                    sheet.mapping(block, found, "", call.spot)
                elif (
                    arg.keyword is not None
                    and (
                        name == "options"
                        or arg.keyword.value not in ("path", "format", "outputMode", "partitionBy", "queryName", "tableName", "schema")
                    )
                ) or (arg.keyword is not None and name == "start" and arg.keyword.value in ("format", "outputMode", "path")):
                    sheet.setting(block, arg.keyword.value, arg.value, call.spot, sheet.span(arg.keyword, call.spot))
            if name in ("start", "load") and args and args[0].keyword is None and not args[0].star:
                sheet.setting(block, "path", args[0].value, call.spot, sheet.name_span(call))
            if name in ("toTable", "table") and args and args[0].keyword is None and not args[0].star:
                sheet.setting(block, "table", args[0].value, call.spot, sheet.name_span(call))
        elif name in _LOADS and (path := call.argument(0, "path")) is not None:
            sheet.setting(block, "path", path, call.spot, sheet.name_span(call))
        elif name in ("format", "outputMode", "queryName") and args:
            sheet.setting(block, name, args[0].value, call.spot, sheet.name_span(call))
        elif name == "trigger":
            self.trigger(block, call)

    def trigger(self, block: Block, call: Call) -> None:
        sheet = self.sheet
        for arg in call.node.args:
            if arg.star == "**":
                ways = self.keywords(arg.value, call.spot)
                found = [pair for way in ways for pair in way.pairs if pair.key in _TRIGGERS]
                several = len(ways) > 1 or len({pair.key for pair in found}) > 1  # a query has one trigger: the others are of other ways
                for pair in found:
                    value = self.module.value(pair.value_node, pair.spot)
                    written = sheet.body_span(pair.key_node, pair.spot)
                    one = Choice(options(value)) if several else value
                    sheet.setting(block, f"trigger.{pair.key}", pair.value_node, pair.spot, written, call.spot, one)
                continue
            key = arg.keyword.value if arg.keyword is not None else "processingTime"
            if key in _TRIGGERS:
                span = sheet.span(arg.keyword, call.spot) if arg.keyword is not None else sheet.name_span(call)
                sheet.setting(block, f"trigger.{key}", arg.value, call.spot, span)

    def keywords(self, node: Any, spot: Spot) -> list[Mapping]:
        """The dicts that an expression may be; of `DICTS[name]` with a name that is not known, all that are in it."""
        found = [option for option in options(self.module.value(node, spot)) if isinstance(option, Mapping)]
        table = self.module.value(node.value, spot) if isinstance(node, cst.Subscript) and not found else None
        inner = [self.module.value(pair.value_node, pair.spot) for pair in table.pairs] if isinstance(table, Mapping) else []
        return found or [value for value in inner if isinstance(value, Mapping)]
