"""A `try` around the writes of a function of foreachBatch, or of foreachRDD, whose handler neither raises nor stops the query."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.batch_writes import LOOKING
from shoal.python.clients import handlers
from shoal.python.flow import catches_all, reraises
from shoal.python.frame import ACTIONS, SAVES
from shoal.python.tree import ASSIGNMENTS, Call, Function, descend, dotted, is_none, last_name, parts, targets
from shoal.python.values import Symbol, names

_WRITES = names(
    "execute executemany execute_batch execute_values put_item post put send upload_file insert_many bulk_write put_records publish copy_expert "
    "insert_df insert_rows_json to_sql write_pandas load_table_from_dataframe"
)

# Actions that bring the rows to where they are worked on; the others only look.
_TAKEN = frozenset({"foreachPartition", "foreach", "collect", "toPandas", "toLocalIterator"})

# What only RDDs are written with.
_SAVES = names("foreachPartition saveAsTextFile saveAsNewAPIHadoopDataset saveAsHadoopFile")

_STOPS = names("stop exit _exit kill abort terminate put append add set")

# What clients of InfluxDB and Elasticsearch are given a record with.
_RECORDS = {"write": ("record",), "index": ("document", "body")}

_COUNTS = ("len", "count", "str", "repr", "type", "isEmpty")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    statements = {id(statement.node): statement for statement in module.tree.statements}
    yield from _of_rdds(context, statements)
    for function, where in module.contexts.running("foreach-batch"):
        answers = bool(where.through) and _answers(module, function)
        made = module.frames.batch_calls(function)
        calls = [call for call, kind, _ in made if kind == "save" or call.name not in ACTIONS - _TAKEN]
        saves = [call for call, kind, _ in made if kind == "save"]
        kept = any(not call.spot.guarded for call in saves)  # the rows are somewhere: what fails beside it may be a cache
        # a frame that came through what is not known here is written all the same
        unclear = [call for call in function.calls if call.spot.guarded and call not in calls and _is_write(module, call)]
        calls += unclear
        if any(call.name in _WRITES for call in function.calls):  # a function that only connects may leave it to its caller
            calls += [call for call in function.calls if call.name == "connect" and call.spot.guarded]
        yield from _suppressed(context, saves)
        yield from _unasked(context, saves)
        yield from _in_partitions(context, function, statements)
        seen = set()
        for statement in module.tree.statements:
            handler = statement.node
            if statement.spot.function is not function or not isinstance(handler, cst.ExceptHandler) or not catches_all(handler):
                continue
            skipped = next((call for call in saves if call.spot.statement > statement.spot.statement), None)
            if skipped is None or not _leaves(handler) or _again(module, function, handler, statements):
                continue
            seen.add(id(handler))
            message = "what fails is caught here, the function returns before it has written, and the batch counts as done: its offsets are committed and its rows are lost"
            related = [(module.call_place(skipped), "not written")]
            sure = "low" if answers else "medium"
            yield context.finding(message, module.place(handler.type or handler, statement.spot), related, confidence=sure)
        for call in calls:
            found = handlers(call)
            nearest = getattr(call.spot.guarded[-1], "handlers", ()) if call.spot.guarded else ()
            if nearest and not any(catches_all(handler) for handler in nearest):
                continue
            for handler in found:
                if id(handler) in seen or not catches_all(handler) or reraises(handler) or _again(module, function, handler, statements):
                    continue
                seen.add(id(handler))
                at = statements[id(handler)]
                taken = call.name in _TAKEN and "foreach" not in call.name
                connects = call.name == "connect"
                what = "what fails after the rows were taken" if taken else "a connection that fails" if connects else "a write that fails"
                message = f"{what} is caught here and the batch counts as done: its offsets are committed and its rows are lost"
                related = [(module.call_place(call), f"this {'connection' if connects else 'write'}")]
                yield context.finding(
                    message,
                    module.place(handler.type or handler, at.spot),
                    related,
                    confidence="low"
                    if answers or (kept and call not in saves) or _hands(module, function, handler)
                    else "medium"
                    if connects or at.spot.in_loop() or (call in unclear and call.name in SAVES)
                    else "",
                )
                break


def _in_partitions(context: Context, function: Function, statements: dict[int, Any]) -> Iterator[Finding]:
    """The same in what a batch hands its partitions or rows to: the task succeeds, and with it the batch. In a loop it may be meant for a row that no try will mend."""
    module = context.module
    seen = set()
    for given in function.calls:
        node = given.argument(0, "f") if given.name in ("foreachPartition", "foreach") else None
        for worker in module.function_of(node, given.spot) if node is not None else ():
            for call in worker.calls:
                handler = next((one for one in handlers(call) if catches_all(one)), None) if _is_write(module, call) else None
                if handler is None or id(handler) in seen or reraises(handler) or _again(module, worker, handler, statements):
                    continue
                seen.add(id(handler))
                at = statements[id(handler)]
                message = f"a write that fails in {worker.name} is caught here, its task succeeds and the batch counts as done: its offsets are committed and its rows are lost"
                related = [(module.call_place(call), "this write"), (module.call_place(given), "called for the rows of a batch")]
                sure = "low" if at.spot.in_loop() else "medium"
                yield context.finding(message, module.place(handler.type or handler, at.spot), related, confidence=sure)


def _of_rdds(context: Context, statements: dict[int, Any]) -> Iterator[Finding]:
    """The same in a function that a DStream gives its RDDs to, or in one that its lambda hands them on to: the next batch comes all the same."""
    module = context.module
    seen = set()
    for given in module.named("foreachRDD"):
        node = given.argument(0, "func")
        functions = module.function_of(node, given.spot) if node is not None else []
        functions += [target for one in functions if one.is_lambda for call in one.calls if (target := module.target(call)) is not None]
        for function in functions:
            for call in function.calls:
                handler = next((one for one in handlers(call) if catches_all(one)), None) if _is_write(module, call) else None
                if handler is None or id(handler) in seen or reraises(handler) or _again(module, function, handler, statements):
                    continue
                seen.add(id(handler))
                message = "a write that fails is caught here and the batch counts as done: its rows are lost, and the stream goes on"
                related = [(module.call_place(call), "this write")]
                at = module.place(handler.type or handler, statements[id(handler)].spot)
                yield context.finding(message, at, related, confidence="medium")


def _saves(module: Any, call: Call) -> bool:
    """Whether a frame is written, whichever it is, but for one that is made of something else than rows: a line for a log."""
    written = call.receiver_node if call.name in SAVES else None
    found = re.search(r"(\w+)\s*\.write\b|\.write\b", module.tree.node.code_for_node(written)) if written is not None else None
    return found is not None and not (found.group(1) and _made_here(module, call, found.group(1)))


def _made_here(module: Any, call: Call, name: str) -> bool:
    """Whether a frame is made of values that no rows are among: `spark.createDataFrame([(epoch, count)])`."""
    for statement in module.tree.statements[: call.spot.statement]:
        node = statement.node
        if statement.spot.function is not call.function or not isinstance(node, ASSIGNMENTS) or dotted(targets(node)[0]) != name:
            continue
        made = node.value
        if isinstance(made, cst.Call) and last_name(made.func) == "createDataFrame" and call.function is not None:
            rows = _rows(module, call.function, call.spot.statement)
            if made.args and isinstance(made.args[0].value, cst.List):  # a line or two
                return True
            return not any(_holds(arg.value, rows) for arg in made.args)
    return False


def _is_write(module: Any, call: Call) -> bool:
    if call.name in SAVES and call.receiver_node is not None:
        return _saves(module, call)
    if call.name in _RECORDS and call.has_keyword(*_RECORDS[call.name]):
        return True
    return call.name in _SAVES or call.name in _WRITES or _writes(module, module.target(call))


def _answers(module: Any, function: Function) -> bool:
    """Whether a helper says something to who calls it, and may so tell that it failed: nobody is seen to drop it."""
    sites = module.call_sites(function)
    said = any(node is not None and not is_none(node) for node, _ in function.returns)
    return said and not (sites and all(site.use == "dropped" for site in sites))


def _tells(call: Call, function: Function) -> bool:
    """Whether what is put into a list is not the batch, and nothing made from it: what went wrong, for somebody to read."""
    batch = next(iter(function.given_names), "")
    return not any(isinstance(at, cst.Name) and at.value == batch for at in descend(call.node.args[0].value))


def _unasked(context: Context, saves: list[Call]) -> Iterator[Finding]:
    """Writes that a pool or a thread does, where nobody asks how they ended: a future's error stays in it, a thread's ends the thread."""
    module = context.module
    for call in saves:
        helper = module.contexts.of_pool(call)
        if helper is None or any(one.spot.guarded for one in helper.calls if one.name in SAVES):
            continue
        thread = call.name.endswith("Thread")
        if module.qualified(call) == "threading.Thread" if thread else call.use == "dropped":
            where = (
                "ends its thread, and join() says nothing of it" if thread else "stays in the future, which nobody asks for its result()"
            )
            message = f"a write that fails {where}: the function returns, and the batch counts as done: its offsets are committed and its rows are lost"
            yield context.finding(message, module.call_place(call), confidence="medium", covers=[module.covers(call)])


def _suppressed(context: Context, saves: list[Call]) -> Iterator[Finding]:
    """Writes in a `with suppress(Exception)`."""
    module = context.module
    seen = set()
    for call in saves:
        for made in call.spot.withs:
            if not isinstance(made, cst.Call) or id(made) in seen or call.spot.in_loop():
                continue
            wide = next((arg.value for arg in made.args if dotted(arg.value) in ("Exception", "BaseException")), None)
            if wide is not None and module.value(made.func, call.spot) == Symbol("contextlib.suppress"):
                seen.add(id(made))
                message = (
                    "a write that fails is suppressed here and the batch counts as done: its offsets are committed and its rows are lost"
                )
                yield context.finding(message, module.place(wide, call.spot), [(module.call_place(call), "this write")])


def _leaves(handler: cst.ExceptHandler) -> bool:
    """Whether a handler ends the function as if all was well."""
    last = handler.body.body[-1] if isinstance(handler.body, cst.IndentedBlock) else None
    return isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Return)


def _writes(module: Any, function: Function | None) -> bool:
    """Whether a function of the module sends rows elsewhere."""
    return function is not None and any(call.name in _WRITES or _saves_within(module, call, 2) for call in function.calls)


def _saves_within(module: Any, call: Call, levels: int) -> bool:
    """Whether a call saves a frame, or a function of the module does that it runs."""
    target = module.target(call) if levels else None
    return _saves(module, call) or (target is not None and any(_saves_within(module, one, levels - 1) for one in target.calls))


def _tries(loop: Any) -> bool:
    """Whether a loop may be one of attempts; one over rows or tables is not."""
    if not isinstance(loop, cst.For):
        return True
    called = loop.iter.func if isinstance(loop.iter, cst.Call) else None
    return isinstance(called, (cst.Name, cst.Attribute)) and dotted(called) in ("range", "itertools.count", "count")


def _again(module: Any, function: Any, handler: Any, statements: Any) -> bool:
    """Whether the handler belongs to a loop that tries again, or passes the batch on."""
    spot = statements[id(handler)].spot
    if any(_tries(loop) for loop in spot.loops):
        return True
    given_back = [node for node in descend(handler) if isinstance(node, cst.Return) and node.value is not None]
    if given_back and any(_holds(node.value, _rows(module, function, len(module.tree.statements))) for node in given_back):
        return True
    for call in function.calls:
        if any(arm.kind == "except" and handler in getattr(arm.test, "handlers", ()) for arm in call.spot.arms):
            if call.name in ("save", "saveAsTable", "insertInto", "stop", "send", "put", "parquet", "jdbc"):
                return True
            if call.name == "append" and not (call.node.args and _tells(call, function)):
                return True
            target = module.target(call)
            if not _only_notes(module, call, target, function) if target else (call.name not in LOOKING and _given(module, call, function)):
                return True
    return False


def _hands(module: Any, function: Function, handler: Any) -> bool:
    """Whether a handler calls a function of the module."""
    inside = (call for call in function.calls if any(handler in getattr(arm.test, "handlers", ()) for arm in call.spot.arms))
    return any(module.target(call) is not None for call in inside)


def _only_notes(module: Any, call: Call, target: Function, function: Function) -> bool:
    """Whether a helper that a handler calls is told what went wrong, and is given no rows: `log_error(str(error), batch_id)`. It neither raises nor stops anything."""
    if not call.node.args or call.use != "dropped" or target.outer is function or _given(module, call, function):
        return False
    ends = any(one.name in _STOPS or module.target(one) is not None for one in target.calls)
    return not ends and not any(isinstance(at, cst.Raise) for at in descend(target.node))


def _given(module: Any, call: Call, function: Function) -> bool:
    """Whether a call is given the batch or its rows, as they are or taken apart; not what a message says of them."""
    rows = _rows(module, function, call.spot.statement)
    return any(_holds(arg.value, rows) for arg in call.node.args)


def _rows(module: Any, function: Function, end: int) -> set[str]:
    """The names of a function's batch and of what is made of its rows, before a statement."""
    batch = next(iter(function.given_names), "")
    rows = {batch} if batch else set()
    for statement in module.tree.statements[:end]:
        node = statement.node
        if statement.spot.function is not function:
            continue
        made = node.value if isinstance(node, ASSIGNMENTS) else node.iter if isinstance(node, cst.For) else None
        given = targets(node) if isinstance(node, ASSIGNMENTS) else [node.target] if isinstance(node, cst.For) else []
        if given and isinstance(given[0], cst.Name) and made is not None and _holds(made, rows):
            rows.add(given[0].value)
    return rows


def _holds(node: Any, rows: set[str]) -> bool:
    """Whether an expression is made of rows, and does not count or print them."""
    if isinstance(node, cst.FormattedString) or (isinstance(node, cst.Call) and last_name(node.func) in _COUNTS):
        return False
    if isinstance(node, cst.Name):
        return node.value in rows
    if isinstance(node, cst.Attribute):
        return _holds(node.value, rows)
    return any(_holds(child, rows) for child in parts(node))
