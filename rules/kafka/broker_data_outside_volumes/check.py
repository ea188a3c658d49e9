"""`log.dirs` of a broker in a container, against the volumes that are mounted there, and a broker without any beside what has one."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Mount, Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.templates.kafka import broker_image

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
# Images that set log.dirs themselves where they are not told it, and that wins over log.dir.
# Source: `configure` in the image (confluentinc/kafka-images).
_SETS_DIRS = frozenset(name for name in _DIRS if name.startswith("confluentinc/"))
# A path that is there for records; /var/lib/kafka/data is also what the images of Confluent and Apache declare as a volume.
_FOR_DATA = pattern(
    r"/(?:var/lib/)?kafka(?:[-_/]data)?$|/data(?:/kafka)?$|/(?:tmp|kafka|data|var/lib)/(?:kafka-logs|(?:kraft|kafka)-combined-logs)$|/bitnami(?:/kafka)?$"
)
# What these images declare as a volume: Docker puts one without a name there, also over a volume that is mounted above it.
_DECLARED = {"confluentinc": "/var/lib/kafka/data", "apache": "/var/lib/kafka/data"}
# All of them, of the image apache/kafka. Source: VOLUME in docker/jvm/Dockerfile of Kafka.
_DECLARED_BY_APACHE = frozenset(("/etc/kafka/secrets", "/var/lib/kafka/data", "/mnt/shared/config"))
# Since this release a broker notes the cluster's id beside its records.
_KEEPS_CLUSTER_ID = "2.4"
_OF_BROKER = pattern(r"kafka|broker")
_STORAGE = pattern(r"spec\.(?:(kafka|zookeeper)\.)?storage\.(?:volumes\.\d+\.)?type")
_TEMPORARY = pattern(r"(?:/var)?/tmp(?:/|$)")
_STATE = pattern(r"checkpoint|savepoint")
_FILES = pattern(r"/(?:kafka|shared)/config(?:/|$)|^/etc/kafka(?!/secrets)|\.properties$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    yield from _with_the_pod(job, context)
    yield from _metadata(job, context)
    for block in job.select("kafka", ("broker",), ("compose", "manifest")):
        storage = job.get(block, "spec.kafka.storage.type") if block.trait("operator") == "strimzi" else None
        mounts = [mount for mount in job.mounts if mount.block == block.id and mount.kind not in ("configMap", "secret")]
        image = broker_image(job, block)
        written = job.written(block, "log.dirs") or (None if image in _SETS_DIRS else job.written(block, "log.dir"))
        if block.trait("tool") or (written is not None and not written.known):
            continue
        where = written.text if written is not None else _default(job, block)
        paths = list(filter(None, (one.strip().rstrip("/") for one in where.split(","))))
        verdict = (
            next(filter(None, (_judge(mounts, path, block, image, told=written is not None) for path in paths)), None) if mounts else None
        )
        if verdict is not None:
            message, mount, confidence = verdict
            related: list[tuple[Setting | Place, str]] = [(written, "where the broker writes")] if written is not None else []
            if written is None and (passed_over := job.written(block, "log.dir")) is not None:
                related.append((passed_over, "the image sets log.dirs, which wins over this"))
            declared = [one.place for one in job.usages("passing-volume") if one.block == block.id and one.detail == mount.path]
            related += [(place, "this ends with the pod") for place in declared]
            if (told := job.written(block, "spec.container-image")) is not None:
                related.append((told, "its image"))
            yield context.finding(message, mount, related, confidence=confidence)
        elif storage is None and _bare(job, block, mounts, paths):
            yield from _lost_alone(job, context, block, written)
        elif block.form == "compose" and paths:
            yield from _without_its_zookeeper(job, context, block, mounts, paths)
    for oddity in job.oddities:
        if oddity.kind == "zookeeper-volume-covered":
            message = f"the image declares {oddity.detail} as a volume, over which containerd puts an empty folder of the container's own at each start: what ZooKeeper knows of topics is not in what is mounted at {oddity.subject}, and gone when the container is restarted"
            yield context.finding(message, oddity)
        elif oddity.kind == "zookeeper-data-passing":
            message = f"ZooKeeper's data ({oddity.subject}) are in a volume that ends with its pod: the next pod knows no topics and has another cluster id, with which running brokers refuse to work"
            yield context.finding(message, oddity, oddity.related, confidence="low")


def _without_its_zookeeper(job: Job, context: Context, block: Block, mounts: list[Mount], paths: list[str]) -> Iterator[Finding]:
    """A broker whose records last, and whose ZooKeeper begins anew with each container."""
    kept = next((mount for path in paths for mount in questions.covering(mounts, path) if mount.kind in ("named", "bind")), None)
    connect = job.written(block, "zookeeper.connect")
    version = job.version("kafka", block)
    if kept is None or connect is None or not connect.known or job.written(block, "process.roles") is not None:
        return
    if version is not None and not version.at_least(_KEEPS_CLUSTER_ID):
        return
    asked = {address.partition(":")[0].strip() for address in connect.text.partition("/")[0].split(",")}
    passing = [usage for usage in job.usages("passing-zookeeper") if usage.place.path == block.place.path]
    for usage in passing:
        if asked <= set(json.loads(usage.detail)):
            message = "ZooKeeper's data are in no volume that is mounted again: after `docker compose down` it gives the cluster another id, with which the broker that kept its records refuses to start"
            yield context.finding(message, usage.place, [(kept, "the records stay")], confidence="medium")


def _with_the_pod(job: Job, context: Context) -> Iterator[Finding]:
    """Resources of Strimzi whose brokers are given ephemeral volumes: one for all, or one of several."""
    for block in [*job.select("kafka", ("broker",), ("manifest",)), *job.select("kubernetes", ("kafkanodepool",))]:
        told: set[str | None] = set()
        for setting in job.of(block) if block.trait("operator") == "strimzi" else ():
            found = _STORAGE.fullmatch(setting.key)
            if found is None or found[1] in told or not setting.known or setting.text.strip() != "ephemeral":
                continue
            told.add(found[1])
            kept = "the controllers' metadata of the cluster" if block.trait("roles") == "controller" else "the broker's records"
            kept = "what ZooKeeper knows of topics and users, and the cluster's id," if found[1] == "zookeeper" else kept
            yield context.finding(f"{kept} are in a volume that ends with its pod: gone when it is replaced", setting, confidence="low")


def _metadata(job: Job, context: Context) -> Iterator[Finding]:
    """Controllers of a compose file without a volume, beside brokers of the same quorum that have one."""
    blocks = [block for block in job.select("kafka", ("broker",), ("compose",)) if not block.trait("tool") and not block.open]
    voters = {
        block.id: (block.place.path, found.text)
        for block in blocks
        if (found := job.written(block, "controller.quorum.voters")) is not None
    }
    kept = {
        voters[mount.block]: mount
        for block in blocks
        for mount in job.mounts
        if mount.block == block.id and block.id in voters and mount.kind == "named" and not _only_controls(job, block)
    }
    for block in blocks:
        volume = kept.get(voters.get(block.id, ("", "")))
        if volume is None or not _only_controls(job, block) or not _DIRS.get(broker_image(job, block)):
            continue
        if any(mount.block == block.id and not _FILES.search(mount.path) for mount in job.mounts):
            continue
        del kept[voters[block.id]]  # the others look the same
        message = "the controller keeps the cluster's metadata in no volume: when its container is removed no topic is known any more, though the brokers' records stay"
        yield context.finding(message, block, [(volume.place, "this stays")], confidence="medium")


def _only_controls(job: Job, block: Block) -> bool:
    roles = job.written(block, "process.roles")
    return roles is not None and roles.text.strip() == "controller"


def _bare(job: Job, block: Block, mounts: list[Mount], paths: list[str]) -> bool:
    """Whether the broker surely has no volume for its records; an image's own volume goes with the container."""
    variables_alone = block.trait("hidden") == "variables"  # these may name another directory, and add no volume
    if (block.open and not variables_alone) or not (broker_image(job, block) or _is_built(job, block)) or _only_controls(job, block):
        return False
    if block.form == "manifest" and block.trait("kind") not in ("Deployment", "StatefulSet"):
        return False
    lasting = [mount for mount in mounts if mount.kind != "emptyDir"]
    return not any(questions.covering(lasting, path) for path in paths) if paths and not block.open else not lasting


_OF_BROKERS = ("node.id", "broker.id", "process.roles", "listeners", "zookeeper.connect")


def _is_built(job: Job, block: Block) -> bool:
    """Whether the image is built from a Dockerfile: whatever that holds, a volume that it declares has no name, and the variables are a broker's."""
    built = any((entry.kind, entry.block) == ("build", block.id) for entry in job.entries)
    return built and any(job.written(block, key) is not None for key in _OF_BROKERS)


def _lost_alone(job: Job, context: Context, block: Block, written: Setting | None) -> Iterator[Finding]:
    """A demonstration, as compose files often are, keeps nothing; where what was made of the records lasts, they are missed."""
    path = block.place.path
    unused = [usage for usage in job.usages("unused-volume") if usage.place.path == path]
    kept = [
        (mount.place, f"the volume {mount.name}")
        for mount in job.mounts
        if mount.kind in ("named", "pvc") and mount.place.path == path and _STATE.search(mount.path)
    ]
    stores = [(usage.place, usage.detail) for usage in job.usages("keeps-data") if usage.place.path == path]
    kept += sorted(stores, key=lambda store: "source" in store[1])  # what records are made of is less of a loss
    when = "the container is removed (`docker compose down`)" if block.form == "compose" else "its pod is replaced"
    lost = f"the broker's records and offsets are in no volume: they are gone when {when}"
    at = written if written is not None else block
    if unused:
        names = f"{unused[0].detail}, which is declared for them, is mounted nowhere"
        yield context.finding(f"{lost}; {names}", at, [(unused[0].place, "mounted nowhere")])
    elif kept:
        place, name = kept[0]
        yield context.finding(f"{lost}, while what {name} holds stays", at, [(place, "this stays")], confidence="low")
    elif block.form == "manifest" or (written is not None and _TEMPORARY.match(written.text.strip())):
        yield context.finding(lost, at, confidence="low")


def _default(job: Job, block: Block) -> str:
    """Where the image's broker writes by itself; empty when that is not known, or a file may say otherwise."""
    if block.open or block.trait("command"):
        return ""
    own = [mount for mount in job.mounts if mount.block == block.id]
    # who gives each path that the image declares a volume of its own fills none of them
    each = {mount.path.rstrip("/") for mount in own if mount.kind == "named"} >= _DECLARED_BY_APACHE
    if any(_FILES.search(mount.path) and not (each and mount.path.rstrip("/") in _DECLARED_BY_APACHE) for mount in own):
        return ""
    return _DIRS.get(broker_image(job, block), "")


def _is_for_records(mount: Mount) -> bool:
    """By its path; a folder of the project that is mounted at /data is more often there for what is sent to topics."""
    path = mount.path.rstrip("/")
    return bool(_FOR_DATA.search(path)) and (path != "/data" or mount.kind != "bind" or bool(_OF_BROKER.search(mount.name)))


def _judge(mounts: list[Mount], path: str, block: Block, image: str, *, told: bool) -> tuple[str, Mount, str] | None:
    """What is wrong, where, and how sure that is; None where the path may last. `told` is whether the path is written there, and not the image's own."""
    unit = "container" if block.form == "compose" else "pod"
    deepest = next(iter(questions.covering(mounts, path)), None)
    if deepest is not None:
        if block.form == "compose" and deepest.kind == "emptyDir":
            return f"the broker's records ({path}) are in a tmpfs, which is memory: gone with each stop of the container", deepest, "low"
        declared = _DECLARED.get(image.partition("/")[0], "")
        above = (path == declared or path.startswith(f"{declared}/")) and len(deepest.path.rstrip("/")) < len(declared)
        if above and block.form == "compose":
            return (
                f"the image declares {declared} as a volume, so a nameless one is put over what is mounted at {deepest.path}: the records are not in "
                f"{deepest.name}, and gone when the container is removed (mount it at {declared})",
                deepest,
                "",
            )
        if above and deepest.kind not in questions.PASSING:
            return (
                f"the image declares {declared} as a volume, over which containerd puts an empty folder of the container's own at each start: the records are "
                f"not in what is mounted at {deepest.path}, and gone when the container is restarted (mount it at {declared})",
                deepest,
                "",
            )
        if image == "wurstmeister/kafka" and not told and not block.trait("hostname") and block.form == "compose":
            return (
                f"the broker writes to {path}/kafka-logs-$HOSTNAME, and each new container has another name: it begins with an empty folder beside "
                "the old one (set hostname, or KAFKA_LOG_DIRS)",
                deepest,
                "",
            )
        if deepest.kind not in questions.PASSING or block.form == "compose":
            return None
        return (
            f"the broker's records ({path}) are in a volume that ends with its pod ({deepest.kind}): gone when it is replaced",
            deepest,
            "low",
        )
    meant = next((mount for mount in mounts if mount.kind not in questions.PASSING and _is_for_records(mount)), None)
    if meant is None:
        return None
    return f"the broker writes to {path}, not to {meant.path}: its records are gone when the {unit} is made anew", meant, ""
