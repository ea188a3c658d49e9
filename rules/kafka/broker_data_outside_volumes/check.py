"""`log.dirs` of a broker in a container, against the volumes that are mounted there."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Mount
from shoal.job import Job
from shoal.jobs import questions
from shoal.lazy import pattern
from shoal.model import Finding

# Where an image's broker writes when its variables do not say. apache/kafka replaces its server.properties by what the variables say
# (KafkaDockerWrapper), so Kafka's own default holds there.
_DIRS = {
    "confluentinc/cp-kafka": "/var/lib/kafka/data",
    "confluentinc/cp-server": "/var/lib/kafka/data",
    "confluentinc/cp-enterprise-kafka": "/var/lib/kafka/data",
    "apache/kafka": "/tmp/kafka-logs",
    "apache/kafka-native": "/tmp/kafka-logs",
    "bitnami/kafka": "/bitnami/kafka/data",
    "bitnamilegacy/kafka": "/bitnami/kafka/data",
    "wurstmeister/kafka": "/kafka",
}
# A path that is there for records; /var/lib/kafka/data is also what the images of Confluent and Apache declare as a volume.
_FOR_DATA = pattern(
    r"/(?:var/lib/)?kafka(?:[-_/]data)?$|/data(?:/kafka)?$|/(?:tmp|kafka|data)/(?:kafka-logs|kraft-combined-logs)$|/bitnami(?:/kafka)?$"
)
_FILES = pattern(r"/config(?:/|$)|^/etc/kafka|\.properties$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose", "manifest")):
        storage = job.get(block, "spec.kafka.storage.type") if block.trait("operator") == "strimzi" else None
        if storage is not None and storage.known and storage.text.strip() == "ephemeral":
            message = "the broker's records are in a volume that ends with its pod: gone when it is replaced"
            yield context.finding(message, storage, confidence="low")
        mounts = [mount for mount in job.mounts if mount.block == block.id and mount.kind not in ("configMap", "secret")]
        written = job.written(block, "log.dirs") or job.written(block, "log.dir")
        if block.trait("tool") or not mounts or (written is not None and not written.known):
            continue
        where = written.text if written is not None else _default(job, block)
        for path in filter(None, (one.strip().rstrip("/") for one in where.split(","))):
            if verdict := _judge(mounts, path, block):
                message, mount, confidence = verdict
                related = [(written, "where the broker writes")] if written is not None else []
                yield context.finding(message, mount, related, confidence=confidence)
                break


def _default(job: Job, block: Block) -> str:
    """Where the image's broker writes by itself; empty when that is not known, or a file may say otherwise."""
    image = next(iter(job.images(block)), None)
    if image is None or block.open or block.trait("command"):
        return ""
    if any(mount.block == block.id and _FILES.search(mount.path) for mount in job.mounts):
        return ""
    return _DIRS.get(image.name, "")


def _judge(mounts: list[Mount], path: str, block: Block) -> tuple[str, Mount, str] | None:
    """What is wrong, where, and how sure that is; None where the path may last."""
    unit = "container" if block.form == "compose" else "pod"
    deepest = next(iter(questions.covering(mounts, path)), None)
    if deepest is not None:
        if deepest.kind not in questions.PASSING or block.form == "compose":
            return None
        return (
            f"the broker's records ({path}) are in a volume that ends with its pod ({deepest.kind}): gone when it is replaced",
            deepest,
            "low",
        )
    meant = next((mount for mount in mounts if _FOR_DATA.search(mount.path.rstrip("/")) and mount.kind not in questions.PASSING), None)
    if meant is None:
        return None
    return f"the broker writes to {path}, not to {meant.path}: its records are gone when the {unit} is made anew", meant, ""
