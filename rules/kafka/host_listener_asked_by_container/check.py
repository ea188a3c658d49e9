"""`kafka:9092`, where the listener on port 9092 advertises `localhost` and another one the broker's name."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.templates import kafka

_LISTENER = pattern(r"([\w-]+)://(\[[^\]]*\]|[^:,/\s]*):(\d+)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A broker's name is known on the network of its compose file alone, so who uses it is in a container.

    Of several files with a broker of one name nobody knows which is meant outside of them.
    """
    brokers = job.select("kafka", ("broker",), ("compose",))
    wrong = {(block.place.path, asked): told for block in brokers for asked, told in _for_host(job, block)}
    silent = list(job.usages("broker-host"))  # brokers whose listeners their image makes up
    named = [name for block in brokers for name in block.trait("hosts").split()] + [usage.detail for usage in silent]
    has_brokers = {block.place.path for block in brokers} | {usage.place.path for usage in silent}
    for asked, place, _ in dict.fromkeys(_asked(job, "sure")) if wrong else ():
        files = [place.path] if place.path in has_brokers else [block.place.path for block in brokers]
        told = [wrong[path, asked] for path in files if (path, asked) in wrong]
        if told and (place.path in files or named.count(asked.rpartition(":")[0]) == 1):
            better, advertised = told[0]
            message = f"{asked} is the listener for the host: it sends its clients on to localhost, which in a container is the container itself, and they wait until they time out; {better} is the one for containers"
            yield context.finding(message, place, [(advertised, "says where clients go on")])
    yield from _of_image(job, context, named)


def _of_image(job: Job, context: Context, named: list[str]) -> Iterator[Finding]:
    """Brokers whose image, left alone, sends all clients to localhost, and that another container asks."""
    seen = set()
    for broker in job.usages("broker-local"):
        for asked, place, sure in sorted(_asked(job, "sure", "default"), key=lambda one: one[2] == "default"):
            host, _, port = asked.rpartition(":")
            mine = place.path == broker.place.path or named.count(host) == 1
            if host == broker.detail and port == "9092" and mine and broker.place not in seen:
                seen.add(broker.place)
                message = f"the image's own configuration counts where its environment says nothing: it sends clients on to localhost:9092, and {asked} is asked by a container, for which that is the container itself: its clients wait until they time out; set KAFKA_ADVERTISED_LISTENERS and all that goes with it"
                confidence = "low" if sure == "default" else ""  # who runs it may say otherwise
                yield context.finding(message, broker.place, [(place, "asks for it by its name")], confidence=confidence)


def _for_host(job: Job, block: Block) -> Iterator[tuple[str, tuple[str, Setting]]]:
    """Where a broker sends its clients to localhost, where containers should go instead (both `host:port`), and the setting that says so."""
    advertised, listeners = job.written(block, "advertised.listeners"), job.written(block, "listeners")
    if advertised is None or not advertised.known or (listeners is not None and not listeners.known):
        return
    hosts = block.trait("hosts").split()
    ports = {name: port for name, _, port in _LISTENER.findall(listeners.text)} if listeners is not None else {}
    found = [(ports.get(name, port), host) for name, host, port in _LISTENER.findall(advertised.text)]
    inside = [port for port, host in found if host in hosts]
    for port in {port for port, host in found if host in kafka.LOCAL and inside and port not in inside}:
        for host in hosts:
            yield f"{host}:{port}", (f"{host}:{inside[0]}", advertised)


def _asked(job: Job, *sure: str) -> Iterator[tuple[str, Place, str]]:
    """What clients are told, as far as it is so sure: `host:port`."""
    for usage in job.usages("asks-host"):
        yield usage.detail, usage.place._replace(label=""), "sure"
    for setting in job.settings:
        if setting.known and setting.sure in sure and setting.key.lower().endswith(kafka.SERVERS):
            block = job.blocks.get(setting.block)
            if block is not None and block.form == "manifest":
                continue  # a pod asks the service of that name: it is not on the network of a compose file
            own = block.trait("hosts").split() if block is not None and block.role == "broker" else []  # localhost is the broker, to itself
            for entry in setting.text.split(","):
                if entry.strip().rpartition("://")[2].partition(":")[0] not in own:
                    yield entry.strip().rpartition("://")[2], setting.place(), setting.sure
