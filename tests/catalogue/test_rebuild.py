"""The tables against the released artefacts: needs Java, Maven and the network. With CI=true nothing of that may be missing."""

import os
import shutil
from pathlib import Path

import pytest

from shoal.catalogue import flink_fields, load
from tools.catalogue import fetch, flink, flink_operator, kafka, pins

pytestmark = pytest.mark.engine

CONSUMER = "org.apache.kafka.clients.consumer.ConsumerConfig"
LOGGING = "org.slf4j:slf4j-api:1.7.36"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    kept = os.environ.get("SHOAL_CATALOGUE_CACHE")
    return Path(kept) if kept else tmp_path_factory.mktemp("artefacts")


def bring(cache, *wanted):
    """The jars, or a skip that CI does not allow."""
    try:
        for tool in ("java", "mvn"):
            if shutil.which(tool) is None:
                raise fetch.FetchError(f"{tool} is not installed")
        return fetch.maven(cache, wanted)
    except fetch.FetchError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


def facts(option):
    return option.type, option.default, option.values


@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
def test_kafka_consumer(cache, version):
    jars = bring(cache, f"org.apache.kafka:kafka-clients:{version}", LOGGING)
    found = kafka.extract(CONSUMER, jars)[CONSUMER]
    table, minor = load("kafka-consumer"), version.rpartition(".")[0]
    assert set(found) == set(table.keys(minor))
    assert {key: facts(state) for key, state in found.items()} == {key: facts(table.option(key, minor)) for key in found}


def test_kafka_broker(cache):
    bring(cache)
    owner = "kafka.server.KafkaConfig$"
    found = kafka.extract(owner, fetch.classpath(cache, "org.apache.kafka:kafka_2.13:3.9.2"))[owner]
    table = load("kafka-broker")
    assert set(found) == set(table.keys("3.9"))
    assert {key: facts(state) for key, state in found.items()} == {key: facts(table.option(key, "3.9")) for key in found}


def test_flink_core(cache):
    version = "1.18.1"
    wanted = ("flink-core", "flink-annotations", "flink-metrics-core")
    jars = bring(cache, *(f"org.apache.flink:{name}:{version}" for name in wanted), LOGGING, "commons-cli:commons-cli:1.5.0")
    rows = flink.parse_rows(fetch.java("FlinkOptions.java", [*map(str, jars)]))
    found = flink.configuration(rows)
    table = load("flink")
    named = flink_fields()  # by their newest keys
    constants = {
        constant: key for constant, key in flink.constants(rows).items() if constant in named
    }  # not those of options that others replace
    assert len(constants) > 400
    for constant, key in constants.items():
        newest = table.option(named[constant])
        assert newest is not None and (named[constant] == key or key in [alias.key for alias in newest.aliases]), constant
    assert len(found) > 400
    for key, state in found.items():
        option = table.option(key, "1.18")
        assert option is not None
        if option.key != key:
            assert "d" in state.flags  # another jar has the option that took the key over
            continue
        if "metrics.reporter" not in key:  # other jars add to these
            assert facts(option) == facts(state), key
        assert [alias.key for alias in option.aliases] == [alias for alias, _ in state.aliases]


def test_flink_operator(cache):
    wanted = pins.FLINK_OPERATOR_JARS["1.4"]
    bring(cache, *wanted, *pins.FLINK_OPERATOR_NEEDS)
    found = flink_operator.extract(cache, wanted)
    table = load("flink-operator")
    assert len(found) > 50
    assert {key: facts(state) for key, state in found.items()} == {key: facts(table.option(key, "1.4")) for key in found}
    assert {key for key in table.keys("1.4") if "autoscaler" not in key} <= set(found), "of another jar"
