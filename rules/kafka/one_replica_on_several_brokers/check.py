"""Replication factors of 1 of brokers, topics and Connect's workers, against how many brokers a Strimzi cluster, a compose file or a folder of
properties files has, or a worker's own file names."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.templates.kafka import amount, compose_brokers, topics
from shoal.templates.strimzi import clusters_of, is_whole, is_whole_cluster

_FACTORS = {
    "offsets.topic.replication.factor": "what its groups have read is not known, and they wait",
    "transaction.state.log.replication.factor": "transactions wait",
    "default.replication.factor": "a part of each topic cannot be read or written, and is lost with its disk",
}
_CONNECT = "what Connect keeps of its connectors, where they stopped among it, cannot be read or written, and is lost with a disk"
_STORES = dict.fromkeys((f"{store}.storage.replication.factor" for store in ("config", "offset", "status")), _CONNECT)
_BOOTSTRAP = "-kafka-bootstrap"
_FEWEST = 2
# Topics whose records are in an object store and on no broker's disk: any broker serves them, and their factor is 1.
_APART = ("spec.config.diskless.enable", "spec.config.inkless.enable")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, brokers, sure in (*_resources(job), *_containers(job), *_files(job), *_workers(job)):
        factors = _STORES if block.role == "worker" else _FACTORS
        once = [(key, setting) for one in (block, *_siblings(job, block)) for key, setting in _once(job, one, factors)]
        if brokers >= _FEWEST and once:
            (key, first), *others = once
            message = f"while one of {brokers} brokers is down, {factors[key]}: {key} is 1"
            sure = sure if brokers > _FEWEST else "low"  # of two the second may be there for its disk alone
            yield context.finding(message, first, [(other, "this too") for _, other in others], confidence=sure)
        elif brokers >= _FEWEST and block.role == "broker" and (offsets := _left_alone(job, block)) is not None:
            message = f"a topic that is made without a number of replicas is kept once, on one of {brokers} brokers: default.replication.factor is left at 1"
            yield context.finding(message, offsets, severity="info", confidence="low")
    yield from _of_templates(job, context)
    silent: dict[tuple[str, str], list[Block]] = {}
    for topic in job.select("kubernetes", ("kafkatopic",)):
        replicas, clusters = amount(job, topic, "spec.replicas"), clusters_of(job, topic)
        brokers = min((_brokers(job, cluster) for cluster in clusters), default=0)
        apart = any((found := job.get(topic, key)) is not None and found.text == "true" for key in _APART)
        if brokers < _FEWEST or apart:
            continue
        if replicas.setting is not None and replicas.value == 1:
            message = f"the topic is kept once, on one of {brokers} brokers: while that one is down it cannot be read or written, and it is lost with its disk"
            yield context.finding(message, replicas.setting, confidence="low")
        elif _says_nothing(job, topic) and all(_once_by_default(job, cluster) for cluster in clusters):
            silent.setdefault((topic.place.path, topic.trait("cluster")), []).append(topic)
    yield from _made(job, context)
    for (_, cluster), quiet in silent.items():
        which = "the topic is" if len(quiet) == 1 else f"{len(quiet)} topics of this file are"
        message = f"{which} kept once, on one of several brokers: no number of replicas is given, and default.replication.factor of {cluster} is left at 1"
        yield context.finding(message, job.get(quiet[0], "spec.partitions") or quiet[0], confidence="low")


def _of_templates(job: Job, context: Context) -> Iterator[Finding]:
    """A template of a broker's file that leaves the broker's number to each host, and says how often topics are kept itself."""
    for block in job.select("kafka", ("broker",), ("properties",)):
        number = job.written(block, "broker.id") or job.written(block, "node.id")
        joined = job.written(block, "zookeeper.connect") or job.written(block, "controller.quorum.voters")
        if number is None or joined is None or number.known or "{{" not in number.text or joined.known:
            continue
        if once := _once(job, block, _FACTORS):
            (key, first), *others = once
            related = [(number, "each broker has another"), *((other, "this too") for _, other in others)]
            message = f"of the brokers that this template is for, while one is down, {_FACTORS[key]}: {key} is 1"
            yield context.finding(message, first, related, confidence="low")


def _made(job: Job, context: Context) -> Iterator[Finding]:
    """Topics that programs and commands make with one replica, where each compose file with a broker has several of its own; one finding for a file."""
    paths = dict.fromkeys(block.place.path for block in job.select("kafka", ("broker",), ("compose",)))
    counts = [len(compose_brokers(job.in_file(path))[0]) for path in paths]
    if not counts or min(counts) < _FEWEST:
        return
    once: dict[str, list[Setting]] = {}
    for topic in topics(job):
        if not topic.prefix and topic.block.form != "terraform" and topic.replicas.setting is not None and topic.replicas.value == 1:
            once.setdefault(topic.block.place.path, []).append(topic.replicas.setting)
    for first, *others in once.values():
        which = "the topic is" if not others else f"{len(others) + 1} topics of this file are"
        message = f"{which} made with one replica, on one of {min(counts)} brokers: while that one is down it cannot be written, and it is lost with its disk"
        yield context.finding(message, first, [(other, "this too") for other in others], confidence="low")


def _once(job: Job, block: Block, factors: dict[str, str]) -> list[tuple[str, Setting]]:
    return [(key, found.setting) for key in factors if (found := amount(job, block, key)).setting is not None and found.value == 1]


def _siblings(job: Job, block: Block) -> list[Block]:
    """The other brokers of a broker's own compose file, or of the folder of its properties file."""
    if block.form == "properties" and block.role == "broker":
        return next(([one for one in group if one.id != block.id] for group in _of_folders(job) if block in group), [])
    if block.form != "compose" or block.role != "broker":
        return []
    return [one for one in compose_brokers(job.in_file(block.place.path))[0] if one.id != block.id]


def _says_nothing(job: Job, topic: Block) -> bool:
    """Whether all of a topic can be seen, and nothing says how often it is kept; what gives no number of partitions may be a patch."""
    return not topic.open and job.get(topic, "spec.partitions") is not None and job.get(topic, "spec.replicas") is None


def _once_by_default(job: Job, cluster: Block) -> bool:
    return is_whole_cluster(job, cluster) and amount(job, cluster, "default.replication.factor", 1) == (None, 1)


def _left_alone(job: Job, block: Block) -> Setting | None:
    """What is kept several times, where the factor of all other topics is surely Kafka's default and they come into being by themselves."""
    makes, offsets = job.written(block, "auto.create.topics.enable"), amount(job, block, "offsets.topic.replication.factor")
    forgotten = amount(job, block, "default.replication.factor", 1) == (None, 1)
    wanted = forgotten and (makes is None or (makes.known and makes.text.strip() == "true"))
    return offsets.setting if wanted and (offsets.value or 0) >= _FEWEST else None


def _resources(job: Job) -> Iterator[tuple[Block, int, str]]:
    for block in job.select("kafka", ("broker",), ("manifest",)):
        if is_whole(job, block):
            yield block, _brokers(job, block), ""


def _containers(job: Job) -> Iterator[tuple[Block, int, str]]:
    """The brokers of each folder's compose files, of which one speaks for all; where several files have some, those of a file that has several itself."""
    folders = dict.fromkeys(folder_of(block.place.path) for block in job.select("kafka", ("broker",), ("compose",)))
    for folder in folders:
        brokers, count = compose_brokers(job, folder)
        paths = list(dict.fromkeys(block.place.path for block in brokers))
        for path in paths:
            here, alone = (brokers, count) if len(paths) == 1 else compose_brokers(job.in_file(path))
            if here:
                yield here[0], alone, "low"


def _files(job: Job) -> Iterator[tuple[Block, int, str]]:
    """`server-0.properties`, `server-1.properties` …: brokers of one folder with numbers of their own and one ZooKeeper, or one quorum."""
    for group in _of_folders(job):
        yield group[0], len(group), "low"


def _of_folders(job: Job) -> list[list[Block]]:
    groups: dict[tuple[str, str], dict[str, Block]] = {}
    for block in job.select("kafka", ("broker",), ("properties",)):
        roles, number = job.written(block, "process.roles"), job.written(block, "broker.id") or job.written(block, "node.id")
        joined = job.written(block, "zookeeper.connect") or job.written(block, "controller.quorum.voters")
        if number is None or joined is None or not (number.known and joined.known) or (roles is not None and "broker" not in roles.text):
            continue
        groups.setdefault((folder_of(block.place.path), joined.text.strip()), {}).setdefault(number.text.strip(), block)
    return [list(group.values()) for group in groups.values() if len(group) >= _FEWEST]


def _workers(job: Job) -> Iterator[tuple[Block, int, str]]:
    """Workers of a Strimzi cluster, of a compose file's brokers or of those that their file names; topics that are resources of their own have the replicas which these say."""
    made = {topic.name for topic in job.select("kubernetes", ("kafkatopic",))}
    for block in job.select("kafka-connect", ("worker",), ("manifest", "compose", "properties")):
        stores = [job.written(block, f"{store}.storage.topic") for store in ("config", "offset", "status")]
        if block.open or any(store is not None and store.text in made for store in stores):
            continue
        if block.form == "compose":
            folder = folder_of(block.place.path)
            if len({one.place.path for one in job.select("kafka", ("broker",), ("compose",)) if folder_of(one.place.path) == folder}) == 1:
                yield block, compose_brokers(job, folder)[1], "low"
        elif block.form == "properties":
            named = job.written(block, "bootstrap.servers")
            if named is not None and named.known:
                yield block, len({entry.strip() for entry in named.text.split(",") if entry.strip()}), "low"
        elif (asked := job.written(block, "spec.bootstrapServers")) is not None and asked.known:
            name = asked.text.split(":")[0].split(".")[0]
            called = [one for one in job.select("kafka", ("broker",), ("manifest",)) if name == f"{one.name}{_BOOTSTRAP}"]
            if called and all(is_whole_cluster(job, cluster) for cluster in called):  # a project's examples may have several of one name
                yield block, min(_brokers(job, cluster) for cluster in called), ""


def _brokers(job: Job, cluster: Block) -> int:
    """How many brokers a `Kafka` resource has, with those of its pools; its own number counts where it is not told to have pools."""
    pools = [pool for pool in job.select("kubernetes", ("kafkanodepool",)) if cluster in clusters_of(job, pool)]
    own = amount(job, cluster, "spec.kafka.replicas")
    if not pools or (own.setting is not None and cluster.trait("node-pools") != "enabled"):
        return own.value or 0
    # the same cluster, or the same pool, may be written for several environments
    here = [pool for pool in pools if pool.place.path == cluster.place.path]
    counts: dict[str, int] = {}
    for pool in here or pools:
        if "broker" in pool.trait("roles"):
            count = amount(job, pool, "spec.replicas").value or 0
            counts[pool.name] = min(count, counts.get(pool.name, count))
    return sum(counts.values())
