"""`group.id` with a random part or the time of the start."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Span
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    consumers = [*kafka.clients(job, "consumer")]
    apart = _without_group(context) if consumers else set()
    for block in consumers:
        if block.place.span in apart:
            continue
        group = kafka.find(job, block, "group.id")
        if (
            group is None
            or group.known
            or not (kafka.RANDOM.search(group.text) or any(_made_up(context, name) for name in _parts(group.text)))
        ):
            continue
        message = (
            "the group is another one at every start: what the last run committed is never found again, so records are read twice or skipped "
            "as auto.offset.reset says, and the old groups stay with the brokers"
        )
        yield context.finding(message, group)


def _parts(text: str) -> list[str]:
    """The variables that a name is put together of: `group`, `"orders-" + suffix`, `f"orders-{suffix}"`."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return []
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _made_up(context: Context, name: str) -> bool:
    """Whether all that a program gives a variable of this name has such a part; `name=name,` on a line of its own hands it on."""
    module = context.module
    lines = rf"^[ \t]*{name}[ \t]*=[ \t]*(?!{name}[ \t]*[,)])(.+)$"
    given = re.findall(lines, module.raw, re.MULTILINE) if module is not None and name.isidentifier() else []
    return bool(given) and all(kafka.RANDOM.search(value) for value in given)


def _without_group(context: Context) -> set[Span]:
    """Where consumers are made that are given their partitions, or only asked about topics: to them the name of the group means nothing."""
    module, found = context.module, set[Span]()
    if module is None:
        return found
    from shoal.python import clients  # LibCST comes with it

    for call, consumer in clients.made(module, clients.CONSUMERS):
        subscribes = clients.uses(module, consumer, "subscribe") or (
            clients.library(consumer) != "confluent-kafka" and call.node.args and not call.node.args[0].keyword
        )
        if not subscribes and clients.uses(module, consumer, "assign", "list_topics", "partitions_for_topic"):
            found.add(module.call_place(call).span)
    return found
