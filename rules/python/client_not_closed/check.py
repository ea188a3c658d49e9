"""Clients made in `open` or `setup` of a class without a `close` or `teardown` that touches them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import ClassInfo, Function, Spot, last_name
from shoal.python.values import FunctionValue, Object, Symbol, options

_ENDS = {"flink": ("close", "open"), "beam": ("teardown", "setup")}
_PRODUCERS = frozenset({"kafka.Producer", "confluent.Producer", "aiokafka.Producer"})
_WAITED = frozenset({*_PRODUCERS, "kafka.Future", "py.Future"})
_CLIENTS = frozenset({"kafka.Consumer", "confluent.Consumer", "py.GrpcChannel"})
_NAMES = frozenset(
    {
        "psycopg2.connect",
        "psycopg.connect",
        "pymysql.connect",
        "mysql.connector.connect",
        "pyodbc.connect",
        "cassandra.cluster.Cluster",
        "influxdb_client.InfluxDBClient",
        "kafka.KafkaAdminClient",
        "kafka.admin.KafkaAdminClient",
        "pymongo.MongoClient",
        "happybase.Connection",
        "clickhouse_connect.get_client",
        "clickhouse_driver.Client",
        "neo4j.GraphDatabase.driver",
        "oracledb.connect",
        "pymssql.connect",
        "snowflake.connector.connect",
    }
)
# What lets go of its connections when it is collected, whenever that is.
_POOLS = frozenset({"elasticsearch.Elasticsearch", "opensearchpy.OpenSearch", "sqlalchemy.create_engine"})
_POOL_TYPES = frozenset({"py.Redis"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        engine = module.contexts.classes.get(id(cls), "")
        if engine not in _ENDS:
            continue
        end_name, open_name = _ENDS[engine]
        end = module.method(cls, end_name)
        code = _ending(module, cls, end) if end is not None else ""
        for attribute, bindings in cls.attributes.items():
            for binding in bindings:
                function = binding.spot.function
                call = _call(binding.node) if binding.kind == "assign" and function is not None else None
                if function is None or call is None or not _runs(module, cls, function, open_name, attribute):
                    continue
                call = _connected(module, call, function, binding.spot)
                kind = _kind(module, call, binding.spot)
                if not kind or f".{attribute}" in code:
                    continue
                ending = f"there is no {end_name}()" if end is None else f"{end_name}() leaves it open"
                if kind == "producer":
                    finishing = " and no finish_bundle() flushes it" if engine == "beam" else ""
                    if (
                        engine == "beam"
                        and (finish := module.method(cls, "finish_bundle")) is not None
                        and f".{attribute}" in module.tree.node.code_for_node(finish.node)
                    ):
                        continue
                    if _flushes(module, cls, attribute):
                        continue
                    message = f"{ending}{finishing}: records that the producer still holds when the task ends are lost"
                    yield context.finding(message, module.place(call.func, binding.spot), severity="warning")
                else:
                    message = f"{ending}: each restart of the task leaves a connection behind, until the other side has none left"
                    confidence = "low" if kind == "pool" else ""
                    yield context.finding(message, module.place(call.func, binding.spot), confidence=confidence)


def _ending(module: Any, cls: ClassInfo, end: Function) -> str:
    """The text of the method that ends the work of a class, and of those that it calls: `self._disconnect()`."""
    found, waiting = [end], [end]
    while waiting:
        for call in waiting.pop().calls:
            own = isinstance(call.receiver_node, cst.Name) and call.receiver_node.value == end.self_name
            helper = module.method(cls, call.name) if own else None
            if helper is not None and helper not in found:
                found.append(helper)
                waiting.append(helper)
    return "\n".join(module.tree.node.code_for_node(one.node) for one in found)


def _runs(module: Any, cls: ClassInfo, function: Function, open_name: str, attribute: str) -> bool:
    """Whether a method makes what it keeps in the task: `open`, or a helper that open calls or that makes it when it is first asked for, where the class closes it nowhere."""
    if function.name == open_name:
        return True
    if function.name.startswith("__") or not any(call.name == function.name for one in cls.methods.values() for call in one.calls):
        return False
    return f"self.{attribute}.close" not in module.tree.node.code_for_node(cls.node)


def _connected(module: Any, call: cst.Call, function: Function, spot: Spot) -> cst.Call:
    """The call that made what another one connects: the `Cluster(…)` of `self.session = cluster.connect()`, where the function does not close it itself."""
    owner = call.func.value if isinstance(call.func, cst.Attribute) and call.func.attr.value == "connect" else None
    if not isinstance(owner, cst.Name):
        return call
    made = [
        binding.node for binding, _ in module.lookup(owner.value, spot) if binding.kind == "assign" and isinstance(binding.node, cst.Call)
    ]
    shut = any(one.name in ("close", "shutdown") and last_name(one.receiver_node) == owner.value for one in function.calls)
    return made[0] if len(made) == 1 and not shut else call


def _call(node: Any) -> cst.Call | None:
    """The call that makes what is kept, or of which a part is kept: `MongoClient(uri)["orders"]`."""
    while isinstance(node, (cst.Subscript, cst.Attribute)):
        node = node.value
    return node if isinstance(node, cst.Call) else None


def _kind(module: Any, call: cst.Call, spot: Any) -> str:
    callee = module.value(call.func, spot)
    if isinstance(callee, Symbol) and callee.name in _NAMES:
        return "client"
    if isinstance(callee, Symbol) and callee.name in _POOLS:
        return "pool"
    if isinstance(callee, FunctionValue) and any(
        isinstance(node, cst.Call) and isinstance(made := module.value(node.func, within), Symbol) and made.name in _NAMES
        for node, within in callee.function.returns
    ):
        return "client"
    for option in options(module.value(call, spot)):
        if isinstance(option, Object) and option.node is call:
            if option.type in _POOL_TYPES:
                return "pool"
            return "producer" if option.type in _PRODUCERS else "client" if option.type in _CLIENTS else ""
    return ""


def _flushes(module: Any, cls: Any, attribute: str) -> bool:
    """Whether each record is flushed or waited for, so that nothing is held."""
    for call in module.named("flush", "get", "result"):
        first = call.argument(0, "timeout")
        # `get` of a dict, a session or a state is given a name
        named = call.name == "get" and first is not None and isinstance(module.constant(first, call.spot), str)
        if call.function is not None and call.function.cls is cls and not named and module.receiver_type(call) in ("", *_WAITED):
            return True
    return False
