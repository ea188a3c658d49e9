"""Who else sets options of a job: managed services, some of which configure checkpointing, storage and recovery by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from shoal.facts import Block, Dependency, Fact, Setting
from shoal.jobs.boundaries import above, folder_of
from shoal.lazy import pattern
from shoal.paths import Paths
from shoal.records import NamedTuple

AMAZON = "Amazon Managed Service for Apache Flink"
DATABRICKS = "Databricks"
DECODABLE = "Decodable"
_AMAZON_FILE = pattern(r"(?:flink-)?application[-_]properties(?:[-_.][\w-]+)?\.json", re.IGNORECASE)
_DECODABLE_FILE = pattern(r"decodable[-_]resources\.ya?ml", re.IGNORECASE)
_AMAZON_NAME = pattern(r"kinesis-?analytics|managed-flink|managed-service-for-apache-flink", re.IGNORECASE)
_PLATFORMS = {"emr": "Amazon EMR", "dataproc": "Google Dataproc", "databricks": DATABRICKS, "glue": "AWS Glue"}


class Service(NamedTuple):
    """What a managed service sets by itself: `brings` in words.

    `checkpoints` says that it turns them on and gives them durable storage, `files` what a path without a scheme is on: `dbfs`, `hdfs`,
    or empty where nothing is known of it.
    """

    brings: str
    checkpoints: bool = False
    files: str = ""


SERVICES = {
    AMAZON: Service(
        "a checkpoint every minute and 5 s between two (unless its CheckpointConfiguration is CUSTOM), their storage, high availability",
        checkpoints=True,
    ),
    "Confluent Cloud": Service("checkpoints, their storage, restarts", checkpoints=True),
    "Ververica Platform": Service("checkpoints, their storage", checkpoints=True),
    "Amazon EMR": Service(
        "versions of its release and Hadoop's file systems (HDFS for a path without a scheme, gone with the cluster); no checkpoints of Flink, "
        "no checkpoint location of Spark",
        files="hdfs",
    ),
    "Google Dataproc": Service(
        "versions of its image and Hadoop's file systems (HDFS for a path without a scheme, gone with the cluster); no checkpoints of Flink, "
        "no checkpoint location of Spark",
        files="hdfs",
    ),
    DATABRICKS: Service(
        "the runtime's own Spark, restarts of continuous jobs, durable storage below DBFS (a path without a scheme) and /Volumes; "
        "no checkpoint location",
        files="dbfs",
    ),
    DECODABLE: Service("the cluster that a program runs on; of its checkpoints nothing is known here"),
    "AWS Glue": Service("versions of its release; no checkpoint location"),
}
_NONE = Service("")


def service(name: str) -> Service:
    """What the service of this name brings; nothing for one that is not known, or for none."""
    return SERVICES.get(name, _NONE)


def named_service(name: str) -> str:
    """The managed service that runs what stands beside a file, as its name alone says; empty when it says none."""
    if name[-5:].lower() == ".json":
        return AMAZON if _AMAZON_FILE.fullmatch(name) else ""
    return DECODABLE if name[:1] in "dD" and _DECODABLE_FILE.fullmatch(name) else ""


def service_folders(paths: Paths) -> dict[str, str]:
    """The folders in or below which files stand whose names say who runs them (`named_service`), each with that; the root only for files in it."""
    found: dict[str, str] = {}
    for path in paths.named(named_service):
        folder, _, name = path.rpartition("/")
        found.update((at, named_service(name)) for at in above(folder) if at or not folder)
    return found


def outside(facts: Iterable[Fact], paths: tuple[str, ...], services: Mapping[str, str]) -> str:
    """The managed service a job runs on, as its facts and the files beside it say; empty when nothing does.

    `services` are the `service_folders` of the run.
    """
    if paths and (named := services.get(folder_of(paths[0]))):
        return named
    for fact in facts:
        if isinstance(fact, Setting):  # most facts are
            if fact.key == "connector" and fact.known and fact.text.strip().lower() == "confluent":
                return "Confluent Cloud"
        elif isinstance(fact, Dependency):
            if _AMAZON_NAME.search(fact.name):
                return AMAZON
        elif isinstance(fact, Block):
            if fact.trait("managed") == "aws-managed-flink":
                return AMAZON
            if fact.form == "bundle":
                return DATABRICKS
            if platform := _PLATFORMS.get(fact.trait("platform")):
                return platform
            if "ververica.com" in fact.trait("apiVersion") or fact.trait("operator") == "ververica":
                return "Ververica Platform"
    return ""
