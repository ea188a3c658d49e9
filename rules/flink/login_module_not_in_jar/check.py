"""`sasl.jaas.config` of a Kafka table or source: `flink-sql-connector-kafka` has Kafka's classes under `org.apache.flink.kafka.shaded`, `kafka-clients` as they are."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka

_KEY, _SHADED, _PLAIN = "sasl.jaas.config", "org.apache.flink.kafka.shaded.", "org.apache.kafka."
_BUNDLE = pattern(r"flink-sql-connector-(?:upsert-)?kafka(?:_2\.1[123])?")
# What has Kafka's own classes in it, or brings them along.
_BARE = pattern(r"flink-connector-kafka(?:_2\.1[123])?|kafka-clients|kafka_2\.1[123]")


def check(job: Job, context: Context) -> Iterator[Finding]:
    names = [(one.name.rpartition(":")[2], one) for one in job.dependencies if one.ecosystem in ("jar", "maven")]
    bundle = next((one for name, one in names if _BUNDLE.fullmatch(name)), None)
    bare = next((one for name, one in names if _BARE.fullmatch(name)), None)
    jar = bundle or bare
    if jar is None or (bundle is not None and bare is not None):
        return
    for block in kafka.clients(job, "consumer", "producer"):
        setting = kafka.find(job, block, _KEY) if kafka.is_java(block) and block.trait("host") == "flink" and block.form != "java" else None
        module = setting.text.split(None, 1)[0] if setting is not None and setting.text.strip() else ""
        if setting is None or not module.startswith(_PLAIN if bundle is not None else _SHADED):
            continue
        where = (
            f"{bundle.name} has Kafka's classes under {_SHADED[:-1]} alone"
            if bundle is not None
            else f"only flink-sql-connector-kafka has it, and here is {jar.name}"
        )
        named = _SHADED + module if bundle is not None else module.removeprefix(_SHADED)
        message = f"no client is made: the login module {module} is not there, {where}; {named}"
        yield context.finding(message, setting, [(jar, "the jar")])
