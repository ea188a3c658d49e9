"""Replicas of the topics that Connect makes, against the brokers of the compose file that its worker stands in."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.boundaries import folder_of, in_line
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.kafka import CONNECT_IMAGE, amount, compose_brokers, runs_worker, servers

_QUEUE = "errors.deadletterqueue.topic.name"
_QUEUE_REPLICAS = "errors.deadletterqueue.topic.replication.factor"
_CREATED = pattern(r"topic\.creation\.[\w-]+\.replication\.factor")
_STORES = ("config.storage.replication.factor", "offset.storage.replication.factor", "status.storage.replication.factor")
_DEFAULT = 3  # of the dead-letter queue and of the worker's topics


def check(job: Job, context: Context) -> Iterator[Finding]:
    brokers = job.select("kafka", ("broker",))
    if any(block.form != "compose" and not block.trait("tool") for block in brokers):
        return  # another cluster than those that are counted here
    for folder in dict.fromkeys(folder_of(block.place.path) for block in brokers):
        yield from _beside(job, context, folder)


def _beside(job: Job, context: Context, folder: str) -> Iterator[Finding]:
    """What the compose files of one folder say of workers, and the connectors in this folder, or in one above or below."""
    brokers, count = compose_brokers(job, folder)
    there = "there is one broker" if count == 1 else f"there are {count} brokers"
    workers = [block for block in job.select("kafka-connect", ("worker",), ("compose",)) if folder_of(block.place.path) == folder]
    here = [block for block in job.select("kafka", ("broker",)) if folder_of(block.place.path) == folder and not block.trait("tool")]
    others = [block for block in here if not block.trait("cluster")]  # of which none may belong to a cluster that is elsewhere
    if not brokers or len(others) > count - len(brokers) or any(not _near(job, block) for block in workers):
        return
    for block in workers:
        for setting, replicas in _stores(job, block):
            if replicas > count:
                what = f"{setting.key} is {replicas}" if setting is not None else f"{_STORES[1]} is not set, so it is {replicas}"
                yield context.finding(f"the worker does not start, since its topic is never made: {what}, and {there}", setting or block)
    images = [one for one in job.dependencies if one.ecosystem == "image" and runs_worker(one.name)]
    images = [image for image in images if in_line(folder_of(image.place.path), folder)]
    if not images or any(folder_of(image.place.path) != folder for image in images):
        return
    before = {usage.detail for usage in job.usages("topic-made")}
    for block in job.select("kafka-connect", ("connector",)):
        if block.trait("operator") or block.trait("program") or not in_line(folder_of(block.place.path), folder):
            continue
        made = _queue(job, block)
        if made is not None and made[0] > count and "" not in before and verbatim(made[1]) not in before:
            is_set = f"{_QUEUE_REPLICAS} is {made[0]}" if made[2] else f"{_QUEUE_REPLICAS} is not set, so it is {made[0]}"
            message = f"the tasks fail at their start, since the dead-letter queue is never made: {is_set}, and {there}"
            confidence = "low" if made[2] else ""  # who writes a number may have another cluster in mind
            yield context.finding(message, made[2] or made[1], [(brokers[0], "a broker")], confidence=confidence)
        for setting in job.of(block):
            created = amount(job, block, setting.key).value if _CREATED.fullmatch(setting.key) else None
            if created is not None and created > count:
                message = f"the task fails when it makes a topic: {setting.key} is {created}, and {there}"
                yield context.finding(message, setting, [(brokers[0], "a broker")], confidence="low")


def _near(job: Job, block: Block) -> bool:
    """Whether a worker's brokers are surely containers beside it, whose names have no dots."""
    found, entries = servers(job, block)
    return found is None or (bool(entries) and all("." not in entry for entry in entries))


def _stores(job: Job, block: Block) -> list[tuple[Setting | None, int]]:
    """The replicas of the worker's own topics that are known: what is set, or once the default, where nothing is."""
    amounts = [amount(job, block, key) for key in _STORES]
    said = [(one.setting, one.value) for one in amounts if one.setting is not None and one.value is not None]
    bare = not block.open and any(CONNECT_IMAGE.search(image.name) for image in job.images(block))
    return [*said, (None, _DEFAULT)] if bare and any(one.setting is None for one in amounts) else [*said]


def _queue(job: Job, block: Block) -> tuple[int, Setting, Setting | None] | None:
    """The replicas of a sink's dead-letter queue, its name, and what sets them; None without a queue, or where they cannot be known."""
    name, replicas = job.written(block, _QUEUE), amount(job, block, _QUEUE_REPLICAS, _DEFAULT)
    sink = any(job.written(block, key) is not None for key in ("topics", "topics.regex"))
    return (replicas.value, name, replicas.setting) if sink and replicas.value is not None and name is not None and verbatim(name) else None
