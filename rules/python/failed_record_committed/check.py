"""Failures that are only logged, behind which the next commit, by hand or by the clock, goes past the record that failed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python import clients, committing, handlers, last_commits, waiting
from shoal.python.flow import catches_all, reraises
from shoal.python.resumed import resumed
from shoal.python.tree import ASSIGNMENTS, Call, alone, contains, descend, dotted, last_name, targets, unawaited

_LEAVES = (cst.Return, cst.Break, cst.Continue)
_WRITE = pattern(
    r"(?i)flush|write|insert|upsert|save|store|persist|upload|produce|execute|load|stream|sink|process|handle|update_|^post$|bulk|to_sql|copy_(?:from|expert|records)|put_(?:object|record|item)"
)
_IN_A_THREAD = frozenset({"to_thread", "run_in_executor", "get_running_loop", "get_event_loop", "run_sync"})
_SENDS = ("send", "send_and_wait", "produce", "publish")
_DEAD = pattern(r"(?i)dlq|dlt|dead_?letter|poison|quarantine|park")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for one in committing.consumers(job, module):
        consumer, loops, commits = one.consumer, one.loops, one.by_hand
        if commits:
            found = [
                *_gone_past(context, module, consumer, loops, commits),
                *_passed(context, module, loops, one.commits),
                *_swallowed(context, module, consumer, loops, one.commits),
            ]
            found = found or list(_swallowed_in_called(context, module, loops, one.commits))
            yield from found or _in_the_handler(context, module, loops, commits)
            if not (one.known and one.by_clock):
                yield from _on_the_way_out(context, module, consumer, one.commits)
        if commits or one.only_clock:
            yield from _dead_letters(context, module, loops, one.commits)
            yield from _unsent_in_the_handler(context, module, loops, one.commits)
        if one.only_clock:
            let_go = committing.let_go(module, one)
            for handler, called in let_go:
                message = "a record that fails here is logged at best, and its offset is committed with the next: it is never tried again"
                yield context.finding(message, module.handler_place(handler), [*one.related, *called], confidence="low")
            for call in committing.handed(module, one) if not let_go else ():
                if (at := module.others.write_swallowed(call)) is not None:
                    message = f"a record whose write fails in {call.name} is only logged there, and its offset is committed with the next: it is never tried again"
                    related = [*one.related, (Place(*at), "only logs the failure")]
                    yield context.finding(message, module.call_place(call), related, confidence="low", covers=[module.covers(call)])
                    break


def _gone_past(context: Context, module: Any, consumer: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """Commits that come after a failure: what failed lies before the next offset."""
    inside = [commit for commit in commits if clients.in_loops(commit.spot, loops)]
    here = {statement.spot.function for statement in module.tree.statements if id(statement.node) in loops}
    sought = {  # which is not where the loop is to begin
        call.function
        for call in module.named("seek", "seek_to_committed", "pause")
        if call.function not in here or clients.in_loops(call.spot, loops)
    }
    failed = [
        *_failed(context, module, consumer, loops, commits, sought),
        *_skipped(context, module, consumer, loops, inside, sought),
    ]
    if failed:
        yield failed[0]
        return
    given_up = list(_given_up(context, module, loops, inside, sought))
    yield from given_up or _only_when_done(context, module, consumer, loops, inside, sought)


def _failed(context: Context, module: Any, consumer: Any, loops: set[int], commits: list[Call], sought: set[Any]) -> Iterator[Finding]:
    """Handlers around a commit, in the loop or in a function that the loop calls, after which it goes on with the next records."""
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
    again = resumed(module, consumer, loops) if not sought else None
    if again is not None:
        behind = next(
            (one for one in commits if any(loop is again.loop for loop in one.spot.loops) or _called_in(module, one, again.loop)), None
        )
        if behind is not None:
            message = "after a failure this goes back to the same consumer, whose position is past the record that failed, and the next commit is, too: it is never read again (seek back, or make the consumer anew)"
            related = [(again.at, "may fail"), (module.call_place(behind), "commits past it the next time")]
            yield context.finding(message, module.handler_place(again.handler), related, confidence="low")


def _in_the_handler(context: Context, module: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """A handler for every failure that commits the record itself, and puts it nowhere."""
    for commit in commits:
        arm = next((arm for arm in reversed(commit.spot.arms) if arm.kind == "except"), None)
        if arm is None or not clients.in_loops(commit.spot, loops):
            continue
        handler = arm.test.handlers[arm.index - 1]
        if not catches_all(handler) or handlers.called(arm.test.body) <= handlers.APART:
            continue
        if handlers.called(handler.body) <= handlers.TELLS | {commit.name} and not reraises(handler, inner=False):
            message = "whatever fails here, its record is committed: while what it is written to is away, each record is read, fails and is gone (try it again, stop, or put it aside)"
            yield context.finding(message, module.call_place(commit), confidence="low", covers=[module.covers(commit)])
            return


def _called_in(module: Any, commit: Call, loop: Any) -> bool:
    """Whether a loop calls the function that a commit stands in."""
    sites = module.call_sites(commit.function) if commit.function is not None else ()
    return any(any(one is loop for one in site.spot.loops) for site in sites)


def _skipped(context: Context, module: Any, consumer: Any, loops: set[int], commits: list[Call], sought: set[Any]) -> Iterator[Finding]:
    """Handlers that leave the round of a record whose work failed, above the commit; a record that only does not parse is best passed over."""
    for commit in commits:
        loop = commit.spot.loop_of(loops)
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
    tried = clients.tried(commit.spot, handler)
    return tried is not None and handlers.called(tried.body) <= (handlers.APART - {"decode", "loads"}) | _IN_A_THREAD


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
    tried = clients.tried(commit.spot, handler)
    if tried is None:
        return False
    for call in module.calls:
        function = module.target(call) if tried in call.spot.guarded else None
        if function is not None and any(_outlives(function, name) for node in descend(function.body) for name in waiting.emptied(node)):
            return True
    kept = {name for node in descend(tried.body) for name in waiting.emptied(node)}
    return any(_fresh(module, commit, name, tried) and not _begun(tried, name) for name in kept)


def _begun(tried: cst.Try, name: str) -> bool:
    """Whether a list is made in the `try` before anything is put into it: nothing of an earlier round is in it."""
    for node in descend(tried.body) if name.isidentifier() else ():
        if name in waiting.emptied(node):
            return isinstance(node, cst.Assign)
        if isinstance(node, cst.Name) and node.value == name:
            return False
    return False


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
    for call in module.tree.calls_in(loops) if commits else ():
        statement = module.tree.statements[call.spot.statement].node
        if call.use != "assigned" or not isinstance(statement, ASSIGNMENTS) or call.function in sought:
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
        records = clients.records(module, consumer, loop)
        asked = _asked(module, arm.test, commit, loop)
        work = asked or _flagged(module, arm.test, commit, loop, records)
        if work is None or work.name in handlers.APART or not any(clients.mentions(arg.value, records) for arg in work.node.args):
            continue
        message = "a record whose work failed is passed over, and the next commit is beyond it: it is never read again (seek back, stop, or put it aside)"
        related = [(module.call_place(work), "says whether it succeeded" if asked is not None else "may fail")]
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


def _flagged(module: Any, test: Any, commit: Call, loop: Any, records: set[str]) -> Call | None:
    """The work behind which a name becomes True, in a `try` that goes on after a failure: `done = False`, `try: work(record); done = True`."""
    if not isinstance(test, cst.Name):
        return None
    above = [one for one in module.tree.statements[: commit.spot.statement] if any(arm.test is loop for arm in one.spot.arms)]
    given = [one for one in above if isinstance(one.node, ASSIGNMENTS) and dotted(targets(one.node)[0]) == test.value]
    if not given or any(not isinstance(one.node.value, cst.Name) or one.node.value.value not in ("True", "False") for one in given):
        return None
    if any(isinstance(one.node, cst.If) and _put_aside_otherwise(one.node, test.value) for one in above):
        return None
    for one in given:
        tried = next((node for node in reversed(one.spot.guarded) if isinstance(node, cst.Try)), None)
        handler = next((each for each in tried.handlers if catches_all(each)), None) if tried is not None else None
        if handler is None or one.node.value.value != "True" or reraises(handler, inner=False) or handlers.dead_letter(module, handler):
            continue
        if any(isinstance(part, (cst.Break, cst.Return)) for part in descend(handler.body)) or one.spot.arms[-1].kind == "except":
            continue
        for call in module.calls:
            before = tried in call.spot.guarded and call.spot.statement < one.spot.statement
            if before and call.name not in handlers.APART and any(clients.mentions(arg.value, records) for arg in call.node.args):
                return call  # type: ignore[no-any-return]
    return None


def _put_aside_otherwise(line: cst.If, name: str) -> bool:
    """Whether an `if not done` does more than to tell, and not only in a `try` that sets the name where it succeeds."""
    if not isinstance(line.test, cst.UnaryOperation) or not isinstance(line.test.operator, cst.Not) or dotted(line.test.expression) != name:
        return False
    tried = [part for part in line.body.body if isinstance(part, cst.Try)]
    sets = any(isinstance(part, cst.Assign) and dotted(part.targets[0].target) == name for one in tried for part in descend(one.body))
    return not sets and (not handlers.called(line.body) <= handlers.TELLS or _leaves_round(line.body))


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
            handler = next((handler for handler in node.handlers if handlers.catches_outages(handler)), None)
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
        loop = commit.spot.loop_of(loops)
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
            given = False
            if call.use in ("dropped", "awaited") and alone(module.tree, call):
                given = any(clients.mentions(arg.value, records) for arg in call.node.args)
                if arms != commit.spot.arms[: len(arms)] or not (given or (arms == commit.spot.arms and _of_names(call))):
                    continue
            elif commit.spot.arms != arms[: len(commit.spot.arms)] or not _counted(module, call):
                continue
            swallowed = _write_swallowed(module, call) or (_work_swallowed(module, call) if given else None)
            if swallowed is None:
                continue
            name, where, each, sure = swallowed
            batch = kept is not None and any(clients.mentions(arg.value, {kept.name}) for arg in call.node.args)
            what = "a batch whose write fails" if batch and not each else "a record whose write fails" if sure else "a record that fails"
            message = f"{what} in {name} is only logged there, and committed here all the same: it is never read again"
            related = [(module.call_place(call), "writes it"), (where, "only logs the failure")]
            yield context.finding(
                message,
                module.call_place(commit),
                related,
                confidence="medium" if batch and sure else "low",
                covers=[module.covers(commit)],
            )
            return


def _swallowed_in_called(context: Context, module: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """The same of a commit in a function that the loop calls for each record, behind what it does with the record in one case or the other."""
    for commit in commits:
        function = commit.function
        if function is None or clients.in_loops(commit.spot, loops) or commit.spot.cleanup:
            continue
        arms = commit.spot.arms
        for call in function.calls if _called_for_records(module, commit, loops) else ():
            if call.spot.statement >= commit.spot.statement or call.use not in ("dropped", "awaited") or not alone(module.tree, call):
                continue
            cases = call.spot.arms[len(arms) :]
            if call.spot.arms[: len(arms)] != arms or not all(arm.kind in ("if", "else") for arm in cases) or not _of_names(call):
                continue
            between = module.tree.statements[call.spot.statement : commit.spot.statement]
            if any(
                isinstance(one.node, (*_LEAVES, cst.Raise)) and one.spot.arms[: len(call.spot.arms)] == call.spot.arms for one in between
            ):
                continue
            if (swallowed := _write_swallowed(module, call)) is None:
                continue
            name, where, _, _ = swallowed
            message = f"a record whose write fails in {name} is only logged there, and committed here all the same: it is never read again"
            related = [(module.call_place(call), "writes it"), (where, "only logs the failure")]
            yield context.finding(message, module.call_place(commit), related, confidence="low", covers=[module.covers(commit)])
            return


def _of_names(call: Call) -> bool:
    """Whether a call is given more than literals: what was made of the records, say."""
    given = [part for arg in call.node.args for part in descend(arg.value)]
    return any(isinstance(part, cst.Name) and part.value not in ("None", "True", "False") for part in given)


def _write_swallowed(module: Any, call: Call) -> tuple[str, Place, bool, bool] | None:
    """The function that a call runs, where it writes and only logs that it failed, and where it does; one of another module says so itself.

    With whether it is run for each record of a batch, or goes through them itself, and only counts or logs what fails; and whether that is surely not
    meant for records that no try will mend.
    """
    function = module.target(call)
    if function is not None:
        found = handlers.write_swallowed(module, function)
        if found is not None:
            return function.qualname, module.place(*found), False, True
        found = handlers.each_write_swallowed(module, function)
        if found is not None:
            return function.qualname, module.place(*found), True, False
        for inner in function.calls:
            target = module.target(inner) if inner.spot.loop is not None else None
            if target is not None and _counted(module, inner) and (found := handlers.write_swallowed(module, target)) is not None:
                return target.qualname, module.place(*found), True, True
        return None
    at = module.others.write_swallowed(call)
    return (call.name, Place(*at), False, True) if at is not None else None


def _work_swallowed(module: Any, call: Call) -> tuple[str, Place, bool, bool] | None:
    """A function that is given the record, waits for work on it within a `try`, and logs or counts what fails, or goes on with the next handler."""
    function = module.target(call)
    for inner in function.calls if function is not None and function.is_async else ():
        if inner.use != "awaited" or not alone(module.tree, inner) or inner.name in handlers.APART or not _of_names(inner):
            continue
        for tried in reversed(inner.spot.guarded):
            handler = next((one for one in getattr(tried, "handlers", ()) if catches_all(one)), None)
            if handler is None:
                continue
            spot = module.spot_of(handler)
            if spot is None or not _ends_the_work(function, tried) or not _only_counts(module, handler, spot.scope):
                break
            return function.qualname, module.place(handler.type or handler, spot), True, False
    return None


def _ends_the_work(function: Any, tried: Any) -> bool:
    """Whether nothing is done with the record behind a `try`: it is the last of its function, or of a loop over those who are told of it."""
    body = function.node.body.body if isinstance(function.node, cst.FunctionDef) else ()
    return bool(body) and (
        body[-1] is tried or any(isinstance(part, cst.For) and part.body.body[-1] is tried for part in descend(body[-1]))
    )


def _only_counts(module: Any, handler: Any, scope: Any) -> bool:
    """Whether a handler only logs, counts and gives nothing back."""
    gives = [part for part in descend(handler.body) if isinstance(part, cst.Return)]
    return all(one.value is None or dotted(one.value) in ("None", "False") for one in gives) and handlers.only_logs(
        module, handler, scope, (cst.AugAssign, cst.Return)
    )


def _counted(module: Any, call: Call) -> bool:
    """Whether an `if` asks only to count and to tell whether a call succeeded, and nothing comes of the count."""
    line = module.tree.statements[call.spot.statement].node
    if not isinstance(line, cst.If) or line.test is not call.node or call.function is None:
        return False
    suites = [line.body, *([line.orelse.body] if isinstance(line.orelse, cst.Else) else [])]
    if isinstance(line.orelse, cst.If) or not all(handlers.only_tells(suite, cst.AugAssign) for suite in suites):
        return False
    counts = {dotted(part.target) for suite in suites for part in descend(suite) if isinstance(part, cst.AugAssign)}
    for part in descend(call.function.body):
        if isinstance(part, cst.Return) and part.value is not None and _asks(part.value, counts):
            return False
        # `if done >= most: break` of what succeeded only ends a run; of failures it would be an answer to them
        ends = () if isinstance(part, cst.While) or _names_in(line.orelse, counts) else cst.Break
        if isinstance(part, (cst.If, cst.While)) and _asks(part.test, counts) and not handlers.only_tells(part.body, ends):
            return False
    return bool(counts)


def _asks(node: Any, counts: set[str]) -> bool:
    """Whether an expression reads one of these, which may be fields: `self.failed`."""
    return any(dotted(part) in counts for part in descend(node) if isinstance(part, (cst.Name, cst.Attribute)))


def _names_in(suite: Any, counts: set[str]) -> bool:
    """Whether a suite adds to one of these."""
    return suite is not None and any(isinstance(part, cst.AugAssign) and dotted(part.target) in counts for part in descend(suite))


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
        if function is None:
            continue
        named = _DEAD.search(function.name) is not None
        sends = [inner for inner in function.calls if inner.name in _SENDS and (named or module.receiver_type(inner) in clients.PRODUCERS)]
        if any(handler in getattr(node, "handlers", ()) for inner in sends for node in inner.spot.guarded):
            behind = next((commit for commit in commits if not commit.spot.cleanup), None)
            message = f"a record that failed, and that {function.qualname} fails to put aside, is in neither topic: this is only logged, and the offset is committed all the same"
            related = [(module.call_place(call), "puts it aside"), *([(module.call_place(behind), "commits past it")] if behind else [])]
            yield context.finding(message, module.handler_place(handler), related, confidence="low")
            return


def _unsent_in_the_handler(context: Context, module: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """A handler in the loop that puts a record aside in a `try` of its own, and only logs that this fails, too."""
    for call in module.named(*_SENDS) if loops else ():
        tried = call.spot.guarded[-1] if call.spot.guarded else None
        spot = module.spot_of(tried) if isinstance(tried, cst.Try) else None
        if tried is None or spot is None or module.receiver_type(call) not in clients.PRODUCERS or not clients.in_loops(spot, loops):
            continue
        handler = next((one for one in tried.handlers if catches_all(one)), None)
        outer = next((arm for arm in reversed(spot.arms) if arm.kind == "except"), None)
        if handler is None or outer is None or not handlers.only_logs(module, handler, call.spot.scope):
            continue
        behind = next((commit for commit in commits if not commit.spot.cleanup), None)
        if any(isinstance(part, (cst.Return, cst.Break, cst.Raise)) for part in descend(outer.test.handlers[outer.index - 1].body)):
            continue
        message = "a record that failed, and that fails to be put aside, is in neither topic: this is only logged, and the offset is committed all the same"
        related = [(module.call_place(call), "puts it aside"), *([(module.call_place(behind), "commits past it")] if behind else [])]
        yield context.finding(message, module.handler_place(handler), related, confidence="low")
        return


def _for_a_record(module: Any, call: Call, loops: set[int], levels: int) -> bool:
    """Whether a call stands in a loop over records, or in a function that such a loop calls."""
    if clients.in_loops(call.spot, loops):
        return True
    sites = module.call_sites(call.function) if levels and call.function is not None else ()
    return any(_for_a_record(module, site, loops, levels - 1) for site in sites)


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
