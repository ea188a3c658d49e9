"""The same transactional id prefix in two sinks."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Two tables over one topic of one name (a script and its copy) are taken for the same table."""
    seen: dict[str, tuple[Setting, str]] = {}
    told: set[str] = set()
    for block, _, value in tables.sinks(job):
        prefix = tables.option(job, block, *tables.PREFIX)
        if value != "exactly-once" or prefix is None or not prefix.known:
            continue
        if block.trait("several") and prefix.sure == "sure":
            message = f"the sinks abort each other's transactions and lose records: this is called more than once, and each sink has the prefix `{prefix.text.strip()}`"
            yield context.finding(message, prefix)
        first, name = seen.setdefault(prefix.text.strip(), (prefix, block.name))
        if first != prefix and (block.name != name or not name):
            message = f"the sinks abort each other's transactions and lose records: `{prefix.text.strip()}` is the prefix of {name or 'another sink'} too"
            apart = first.key_place().path != prefix.key_place().path  # two programs may never run at the same time
            yield context.finding(message, prefix, [(first, "the same prefix")], confidence="medium" if apart else "")
            if apart and prefix.text.strip() not in told:  # whoever looks at the other file alone is to know of it, too
                told.add(prefix.text.strip())
                message = message.replace(f"of {name or 'another sink'} too", f"of {block.name or 'another sink'} too")
                yield context.finding(message, first, [(prefix, "the same prefix")], confidence="medium")
