"""What names in pins, poms, image references and jar names say about engines. Data first, then three questions about it.

Sources: the artifacts published on PyPI, Maven Central and Docker Hub; Confluent's table of platform and Kafka versions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.facts import Dependency

# PyPI project (normalised) -> what its version is the version of.
PYPI = {
    "apache-flink": "flink",
    "apache-flink-libraries": "flink",
    "apache-beam": "beam",
    "pyspark": "spark",
    "pyspark-client": "spark",
    "pyspark-connect": "spark",
    "delta-spark": "delta",
    "databricks-connect": "databricks-connect",
    "confluent-kafka": "confluent-kafka",
    "kafka-python": "kafka-python",
    "kafka-python-ng": "kafka-python",
    "aiokafka": "aiokafka",
    "faust-streaming": "faust",
    "faust": "faust",
}

# PyPI project that is not what its name says, and how a finding goes on: tried with pyflink 1.0 and kafka 1.3.5, the last ones of both.
MISTAKEN = {
    "pyflink": "it brings a module `flink` of 2015 and no `pyflink`: the import fails; the project is called apache-flink",
    "python-kafka": "there is no such project on PyPI: the module `kafka` is of kafka-python",
    "kafka": "it is kafka-python 1.3.5 of 2017, which Python 3.7 and later cannot import (`async` is a keyword): take kafka-python",
}

# Artifacts of Flink that its distribution has in lib: a job is compiled with them, and does not bring them. The planner is of another kind: a program may need its own.
_IN_LIB = pattern(
    r"org\.apache\.flink:flink-(?:core|java|scala|streaming-(?:java|scala)|clients|runtime|runtime-web|table-(?:common|runtime|api-(?:java|scala)(?:-bridge)?|uber))(?:_2\.1[0-3])?"
)

# Image repository without its registry -> what its tag is the version of.
IMAGES = {
    "flink": "flink",
    "apache/flink": "flink",
    "library/flink": "flink",
    "arm64v8/flink": "flink",
    "bitnami/flink": "flink",
    "bitnamilegacy/flink": "flink",
    "confluentinc/cp-flink": "flink",  # 1.19.1-cp1
    "confluentinc/cp-flink-sql": "flink",
    "cloudera/flink": "flink",  # 1.19.1-csaop1.1.2-b17
    "pyflink/pyflink": "flink",  # 1.16.0-scala_2.12
    "apache/flink-kubernetes-operator": "flink-kubernetes-operator",
    "spark": "spark",
    "library/spark": "spark",
    "apache/spark": "spark",
    "apache/spark-py": "spark",
    "bitnami/spark": "spark",
    "bitnamilegacy/spark": "spark",
    "bde2020/spark-base": "spark",
    "bde2020/spark-master": "spark",
    "bde2020/spark-worker": "spark",
    "bde2020/spark-submit": "spark",
    "bde2020/spark-history-server": "spark",
    "bde2020/spark-maven-template": "spark",
    "bde2020/spark-sbt-template": "spark",
    "bde2020/spark-python-template": "spark",
    "spark-operator/spark": "spark",
    "spark-operator/spark-py": "spark",
    "googlecloudplatform/spark-operator": "spark-operator",
    "jupyter/pyspark-notebook": "spark",
    "jupyter/all-spark-notebook": "spark",
    "tabulario/spark-iceberg": "spark",  # 3.5.0_1.4.2: Spark's version, then Iceberg's
    "strimzi/operator": "strimzi",
    "apache/kafka": "kafka",
    "apache/kafka-native": "kafka",
    "bitnami/kafka": "kafka",
    "bitnamilegacy/kafka": "kafka",
    "wurstmeister/kafka": "kafka",
    "confluentinc/cp-kafka": "confluent-platform",
    "confluentinc/cp-enterprise-kafka": "confluent-platform",
    "confluentinc/cp-server": "confluent-platform",
    "confluentinc/cp-kafka-connect": "confluent-platform",
    "confluentinc/cp-kafka-connect-base": "confluent-platform",
    "confluentinc/cp-server-connect": "confluent-platform",
    "confluentinc/cp-server-connect-base": "confluent-platform",
    "confluentinc/confluent-local": "confluent-platform",
    "redpandadata/redpanda": "redpanda",
    "vectorized/redpanda": "redpanda",
    # their tags are Debezium's own version
    "debezium/kafka": "debezium",
    "debezium/connect": "debezium",
    "debezium/server": "debezium",
}

# Confluent Platform -> Apache Kafka.
CONFLUENT = {
    "3.0": "0.10.0",
    "3.1": "0.10.1",
    "3.2": "0.10.2",
    "3.3": "0.11.0",
    "4.0": "1.0",
    "4.1": "1.1",
    "5.0": "2.0",
    "5.1": "2.1",
    "5.2": "2.2",
    "5.3": "2.3",
    "5.4": "2.4",
    "5.5": "2.5",
    "6.0": "2.6",
    "6.1": "2.7",
    "6.2": "2.8",
    "7.0": "3.0",
    "7.1": "3.1",
    "7.2": "3.2",
    "7.3": "3.3",
    "7.4": "3.4",
    "7.5": "3.5",
    "7.6": "3.6",
    "7.7": "3.7",
    "7.8": "3.8",
    "7.9": "3.9",
    "8.0": "4.0",
    "8.1": "4.1",
}

# Runtimes of managed services, by the minor version of what they are called, -> the engines in them, from the services' release notes.
# Databricks' Spark has options of later releases too, so its runtimes say nothing about Spark's version.
RUNTIMES: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {
    "dataproc": {"1.5": (("spark", "2.4"),), "2.0": (("spark", "3.1"),), "2.1": (("spark", "3.3"),), "2.2": (("spark", "3.5"),)},
}

# Artifacts released with Flink itself, by how their names begin (the Scala suffix is cut off before).
_FLINK_CORE = pattern(
    r"flink-(?:dist|core|java|scala|streaming-(?:java|scala)|clients|python|runtime(?:-web)?|annotations|optimizer|cep|table(?!-store)[\w-]*|"
    r"sql-(?:client|gateway|parser|json|csv|avro|orc|parquet)[\w-]*|json|csv|avro(?:-confluent-registry)?|parquet|orc|protobuf|sequence-file|compress|"
    r"s3-fs-(?:hadoop|presto|base)|azure-fs-hadoop|gs-fs-hadoop|oss-fs-hadoop|statebackend-[\w-]+|state-processor-api|dstl-dfs|metrics-[\w-]+|"
    r"queryable-state[\w-]*|hadoop-(?:fs|compatibility)|kubernetes|yarn|rpc-[\w-]+|test-utils[\w-]*|connector-(?:base|files|file-sink-common|filesystem|datagen)|"
    r"parent|walkthrough[\w-]*|quickstart[\w-]*|gelly[\w-]*|external-resource-gpu|file-sink-common|scala-api)"
)
_CONNECTOR = pattern(r"flink-(?:sql-)?connector-([a-z][a-z0-9.-]*)")
_CONNECTOR_VERSION = pattern(r"(\d+\.\d+[\w.]*)-(\d+\.\d+)(?:$|[-.])")
# Of other makers: Flink's minor version in the name, the connector's own behind it.
_OF_OTHERS = pattern(r"([12]\.\d+)-(\d+\.\d+\.\d+[\w.]*)")
# The connectors that were released with Flink until 1.16 or 1.17, under its number; what others make has a number of its own.
_WITH_FLINK = pattern(
    r"flink-connector-(?:aws-[a-z-]+|base|cassandra|datagen|elasticsearch[0-9]?(?:-base)?|files|filesystem|gcp-pubsub|hbase(?:-[0-9.]+|-base)?"
    r"|hive(?:-[0-9.]+)?|jdbc|kafka(?:-base|-[0-9.]+)?|kinesis|mongodb|nifi|opensearch|pulsar|rabbitmq|test-utils|testing|twitter|wikiedits)"
)
_SCALA = pattern(r"_(2\.1[0-3]|3)$")
# Artifacts whose name carries the version of the engine they are built for.
_BUILT_FOR = pattern(
    r"(?:(iceberg)-(flink|spark)(?:-runtime)?-|(paimon)-(flink|spark)-|(hudi)-(flink|spark)|(beam)-runners-(flink)-|beam_(flink))(\d+(?:\.\d+)?)"
)
_PACKAGE_FOR_SPARK = pattern(
    r"(?:spark|mongo-spark|elasticsearch-spark|clickhouse|openlineage-spark|azure-eventhubs-spark|neo4j-connector)-[\w.-]+|openlineage-spark"
)
_DORIS = pattern(r"flink-doris-connector-(\d+\.\d+)")
_BARE_VERSION = pattern(r"v?(\d+(?:\.\d+)+)")
_MINOR = pattern(r"\d+\.\d+")
# Packages of other makers that a Spark application loads, each built for one Scala.
_FOR_SPARK = (
    "com.datastax.spark:spark-cassandra-connector",
    "org.mongodb.spark:mongo-spark-connector",
    "org.elasticsearch:elasticsearch-spark",
    "com.google.cloud.spark:spark-",
    "com.redislabs:spark-redis",
    "com.github.housepower:clickhouse-",
    "com.clickhouse.spark:clickhouse-spark",
    "io.openlineage:openlineage-spark",
    "com.johnsnowlabs.nlp:spark-nlp",
    "com.microsoft.azure:azure-eventhubs-spark",
    "com.databricks:spark-",
    "net.snowflake:spark-snowflake",
    "org.neo4j:neo4j-connector-apache-spark",
)
_GROUPS = (
    "org.apache.flink",
    "org.apache.beam",
    "org.apache.spark",
    "org.apache.kafka",
    "org.apache.iceberg",
    "org.apache.paimon",
    "org.apache.hudi",
    "io.delta",
    *_FOR_SPARK,
    "com.ververica",
    "com.alibaba.ververica",
    "com.amazonaws:aws-kinesisanalytics",
    "software.amazon.kinesis:amazon-kinesis-connector-flink",
)
ENGINES = ("flink", "spark", "beam", "kafka")


def normal(name: str) -> str:
    """A PyPI name in the form the index compares."""
    return re.sub(r"[-_.]+", "-", name).lower()


def repository(image: str) -> str:
    """An image's repository without registry host: `registry:5000/apache/flink` and `apache/flink` are the same."""
    head, _, rest = image.partition("/")
    if rest and ("." in head or ":" in head or head == "localhost" or "$" in head or "\ue000" in head):
        return rest
    return image


def image_engine(image: str) -> str:
    """What the tag of an image repository is the version of; empty when it is none of the known ones.

    A mirror keeps the last two parts of the name (`mirror.example/dockerhub/apache/flink`).
    """
    name = repository(image).lower()
    parts = name.split("/")
    for tail in ("/".join(parts[-2:]), name):
        if tail in IMAGES:
            return IMAGES[tail]
    if re.fullmatch(r"apache/beam_[a-z0-9_.-]+", "/".join(parts[-2:])):
        return "beam"
    if re.fullmatch(r"dataflow-templates(?:-base)?/[a-z0-9]+-template-launcher-base(?:-distroless)?", "/".join(parts[-2:])):
        return "dataflow-launcher"
    if parts[-1] in ("flink", "spark") and len(parts) > 1 and parts[0] in ("library", "docker.io", "dockerhub"):
        return parts[-1]
    return ""


def in_flinks_lib(name: str) -> bool:
    """Whether Flink's distribution brings an artifact (`group:artifact`)."""
    return _IN_LIB.fullmatch(name) is not None


def is_of_interest(ecosystem: str, name: str) -> bool:
    """Whether a dependency of this name says anything about a streaming job."""
    if ecosystem == "pypi":
        return normal(name) in PYPI
    if ecosystem == "image":
        return bool(image_engine(name))
    if ecosystem == "maven":
        return name.startswith(_GROUPS)
    if ecosystem == "jar":
        return name.startswith(("flink-", "spark-", "beam-", "kafka-clients", "kafka_2", "delta-", "iceberg-", "paimon-", "hudi-"))
    return True


def engine_versions(dependency: Dependency) -> tuple[tuple[str, str], ...]:
    """Everything a dependency says about versions, as (name, version), the artifact itself first.

    A connector says which release it is and which Flink it was built for; a Scala suffix says the Scala version. A range says
    something only as far as it fixes the minor version (`==1.18.*`, `~=1.18.1`).
    """
    version = dependency.version.strip()
    if not dependency.exact and dependency.ecosystem not in ("image", "field"):
        version = fixed_minor(version)
    if not version or "$" in version:
        return ()
    if dependency.ecosystem == "pypi":
        engine = PYPI.get(normal(dependency.name))
        return ((engine, version),) if engine else ()
    if dependency.ecosystem == "field":
        found = _BARE_VERSION.match(version.replace("_", "."))
        return ((dependency.name, found.group(1)), *RUNTIMES.get(dependency.name, {}).get(found.group(1), ())) if found else ()
    if dependency.ecosystem in ("image", "archive"):
        return _image_versions(dependency.name, version)
    if dependency.ecosystem == "maven":
        group, _, artifact = dependency.name.partition(":")
        return _artifact_versions(artifact, version) if group.startswith(_GROUPS) or dependency.name.startswith(_GROUPS) else ()
    if dependency.ecosystem == "jar":
        return _artifact_versions(dependency.name, version)
    return ()


def engine_version(dependency: Dependency) -> tuple[str, str] | None:
    """The engine (`flink`, `spark`, `beam`, `kafka`) and version a dependency stands for, else what it is itself, else None."""
    found = engine_versions(dependency)
    for name, version in found:
        if name in ENGINES:
            return name, version
    return found[0] if found else None


def fixed_minor(specifier: str) -> str:
    """`1.18` of a range that allows 1.18.x alone, else an empty text."""
    found = re.fullmatch(r"\s*(?:==|===)?\s*(\d+\.\d+)(?:\.\d+)?\.[*x+]\s*", specifier) or re.fullmatch(
        r"\s*~=?\s*(\d+\.\d+)\.\d[\w.]*\s*", specifier
    )
    return found.group(1) if found else ""


_CLAUSE = pattern(r"(===|==|~=|!=|<=|>=|<|>|\^|~|=)?\s*v?(\d{1,9}(?:\.\d{1,9})*)(\.[*x])?[\w.+!-]*")


def misses(specifier: str, minor: tuple[int, ...]) -> bool:
    """Whether no release of a minor version lies in a range of pip's or Poetry's: `>=2.0,<3.0`, `~=1.19`, `^2.0`, `1.18.*`."""
    return leaves_out(specifier, (*minor, 0, 0)[:3], (*minor[:-1], minor[-1] + 1))


def leaves_out(specifier: str, first: tuple[int, ...], end: tuple[int, ...]) -> bool:
    """Whether nothing from one version up to another, which does not count, lies in a range of pip's or Poetry's.

    Each clause stands for what lies between two versions, the first one included. What cannot be read takes in everything.
    """
    clauses = [_CLAUSE.fullmatch(part.strip()) for part in specifier.split(",")]
    if "|" in specifier or not all(clauses):
        return False
    return any(_outside(clause, first, end) for clause in clauses if clause is not None)


def _outside(clause: re.Match[str], first: tuple[int, ...], end: tuple[int, ...]) -> bool:
    """Whether a clause leaves out all from `first` up to `end`."""
    sign, text, wild = clause.groups()
    version = tuple(int(part) for part in text.split("."))
    full = (*version, 0, 0)[: max(3, len(version))]
    if sign in (">=", ">"):
        return full >= end
    if sign in ("<", "<="):
        return full < first or (sign == "<" and full == first)
    if sign == "!=":
        return False
    if sign == "^":
        kept = next((at for at, part in enumerate(version) if part), len(version) - 1) + 1
    elif sign == "~=":
        kept = max(1, len(version) - 1)
    elif sign == "~":
        kept = min(2, len(version))
    else:
        kept = len(version) if wild else len(full)
        full = version if wild else full
    upper = (*full[: kept - 1], full[kept - 1] + 1)
    return full >= end or upper <= first


def _image_versions(name: str, tag: str) -> tuple[tuple[str, str], ...]:
    engine = image_engine(name)
    if not engine:
        return ()
    if engine == "kafka" and re.match(r"2\.1[0-3]-", tag):  # Scala version first
        tag = tag.split("-", 1)[1]
    if name.rsplit("/", 1)[-1] in ("pyspark-notebook", "all-spark-notebook"):
        found = re.match(r"(?:.*-)?spark-(\d+(?:\.\d+)+)", tag)
    else:
        found = _BARE_VERSION.match(tag)
    if not found:
        return ()
    version = found.group(1)
    result: list[tuple[str, str]] = []
    if engine == "confluent-platform":
        minor = _MINOR.match(version)
        kafka = CONFLUENT.get(minor.group()) if minor else None
        result = [(engine, version), *([("kafka", kafka)] if kafka else [])]
    else:
        result = [(engine, version)]
    built = _BUILT_FOR.search(name)
    if built:
        result.append(("flink", built.group(10)))
    scala = re.search(r"scala[_-]?(2\.1[0-3])", tag)
    if scala:
        result.append(("scala", scala.group(1)))
    return tuple(result)


def _artifact_versions(artifact: str, version: str) -> tuple[tuple[str, str], ...]:
    result: list[tuple[str, str]] = []
    scala = _SCALA.search(artifact)
    name = artifact[: scala.start()] if scala else artifact
    built = _BUILT_FOR.match(name)
    connector, doris = _CONNECTOR.fullmatch(name), _DORIS.fullmatch(name)
    if built:
        project = built.group(1) or built.group(3) or built.group(5) or built.group(7) or "beam"
        engine = built.group(2) or built.group(4) or built.group(6) or built.group(8) or "flink"
        result = [(project, version), (engine, built.group(10))]
    elif _FLINK_CORE.fullmatch(name):
        result = [("flink", version)]
    elif doris:
        result = [("flink-connector-doris", version), ("flink", doris.group(1))]
    elif connector:
        result = _connector_versions("flink-connector-" + connector.group(1), version)
    elif name == "spark-sql-kafka-0-10":
        result = [("spark-kafka", version)]
    elif name == "spark-streaming-kafka-0-10":
        result = [("spark-streaming-kafka", version)]
    elif re.fullmatch(
        r"spark-(?:core|sql|streaming|catalyst|hive|mllib|graphx|yarn|kubernetes|avro|connect[\w-]*|token-provider-kafka-0-10|parent)", name
    ):
        result = [("spark", version)]
    elif name == "kafka-clients":
        result = [("kafka-clients", version)]
    elif name == "kafka" or re.fullmatch(r"(?:connect-(?:api|runtime|json|transforms)|kafka-streams[\w-]*)", name):
        result = [("kafka", version)]
    elif re.fullmatch(r"delta-(?:core|spark|storage|flink)", name):
        result = [("delta", version)]
    elif name.startswith("beam-"):
        result = [("beam", version)]
    if not result and scala and _PACKAGE_FOR_SPARK.fullmatch(name):
        result = [(name, version)]
    if result and scala:
        result.append(("scala", scala.group(1)))
    return tuple(result)


def _connector_versions(name: str, version: str) -> list[tuple[str, str]]:
    if others := _OF_OTHERS.match(version):
        return [(name, others.group(2)), ("flink", others.group(1))]
    pair = _CONNECTOR_VERSION.match(version)
    if pair:
        return [(name, pair.group(1).removesuffix("_flink")), ("flink", pair.group(2))]
    if version.startswith("1.") and _WITH_FLINK.fullmatch(name):
        return [(name, version), ("flink", version)]
    return [(name, version)]
