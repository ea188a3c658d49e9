"""`bootstrap.servers` that names one broker out of several, in a file for production."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka

_PRODUCTION = pattern(r"(?i)(?:^|[/_.-])(?:prod|production|prd|live)(?=[/_.-])")
# The first label of a broker's own name, and addresses of machines; a service in front of the brokers has no number.
_ONE = pattern(
    r"(?:[a-z-]*?(?:kafka|broker|redpanda|node|b)[-_]?\d{1,3}|ip-\d+-\d+-\d+-\d+)(?:\.[\w.-]+)?|(?!127\.)\d{1,3}(?:\.\d{1,3}){3}"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A name without a number may stand for all of them: a load balancer, a headless service, a record with several addresses."""
    told: set[tuple[str, int]] = set()
    for block in kafka.clients(job, "consumer", "producer", "admin"):
        found = kafka.find(job, block, kafka.SERVERS)
        if found is None or not found.known or not _PRODUCTION.search(found.path) or found.sure != "sure":
            continue
        host, _, port = found.text.strip().rpartition("://")[2].rpartition(":")
        at = (found.path, found.value_span.start)
        if port.isdecimal() and _ONE.fullmatch(host.lower()) and at not in told:
            told.add(at)
            message = (
                f"a client that starts while {host} is down finds no cluster, whatever the other brokers do: name two or three of them"
            )
            yield context.finding(message, found)
