"""`heartbeat.interval.ms` against `session.timeout.ms`.

Tried with a broker 3.9.1: kafka-python 2.0.2, 2.2.15 and 3.0.12 refuse an interval above the timeout of a consumer with a group, 2.2.15 and 3.0.12 an equal one too;
without a group none of them looks. librdkafka 2.16 and aiokafka 0.14 join, are thrown out when the session is over and join again; aiokafka's commits keep a session
alive, so that one whose auto-commit comes more often stays.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka
from shoal.templates.options import PURE_PYTHON


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "consumer"):
        client = kafka.library(block)
        if client in PURE_PYTHON and not block.open and job.written(block, "group.id") is None:
            continue  # which is in no group, and has no session
        heartbeat = kafka.amount(job, block, "heartbeat.interval.ms", 3_000)
        session = kafka.amount(job, block, "session.timeout.ms", 10_000 if client == "aiokafka" else 45_000)
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
            if client in ("java", "kafka-python"):
                yield context.finding(
                    f"the consumer refuses to start, heartbeats must come more often than the session times out: {numbers}", at, related
                )
            else:
                message = f"the group throws the member out and rebalances, again and again, the session is over before the next heartbeat: {numbers}"
                commits = client == "aiokafka" and kafka.flag(job, block, "enable.auto.commit")[1] is not False
                yield context.finding(message, at, related, severity="warning", confidence="low" if commits else "")
        elif heartbeat.setting and session.setting and heartbeat.value * 3 > session.value:
            message = f"a lost heartbeat or two end the session and rebalance the group; a session should last for three: {numbers}"
            yield context.finding(message, at, related, severity="warning")
