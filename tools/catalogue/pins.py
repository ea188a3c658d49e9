"""The released versions the tables are made from: the newest patch of every minor version."""

from __future__ import annotations

FLINK = ("1.13.6", "1.14.6", "1.15.4", "1.16.3", "1.17.2", "1.18.1", "1.19.3", "1.20.5", "2.0.2", "2.1.3", "2.2.1", "2.3.0")
PYFLINK = ("1.11.4", "1.12.5", *FLINK)
# The newest Python that a release of PyFlink has wheels for, where that is not 3.11.
PYFLINK_PYTHON = {
    **dict.fromkeys(("1.11.4", "1.12.5"), "3.7"),
    **dict.fromkeys(("1.13.6", "1.14.6", "1.15.4"), "3.8"),
    "1.16.3": "3.9",
    "1.17.2": "3.10",
    "1.18.1": "3.10",
}
KAFKA = (
    *("2.4.1", "2.5.1", "2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.1.2", "3.2.3", "3.3.2", "3.4.1"),
    *("3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"),
)

# Delta Lake, by the Spark version it is built for.
DELTA = {
    "3.1": ("delta-core_2.12:1.0.1",),
    "3.2": ("delta-core_2.12:2.0.2", "delta-storage:2.0.2"),
    "3.3": ("delta-core_2.12:2.3.0", "delta-storage:2.3.0"),
    "3.4": ("delta-core_2.12:2.4.0", "delta-storage:2.4.0"),
    "3.5": ("delta-spark_2.12:3.3.3", "delta-storage:3.3.3"),
    "4.0": ("delta-spark_2.13:4.0.1", "delta-storage:4.0.1"),
}
KAFKA_CONNECT = (
    *("2.4.1", "2.5.1", "2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.1.2", "3.2.3", "3.3.2", "3.4.0"),
    *("3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2", "4.0.2", "4.1.2", "4.2.1", "4.3.1"),
)
KAFKA_BROKER = KAFKA_CONNECT
KAFKA_MIRROR = ("2.7.2", "2.8.2", "3.0.2", "3.2.0", "3.4.1", "3.9.1", "4.3.1")
SPARK = ("3.1.3", "3.2.4", "3.3.4", "3.4.4", "3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0")
SPARK_KAFKA = {
    "3.1": "2.12:3.1.3",
    "3.2": "2.12:3.2.2",
    "3.3": "2.12:3.3.4",
    "3.4": "2.12:3.4.4",
    "3.5": "2.12:3.5.7",
    "4.0": "2.13:4.0.4",
    "4.1": "2.13:4.1.3",
    "4.2": "2.13:4.2.0",
}

BEAM = (
    *("2.50.0", "2.51.0", "2.52.0", "2.53.0", "2.54.0", "2.55.1", "2.56.0", "2.57.0", "2.58.1", "2.59.0", "2.60.0", "2.61.0", "2.62.0"),
    *("2.63.0", "2.64.0", "2.65.0", "2.66.0", "2.67.0", "2.68.0", "2.69.0", "2.70.0", "2.71.0", "2.72.0", "2.73.0", "2.74.0", "2.75.0"),
    *("2.76.0", "2.77.0"),
)
# The runner's jar and the Flink version in its name, from a Beam minor version on.
BEAM_FLINK_RUNNER = {
    "2.50": "1.16:2.50.0",
    "2.51": "1.16:2.51.0",
    "2.54": "1.16:2.54.0",
    "2.56": "1.16:2.56.0",
    "2.59": "1.16:2.59.0",
    "2.62": "1.19:2.62.0",
    "2.70": "1.19:2.70.0",
}

MANYLINUX = "manylinux2014_x86_64"
# Carries librdkafka of the same minor version.
CONFLUENT_KAFKA = (
    *("2.0.2", "2.1.1", "2.2.0", "2.3.0", "2.4.0", "2.5.3", "2.6.1", "2.8.2", "2.9.0", "2.10.1", "2.11.1", "2.12.2", "2.13.2", "2.14.2"),
    *("2.15.1", "2.16.1"),
)
KAFKA_PYTHON = ("1.4.7", "2.0.6", "2.1.6", "2.2.21", "2.3.3", "3.0.12")
AIOKAFKA = ("0.8.1", "0.9.0", "0.10.0", "0.11.0", "0.12.0", "0.13.0", "0.14.0")

# Plug-ins outside the Python distribution, by the Flink minor version they belong to. A minor version that a repository lacks takes
# over what the one before it had.
FLINK_PLUGINS = {
    "flink-s3-fs-hadoop": (
        "1.13.6",
        "1.14.6",
        "1.15.2",
        "1.16.1",
        "1.17.2",
        "1.18.1",
        "1.19.3",
        "1.20.1",
        "2.0.0",
        "2.1.1",
        "2.2.0",
        "2.3.0",
    ),
    "flink-gs-fs-hadoop": ("1.16.0", "1.17.0", "1.18.0", "1.20.0", "2.0.0", "2.3.0"),
    "flink-azure-fs-hadoop": ("1.15.2", "1.16.0", "1.17.0", "1.18.0", "1.20.0", "2.0.0", "2.3.0"),
    "flink-oss-fs-hadoop": ("1.13.6", "1.14.3", "1.15.0", "1.16.0", "1.17.0", "1.18.0", "1.20.0", "2.0.0", "2.3.0"),
    "flink-sql-gateway": ("1.16.1", "1.17.2", "1.18.1", "1.19.1", "1.20.3", "2.0.0", "2.1.3", "2.2.1", "2.3.0"),
    "flink-connector-hive_2.12": ("1.13.6", "1.14.6", "1.15.4", "1.16.2", "1.17.2", "1.18.1", "1.19.2", "1.20.1"),
}

# Table connectors and formats: the artefact to use from a Flink minor version on.
FLINK_TABLES = {
    "org.apache.flink:flink-connector-kafka_2.12": {"1.13": "1.13.6", "1.14": "1.14.6", "1.15": ""},
    "org.apache.flink:flink-connector-kafka": {
        "1.15": "1.15.4",
        "1.16": "1.16.3",
        "1.17": "3.1.0-1.17",
        "1.18": "3.2.0-1.18",
        "1.19": "3.3.0-1.19",
        "1.20": "3.4.0-1.20",
        "2.0": "4.0.1-2.0",
        "2.1": "5.0.0-2.1",
        "2.2": "5.0.0-2.2",
    },
    "org.apache.flink:flink-connector-jdbc_2.12": {"1.13": "1.13.6", "1.14": "1.14.6", "1.15": ""},
    "org.apache.flink:flink-connector-jdbc": {
        "1.15": "1.15.4",
        "1.16": "1.16.3",
        "1.17": "3.1.1-1.17",
        "1.18": "3.2.0-1.18",
        "1.19": "3.2.0-1.19",
        "1.20": "",
    },
    "org.apache.flink:flink-connector-jdbc-core": {"1.20": "3.3.0-1.20", "2.0": "4.0.0-2.0"},
    "org.apache.flink:flink-connector-elasticsearch-base_2.11": {"1.13": "1.13.6", "1.14": "1.14.5", "1.15": ""},
    "org.apache.flink:flink-connector-elasticsearch7_2.11": {"1.13": "1.13.6", "1.14": "1.14.5", "1.15": ""},
    "org.apache.flink:flink-sql-connector-elasticsearch7": {"1.15": "1.15.0", "1.16": "1.16.1", "1.17": "3.0.1-1.17"},
    "org.apache.flink:flink-connector-opensearch": {"1.16": "1.0.1-1.16", "1.18": "1.1.0-1.18"},
    "org.apache.flink:flink-connector-mongodb": {"1.17": "1.0.1-1.17", "1.18": "1.1.0-1.18"},
    "org.apache.flink:flink-connector-kinesis_2.11": {"1.13": "1.13.3", "1.14": "1.14.4", "1.15": ""},
    "org.apache.flink:flink-connector-kinesis": {"1.15": "1.15.2", "1.16": "1.16.3", "1.18": "4.2.0-1.18", "1.19": "4.3.0-1.19"},
    "org.apache.flink:flink-connector-dynamodb": {"1.19": "4.3.0-1.19"},
    "com.ververica:flink-sql-connector-mysql-cdc": {"1.13": "2.2.1", "1.14": "2.4.2", "1.18": "3.0.1", "1.19": ""},
    "org.apache.flink:flink-sql-connector-mysql-cdc": {"1.19": "3.5.0"},
    "org.apache.flink:flink-sql-connector-postgres-cdc": {"1.19": "3.5.0"},
    "org.apache.flink:flink-avro": {
        "1.13": "1.13.6",
        "1.14": "1.14.6",
        "1.15": "1.15.3",
        "1.16": "1.16.3",
        "1.17": "1.17.2",
        "1.18": "1.18.1",
        "1.19": "1.19.3",
        "1.20": "1.20.3",
        "2.0": "2.0.0",
        "2.1": "2.1.1",
    },
    "org.apache.flink:flink-sql-avro-confluent-registry": {
        "1.15": "1.15.1",
        "1.16": "1.16.0",
        "1.17": "1.17.0",
        "1.18": "",
        "1.19": "1.19.1",
        "1.20": "1.20.0",
        "2.0": "2.0.0",
        "2.1": "2.1.0",
        "2.3": "2.3.0",
    },
    "org.apache.flink:flink-avro-confluent-registry": {"1.18": "1.18.1", "1.19": ""},
    "org.apache.flink:flink-protobuf": {
        "1.16": "1.16.1",
        "1.17": "1.17.0",
        "1.18": "1.18.0",
        "1.20": "1.20.0",
        "2.0": "2.0.0",
        "2.2": "2.2.0",
        "2.3": "2.3.0",
    },
}
FLINK_TABLES_NEED = ("org.apache.kafka:kafka-clients:3.9.2", "org.slf4j:slf4j-api:1.7.36")
FLINK_OPERATOR = (
    *("1.0.1", "1.1.0", "1.2.0", "1.3.1", "1.4.0", "1.5.0", "1.6.1", "1.7.0", "1.8.0", "1.9.0", "1.10.0", "1.11.0", "1.12.1"),
    *("1.13.0", "1.14.0", "1.15.0"),
)
# Jars of the operator's releases that Maven Central has and whose option classes load without the rest of the operator.
FLINK_OPERATOR_JARS = {
    "1.1": ("org.apache.flink:flink-kubernetes-operator:1.1.0",),
    "1.4": ("org.apache.flink:flink-kubernetes-operator:1.4.0",),
    "1.7": ("org.apache.flink:flink-autoscaler:1.7.0",),
    "1.10": ("org.apache.flink:flink-autoscaler:1.10.0",),
}
FLINK_OPERATOR_NEEDS = (
    "org.apache.flink:flink-core:1.18.1",
    "org.apache.flink:flink-annotations:1.18.1",
    "org.apache.flink:flink-metrics-core:1.18.1",
    "org.apache.flink:flink-runtime:1.18.1",
    "org.slf4j:slf4j-api:1.7.36",
    "commons-cli:commons-cli:1.5.0",
    "io.javaoperatorsdk:operator-framework-core:4.3.0",
    "io.fabric8:kubernetes-client-api:6.5.1",
)


def minor(version: str) -> str:
    """ "1.20.5" to "1.20"."""
    return ".".join(version.split(".")[:2])


def up_to(releases: dict[str, str], wanted: str) -> str | None:
    """What a table of "from this minor version on" says for one; None before the first and after an empty entry."""
    found = None
    for start, version in releases.items():
        if ordinal(start) <= ordinal(wanted):
            found = version
    return found or None


def ordinal(version: str) -> tuple[int, ...]:
    """ "1.20.5" to (1, 20)."""
    return tuple(int(part) for part in version.split(".")[:2])
