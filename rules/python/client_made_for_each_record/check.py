"""Clients constructed in per-record code: of an engine, or in the loop over a Kafka consumer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, per_record
from shoal.python.tree import Call, dotted, targets
from shoal.python.values import Object, options

_TYPES = frozenset(
    {
        "kafka.Producer",
        "kafka.Consumer",
        "confluent.Producer",
        "confluent.Consumer",
        "aiokafka.Producer",
        "aiokafka.Consumer",
        "py.Redis",
        "py.AsyncRedis",
        "py.GrpcChannel",
        "py.HttpxClient",
        "py.HttpxAsyncClient",
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
        "pyodbc.connect",
        "asyncpg.connect",
        "aiohttp.ClientSession",
        "oracledb.connect",
        "pymssql.connect",
        "snowflake.connector.connect",
        "clickhouse_connect.get_client",
        "clickhouse_driver.Client",
        "influxdb_client.InfluxDBClient",
        "opensearchpy.OpenSearch",
        "neo4j.GraphDatabase.driver",
        "googleapiclient.discovery.build",
        "confluent_kafka.schema_registry.SchemaRegistryClient",
    }
)
# Google's libraries: `bigquery.Client`, `pubsub_v1.PublisherClient`, `language.LanguageServiceClient`; each has a channel of its own.
_GOOGLE = pattern(r"google\.cloud\.[\w.]+\.([A-Z]\w*)?Client")

_SENDS = ("send", "produce", "send_and_wait", "send_batch")
_CLOUD_SENDS = ("put_record", "send_message", "publish", "put_item", "put_object")
# What a program calls once.
_ONCE = frozenset({"main", "_main", "amain", "async_main", "run"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    seen = set()
    for call, where in per_record.calls(module):
        what = _client(module, call)
        if what:
            seen.add(id(call.node))
            message = f"{what} is opened {where}: a connection for each record is slow, and bursts of them use up the other side"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call, loop, caller in _sent_once(module):
        if id(call.node) not in seen:
            through = f" (in a loop of {caller})" if caller else " (by a timer, again and again)" if loop is None else ""
            what = call.name if call.name[:1].isupper() else f"what {call.name}() gives"
            message = f"{what} is made anew for each record that is sent{through}: it connects to the brokers each time, and nothing goes out in batches"
            confidence = "medium" if loop is None or isinstance(loop, cst.While) else "low"
            yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
    for call, caller in _cloud_clients(module):
        if id(call.node) not in seen:
            through = f" (in a loop of {caller})" if caller else ""
            message = f"{module.qualified(call)} is made anew for each record that is sent{through}: it reads its credentials and the description of the service, and connects, each time"
            yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])
    for call, stop in _started_each_time(module):
        message = "the producer is started and stopped for what one call sends: that is a connection for each record if each call has one of its own, and a ProducerClosed from the second call on if it is the same; start and stop it with the application"
        yield context.finding(
            message, module.call_place(call), [(module.call_place(stop), "stopped here")], confidence="medium", covers=[module.covers(call)]
        )


def _started_each_time(module: Any) -> Iterator[tuple[Call, Call]]:
    """Producers of aiokafka that somebody else makes, and that a function starts, sends what it is given with, and stops."""
    for call in module.named("start"):
        function = call.function
        found = [obj for obj in module.receivers(call) if obj.type == "aiokafka.Producer"]
        if (
            function is None
            or len(found) != 1
            or found[0].spot.function is function
            or function.yields
            or function.name in _ONCE
            or call.spot.in_loop()
            or call.spot.conditional
            or not any(param.name != function.self_name for param in function.params)
        ):
            continue
        on = [
            other
            for other in module.named("stop", *_SENDS)
            if other.function is function and any(obj.node is found[0].node for obj in module.receivers(other))
        ]
        stops = [other for other in on if other.name == "stop"]
        sends = [other for other in on if other.name != "stop"]
        if stops and sends and not any(other.spot.in_loop() for other in sends):
            yield call, stops[-1]


def _sent_once(module: Any) -> Iterator[tuple[Call, Any, str]]:
    """Producers that are made in a loop, or in a function that a loop calls, send one record, and are forgotten."""
    given = [(call, obj) for call in module.calls if clients.wrapped(module, call) for obj in module.objects(call.node, call.spot)[:1]]
    given = [(call, obj) for call, obj in given if obj.type in clients.PRODUCERS]
    for call, producer in [*clients.made(module, clients.PRODUCERS), *given, *_of_quix(module)]:
        sends = [send for send in clients.uses(module, producer, *_SENDS) if send.function is call.function]
        loop = call.spot.loop
        arms = {(arm.group, arm.index) for arm in call.spot.arms}
        if not sends or any(send.spot.loop is not loop or not arms <= {(arm.group, arm.index) for arm in send.spot.arms} for send in sends):
            continue  # one that is made where there is none yet is kept
        if loop is not None:
            # a loop with a way out tries again until it is through
            if not clients.left(loop):
                yield call, loop, ""
            continue
        if _starts_itself_again(module, call.function) or _scheduled(module, call.function):
            yield call, None, ""
            continue
        sites = (*module.call_sites(call.function), *_as_argument(module, call.function)) if call.function is not None else ()
        yield from ((call, *found) for found in islice(_in_loops(call, sites), 1))


def _cloud_clients(module: Any) -> Iterator[tuple[Call, str]]:
    """Clients of Amazon's services that are made in a loop, or in a function that an endless loop calls, and send one record there."""
    for call in module.named("client", "resource"):
        if module.qualified(call) not in ("boto3.client", "boto3.resource") or call.use != "assigned":
            continue
        made = targets(module.tree.statements[call.spot.statement].node)
        sends = [
            send
            for send in module.named(*_CLOUD_SENDS)
            if send.function is call.function and made and dotted(send.receiver_node) == dotted(made[0])
        ]
        loop = call.spot.loop
        if not sends or any(send.spot.loop is not loop for send in sends):
            continue
        if loop is not None:
            if not clients.left(loop):
                yield call, ""
            continue
        sites = module.call_sites(call.function) if call.function is not None else ()
        around = (caller for loop, caller in _in_loops(call, sites) if isinstance(loop, cst.While) and not clients.left(loop))
        yield from ((call, caller) for caller in islice(around, 1))


def _in_loops(call: Call, sites: Iterable[Call]) -> Iterator[tuple[Any, str]]:
    """The loops in which the function around a call is called elsewhere, each with who does so."""
    for site in sites:
        if site.spot.loop is not None and site.function is not call.function:
            yield site.spot.loop, site.function.qualname if site.function else "the module"


def _of_quix(module: Any) -> Iterator[tuple[Call, Object]]:
    """The producers that an application of Quix Streams gives, each a new one that is flushed where its `with` ends."""
    for call in module.named("get_producer"):
        for obj in module.objects(call.node, call.spot):
            if obj.type == "quix.Producer" and obj.node is call.node:
                yield call, obj


def _as_argument(module: Any, function: Any) -> Iterator[Call]:
    """The calls of a function under the name of a parameter that it is given for: `follow(url, handle)`, which calls `handler(line)`."""
    for call in module.calls:
        if not any(isinstance(arg.value, cst.Name) and arg.value.value == function.name for arg in call.node.args):
            continue
        target = module.target(call)
        for param in target.params if target is not None else ():
            node = module.given(call, target, param)
            if isinstance(node, cst.Name) and function in module.function_of(node, call.spot):
                yield from (site for site in target.calls if site.receiver_node is None and site.name == param.name)


def _starts_itself_again(module: Any, function: Any) -> bool:
    """Whether a function sets a timer that calls it again, each time: `threading.Timer(3, publish).start()`."""
    return function is not None and any(
        timer.function is function
        and not timer.spot.conditional
        and module.qualified(timer) == "threading.Timer"
        and function in module.function_of(timer.argument(1, "function"), timer.spot)
        for timer in module.named("Timer")
    )


def _scheduled(module: Any, function: Any) -> bool:
    """Whether a function is run again and again by the clock: `schedule.every(3).seconds.do(publish)`, `scheduler.add_job(publish, "interval")`."""
    jobs = [job for job in module.named("do") if ".every(" in module.tree.node.code_for_node(job.node.func)]
    if "apscheduler" in module.raw:
        jobs += [job for job in module.named("add_job") if job.argument(1, "trigger") is not None]
    return function is not None and any(function in module.function_of(job.node.args[0].value, job.spot) for job in jobs if job.node.args)


def _client(module: Any, call: Call) -> str:
    name: str = module.qualified(call)
    if name in _NAMES or _GOOGLE.fullmatch(name):
        return name
    for option in options(module.result(call)):
        if isinstance(option, Object) and option.node is call.node and option.type in _TYPES:
            if option.type in clients.CONSUMERS and clients.record_loops(module, option):
                return ""  # what reads a topic to its end is a source, whatever it runs in
            return call.name
    return call.name if clients.wrapped(module, call) else ""
