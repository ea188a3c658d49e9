"""Clients constructed in per-record code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.contexts import TASK
from shoal.python.tree import Call
from shoal.python.values import Object, options

_TYPES = frozenset(
    {
        "kafka.Producer",
        "kafka.Consumer",
        "confluent.Producer",
        "confluent.Consumer",
        "py.Redis",
        "py.GrpcChannel",
        "py.HttpxClient",
        "py.HttpSession",
    }
)
_NAMES = frozenset(
    {
        "psycopg2.connect",
        "psycopg.connect",
        "pymysql.connect",
        "mysql.connector.connect",
        "boto3.client",
        "boto3.resource",
        "boto3.Session",
        "pymongo.MongoClient",
        "elasticsearch.Elasticsearch",
        "sqlalchemy.create_engine",
        "cassandra.cluster.Cluster",
        "google.cloud.bigquery.Client",
        "google.cloud.storage.Client",
        "pyodbc.connect",
    }
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in module.contexts.calls(*TASK, "foreach"):
        if where.engine == "beam" and where.entry.name in ("start_bundle", "finish_bundle", "process_batch"):
            continue
        what = _client(module, call)
        if not what or _once(call):
            continue
        message = f"{what} is opened {where.told()}: a connection for each record is slow, and bursts of them use up the other side"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _client(module: Any, call: Call) -> str:
    name = module.qualified(call)
    if name in _NAMES:
        return name
    for option in options(module.result(call)):
        if isinstance(option, Object) and option.node is call.node and option.type in _TYPES:
            return call.name
    return ""


def _once(call: Call) -> bool:
    """Whether it is made on first use only: inside a condition, as `if self.client is None`."""
    return call.spot.conditional
