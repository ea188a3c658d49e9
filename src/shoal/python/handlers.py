"""What is done with a record that fails: whether a handler only tells of it, and goes on, or puts it aside."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python import clients
from shoal.python.flow import catches_all, caught, listed, reraises
from shoal.python.module import Module
from shoal.python.tree import Call, Function, descend, dotted, is_none, last_name
from shoal.python.values import names

# Calls that only tell.
LOGS = names(
    "print error warning exception info debug warn critical str format print_exc sleep repr rollback log_exception log_error log_warning log_info"
)
# Calls that do no work on a record: they take it apart, or look after the consumer.
APART = LOGS | names(
    "value key topic partition offset timestamp headers error code name decode loads dumps get items values keys len int float isinstance strip split "
    "commit store_offsets TopicPartition OffsetAndMetadata poll consume getone getmany pause resume position assignment time now perf_counter isoformat is_set "
    "KafkaException KafkaError ValueError Exception flush_log join replace lower upper type fatal"
)
# What a log line says of a record, beside what failed.
TELLS = LOGS | names(
    "value key topic partition offset timestamp headers error code name type decode len isoformat now get split "
    "exc_info format_exc labels inc increment incr capture_exception record_exception set_status"
)
# What clients of databases, stores and services raise for whatever goes wrong on the other side: no single field of a record does.
OUTAGES = names(
    "ElasticsearchException ApiError TransportError BulkIndexError RequestException KafkaException RedisError PyMongoError OperationalError "
    "DatabaseError ClientError BotoCoreError URLError InfluxDBError S3Error MinioException SQLAlchemyError ApiException PostgresError MySQLError"
)
# The same of modules for a database, which call it no more than that.
_ERRORS = frozenset({"psycopg2.Error", "psycopg.Error", "sqlite3.Error", "pyodbc.Error", "pymysql.Error", "mysql.connector.Error"})
# What writes records, and does nothing else, by its name.
_WRITES_ALONE = pattern(
    r"(?i)write|insert|upsert|save|store|persist|upload|put_object|fput|execute|bulk|load_table|index|replace_one|update_one|to_sql|add_(?:documents|texts)"
)


def catches_outages(handler: Any) -> bool:
    """Whether a handler is for every failure, or for whatever fails on the other side of a client."""
    return catches_all(handler) or bool(OUTAGES & set(caught(handler))) or any(dotted(name) in _ERRORS for name in listed(handler))


def goes_on(module: Module, handler: Any, commit: Call) -> bool:
    """Whether a commit may come again after what a handler does: no `break` stands behind it."""
    first = handler.body.body[0]
    first = first.body[0] if isinstance(first, cst.SimpleStatementLine) else first
    return id(module.tree.statements[commit.spot.statement].node) in module.flow(commit.function).after(first)


def notes(handler: Any) -> bool:
    """Whether a handler keeps in mind that something failed, which may well be asked for: `failed = True`."""
    return any(
        isinstance(node, cst.Assign) and isinstance(node.value, cst.Name) and node.value.value in ("True", "False")
        for node in descend(handler.body)
    )


def nothing_else(orelse: Any) -> bool:
    """Whether the `else` of an `if` does no more than tell, or there is none."""
    return orelse is None or (
        isinstance(orelse, cst.Else)
        and not any(
            isinstance(part, (cst.Break, cst.Return, cst.Raise, cst.Assign, cst.AugAssign))
            or (isinstance(part, cst.Call) and method(part) not in TELLS)
            for part in descend(orelse.body)
        )
    )


def gives_none(handler: Any) -> bool:
    """Whether a handler ends with `return` or `return None`."""
    line = handler.body.body[-1]
    end = line.body[-1] if isinstance(line, cst.SimpleStatementLine) else None
    return isinstance(end, cst.Return) and (end.value is None or is_none(end.value))


def method(call: cst.Call) -> str:
    """The last part of the dotted name that is called; empty where it is none."""
    return dotted(call.func).rpartition(".")[2]


def called(node: Any) -> set[str]:
    """The names of what is called in a block."""
    calls = (part.func for part in descend(node) if isinstance(part, cst.Call))
    return {last_name(func) for func in calls}


def only_logs(module: Module, handler: Any, scope: Any, but: type | tuple[type, ...] = ()) -> bool:
    """Whether a handler does nothing but log and print, and take apart what it says; `but`: statements that it may have, too."""
    lines = [small for line in handler.body.body for small in (line.body if isinstance(line, cst.SimpleStatementLine) else (line,))]
    lines = [line for line in lines if not isinstance(line, but)]
    return all(
        isinstance(line, (cst.Expr, cst.Pass, cst.Import, cst.ImportFrom)) or _for_itself(module, line, handler, scope) for line in lines
    ) and (called(handler.body) <= TELLS)


def _for_itself(module: Module, line: Any, handler: Any, scope: Any) -> bool:
    """Whether a line gives names to what only the handler reads: `kind, value, trace = sys.exc_info()`."""
    if not isinstance(line, cst.Assign) or not all(isinstance(one.target, (cst.Name, cst.Tuple)) for one in line.targets):
        return False
    used = [node.value for node in descend(handler.body) if isinstance(node, cst.Name)]
    given = {name for one in line.targets for name in clients.target_names(one.target)}
    return all(clients.reads(module, name, scope) < used.count(name) for name in given)


def leaves_loop(handler: Any) -> bool:
    """Whether the last statement of a handler ends the loop."""
    line = handler.body.body[-1]
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[-1], (cst.Break, cst.Return))


def lets_go(module: Module, call: Call, loops: set[int]) -> Any:
    """The handler around a call in the loop after which it goes on with the next record, and that does no more than log."""
    for handler in clients.handlers(call) if clients.in_loops(call.spot, loops) else ():
        if catches_all(handler) and not reraises(handler) and inside(module, handler, loops) and not dead_letter(module, handler):
            return handler
    return None


def swallows(module: Module, call: Call, catches: Callable[[Any], bool] = catches_all) -> Any:
    """As `swallowing`, of the function of this module that a call runs."""
    function = module.target(call) if call.node.args else None
    return swallowing(module, function, catches) if function is not None else None


def swallowing(module: Module, function: Function, catches: Callable[[Any], bool] = catches_all) -> Any:
    """The handler of a function whose whole work is tried, where what fails is only logged; `catches`: what it must catch."""
    if not isinstance(function.node, cst.FunctionDef):
        return None
    tried = [one for one in function.node.body.body if isinstance(one, cst.Try)]
    for handler in tried[-1].handlers if tried and tried[-1] is function.node.body.body[-1] else ():
        if catches(handler) and not reraises(handler) and not dead_letter(module, handler):
            return handler
    return None


def write_swallowed(module: Module, function: Function) -> Any:
    """Where a function that writes only logs that it failed: what the handler catches, as a node and its spot; None for any other function."""
    handler = swallowing_write(module, function)
    spot = module.spot_of(handler) if handler is not None else None
    return (handler.type or handler, spot) if spot is not None else None


def swallowing_write(module: Module, function: Function) -> Any:
    """The handler after which a function that writes comes to its end as if it had written."""
    whole = swallowing(module, function)
    guarded = [node for call in function.calls if _WRITES_ALONE.search(call.name) for node in call.spot.guarded]
    found = (one for one in (whole, *_leaving(module, function)) if one is not None)
    return next((one for one in found if any(one in getattr(node, "handlers", ()) for node in guarded)), None)


def _leaving(module: Module, function: Function) -> Iterator[Any]:
    """The handlers that only log and leave a function, which gives nothing back that could tell of it."""
    if not isinstance(function.node, cst.FunctionDef) or any(node is not None and not is_none(node) for node, _ in function.returns):
        return
    for tried in (one for one in function.node.body.body if isinstance(one, cst.Try)):
        for handler in tried.handlers:
            line = handler.body.body[-1]
            leaves = isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[-1], cst.Return)
            if leaves and catches_all(handler) and not reraises(handler) and not dead_letter(module, handler):
                yield handler


def each_write_swallowed(module: Module, function: Function) -> Any:
    """Where a function that writes one by one what it is given only logs that one of them failed, and goes on, as `write_swallowed`."""
    for call in function.calls:
        for tried in call.spot.guarded if _WRITES_ALONE.search(call.name) else ():
            spot = module.spot_of(tried)
            loop = spot.loop if spot is not None and isinstance(tried, cst.Try) else None
            last: Any = loop.body.body[-1] if isinstance(loop, cst.For) else None
            for handler in tried.handlers if last is tried else ():
                if catches_all(handler) and only_logs(module, handler, call.spot.scope):
                    return handler.type or handler, module.spot_of(handler) or spot
    return None


def inside(module: Module, handler: Any, loops: set[int]) -> bool:
    """Whether a handler stands in one of these loops."""
    spot = module.spot_of(handler)
    return spot is not None and clients.in_loops(spot, loops)


def dead_letter(module: Module, handler: Any, at_once: bool = False) -> bool:
    """Whether the handler passes the record on: any call in it but logging, printing, what is made for these, and what makes the connection to a database anew.

    `at_once`: and does so the first time, not only once the same record has failed so often.
    """
    made = [call for call in module.calls if clients.inside(call.spot, handler)]
    made = [call for call in made if not any(map(_often_enough, call.spot.arms))] if at_once else made
    telling = [call for call in made if call.name in LOGS]
    told = {id(part) for call in telling for arg in call.node.args for part in descend(arg.value)}
    said = {part.value for call in telling for arg in call.node.args for part in descend(arg.value) if isinstance(part, cst.Name)}
    return any(
        call.name not in TELLS and not _reconnects(module, call) and id(call.node) not in told and not _for_telling(module, call, said)
        for call in made
    )


def _often_enough(arm: Any) -> bool:
    """`if retries >= 3:`"""
    if arm.kind != "if" or not isinstance(arm.test, cst.Comparison):
        return False
    more = isinstance(arm.test.comparisons[0].operator, (cst.GreaterThan, cst.GreaterThanEqual))
    return more and re.search(r"(?i)retr|attempt|tries|fail", dotted(arm.test.left)) is not None


def _for_telling(module: Module, call: Call, said: set[str]) -> bool:
    """Whether all that a call is there for is a text that is logged: `text = describe(error)`."""
    node = module.tree.statements[call.spot.statement].node
    if not isinstance(node, cst.Assign):
        return False
    value = node.value.value if isinstance(node.value, cst.Subscript) else node.value  # `topic, key = …` and `clean(topic)[0]`
    targets = clients.target_names(node.targets[0].target)
    return value is call.node and bool(targets) and targets <= said


def _reconnects(module: Module, call: Call) -> bool:
    """`database.reconnect()`; a new consumer, which a method of this module may make, would begin at what was committed."""
    name = last_name(call.receiver_node) if call.receiver_node is not None else ""
    if call.name not in ("reconnect", "connect", "close") or name in ("", "self") or re.search(r"(?i)consum|kafka|^c$", name):
        return False
    return module.target(call) is None and module.receiver_type(call) not in clients.CONSUMERS


def only_tells(suite: Any, but: type | tuple[type, ...] = ()) -> bool:
    """Whether a suite does nothing but log and print; `but`: statements that it may have, too."""
    ends = (cst.Break, cst.Continue, cst.Return, cst.Raise, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Del)
    return not any(
        (isinstance(part, ends) and not isinstance(part, but)) or (isinstance(part, cst.Call) and method(part) not in TELLS)
        for part in descend(suite)
    )
