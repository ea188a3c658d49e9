"""Who else sets options of a job: managed services, some of which configure checkpointing, storage and recovery by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shoal.facts import Block, Dependency, Fact, Setting
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern

AMAZON = "Amazon Managed Service for Apache Flink"
_AMAZON_FILE = pattern(r"(?:flink-)?application[-_]properties(?:[-_.][\w-]+)?\.json", re.IGNORECASE)
_AMAZON_NAME = pattern(r"kinesis-?analytics|managed-flink|managed-service-for-apache-flink", re.IGNORECASE)
_PLATFORMS = {"emr": "Amazon EMR", "dataproc": "Google Dataproc", "databricks": "Databricks", "glue": "AWS Glue"}


# What a service sets by itself, in words.
BRINGS = {
    AMAZON: "a checkpoint every minute and 5 s between two (unless its CheckpointConfiguration is CUSTOM), their storage, high availability",
    "Confluent Cloud": "checkpoints, their storage, restarts",
    "Ververica Platform": "checkpoints, their storage",
    "Amazon EMR": "versions of its release and Hadoop's file systems; no checkpoints of Flink, no checkpoint location of Spark",
    "Google Dataproc": "versions of its image; no checkpoints of Flink, no checkpoint location of Spark",
    "Databricks": "the runtime's own Spark, restarts of continuous jobs; no checkpoint location",
    "AWS Glue": "versions of its release; no checkpoint location",
}


def names_service(path: str) -> bool:
    """Whether a file's name alone says that a managed service runs what stands beside it."""
    return path[-5:].lower() == ".json" and _AMAZON_FILE.fullmatch(path.rpartition("/")[2]) is not None


def outside(facts: Iterable[Fact], paths: tuple[str, ...], service_files: Iterable[str]) -> str:
    """The managed service a job runs on, as its facts and the files beside it say; empty when nothing does.

    `service_files` are the files of the run whose names say so (`names_service`), sorted out once: there are many jobs.
    """
    folders = {folder_of(path) for path in paths[:1]}
    for path in service_files:
        folder = folder_of(path)
        if any(folder == at or folder.startswith(f"{at}/" if at else "\0") for at in folders):
            return AMAZON
    for fact in facts:
        if isinstance(fact, Dependency) and _AMAZON_NAME.search(fact.name):
            return AMAZON
        if isinstance(fact, Setting) and fact.known and fact.key == "connector" and fact.text.strip().lower() == "confluent":
            return "Confluent Cloud"
        if isinstance(fact, Block):
            if fact.trait("managed") == "aws-managed-flink":
                return AMAZON
            if fact.form == "bundle":
                return "Databricks"
            if service := _PLATFORMS.get(fact.trait("platform")):
                return service
            if "ververica.com" in fact.trait("apiVersion") or fact.trait("operator") == "ververica":
                return "Ververica Platform"
    return ""


def sets_checkpointing(service: str) -> bool:
    """Whether a managed service turns checkpointing on and gives it durable storage without being asked."""
    return service in (AMAZON, "Confluent Cloud", "Ververica Platform")
