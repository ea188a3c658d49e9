"""Replication factors of brokers in a compose file, or in a file or manifest of a node that is broker and controller, against how many brokers there are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.kafka import BARE_BROKER, MIN_ISR_BOUNDED, amount, broker_image, compose_brokers

_LEAST = "min.insync.replicas"
# What does not work with too few brokers. The defaults of the offsets topic's and the transactions' replicas are 3.
_OPTIONS = {
    "offsets.topic.replication.factor": "the topic of consumer offsets is never made, and consumers of a group get no record",
    "transaction.state.log.replication.factor": "the topic of transactions is never made, and transactional producers wait until they time out",
    "default.replication.factor": "topics that are made by themselves, or without a number of replicas, are refused",
    _LEAST: "every write with acks=all is refused",
}
_OFFSETS = "offsets.topic.replication.factor"
# Where a file says how often other topics are kept, it would say it of this one.
_BESIDE = ("transaction.state.log.replication.factor", "default.replication.factor")


def check(job: Job, context: Context) -> Iterator[Finding]:
    brokers, count = compose_brokers(job)
    for block in brokers:
        there = "there is one broker here" if count == 1 else f"there are {count} brokers here"
        for key, effect in _OPTIONS.items():
            found = amount(job, block, key)
            if key == _LEAST and (version := job.version("kafka", block)) is not None and version.at_least(MIN_ISR_BOUNDED):
                continue
            if found.setting is not None and found.value is not None and found.value > count:
                yield context.finding(f"{effect}: {key} is {found.value}, and {there}", found.setting)
        if count < 3 and not block.open and BARE_BROKER.search(broker_image(job, block)) and job.written(block, _OFFSETS) is None:
            yield context.finding(f"{_OPTIONS[_OFFSETS]}: {_OFFSETS} is not set, so it is 3, and {there}", block)
    yield from _pods(job, context)
    for block in job.select("kafka", ("broker",), ("properties", "manifest")):
        voters = _voters(job, block)
        if block.form == "manifest" and not BARE_BROKER.search(broker_image(job, block)):
            continue
        if voters is not None and job.written(block, _OFFSETS) is None:
            there = "two nodes are" if "," in voters.text else "one node is"
            message = f"{_OPTIONS[_OFFSETS]}: {_OFFSETS} is not set, so it is 3, and {there} broker and controller of this cluster"
            at = next((one for key in _BESIDE if (one := job.written(block, key)) is not None), voters)
            # a pod's own command may set more
            sure = "low" if block.form == "manifest" and block.trait("command") else ""
            yield context.finding(message, at, [(voters, "the quorum")] if at is not voters else [], confidence=sure)


def _pods(job: Job, context: Context) -> Iterator[Finding]:
    """The one broker of a manifest, with ZooKeeper: others may have manifests of their own, so this is only likely."""
    brokers = [block for block in job.select("kafka", ("broker",), ("manifest",)) if not block.trait("tool")]
    alone = brokers[0] if len(brokers) == 1 else None
    if alone is None or alone.open or alone.trait("replicas") != "1" or not BARE_BROKER.search(broker_image(job, alone)):
        return
    if job.written(alone, "zookeeper.connect") is not None and job.written(alone, _OFFSETS) is None:
        message = f"{_OPTIONS[_OFFSETS]}: {_OFFSETS} is not set, so it is 3, and there is one broker here"
        yield context.finding(message, alone, confidence="low")


def _voters(job: Job, block: Block) -> Setting | None:
    """The quorum of a node that is broker and controller, where it has one or two: brokers without a vote are hardly added to such."""
    roles, voters = job.written(block, "process.roles"), job.written(block, "controller.quorum.voters")
    if block.open or roles is None or voters is None or not (roles.known and voters.known):
        return None
    both = {role.strip() for role in roles.text.split(",")} == {"broker", "controller"}
    count = len(re.findall(r"\d+@[^,\s]+", voters.text))
    return voters if both and count in (1, 2) and count == len(voters.text.split(",")) else None
