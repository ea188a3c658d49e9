"""Structured Streaming in Java: session settings, and the options of streaming readers and writers, as the same facts that PySpark gives."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.facts import Block, Setting, Unknown, Usage
from shoal.java import batches
from shoal.java.functions import loop_around, on_task_thread
from shoal.java.sheet import Sheet
from shoal.java.source import chained, same
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.values import Known, names

_SIDES = {"readStream": "reader", "writeStream": "writer"}
_SIDE_METHODS = names(
    "format option options outputMode trigger queryName foreachBatch foreach start toTable table load schema partitionBy json csv parquet text orc"
)
_ENDS = ("start", "toTable")
_FILES = ("json", "csv", "parquet", "text", "orc", "textFile")
_LOADS = ("load", "table", *_FILES)
_WRITERS = ("DataStreamWriter", "DataStreamReader")
# The settings of a session, and of the SparkConf that it is given.
_BUILT = names("config master appName enableHiveSupport withExtensions getOrCreate remote")
_CONF = names("set setIfMissing setMaster setAppName")
_SHORT = {"master": "spark.master", "setMaster": "spark.master", "appName": "spark.app.name", "setAppName": "spark.app.name"}
_TRIGGERS = {
    "ProcessingTime": "processingTime",
    "Continuous": "continuous",
    "Once": "once",
    "AvailableNow": "availableNow",
    "RealTime": "realTime",
}
_UNITS = frozenset(["MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS"])
_AWAITS = ("awaitTermination", "awaitAnyTermination")
# Whoever does one of these hears of the end of any query.
_HEARS = pattern(r"\b(?:awaitAnyTermination|addListener|isActive|exception)\s*\(")
_GROUPS = ("groupBy", "rollup", "cube")
# What has state of its own, or brings in another stream, whose watermark may be meant.
_OWN_STATE = pattern(r"(?:flatM|m)apGroups\w*|transformWithState|join\w*|union\w*")
# What keeps the process while its queries run, or hears how they end.
_STAYS = pattern(
    r"\b(?:await\w*|processAllAvailable|isActive|join|sleep|exception|addListener|wait|park|readLine|nextLine|read|get|SpringApplication|scheduleAtFixedRate)\s*[(.]"
    r"|\bwhile\s*\(\s*true\b|\bSystem\.in\b"
)


def collect(sheet: Sheet) -> None:
    _Spark(sheet).collect()


class _Spark:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.source = sheet.source
        self.jobs: dict[int, Block] = {}  # by where the session's builder, or a SparkConf, is made
        self.writers: dict[Span, Block] = {}  # by where `writeStream` stands

    def collect(self) -> None:
        self.sessions()
        for call in self.source.named(*_SIDES):
            owner = call.child_by_field_name("object")
            if owner is not None and not self.source.arguments(call):
                self.side(call)
        self.waits()
        grouped: set[int] = set()  # several queries may write the same sums
        for call in self.source.named("writeStream"):
            self.aggregated(call, grouped)
        if "foreachBatch" in self.source.text or "VoidFunction2" in self.source.text:
            batches.collect(self.sheet)

    # -- the session

    def sessions(self) -> None:
        source = self.source
        confs = [node for node in source.news if source.type_of(node) == "SparkConf"]
        used: set[int] = set()
        for call in source.named("builder"):
            if source.written(call.child_by_field_name("object")).rpartition(".")[2] != "SparkSession":
                continue
            calls = [one for name in _BUILT for one in source.named(name) if same(self.made_by(one), call)]
            calls.sort(key=lambda one: one.end_byte)
            taken = [conf for one in calls for given in source.arguments(one)[:1] if (conf := self.conf_of(given, confs)) is not None]
            hidden = any(self.hides(one, confs) for one in calls)
            block = self.sheet.block("spark", "job", source.span(call.child_by_field_name("object") or call), open=hidden)
            self.jobs[call.start_byte] = block
            for conf in taken:
                used.add(conf.start_byte)
                self.configured(block, conf)
            for one in calls:
                self.job_call(block, one)
        for conf in confs:
            if conf.start_byte not in used:
                block = self.sheet.block("spark", "job", source.span(conf.child_by_field_name("type") or conf))
                self.jobs[conf.start_byte] = block
                self.configured(block, conf)
        self.running()

    def made_by(self, call: Node, level: int = 0) -> Node | None:
        """What a call of a builder, a reader or a writer goes back to, through names that are given once and the chain that they are given."""
        source, at = self.source, call.child_by_field_name("object")
        while at is not None and level < 40:
            level += 1
            if at.type == "method_invocation":
                if source.name(at) in ("builder", *_SIDES):
                    return at
                at = at.child_by_field_name("object")
            elif at.type in ("identifier", "field_access"):
                declared = source.declared_by(at)
                at = (declared.value or source.given(declared)) if declared is not None else None
            elif at.type in ("parenthesized_expression", "cast_expression"):
                at = at.named_children[-1]
            else:
                return at if at.type == "object_creation_expression" else None
        return None

    def conf_of(self, node: Node, confs: list[Node]) -> Node | None:
        origin = self.source.origin(node) if confs else None
        return next((conf for conf in confs if same(conf, origin)), None)

    def hides(self, call: Node, confs: list[Node]) -> bool:
        """Whether a call may set more than it shows."""
        given = self.source.arguments(call)
        if self.source.name(call) != "config" or not given:
            return False
        return self.conf_of(given[0], confs) is None if len(given) == 1 else not isinstance(self.source.value(given[0]), Known)

    def configured(self, block: Block, conf: Node) -> None:
        calls = [one for one in self.source.named(*_CONF) if same(self.source.origin(one.child_by_field_name("object")), conf)]
        for call in sorted(calls, key=lambda one: one.end_byte):
            self.job_call(block, call)

    def job_call(self, block: Block, call: Node) -> None:
        source, given = self.source, self.source.arguments(call)
        name = source.name(call)
        if name in _SHORT and len(given) == 1:
            self.sheet.setting(block, _SHORT[name], given[0], self.sheet.name_span(call), call)
        elif name in ("config", "set", "setIfMissing") and len(given) == 2:
            self.pair(block, given[0], given[1], call)

    def pair(self, block: Block, key: Node, value: Node, call: Node) -> None:
        known = self.source.value(key)
        if not isinstance(known, Known) or not isinstance(known.value, str):
            return
        self.sheet.setting(block, known.value, value, self.source.body(key), call)
        text = self.source.text_of(value) if known.value in ("spark.jars.packages", "spark.jars") else None
        if text is not None:
            from shoal.readers.jars import read_coordinates, read_jars

            (read_coordinates if known.value == "spark.jars.packages" else read_jars)(text, self.sheet.out, block)

    def running(self) -> None:
        """`spark.conf().set("spark.…", …)`: of the one session that the file makes, or of one that it is given."""
        source, block = self.source, next(iter(self.jobs.values())) if len(self.jobs) == 1 else None
        for call in source.named("set"):
            owner, given = call.child_by_field_name("object"), source.arguments(call)
            if owner is None or owner.type != "method_invocation" or source.name(owner) != "conf" or len(given) != 2:
                continue
            if source.type_of(owner.child_by_field_name("object")) != "SparkSession":
                continue
            if block is None:
                block = self.sheet.block("spark", "session", self.sheet.name_span(call))
            self.pair(block, given[0], given[1], call)

    # -- readers and writers

    def side(self, made: Node) -> None:
        sheet, source = self.sheet, self.source
        role = _SIDES[source.name(made)]
        calls = [call for call in source.named(*_SIDE_METHODS) if same(self.made_by(call), made) and self.of_side(call, made)]
        calls.sort(key=lambda one: source.name_node(one).start_byte)
        by_name = {source.name(call): call for call in calls}
        order = [source.name(call) for call in calls]
        form = self.format(by_name, order)
        traits = [("format", form)] if form else []
        if role == "writer":
            ends = [name for name in order if name in _ENDS]
            traits += [("start", ends[-1])] if ends else []
            traits += [(name, "true") for name in ("foreachBatch", "foreach") if name in by_name]
        else:
            traits += [("loads", name) for name in order if name in _LOADS][-1:]
            traits += [("schema", "true")] if "schema" in by_name or "streaming.schemaInference" in source.text else []
        hidden = any(self.hides_options(call) for call in calls) or self.handed_on(made)
        name = self.text(source.arguments(by_name["queryName"])) if "queryName" in by_name else ""
        parent = next(iter(self.jobs.values())) if len(self.jobs) == 1 else None
        block = sheet.block("spark", role, sheet.name_span(made), name, parent, tuple(traits), hidden)
        if role == "writer":
            self.writers[block.place.span] = block
        for call in calls:
            self.side_call(block, call, made)
        if form == "delta":
            sheet.out.facts.append(Usage("delta-table", "", sheet.out.place(sheet.name_span(made))))

    def of_side(self, call: Node, made: Node) -> bool:
        """Whether a call is one of the reader or writer itself: not of the Dataset that a reader has loaded, or of the query that is started."""
        source, at = self.source, call.child_by_field_name("object")
        while at is not None and not same(at, made):
            if at.type == "method_invocation":
                if source.name(at) not in _SIDE_METHODS or source.name(at) in (*_ENDS, *_LOADS):
                    return False
                at = at.child_by_field_name("object")
            elif at.type in ("identifier", "field_access"):
                declared = source.declared_by(at)
                return declared is not None and (declared.type in _WRITERS or not declared.type) and self.keeps_side(declared.value)
            else:
                at = at.named_children[-1] if at.named_children else None
        return at is not None

    def keeps_side(self, value: Node | None) -> bool:
        """Whether what a name is given is still a reader or a writer."""
        return value is None or value.type != "method_invocation" or self.source.name(value) not in (*_ENDS, *_LOADS)

    def format(self, by_name: dict[str, Node], order: list[str]) -> str:
        call = by_name.get("format")
        if call is None:
            return next((name for name in _FILES if name in by_name), "")
        after = order[order.index("format") :]
        if not self.source.conditional(call) and ("foreachBatch" in after or "foreach" in after):
            return ""  # they take its place
        return self.text(self.source.arguments(call)).lower()

    def text(self, given: list[Node]) -> str:
        value = self.source.value(given[0]) if given else None
        return value.value if isinstance(value, Known) and isinstance(value.value, str) else ""

    def hides_options(self, call: Node) -> bool:
        source, given = self.source, self.source.arguments(call)
        if source.name(call) == "options":
            return not given or self.sheet.options(given[0]).open
        return source.name(call) == "option" and bool(given) and not self.text(given)

    def handed_on(self, made: Node) -> bool:
        """Whether the reader or writer is given to a method, which may tell it more, or is returned, or made to be another one."""
        source, last = self.source, made
        for call in chained(made):
            if source.name(call) in (*_ENDS, *_LOADS):
                return False
            last = call
        holder = last.parent
        while holder is not None and holder.type in ("cast_expression", "parenthesized_expression"):
            holder = holder.parent
        if holder is None or holder.type in ("argument_list", "return_statement"):
            return True
        kept = source.kept_as(last)
        return bool(kept) and any(source.type_of(given) in _WRITERS for _, given in source.handed.get(kept, ()))

    def side_call(self, block: Block, call: Node, made: Node) -> None:
        sheet, source, given = self.sheet, self.source, self.source.arguments(call)
        name = source.name(call)
        at = sheet.name_span(call)
        via = self.branch(call, made)
        if name == "option" and len(given) == 2:
            if key := self.text(given[:1]):
                sheet.setting(block, key, given[1], source.body(given[0]), via)
        elif name == "options" and given:
            sheet.mapping(block, sheet.options(given[0]))
        elif name == "trigger" and given:
            self.trigger(block, given[0], via)
        elif name == "outputMode" and given:
            self.output_mode(block, given[0], call, via)
        elif name in ("toTable", "table") and given:
            sheet.setting(block, "table", given[0], at, via)
        elif name in ("start", *_LOADS) and len(given) == 1:
            sheet.setting(block, "path", given[0], at, via)
        elif name in ("format", "queryName") and given:
            sheet.setting(block, name, given[0], at, via)

    def branch(self, call: Node, made: Node) -> Node:
        """What tells whether a call is one of several ways: not that its whole chain stands in a branch, with its reader or writer."""
        return self.source.root if call.start_byte <= made.start_byte and made.end_byte <= call.end_byte else call

    def output_mode(self, block: Block, node: Node, call: Node, via: Node) -> None:
        """A text, or `OutputMode.Append()`."""
        source = self.source
        if node.type != "method_invocation" or source.written(node.child_by_field_name("object")).rpartition(".")[2] not in (
            "OutputMode",
            "",
        ):
            self.sheet.setting(block, "outputMode", node, self.sheet.name_span(call), via)
            return
        sure = "branch" if source.conditional(via) else "sure"
        self.sheet.plain(block, "outputMode", source.name(node).lower(), self.sheet.name_span(call), source.span(node), sure)

    def trigger(self, block: Block, node: Node, via: Node) -> None:
        """`Trigger.ProcessingTime("10 seconds")`, or a number and its unit, or a number of milliseconds."""
        sheet, source = self.sheet, self.source
        declared = source.declared_by(node)
        node = (source.given(declared) if declared is not None else None) or node
        kind = _TRIGGERS.get(source.name(node)) if node.type == "method_invocation" else None
        if kind is None:
            return
        given, key, at = source.arguments(node), f"trigger.{kind}", sheet.name_span(node)
        sure = "branch" if source.conditional(via) else "sure"
        if not given:
            sheet.plain(block, key, "true", at, at, sure)
            return
        value = source.value(given[0])
        if isinstance(value, Known) and isinstance(value.value, (int, float)):
            unit = source.written(given[1]).rpartition(".")[2] if len(given) > 1 else "MILLISECONDS"
            shown = f"{int(value.value)} {unit.lower()}" if unit in _UNITS else Unknown(source.written(given[0]))
            sheet.plain(block, key, shown, at, source.span(given[0]), value.sure if sure == "sure" else sure)
        elif isinstance(value, Known):
            sheet.setting(block, key, given[0], at, via)
        else:
            sheet.plain(block, key, Unknown(source.written(given[0])), at, source.span(given[0]), sure)

    # -- what a stream is made of

    def aggregated(self, made: Node, seen: set[int]) -> None:
        """A stream that is read, grouped and written in this file, and has no watermark on the way."""
        source = self.source
        steps = self.lineage(made.child_by_field_name("object"))
        by_name = {source.name(step): step for step in steps or ()}
        grouped = next((by_name[name] for name in _GROUPS if name in by_name), None)
        if not steps or grouped is None or "withWatermark" in by_name or any(_OWN_STATE.fullmatch(name) for name in by_name):
            return
        block = self.written_by(made)
        if block is None or block.open or not block.trait("start") or grouped.start_byte in seen:
            return
        seen.add(grouped.start_byte)
        modes = [one for one in self.sheet.out.facts if isinstance(one, Setting) and one.block == block.id and one.key == "outputMode"]
        mode = (
            "append"
            if not modes
            else modes[-1].text.strip().lower()
            if len(modes) == 1 and modes[-1].known and modes[-1].sure == "sure"
            else ""
        )
        over_time = bool(re.search(r"\b(?:session_)?window\(", source.text[grouped.start_byte : grouped.end_byte]))
        detail = "windows" if over_time else "keys" if source.arguments(grouped) else ""
        if mode == "append":
            self.sheet.out.oddity("aggregation-appended", source.name(grouped), self.sheet.name_span(grouped), mode, block)
        elif mode and detail:
            self.sheet.out.oddity("aggregation-unbounded", detail, self.sheet.name_span(grouped), block.trait("format"), block)

    def lineage(self, node: Node | None) -> list[Node] | None:
        """The calls that a Dataset is made by, back to `readStream`; None where that cannot be followed."""
        source = self.source
        found: list[Node] = []
        for _ in range(60):
            if node is None:
                return None
            if node.type in ("parenthesized_expression", "cast_expression"):
                node = node.named_children[-1]
            elif node.type in ("identifier", "field_access"):
                declared = source.declared_by(node)
                node = source.given(declared) if declared is not None else None
            elif node.type != "method_invocation":
                return None
            elif source.name(node) == "readStream":
                return found
            elif (own := source.method_called(node)) is not None:
                node = source.returned(own)
            else:
                found.append(node)
                node = node.child_by_field_name("object")
        return None

    # -- what main does with a query

    def waits(self) -> None:
        source, sheet = self.source, self.sheet
        for call in source.named(*_AWAITS):
            if not source.arguments(call):
                sheet.out.facts.append(Usage("waits-for-ever", source.name(call), sheet.out.place(sheet.name_span(call))))
        self.never_awaited()
        if not _HEARS.search(self.source.text):
            for method in self.source.methods:
                self.awaited_in_turn(method)

    def awaited_in_turn(self, method: Node) -> None:
        """Several queries of a method, of which the first wait sees one alone."""
        source, body = self.source, method.child_by_field_name("body")
        calls = source.within(body) if body is not None else []
        if body is None or not any(source.name(call) == "awaitTermination" for call in calls):
            return
        plain = [call for call in calls if on_task_thread(call, body) and not source.conditional(call) and loop_around(call, body) is None]
        started = [call for call in plain if source.name(call) in _ENDS and self.starts(call)]
        waits = [
            (call, self.query(call, started)) for call in plain if source.name(call) == "awaitTermination" and not source.arguments(call)
        ]
        if not waits or waits[0][1] is None or self.ends(waits[0][1]):
            return
        first, awaited = waits[0]
        others = [
            call for call in started if call is not awaited and source.name_node(call).start_byte < source.name_node(first).start_byte
        ]
        later = next((call for call, query in waits[1:] if query is not None and query in others), None)
        place = self.sheet.out.place(self.sheet.name_span(first))._replace(role="related", label="waits here for ever")
        if later is not None:
            self.sheet.out.oddity("awaited-in-turn", "", self.sheet.name_span(later), related=(place,))
        elif others and len(waits) == 1:
            seen = self.sheet.out.place(self.sheet.name_span(others[0]))._replace(role="related", label="the other one")
            form = self.form_of(others[0])
            self.sheet.out.oddity("awaited-alone", form, self.sheet.name_span(first), related=(seen,))

    def starts(self, call: Node) -> bool:
        made = self.made_by(call)
        return made is not None and self.source.name(made) == "writeStream" and self.of_side(call, made)

    def query(self, wait: Node, started: list[Node]) -> Node | None:
        """The call that starts the query which is waited for."""
        source, at = self.source, wait.child_by_field_name("object")
        declared = source.declared_by(at) if at is not None else None
        at = source.given(declared) if declared is not None else at
        return next((call for call in started if same(call, at)), None)

    def form_of(self, start: Node) -> str:
        block = self.writer_of(start)
        return block.trait("format") if block is not None else ""

    def ends(self, start: Node) -> bool:
        """Whether a query ends by itself, so that what is behind the wait for it is reached."""
        block = self.writer_of(start)
        found = [one.key for one in self.sheet.out.facts if isinstance(one, Setting) and block is not None and one.block == block.id]
        return "trigger.availableNow" in found or "trigger.once" in found

    def writer_of(self, start: Node) -> Block | None:
        made = self.made_by(start)
        return self.written_by(made) if made is not None else None

    def written_by(self, made: Node) -> Block | None:
        return self.writers.get(self.sheet.name_span(made))

    def never_awaited(self) -> None:
        """Queries that `main` starts, in a file that waits for nothing and hands no query on."""
        source = self.source
        if _STAYS.search(source.text) or "DStream" in source.text:
            return
        for call in source.named(*_ENDS):
            method, made = source.method_of(call), self.made_by(call)
            main = method is not None and source.name(method) == "main" and "static" in source.written(method.children[0])
            if not main or made is None or source.name(made) != "writeStream" or not self.of_side(call, made):
                continue
            kept = source.kept_as(call)
            dropped = call.parent is not None and call.parent.type == "expression_statement"
            if dropped or (kept and kept not in source.handed):
                self.sheet.out.oddity("query-never-awaited", source.name(call), self.sheet.name_span(call))
                return
