"""How the Kafka consumers of a module commit, and the failures after which their loops go on with the next record all the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python import clients, handlers, waiting
from shoal.python.resumed import resumed
from shoal.python.tree import ASSIGNMENTS, Call, targets
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.facts import Setting
    from shoal.job import Job
    from shoal.model import Place
    from shoal.python.module import Module
    from shoal.python.tree import Function
    from shoal.python.values import Object

    Related = list[tuple[Setting | Place, str]]

_TOLD = "called for each record"


class Committing(NamedTuple):
    """A consumer, and how it commits.

    `known`: whether all its settings are in sight. `commits`: by hand. `stored`: the calls of `store_offsets()` whose offsets the clock
    commits. `by_clock`: whether auto-commit is on; `only_clock`: and nothing else commits but on the way out. `one_by_one`: whether only
    what is stored by hand is committed. `loops`: ids of those that take its records. `related`: what makes it commit as it does.
    """

    consumer: Object
    known: bool
    commits: list[Call]
    stored: list[Call]
    by_clock: bool
    only_clock: bool
    one_by_one: bool
    loops: set[int]
    related: Related

    @property
    def by_hand(self) -> list[Call]:
        return [*self.commits, *self.stored]


def consumers(job: Job, module: Module) -> Iterator[Committing]:
    """Those that the module makes, and those that it is given: what they commit by hand is in sight whatever their settings are."""
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for made, consumer in clients.made(module, clients.CONSUMERS):
        block = blocks.get(module.call_place(made).span)
        if block is None:
            continue
        if block.open:
            yield _unknown(module, consumer, [(module.call_place(made), "made here")])
            continue
        auto, group, stored = (job.written(block, key) for key in ("enable.auto.commit", "group.id", "enable.auto.offset.store"))
        by_clock = auto is None or (auto.known and auto.text.strip().lower() != "false")
        one_by_one = stored is not None and stored.text.strip().lower() == "false"
        by_name = clients.library(consumer) == "confluent-kafka"
        commits = clients.uses(module, consumer, "commit")
        # without a group nothing is committed; what is committed on the way out only comes on top of what the clock commits
        grouped = group is not None or (bool(made.node.args) and by_name)
        alone = not any(not one.spot.cleanup for one in commits) and not (by_name and one_by_one)
        yield Committing(
            consumer,
            True,
            commits,
            clients.uses(module, consumer, "store_offsets") if by_clock else [],
            by_clock,
            by_clock and grouped and alone,
            one_by_one,
            clients.record_loops(module, consumer),
            [(auto, "auto-commit is on") if auto is not None else (module.call_place(made), "enable.auto.commit is on by default")],
        )
    for consumer in clients.received(module, clients.CONSUMERS):
        yield _unknown(module, consumer, [])


def _unknown(module: Module, consumer: Object, related: Related) -> Committing:
    """Where nothing is committed by hand the clock does it, or nobody: what failed is not asked for again."""
    commits = clients.uses(module, consumer, "commit")
    return Committing(consumer, False, commits, [], not commits, not commits, False, clients.record_loops(module, consumer), related)


def let_go(module: Module, one: Committing) -> list[tuple[Any, Related]]:
    """The handlers after which a loop goes on with the next record, whatever became of this one: in the loop, around it, and in functions that it calls.

    Each with what is called where. Where records wait in a list, only those of functions that write: others may leave them there.
    """
    found = _writers(module, one.loops)
    if waiting.kept(module, one.consumer, one.loops) is None:
        first = next(
            (handler for call in module.tree.calls_in(one.loops) if (handler := handlers.lets_go(module, call, one.loops)) is not None),
            None,
        )
        found = [*([(first, [])] if first is not None else _swallowing(module, one)[:1]), *found]
    return list({id(handler): (handler, related) for handler, related in reversed(found)}.values())[::-1] or _around(module, one)


def _around(module: Module, one: Committing) -> list[tuple[Any, Related]]:
    """The handler around the whole loop, after which it is entered again with the same consumer."""
    again = resumed(module, one.consumer, one.loops)
    return [(again.handler, [(again.at, "may fail")])] if again is not None else []


def _swallowing(module: Module, one: Committing) -> list[tuple[Any, Related]]:
    """Those of functions that are given the record and whose whole work is tried, each with the call in the loop."""
    given = [call for call in _dropped(module, one.loops) if _takes_record(module, one, call)]
    found = ((handlers.swallows(module, call), call) for call in given)
    return [(handler, [(module.call_place(call), _TOLD)]) for handler, call in found if handler is not None]


def handed(module: Module, one: Committing) -> list[Call]:
    """The calls in a loop that are given its record, or what was made of it just before: `store(parse(message))`, `rows = parse(message)`, `store(rows)`."""
    found = []
    for call in _dropped(module, one.loops):
        loop = call.spot.loop_of(one.loops)
        taken = set(clients.records(module, one.consumer, loop))
        for statement in module.tree.statements_in({id(loop)}):
            made = isinstance(statement.node, ASSIGNMENTS) and statement.node.value is not None
            if made and clients.mentions(statement.node.value, taken):
                taken |= {target.value for target in targets(statement.node) if isinstance(target, cst.Name)}
        if any(clients.mentions(arg.value, taken) for arg in call.node.args):
            found.append(call)
    return found


def _takes_record(module: Module, one: Committing, call: Call) -> bool:
    loop = call.spot.loop_of(one.loops)
    records = clients.records(module, one.consumer, loop)
    return not records or any(clients.mentions(arg.value, records) for arg in call.node.args)


def _writers(module: Module, loops: set[int]) -> list[tuple[Any, Related]]:
    """The same of functions that write, also where what the loop calls hands on to them what it has: a buffer that it fills, say."""
    found: dict[int, tuple[Any, Related]] = {}
    for call in _dropped(module, loops):
        function = module.target(call) if call.node.args else None
        for writer in _handed_to(module, function, 2) if function is not None else ():
            handler = handlers.swallowing_write(module, writer)
            if handler is not None:
                found.setdefault(id(handler), (handler, [(module.call_place(call), _TOLD)]))
    return list(found.values())


def _handed_to(module: Module, function: Function, levels: int) -> Iterator[Function]:
    """A function, and those that it only hands something to."""
    yield function
    for call in function.calls if levels else ():
        target = module.target(call) if call.use == "dropped" and call.node.args else None
        if target is not None and target is not function:
            yield from _handed_to(module, target, levels - 1)


def _dropped(module: Module, loops: set[int]) -> list[Call]:
    return [call for call in module.tree.calls_in(loops) if call.use == "dropped"]
