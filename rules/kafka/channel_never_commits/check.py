"""`commit-strategy=ignore` where the client does not commit either: the connector switches `enable.auto.commit` off by default.

ReactiveKafkaConsumer and KafkaIgnoreCommit of smallrye-reactive-messaging-kafka 4.10.1 and 4.28.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import smallrye


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in smallrye.channels(job, "consumer"):
        strategy, by_client = job.get(block, "commit-strategy"), job.get(block, "enable.auto.commit")
        if strategy is None or not strategy.known or strategy.text.strip() != "ignore":
            continue
        if by_client is not None and not (by_client.known and by_client.text.strip().lower() == "false"):
            continue
        message = (
            "nobody commits: the connector is told not to, and the client's own commits are off by default in it; "
            "each start begins where auto.offset.reset says, as if there had been none before"
        )
        yield context.finding(message, strategy, [(by_client, "nor does the client")] if by_client is not None else [])
