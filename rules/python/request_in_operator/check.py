"""Requests to services and stores that functions of PyFlink wait for, for each record, on the thread of their operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import blocking, per_record
from shoal.python.contexts import TASK
from shoal.python.tree import Call
from shoal.python.values import names

_DATABASES = "psycopg2? pymysql MySQLdb mysql pyodbc oracledb cx_Oracle pymssql snowflake clickhouse_driver trino vertica_python"
# What asks a store and waits for it, by the library that a module imports: names that nothing else in a function has.
_STORES = (
    (
        pattern(rf"(?m)^\s*(?:import|from)\s+(?:{_DATABASES.replace(' ', '|')})\b"),
        names("execute executemany execute_batch execute_values"),
    ),
    (
        pattern(r"(?m)^\s*(?:import|from)\s+pymongo\b"),
        names(
            "find_one insert_one insert_many update_one update_many replace_one delete_one find_one_and_update bulk_write count_documents"
        ),
    ),
    (pattern(r"(?m)^\s*(?:import|from)\s+cassandra\b"), names("execute")),
    (pattern(r"(?m)^\s*(?:import|from)\s+happybase\b"), names("row rows put counter_inc")),
    (pattern(r"(?m)^\s*(?:from\s+google\.cloud\s+import\b.*|import\s+google\.cloud\.)\bbigtable\b"), names("read_row read_rows commit")),
    (
        pattern(r"(?m)^\s*(?:import|from)\s+boto3\b"),
        names(
            "get_item put_item update_item query invoke invoke_endpoint invoke_model get_object put_object send_message put_record publish"
        ),
    ),
    (pattern(r"(?m)^\s*(?:import|from)\s+(?:elasticsearch|opensearchpy)\b"), names("search index update msearch mget")),
)
_REDIS = names(
    "get set setex hget hset hgetall hincrby mget exists incr incrby sismember smembers sadd zadd zrange zscore lrange lpush rpush expire publish"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    told: set[int] = set()
    for call, where in module.contexts.calls(*TASK):
        if where.engine != "flink" or id(where.entry) in told:
            continue
        what = _asks(module, call)
        if what and per_record.surely(module, call, where):
            told.add(id(where.entry))
            if blocking.network(module, call) is not None:
                continue  # what may wait for ever is told of by another rule
            message = (
                f"waits for the answer of {what} {where.told()}, for each record: one request after the other, "
                "and a slow one holds up the records, timers and checkpoint barriers behind it"
            )
            inner = {id(one) for one in (*where.through, call.function)} - {id(where.entry)}
            way = next((site for site in where.entry.calls if id(module.target(site)) in inner), None)
            related = [(module.call_place(way), "on the way there")] if way is not None else []
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _asks(module: Any, call: Call) -> str:
    """What a call asks over the network and waits for; empty for any other call."""
    if call.use == "awaited":
        return ""
    if blocking.asks(module, call):
        return f"`{call.name}`"
    if module.receiver_type(call) == "py.Redis":
        return f"Redis (`{call.name}`)" if call.name in _REDIS else ""
    if call.name in ("index", "update") and not call.has_keyword("index"):
        return ""  # lists and dicts have methods of these names
    known = any(call.name in methods and library.search(module.raw) for library, methods in _STORES)
    return f"`{call.name}`" if known else ""
