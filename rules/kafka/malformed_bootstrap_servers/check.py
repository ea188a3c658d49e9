"""`bootstrap.servers` separated by something else than commas, or entries without a port, or a Python list where the client takes a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

_PLAIN = re.compile(r"[A-Za-z0-9._-]+(?::\d+)?")
_RUN_ON = re.compile(r"(.*[A-Za-z])(\d{4,5})")
_WITH_PORT = re.compile(r"[A-Za-z0-9._-]+:\d+")


# What becomes of a Python list, by who takes the configuration.
_LISTED = {
    "confluent-kafka": "confluent-kafka writes the list out as a text, brackets and quotes included, and no broker has such a name: join the brokers with commas",
    "beam": "the configuration goes to Java as texts, and a list is none: the pipeline cannot be built (join the brokers with commas)",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only lists of plain names are judged: a scheme, an IPv6 address or a placeholder is not."""
    for block in kafka.clients(job, "consumer", "producer", "admin"):
        found = kafka.find(job, block, kafka.SERVERS)
        if found is None or not found.known:
            continue
        text = found.text.strip()
        entries = [entry for entry in re.split(r"[;,\s]+", text) if entry]
        if not entries or not all(_PLAIN.fullmatch(entry) for entry in entries):
            continue
        if (joined := _joined(entries)) is not None:
            message = f"`{joined}` is taken for the name of a broker: the colon before the port is missing, and nobody is found there"
            yield context.finding(message, found)
            continue
        if not kafka.is_java(block):
            continue
        if any(not entry for entry in text.split(",")[:-1]) or [entry.strip() for entry in text.strip(",").split(",")] != entries:
            joined = ",".join(entries)
            message = "brokers are separated by commas; clients up to 3.x see one address here and use its last broker alone, newer ones refuse to start"
            fixes = (
                [context.replace(found, joined, "separate the brokers with commas", "safe")]
                if all(map(_WITH_PORT.fullmatch, entries))
                else []
            )
            yield context.finding(message, found, fixes=fixes)
        elif bare := [entry for entry in entries if ":" not in entry and "." in entry]:
            yield context.finding(f"the Java client refuses to start: `{bare[0]}` has no port", found)
    for oddity in job.oddities:
        if oddity.kind == "list-of-brokers" and oddity.detail in _LISTED:
            yield context.finding(_LISTED[oddity.detail], oddity)


def _joined(entries: list[str]) -> str | None:
    """An entry that is the host of another one with a port of four or five digits right after it: `localhost9093` beside `localhost:9092`."""
    hosts = {host for host, _, port in (entry.partition(":") for entry in entries) if port}
    for entry in entries:
        cut = _RUN_ON.fullmatch(entry)
        if cut is not None and cut[1] in hosts:
            return entry
    return None
