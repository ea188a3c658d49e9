"""Periodic discovery together with an API timeout that a few dead brokers use up."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka
from shoal.values import Bad
from shoal.values.flink import parse_duration


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "consumer"):
        every = kafka.discovery(job, block)
        found = kafka.budget(job, block) if every is not None else None
        if every is None or found is None or found.brokers < context.options["min-brokers"]:
            continue
        api, request = found.api, found.request
        assert api.value is not None and request.value is not None
        if api.value >= request.value * found.brokers or api.value < request.value:
            continue
        sure = api.setting or request.setting or _is_old(job, block)
        related = [
            (setting, label)
            for setting, label in (
                (api.setting, "the whole call"),
                (request.setting, "one broker"),
                (found.servers, f"{found.brokers} brokers"),
            )
            if setting is not None
        ]
        message = (
            f"when {_few(found.attempts)} of the {found.brokers} brokers {'is' if found.attempts == 1 else 'are'} gone, the discovery (every {_pause(every.text)}) throws and the whole "
            f"job fails over, again and again: one broker may take {kafka.say(request.value)} (request.timeout.ms{request.origin}), the call "
            f"{kafka.say(api.value)} (default.api.timeout.ms{api.origin})"
        )
        yield context.finding(message, every, related, confidence="" if sure else "low")


def _few(count: int) -> str:
    return "a single one" if count == 1 else f"as few as {count}"


def _pause(text: str) -> str:
    length = parse_duration(text)
    return text.strip() if isinstance(length, Bad) else str(length)


def _is_old(job: Job, block: Block) -> bool:
    """Whether the client is surely older than 2.7, in which a connection attempt alone could take the whole request timeout."""
    client, flink = job.version("kafka-clients", block), job.version("flink", block)
    return bool(client and client.below("2.7")) or bool(flink and flink.below("1.15"))
