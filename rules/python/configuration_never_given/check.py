"""A `Configuration()` of PyFlink or `SparkConf()` that a name holds on which options are set, and that nothing else is done with; a dict of Kafka's options likewise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import reads
from shoal.python.tree import ASSIGNMENTS, Call, Spot, is_main, targets

_OF_FLINK = ("pyflink.common.Configuration", "pyflink.common.configuration.Configuration")
_OF_SPARK = ("pyspark.SparkConf", "pyspark.conf.SparkConf")
# What sets something, and returns the configuration.
_SETS = ("setMaster", "setAppName", "setSparkHome", "setExecutorEnv", "setIfMissing", "setAll", "set")
# Options that every client of confluent-kafka is told, and the clients.
_BROKERS = ("bootstrap.servers", "metadata.broker.list")
_CLIENTS = ("Producer", "Consumer", "SerializingProducer", "DeserializingConsumer", "AvroProducer", "AvroConsumer", "AdminClient")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    # with an argument it may be the environment's own: Configuration(j_configuration=get_j_env_configuration(…))
    of_flink = {id(call.node) for call in module.named("Configuration") if module.qualified(call) in _OF_FLINK and not call.node.args}
    of_spark = {id(call.node) for call in module.named("SparkConf") if module.qualified(call) in _OF_SPARK and not call.node.args}
    clients = [call for call in module.named(*_CLIENTS) if module.qualified(call).startswith("confluent_kafka.")]
    for statement in module.tree.statements:
        node, spot = statement.node, statement.spot
        given = targets(node) if isinstance(node, ASSIGNMENTS) and node.value is not None else []
        if len(given) != 1 or not isinstance(given[0], cst.Name) or spot.scope.kind == "class":
            continue
        if given[0].value in spot.scope.uses_globals:
            continue  # made for other modules
        if isinstance(node.value, cst.Dict):
            if any(call.spot.scope is spot.scope for call in clients):
                yield from _options(context, node, spot)
        elif isinstance(node.value, cst.Call):
            if _begins(node.value, of_flink):
                made = module.named("get_execution_environment", "create")
                then = "no environment is given {0}, so what is set on it has no effect: get_execution_environment({0}) takes it, and env.configure({0})"
            elif _begins(node.value, of_spark):
                made = module.named("getOrCreate", "SparkContext")
                then = "no session is given {0}, so what is set on it has no effect: SparkSession.builder.config(conf={0}) takes it, and SparkContext(conf={0})"
            else:
                continue
            if spot.scope.kind != "module" or made:
                yield from _configuration(context, node, spot, then)


def _configuration(context: Context, node: Any, spot: Spot, then: str) -> Iterator[Finding]:
    """Where a configuration is only set on."""
    module, target = context.module, targets(node)[0]
    name = target.value
    setters = [call for call in module.calls if (call.name.startswith("set_") or call.name in _SETS) and call.spot.scope is spot.scope]
    on = [call for call in setters if _first(call.receiver_node) == name]
    set_here = [*on, *(call for call in setters if _within(call, node.value))]
    if set_here and reads(module, name, spot.scope) == len({id(_root(call.receiver_node)) for call in on}):
        place = module.place(target, spot)
        yield context.finding(then.format(name), place, [(module.call_place(set_here[0]), "set here")], covers=[module.place(node, spot)])


def _options(context: Context, node: Any, spot: Spot) -> Iterator[Finding]:
    """A dict of Kafka's options of which nothing is made, beside a client that another one is given; others may import what stands in a module outside of its program."""
    module, target = context.module, targets(node)[0]
    keys = [
        one.key.evaluated_value for one in node.value.elements if isinstance(one, cst.DictElement) and isinstance(one.key, cst.SimpleString)
    ]
    own = spot.scope.kind != "module" or any(arm.test is not None and is_main(arm.test) for arm in spot.arms)
    if own and any(key in _BROKERS for key in keys) and reads(module, target.value, spot.scope) == 0:
        message = f"no client is given {target.value}, so that none of its options has any effect: whichever client it was written for goes by other ones"
        yield context.finding(message, module.place(target, spot), confidence="medium", covers=[module.place(node, spot)])


def _begins(node: Any, made: set[int]) -> bool:
    """Whether a chain of calls begins with a configuration's constructor: `Configuration().set_string(…)`."""
    return any(id(one) in made for one in _chain(node))


def _chain(node: Any) -> Iterator[Any]:
    """The calls of a chain, from the last one on, and what it begins with."""
    yield node
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value
        yield node


def _root(node: Any) -> Any:
    """What a chain of calls begins with."""
    *_, first = _chain(node)
    return first


def _first(node: Any) -> str:
    root = _root(node)
    return root.value if isinstance(root, cst.Name) else ""


def _within(call: Call, chain: Any) -> bool:
    """Whether a call is one of a chain's."""
    return any(one is call.node for one in _chain(chain))
