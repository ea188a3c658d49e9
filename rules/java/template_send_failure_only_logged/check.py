"""`KafkaTemplate.send` without a look at what it returns, in a project in which no producer listener and no transaction is told of the failure.

The template's own listener, where it is given none, is a `LoggingProducerListener`: it writes "Exception thrown when sending a message" to the log, and that is all.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    if job.usages("template-watched"):
        return
    for oddity in job.oddities:
        if oddity.kind != "template-send-unseen":
            continue
        if oddity.detail:
            then = "the offset of the record that it was made from is committed all the same"
        else:
            then = "whoever called this method goes on as if the record were there"
        message = f"`send` only queues the record; when the brokers do not take it, Spring writes a line to the log, and {then}"
        yield context.finding(message, oddity)
