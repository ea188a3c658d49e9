"""`shoal option`: an option's life, and where the project sets it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.host.conftest import Shoal


def test_an_old_name_leads_to_the_option(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("jobmanager.rpc.address: jm\nstate.backend: rocksdb\n")
    ran = shoal("option", "state.backend", "--engine", "flink", "--format", "json", ".")
    told = json.loads(ran.out)
    assert ran.code == 0
    (option,) = told["options"]
    assert option["option"] == "state.backend.type" and option["type"] == "string" and option["since"] == "1.17"
    assert "state.backend" in option["deprecated_spellings"]
    assert {"version": "1.17", "what": "renamed", "before": "state.backend", "after": "state.backend.type"} in option["history"]
    assert [(one["path"], one["line"], one["value"]) for one in told["set"]] == [("flink-conf.yaml", 2, "rocksdb")]


def test_it_is_found_in_python_and_in_manifests(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(
        "from pyflink.common import Configuration\nconf = Configuration()\nconf.set_string('parallelism.default', '4')\n"
    )
    (tmp_path / "compose.yml").write_text(
        "services:\n  jobmanager:\n    image: flink:1.20\n    command: jobmanager\n    environment:\n      FLINK_PROPERTIES: |\n        parallelism.default: 2\n"
    )
    ran = shoal("option", "parallelism.default")
    assert "compose.yml:7  2" in ran.out and "job.py:3  4" in ran.out


def test_a_version_shows_the_option_as_it_was(shoal: Shoal) -> None:
    old = json.loads(shoal("option", "spark.sql.ansi.enabled", "--version", "3.5.1", "--format", "json").out)["options"][0]
    new = json.loads(shoal("option", "spark.sql.ansi.enabled", "--version", "4.0", "--format", "json").out)["options"][0]
    assert (old["default"], new["default"]) == ("false", "true")
    absent = shoal("option", "execution.checkpointing.dir", "--engine", "flink", "--version", "1.18")
    assert "1.18 does not have it" in absent.out


def test_a_version_beyond_those_known_is_said_to_be(shoal: Shoal) -> None:
    for version, said in (("1.12", "1.12 is older than those known here; what follows is of 1.13"), ("99", "99 is newer than those known")):
        assert said in shoal("option", "state.backend", "--engine", "flink", "--version", version).out
    assert "known here" not in shoal("option", "state.backend", "--engine", "flink", "--version", "1.20.3").out


def test_an_unknown_option_names_the_nearest(shoal: Shoal) -> None:
    ran = shoal("option", "execution.checkpoint.interval", "--engine", "flink")
    assert ran.code == 1 and "did you mean execution.checkpointing.interval?" in ran.out
    told = json.loads(shoal("option", "spark.executor.memroy", "--format", "json").out)
    assert told["options"] == [] and told["nearest"]["spark"][0] == "spark.executor.memory"


def test_a_family_says_who_reads_it(shoal: Shoal) -> None:
    ran = shoal("option", "spark.hadoop.fs.s3a.endpoint", "--engine", "spark")
    assert ran.code == 0 and "Hadoop" in ran.out


def test_kafka_means_all_of_javas_clients(shoal: Shoal) -> None:
    ran = shoal("option", "acks", "--engine", "kafka")
    assert "kafka-producer" in ran.out and "default 1 becomes all" in ran.out


def test_an_option_of_the_broker_and_where_a_container_sets_it(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "docker-compose.yml").write_text(
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment:\n      KAFKA_LOG_RETENTION_HOURS: 24\n"
    )
    ran = shoal("option", "log.retention.hours")
    assert "kafka-broker" in ran.out and "168" in ran.out and "docker-compose.yml:5  24" in ran.out


def test_a_strange_engine_or_version_is_a_usage_error(shoal: Shoal) -> None:
    assert shoal("option", "acks", "--engine", "storm").code == 2
    assert shoal("option", "acks", "--version", "new").code == 2
