"""KafkaTopic resources of Strimzi that stand for one another: of one name with another spec, or of two names for one topic."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import verbatim

_PLAIN = pattern(r"[A-Za-z0-9._-]*")


def check(job: Job, context: Context) -> Iterator[Finding]:
    # what stands in another folder may be another environment's
    seen: dict[tuple[str, str, str], Block] = {}
    for topic in job.select("kubernetes", ("kafkatopic",)):
        namespace, cluster = topic.trait("namespace"), topic.trait("cluster")
        named = _topic(job, topic)
        if topic.open or topic.trait("managed") == "false" or not named or not all(map(_PLAIN.fullmatch, (namespace, cluster, topic.name))):
            continue
        if not cluster:
            continue  # a patch, or one that gets its label elsewhere
        place = (folder_of(topic.place.path), namespace)
        same = seen.setdefault((*place, f"resource {topic.name}"), topic)
        other = seen.setdefault((*place, f"topic {named} of {cluster}"), topic)
        if same is not topic and (differs := _difference(job, same, topic)):
            message = f"two resources are one KafkaTopic `{topic.name}`, of which the one that is applied last counts: {differs}"
        elif same is topic and other is not topic:
            message = (
                f"two resources stand for the topic `{named}`: the operator goes by the older one, and refuses the other (ResourceConflict)"
            )
            same = other
        else:
            continue
        yield context.finding(message, topic, [(same, "the other one")], confidence="" if same.place.path == topic.place.path else "low")


def _topic(job: Job, block: Block) -> str:
    """The name of the topic in Kafka; empty where it cannot be known."""
    named = job.written(block, "spec.topicName")
    name = verbatim(named) if named is not None else block.name
    return name if _PLAIN.fullmatch(name) else ""


def _difference(job: Job, one: Block, other: Block) -> str:
    """The first thing that two resources say otherwise; empty where they say the same, or may."""
    left, right = ({setting.key: setting for setting in job.of(block)} for block in (one, other))
    if not all(setting.known for setting in (*left.values(), *right.values())):
        return ""
    for key in (*left, *right):
        before, after = (verbatim(side.get(key)) or "not set" for side in (left, right))
        if before != after:
            return f"{key} is {before} in one and {after} in the other"
    clusters = one.trait("cluster"), other.trait("cluster")
    return "" if clusters[0] == clusters[1] else f"one is for the cluster {clusters[0]} and the other for {clusters[1]}"
