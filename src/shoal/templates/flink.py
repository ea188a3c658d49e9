"""What several Flink rules ask of a block: whether it checkpoints, where to, with what high availability, and who runs it."""

from __future__ import annotations

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.records import NamedTuple
from shoal.templates.common import lookup
from shoal.values import NANOS_PER_SECOND, Bad, Duration
from shoal.values.flink import parse_duration, parse_long

# Names of Flink's own image.
STOCK = ("flink", "apache/flink", "library/flink")
INTERVAL = "execution.checkpointing.interval"
CHECKPOINT_DIR = "execution.checkpointing.dir"
SAVEPOINT_DIR = "execution.checkpointing.savepoint-dir"
STORAGE = "execution.checkpointing.storage"
BACKEND = "state.backend.type"
HA_TYPE = "high-availability.type"
HA_DIR = "high-availability.storageDir"
# Keys that a user writes only for a job that checkpoints.
_INTENT = (
    INTERVAL,
    "execution.checkpointing.mode",
    "execution.checkpointing.incremental",
    "execution.checkpointing.externalized-checkpoint-retention",
    "execution.checkpointing.min-pause",
    "execution.checkpointing.unaligned.enabled",
    "execution.checkpointing.num-retained",
)
# Read when a process of the cluster starts, and by nobody else. Options of the same scope that a client reads too are left out.
READ_AT_START = (
    "taskmanager.memory.",
    "taskmanager.numberOfTaskSlots",
    "jobmanager.memory.",
    "high-availability.",
    "blob.",
    "historyserver.",
    "kubernetes.jobmanager.",
    "kubernetes.taskmanager.",
    "metrics.reporter.",
    "web.",
)
# File systems that one machine has for itself, or that only tests use.
LOCAL_SCHEMES = ("file",)
# The artifacts of the Kafka connector, as `readers.versions` names them.
KAFKA_CONNECTORS = ("flink-connector-kafka", "flink-sql-connector-kafka")


def interval(job: Job, block: Block) -> Setting | None:
    """The setting that turns checkpointing on, if one surely does; a value that cannot be known counts as on."""
    found = lookup(job, block, INTERVAL)
    if found is None or not found.known:
        return found
    length = parse_duration(found.text)
    return None if isinstance(length, Bad) or length.nanos == 0 else found


def intent(job: Job, block: Block) -> Setting | None:
    """The first setting which shows that the jobs of this block are meant to checkpoint."""
    if found := interval(job, block):
        return found
    for key in _INTENT[1:]:
        found = lookup(job, block, key)
        if found is not None and found.text.strip().lower() != "false":
            return found
    return None


def whole(setting: Setting | None) -> int | None:
    """The whole number a setting holds, as Flink reads one; None when it is not set, not known or not a number."""
    if setting is None or not setting.known:
        return None
    value = parse_long(setting.text.strip())
    return None if isinstance(value, Bad) else value


class Restarts(NamedTuple):
    """The restart strategy `fixed-delay` of a block."""

    attempts: Setting
    times: int
    delay: Setting | None
    pause: Duration
    """The delay between two attempts; Flink's default, 1 s, where none is set."""

    @property
    def covers(self) -> list[Setting]:
        return [self.delay] if self.delay is not None else []


def fixed_delay(job: Job, block: Block) -> Restarts | None:
    """How often and how fast a block restarts its jobs; None when it says no number, names another strategy, or can't be read."""
    attempts = job.get(block, "restart-strategy.fixed-delay.attempts")
    count = whole(attempts)
    if attempts is None or count is None:
        return None
    kind = lookup(job, block, "restart-strategy.type")
    if kind is not None and kind.known and kind.text.strip().lower() not in ("fixed-delay", "fixeddelay"):
        return None
    delay = lookup(job, block, "restart-strategy.fixed-delay.delay")
    if delay is None:
        return Restarts(attempts, count, None, Duration(NANOS_PER_SECOND))
    pause = parse_duration(delay.text) if delay.known else None
    return Restarts(attempts, count, delay, pause) if isinstance(pause, Duration) else None


def capacity_extreme(room: int) -> str:
    """What an async operator with room for so many open requests comes to; empty where that is nothing to speak of."""
    if room == 1:
        return "room for one request: they go out one after the other, each record waits for the answer to the one before"
    if room >= 10_000:
        return f"up to {room} open requests: their records are part of each checkpoint, and are all asked for again at once after a restore"
    return ""


def ha_mode(job: Job, block: Block) -> str:
    """`zookeeper`, `kubernetes`, a factory class, `none`, or `?` when it cannot be known; lower case."""
    found = lookup(job, block, HA_TYPE)
    if found is None:
        return "?" if block.open else "none"
    if not found.known:
        return "?"
    value = found.text.strip().strip("\"'").lower()
    return "kubernetes" if value.endswith(".kuberneteshaservicesfactory") else value


def scheme(path: str) -> str:
    """The scheme of a path, lower case; empty when it has none."""
    head, sign, _ = path.strip().partition(":")
    return head.lower() if sign and head.replace("+", "").replace("-", "").isalnum() and len(head) > 1 else ""


def local_path(value: str) -> str:
    """The path on the machine that a value names (`file:///tmp/x`, `/tmp/x`); empty for a remote one."""
    text = value.strip()
    if scheme(text) in LOCAL_SCHEMES:
        rest = text.partition(":")[2]
        return "/" + rest.lstrip("/") if rest.startswith("/") else rest
    return "" if scheme(text) else text


def by_operator(block: Block) -> bool:
    """Whether Apache's Kubernetes operator runs the block: it checks the resource and fills in defaults of its own."""
    return block.trait("operator") == "apache"


def runs_job(job: Job, block: Block) -> bool:
    """Whether a resource of the operator describes a job, and not just a session cluster."""
    return any(setting.key.startswith("spec.job.") for setting in job.of(block))


def session_cluster(job: Job, block: Block) -> Block | None:
    """The one session cluster that a session job names; None when it is not to be seen."""
    named = lookup(job, block, "spec.deploymentName")
    if named is None or not named.known:
        return None
    found = [other for other in job.select("flink", ("deployment",)) if other.name == named.text.strip()]
    return found[0] if len(found) == 1 else None


def on_kubernetes(block: Block) -> bool:
    return block.form in ("manifest", "configmap")


def masters(job: Job, blocks: list[Block]) -> list[Block]:
    """The blocks of job managers where services carry separate copies; all blocks where none says what it is."""
    known = [block for block in blocks if block.trait("role") == "jobmanager"]
    rest = [block for block in blocks if not block.trait("role")]
    return known + rest if known else blocks
