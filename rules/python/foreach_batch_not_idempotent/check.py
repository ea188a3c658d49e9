"""An appending write in a foreachBatch function, of the batch or of rows made there, that never looks at the batch's id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.inserts import adds, adds_to, plain_insert, replaces
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.batch_writes import APPENDS, does_with, parameters, save_format, save_mode, save_target, steps
from shoal.python.clients import handlers
from shoal.python.dbapi import COUNTS, EXECUTES, LOOKS, MINDED, increments, statement
from shoal.python.flow import caught
from shoal.python.frame import MICRO_BATCH, SAVES
from shoal.python.tree import Call, Function, beginning, chain, descend, dotted, last_name
from shoal.python.values import Mapping

# Formats that write by key: the same rows again change nothing.
_UPSERTS = (
    "cassandra",
    "mongo",
    "elasticsearch",
    "es",
    "redis",
    "dynamodb",
    "hudi",
    "cosmos",
    "neo4j",
    "opensearch",
    "bigtable",
    "hbase",
    "kudu",
)
# Of these, the ones that make up a key for each row where nothing says what it is, and what would say it.
_KEYS = {
    "mongo": re.compile(r"[\"'.`]_id\b|(?i:\bas\s+_id\b|idFieldList|operationType)"),
    "elasticsearch": re.compile(r"es\.mapping\.id|es\.write\.operation"),
    "opensearch": re.compile(r"opensearch\.mapping\.id|opensearch\.write\.operation"),
}
# Kinds of connection of AWS Glue to which a frame's rows are added.
_GLUE = ("s3", "mysql", "postgresql", "oracle", "sqlserver", "redshift")
_ACTIONS = ("preactions", "postactions")
_COLUMN = pattern(r"""\b(?:col|column)\(\s*["']([\w.]+)["']\s*\)""")
_WRITES = pattern(r"(?i)\s*(?:merge|insert|update|delete|truncate|replace|create|drop)\b")
_INTO = pattern(r"(?is)\s*merge\s+into\b")
_BATCH_ID = pattern(r"(?i)batch_?(?:id|no|num)|epoch|^b?id$")
# What shows that a statement puts in only what it has not seen, and goes by that.
_NEW = pattern(r"(?i)\breturning\b|\.rowcount\b|upserted_id")
# Methods of pymongo that may be told to add, and those of a Redis client that do.
_UPDATES = ("update_one", "update_many", "find_one_and_update", "UpdateOne", "UpdateMany")
_REDIS = COUNTS | {"lpush", "rpush"}
# What gives a point a time, and what gives it that of the moment.
_TIMED = pattern(r"(?<!\btime)\.time\(|\bwrite_precision\b")
_NOW = pattern(r"\.time\(\s*(?:int\(\s*)?(?:datetime\.datetime|datetime|time)\.(?:now|utcnow|time|time_ns)\(")
_OWN_ID = pattern(r"""["']_id["']|\bordered=False\b""")  # or one whose refusals are passed over


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    yield from _of_rdds(context)
    for function, at in module.contexts.running("foreach-batch"):
        plain = parameters(module, function)
        handed = at.through[0] if at.through else function
        given = parameters(module, handed)
        if handed is not function and len(given) > 1 and not does_with(module, handed, given[1]):
            plain = []  # a helper that is not given the batch's id
        if at.origin:  # one that another module calls: only a name says that a parameter is the batch's id
            plain = ["", *(name for name in plain if _BATCH_ID.search(name))]
        of_id = _saves_of(function, plain[1]) if len(plain) > 1 else []
        if any(does_with(module, function, name, of_id) for name in plain[1:2]):
            continue
        around = [call for one in {function, *at.through} for call in one.calls]
        added = _added(module, function) if not of_id else None
        if added is not None:
            call, sure = added
            message = "a batch that is done again after a failure is added once more: foreachBatch is at-least-once; keep the last batch_id with the sums, or set them to what the stream has summed"
            yield context.finding(message, module.call_place(call), confidence=sure, covers=[module.covers(call)])
            continue
        if any(call.name == "join" and not _of_text(call) for call in around) or _keyed(module, function.calls):
            continue
        merges = [call for call in around if call.name in ("merge", "sql", "execute_merge") and not _asks(module, call)]
        weighed = any(call.name in ("dropDuplicates", "drop_duplicates") for call in around)  # of this batch alone
        made = module.frames.batch_calls(function)
        found: list[tuple[Call, str]] = []
        saves = [call for call, kind, _ in made if kind == "save"]
        others = [call for call in function.calls if call.name in SAVES and call not in saves] if not at.through else []
        saves += [call for call in others if "createDataFrame" in steps(module, call)]
        helped = [call for call in others if call not in saves and _by_helper(module, call)]
        saves += helped
        for call in saves:
            if call in of_id or any(not _beside(module, function, call, merge) for merge in merges):
                continue
            mode, form = save_mode(module, call), save_format(module, call)
            adds = any(name in form for name in APPENDS) and not any(name in form for name in _UPSERTS)
            if mode != "append" or not form or not (adds or _without_keys(module, form)):
                continue
            found.append((call, form))
        if found:
            call, form = next((one for one in found if one[1] == "jdbc"), found[0])  # the surest
            what = "what is made of a batch" if call in helped or "createDataFrame" in steps(module, call) else "a batch"
            message = f"{what} that is done again after a failure is appended to the {form}{'' if form == 'table' else ' target'} twice: foreachBatch is at-least-once; use its batch_id, or write by key (MERGE, upsert)"
            later = next(
                (
                    one.call
                    for one in made
                    if one.kind != "action" and one.call is not call and module.frames.follows(function, call, one.call)
                ),
                None,
            )
            related = [(module.call_place(later), "when this fails, the batch is done again")] if later is not None else []
            surely = (form == "jdbc" or (later is not None and not _without_keys(module, form))) and call not in helped
            yield context.finding(
                message,
                module.call_place(chain(call).get("format", call)),
                related,
                confidence="medium" if surely and not weighed else "low",
                covers=[module.covers(call)],
            )
            continue
        if of_id:
            continue
        if glue := next(((call, form) for call in function.calls if (form := _glue(module, call))), None):
            call, form = glue
            message = f"a batch that is done again after a failure is appended to the {form} target twice: forEachBatch is at-least-once; name what is written by its batch_id, or write by key (MERGE, upsert)"
            yield context.finding(
                message, module.call_place(call), confidence="low" if form == "s3" else "medium", covers=[module.covers(call)]
            )
            continue
        if (put := _inserted(module, function)) is not None:
            call, table = put
            message = f"the rows of a batch that is done again after a failure are inserted into {table} once more, or fail where a key forbids that: foreachBatch is at-least-once; use its batch_id, or update what is there (ON CONFLICT, MERGE)"
            sure = "low" if call.name == "sql" or weighed else "medium"
            yield context.finding(message, module.call_place(call), confidence=sure, covers=[module.covers(call)])
            continue
        if (insert := _documents(module, function)) is not None:
            message = "the documents of a batch that is done again after a failure are inserted once more, each under a new id: foreachBatch is at-least-once; give them an _id made of the row, or replace what is there (upsert=True)"
            sure = "low" if weighed or "unique" in module.text.text else "medium"  # an index may refuse them
            yield context.finding(message, module.call_place(insert), confidence=sure, covers=[module.covers(insert)])
            continue
        if (point := _points(module, function)) is not None:
            came = "time() of the moment" if point.name == "time" else "without time() InfluxDB"
            message = f"the points of a batch that is done again after a failure are written once more: {came} gives each the time of its coming; give them that of their row"
            yield context.finding(message, module.call_place(point), confidence="medium", covers=[module.covers(point)])


def _points(module: Any, function: Function) -> Call | None:
    """What makes points for InfluxDB, where nothing gives any a time but that of the moment: they are other points when they come again."""
    if "influxdb_client" not in module.raw or _TIMED.search(_NOW.sub("", module.raw)):
        return None
    calls = [one for call in _with_parts(module, function) for one in (call, *getattr(module.target(call), "calls", ()))]
    made: Call | None = next(
        (call for call in calls if call.name == "Point" and module.qualified(call).startswith("influxdb_client")), None
    )
    now: Call | None = next((call for call in calls if call.name == "time" and _NOW.search(cst.Module([]).code_for_node(call.node))), None)
    timed = _TIMED.search(module.raw) is not None
    if made is None or (timed and now is None) or not any(call.name == "write" and call.has_keyword("record") for call in calls):
        return None
    return now or made


def _saves_of(function: Function, name: str) -> list[Call]:
    """The saves that have the batch's id in what they write, or in where: what is written beside them has not."""
    return [
        call
        for call in function.calls
        if call.name in SAVES and any(isinstance(part, cst.Name) and part.value == name for part in descend(call.node))
    ]


def _by_helper(module: Any, call: Call) -> bool:
    """Whether a call saves what a helper that cannot be followed has made of the batch: `scored = score(batch)`."""
    ways, name = module.frames.written(call), beginning(call.receiver_node)
    held = [binding for binding, _ in module.lookup(name, call.spot)] if name else []
    if len(held) != 1 or held[0].kind != "assign" or not isinstance(held[0].node, cst.Call) or any(frame.followed for frame in ways):
        return False
    given = [module.frames.of(arg.value, held[0].spot) for arg in held[0].node.args]
    return any(frames and all(MICRO_BATCH in frame.roots() for frame in frames) for frames in given)


def _of_rdds(context: Context) -> Iterator[Finding]:
    """The same of a DStream: a batch that had begun when the driver went is run again from the checkpoint."""
    module = context.module
    for function, at in module.contexts.running("rdd"):
        plain = function.given_names
        if at.through or (len(plain) > 1 and does_with(module, function, plain[0])):
            continue  # the time of the batch may tell whether it is done
        for call in function.calls:
            if call.name in SAVES and save_mode(module, call) == "append" and save_format(module, call) == "jdbc":
                message = "a batch that is done again after a failure is appended to the jdbc target twice: foreachRDD is at-least-once; use the time of the batch, or write by key"
                yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])


def _of_text(call: Call) -> bool:
    """Whether a join is one of texts: `os.path.join(…)`, `", ".join(…)`."""
    of = call.receiver_node
    return isinstance(of, (cst.SimpleString, cst.FormattedString)) or dotted(of) in ("os.path", "path", "posixpath")


def _without_keys(module: Any, form: str) -> bool:
    """Whether a store that writes by key is given rows for which nothing in the file names one."""
    found = next((keys for name, keys in _KEYS.items() if name in form), None)
    return found is not None and found.search(module.text.text) is None


def _asks(module: Any, call: Call) -> bool:
    """Whether a statement is a query: what it gives is used, and it does not begin as one that writes."""
    if call.name != "sql" or call.use == "dropped":
        return False
    return not _WRITES.match(module.string(call.argument(0, "sqlQuery"), call.spot))


def _inserted(module: Any, function: Function) -> tuple[Call, str] | None:
    """A plain INSERT of a batch function, or of one that it gives each partition of the batch, with the table's name."""
    if replaces(module.text.text) or MINDED.search(module.text.text):
        return None
    calls = [call for call in _with_parts(module, function) if call.name in EXECUTES or call.name == "sql"]
    statements = [(call, statement(module, call)) for call in calls]
    if any(LOOKS.match(text) for _, text in statements):
        return None
    found = ((call, plain_insert(text)) for call, text in statements)
    return next(((call, match.group(1)) for call, match in found if match is not None), None)


def _documents(module: Any, function: Function) -> Call | None:
    """What inserts documents into MongoDB that have no id of their own."""
    text = module.text.text
    if "pymongo" not in text or _OWN_ID.search(text):
        return None
    for call in _with_parts(module, function):
        refused = any(MINDED.search(name) for handler in handlers(call) for name in caught(handler))
        if call.name in ("insert_one", "insert_many") and not refused:
            return call
    return None


def _with_parts(module: Any, function: Function) -> list[Call]:
    """The calls of a batch function, and of those that it gives each partition of the batch."""
    parts = [
        one for call in function.calls if call.name == "foreachPartition" for one in module.function_of(call.argument(0, "f"), call.spot)
    ]
    return [call for one in (function, *parts) for call in one.calls]


def _glue(module: Any, call: Call) -> str:
    """What `glueContext.write_dynamic_frame.from_options(…)` appends to; empty for what is written by key, and for what is not known."""
    of = last_name(call.receiver_node) if call.receiver_node is not None else ""
    writes = f"{of}_{call.name}" if call.name in ("from_options", "from_jdbc_conf") else call.name
    if writes == "write_dynamic_frame_from_jdbc_conf":
        return "" if _staged(module, call) else "jdbc"
    kind = call.argument(1, "connection_type") if writes == "write_dynamic_frame_from_options" else None
    form = module.string(kind, call.spot).lower() if kind is not None else ""
    return form if form in _GLUE and not (form == "redshift" and _staged(module, call)) else ""


def _staged(module: Any, call: Call) -> bool:
    """Whether a frame may be written to a table of its own, out of which statements bring it on: a load into Redshift that has actions around it."""
    given = call.argument(2, "connection_options")
    held = module.value(given, call.spot) if given is not None else None
    return given is not None and (not isinstance(held, Mapping) or held.open or any(held.get(name) for name in _ACTIONS))


def _beside(module: Any, function: Function, call: Call, merge: Call) -> bool:
    """Whether a MERGE has surely nothing to do with an append: both are done in one run, and it names another table.

    An append may fill a table that does not exist yet, or one that the MERGE reads from.
    """
    frames = module.frames
    if merge.function is not function or not (frames.follows(function, call, merge) or frames.follows(function, merge, call)):
        return False
    table = save_target(module, call)
    if merge.name != "sql":
        return merge.name == "merge" and bool(table)
    text = module.string(merge.argument(0, "sqlQuery"), merge.spot).lower()
    return bool(_INTO.match(text)) and bool(table) and table.rsplit(".", 1)[-1] not in re.findall(r"\w+", text)


def _added(module: Any, function: Function) -> tuple[Call, str] | None:
    """What adds a batch to what is there already, and how sure that is."""
    calls = _with_parts(module, function)
    asked = any(LOOKS.match(statement(module, call)) for call in calls if call.name in EXECUTES) or _NEW.search(module.text.text)
    for call in calls:
        if _adds(module, call) and not (asked and call.name in EXECUTES):
            return call, "medium"
        if call.name in _UPDATES and "pymongo" in module.text.text and increments(module, call):
            return call, "low"
        if call.name in _REDIS and "redis" in module.text.text.lower():
            return call, "low"
    return None


def _adds(module: Any, call: Call) -> bool:
    """Whether a statement or a MERGE adds what the batch has to what the table has: `SET t.total = t.total + s.total`."""
    if call.name == "sql" or call.name in EXECUTES:
        return adds(statement(module, call)) is not None
    if call.name != "whenMatchedUpdate" or call.argument(0, "condition") is not None:
        return False
    given = module.value(call.argument(1, "set"), call.spot)
    return isinstance(given, Mapping) and any(
        pair.key is not None and pair.value_node is not None and adds_to(str(pair.key), _expression(module, pair.value_node, pair.spot))
        for pair in given.pairs
    )


def _expression(module: Any, node: Any, spot: Any) -> str:
    """An expression as SQL has it: a text, `expr("t.n + s.n")`, or `col("t.n") + col("s.n")`."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        sides = [_COLUMN.findall(cst.Module([]).code_for_node(side)) for side in (node.left, node.right)]
        return " + ".join(side[0] for side in sides) if all(len(side) == 1 for side in sides) else ""
    if isinstance(node, cst.Call) and last_name(node.func) == "expr" and node.args:
        node = node.args[0].value
    return str(module.string(node, spot))


def _keyed(module: Any, calls: list[Call]) -> bool:
    """Whether a write carries Delta's transaction identifiers."""
    return any(
        call.name == "option" and call.node.args and module.string(call.node.args[0].value, call.spot) in ("txnAppId", "txnVersion")
        for call in calls
    )
