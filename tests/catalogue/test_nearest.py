"""Did you mean: what a typo is explained by, and what nothing explains."""

import pytest

from shoal.catalogue import load


@pytest.mark.parametrize(
    ("engine", "version", "wrong", "right"),
    [
        ("flink", "1.20", "execution.checkpoint.interval", "execution.checkpointing.interval"),
        ("flink", None, "execution.checkpoint.interval", "execution.checkpointing.interval"),
        ("flink", "1.20", "jobmanager.archive.fs.cleanup-expired-jobs", "historyserver.archive.clean-expired-jobs"),
        ("flink", "1.20", "state.checkpointing.dir", "execution.checkpointing.dir"),
        ("flink", "1.18", "state.checkpointing.dir", "state.checkpoints.dir"),
        ("flink", None, "state.checkpoint.dir", "state.checkpoints.dir"),
        ("flink", "1.20", "checkpointing.interval", "execution.checkpointing.interval"),
        ("flink", "1.20", "taskmanager.numberofTaskSlots", "taskmanager.numberOfTaskSlots"),
        ("flink", "1.20", "parallelism.defualt", "parallelism.default"),
        ("flink", "1.20", "flink.parallelism.default", "parallelism.default"),
        ("flink", "1.20", "restart-strategy.fixed-delay.attempt", "restart-strategy.fixed-delay.attempts"),
        ("flink", "1.20", "restart.strategy", "restart-strategy.type"),
        ("flink", "1.20", "jobmanager.rpc.adress", "jobmanager.rpc.address"),
        ("flink", "1.20", "high-availability.storage.dir", "high-availability.storageDir"),
        ("flink", "1.20", "high-availability.zookeeper.qourum", "high-availability.zookeeper.quorum"),
        ("flink", "1.20", "table.exec.minibatch.enabled", "table.exec.mini-batch.enabled"),
        ("flink", "1.20", "execution.checkpointing.min-pause-between", "execution.checkpointing.min-pause"),
        ("flink", "1.20", "pipeline.max.parallelism", "pipeline.max-parallelism"),
        ("flink", "1.20", "env.java.opts.taskmanger", "env.java.opts.taskmanager"),
        ("flink", "1.20", "kubernetes.cluster.id", "kubernetes.cluster-id"),
        ("flink-table:kafka", "1.20", "scan.startup.modes", "scan.startup.mode"),
        ("flink-table:kafka", "1.20", "ignore-parse-errors", "json.ignore-parse-errors"),
        ("kafka-consumer", "3.9", "max.poll.interval", "max.poll.interval.ms"),
        ("kafka-consumer", "3.9", "enable.autocommit", "enable.auto.commit"),
        ("kafka-producer", "3.9", "max.in.flight.requests", "max.in.flight.requests.per.connection"),
        ("librdkafka", None, "enable.auto.comit", "enable.auto.commit"),
        ("kafka-python", None, "auto_offset_rest", "auto_offset_reset"),
        ("spark", "3.5", "spark.executor.memroy", "spark.executor.memory"),
        ("spark", "3.5", "spark.sql.streaming.checkpoint.location", "spark.sql.streaming.checkpointLocation"),
        ("spark", "3.5", "spark.dynamicAllocation.enable", "spark.dynamicAllocation.enabled"),
        ("spark", "3.5", "spark.driver.memoryoverhead", "spark.driver.memoryOverhead"),
    ],
)
def test_a_typo_is_explained(engine, version, wrong, right):
    catalogue = load(engine)
    assert not catalogue.known(wrong, version)
    assert catalogue.nearest(wrong, version)[0] == right


@pytest.mark.parametrize(
    ("engine", "key"),
    [
        *(
            ("flink", key)
            for key in ("my.app.kafka.topic", "company.team.owner", "database.url", "topic", "username", "enabled", "job.name")
        ),
        *(
            ("flink", key)
            for key in ("cluster.env", "input.kafka.brokers", "app.checkpoint.path", "source.topic.name", "spark.executor.memory")
        ),
        *(("flink", key) for key in ("kafka.bootstrap.servers", "group.id", "", "...")),
        *(("spark", key) for key in ("spark.my.app.setting", "spark.app.env", "spark.env", "spark.kafka.topic")),
        *(("kafka-consumer", key) for key in ("topic.name", "my.setting")),
    ],
)
def test_nothing_explains_a_key_of_ones_own(engine, key):
    assert load(engine).nearest(key) == []


def test_one_spelling_of_each_option():
    assert load("beam").nearest("checkpoint_interval") == ["checkpointing_interval"]
    assert load("flink").nearest("query.server.port") == ["query.server.ports"]


def test_at_most_n_and_best_first():
    found = load("flink").nearest("taskmanager.memory.managed", "1.20", n=2)
    assert found[0].startswith("taskmanager.memory.managed.")
    assert len(found) <= 2
