"""`kafka:29092`, where the broker of the same compose file has no listener on 29092."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.templates import kafka

_PORT = pattern(r"[\w-]+://(?:\[[^\]]*\]|[^:,/\s]*):(\d+)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Of several brokers with one name nobody knows which is meant."""
    brokers = [block for block in job.select("kafka", ("broker",), ("compose",)) if not block.trait("tool")]
    named = [(block.place.path, name) for block in brokers for name in block.trait("hosts").split()]
    heard = {
        (block.place.path, name): (block, *found)
        for block in brokers
        if not block.open and (found := _ports(job, block)) is not None
        for name in block.trait("hosts").split()
        if named.count((block.place.path, name)) == 1
    }
    said = set()
    for asked, place, client in dict.fromkeys(_asked(job)) if heard else ():
        host, _, port = asked.rpartition(":")
        block, ports, listeners = heard.get((place.path, host), (None, set(), None))
        if block is None or listeners is None or port in ports or (place.path, client, port) in said:
            continue
        said.add((place.path, client, port))
        inside = next((pair.partition(":")[2] for pair in block.trait("published").split() if pair.startswith(f"{port}:")), "")
        why = (
            f"{port} is its port on the host, in the network of the file it is {inside}"
            if inside not in ("", port)
            else f"the broker's listeners are on {' and '.join(sorted(ports))}"
        )
        message = f"nobody listens at {asked}: {why}; the client tries to connect for ever"
        yield context.finding(message, place, [(listeners, "where the broker listens")])


def _ports(job: Job, block: Block) -> tuple[set[str], Setting] | None:
    """Where a broker listens; None where that cannot be known."""
    listeners = job.written(block, "listeners")
    image = next((one.name for one in job.images(block)), "")
    if listeners is None and kafka.BINDS_ADVERTISED.search(image):
        listeners = job.written(block, "advertised.listeners")
    if listeners is None or not listeners.known or listeners.sure != "sure":
        return None
    entries = [entry for entry in listeners.text.split(",") if entry.strip()]
    ports = set(_PORT.findall(listeners.text))
    return (ports, listeners) if ports and len(_PORT.findall(listeners.text)) == len(entries) else None


def _asked(job: Job) -> Iterator[tuple[str, Place, str]]:
    """What clients are told of brokers, `host:port`, and who is."""
    for usage in job.usages("asks-broker"):
        yield usage.detail, usage.place._replace(label=""), usage.place.label
    for setting in job.settings:
        if setting.known and setting.sure == "sure" and setting.key.lower().endswith(kafka.SERVERS):
            for entry in setting.text.split(","):
                yield entry.strip().rpartition("://")[2], setting.place(), setting.block
