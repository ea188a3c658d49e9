"""`heartbeat.interval.ms` against `session.timeout.ms`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The Java client and kafka-python refuse an interval that is not below the timeout; librdkafka takes it and rebalances."""
    for block in kafka.clients(job, "consumer"):
        heartbeat = kafka.amount(job, block, "heartbeat.interval.ms", 3_000)
        session = kafka.amount(job, block, "session.timeout.ms", 45_000)
        if heartbeat.value is None or session.value is None or not (heartbeat.setting or session.setting):
            continue
        protocol = kafka.find(job, block, "group.protocol")
        if protocol is not None and protocol.text.strip().lower() != "classic":
            continue
        at, other = (heartbeat.setting, session.setting) if heartbeat.setting else (session.setting, None)
        assert at is not None
        related = [(other, "the session")] if other else []
        numbers = (
            f"heartbeat.interval.ms ({kafka.say(heartbeat.value)}{heartbeat.origin}), "
            f"session.timeout.ms ({kafka.say(session.value)}{session.origin})"
        )
        if heartbeat.value >= session.value:
            if kafka.library(block) in ("java", "kafka-python"):
                yield context.finding(
                    f"the consumer refuses to start, heartbeats must come more often than the session times out: {numbers}", at, related
                )
            else:
                message = f"the group throws the member out and rebalances, again and again, the session is over before the next heartbeat: {numbers}"
                yield context.finding(message, at, related, severity="warning")
        elif heartbeat.setting and session.setting and heartbeat.value * 3 > session.value:
            message = f"a lost heartbeat or two end the session and rebalance the group; a session should last for three: {numbers}"
            yield context.finding(message, at, related, severity="warning")
