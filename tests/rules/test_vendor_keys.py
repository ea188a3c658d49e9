"""No key of a vendor, a plug-in or an application's own is called unknown: what nothing explains is somebody else's."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Finding, Source
from shoal.settings import Settings

RULES = (
    "unknown-option",
    "unknown-spark-option",
    "unknown-kafka-option",
    "no-spark-option",
    "option-set-too-late",
)
RULEBOOK = rulebook.load().only(lambda rule: rule.id in RULES)
FLINK = [
    "classloader.resolve-order",
    "high-availability.cluster-id",
    "blob.storage.directory",
    "fs.s3a.aws.credentials.provider",
    "s3.endpoint",
    "fs.oss.endpoint",
    "fs.azure.account.key.x.blob.core.windows.net",
    "gs.writer.chunk.size",
    "state.backend.gemini.ttl",
    "state.backend.gemini.offload.type",
    "ververica.platform.x",
    "kubernetes.operator.periodic.savepoint.interval",
    "metrics.reporter.promgateway.hostUrl",
    "metrics.reporter.dd.apikey",
    "metrics.reporter.prom.filter.includes",
    "zeppelin.flink.x",
    "user.tenant",
    "yarn.containers.vcores",
    "yarn.properties-file.location",
    "env.hadoop.conf.dir",
    "flink.hadoop.fs.defaultFS",
    "hive.metastore.uris",
    "table.optimizer.reuse-source-enabled",
    "table.exec.iceberg.use-flip27-source",
    "table.exec.hudi.x",
    "paimon.catalog.x",
    "sink.paimon.x",
    "fluss.client.x",
    "aws.emr.x",
    "pipeline.aliyun.x",
    "akka.ask.timeout",
    "taskmanager.network.memory.fraction",
    "external-resource.gpu.param.discovery-script.args",
    "openlineage.transport.type",
    "execution.job-listeners",
    "krb5.conf",
    "sql-gateway.session.idle-timeout",
    "state.backend.forst.cache.dir",
    "security.kerberos.login.keytab",
    "kyuubi.engine.x",
    "streampark.x",
]
SPARK = [
    "spark.emr.maximizeResourceAllocation",
    "spark.emr.default.executor.memory",
    "spark.emr-serverless.driver.disk",
    "spark.emr-serverless.executor.disk.type",
    "spark.databricks.service.address",
    "spark.databricks.cluster.profile",
    "spark.databricks.delta.optimizeWrite.enabled",
    "spark.databricks.delta.preview.enabled",
    "spark.databricks.io.cache.enabled",
    "spark.dataproc.enhanced.optimizer.enabled",
    "spark.dataproc.properties",
    "spark.sql.catalog.iceberg.warehouse",
    "spark.sql.iceberg.handle-timestamp-without-timezone",
    "spark.sql.iceberg.vectorization.enabled",
    "spark.hoodie.x",
    "spark.sql.hudi.x",
    "hoodie.x",
    "spark.sql.paimon.x",
    "spark.paimon.x",
    "spark.hadoop.fs.s3a.endpoint",
    "spark.hadoop.hive.metastore.uris",
    "spark.rapids.sql.enabled",
    "spark.celeborn.master.endpoints",
    "spark.gluten.enabled",
    "spark.kyuubi.x",
    "spark.sql.kyuubi.x",
    "spark.cassandra.connection.host",
    "spark.mongodb.input.uri",
    "spark.mongodb.read.connection.uri",
    "spark.es.nodes",
    "spark.redis.host",
    "spark.neo4j.url",
    "spark.openlineage.transport.type",
    "spark.extraListeners",
    "spark.plugins",
    "spark.prometheus.x",
    "spark.metrics.conf.*.sink.prometheusServlet.class",
    "spark.yarn.appMasterEnv.X",
    "spark.executorEnv.X",
    "spark.kubernetes.driverEnv.X",
    "spark.snowflake.x",
    "spark.datasource.hive.warehouse.load.staging.dir",
    "spark.security.credentials.hiveserver2.enabled",
    "spark.synapse.linkedService",
    "spark.microsoft.delta.optimizeWrite.enabled",
    "spark.glue.x",
    "spark.sagemaker.x",
    "spark.aliyun.x",
    "spark.hadoop.fs.oss.endpoint",
    "spark.stackable.x",
    "spark.acme.own",
    "spark.delta.logStore.class",
    "spark.delta.logStore.s3.impl",
    "spark.io.delta.x",
    "spark.comet.enabled",
    "spark.blaze.x",
    "spark.armada.x",
    "spark.yunikorn.x",
    "spark.nessie.x",
    "spark.unitycatalog.x",
    "spark.sql.catalog.spark_catalog",
    "spark.sql.gluten.x",
    "spark.sql.hive.hwc.execution.mode",
    "spark.shuffle.rss.x",
    "spark.rss.coordinator.quorum",
]
KAFKA = [
    "schema.registry.url",
    "basic.auth.credentials.source",
    "basic.auth.user.info",
    "confluent.telemetry.enabled",
    "confluent.monitoring.interceptor.bootstrap.servers",
    "use.latest.version",
    "auto.register.schemas",
    "specific.avro.reader",
    "aws.glue.x",
    "apicurio.registry.url",
    "strimzi.x",
    "sasl.oauthbearer.token.endpoint.url",
    "my.company.topic",
]


def _found(path: str, text: str) -> list[Finding]:
    settings = Settings(select=("all",))
    result = check_source(Source(path, classify(path), text.encode()), RULEBOOK, settings)
    findings, problems = conclude([result], RULEBOOK, settings, {path: text})
    assert not problems
    return [finding for finding in findings if finding.confidence != "low"]


@pytest.mark.parametrize("key", FLINK)
def test_flink(key: str) -> None:
    assert not _found("flink-conf.yaml", f"jobmanager.rpc.address: jm\n{key}: x\n")
    assert not _found("job.sql", f"SET '{key}' = 'x';\nINSERT INTO a SELECT * FROM b;\n")


@pytest.mark.parametrize("key", SPARK)
def test_spark(key: str) -> None:
    assert not _found("spark-defaults.conf", f"spark.sql.shuffle.partitions 64\n{key} x\n")
    code = f'from pyspark.sql import SparkSession\n\nspark = SparkSession.builder.config("{key}", "x").getOrCreate()\n'
    assert not _found("job.py", code)


@pytest.mark.parametrize("key", KAFKA)
def test_kafka(key: str) -> None:
    assert not _found("producer.properties", f"bootstrap.servers=b:9092\nkey.serializer=x.Y\nvalue.serializer=x.Y\n{key}=x\n")


def test_what_is_misspelt_beside_them_is_found() -> None:
    assert [finding.rule for finding in _found("flink-conf.yaml", "jobmanager.rpc.address: jm\nstate.backend.typ: rocksdb\n")] == [
        "unknown-option"
    ]
    text = "spark.emr.maximizeResourceAllocation true\nspark.executor.memroy 2g\n"
    assert [finding.rule for finding in _found("spark-defaults.conf", text)] == ["unknown-spark-option"]
