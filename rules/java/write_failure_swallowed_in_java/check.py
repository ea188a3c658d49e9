"""Handlers in sinks, operators and listeners in Java that only log what a write threw."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "write-swallowed":
            message = f"when `{oddity.subject}` fails here, that is {oddity.detail}, and the record counts as written: the next checkpoint commits its offset; throw it on, and Flink starts again from the last checkpoint"
            yield context.finding(message, oddity)
        elif oddity.kind == "write-beside-swallowed":
            message = f"when `{oddity.subject}` fails here, that is {oddity.detail}, and the record counts as done: throw it on, or send it to a side output"
            yield context.finding(message, oddity, confidence="low")
        elif oddity.kind == "write-of-listener-swallowed":
            message = f"when `{oddity.subject}` fails here, that is {oddity.detail}, and Spring commits the record's offset: it is never read again; throw it on, and give the container an error handler with retries and a dead-letter topic"
            yield context.finding(message, oddity, confidence="low")
        elif oddity.kind == "write-of-channel-swallowed":
            message = f"when `{oddity.subject}` fails here, that is {oddity.detail}, and the message is acknowledged as though it were done: it never comes again; throw it on, and give the channel a failure-strategy (dead-letter-queue, or fail)"
            yield context.finding(message, oddity, confidence="low")
