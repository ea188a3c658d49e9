"""`enable.auto.commit=false`, a group, a loop over the records, and no commit in sight; or no group, and records that are written elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.inserts import plain_insert
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python import clients
from shoal.python.texts import text_of
from shoal.python.tree import Call, dotted, given_to, last_name
from shoal.python.values import Object, options
from shoal.templates import kafka
from shoal.text import MASK

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
_SENDS = ("send", "send_and_wait", "produce")
_INSERTS = ("execute", "executemany", "insert_one", "insert_many", "fetch", "fetchrow", "fetchval")
_CLOCK = pattern(r"\btime\.(?:time|monotonic)\(\)|\bdatetime\.(?:utc)?now\(")
_READS = ("poll", "consume", "getone", "getmany", "__anext__")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for call, consumer in clients.made(module, clients.CONSUMERS):
        block = blocks.get(module.call_place(call).span)
        if block is None:
            continue
        auto, group = job.written(block, "enable.auto.commit"), job.written(block, "group.id")
        if group is None and not block.open and clients.library(consumer) != "confluent-kafka":
            yield from _without_group(job, context, block, call, consumer)
            continue
        stored = job.written(block, "enable.auto.offset.store") if clients.library(consumer) == "confluent-kafka" else None
        unstored = _off(stored) and not _off(auto) and (auto is None or auto.known)
        at = stored if unstored else auto if _off(auto) else None
        if at is None or group is None:
            continue
        if group.text.strip().lower() in ("", "none") if group.known else _named_anew(module, group.text, call):
            continue
        if not _read(module, consumer) or clients.uses(module, consumer, "store_offsets", *_COMMITS) or _elsewhere(module, call, consumer):
            continue
        if unstored:
            message = "no offset is ever committed: auto-commit takes what was stored, storing is off and nothing here stores, so that each start reads everything since auto.offset.reset again"
            yield context.finding(message, at, [(group, "the group")], covers=[module.covers(call)])
            continue
        message = "no offset is ever committed: auto-commit is off and nothing here commits, so that each start reads everything since auto.offset.reset again"
        # a function that others may call as well, who then commit
        open_to_all = call.use == "returned" and call.function is not None and not call.function.name.startswith("_")
        sure = "low" if open_to_all or _samples(module, consumer) else "" if group.known else "medium"
        yield context.finding(message, at, [(group, "the group")], confidence=sure, covers=[module.covers(call)])
    yield from _of_quix(context)


def _of_quix(context: Context) -> Iterator[Finding]:
    """`app.get_consumer()` of Quix Streams commits what was stored, and stores nothing by itself; said where the records are written elsewhere, or worked on."""
    module = context.module
    if "offset.store" in module.raw:
        return
    for call in module.named("get_consumer"):
        for consumer in module.objects(call.node, call.spot):
            if consumer.type != "quix.Consumer" or consumer.node is not call.node or call.use in ("argument", "yielded", "returned"):
                continue
            if not _read(module, consumer) or clients.uses(module, consumer, "store_offsets", *_COMMITS) or _handed(module, consumer):
                continue
            loops = clients.record_loops(module, consumer)
            work, written = _work(module, consumer, loops)
            if work is not None and not _may_end(module, loops):
                message = "no offset is ever committed: the consumer of get_consumer() commits what store_offsets() was given, and nothing here calls it, so that each start begins where auto_offset_reset says"
                related = [(module.call_place(work), "written here" if written else "the work on a record")]
                sure = "medium" if written else "low"
                yield context.finding(message, module.call_place(call), related, confidence=sure, covers=[module.covers(call)])


def _work(module: Any, consumer: Object, loops: set[int]) -> tuple[Call | None, bool]:
    """What is done with a record in the loops, and whether that surely writes it somewhere."""
    for one in module.named(*_SENDS, *_INSERTS):
        if clients.in_or_called_in(module, one, loops) and _writes(module, one):
            return one, True
    return next((one for one in module.calls if _works(module, one, consumer, loops)), None), False


def _off(setting: Setting | None) -> bool:
    return setting is not None and setting.known and setting.text.strip().lower() == "false"


def _without_group(job: Job, context: Context, block: Block, call: Call, consumer: Object) -> Iterator[Finding]:
    """kafka-python and aiokafka go on without a group; said only where what is read is written elsewhere, or at least worked on, without end."""
    module = context.module
    if (
        job.written(block, "consumer.timeout.ms") is not None
        or clients.uses(module, consumer, *_COMMITS)
        or _elsewhere(module, call, consumer)
    ):
        return
    loops = clients.record_loops(module, consumer)
    work, written = _work(module, consumer, loops)
    reset = job.written(block, "auto.offset.reset")
    if (reset is not None and not reset.known) or _may_end(module, loops):
        return
    at = module.call_place(work) if work is not None else _added_up(module, consumer, loops)
    if at is None:
        return
    skips = reset is None or reset.text.strip().lower() in ("latest", "largest")
    then = (
        "at the end and skips what came in while it was down"
        if skips
        else f"at the beginning and {'writes' if written else 'works on'} everything once more"
    )
    message = f"no offset is ever committed: without group_id each start begins {then}"
    related = [(at, "written here" if written else "the work on a record" if work else "added up here")]
    sure = "medium" if written else "low"
    yield context.finding(message, module.call_place(call), related, confidence=sure, covers=[module.covers(call)])


def _writes(module: Any, call: Call) -> bool:
    """Whether a call adds something elsewhere: not a message to a browser, nor what only replaces."""
    if call.name in _SENDS:
        return module.receiver_type(call) in clients.PRODUCERS
    if call.name in ("insert_one", "insert_many"):
        return True
    text = text_of(module, call.node.args[0].value, call.spot) if call.node.args else None
    return text is not None and plain_insert(text.text.replace(MASK, "x")) is not None


# What a call is named that only tells of a record, keeps it in memory, or shows it to those who are there: such a program may want no offsets.
_SHOWS = pattern(
    r"(?i)print|^(?:debug|info|warning|warn|error|exception|critical|log)$|append|extend|^(?:add|put|put_nowait|update|set|emit|str|len|int|float|dict|list|get|"
    r"loads|dumps|decode|format|value|key|topic|items|values|isinstance|sleep|strip|split|join|now|inc|observe)$|send_(?:text|json|bytes|str)|broadcast|notify|publish|yield|display|show"
)


def _works(module: Any, call: Call, consumer: Object, loops: set[int]) -> bool:
    """Whether a call in the loop is given a record, or what was taken out of it, to do something with, or stores what was made of it."""
    loop = call.spot.loop_of(loops)
    on = dotted(call.receiver_node) if call.receiver_node is not None else ""
    stores = call.name in ("add", "merge") and on.rpartition(".")[2].lower() in _DATABASES  # rows of SQLAlchemy
    if loop is None or (_SHOWS.search(call.name) and not stores) or call.name[:1].isupper():
        return False
    records = clients.records(module, consumer, loop)
    if on in records and (
        call.name == "save" or module.target(call) is not None
    ):  # a row of Django, an object of the module's own made of the record
        return True
    return any(clients.mentions(arg.value, records) for arg in call.node.args)


def _added_up(module: Any, consumer: Object, loops: set[int]) -> Place | None:
    """Where the loop adds up what records hold (`total += order["amount"]`): a sum that misses some is wrong, one of lines that are shown is none."""
    for statement in module.tree.statements:
        loop = statement.spot.loop_of(loops)
        node = statement.node
        if loop is not None and isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign):
            counts = isinstance(node.value, cst.Call) and last_name(node.value.func) == "len"
            if not counts and clients.mentions(node.value, clients.records(module, consumer, loop)):
                return module.place(node.target, statement.spot)  # type: ignore[no-any-return]
    return None


def _samples(module: Any, consumer: Object) -> bool:
    """Whether a program only looks at a number of records, and hands none of them on: it may want to see the same ones the next time."""
    reads = clients.uses(module, consumer, *_READS)
    return (
        bool(reads)
        and all(
            call.spot.loops and all(_counted(loop) for loop in call.spot.loops) and clients.comes_to_an_end(module, call) for call in reads
        )
        and not any(_writes(module, call) for call in module.named(*_SENDS, *_INSERTS))
    )


def _counted(loop: Any) -> bool:
    """`for _ in range(100)`, `while count < 5`."""
    if isinstance(loop, cst.For):
        return isinstance(loop.iter, cst.Call) and last_name(loop.iter.func) == "range"
    return any(
        isinstance(part, cst.Comparison) and isinstance(part.comparisons[0].operator, (cst.LessThan, cst.LessThanEqual))
        for part in _conjuncts(loop.test)
    )


def _conjuncts(test: Any) -> Iterator[Any]:
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _conjuncts(test.left)
        yield from _conjuncts(test.right)
    else:
        yield test


def _may_end(module: Any, loops: set[int]) -> bool:
    """Whether one of the loops may be left, as once something was found."""
    return any(
        call.name == "exit"
        or (call.name in ("stop", "close") and (call.receiver_node is None or dotted(call.receiver_node).lower() not in _DATABASES))
        for call in module.tree.calls_in(loops)
    ) or any(
        isinstance(statement.node, (cst.Break, cst.Return)) and not _after_a_time(statement.spot)
        for statement in module.tree.statements_in(loops)
    )


def _after_a_time(spot: Any) -> bool:
    """Whether a loop is left for the clock alone, as by a job that runs for two minutes every hour."""
    arm = spot.arms[-1] if spot.arms else None
    return arm is not None and arm.kind == "if" and _CLOCK.search(cst.Module([]).code_for_node(arm.test)) is not None


def _named_anew(module: Any, group: str, made: Call) -> bool:
    """Whether the group has another name at each start, so that nobody comes back to its offsets."""
    return any(kafka.RANDOM.search(text) for text in (group, *_given(module, group, made.spot, 0)))


def _given(module: Any, name: str, spot: Any, level: int) -> Iterator[str]:
    """What a name, parameter or field is given, as it is written."""
    nodes: list[tuple[Any, Any]] = []
    if not name.isidentifier():
        nodes = [(one.node.value, one.spot) for one in given_to(module.tree, name)]
    for binding, _ in module.lookup(name, spot) if name.isidentifier() else ():
        if binding.kind == "assign":
            nodes.append((binding.node, binding.spot))
        elif binding.kind == "param":
            param = binding.detail.param(name)
            sites = module.call_sites(binding.detail)
            nodes += [(node, site.spot) for site in sites if (node := module.given(site, binding.detail, param)) is not None]
    for node, at in nodes:
        yield module.raw[slice(*module.span(node, at))]
        if isinstance(node, (cst.Name, cst.Attribute)) and level < 2:
            yield from _given(module, dotted(node), at, level + 1)


def _read(module: Any, consumer: Object) -> bool:
    """Whether the module itself takes the records: a poll whose answer nobody takes only serves callbacks, or joins the group."""
    taken = (call for call in clients.uses(module, consumer, *_READS) if call.use != "dropped")
    return bool(any(taken) or clients.loops_over(module, consumer))


def _elsewhere(module: Any, made: Call, consumer: Object) -> bool:
    """Whether the consumer is handed to other code, or some commit is on something that cannot be followed."""
    called = made.function is not None and bool(module.call_sites(made.function))
    if made.use in ("argument", "yielded", "entered") or (made.use == "returned" and not called) or _handed(module, consumer):
        return True
    return clients.given_back(module, consumer, made.function if called else None)


def _handed(module: Any, consumer: Object) -> bool:
    """Whether some commit is on something that cannot be followed, or the consumer is given to a function of another module."""
    for call in module.named(*_COMMITS):
        node = call.receiver_node
        if node is not None and not module.receivers(call) and dotted(node).rsplit(".", 1)[-1].lower() not in _DATABASES:
            return True
    for call in module.calls:
        given = any(_is(option, consumer) for arg in call.node.args for option in options(module.value(arg.value, call.spot)))
        if given and module.target(call) is None:  # of a function of the module it is seen what it does with the consumer
            return True
    return False


def _is(value: Any, consumer: Object) -> bool:
    return isinstance(value, Object) and value.node is consumer.node
