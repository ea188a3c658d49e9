"""`bootstrap.servers` separated by something else than commas, entries without a port or with a scheme, or a Python list where the client takes a text.

A scheme was tried with a broker 3.9.1: kafka-python 1.4.7 to 2.2.2 end with a ValueError, 2.2.3 to 3.0.12 pass over it; aiokafka 0.12 and 0.14 find nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka

_PLAIN = pattern(r"[A-Za-z0-9._-]+(?::\d+)?")
_RUN_ON = pattern(r"(.*[A-Za-z])(\d{4,5})")
_WITH_PORT = pattern(r"[A-Za-z0-9._-]+:\d+")
_SCHEME = pattern(r"(\w*)://[A-Za-z0-9._-]+")
# What librdkafka knows in front of a broker, in capitals or not; the Java client passes over any word there, the clients in Python over none.
_PROTOCOLS = frozenset({"plaintext", "ssl", "sasl_plaintext", "sasl_ssl"})


# What becomes of a Python list, by who takes the configuration.
_LISTED = {
    "confluent-kafka": "confluent-kafka writes the list out as a text, brackets and quotes included, and no broker has such a name: join the brokers with commas",
    "beam": "the configuration goes to Java as texts, and a list is none: the pipeline cannot be built (join the brokers with commas)",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only lists of plain names are judged, and those with a scheme in clients that take none: an IPv6 address or a placeholder is not."""
    for block in kafka.clients(job, "consumer", "producer", "admin"):
        found = kafka.find(job, block, kafka.SERVERS)
        if found is None or not found.known:
            continue
        text = found.text.strip()
        entries = [entry for entry in re.split(r"[;,\s]+", text) if entry]
        if (message := _scheme(kafka.library(block), entries)) is not None:
            yield context.finding(message, found, confidence="low" if kafka.library(block) == "kafka-python" else "")
            continue
        if not entries or not all(_PLAIN.fullmatch(entry) for entry in entries):
            continue
        if (joined := _joined(entries)) is not None:
            message = f"`{joined}` is taken for the name of a broker: the colon before the port is missing, and nobody is found there"
            yield context.finding(message, found)
            continue
        if not kafka.is_java(block):
            continue
        if [entry.strip() for entry in text.split(",") if entry.strip()] != entries:  # empty entries are passed over
            joined = ",".join(entries)
            message = "brokers are separated by commas; clients up to 3.x see one address here and use its last broker alone, newer ones refuse to start"
            fixes = (
                [context.replace(found, joined, "separate the brokers with commas", "safe")]
                if all(map(_WITH_PORT.fullmatch, entries))
                else []
            )
            yield context.finding(message, found, fixes=fixes)
        elif bare := [entry for entry in entries if ":" not in entry and "." in entry and ".." not in entry]:  # `b-1.orders…` is left out
            yield context.finding(f"the Java client refuses to start: `{bare[0]}` has no port", found)
    for oddity in job.oddities:
        if oddity.kind == "list-of-brokers" and oddity.detail in _LISTED:
            yield context.finding(_LISTED[oddity.detail], oddity)


def _scheme(client: str, entries: list[str]) -> str | None:
    for entry in entries:
        found = _SCHEME.match(entry)
        if found is None or client == "java":
            continue
        if client == "confluent-kafka" and found[1].lower() not in _PROTOCOLS:
            return (
                f"`{found[1]}://` is no protocol of a broker: confluent-kafka drops the entry with a line in its log, and asks nobody there"
            )
        if client == "kafka-python":
            return f"kafka-python before 2.2.3 ends with a ValueError here: leave `{found[1]}://` out, which later releases pass over"
        if client == "aiokafka":
            return f"{client} takes `{found[0]}` for the name of a host, and finds nobody there: leave `{found[1]}://` out"
    return None


def _joined(entries: list[str]) -> str | None:
    """An entry that is the host of another one with a port of four or five digits right after it: `localhost9093` beside `localhost:9092`."""
    hosts = {host for host, _, port in (entry.partition(":") for entry in entries) if port}
    for entry in entries:
        cut = _RUN_ON.fullmatch(entry)
        if cut is not None and cut[1] in hosts:
            return entry
    return None
