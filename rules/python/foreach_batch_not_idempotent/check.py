"""An appending write in a foreachBatch function that never looks at the batch's id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import reads
from shoal.python.tree import Call, Function, chain, descend, last_name
from shoal.python.values import Mapping

_TELLING = frozenset(["print", "debug", "info", "warning", "warn", "error", "exception", "critical", "log"])
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
_APPENDS = ("jdbc", "parquet", "csv", "json", "orc", "delta", "iceberg", "kafka", "bigquery", "snowflake", "text", "avro", "hive", "table")
_TABLES = ("saveAsTable", "insertInto")
_MERGE = re.compile(r"(?is)\bmerge\s+into\b.*\bupdate\s+set\b.*?\b(\w+)\s*=\s*\w+\.\1\s*\+\s*\w+\.\1\b")
_INTO = re.compile(r"(?is)\s*merge\s+into\b")
_SUM = re.compile(r"\s*\w+\.(\w+)\s*\+\s*\w+\.\1\s*")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, at in module.contexts.running("foreach-batch"):
        plain = _params(function)
        handed = at.through[0] if at.through else function
        given = _params(handed)
        if handed is not function and len(given) > 1 and not reads(module, given[1], handed.scope):
            plain = []  # a helper that is not given the batch's id
        if len(plain) > 1 and reads(module, plain[1], function.scope) > sum(_told(call.node, plain[1]) for call in function.calls):
            continue
        around = [call for one in {function, *at.through} for call in one.calls]
        added = next((call for call in function.calls if _adds(module, call)), None)
        if added is not None:
            message = "a batch that is done again after a failure is added once more: foreachBatch is at-least-once; keep the last batch_id with the sums, or set them to what the stream has summed"
            yield context.finding(message, module.call_place(added), confidence="medium", covers=[module.covers(added)])
            continue
        if any(call.name == "join" for call in around) or _keyed(module, function.calls):
            continue
        merges = [call for call in around if call.name in ("merge", "sql", "execute_merge")]
        weighed = any(call.name in ("dropDuplicates", "drop_duplicates") for call in around)  # of this batch alone
        made = module.frames.batch_calls(function)
        found: list[tuple[Call, str]] = []
        for call, kind, _ in made:
            if kind != "save" or any(not _beside(module, function, call, merge) for merge in merges):
                continue
            before = chain(call)
            mode, form = _mode(module, call, before), _format(module, call, before)
            if mode != "append" or not form or any(name in form for name in _UPSERTS) or not any(name in form for name in _APPENDS):
                continue
            found.append((call, form))
        if found:
            call, form = next((one for one in found if one[1] == "jdbc"), found[0])  # the surest
            message = f"a batch that is done again after a failure is appended to the {form}{'' if form == 'table' else ' target'} twice: foreachBatch is at-least-once; use its batch_id, or write by key (MERGE, upsert)"
            later = next(
                (
                    one.call
                    for one in made
                    if one.kind != "action" and one.call is not call and module.frames.follows(function, call, one.call)
                ),
                None,
            )
            related = [(module.call_place(later), "when this fails, the batch is done again")] if later is not None else []
            sure = form == "jdbc" or later is not None
            yield context.finding(
                message,
                module.call_place(chain(call).get("format", call)),
                related,
                confidence="medium" if sure and not weighed else "low",
                covers=[module.covers(call)],
            )


def _beside(module: Any, function: Function, call: Call, merge: Call) -> bool:
    """Whether a MERGE has surely nothing to do with an append: both are done in one run, and it names another table.

    An append may fill a table that does not exist yet, or one that the MERGE reads from.
    """
    frames = module.frames
    if merge.function is not function or not (frames.follows(function, call, merge) or frames.follows(function, merge, call)):
        return False
    table = _table(module, call)
    if merge.name != "sql":
        return merge.name == "merge" and bool(table)
    text = module.string(merge.argument(0, "sqlQuery"), merge.spot).lower()
    return bool(_INTO.match(text)) and bool(table) and table.rsplit(".", 1)[-1] not in re.findall(r"\w+", text)


def _table(module: Any, call: Call) -> str:
    """The name or path that a write appends to."""
    to = chain(call).get("writeTo")
    node = (
        to.argument(0, "table") if to is not None else call.argument(0, "name") or call.argument(0, "path") or call.argument(0, "tableName")
    )
    return str(module.string(node, call.spot)).lower()


def _mode(module: Any, call: Call, before: dict[str, Call]) -> str:
    """The save mode: of `mode()`, of the last call's argument, or that of `insertInto` and of `writeTo(…).append()`."""
    if "writeTo" in before:
        return call.name
    position = {"save": 2, "saveAsTable": 2, "jdbc": 2, "parquet": 1, "json": 1, "csv": 1, "orc": 1}.get(call.name)
    mode = _text(module, before.get("mode"), 0) or (_text(module, call, position, "mode") if position is not None else "")
    if call.name == "insertInto" and not mode and call.argument(1, "overwrite") is None:
        return "append"
    return mode


def _format(module: Any, call: Call, before: dict[str, Call]) -> str:
    name = "table" if call.name in _TABLES or "writeTo" in before else call.name if call.name in _APPENDS else ""
    given = _text(module, call, 1, "format") if call.name in ("save", "saveAsTable") else ""
    return given or _text(module, before.get("format"), 0) or name


def _adds(module: Any, call: Call) -> bool:
    """Whether a MERGE adds what the batch has to what the table has: `SET t.total = t.total + s.total`."""
    if call.name == "sql" and call.node.args:
        return _MERGE.search(module.string(call.node.args[0].value, call.spot)) is not None
    if call.name != "whenMatchedUpdate":
        return False
    given = module.value(call.argument(1, "set"), call.spot)
    return isinstance(given, Mapping) and any(
        _SUM.fullmatch(module.string(pair.value_node, pair.spot)) for pair in given.pairs if pair.value_node is not None
    )


def _params(function: Function) -> list[str]:
    return [param.name for param in function.params if param.name != function.self_name]


def _told(node: Any, name: str) -> int:
    """How often a name stands in a call that only tells people something."""
    func = node.func
    last = last_name(func)
    return _named(node, name) if last in _TELLING else 0


def _named(node: Any, name: str) -> int:
    return sum(isinstance(at, cst.Name) and at.value == name for at in descend(node))


def _text(module: Any, call: Call | None, position: int, keyword: str = "") -> str:
    return module.string(call.argument(position, keyword), call.spot).lower() if call is not None else ""


def _keyed(module: Any, calls: list[Call]) -> bool:
    """Whether a write carries Delta's transaction identifiers."""
    return any(
        call.name == "option" and call.node.args and module.string(call.node.args[0].value, call.spot) in ("txnAppId", "txnVersion")
        for call in calls
    )
