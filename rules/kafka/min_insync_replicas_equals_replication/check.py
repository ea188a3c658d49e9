"""`min.insync.replicas` of a broker or a topic, against how many replicas there are.

Kafka refuses a write with acks=all while fewer replicas are in sync. Since 3.7 it goes by the number of replicas where that is less (KAFKA-15583).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job, Version
from shoal.model import Finding
from shoal.records import NamedTuple
from shoal.templates.kafka import BARE_BROKER, MIN_ISR_BOUNDED, Amount, amount, broker_image, compose_brokers, topics
from shoal.templates.strimzi import clusters_of, is_whole_cluster

_LEAST = "min.insync.replicas"
# What a broker asks for and of what, each with its default where there is one to go by, and what is refused.
_OF_BROKERS = (
    (_LEAST, None, "default.replication.factor", None, "writes with acks=all to topics with the default number of replicas"),
    (_LEAST, None, "offsets.topic.replication.factor", 3, "commits of consumers' offsets"),
    ("transaction.state.log.min.isr", 2, "transaction.state.log.replication.factor", 3, "transactions"),
)


class _Demand(NamedTuple):
    """How many replicas must be in sync, and how many there are, each with its option; `writes` is what is refused when there are too few."""

    least: Amount
    least_key: str
    replicas: Amount
    replicas_key: str
    writes: str
    version: Version | None

    @property
    def bounded(self) -> bool:
        """Whether Kafka surely asks for no more replicas than there are."""
        return self.version is not None and self.version.at_least(MIN_ISR_BOUNDED)

    @property
    def reason(self) -> str:
        least, replicas = (f"is {one.value}{one.origin}" for one in (self.least, self.replicas))
        return f"{self.least_key} {least}, and {self.replicas_key} {replicas}"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for demand in (*_of_brokers(job), *_of_topics(job)):
        found = _judge(demand)
        settings = [one.setting for one in (demand.least, demand.replicas) if one.setting is not None]
        if found is not None and settings:
            message, severity, confidence = found
            confidence = confidence or ("" if len(settings) == 2 and settings[0].block == settings[1].block else "medium")
            at, *others = sorted(settings, key=lambda setting: setting.block != settings[-1].block)
            yield context.finding(message, at, [(other, "against this") for other in others], severity, confidence)


def _judge(demand: _Demand) -> tuple[str, str, str] | None:
    """What comes of it, how bad it is, and how sure where that depends on an unknown version."""
    least, replicas = demand.least.value, demand.replicas.value
    if least is None or replicas is None or replicas < 1 or least < max(replicas, 2):
        return None
    if least > replicas and demand.version is not None and demand.version.below(MIN_ISR_BOUNDED):
        return f"{demand.writes} are refused, all of them: {demand.reason}", "error", ""
    if replicas > 1:
        return f"one broker down stops {demand.writes}: {demand.reason}", "", ""
    if demand.bounded:
        return None
    return f"before Kafka {MIN_ISR_BOUNDED} {demand.writes} are refused, all of them: {demand.reason}", "", "low"


def _of_brokers(job: Job) -> Iterator[_Demand]:
    """What brokers ask of topics that say nothing else, of that of consumers' offsets and of that of transactions."""
    for block in job.select("kafka", ("broker",)):
        whole, told = _is_whole(job, block), set()
        for least_key, least, key, replicas, writes in () if block.trait("tool") else _OF_BROKERS:
            asked, there = amount(job, block, least_key, least if whole else None), amount(job, block, key, replicas if whole else None)
            demand = _Demand(asked, least_key, there, key, writes, job.version("kafka", block))
            if least_key not in told and _judge(demand) is not None and not _above_brokers(job, block, demand):
                told.add(least_key)
                yield demand


def _is_whole(job: Job, block: Block) -> bool:
    """Whether what is not set has Kafka's own default: images other than these bring a file for one broker along."""
    if block.trait("container"):
        return BARE_BROKER.search(broker_image(job, block)) is not None
    return block.form == "properties" or is_whole_cluster(job, block)


def _above_brokers(job: Job, block: Block, demand: _Demand) -> bool:
    """Whether a compose file has fewer brokers than that, and replication-above-brokers says so."""
    if block.form != "compose":
        return False
    brokers, count = compose_brokers(job.in_file(block.place.path))
    said = demand.least_key == _LEAST and not demand.bounded
    most = max((demand.least.value or 0) if said else 0, demand.replicas.value or 0)
    return any(one.id == block.id for one in brokers) and most > count


def _of_topics(job: Job) -> Iterator[_Demand]:
    """Topics with options of their own; one of Strimzi that says nothing takes what the brokers ask for."""
    for topic in topics(job):
        clusters = clusters_of(job, topic.block) if topic.prefix else []
        least = amount(job, topic.block, topic.option(_LEAST))
        asked = [amount(job, block, _LEAST) for block in clusters] if least.setting is None and not topic.block.open else []
        if asked and len({one.value for one in asked}) == 1:
            least = asked[0]
        version = job.version("kafka", clusters[0]) if clusters else None
        yield _Demand(least, _LEAST, topic.replicas, "replicas", "writes with acks=all to this topic", version)
