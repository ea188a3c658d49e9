"""Commits above the work on a record, and auto-commit together with work that is handed on, swallowed or written elsewhere: at-most-once, or a double write, around a crash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.python import clients, handlers, last_commits, waiting
from shoal.python.flow import catches_all, reraises
from shoal.python.resumed import resumed
from shoal.python.tree import ASSIGNMENTS, Call, alone, contains, descend, dotted, last_name, targets, unawaited
from shoal.python.values import names

_HANDED = {
    ("py.Executor", "submit"),
    ("py.Executor", "map"),
    ("py.Queue", "put"),
    ("py.AsyncQueue", "put"),
    ("py.Loop", "run_in_executor"),
    ("py.Pool", "apply_async"),
}
_STARTS = ("asyncio.create_task", "asyncio.ensure_future", "threading.Thread")
# Calls that wait until what was handed on is done.
_WAITS = names("join result wait as_completed shutdown")
_TOLD = "called for each record"
_WRITES = ("execute", "executemany", "insert_one", "insert_many", "to_sql")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for call, consumer in clients.made(module, clients.CONSUMERS):
        block = blocks.get(module.call_place(call).span)
        if block is None:
            continue
        commits = clients.uses(module, consumer, "commit")
        if block.open:  # whatever the settings: what failed is not asked for again
            yield from _failed(context, module, consumer, commits)
            loops = clients.record_loops(module, consumer)
            yield from _dead_letters(context, module, loops, commits)
            loops = set() if commits else loops
            for handler, related in _once(_let_go(module, consumer, loops)) or _resumed(module, consumer, loops):
                yield _lost(context, module, handler, [(module.call_place(call), "made here"), *related])
            continue
        auto, group = job.written(block, "enable.auto.commit"), job.written(block, "group.id")
        by_clock = auto is None or (auto.known and auto.text.strip().lower() != "false")
        stored = clients.uses(module, consumer, "store_offsets") if by_clock else []  # what is stored the clock commits
        early = _early(module, consumer, [*(one for one in commits if not clients.whole(one) or not _stores(job, block)), *stored])
        if early is not None:
            commit, work = early
            done = "stored, and so committed," if commit in stored else "committed"
            message = f"the offset is {done} before the record is worked on: a record whose work fails below, or is cut off by a crash, is never read again"
            related = [(module.call_place(work), "worked on only here")]
            yield context.finding(message, module.call_place(commit), related, covers=[module.covers(commit)])
        elif commits or stored:
            loops = clients.record_loops(module, consumer)
            yield from _dead_letters(context, module, loops, commits)
            yield from _late(context, module, consumer, loops, [*commits, *stored])
            yield from _passed(context, module, loops, commits)
            yield from _swallowed(context, module, consumer, loops, commits)
            if not by_clock:
                yield from _on_the_way_out(context, module, consumer, commits)
        if group is None and not (call.node.args and clients.library(consumer) == "confluent-kafka"):
            continue  # without a group nothing is committed
        if not by_clock:
            continue
        if not commits:
            yield from _dead_letters(context, module, clients.record_loops(module, consumer), [])
        if any(not one.spot.cleanup for one in commits) or (clients.library(consumer) == "confluent-kafka" and _stores(job, block)):
            continue  # what is committed on the way out only comes on top of what the clock commits
        yield from _loops(context, module, consumer, call, auto)
    for consumer in clients.received(module, clients.CONSUMERS):
        # made elsewhere: its settings are not in sight, but what it commits by hand is
        commits, loops = clients.uses(module, consumer, "commit"), clients.record_loops(module, consumer)
        yield from _late(context, module, consumer, loops, commits)
        yield from _passed(context, module, loops, commits)
        yield from _swallowed(context, module, consumer, loops, commits)
        yield from _dead_letters(context, module, loops, commits)
        yield from _on_the_way_out(context, module, consumer, commits)
        # where nothing is committed by hand the clock does it, or nobody: what failed is not asked for again
        kept = waiting.kept(module, consumer, loops) if loops and not commits else None
        if kept is not None:
            yield _waits(context, kept, [])
            continue
        loops = set() if commits else loops
        for handler, related in _once(_let_go(module, consumer, loops)) or _resumed(module, consumer, loops):
            yield _lost(context, module, handler, related)
    yield from _handed_on(context, module)
    yield from _side_by_side(context, module)


def _late(context: Context, module: Any, consumer: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """Commits of records that wait in a list, and those that come after a failure: what failed lies before the next offset."""
    inside = [commit for commit in commits if clients.in_loops(commit.spot, loops)]
    kept = waiting.kept(module, consumer, loops) if inside else None
    if kept is not None:
        enough = waiting.enough(kept.name)
        for commit in inside:
            tests = [
                cst.Module([]).code_for_node(arm.test) for arm in commit.spot.arms if arm.kind in ("if", "and") and arm.test is not None
            ]
            if (
                commit.function is kept.spot.function
                and not any(enough.search(test) for test in tests)
                and kept.arm not in commit.spot.arms
                and not commit.spot.cleanup
                and not _written_above(module, commit, kept.name)
            ):
                message = f"the offset is committed while the record waits in {kept.name} until there are enough: those that wait at a crash are lost (commit after the batch is written)"
                related = [(waiting.kept_at(module, kept), "it waits from here on")]
                yield context.finding(message, module.call_place(commit), related, confidence=kept.sure, covers=[module.covers(commit)])
                return
    failed = [*_failed(context, module, consumer, commits), *_skipped(context, module, consumer, loops, inside)]
    if failed:
        yield failed[0]
        return
    sought = {call.function for call in module.named("seek", "seek_to_committed", "pause")}
    given_up = list(_given_up(context, module, loops, inside, sought))
    yield from given_up or _only_when_done(context, module, consumer, loops, inside, sought)


def _failed(context: Context, module: Any, consumer: Any, commits: list[Call]) -> Iterator[Finding]:
    """Handlers around a commit, in the loop or in a function that the loop calls, after which it goes on with the next records."""
    loops = clients.record_loops(module, consumer)
    sought = {call.function for call in module.named("seek", "seek_to_committed", "pause")}
    for commit in commits:
        within = clients.in_loops(commit.spot, loops)
        sites = [] if within else _called_for_records(module, commit, loops)
        if not (within or sites) or commit.function in sought or any(site.function in sought for site in sites):
            continue
        handler = next((handler for handler in clients.handlers(commit) if catches_all(handler)), None)
        if (
            handler is None
            or reraises(handler, inner=False)
            or handlers.leaves_loop(handler)
            or handlers.dead_letter(module, handler, at_once=True)
        ):
            continue
        if (within and not (handlers.inside(module, handler, loops) and handlers.goes_on(module, handler, commit))) or _held_back(
            module, commit, handler
        ):
            continue
        if handlers.notes(handler) or _tries_again(module, consumer, handler) or _only_commits(commit, handler):
            continue
        message = "after a failure the loop goes on with the next records, and the next commit is beyond those that failed: they are never read again (seek back, stop, or put them aside)"
        related = [(module.call_place(commit), "commits past it the next time")]
        related += [(module.call_place(site), "called for the next records") for site in sites[:1]]
        yield context.finding(message, module.handler_place(handler), related, confidence="low")
        return
    again = resumed(module, consumer, loops) if commits else None
    if again is not None and not sought:
        commit = next(
            (one for one in commits if any(loop is again.loop for loop in one.spot.loops) or _called_in(module, one, again.loop)), None
        )
        if commit is not None:
            message = "after a failure this goes back to the same consumer, whose position is past the record that failed, and the next commit is, too: it is never read again (seek back, or make the consumer anew)"
            related = [(again.at, "may fail"), (module.call_place(commit), "commits past it the next time")]
            yield context.finding(message, module.handler_place(again.handler), related, confidence="low")


def _called_in(module: Any, commit: Call, loop: Any) -> bool:
    """Whether a loop calls the function that a commit stands in."""
    sites = module.call_sites(commit.function) if commit.function is not None else ()
    return any(any(one is loop for one in site.spot.loops) for site in sites)


def _skipped(context: Context, module: Any, consumer: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """Handlers that leave the round of a record whose work failed, above the commit; a record that only does not parse is best passed over."""
    sought = {call.function for call in module.named("seek", "seek_to_committed", "pause")}
    for commit in commits:
        loop = next(loop for loop in reversed(commit.spot.loops) if id(loop) in loops)
        records = clients.records(module, consumer, loop)
        for statement in module.tree.statements[: commit.spot.statement]:
            tried = statement.node
            if (
                not isinstance(tried, cst.Try)
                or statement.spot.loop is not loop
                or tried in commit.spot.guarded
                or commit.function in sought
            ):
                continue
            handler = next((one for one in tried.handlers if catches_all(one)), None)
            if (
                handler is None
                or not _goes_to_the_next(handler)
                or not handlers.only_logs(module, handler, commit.spot.scope, cst.Continue)
            ):
                continue
            work = next((call for call in module.calls if tried in call.spot.guarded and _works_on(module, call, records)), None)
            if work is not None:
                message = "after a failure the loop goes on with the next records, and the next commit is beyond those that failed: they are never read again (seek back, stop, or put them aside)"
                related = [(module.call_place(work), "may fail"), (module.call_place(commit), "commits past it the next time")]
                yield context.finding(message, module.handler_place(handler), related, confidence="low")
                return


def _goes_to_the_next(handler: Any) -> bool:
    """Whether a handler ends with `continue`."""
    line = handler.body.body[-1]
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[-1], cst.Continue)


def _works_on(module: Any, call: Call, records: set[str]) -> bool:
    """Whether a call does more with a record than to take it apart: it is a statement of its own."""
    given = any(clients.mentions(arg.value, records) for arg in call.node.args)
    return given and call.name not in handlers.APART and call.use in ("dropped", "awaited") and alone(module.tree, call)


def _only_commits(commit: Call, handler: Any) -> bool:
    """Whether nothing is tried but the commit itself: the next one makes good for it."""
    tried = next((node for node in commit.spot.guarded if handler in getattr(node, "handlers", ())), None)
    return tried is not None and handlers.called(tried.body) <= handlers.APART - {"decode", "loads"}


def _called_for_records(module: Any, commit: Call, loops: set[int]) -> list[Call]:
    """The calls in the loop of the function that a commit stands in, when none of them looks at what it gives back."""
    if commit.function is None or commit.function.yields:
        return []
    sites = [site for site in module.call_sites(commit.function) if clients.in_loops(site.spot, loops)]
    return [] if any(site.use not in ("dropped", "awaited") or not alone(module.tree, site) for site in sites) else sites


def _tries_again(module: Any, consumer: Any, handler: Any) -> bool:
    """Whether the loop right around is there to try the same records again: it takes none, and goes through none."""
    loop = module.spot_of(handler).loop
    if isinstance(loop, cst.For):
        return isinstance(loop.iter, cst.Call) and last_name(loop.iter.func) == "range"
    taking = clients.uses(module, consumer, "poll", "consume", "getone", "getmany")
    return loop is not None and not any(any(around is loop for around in call.spot.loops) for call in taking)


def _held_back(module: Any, commit: Call, handler: Any) -> bool:
    """Whether the `try` empties a list that is emptied nowhere else but where it begins: what failed is still in it the next time."""
    tried = next((node for node in commit.spot.guarded if handler in getattr(node, "handlers", ())), None)
    if tried is None:
        return False
    for call in module.calls:
        function = module.target(call) if tried in call.spot.guarded else None
        if function is not None and any(_outlives(function, name) for node in descend(function.body) for name in waiting.emptied(node)):
            return True
    kept = {name for node in descend(tried.body) for name in waiting.emptied(node)}
    return any(_fresh(module, commit, name, tried) for name in kept)


def _outlives(function: Any, name: str) -> bool:
    """Whether a list is a field, or was given to a function."""
    return name.startswith("self.") or function.param(name) is not None


def _fresh(module: Any, commit: Call, name: str, tried: Any) -> bool:
    """Whether only the `try` empties a list in the function of a commit, loops aside that begin with an empty one."""
    inside = {id(node) for node in descend(tried.body)}
    whole = commit.function.body if commit.function is not None else module.tree.node
    others = [node for node in descend(whole) if id(node) not in inside and name in waiting.emptied(node)]
    spots = {id(statement.node): statement.spot for statement in module.tree.statements}
    return not any(id(node) not in spots or spots[id(node)].in_loop() or not isinstance(node, cst.Assign) for node in others)


def _given_up(context: Context, module: Any, loops: set[int], commits: list[Call], sought: set[Any]) -> Iterator[Finding]:
    """A function that the loop asks for what a record says, and that gives None for one it fails on, which is then passed over."""
    for call in module.calls if commits else ():
        statement = module.tree.statements[call.spot.statement].node
        if (
            call.use != "assigned"
            or not isinstance(statement, ASSIGNMENTS)
            or not clients.in_loops(call.spot, loops)
            or call.function in sought
        ):
            continue
        handler = handlers.swallows(module, call)
        name = dotted(targets(statement)[0])
        if handler is None or not handlers.gives_none(handler) or not name or not _passed_over(module, name, loops):
            continue
        message = (
            "a record that fails here is logged at best, and the next commit is beyond it: it is never read again (put it aside, or stop)"
        )
        related = [(module.call_place(call), "called for each record"), (module.call_place(commits[-1]), "commits past it")]
        yield context.finding(message, module.handler_place(handler), related, confidence="low")
        return


def _only_when_done(
    context: Context, module: Any, consumer: Any, loops: set[int], commits: list[Call], sought: set[Any]
) -> Iterator[Finding]:
    """Commits only where the work on a record says that it succeeded, in a loop that otherwise goes on with the next."""
    for commit in commits:
        loop = commit.spot.loop
        arm = next((arm for arm in reversed(commit.spot.arms) if arm.kind in ("if", "loop")), None)
        if commit.function in sought or commit.spot.cleanup or id(loop) not in loops or arm is None or arm.kind == "loop":
            continue
        line = next((s.node for s in module.tree.statements if isinstance(s.node, cst.If) and s.node.test is arm.test), None)
        if line is None or _leaves_round(line.body) or not handlers.nothing_else(line.orelse):
            continue
        work = _asked(module, arm.test, commit, loop)
        records = clients.records(module, consumer, loop)
        if work is None or work.name in handlers.APART or not any(clients.mentions(arg.value, records) for arg in work.node.args):
            continue
        message = "a record whose work says that it failed is passed over, and the next commit is beyond it: it is never read again (seek back, stop, or put it aside)"
        related = [(module.call_place(work), "says whether it succeeded")]
        yield context.finding(message, module.call_place(commit), related, confidence="low", covers=[module.covers(commit)])
        return


def _asked(module: Any, test: Any, commit: Call, loop: Any) -> Call | None:
    """The call whose result a condition is, itself or by a name that is given it in the loop."""
    if isinstance(test, cst.Name):
        given = [
            statement.node.value
            for statement in module.tree.statements[: commit.spot.statement]
            if isinstance(statement.node, ASSIGNMENTS)
            and statement.spot.loop is loop
            and statement.node.value is not None
            and dotted(targets(statement.node)[0]) == test.value
        ]
        test = given[0] if len(given) == 1 else None
    return next((call for call in module.calls if call.node is unawaited(test)), None)


def _leaves_round(body: Any) -> bool:
    """Whether a suite leaves the round of its loop, so that what stands below it is for the others."""
    return any(isinstance(part, (cst.Continue, cst.Break, cst.Return, cst.Raise)) for part in descend(body))


def _passed_over(module: Any, name: str, loops: set[int]) -> bool:
    """Whether the loop asks for a name, and where it is None does nothing but log and go on."""
    asked = False
    for statement in module.tree.statements:
        node = statement.node
        if not isinstance(node, cst.If) or not clients.in_loops(statement.spot, loops):
            continue
        test = cst.Module([]).code_for_node(node.test)
        if test in (name, f"{name} is not None"):
            without = node.orelse.body if isinstance(node.orelse, cst.Else) else node.orelse
        elif test in (f"not {name}", f"{name} is None"):
            without = node.body
        else:
            continue
        asked = True
        for inner in descend(without) if without is not None else ():
            if isinstance(inner, (cst.Raise, cst.Break, cst.Return)) or (
                isinstance(inner, cst.Call) and handlers.method(inner) not in handlers.LOGS
            ):
                return False
    return asked


def _passed(context: Context, module: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """Commits behind a `try` around a write, whose failure is no more than logged. In a loop it may be meant for records that no try will mend."""
    for commit in commits:
        around = {(arm.group, arm.index) for arm in commit.spot.arms}
        for statement in module.tree.statements[: commit.spot.statement]:
            node = statement.node
            if not isinstance(node, cst.Try) or statement.spot.function is not commit.function or node in commit.spot.guarded:
                continue
            ended = contains(node.finalbody, commit.node)  # which comes after every way out of the `try`
            if not around <= {(arm.group, arm.index) for arm in statement.spot.arms} or contains(node.orelse, commit.node):
                continue
            handler = next((handler for handler in node.handlers if catches_all(handler)), None)
            write = next(
                (call for call in module.named(*handlers.called(node.body)) if node in call.spot.guarded and _writes(module, call)), None
            )
            if handler is None or write is None or not handlers.only_logs(module, handler, commit.spot.scope):
                continue
            if not ended and (
                any(isinstance(part, _LEAVES) for part in descend(node.body)) or not handlers.goes_on(module, handler, commit)
            ):
                continue
            message = "a write that fails above is only logged, and its records are committed all the same: they are never read again"
            sure = "low" if clients.in_loops(commit.spot, loops) and not ended else "medium"
            related = [(module.call_place(write), "may fail")]
            yield context.finding(message, module.call_place(commit), related, confidence=sure, covers=[module.covers(commit)])
            return


def _swallowed(context: Context, module: Any, consumer: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """Commits behind a call of a function that writes what it is given, and only logs that it failed."""
    inside = [commit for commit in commits if clients.in_loops(commit.spot, loops) and not commit.spot.cleanup]
    kept = waiting.kept(module, consumer, loops) if inside else None
    for commit in inside:
        loop = next(loop for loop in reversed(commit.spot.loops) if id(loop) in loops)
        records = clients.records(module, consumer, loop) | ({kept.name} if kept is not None else set())
        for call in module.calls:
            arms = call.spot.arms
            if (
                call.function is not commit.function
                or call.spot.statement >= commit.spot.statement
                or not call.node.args
                or not any(arm.test is loop for arm in arms)
            ):
                continue
            if call.use in ("dropped", "awaited") and alone(module.tree, call):
                given = any(clients.mentions(arg.value, records) for arg in call.node.args)
                if arms != commit.spot.arms[: len(arms)] or not (given or (arms == commit.spot.arms and _of_names(call))):
                    continue
            elif commit.spot.arms != arms[: len(commit.spot.arms)] or not _counted(module, call):
                continue
            if (swallowed := _write_swallowed(module, call)) is None:
                continue
            name, where, each = swallowed
            batch = kept is not None and any(clients.mentions(arg.value, {kept.name}) for arg in call.node.args)
            what = "a batch whose write fails" if batch and not each else "a record whose write fails"
            message = f"{what} in {name} is only logged there, and committed here all the same: it is never read again"
            related = [(module.call_place(call), "writes it"), (where, "only logs the failure")]
            yield context.finding(
                message, module.call_place(commit), related, confidence="medium" if batch else "low", covers=[module.covers(commit)]
            )
            return


def _of_names(call: Call) -> bool:
    """Whether a call is given more than literals: what was made of the records, say."""
    given = [part for arg in call.node.args for part in descend(arg.value)]
    return any(isinstance(part, cst.Name) and part.value not in ("None", "True", "False") for part in given)


def _write_swallowed(module: Any, call: Call) -> tuple[str, Place, bool] | None:
    """The function that a call runs, where it writes and only logs that it failed, and where it does; one of another module says so itself.

    With whether it is run for each record of a batch, and only counts what fails.
    """
    function = module.target(call)
    if function is not None:
        found = handlers.write_swallowed(module, function)
        if found is not None:
            return function.qualname, module.place(*found), False
        for inner in function.calls:
            target = module.target(inner) if inner.spot.loop is not None else None
            if target is not None and _counted(module, inner) and (found := handlers.write_swallowed(module, target)) is not None:
                return target.qualname, module.place(*found), True
        return None
    at = module.others.write_swallowed(call)
    return (call.name, Place(*at), False) if at is not None else None


def _counted(module: Any, call: Call) -> bool:
    """Whether an `if` asks only to count and to tell whether a call succeeded, and nothing comes of the count."""
    line = module.tree.statements[call.spot.statement].node
    if not isinstance(line, cst.If) or line.test is not call.node or call.function is None:
        return False
    suites = [line.body, *([line.orelse.body] if isinstance(line.orelse, cst.Else) else [])]
    if isinstance(line.orelse, cst.If) or not all(_only_tells(suite, cst.AugAssign) for suite in suites):
        return False
    counts = {dotted(part.target) for suite in suites for part in descend(suite) if isinstance(part, cst.AugAssign)}
    for part in descend(call.function.body):
        if isinstance(part, cst.Return) and part.value is not None and clients.mentions(part.value, counts):
            return False
        if isinstance(part, (cst.If, cst.While)) and clients.mentions(part.test, counts) and not _only_tells(part.body, ()):
            return False
    return bool(counts)


def _only_tells(suite: Any, but: type | tuple[type, ...]) -> bool:
    """Whether a suite does nothing but log and print; `but`: statements that it may have, too."""
    ends = (cst.Break, cst.Continue, cst.Return, cst.Raise, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Del)
    return not any(
        (isinstance(part, ends) and not isinstance(part, but))
        or (isinstance(part, cst.Call) and handlers.method(part) not in handlers.TELLS)
        for part in descend(suite)
    )


_DEAD = re.compile(r"(?i)dlq|dlt|dead_?letter|poison|quarantine|park")
_SENDS = ("send", "send_and_wait", "produce", "publish")


def _dead_letters(context: Context, module: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """Functions that put aside what failed, and only log that this fails, too; the commit behind, by hand or by the clock, goes past the record all the same."""
    for call in module.calls if loops else ():
        if call.use not in ("dropped", "awaited") or not alone(module.tree, call):
            continue
        after_a_failure = _DEAD.search(call.name) or any(arm.kind == "except" for arm in call.spot.arms)
        if not after_a_failure or not _for_a_record(module, call, loops, 2):
            continue
        handler = handlers.swallows(module, call, clients.catches_failures)
        function = module.target(call) if handler is not None else None
        named = function is not None and _DEAD.search(function.name) is not None
        sends = [
            inner
            for inner in (function.calls if function is not None else ())
            if inner.name in _SENDS and (named or module.receiver_type(inner) in clients.PRODUCERS)
        ]
        if any(handler in getattr(node, "handlers", ()) for inner in sends for node in inner.spot.guarded):
            behind = next((commit for commit in commits if not commit.spot.cleanup), None)
            message = f"a record that failed, and that {function.qualname} fails to put aside, is in neither topic: this is only logged, and the offset is committed all the same"
            related = [(module.call_place(call), "puts it aside"), *([(module.call_place(behind), "commits past it")] if behind else [])]
            yield context.finding(message, module.handler_place(handler), related, confidence="low")
            return


def _for_a_record(module: Any, call: Call, loops: set[int], levels: int) -> bool:
    """Whether a call stands in a loop over records, or in a function that such a loop calls."""
    if clients.in_loops(call.spot, loops):
        return True
    sites = module.call_sites(call.function) if levels and call.function is not None else ()
    return any(_for_a_record(module, site, loops, levels - 1) for site in sites)


_WRITE = re.compile(r"(?i)flush|write|insert|upsert|save|store|persist|upload|produce|execute|load|stream|sink|process|handle|update_")
_LEAVES = (cst.Return, cst.Break, cst.Continue)


def _writes(module: Any, call: Call, levels: int = 2) -> bool:
    """Whether a call writes, as its name says, or what is called in a function of this module that it runs."""
    if _WRITE.search(call.name):
        return True
    function = module.target(call) if levels else None
    return function is not None and any(_writes(module, inner, levels - 1) for inner in function.calls)


def _on_the_way_out(context: Context, module: Any, consumer: Any, commits: list[Call]) -> Iterator[Finding]:
    found = last_commits.last(module, consumer, commits)
    if found is not None:
        message = "this commits on the way out after a failure, too: the position is past the record that failed, and past what was taken with it, and they are never read again (commit only what is done)"
        place = module.call_place(found.commit)
        yield context.finding(message, place, [(found.at, found.why)], confidence="low", covers=[module.covers(found.commit)])


def _handed_on(context: Context, module: Any) -> Iterator[Finding]:
    """Commits that follow in the loop once the records are handed to other code, which nothing waits for."""
    for commit in module.named("commit"):
        loops = commit.spot.loops
        if module.receiver_type(commit) not in clients.CONSUMERS or not loops or commit.function is None:
            continue
        above = [
            call
            for call in commit.function.calls
            if call.spot.statement < commit.spot.statement and any(arm.test is loops[-1] for arm in call.spot.arms)
        ]
        if any(call.name in _WAITS for call in commit.function.calls):
            continue
        handed = next((call for call in above if _leaves(module, call) or _started(module, call, commit, loops[-1])), None)
        if handed is not None:
            message = (
                "the offset is committed once the record is handed to other code, not once it is done: what waits there at a crash is lost"
            )
            yield context.finding(
                message, module.call_place(commit), [(module.call_place(handed), "handed on here")], covers=[module.covers(commit)]
            )


def _side_by_side(context: Context, module: Any) -> Iterator[Finding]:
    """Commits of single records in the task, or job of a pool, that the loop starts for each: the one that is done first commits past those before it."""
    commits = [commit for commit in module.named("commit") if commit.args and module.receiver_type(commit) in clients.CONSUMERS]
    loops = clients.all_record_loops(module) if commits else set()
    for start in module.named("create_task", "ensure_future", "start_soon", "submit") if loops else ():
        if not clients.in_loops(start.spot, loops) or not start.node.args:
            continue
        given = start.node.args[0].value
        started = module.function_of(given.func if isinstance(given, cst.Call) else given, start.spot)
        around = [call for call in module.calls if call.function is start.function and clients.in_loops(call.spot, loops)]
        if any(call.name in ("gather", "wait", "as_completed", "result") for call in around):
            continue
        commit = next((commit for commit in commits if commit.function in started), None)
        if commit is not None:
            message = "this commits the record of whichever task is done first, past those before it that are still in work or fail: they are never read again (commit only up to the first that is not done)"
            related = [(module.call_place(start), "starts one for each record")]
            yield context.finding(message, module.call_place(commit), related, confidence="low", covers=[module.covers(commit)])
            return


def _leaves(module: Any, call: Call) -> bool:
    """Whether a call leaves a record to other code, and gives nothing back that could be waited for."""
    kind = module.receiver_type(call)
    return (kind in ("py.Queue", "py.AsyncQueue") and call.name in ("put", "put_nowait")) or (
        kind in ("py.Executor", "py.Pool") and call.name in ("submit", "apply_async") and call.use == "dropped"
    )


def _started(module: Any, call: Call, commit: Call, loop: Any) -> bool:
    """Whether a call starts a task or a thread for a record, which nothing in the function waits for."""
    if call.name == "Thread":
        starts = module.qualified(call) == "threading.Thread"
    else:
        starts = call.name in ("create_task", "ensure_future") and call.use == "dropped"
    if not starts or any(other.name in ("gather", "wait_for", "TaskGroup") for other in commit.function.calls):
        return False
    records = {name for consumer in module.receivers(commit) for name in clients.records(module, consumer, loop)}
    return any(clients.mentions(arg.value, records) for arg in call.node.args)


def _early(module: Any, consumer: Any, commits: list[Call]) -> tuple[Call, Call] | None:
    """A commit above all work on the record in its loop, and the first call that works on it."""
    loops = clients.record_loops(module, consumer)
    for commit in commits:
        loop = next((loop for loop in reversed(commit.spot.loops) if id(loop) in loops), None)
        if loop is None or commit.spot.cleanup or any(arm.kind == "except" for arm in commit.spot.arms):
            continue
        if commit.function is not None and commit.function.yields:
            continue
        inside = [
            call
            for call in module.calls
            if call.function is commit.function
            and call.name not in handlers.APART
            and any(arm.test is loop for arm in call.spot.arms)
            and not isinstance(module.tree.statements[call.spot.statement].node, cst.Raise)
        ]
        if any(call.spot.statement <= commit.spot.statement for call in inside):
            continue
        records = clients.records(module, consumer, loop)
        for call in inside:
            if call.spot.arms[: len(commit.spot.arms)] == commit.spot.arms and any(
                clients.mentions(arg.value, records) for arg in call.node.args
            ):
                return commit, call
    return None


def _written_above(module: Any, commit: Call, name: str) -> bool:
    """Whether all that waits in a list is given to a call right above a commit, in the same suite."""
    for call in module.calls:
        above = call.function is commit.function and call.spot.arms == commit.spot.arms and call.spot.statement < commit.spot.statement
        if call.name in handlers.APART | handlers.TELLS:
            continue
        if above and any(isinstance(arg.value, (cst.Name, cst.Attribute)) and dotted(arg.value) == name for arg in call.node.args):
            return True
    return False


def _stores(job: Job, block: Any) -> bool:
    stored = job.written(block, "enable.auto.offset.store")
    return stored is not None and stored.text.strip().lower() == "false"


def _loops(context: Context, module: Any, consumer: Any, made: Call, auto: Setting | None) -> Iterator[Finding]:
    """Look at the calls in the loops that take the consumer's records."""
    related = [(auto, "auto-commit is on") if auto is not None else (module.call_place(made), "enable.auto.commit is on by default")]
    loops = clients.record_loops(module, consumer)
    if not loops:
        return
    kept = waiting.kept(module, consumer, loops)
    if kept is not None:
        yield _waits(context, kept, related, kept.sure)
        for handler, called in _writers(module, loops):
            yield _lost(context, module, handler, [*related, *called])
        return
    kept = waiting.kept_in_field(module, loops)
    if kept is not None:
        call, name = kept
        message = f"records wait in {name} until another method takes them out, and their offsets are committed by the clock meanwhile: those that wait at a crash are lost (commit once they are written)"
        yield context.finding(message, module.call_place(call), related, confidence="low", covers=[module.covers(call)])
    said = False
    for call in module.calls:
        arms = [arm for arm in call.spot.arms if arm.kind == "loop" and id(arm.test) in loops]
        if not arms:
            continue
        full = module.qualified(call)
        handed = (module.receiver_type(call), call.name) in _HANDED or full in _STARTS
        if handed and _left_to(module, consumer, call, arms[-1].test):
            message = "the record is handed to other code and its offset is committed by the clock, done or not: what is in flight at a crash is lost"
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
            return
        handler = None if said else handlers.lets_go(module, call, loops)
        if handler is not None:
            said = True
            yield _lost(context, module, handler, related)
    others = _writers(module, loops)
    if not (others or said):
        others = (_swallowing(module, consumer, loops) or _resumed(module, consumer, loops))[:1]
    for handler, called in others:
        yield _lost(context, module, handler, [*related, *called])
    if said or others:
        return
    for call in module.named(*_WRITES):
        if clients.in_loops(call.spot, loops) and call.use == "dropped":
            message = "the write and the commit of the offset are not one: with auto-commit a crash between them writes a record twice or drops it (commit after the write, and make the write idempotent)"
            yield context.finding(message, module.call_place(call), related, severity="info", covers=[module.covers(call)])
            return


def _waits(context: Context, kept: waiting.Kept, related: list[Any], sure: str = "low") -> Finding:
    message = f"records wait in {kept.name} until there are enough of them, and their offsets are committed by the clock meanwhile: those that wait at a crash are lost (commit after the batch is written)"
    at = waiting.kept_at(context.module, kept)
    return context.finding(message, at, related, confidence=sure, covers=[at])


def _let_go(module: Any, consumer: Any, loops: set[int]) -> list[tuple[Any, list[tuple[Any, str]]]]:
    """The handlers after which a loop goes on with the next record, whatever became of this one: in the loop, and in functions that it calls."""
    first = next(([(found, [])] for call in module.calls if (found := handlers.lets_go(module, call, loops)) is not None), None)
    return [*(first or _swallowing(module, consumer, loops)[:1]), *_writers(module, loops)]


def _resumed(module: Any, consumer: Any, loops: set[int]) -> list[tuple[Any, list[tuple[Any, str]]]]:
    """The handler around the whole loop, after which it is entered again with the same consumer."""
    again = resumed(module, consumer, loops)
    return [(again.handler, [(again.at, "may fail")])] if again is not None else []


def _swallowing(module: Any, consumer: Any, loops: set[int]) -> list[tuple[Any, list[tuple[Any, str]]]]:
    """Those of functions that are given the record and whose whole work is tried, each with the call in the loop."""
    given = [call for call in _dropped(module, loops) if _takes_record(module, consumer, call, loops)]
    found = ((handlers.swallows(module, call), call) for call in given)
    return [(handler, [(module.call_place(call), _TOLD)]) for handler, call in found if handler is not None]


def _takes_record(module: Any, consumer: Any, call: Call, loops: set[int]) -> bool:
    loop = next(loop for loop in reversed(call.spot.loops) if id(loop) in loops)
    records = clients.records(module, consumer, loop)
    return not records or any(clients.mentions(arg.value, records) for arg in call.node.args)


def _writers(module: Any, loops: set[int]) -> list[tuple[Any, list[tuple[Any, str]]]]:
    """The same of functions that write."""
    found: dict[int, tuple[Any, list[tuple[Any, str]]]] = {}
    for call in _dropped(module, loops):
        function = module.target(call)
        if call.node.args and function is not None and handlers.write_swallowed(module, function) is not None:
            handler = handlers.swallowing(module, function)
            found.setdefault(id(handler), (handler, [(module.call_place(call), _TOLD)]))
    return list(found.values())


def _once(found: list[tuple[Any, list[tuple[Any, str]]]]) -> list[tuple[Any, list[tuple[Any, str]]]]:
    return list({id(handler): (handler, related) for handler, related in reversed(found)}.values())[::-1]


def _dropped(module: Any, loops: set[int]) -> list[Call]:
    return [call for call in module.calls if call.use == "dropped" and clients.in_loops(call.spot, loops)]


def _lost(context: Context, module: Any, handler: Any, related: Any) -> Finding:
    message = "a record that fails here is logged at best, and its offset is committed with the next: it is never tried again"
    return context.finding(message, module.handler_place(handler), related, confidence="low")


def _left_to(module: Any, consumer: Any, call: Call, loop: Any) -> bool:
    """Whether a record is left to a call; what is called for a new key only, on the way to the work on its record, has not the record to do."""
    records = clients.records(module, consumer, loop)
    if not any(clients.mentions(arg.value, records) for arg in call.node.args) or any(
        clients.mentions(arg.value, records - _fields(module, loop)) for arg in call.node.args
    ):
        return True
    return not any(
        other.name not in handlers.APART
        and other.function is call.function
        and other.spot.statement > call.spot.statement
        and any(arm.test is loop for arm in other.spot.arms)
        and _behind(other.spot.arms, call.spot.arms)
        and any(clients.mentions(arg.value, records) for arg in other.node.args)
        for other in module.calls
    )


def _fields(module: Any, loop: Any) -> set[str]:
    """The names of single fields in the body of a loop: `order["id"]`, `order.get("id")`, `message.key`."""
    found: set[str] = set()
    for statement in module.tree.statements:
        node = statement.node
        if isinstance(node, ASSIGNMENTS) and any(arm.test is loop for arm in statement.spot.arms) and node.value and _is_field(node.value):
            found |= {name for target in targets(node) for name in clients.target_names(target)}
    return found


def _is_field(node: Any) -> bool:
    """Whether an expression takes one field, and perhaps calls a method of it: `order["id"].upper()`."""
    if isinstance(node, cst.Call):
        return last_name(node.func) in ("get", "key") or (isinstance(node.func, cst.Attribute) and _is_field(node.func.value))
    return isinstance(node, cst.Subscript) or (isinstance(node, cst.Attribute) and node.attr.value == "key")


def _behind(arms: Any, branch: Any) -> bool:
    """Whether what has these arms comes after a branch, outside of it, whether or not the branch is taken."""
    for one, other in zip(arms, branch, strict=False):
        if one != other:
            return not (one.group == other.group and one.index != other.index)
    return len(arms) < len(branch)
