"""Variables of a Terraform module: their defaults are in force where nothing in the run says otherwise."""

from __future__ import annotations

from shoal.job import Job

from .conftest import Finder

MAIN = """
    resource "aws_kinesisanalyticsv2_application" "orders" {
      name                = "orders"
      runtime_environment = "FLINK-1_20"
      application_configuration {
        application_snapshot_configuration {
          snapshots_enabled = var.snapshots
        }
      }
    }
"""
BROKERS = """
    resource "aws_msk_configuration" "brokers" {
      name              = "brokers"
      server_properties = <<EOT
min.insync.replicas=${var.insync}
log.retention.ms=${var.days * 86400000}
num.partitions=${var.partitions}
EOT
    }
"""
VARIABLES = """
    variable "snapshots" {
      type    = bool
      default = false # of flink
    }
    variable "insync" { default = "2" }
    variable "days" {
      default = 7
    }
    variable "partitions" {
      type = number
    }
"""


def known(jobs: list[Job]) -> dict[str, str]:
    return {one.key.rpartition(".")[2]: one.text for job in jobs for one in job.settings if one.known and one.sure == "default"}


def test_defaults_are_filled_in(find: Finder) -> None:
    jobs = find({"flink/main.tf": MAIN, "flink/brokers.tf": BROKERS, "flink/variables.tf": VARIABLES}, kinds=("job", "cluster", "file"))
    assert known(jobs) == {"SnapshotsEnabled": "false", "replicas": "2"}
    members = [[member.path for member in job.members] for job in jobs]
    assert ["flink/main.tf", "flink/variables.tf"] in members and ["flink/brokers.tf", "flink/variables.tf"] in members


def test_what_a_call_of_the_module_sets_is_not_known(find: Finder) -> None:
    call = 'module "flink" {\n  source    = "./flink"\n  snapshots = local.production\n}\n'
    assert not known(find({"flink/main.tf": MAIN, "flink/variables.tf": VARIABLES, "main.tf": call}))


def test_variables_of_another_folder_are_others(find: Finder) -> None:
    assert not known(find({"flink/main.tf": MAIN, "variables.tf": VARIABLES}))
