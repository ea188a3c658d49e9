"""Terraform files as facts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_facts import assert_sound, blocks, dependencies, of, reading, scraps, values

from shoal.classify import classify
from shoal.facts import Block, Mount, Oddity, Setting, Usage
from shoal.readers import Reading


def document(text: str) -> Reading:
    out = reading(text, "terraform", "main.tf")
    assert_sound(out)
    assert out.problems == []
    return out


CONFIG_MAP = """
resource "kubernetes_config_map" "flink" {
  metadata {
    name = "flink-config" # the one
  }
  data = {
    "flink-conf.yaml" = <<-EOT
      # ${var.comment}
      jobmanager.rpc.address: ${var.address}
      execution.checkpointing.interval: 10 s
      env.java.opts: "-Dx=\\d"
    EOT
    "log4j.properties" = "a=b\\nc=d"
  }
  depends_on = [kubernetes_namespace.flink]
}
"""


def test_a_config_map() -> None:
    out = document(CONFIG_MAP)
    assert blocks(out) == [("flink", "cluster", "flink-config")]
    assert values(out) == {"jobmanager.rpc.address": None, "execution.checkpointing.interval": "10 s", "env.java.opts": '"-Dx=\\d"'}
    interval = next(one for one in of(out, Setting) if one.key == "execution.checkpointing.interval")
    assert CONFIG_MAP[interval.value_span.start : interval.value_span.end] == "10 s"
    assert CONFIG_MAP[interval.key_span.start : interval.key_span.end] == "execution.checkpointing.interval"


def test_a_conf_between_quotes() -> None:
    out = document(
        'resource "kubernetes_config_map_v1" "c" {\n  data = { "flink-conf.yaml" = "state.backend: rocksdb\\nparallelism.default: ${var.p}\\n" }\n}\n'
    )
    assert values(out) == {"state.backend": "rocksdb", "parallelism.default": None}


def test_lines_that_are_joined() -> None:
    out = document(
        'locals {\n  flink_env = [{ name = "FLINK_PROPERTIES", value = join("\\n", [\n    "execution.checkpointing.interval: 10 s",\n'
        '    "parallelism.default: ${var.p}",\n    local.more,\n    "rest.port: 8081"\n  ]) }]\n}\n'
    )
    assert values(out) == {"execution.checkpointing.interval": "10 s", "parallelism.default": None, "rest.port": "8081"}
    (cluster,) = of(out, Block)
    assert cluster.open, "what stands in the list as a variable may set anything"


MANIFEST = """
resource "kubernetes_manifest" "job" {
  for_each = { for name, job in var.jobs : name => job }
  /* what the
     operator runs */
  manifest = {
    apiVersion = "flink.apache.org/v1beta1"
    kind       = "FlinkDeployment"
    metadata   = { name = "orders" }
    spec = {
      image        = "flink:${var.tag}"
      flinkVersion = "v1_19"
      flinkConfiguration = {
        "execution.checkpointing.interval" = "1 min" // often enough
        "state.checkpoints.dir"            = var.bucket == "" ? null : "s3://${var.bucket}/checkpoints"
        "parallelism.default"              = tostring(var.parallelism)
        "taskmanager.numberOfTaskSlots"    = 2,
      }
    }
  }
}
"""


def test_a_manifest() -> None:
    out = document(MANIFEST)
    found = {key: value for key, value in values(out).items() if not key.startswith("spec.")}
    assert found == {
        "execution.checkpointing.interval": "1 min",
        "state.checkpoints.dir": None,
        "parallelism.default": None,
        "taskmanager.numberOfTaskSlots": "2",
    }


def test_manifests_and_chart_values_as_texts() -> None:
    out = document(
        """
resource "kubectl_manifest" "job" {
  yaml_body = <<YAML
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: a}
spec:
  flinkVersion: v1_19
  flinkConfiguration:
    state.backend.type: rocksdb
YAML
}
resource "helm_release" "operator" {
  name = "flink"
  set {
    name  = "webhook.create"
    value = "false"
  }
  values = [
    yamlencode({ flinkConfiguration = { "state.savepoints.dir" = "s3://b/sp" } }),
    file("values.yaml"),
    <<-EOF
    defaultConfiguration:
      flink-conf.yaml: |+
        taskmanager.memory.process.size: 2g
    EOF
  ]
}
"""
    )
    found = values(out)
    assert (found["state.backend.type"], found["state.savepoints.dir"], found["taskmanager.memory.process.size"]) == (
        "rocksdb",
        "s3://b/sp",
        "2g",
    )


@pytest.mark.parametrize("behind", ["", "  ", "\t", "\r", "  \r"])
def test_blanks_behind_the_end_of_a_heredoc(behind: str) -> None:
    """Terraform passes over them (hclsyntax trims the line before it compares it)."""
    out = document(
        f'resource "aws_msk_configuration" "this" {{\n  server_properties = <<EOT\nmin.insync.replicas = 2\nEOT{behind}\n  name = "orders"\n}}\n'
    )
    assert (out.problems, values(out)) == ([], {"min.insync.replicas": "2"})


def test_arguments_of_a_glue_job() -> None:
    out = document(
        'resource "aws_glue_job" "s" {\n  default_arguments = {\n    "--conf" = "spark.executor.cores=2 --conf spark.sql.streaming.stopTimeout=10s"\n  }\n}\n'
    )
    assert values(out) == {"spark.executor.cores": "2", "spark.sql.streaming.stopTimeout": "10s"}


def test_an_application_of_amazons_managed_flink() -> None:
    out = document(
        """
resource "aws_kinesisanalyticsv2_application" "orders" {
  name                = "flink-orders"
  runtime_environment = "FLINK-1_18"
  application_configuration {
    flink_application_configuration {
      checkpoint_configuration {
        configuration_type  = "CUSTOM"
        checkpoint_interval = 120000
      }
    }
  }
}
"""
    )
    assert [(block.engine, block.role, block.trait("managed")) for block in of(out, Block)] == [("flink", "service", "aws-managed-flink")]
    assert values(out)["execution.checkpointing.interval"] == "120000"
    assert [(name, version) for _, name, version, _ in dependencies(out)] == [("flink", "1.18")]


def test_keys_and_values_that_are_not_written_out() -> None:
    out = document(
        """
resource "kubernetes_manifest" "job" {
  manifest = {
    apiVersion = "flink.apache.org/v1beta1"
    kind       = "FlinkDeployment"
    metadata   = { (var.key) = "x", name = ("orders") }
    spec = { flinkConfiguration = {
      "state.checkpoints.dir" : "$${BUCKET}/checkpoints"
      "restart-strategy.type" = var.fast ? "none" : "failure-rate"
      "parallelism.default" = ( 4 )
      (var.key) = "1"
    } }
  }
}
"""
    )
    assert blocks(out)[0][2] == "orders"
    assert {key: value for key, value in values(out).items() if "." in key and not key.startswith("spec.")} == {
        "state.checkpoints.dir": None,
        "restart-strategy.type": None,
        "parallelism.default": "4",
    }


@pytest.mark.parametrize("text", ['resource "x" "flink" { a = ' + "[" * 3000 + "]" * 3000 + " }", 'variable "flink" { type = number }'])
def test_what_says_nothing_is_left_alone(text: str) -> None:
    assert document(text).facts == []


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('resource "x" "flink" {\n  a == 1\n}', 3, "not valid HCL: `=` is not expected here"),
        ('resource "x" "flink" { a = "${b" }', 2, 'not valid HCL: `"` is not expected here'),
        ("variable flink {\n  default = 'a'\n}", 3, "not valid HCL: `'` is not expected here"),
        ('resource "kubernetes_config_map" "flink" {', 2, "not valid HCL: it ends within a block, a list or a text"),
        ('resource "x" "flink" { data = { "flink-conf.yaml" = <<EOT\na: b\n', 2, "not valid HCL: `<` is not expected here"),
        ('resource "x" "flink" {\n  a = [\n    1,  # one\n', 4, "not valid HCL: it ends within a block, a list or a text"),
    ],
)
def test_what_is_no_terraform_is_a_problem(text: str, line: int, said: str) -> None:
    out = reading("# main\n" + text, "terraform", "main.tf")
    assert out.facts == []
    assert [(problem.kind, problem.line, problem.message) for problem in out.problems] == [("unparsable", line, said)]


CONFIG = 'resource "kubernetes_config_map" "flink" {\n  data = {\n    "flink-conf.yaml" = "parallelism.default: 4"\n  }\n}\n'


def test_blocks_that_name_no_engine_are_not_parsed() -> None:
    out = document('variable "a" {\n  default == 1\n}\n' + CONFIG + 'output "b" {\n  value = [\n}\n')
    assert not out.problems
    assert values(out) == {"parallelism.default": "4"}


@pytest.mark.parametrize(
    ("before", "after", "read"),
    [
        ('locals {\n  text = <<EOT\nmodule "flink" {\nEOT\n}\n', "", True),  # what begins there is none of the file's blocks
        ("/*\n", "*/\n", False),
        ('/* as it was:\nvariable "a" {}\n', '\nvariable "b" {}\n*/\n', False),
        ('variable "a" {\n  default = "arn:aws:s3:::bucket/*"\n}\n', "", True),
    ],
)
def test_what_stands_in_texts_and_comments_is_no_block(before: str, after: str, read: bool) -> None:
    out = document(before + CONFIG + after)
    assert not out.problems
    assert ("parallelism.default" in values(out)) is read


@given(
    st.one_of(
        scraps("resource", '"flink"', "{", "}", "[", "]", "=", '"', "${", "<<EOT", "EOT", "\n", "#", "flink-conf.yaml", "a: b"), st.text()
    )
)
@settings(max_examples=200, deadline=None)
def test_anything_is_read(text: str) -> None:
    assert_sound(reading(text, "terraform", "main.tf"))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('message_retention_duration = "600s"', ["600s"]),
        ('message_retention_duration = "3600.5s"', ["3600.5s"]),
        ('message_retention_duration = "86400s"', []),
        ("message_retention_duration = var.retention", []),
        ('message_retention_duration = "600s"\n  push_config {\n    push_endpoint = "https://a"\n  }', []),
        ("ack_deadline_seconds = 60", []),
    ],
)
def test_how_long_a_subscription_keeps_messages(body: str, found: list[str]) -> None:
    out = document(f'resource "google_pubsub_subscription" "orders" {{\n  name = "orders"\n  {body}\n}}\n')
    assert [fact.detail for fact in out.facts if isinstance(fact, Oddity)] == found


@pytest.mark.parametrize(
    ("kind", "body", "found"),
    [
        ("job", 'on_delete = "cancel"\n parameters = { subscription = var.s }', "told"),
        ("job", "parameters = { subscription = var.s }", ""),
        ("flex_template_job", "parameters = { input_topic = var.s }", "by default"),
        ("flex_template_job", 'on_delete = "drain"\n parameters = { input_topic = var.s }', ""),
        ("flex_template_job", 'on_delete = "cancel"\n parameters = { output_topic = var.s }', ""),
        ("job", 'on_delete = "cancel"\n template_gcs_path = "gs://dataflow-templates/latest/Kafka_to_BigQuery"', "told"),
        ("job", 'on_delete = "cancel"\n template_gcs_path = "gs://dataflow-templates/latest/GCS_Text_to_Datastore"', ""),
    ],
)
def test_jobs_of_dataflow(kind: str, body: str, found: str) -> None:
    out = document(f'resource "google_dataflow_{kind}" "j" {{\n name = "j"\n {body}\n}}\n')
    assert [one.detail for one in of(out, Oddity)] == ([found] if found else [])


DEPLOYMENT = """
resource "kubernetes_deployment_v1" "kafka" {
  metadata {
    name   = "kafka"
    labels = { some_label = "x" }
  }
  spec {
    replicas = 1
    template {
      metadata { labels = { app = "kafka" } }
      spec {
        volume {
          name = "data"
          persistent_volume_claim { claim_name = "kafka" }
        }
        container {
          name  = "kafka"
          image = "confluentinc/cp-kafka:7.6.1"
          env {
            name  = "KAFKA_BROKER_ID"
            value = "1"
          }
          # between two of them
          volume_mount {
            name       = "data"
            mount_path = "/var/lib/kafka/data"
          }
          env {
            name  = "KAFKA_ADVERTISED_LISTENERS"
            value = "PLAINTEXT://kafka.${var.namespace}:9092"
          }
          %s
        }
      }
    }
  }
}
"""


def test_a_deployment_is_read_as_the_object_that_it_stands_for() -> None:
    text = DEPLOYMENT % ""
    out = document(text)
    (block,) = of(out, Block)
    assert (block.engine, block.role, block.name, block.open) == ("kafka", "broker", "kafka", False)
    assert (block.trait("kind"), block.trait("replicas")) == ("Deployment", "1")
    assert values(out) == {"broker.id": "1", "advertised.listeners": None}
    assert dependencies(out) == [("image", "confluentinc/cp-kafka", "7.6.1", True)]
    assert [(mount.path, mount.kind, mount.name) for mount in of(out, Mount)] == [("/var/lib/kafka/data", "pvc", "kafka")]
    told = next(one for one in of(out, Setting) if one.key == "broker.id")
    assert text[told.value_span.start : told.value_span.end] == "1"


def test_variables_that_are_put_together_may_say_more() -> None:
    out = document(DEPLOYMENT % 'dynamic "env" {\n for_each = var.env\n content {\n name = env.key\n value = env.value\n }\n }')
    assert [block.open for block in of(out, Block)] == [True]


def test_objects_without_anything_in_them() -> None:
    assert document('resource "kubernetes_pod" "flink" {\n}\n').facts == []
    assert document('resource "kubernetes_job" "flink" {\n  spec {\n    template {}\n  }\n}\n').facts == []


def test_brokers_of_amazon() -> None:
    out = document(
        'resource "aws_msk_configuration" "this" {\n  name = "orders"\n  kafka_versions = ["3.5.1"]\n  server_properties = <<-EOT\n'
        "    default.replication.factor = 3\n    min.insync.replicas = ${var.least}\n  EOT\n}\n"
    )
    (block,) = of(out, Block)
    assert (block.engine, block.role, block.name, block.open, block.trait("service")) == ("kafka", "broker", "orders", True, "msk")
    assert values(out) == {"default.replication.factor": "3", "min.insync.replicas": None}
    assert dependencies(out) == [("field", "kafka", "3.5.1", True)]
    assert document('resource "aws_msk_configuration" "this" {\n  server_properties = local.properties\n}\n').facts == []
    several = 'resource "aws_msk_configuration" "this" {\n  kafka_versions = ["3.5.1", "3.6.0"]\n  server_properties = "a.b=c"\n}\n'
    assert dependencies(document(several)) == []


_MERGED = """
resource "kubectl_manifest" "orders" {{
  yaml_body = yamlencode({{
    apiVersion = "flink.apache.org/v1beta1"
    kind       = "FlinkDeployment"
    metadata   = {{ name = "orders" }}
    spec = {{
      image        = "flink:1.20.1"
      flinkVersion = "v1_20"
      flinkConfiguration = {conf}
    }}
  }})
}}
"""


@pytest.mark.parametrize(
    ("conf", "known", "hides"),
    [
        ('{ "restart-strategy.type" = "none" }', True, False),
        ('merge({ "restart-strategy.type" = "none" }, { "parallelism.default" = "2" })', True, False),
        ('merge(var.more, { "restart-strategy.type" = "none" })', True, True),
        ('merge({ "restart-strategy.type" = "none" }, { "restart-strategy.type" = "fixed-delay" })', False, True),
        ("merge(local.base, var.more)", False, True),
        ("local.conf", False, True),
    ],
)
def test_what_is_merged_into_a_configuration(conf: str, known: bool, hides: bool) -> None:
    out = document(_MERGED.format(conf=conf))
    (block,) = (fact for fact in out.facts if isinstance(fact, Block))
    settings = {fact.key: fact.text for fact in out.facts if isinstance(fact, Setting) and fact.known}
    assert settings.get("restart-strategy.type") == ("none" if known else None)
    assert block.open == hides


@pytest.mark.parametrize("path", ["flink.yaml.tftpl", "helm-values/flink.yaml"])
def test_a_template_of_terraform_is_read_as_what_it_makes(path: str) -> None:
    text = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: ${name}
spec:
  flinkVersion: v1_20
  flinkConfiguration:
%{ if checkpoints ~}
    execution.checkpointing.interval: 10 mins
%{ endif ~}
    taskmanager.numberOfTaskSlots: "${slots}"
"""
    made = reading(text, classify(path), path)
    assert not made.problems and not made.left_out
    read = {fact.key: fact.text for fact in made.facts if isinstance(fact, Setting)}
    assert read["execution.checkpointing.interval"] == "10 mins" and read["taskmanager.numberOfTaskSlots"] == "${slots}"


def test_variables_and_modules_however_their_blocks_end() -> None:
    text = (
        'variable "topic" {\n  default = "orders"\n}\r\n'
        'variable "size" { default = 3 }\n'
        'module "job" {\n  source = "./job"\n  topic  = "clicks"\n}\n'
    )
    endless = 'variable "open" {\n' * 100_000  # each of them would be looked for to the end of the file
    found = [(fact.kind, fact.detail) for fact in document(text + endless).facts if isinstance(fact, Usage)]
    assert found == [
        ("terraform-variable", "topic=orders"),
        ("terraform-variable", "size=3"),
        ("terraform-given", "./job#source"),
        ("terraform-given", "./job#topic"),
    ]
