"""What the libraries' classes are called and what their methods return, as data: no library is imported.

A class is named by its package and its own name (`pyflink:KafkaSource`), whatever module it is imported through. Results:
`T` a new object, `+T` a part of the receiver (its settings are the receiver's), `=` the receiver itself, `T@n:kw` an object that is
part of the argument at position n (or keyword kw). `*` stands for any other name; as an attribute also for what stands in brackets.
"""

from __future__ import annotations

from functools import cache

from shoal.records import NamedTuple


class Library(NamedTuple):
    """`calls`: constructors and functions, `Class` or `Class.method` or `function` -> result; `methods` and `attributes` by type."""

    calls: dict[str, str]
    methods: dict[str, dict[str, str]]
    attributes: dict[str, dict[str, str]]


class Tables(NamedTuple):
    """All libraries' tables, keyed `package:Name`."""

    calls: dict[str, str]
    methods: dict[str, dict[str, str]]
    attributes: dict[str, dict[str, str]]


# Packages that are one library under several names.
PACKAGES = {
    "pyflink": "pyflink",
    "pyspark": "pyspark",
    "kafka": "kafka",
    "kafka3": "kafka",
    "confluent_kafka": "confluent_kafka",
    "aiokafka": "aiokafka",
    "apache_beam": "apache_beam",
    "delta": "pyspark",
    "databricks": "pyspark",
    "faust": "faust",
    "faststream": "faststream",
    "quixstreams": "quixstreams",
    "bytewax": "bytewax",
    "argparse": "argparse",
    "asyncio": "asyncio",
    "threading": "threading",
    "queue": "queue",
    "concurrent": "concurrent",
    "multiprocessing": "multiprocessing",
    "subprocess": "subprocess",
    "requests": "requests",
    "httpx": "httpx",
    "aiohttp": "aiohttp",
    "openai": "openai",
    "anthropic": "anthropic",
    "redis": "redis",
    "grpc": "grpc",
    "socket": "socket",
    "psycopg2": "psycopg2",
    "psycopg": "psycopg",
    "pymysql": "pymysql",
    "MySQLdb": "MySQLdb",
    "mysql": "mysql",
    "pyodbc": "pyodbc",
    "sqlalchemy": "sqlalchemy",
    "sqlmodel": "sqlalchemy",
    "pymongo": "pymongo",
    "neo4j": "neo4j",
    "cassandra": "cassandra",
    "clickhouse_connect": "clickhouse",
    "clickhouse_driver": "clickhouse",
    "boto3": "boto3",
    "apscheduler": "apscheduler",
}


# The modules of kafka-python that have its clients: another one of that name is a package of the project's own, which is called `kafka` too.
_HOMES = {
    "KafkaConsumer": ("consumer", "consumer.group"),
    "KafkaProducer": ("producer", "producer.kafka"),
    "KafkaAdminClient": ("admin", "admin.client"),
}


def words(text: str, result: str) -> dict[str, str]:
    return dict.fromkeys(text.split(), result)


@cache
def tables() -> Tables:
    """The tables of all libraries, put together once a process."""
    from shoal.python.libraries import beam, flink, kafka, spark, stdlib

    calls: dict[str, str] = {}
    methods: dict[str, dict[str, str]] = {}
    attributes: dict[str, dict[str, str]] = {}
    for module in (flink, spark, kafka, beam, stdlib):
        for package, library in module.LIBRARIES.items():
            calls.update((f"{package}:{name}", result) for name, result in library.calls.items())
            for source, target in ((library.methods, methods), (library.attributes, attributes)):
                for kind, entries in source.items():
                    target.setdefault(kind, {}).update(entries)
    return Tables(calls, methods, attributes)


def key_of(name: str) -> tuple[str, str]:
    """(package, rest) of a dotted name, with the modules between left out as far as they are lower case; redis.asyncio has the names of redis."""
    parts = name.split(".")
    package = PACKAGES.get(parts[0], "")
    rest = parts[1:]
    while len(rest) > 1 and rest[0] == rest[0].lower() and (package, rest[0]) != ("redis", "asyncio"):
        rest = rest[1:]
    between = ".".join(parts[1 : len(parts) - len(rest)])
    if between and package == "kafka" and between not in _HOMES.get(rest[0], (between,)):
        package = ""
    if package == "faststream" and between.partition(".")[0] != "kafka":  # FastStream has brokers of the same names for confluent-kafka
        package = ""
    return package, ".".join(rest)
