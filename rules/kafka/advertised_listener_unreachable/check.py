"""`advertised.listeners` of a broker in a compose file: nothing but localhost, where other services come by the broker's name, or a name that nobody there has."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.kafka import LOCAL

_LISTENER = pattern(r"([\w.-]+)://(\[[^\]]*\]|[^:,/\s]*)(?::(\d+))?")
_BARE = pattern(r"[A-Za-z][\w-]*")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose",)):
        user, listeners = block.trait("asked-by"), job.written(block, "advertised.listeners")
        if listeners is None or not listeners.known:
            continue
        told = _LISTENER.findall(listeners.text)
        hosts = {host for _, host, _ in told}
        if user and hosts and hosts <= LOCAL:
            message = f"{user} comes to {block.name} by its name, and is told to go on with {sorted(hosts)[0]}, which is {user} itself: its clients wait until they time out"
            yield context.finding(message, listeners)
        elif (unknown := _unknown(job, block, told)) is not None:
            message = f"no service here is called {unknown}, and brokers, the controller and clients in other containers are told to go on to it: they find nobody, and no partition gets a leader ({block.name} is a name they know)"
            yield context.finding(message, listeners)


def _unknown(job: Job, block: Block, told: list[tuple[str, str, str]]) -> str | None:
    """The host that the brokers are to find one another at, which no container has; one at a port of the host may be that of the machine."""
    between = _between(job, block, told)
    if between is None:
        return None
    _, host, port = between
    published = {ports.partition(":")[0] for ports in block.trait("published").split()}
    names = block.trait("neighbours").split()
    return host if names and host not in names and host not in LOCAL and _BARE.fullmatch(host) and port and port not in published else None


def _between(job: Job, block: Block, told: list[tuple[str, str, str]]) -> tuple[str, str, str] | None:
    name: Setting | None = job.written(block, "inter.broker.listener.name")
    if name is not None:
        return next((one for one in told if name.known and one[0] == name.text.strip()), None)
    if job.written(block, "security.inter.broker.protocol") is not None:
        return None
    return next((one for one in told if one[0] == "PLAINTEXT"), None)
