"""`enable.auto.commit=false`, a group, a loop over the records, and no commit in sight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, dotted
from shoal.python.values import Object, options
from shoal.templates import kafka

# What commits, or shows that offsets are kept elsewhere.
_COMMITS = (
    "commit",
    "commit_async",
    "send_offsets_to_transaction",
    "assign",
    "seek",
    "seek_to_committed",
    "seek_to_beginning",
    "seek_to_end",
)
# A commit on one of these is a database's.
_DATABASES = frozenset({"session", "db", "conn", "connection", "cursor", "cur", "transaction", "tx", "engine", "database", "sess"})
_READS = ("poll", "consume", "getone", "getmany", "__anext__")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for call, consumer in clients.made(module, clients.CONSUMERS):
        block = blocks.get(module.call_place(call).span)
        if block is None:
            continue
        auto, group = job.written(block, "enable.auto.commit"), job.written(block, "group.id")
        if auto is None or not auto.known or auto.text.strip().lower() != "false" or group is None:
            continue
        if group.text.strip().lower() in ("", "none") if group.known else _named_anew(module, group.text, call):
            continue
        if not _read(module, consumer) or clients.uses(module, consumer, *_COMMITS) or _elsewhere(module, call, consumer):
            continue
        message = "no offset is ever committed: auto-commit is off and nothing here commits, so that each start reads everything since auto.offset.reset again"
        yield context.finding(message, auto, [(group, "the group")], covers=[module.covers(call)])


def _named_anew(module: Any, group: str, made: Call) -> bool:
    """Whether the group has another name at each start, so that nobody comes back to its offsets."""
    if group.isidentifier():
        nodes = [(binding.node, binding.spot) for binding, _ in module.lookup(group, made.spot) if binding.kind == "assign"]
        group = " ".join(module.raw[slice(*module.span(node, spot))] for node, spot in nodes)
    return kafka.RANDOM.search(group) is not None


def _read(module: Any, consumer: Object) -> bool:
    """Whether the module itself takes the records."""
    return bool(clients.uses(module, consumer, *_READS)) or any(
        statement.node.__class__.__name__ == "For"
        and any(obj.node is consumer.node for obj in module.objects(statement.node.iter, statement.spot))
        for statement in module.tree.statements
    )


def _elsewhere(module: Any, made: Call, consumer: Object) -> bool:
    """Whether the consumer is handed to other code, or some commit is on something that cannot be followed."""
    if made.use in ("returned", "argument", "yielded", "entered"):
        return True
    for call in module.named(*_COMMITS):
        node = call.receiver_node
        if node is not None and not module.receivers(call) and dotted(node).rsplit(".", 1)[-1].lower() not in _DATABASES:
            return True
    for call in module.calls:
        if any(any(_is(option, consumer) for option in options(module.value(arg.value, call.spot))) for arg in call.node.args):
            return True
    return any(
        _is(option, consumer)
        for function in module.functions
        for node, spot in function.returns
        if node is not None
        for option in options(module.value(node, spot))
    )


def _is(value: Any, consumer: Object) -> bool:
    return isinstance(value, Object) and value.node is consumer.node
