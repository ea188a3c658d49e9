"""What blocks the event loop: sleeps, synchronous clients, loops over a synchronous consumer, waits; in a coroutine, or in a function that it calls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import blocking
from shoal.python.tree import Call, ClassInfo, Function, descend, dotted, last_name
from shoal.python.values import names

_SYNC_HTTP = ("requests.", "urllib.request.urlopen")
_VERBS = names("get post put delete patch head request")
# Clients that wait on the thread itself, and their requests; the asynchronous ones have other names.
_CLIENTS = {
    "py.HttpSession": ("requests", _VERBS),
    "py.HttpxClient": ("httpx", _VERBS),
    "model.OpenAI": ("OpenAI", names("create parse generate")),
    "model.Anthropic": ("Anthropic", names("create parse")),
}
_SYNC_DATABASES = frozenset(
    {"psycopg2.connect", "psycopg.connect", "pymysql.connect", "MySQLdb.connect", "mysql.connector.connect", "pyodbc.connect"}
)
# What a synchronous client does only when the database has answered.
_QUERIES = {
    "db.Cursor": names("execute executemany executescript callproc copy_from copy_to copy_expert"),
    "db.Connection": names("execute commit"),
    "db.Session": names("commit flush execute exec scalar scalars refresh get merge query"),
    "neo4j.Session": names("run execute_read execute_write read_transaction write_transaction"),
    "neo4j.Driver": names("execute_query verify_connectivity"),
    "cassandra.Session": names("execute prepare"),
    "clickhouse.Client": names("execute insert_dataframe query_dataframe insert insert_df insert_arrow raw_insert query query_df command"),
    "mongo.Collection": names(
        "insert_one insert_many update_one update_many replace_one delete_one delete_many find_one find_one_and_update bulk_write count_documents"
    ),
    "py.Redis": names(
        "get set setex setnx mget mset incr incrby decr expire exists delete hget hset hgetall hmget hincrby lpush rpush lpop rpop blpop brpop "
        "lrange llen sadd srem sismember smembers zadd zrange zrangebyscore publish xadd xread xreadgroup xack ping"
    ),
}
_EXECUTES = frozenset({"psycopg2.extras.execute_values", "psycopg2.extras.execute_batch"})
# What a client of boto3 does without asking AWS.
_LOCAL = names("get_paginator can_paginate get_waiter generate_presigned_url generate_presigned_post close")
_LEVELS = 4
# Names of what runs once, when nothing else does any more.
_ENDS = pattern(r"(?i)stop|shut|clos|exit|tear|lifespan|clean|disconnect|finali|dispose")
_BEGINS = pattern(r"(?i)lifespan|start_?up")
# A wait, in seconds, of which only that is known that somebody has chosen it.
_SOME = 0.2
# What makes a loop run several things at once, or brings in libraries that do: clients with heartbeats, servers.
_COMPANY = pattern(
    r"\b(?:create_task|ensure_future|gather|TaskGroup|start_soon|as_completed|asyncio\.wait|run_coroutine_threadsafe|start_server|serve|call_later|call_soon|call_at"
    r"|aiokafka|faust|fastapi|starlette|aiohttp|aio_pika|websockets?|nats|sanic|quart|grpc|httpx|motor|asyncpg|aioredis|redis|telethon|discord|tornado)\b"
)
_MEANWHILE = "no other request, callback or heartbeat of this loop runs until it returns"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    alone = _alone(module)
    for function in module.functions:
        if not function.is_async or _on_own_thread(module, function):
            continue
        kinds = module.contexts.kinds(function)
        for call in function.calls:
            what = _blocks(module, call)
            if not what or (call.name == "flush" and _last(module, call)):
                continue
            loop = "the async operator's" if "async" in kinds else "the"
            message = f"{what} blocks {loop} event loop: {_MEANWHILE}"
            sure = (
                "low"
                if alone or _short(module, call)
                else "medium"
                if (blocking.waiting(module, call) is None and _answered(module, call)) or what == "input()"
                else ""
            )
            yield context.finding(message, module.call_place(call), confidence=sure, covers=[module.covers(call)])
        if not any(module.qualified(call) in _SYNC_DATABASES for call in function.calls):
            yield from _asked(context, function)
        if not alone and not any(_blocks(module, call) for call in function.calls):
            yield from _queued(context, function)
    yield from _helped(context, alone)
    yield from _iterated(context)


def _asked(context: Context, function: Function) -> Iterator[Finding]:
    """The first query of a coroutine that leaves it to others to connect."""
    module = context.module
    for call in function.calls:
        if _BEGINS.search(function.name) and not call.spot.in_loop():
            continue
        if call.use != "awaited" and (_query(module, call) or module.qualified(call) in _EXECUTES) and not _last(module, call):
            message = f"{call.name} of a synchronous database client blocks the event loop: {_MEANWHILE}"
            yield context.finding(message, module.call_place(call), confidence="medium", covers=[module.covers(call)])
            return


def _queued(context: Context, function: Function) -> Iterator[Finding]:
    """The first record that a coroutine gives to kafka-python's producer: mostly it waits for nothing."""
    module = context.module
    for call in function.calls:
        if call.name != "send" or call.use == "awaited" or module.receiver_type(call) != "kafka.Producer" or _brief(module, call):
            continue
        message = (
            "send() of kafka-python's producer waits on the thread itself where it does not know the topic yet or its buffer is full, up to max_block_ms "
            f"(60 s): while the brokers are away {_MEANWHILE} (use aiokafka, or a thread)"
        )
        yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])
        return


def _brief(module: Any, call: Call) -> bool:
    """Whether the producer is told to wait for a moment only, or what it is told cannot be seen."""
    for producer in module.objects(call.receiver_node, call.spot):
        made = Call(producer.node, "", producer.spot, None, "") if isinstance(producer.node, cst.Call) else None
        if made is None or made.has_stars:
            return True
        given = made.argument(99, "max_block_ms")
        bound = module.constant(given, made.spot) if given is not None else 60_000
        if not isinstance(bound, (int, float)) or bound < 1000:
            return True
    return False


def _query(module: Any, call: Call) -> bool:
    return call.name in _QUERIES.get(module.receiver_type(call), ())


def _helped(context: Context, alone: bool) -> Iterator[Finding]:
    """The same in a plain function that a coroutine calls."""
    module = context.module
    for function in module.functions:
        if function.is_async or function.yields or function.is_lambda:
            continue
        found = [(call, what) for call in function.calls if (what := _holds_up(module, call))]
        site = _called(module, function, _LEVELS) if found else None
        if site is None or site.function is None:
            where = next((one.told() for one in module.contexts.of(function) if one.engine == "asyncio"), "") if found else ""
            caller = _elsewhere(module, function, _LEVELS) if found else None
            related = [(caller[1], "called in the event loop")] if caller is not None else []
            if caller is not None:
                where = where or f"that runs {caller[0]}"
            if where:
                call, what = found[0]
                message = f"{what} blocks the event loop {where}: {_MEANWHILE}"
                sure = "low" if _as_configured(call, function) else "medium"
                yield context.finding(message, module.call_place(call), related, confidence=sure, covers=[module.covers(call)])
            continue
        for call, what in found[:1]:
            message = (
                f"{what} blocks the event loop, as the coroutine {site.function.qualname} calls {function.qualname}() in it: {_MEANWHILE}"
            )
            related = [(module.call_place(site), "called in the event loop")]
            sure = "low" if alone or _short(module, call) else "medium"
            yield context.finding(message, module.call_place(call), related, confidence=sure, covers=[module.covers(call)])


def _as_configured(call: Call, function: Function) -> bool:
    """Whether a field of the object decides that the call is made: `if self.linger_ms == 0:`, and the coroutine's object may have another value."""
    tests = [part for arm in call.spot.arms if arm.kind == "if" for part in descend(arm.test) if isinstance(part, cst.Comparison)]
    return any(
        isinstance(test.left, cst.Attribute)
        and dotted(test.left.value) == function.self_name
        and isinstance(test.comparisons[0].comparator, (cst.Integer, cst.Float, cst.SimpleString))
        for test in tests
        if function.self_name
    )


def _elsewhere(module: Any, function: Function, levels: int) -> tuple[str, Any] | None:
    """The coroutine of another module that runs a plain function in its event loop, straight or through others of this module, and where it calls."""
    caller: tuple[str, Any] | None = module.contexts.coroutines.get(id(function))
    if caller is not None:
        return caller
    callers = [site.function for site in module.call_sites(function) if site.function is not None and site.function is not function]
    plain = [one for one in callers if not (one.is_async or one.is_lambda or one.yields)] if levels else []
    return next((found for one in plain if (found := _elsewhere(module, one, levels - 1)) is not None), None)


def _alone(module: Any) -> bool:
    """Whether the module runs a loop for one coroutine alone, as far as can be seen: while that is blocked, hardly anybody waits."""
    return any(module.qualified(call) == "asyncio.run" for call in module.named("run")) and not _COMPANY.search(module.text.text)


def _holds_up(module: Any, call: Call) -> str:
    """What a call waits for that is no thread of this program: time, a server, another program."""
    found = blocking.sleeping(module, call)
    if found is not None:
        return "time.sleep" if found.seconds is None or found.seconds >= 0.1 else ""
    if _query(module, call):
        return f"{call.name} of a synchronous database client"
    what = _blocks(module, call) if not _administers(module, call) else ""  # topics are mostly made before there is anything to hold up
    return what if what and (blocking.waiting(module, call) is None or _answered(module, call)) else ""


def _called(module: Any, function: Function, levels: int) -> Call | None:
    """The call in a coroutine that runs a plain function in the event loop, straight or through others like it."""
    for site in module.call_sites(function):
        caller = site.function
        if caller is None or site.use == "awaited" or caller is function:
            continue
        if caller.is_async:
            if not _on_own_thread(module, caller) and not _before_all(module, site) and not _last(module, site):
                return site  # type: ignore[no-any-return]
        elif levels and not caller.is_lambda and not caller.yields and (found := _called(module, caller, levels - 1)) is not None:
            return found
    return None


def _before_all(module: Any, site: Call) -> bool:
    """Whether a program's main coroutine calls before it first gives way: nothing else runs yet."""
    main = site.function
    if main is None or not (main.name in ("main", "_main", "amain", "async_main") or _is_run(module, main)):
        return False
    waits = [spot for _, spot in module.tree.awaits if spot.function is main]
    around = {id(loop) for loop in site.spot.loops}
    return not any(spot.statement < site.spot.statement or any(id(loop) in around for loop in spot.loops) for spot in waits)


def _last(module: Any, call: Call) -> bool:
    """Whether the coroutine that a program runs waits for nothing more behind a call: whatever ran beside it is done."""
    function = call.function
    if function is None or not _is_run(module, function):
        return False
    after = module.flow(function).after(module.tree.statements[call.spot.statement].node)
    return not any(spot.function is function and id(module.tree.statements[spot.statement].node) in after for _, spot in module.tree.awaits)


def _is_run(module: Any, function: Function) -> bool:
    """Whether a coroutine is `main` in `asyncio.run(main())`."""
    runs = (call for call in module.named("run") if module.qualified(call) == "asyncio.run" and call.node.args)
    mains = ((main, call.spot) for call in runs if isinstance(main := call.node.args[0].value, cst.Call))
    return any(function in module.function_of(main.func, spot) for main, spot in mains)


def _on_own_thread(module: Any, function: Function) -> bool:
    """Whether a coroutine belongs to a thread with a loop of its own, which may well wait, or to what only such threads make."""
    if function.cls is None:
        return False
    made = [call for call in module.named(function.cls.name) if module.class_of(call.node, call.spot) is function.cls]
    return _is_thread(module, function.cls) or (
        bool(made) and all(_is_thread(module, call.function and call.function.cls) for call in made)
    )


def _is_thread(module: Any, cls: ClassInfo | None) -> bool:
    return cls is not None and any(base.endswith("Thread") for base in module.bases(cls))


def _iterated(context: Context) -> Iterator[Finding]:
    """`for record in consumer` over kafka-python's consumer, which waits on the thread itself."""
    module = context.module
    for statement in module.tree.of_kind(cst.For):
        node = statement.node
        function = statement.spot.function
        if node.asynchronous is not None or function is None or not function.is_async:
            continue
        if any(obj.type == "kafka.Consumer" for obj in module.objects(node.iter, statement.spot)):
            message = "the loop over kafka-python's consumer blocks the event loop between records: nothing else of this loop runs until one comes (use aiokafka, or a thread)"
            yield context.finding(message, module.place(node.iter, statement.spot))


def _blocks(module: Any, call: Call) -> str:
    if call.use == "awaited":
        return ""
    found = blocking.sleeping(module, call)
    if found is not None:
        return "" if found.seconds == 0 else "time.sleep"
    name: str = module.qualified(call)
    if name.startswith(_SYNC_HTTP) and call.name in _VERBS | {"urlopen"}:
        return name
    if name == f"httpx.{call.name}" and call.name in _VERBS:
        return name
    if name in _SYNC_DATABASES:
        return name
    if name == "builtins.input" and call.spot.in_loop():
        return "input()"
    client, verbs = _CLIENTS.get(module.receiver_type(call), ("", _VERBS))
    if client and call.name in verbs:
        return f"{client}' {call.name}" if client.endswith("s") else f"{client}'s {call.name}"
    if module.receiver_type(call) == "aws.Client" and call.name not in _LOCAL:
        return f"boto3's {call.name}"
    if call.name == "flush" and _ending(module, call):
        return ""
    held = blocking.process(module, call)
    if held is not None:
        return held.what
    wait = blocking.waiting(module, call)
    if wait is not None and ((wait.what.startswith("result") and _unfinished(call)) or not wait.what.startswith(("acquire", "result"))):
        return wait.what
    return _polls(module, call) or _answered(module, call)


def _ending(module: Any, call: Call) -> bool:
    """Whether a call is made while everything ends, by what does that or in a function that only this calls."""
    if call.function is None:
        return False
    sites = module.call_sites(call.function)
    return _ENDS.search(call.function.name) is not None or (
        bool(sites) and all(site.function is not None and _ENDS.search(site.function.name) for site in sites)
    )


def _answered(module: Any, call: Call) -> str:
    """What waits a while for the brokers, and not only at the end of everything."""
    kind = module.receiver_type(call)
    timeout = module.constant(call.argument(0, "timeout"), call.spot)
    seconds = timeout if isinstance(timeout, (int, float)) else math.inf
    if kind == "kafka.Future" and call.name == "get" and seconds >= 0.1:
        return "get() on the broker's answer"
    if call.name == "result" and seconds >= 0.1 and _published(module, call) and _unfinished(call):
        return "result() of a published message"
    if seconds >= 0.1 and _administers(module, call) and not (call.function is not None and _BEGINS.search(call.function.name)):
        return f"the admin client's {call.name}" if call.name != "result" else "result() of the admin client's request"
    if kind == "confluent.Producer" and call.name == "poll" and 0.1 <= seconds < math.inf:
        return "the producer's poll"
    if call.name != "flush" or call.spot.cleanup or _ending(module, call):
        return ""
    return "flush() on every queued message" if kind in ("kafka.Producer", "confluent.Producer", "quix.Producer") and seconds >= 0.5 else ""


def _administers(module: Any, call: Call) -> bool:
    """Whether a call waits for what the brokers answer to confluent's admin client: `futures[topic].result()`, or in a loop over `futures.items()`."""
    if call.name == "list_topics":
        return bool(module.receiver_type(call) == "confluent.Admin")
    node, spot = call.receiver_node if call.name == "result" and _unfinished(call) else None, call.spot
    for _ in range(5) if node is not None else ():
        if isinstance(node, cst.Subscript):
            node = node.value
        elif isinstance(node, cst.Name):
            held = [binding for binding, _ in module.lookup(node.value, spot)]
            node, spot = (held[0].node, held[0].spot) if len(held) == 1 else (None, spot)
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            if module.type_of(node.func.value, spot) == "confluent.Admin":
                return True
            node = node.func.value if node.func.attr.value in ("items", "values") else None
    return False


def _published(module: Any, call: Call) -> bool:
    """Whether a result is that of Pub/Sub's `publish`, which a thread in the background sends."""
    future = call.receiver_node
    if future is None or "PublisherClient" not in module.raw:
        return False
    made = [future] if isinstance(future, cst.Call) else []
    if isinstance(future, cst.Name):
        made = [binding.node for binding, _ in module.lookup(future.value, call.spot) if binding.kind == "assign"]
    return bool(made) and all(isinstance(node, cst.Call) and last_name(node.func) == "publish" for node in made)


def _polls(module: Any, call: Call) -> str:
    return f"the consumer's {call.name}" if _held_up(module, call) >= 0.1 else ""


def _held_up(module: Any, call: Call) -> float:
    """For how many seconds at most a synchronous consumer waits for records; nothing for any other call."""
    kind = module.receiver_type(call)
    if kind in ("confluent.Consumer", "quix.Consumer") and call.name in ("poll", "consume"):
        node, unit, without = call.argument(0 if call.name == "poll" else 1, "timeout"), 1, math.inf
    elif kind == "kafka.Consumer" and call.name == "poll":
        node, unit, without = call.argument(0, "timeout_ms"), 1000, 0.0
    else:
        return 0.0
    if node is None:
        return without
    timeout = module.constant(node, call.spot)
    if isinstance(timeout, (int, float)):
        return math.inf if timeout < 0 else timeout / unit
    return _SOME


def _unfinished(call: Call) -> bool:
    """Whether nothing in the coroutine asks or waits whether an executor's future is done before its result is taken."""
    asks = ("done", "wrap_future", "gather", "wait", "wait_for", "as_completed", "add_done_callback", "run_in_executor")
    return call.function is not None and not any(other.name in asks for other in call.function.calls)


def _short(module: Any, call: Call) -> bool:
    """Whether a consumer waits for less than half a second, which now and then the program may do without, or nobody knows how long."""
    return 0 < _held_up(module, call) < 0.5
