"""`advertised.listeners` with nothing but localhost, in a compose file whose other services come by the broker's name."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_HOST = pattern(r"://(\[[^\]]*\]|[^:,/\s]*)")
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose",)):
        user, listeners = block.trait("asked-by"), job.written(block, "advertised.listeners")
        if not user or listeners is None or not listeners.known:
            continue
        hosts = set(_HOST.findall(listeners.text))
        if hosts and hosts <= _LOCAL:
            message = f"{user} comes to {block.name} by its name, and is told to go on with {sorted(hosts)[0]}, which is {user} itself: its clients wait until they time out"
            yield context.finding(message, listeners)
