"""Commits above the work on a record, and auto-commit together with work that is handed on, swallowed or written elsewhere: at-most-once, or a double write, around a crash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import libcst as cst

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import catches_all, reraises
from shoal.python.tree import Call, descend, dotted, last_name
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
_LOGS = names("print error warning exception info debug warn critical str format print_exc sleep repr rollback")
# Calls that do no work on a record: they take it apart, or look after the consumer.
_APART = _LOGS | names(
    "value key topic partition offset timestamp headers error code name decode loads dumps get items values keys len int float isinstance strip split "
    "commit store_offsets TopicPartition OffsetAndMetadata poll consume getone getmany pause resume position assignment time now perf_counter isoformat is_set "
    "KafkaException KafkaError ValueError Exception flush_log join replace lower upper type fatal"
)
# What a log line says of a record, beside what failed.
_TELLS = _LOGS | names(
    "value key topic partition offset timestamp headers error code name type decode len isoformat now get split "
    "exc_info format_exc labels inc increment incr capture_exception record_exception set_status"
)
_EMPTY = (
    "[]",
    "{}",
    '""',
    "''",
    'b""',
    "b''",
    "list()",
    "dict()",
    "deque()",
    "defaultdict(list)",
    "collections.defaultdict(list)",
    "StringIO()",
)
_DROPS = re.compile(r"(?:del )?[\w.]+(?:\.(?:pop|popleft)\(0?\)|\[[^\]]*\])")
_WRITES = ("execute", "executemany", "insert_one", "insert_many", "to_sql")


class _Kept(NamedTuple):
    """What keeps a record in something that outlives the round of its loop, and what empties this; None where its length is asked for."""

    node: Any
    spot: Any
    name: str
    arm: Any = None
    sure: str = ""


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
            loops = set() if commits else clients.record_loops(module, consumer)
            handler = next((found for one in module.calls if (found := _lets_go(module, one, loops)) is not None), None)
            if handler is not None:
                yield _lost(context, module, handler, [(module.call_place(call), "made here")])
            continue
        auto, group = job.written(block, "enable.auto.commit"), job.written(block, "group.id")
        by_clock = auto is None or (auto.known and auto.text.strip().lower() != "false")
        stored = clients.uses(module, consumer, "store_offsets") if by_clock else []  # what is stored the clock commits
        early = _early(module, consumer, [*(one for one in commits if one.node.args or not _stores(job, block)), *stored])
        if early is not None:
            commit, work = early
            done = "stored, and so committed," if commit in stored else "committed"
            message = f"the offset is {done} before the record is worked on: a record whose work fails below, or is cut off by a crash, is never read again"
            related = [(module.call_place(work), "worked on only here")]
            yield context.finding(message, module.call_place(commit), related, covers=[module.covers(commit)])
        elif commits or stored:
            loops = clients.record_loops(module, consumer)
            yield from _late(context, module, consumer, loops, [*commits, *stored])
            yield from _passed(context, module, loops, commits)
        if group is None and not (call.node.args and clients.library(consumer) == "confluent-kafka"):
            continue  # without a group nothing is committed
        if not by_clock:
            continue
        if any(not one.spot.cleanup for one in commits) or (clients.library(consumer) == "confluent-kafka" and _stores(job, block)):
            continue  # what is committed on the way out only comes on top of what the clock commits
        yield from _loops(context, module, consumer, call, auto)
    for consumer in clients.received(module, clients.CONSUMERS):
        # made elsewhere: its settings are not in sight, but what it commits by hand is
        commits, loops = clients.uses(module, consumer, "commit"), clients.record_loops(module, consumer)
        yield from _late(context, module, consumer, loops, commits)
        yield from _passed(context, module, loops, commits)
    yield from _handed_on(context, module)


def _late(context: Context, module: Any, consumer: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """Commits of records that wait in a list, and those that come after a failure: what failed lies before the next offset."""
    inside = [commit for commit in commits if clients.in_loops(commit.spot, loops)]
    kept = _kept(module, consumer, loops) if inside else None
    if kept is not None:
        enough = _enough(kept.name)
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
                related = [(_kept_at(module, kept), "it waits from here on")]
                yield context.finding(message, module.call_place(commit), related, confidence=kept.sure, covers=[module.covers(commit)])
                return
    failed = list(_failed(context, module, consumer, commits))
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
        if handler is None or reraises(handler, inner=False) or _leaves_loop(handler) or _dead_letter(module, handler):
            continue
        if (within and not (_inside(module, handler, loops) and _goes_on(module, handler, commit))) or _held_back(module, commit, handler):
            continue
        if _notes(handler) or _tries_again(module, consumer, handler) or _only_commits(commit, handler):
            continue
        message = "after a failure the loop goes on with the next records, and the next commit is beyond those that failed: they are never read again (seek back, stop, or put them aside)"
        statement = next(s for s in module.tree.statements if s.node is handler)
        related = [(module.call_place(commit), "commits past it the next time")]
        related += [(module.call_place(site), "called for the next records") for site in sites[:1]]
        yield context.finding(message, module.place(handler.type or handler, statement.spot), related, confidence="low")
        return


def _only_commits(commit: Call, handler: Any) -> bool:
    """Whether nothing is tried but the commit itself: the next one makes good for it."""
    tried = next((node for node in commit.spot.guarded if handler in getattr(node, "handlers", ())), None)
    return tried is not None and _names(tried.body) <= _APART - {"decode", "loads"}


def _called_for_records(module: Any, commit: Call, loops: set[int]) -> list[Call]:
    """The calls in the loop of the function that a commit stands in, when none of them looks at what it gives back."""
    if commit.function is None or commit.function.yields:
        return []
    sites = [site for site in module.call_sites(commit.function) if clients.in_loops(site.spot, loops)]
    return [] if any(site.use not in ("dropped", "awaited") or not _statement(module, site) for site in sites) else sites


def _statement(module: Any, call: Call) -> bool:
    """Whether a call, or `await` of it, is a statement of its own."""
    node = module.tree.statements[call.spot.statement].node
    value = node.value if isinstance(node, cst.Expr) else None
    return (value.expression if isinstance(value, cst.Await) else value) is call.node


def _goes_on(module: Any, handler: Any, commit: Call) -> bool:
    """Whether a commit may come again after what a handler does: no `break` stands behind it."""
    first = handler.body.body[0]
    first = first.body[0] if isinstance(first, cst.SimpleStatementLine) else first
    return id(module.tree.statements[commit.spot.statement].node) in module.flow(commit.function).after(first)


def _notes(handler: Any) -> bool:
    """Whether a handler keeps in mind that something failed, which may well be asked for: `failed = True`."""
    return any(
        isinstance(node, cst.Assign) and isinstance(node.value, cst.Name) and node.value.value in ("True", "False")
        for node in descend(handler.body)
    )


def _tries_again(module: Any, consumer: Any, handler: Any) -> bool:
    """Whether the loop right around is there to try the same records again: it takes none, and goes through none."""
    loop = next(s for s in module.tree.statements if s.node is handler).spot.loop
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
        if function is not None and any(_outlives(function, name) for node in descend(function.body) for name in _emptied(node)):
            return True
    kept = {name for node in descend(tried.body) for name in _emptied(node)}
    return any(_fresh(module, commit, name, tried) for name in kept)


def _outlives(function: Any, name: str) -> bool:
    """Whether a list is a field, or was given to a function."""
    return name.startswith("self.") or function.param(name) is not None


def _emptied(node: Any) -> Iterator[str]:
    """The list that a statement or call empties."""
    if isinstance(node, cst.Assign):
        for target, value in _assigned(node):
            if isinstance(target, (cst.Name, cst.Attribute, cst.Subscript)) and cst.Module([]).code_for_node(value) in _EMPTY:
                yield dotted(target) or cst.Module([]).code_for_node(target)
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "clear":
        yield dotted(node.func.value)
    elif isinstance(node, cst.Del) and isinstance(node.target, cst.Subscript):
        yield dotted(node.target.value)


def _fresh(module: Any, commit: Call, name: str, tried: Any) -> bool:
    """Whether only the `try` empties a list in the function of a commit, loops aside that begin with an empty one."""
    inside = {id(node) for node in descend(tried.body)}
    whole = commit.function.body if commit.function is not None else module.tree.node
    others = [node for node in descend(whole) if id(node) not in inside and name in _emptied(node)]
    spots = {id(statement.node): statement.spot for statement in module.tree.statements}
    return not any(id(node) not in spots or spots[id(node)].in_loop() or not isinstance(node, cst.Assign) for node in others)


def _given_up(context: Context, module: Any, loops: set[int], commits: list[Call], sought: set[Any]) -> Iterator[Finding]:
    """A function that the loop asks for what a record says, and that gives None for one it fails on, which is then passed over."""
    for call in module.calls if commits else ():
        statement = module.tree.statements[call.spot.statement].node
        if (
            call.use != "assigned"
            or not isinstance(statement, cst.Assign)
            or not clients.in_loops(call.spot, loops)
            or call.function in sought
        ):
            continue
        handler = _swallows(module, call)
        name = dotted(statement.targets[0].target)
        if handler is None or not _gives_none(handler) or not name or not _passed_over(module, name, loops):
            continue
        message = (
            "a record that fails here is logged at best, and the next commit is beyond it: it is never read again (put it aside, or stop)"
        )
        at = next(one for one in module.tree.statements if one.node is handler)
        related = [(module.call_place(call), "called for each record"), (module.call_place(commits[-1]), "commits past it")]
        yield context.finding(message, module.place(handler.type or handler, at.spot), related, confidence="low")
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
        if line is None or _leaves_round(line.body) or not _nothing_else(line.orelse):
            continue
        work = _asked(module, arm.test, commit, loop)
        records = clients.records(module, consumer, loop)
        if work is None or work.name in _APART or not any(clients.mentions(arg.value, records) for arg in work.node.args):
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
            if isinstance(statement.node, cst.Assign)
            and statement.spot.loop is loop
            and dotted(statement.node.targets[0].target) == test.value
        ]
        test = given[0] if len(given) == 1 else None
    test = test.expression if isinstance(test, cst.Await) else test
    return next((call for call in module.calls if call.node is test), None)


def _leaves_round(body: Any) -> bool:
    """Whether a suite leaves the round of its loop, so that what stands below it is for the others."""
    return any(isinstance(part, (cst.Continue, cst.Break, cst.Return, cst.Raise)) for part in descend(body))


def _nothing_else(orelse: Any) -> bool:
    """Whether the `else` of an `if` does no more than tell, or there is none."""
    return orelse is None or (
        isinstance(orelse, cst.Else)
        and not any(
            isinstance(part, (cst.Break, cst.Return, cst.Raise, cst.Assign, cst.AugAssign))
            or (isinstance(part, cst.Call) and _last(part) not in _TELLS)
            for part in descend(orelse.body)
        )
    )


def _gives_none(handler: Any) -> bool:
    last = handler.body.body[-1]
    last = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
    return isinstance(last, cst.Return) and (last.value is None or (isinstance(last.value, cst.Name) and last.value.value == "None"))


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
            if isinstance(inner, (cst.Raise, cst.Break, cst.Return)) or (isinstance(inner, cst.Call) and _last(inner) not in _LOGS):
                return False
    return asked


def _last(call: cst.Call) -> str:
    return dotted(call.func).rpartition(".")[2]


def _passed(context: Context, module: Any, loops: set[int], commits: list[Call]) -> Iterator[Finding]:
    """Commits behind a `try` around a write, whose failure is no more than logged. In a loop it may be meant for records that no try will mend."""
    for commit in commits:
        around = {(arm.group, arm.index) for arm in commit.spot.arms}
        for statement in module.tree.statements[: commit.spot.statement]:
            node = statement.node
            if not isinstance(node, cst.Try) or statement.spot.function is not commit.function or node in commit.spot.guarded:
                continue
            ended = _holds(node.finalbody, commit)  # which comes after every way out of the `try`
            if not around <= {(arm.group, arm.index) for arm in statement.spot.arms} or _holds(node.orelse, commit):
                continue
            handler = next((handler for handler in node.handlers if catches_all(handler)), None)
            write = next(
                (call for call in module.named(*_names(node.body)) if _WRITE.search(call.name) and node in call.spot.guarded), None
            )
            if handler is None or write is None or not _only_logs(module, handler, commit.spot.scope):
                continue
            if not ended and (any(isinstance(part, _LEAVES) for part in descend(node.body)) or not _goes_on(module, handler, commit)):
                continue
            message = "a write that fails above is only logged, and its records are committed all the same: they are never read again"
            sure = "low" if clients.in_loops(commit.spot, loops) and not ended else "medium"
            related = [(module.call_place(write), "may fail")]
            yield context.finding(message, module.call_place(commit), related, confidence=sure, covers=[module.covers(commit)])
            return


_WRITE = re.compile(r"(?i)flush|write|insert|upsert|save|store|persist|upload|produce|execute|load|stream|sink|process|handle")
_LEAVES = (cst.Return, cst.Break, cst.Continue)


def _names(node: Any) -> set[str]:
    """The names of what is called in a block."""
    calls = (part.func for part in descend(node) if isinstance(part, cst.Call))
    return {last_name(func) for func in calls}


def _holds(node: Any, call: Call) -> bool:
    return node is not None and any(part is call.node for part in descend(node))


def _only_logs(module: Any, handler: Any, scope: Any) -> bool:
    """Whether a handler does nothing but log and print, and take apart what it says."""
    lines = [small for line in handler.body.body for small in (line.body if isinstance(line, cst.SimpleStatementLine) else (line,))]
    return all(isinstance(line, (cst.Expr, cst.Pass)) or _for_itself(module, line, handler, scope) for line in lines) and (
        _names(handler.body) <= _TELLS
    )


def _for_itself(module: Any, line: Any, handler: Any, scope: Any) -> bool:
    """Whether a line gives names to what only the handler reads: `kind, value, trace = sys.exc_info()`."""
    if not isinstance(line, cst.Assign) or not all(isinstance(one.target, (cst.Name, cst.Tuple)) for one in line.targets):
        return False
    used = [node.value for node in descend(handler.body) if isinstance(node, cst.Name)]
    given = {name for one in line.targets for name in clients.targets(one.target)}
    return all(clients.reads(module, name, scope) < used.count(name) for name in given)


def _leaves_loop(handler: Any) -> bool:
    """Whether the last statement of a handler ends the loop."""
    last = handler.body.body[-1]
    return isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], (cst.Break, cst.Return))


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
            and call.name not in _APART
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
        if call.name in _APART | _TELLS:
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
    kept = _kept(module, consumer, loops)
    if kept is not None:
        message = f"records wait in {kept.name} until there are enough of them, and their offsets are committed by the clock meanwhile: those that wait at a crash are lost (commit after the batch is written)"
        at = _kept_at(module, kept)
        yield context.finding(message, at, related, confidence=kept.sure, covers=[at])
        return
    kept = _kept_in_field(module, loops)
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
        handler = None if said else _lets_go(module, call, loops)
        if handler is not None:
            said = True
            yield _lost(context, module, handler, related)
    for call in module.calls:
        if said or call.use != "dropped" or not clients.in_loops(call.spot, loops):
            continue
        handler = _swallows(module, call)
        if handler is not None:
            said = True
            yield _lost(context, module, handler, [*related, (module.call_place(call), "called for each record")])
    if said:
        return
    for call in module.named(*_WRITES):
        if clients.in_loops(call.spot, loops) and call.use == "dropped":
            message = "the write and the commit of the offset are not one: with auto-commit a crash between them writes a record twice or drops it (commit after the write, and make the write idempotent)"
            yield context.finding(message, module.call_place(call), related, severity="info", covers=[module.covers(call)])
            return


def _lets_go(module: Any, call: Call, loops: set[int]) -> Any:
    """The handler around a call in the loop after which it goes on with the next record, and that does no more than log."""
    for handler in clients.handlers(call) if clients.in_loops(call.spot, loops) else ():
        if catches_all(handler) and not reraises(handler) and _inside(module, handler, loops) and not _dead_letter(module, handler):
            return handler
    return None


def _lost(context: Context, module: Any, handler: Any, related: Any) -> Finding:
    message = "a record that fails here is logged at best, and its offset is committed with the next: it is never tried again"
    spot = next(statement.spot for statement in module.tree.statements if statement.node is handler)
    return context.finding(message, module.place(handler.type or handler, spot), related, confidence="low")


def _left_to(module: Any, consumer: Any, call: Call, loop: Any) -> bool:
    """Whether a record is left to a call; what is called for a new key only, on the way to the work on its record, has not the record to do."""
    records = clients.records(module, consumer, loop)
    if not any(clients.mentions(arg.value, records) for arg in call.node.args) or any(
        clients.mentions(arg.value, records - _fields(module, loop)) for arg in call.node.args
    ):
        return True
    return not any(
        other.name not in _APART
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
        if isinstance(node, cst.Assign) and any(arm.test is loop for arm in statement.spot.arms) and _is_field(node.value):
            found |= {name for target in node.targets for name in clients.targets(target.target)}
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


def _swallows(module: Any, call: Call) -> Any:
    """The handler of a function of this module whose whole work is tried, where what fails is only logged."""
    function = module.target(call) if call.node.args else None
    if function is None or not isinstance(function.node, cst.FunctionDef):
        return None
    tried = [one for one in function.node.body.body if isinstance(one, cst.Try)]
    for handler in tried[-1].handlers if tried and tried[-1] is function.node.body.body[-1] else ():
        if catches_all(handler) and not reraises(handler) and not _dead_letter(module, handler):
            return handler
    return None


def _kept(module: Any, consumer: Any, loops: set[int]) -> _Kept | None:
    """What keeps a record in a list which is worked on only when it is long enough, or once a count or the time says so."""
    tests = [
        cst.Module([]).code_for_node(statement.node.test if isinstance(statement.node, cst.If) else statement.node.value)
        for statement in module.tree.statements
        if isinstance(statement.node, (cst.If, cst.Assign)) and clients.in_loops(statement.spot, loops) and not _trims(statement.node)
    ]
    for call in module.named("append", "extend"):
        name = _list(call.receiver_node)
        if not name or call.use != "dropped" or not clients.in_loops(call.spot, loops):
            continue
        enough = _enough(name, *(_aliases(module, name, loops) if isinstance(call.receiver_node, cst.Subscript) else ()))
        if any(enough.search(test) for test in tests) and _begun(module, name, loops):
            return _Kept(call.node, call.spot, name)
    return _poured_out(module, consumer, loops)


def _kept_at(module: Any, kept: _Kept) -> Any:
    """Where a record is kept: at the method that is called, or at the whole statement."""
    func = kept.node.func if isinstance(kept.node, cst.Call) else None
    return module.place(func.attr if isinstance(func, cst.Attribute) else kept.node, kept.spot)


def _poured_out(module: Any, consumer: Any, loops: set[int]) -> _Kept | None:
    """The same, of what the loop hands on and empties under a condition of its own, whatever this asks for: a count, the time."""
    for statement in module.tree.statements:
        spot = statement.spot
        if not clients.in_loops(spot, loops):
            continue
        node = statement.node.value if isinstance(statement.node, cst.Expr) else statement.node
        for name in _emptied(node):
            arm = _condition(spot, loops, name)
            if arm is None or not _begun(module, name, loops) or not _handed(module, spot, arm, name):
                continue
            kept = next(_keeps(module, consumer, loops, name, arm, spot.function), None)
            if kept is not None:
                return kept
    return None


def _condition(spot: Any, loops: set[int], name: str) -> Any:
    """The innermost `if` around a spot in its loop that asks for more than whether there is anything in a container."""
    anything = re.compile(rf"\(*(?:{re.escape(name)}|len\({re.escape(name)}\)(?: > 0| != 0| >= 1)?)\)*")
    for arm in reversed(spot.arms):
        if arm.kind == "loop" and id(arm.test) in loops:
            return None
        if arm.kind == "if" and arm.test is not None and not anything.fullmatch(cst.Module([]).code_for_node(arm.test)):
            return arm
    return None


def _handed(module: Any, spot: Any, arm: Any, name: str) -> bool:
    """Whether what a container holds is given to a call, and not only told of, before it is emptied under the same condition."""
    return any(
        call.spot.function is spot.function
        and call.spot.statement < spot.statement
        and arm in call.spot.arms
        and call.name not in _APART | _TELLS
        and any(_holds_name(arg.value, name) for arg in call.node.args)
        for call in module.calls
    )


def _holds_name(node: Any, name: str) -> bool:
    return any(isinstance(part, (cst.Name, cst.Attribute)) and dotted(part) == name for part in (node, *descend(node)))


def _keeps(module: Any, consumer: Any, loops: set[int], name: str, arm: Any, function: Any) -> Iterator[_Kept]:
    """What adds a record to a container in the loops, outside of what empties it."""
    for statement in module.tree.statements:
        spot, node = statement.spot, statement.node
        if spot.function is not function or arm in spot.arms or not clients.in_loops(spot, loops):
            continue
        loop = next(loop for loop in reversed(spot.loops) if id(loop) in loops)
        records = clients.records(module, consumer, loop)
        if isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign) and dotted(node.target) == name:
            if clients.mentions(node.value, records):
                yield _Kept(node, spot, name, arm)
        elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call) and last_name(node.value.func) in ("append", "extend"):
            receiver = node.value.func.value if isinstance(node.value.func, cst.Attribute) else None
            if isinstance(receiver, cst.Call) and last_name(receiver.func) == "setdefault":
                receiver = receiver.func.value
            if _list(receiver) == name and any(clients.mentions(arg.value, records) for arg in node.value.args):
                yield _Kept(node.value, spot, name, arm)
        elif isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Subscript) and clients.mentions(node.value, records):
            if _list(node.targets[0].target) != name:
                continue
            # the last record of each key may be all that is wanted, and come again with the next
            yield _Kept(node, spot, name, arm, "low")


def _kept_in_field(module: Any, loops: set[int]) -> tuple[Call, str] | None:
    """The call that keeps a record in a field which another method empties, and the field's name."""
    for call in module.named("append", "extend"):
        name = _list(call.receiver_node)
        if name.startswith("self.") and call.use == "dropped" and clients.in_loops(call.spot, loops) and _begun(module, name, loops):
            others = (
                statement.node
                for statement in module.tree.statements
                if statement.spot.function is not call.function
                and statement.spot.function is not None
                and statement.spot.function.name != "__init__"
            )
            if any(isinstance(node, cst.Del) and _list(node.target) == name for node in others) or any(
                other.name in ("clear", "popitem") and other.function is not call.function and _list(other.receiver_node) == name
                for other in module.named("clear", "popitem")
            ):
                return call, name
    return None


def _trims(node: cst.If | cst.Assign) -> bool:
    """Whether all that happens is that the oldest is dropped: a list of the last so many of something is no batch of records."""
    return isinstance(node, cst.If) and _DROPS.fullmatch(cst.Module([]).code_for_node(node.body).strip()) is not None


def _list(node: Any) -> str:
    """The name of a list, or of the dict that holds one for each topic or key."""
    while isinstance(node, cst.Subscript):
        node = node.value
    return dotted(node) if node is not None else ""


def _aliases(module: Any, name: str, loops: set[int]) -> Iterator[str]:
    """What one of the lists in a dict is called in the loops."""
    for statement in module.tree.statements:
        node = statement.node
        if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Subscript) or not clients.in_loops(statement.spot, loops):
            continue
        target = node.targets[0].target
        if isinstance(target, cst.Name) and dotted(node.value.value) == name:
            yield target.value


def _enough(*names: str) -> re.Pattern[str]:
    listed = "|".join(re.escape(name) for name in names)
    return re.compile(rf"\blen\((?:{listed})(?:\[[^\]]*\])?\)\s*(?:>=?|==)(?!\s*0\b)")


def _begun(module: Any, name: str, loops: set[int]) -> bool:
    """Whether the list is made outside the loops, so that it outlives one round."""
    for statement in module.tree.statements:
        node = statement.node
        if not isinstance(node, (cst.Assign, cst.AnnAssign)) or clients.in_loops(statement.spot, loops):
            continue
        targets = [target for target, _ in _assigned(node)] if isinstance(node, cst.Assign) else [node.target]
        if any(isinstance(target, (cst.Name, cst.Attribute)) and dotted(target) == name for target in targets):
            return True
    return False


def _assigned(node: cst.Assign) -> Iterator[tuple[Any, Any]]:
    """What is given a value, and the value: `a = b = []`, `rows, count = [], 0`."""
    for one in node.targets:
        target, value = one.target, node.value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(target.elements) == len(value.elements):
            yield from ((each.value, of.value) for each, of in zip(target.elements, value.elements, strict=True))
        else:
            yield target, value


def _inside(module: Any, handler: Any, loops: set[int]) -> bool:
    statement = next((s for s in module.tree.statements if s.node is handler), None)
    return statement is not None and clients.in_loops(statement.spot, loops)


def _dead_letter(module: Any, handler: Any) -> bool:
    """Whether the handler passes the record on: any call in it but logging, printing, what is made for these, and what makes the connection to a database anew."""
    inside = [call for call in module.calls if clients.inside(call.spot, handler)]
    telling = [call for call in inside if call.name in _LOGS]
    told = {id(part) for call in telling for arg in call.node.args for part in descend(arg.value)}
    said = {part.value for call in telling for arg in call.node.args for part in descend(arg.value) if isinstance(part, cst.Name)}
    return any(
        call.name not in _TELLS and not _reconnects(module, call) and id(call.node) not in told and not _for_telling(module, call, said)
        for call in inside
    )


def _for_telling(module: Any, call: Call, said: set[str]) -> bool:
    """Whether all that a call is there for is a text that is logged: `text = describe(error)`."""
    node = module.tree.statements[call.spot.statement].node
    if not isinstance(node, cst.Assign):
        return False
    value = node.value.value if isinstance(node.value, cst.Subscript) else node.value  # `topic, key = …` and `clean(topic)[0]`
    targets = clients.targets(node.targets[0].target)
    return value is call.node and bool(targets) and targets <= said


def _reconnects(module: Any, call: Call) -> bool:
    """`database.reconnect()`; a new consumer, which a method of this module may make, would begin at what was committed."""
    name = last_name(call.receiver_node) if call.receiver_node is not None else ""
    if call.name not in ("reconnect", "connect", "close") or name in ("", "self") or re.search(r"(?i)consum|kafka|^c$", name):
        return False
    return module.target(call) is None and module.receiver_type(call) not in clients.CONSUMERS
