"""Facts about Flink's options that rules rely on."""

import pytest

from shoal.catalogue import Alias, load

FLINK = load("flink")


@pytest.mark.parametrize(
    ("old", "new", "version"),
    [
        ("state.backend", "state.backend.type", "1.17"),
        ("restart-strategy", "restart-strategy.type", "1.17"),
        ("high-availability", "high-availability.type", "1.17"),
        ("execution.checkpointing.unaligned", "execution.checkpointing.unaligned.enabled", "1.17"),
        ("env.java.opts", "env.java.opts.all", "1.17"),
        ("kubernetes.container.image", "kubernetes.container.image.ref", "1.17"),
        ("kubernetes.jobmanager.cpu", "kubernetes.jobmanager.cpu.amount", "1.17"),
        ("pipeline.operator-chaining", "pipeline.operator-chaining.enabled", "1.18"),
        ("akka.ask.timeout", "pekko.ask.timeout", "1.18"),
        ("akka.framesize", "pekko.framesize", "1.18"),
        ("state.checkpoints.dir", "execution.checkpointing.dir", "1.20"),
        ("state.savepoints.dir", "execution.checkpointing.savepoint-dir", "1.20"),
        ("state.checkpoint-storage", "execution.checkpointing.storage", "1.20"),
        ("state.backend.incremental", "execution.checkpointing.incremental", "1.20"),
        ("state.checkpoints.num-retained", "execution.checkpointing.num-retained", "1.20"),
        ("state.backend.changelog.enabled", "state.changelog.enabled", "1.20"),
        ("dstl.dfs.base-path", "state.changelog.dstl.dfs.base-path", "1.20"),
        ("taskmanager.state.local.root-dirs", "execution.checkpointing.local-backup.dirs", "1.20"),
        ("execution.savepoint.path", "execution.state-recovery.path", "1.20"),
        ("execution.savepoint-restore-mode", "execution.state-recovery.claim-mode", "1.20"),
        ("state.backend.local-recovery", "execution.state-recovery.from-local", "1.20"),
        ("execution.checkpointing.alignment-timeout", "execution.checkpointing.aligned-checkpoint-timeout", "1.14"),
    ],
)
def test_renamed_key_is_read_under_its_new_name(old, new, version):
    before = FLINK.versions[FLINK.versions.index(version) - 1]
    assert FLINK.option(old, before).key == old
    assert FLINK.option(old, before).deprecated == version
    assert FLINK.option(old, version).key == new
    assert FLINK.option(new, version).since == version
    assert Alias(old, version, True) in FLINK.option(new, version).aliases
    assert FLINK.option(old, FLINK.versions[-1]).key == new, "old spellings live on as aliases"
    assert FLINK.canonical(old) == new
    assert (version, "renamed", old, new) in FLINK.history(old)


@pytest.mark.parametrize(
    "key",
    [
        "jobmanager.heap.size",
        "jobmanager.heap.mb",
        "taskmanager.heap.size",
        "state.backend.async",
        "cluster.evenly-spread-out-slots",
        "security.ssl.enabled",
        "pipeline.default-kryo-serializers",
        "pipeline.time-characteristic",
        "high-availability.job.delay",
        "taskmanager.network.netty.server.numThreads",
        "akka.watch.heartbeat.interval",
        "metrics.reporter.prom.class",
    ],
)
def test_removed_in_2_0(key):
    assert FLINK.known(key, "1.20")
    assert not FLINK.known(key, "2.0")
    assert FLINK.option(key).removed == "2.0"


@pytest.mark.parametrize(
    ("key", "version", "type_", "default"),
    [
        ("heartbeat.timeout", "1.19", "long", "50000"),
        ("heartbeat.timeout", "1.20", "duration", "50 s"),
        ("task.cancellation.timeout", "1.18.1", "long", "180000"),
        ("task.cancellation.timeout", "2.3.0", "duration", "3 min"),
        ("restart-strategy.exponential-delay.backoff-multiplier", "1.18", "double", "2.0"),
        ("restart-strategy.exponential-delay.backoff-multiplier", "1.19", "double", "1.5"),
        ("restart-strategy.exponential-delay.max-backoff", "1.18", "duration", "5 min"),
        ("restart-strategy.exponential-delay.max-backoff", "1.19", "duration", "1 min"),
        ("execution.checkpointing.tolerable-failed-checkpoints", "1.18", "int", None),
        ("execution.checkpointing.tolerable-failed-checkpoints", "1.19", "int", "0"),
        ("taskmanager.memory.network.max", "1.16", "memory", "1 gb"),
        ("execution.checkpointing.timeout", None, "duration", "10 min"),
        ("table.exec.mini-batch.size", None, "long", "-1"),
        ("taskmanager.numberOfTaskSlots", None, "int", "1"),
    ],
)
def test_type_and_default_follow_the_version(key, version, type_, default):
    option = FLINK.option(key, version)
    assert (option.type, option.default) == (type_, default)


def test_enum_constants_as_the_engine_accepts_them():
    assert FLINK.option("execution.checkpointing.mode").values == ("EXACTLY_ONCE", "AT_LEAST_ONCE")
    assert "adaptive" in [value.lower() for value in FLINK.option("jobmanager.scheduler").values]


def test_nearest_minor_version_counts():
    assert FLINK.option("state.checkpoints.dir", "1.9").key == "state.checkpoints.dir"
    assert FLINK.option("state.checkpoints.dir", "1.20.7").key == "execution.checkpointing.dir"
    assert FLINK.option("state.checkpoints.dir", "9.9").key == "execution.checkpointing.dir"
    assert FLINK.option("state.checkpoints.dir", "v1_19").key == "state.checkpoints.dir"
    assert FLINK.option("state.checkpoints.dir", "2").key == "execution.checkpointing.dir"
    with pytest.raises(ValueError, match="latest"):
        FLINK.option("state.checkpoints.dir", "latest")


def test_spellings_go_from_primary_to_oldest():
    assert FLINK.spellings("state.backend.fs.checkpointdir") == (
        "execution.checkpointing.dir",
        "state.checkpoints.dir",
        "state.backend.fs.checkpointdir",
    )
    assert FLINK.spellings("no.such.key") == ("no.such.key",)


@pytest.mark.parametrize(
    "key",
    [
        "metrics.reporter.prom.port",
        "metrics.reporter.prom.factory.class",
        "metrics.reporter.mine.some.parameter",
        "kubernetes.jobmanager.labels.team",
        "kubernetes.operator.savepoint.history.max.age",
        "job.autoscaler.enabled",
        "job.autoscaler.metrics.window",
        "env.java.opts.taskmanager",
        "containerized.master.env.JAVA_HOME",
        "flink.hadoop.fs.defaultFS",
        "fs.s3a.endpoint",
        "fs.hdfs.limit.total",
        "s3.access-key",
        "s3.access.key",
        "s3.entropy.length",
        "state.backend.gemini.cache.size",
        "security.delegation.token.provider.hadoopfs.enabled",
        "external-resource.gpu.amount",
        "sql-gateway.endpoint.rest.port",
        "table.exec.hive.infer-source-parallelism",
        "table.exec.iceberg.infer-source-parallelism",
        "pipeline.global-job-parameters",
        "user.tenant.name",
    ],
)
@pytest.mark.parametrize("version", ["1.17", "1.20", "2.2", None])
def test_plug_in_and_vendor_keys_are_known(key, version):
    assert FLINK.known(key, version)


def test_a_closed_template_is_typed():
    assert FLINK.option("metrics.reporter.prom.interval", "1.20").type == "duration"
    assert FLINK.option("metrics.reporter.prom.port", "1.20").type == "string", "port ranges are legal"


def test_families_say_why():
    assert "s3.access-key" in FLINK.reason("s3.access.key")
    assert FLINK.reason("state.checkpoints.dir") is None


def test_connector_options_are_no_configuration():
    for key in ("connector", "scan.startup.mode", "fields", "path", "rows-per-second"):
        assert not FLINK.known(key)


@pytest.mark.parametrize(
    ("key", "scope"),
    [
        ("execution.checkpointing.interval", "job"),
        ("table.exec.state.ttl", "table"),
        ("jobmanager.memory.process.size", "cluster"),
        ("client.timeout", "client"),
        ("kubernetes.operator.savepoint.history.max.age", "operator"),
        ("job.autoscaler.enabled", "autoscaler"),
    ],
)
def test_scope(key, scope):
    assert FLINK.option(key).scope == scope


@pytest.mark.parametrize(
    ("key", "since"),
    [
        ("env.java.home", None),  # read by the scripts in bin
        ("table.optimizer.incremental-agg-enabled", None),  # declared in Scala until 1.19
        ("table.exec.local-hash-agg.adaptive.enabled", "1.17"),
    ],
)
def test_what_is_no_field_of_a_class_of_options_is_known_from_the_release_that_read_it(key, since):
    assert FLINK.option(key).since == since
    assert FLINK.option(key, "1.18") is not None


def test_a_release_that_has_an_artefact_under_another_name_has_its_options():
    assert load("flink-table:kafka").option("topic", "1.18") is not None
    assert load("flink-table:format-avro-confluent").option("schema").since == "1.18"
