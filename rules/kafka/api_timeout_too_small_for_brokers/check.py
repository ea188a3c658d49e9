"""A metadata call tries brokers one after another: its budget must last for as many as may be gone."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Speaks when one of the timeouts is set; on plain defaults only where a discovery loop makes the calls again and again."""
    for block in kafka.clients(job, "consumer", "admin"):
        found = kafka.budget(job, block) if kafka.is_java(block) else None
        if found is None or found.brokers < context.options["min-brokers"]:
            continue
        api, request = found.api, found.request
        assert api.value is not None and request.value is not None
        needed = request.value * found.brokers
        if api.value >= needed or api.value < request.value:
            continue
        chosen = api.setting or request.setting
        if chosen is None and kafka.discovery(job, block) is None:
            continue
        places = [(api.setting, "the whole call"), (request.setting, "one broker"), (found.servers, f"{found.brokers} brokers")]
        primary = chosen or found.servers
        related = [(setting, label) for setting, label in places if setting is not None and setting != primary]
        enough = found.attempts >= context.options["enough-attempts"]
        yield context.finding(
            f"a call fails once {_dead(found.attempts)} not answer: each of the {found.brokers} bootstrap brokers may take "
            f"request.timeout.ms ({kafka.say(request.value)}{request.origin}), and default.api.timeout.ms is over after "
            f"{kafka.say(api.value)}{api.origin}; to try them all it needs {kafka.say(needed)}",
            primary,
            related,
            severity="info" if enough else "",
            confidence="" if chosen else "low",
        )


def _dead(count: int) -> str:
    return f"{count} brokers in a row do" if count > 1 else "a single broker does"
