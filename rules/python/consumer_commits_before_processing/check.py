"""Commits above the work on a record, or while it waits, and auto-commit together with work that is handed on or written elsewhere: at-most-once, or a double write, around a crash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.inserts import plain_insert
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.python import clients, committing, dbapi, elsewhere, handlers, queued, threaded, waiting
from shoal.python.committing import Committing
from shoal.python.flow import reraises
from shoal.python.tree import ASSIGNMENTS, Call, descend, dotted, last_name, targets
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
_STORES = names("executemany insert_one insert_many to_sql put_object upload_file upload_fileobj put_item")
_LEVELS = 3
# What only says how many there are.
_TELLS = names("len print debug info warning error")
# What a method is called that keeps a record until there are more, and one that writes those that there are.
_KEEPS = pattern(
    r"(?i)(?:to|in|into)_?(?:the_)?(?:buffer|batch)$|^(?:buffer|accumulate)(?:_|$)|^add_(?:record|message|event)s?_to_(?:buffer|batch)"
)
_FLUSHES = pattern(r"(?i)flush|write_batch|insert_many|executemany")
# What a function of another module is called that sends a record.
_SENDS = pattern(r"(?i)publish|send|produce|emit|forward")
# What one that stores a record is called, whosever it is, and what is given by who makes the consumer and does whatever it likes.
_STORED = pattern(r"(?i)(?:^|_)(?:insert|upsert|save|store|persist)(?:_(?!offset)|$)|^write_(?!log|line)")
_GIVEN = ("handler", "callback", "on_message", "process_fn", "processor")
# Statements that write nothing, and one after which the table holds what comes next and nothing else.
_ASKS = pattern(r"(?i)\s*(?:select|show|describe|explain|set|use|create)\b")
_EMPTIES = pattern(r"(?i)\s*truncate\b")
_WRITES = ("execute", "executemany", "insert_one", "insert_many", "to_sql")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for one in committing.consumers(job, module):
        early = _early(module, one) if one.known else None
        if early is not None:
            commit, work = early
            done = "stored, and so committed," if commit in one.stored else "committed"
            message = f"the offset is {done} before the record is worked on: a record whose work fails below, or is cut off by a crash, is never read again"
            related = [(module.call_place(work), "worked on only here")]
            yield context.finding(message, module.call_place(commit), related, covers=[module.covers(commit)])
        elif (sent := _before_its_send(module, one)) is not None:
            commit, send = sent
            message = f"the offset is committed before {send.name}() has what was made of the record: when that fails, or a crash comes between, it is never read again"
            related = [(module.call_place(send), "sent or stored only here")]
            yield context.finding(message, module.call_place(commit), related, confidence="low", covers=[module.covers(commit)])
        else:
            yield from _while_it_waits(context, module, one)
            yield from _while_it_is_sent(context, module, one)
        if one.only_clock and one.loops:
            yield from _by_the_clock(context, module, one)
    yield from _handed_on(context, module)
    yield from _side_by_side(context, module)


def _while_it_waits(context: Context, module: Any, one: Committing) -> Iterator[Finding]:
    """Commits of records that wait in a list."""
    inside = [commit for commit in one.by_hand if clients.in_loops(commit.spot, one.loops)]
    kept = waiting.kept(module, one.consumer, one.loops) if inside else None
    if kept is None:
        yield from _while_another_keeps_it(context, module, one, inside)
        return
    enough = waiting.enough(kept.name)
    for commit in inside:
        tests = [cst.Module([]).code_for_node(arm.test) for arm in commit.spot.arms if arm.kind in ("if", "and") and arm.test is not None]
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


def _while_another_keeps_it(context: Context, module: Any, one: Committing, inside: list[Call]) -> Iterator[Finding]:
    """Commits of records that an object of another module keeps for a batch, as its method's name has it: `store.add_to_buffer(record)`."""
    for commit in inside:
        above = [
            call
            for call in module.tree.calls_in(one.loops)
            if call.function is commit.function and call.spot.arms == commit.spot.arms and call.spot.statement < commit.spot.statement
        ]
        keeps = next((call for call in above if _KEEPS.search(call.name) and call.node.args and call.use == "dropped"), None)
        if keeps is None or module.target(keeps) is not None or commit.spot.cleanup or any(_FLUSHES.search(call.name) for call in above):
            continue
        message = f"the offset is committed while the record may wait for others, as {keeps.name} sounds: those that wait at a crash are lost (commit after the batch is written)"
        related = [(module.call_place(keeps), "it may wait from here on")]
        yield context.finding(message, module.call_place(commit), related, confidence="low", covers=[module.covers(commit)])
        return


def _while_it_is_sent(context: Context, module: Any, one: Committing) -> Iterator[Finding]:
    """Commits behind a record that is sent on, and that nothing waits for: it may still be in the producer."""
    if queued.DELIVERED.search(module.raw):
        return
    for commit in one.by_hand:
        loop = commit.spot.loop_of(one.loops)
        if loop is None or commit.spot.cleanup or any(arm.kind == "except" for arm in commit.spot.arms):
            continue
        here = [call for call in module.calls if call.function is commit.function and any(arm.test is loop for arm in call.spot.arms)]
        above = (
            []
            if any(queued.may_wait(module, call) for call in here)
            else [call for call in here if _sent_above(module, commit, call, loop)]
        )
        for call in reversed(above):
            sent = _queued(module, call)
            if sent is None:
                continue
            message = "the offset is committed while the record that was made of this one may still wait in the producer: a crash in between, or a refusal, loses it (flush() before the commit, or commit from the delivery report)"
            sure = "" if sent[0] == module.call_place(call) else "low"
            yield context.finding(message, module.call_place(commit), [sent], confidence=sure, covers=[module.covers(commit)])
            return


def _queued(module: Any, call: Call) -> tuple[Place, str] | None:
    """Where a call puts a record into a producer's queue and nothing waits for it: itself, or a function that it runs, of this module or of another one."""
    inner = call if queued.queues(module, call) else queued.queued_by(module, call)
    if inner is not None:
        return module.call_place(inner), "only queued here"
    if module.target(call) is not None or call.use not in ("dropped", "awaited") or not _SENDS.search(call.name):
        return None
    return module.others.said(module.others.callee(call.node.func, call.spot), elsewhere.QUEUES)  # type: ignore[no-any-return]


def _sent_above(module: Any, commit: Call, call: Call, loop: Any) -> bool:
    """Whether a commit follows a call: of a loop or branch above it from which a path leads there, or of a handler that goes on below."""
    arms = _now_and_then(commit.spot.arms, call.spot.arms)
    around = len(arms)
    inner = call.spot.arms[around:]
    if call.spot.statement >= commit.spot.statement or call.spot.arms[:around] != arms:
        return False
    if all(arm.kind in ("loop", "if", "else") for arm in inner):
        # a producer that ends with its `with` sends what it has
        if call.spot.withs != commit.spot.withs or (inner and call.spot.guarded != commit.spot.guarded):
            return False
        sent, committed = (module.tree.statements[one.spot.statement].node for one in (call, commit))
        return not inner or bool(module.flow(commit.function).reaches(sent, [committed], [loop]))
    handler = inner[0].test.handlers[inner[0].index - 1] if len(inner) == 1 and inner[0].kind == "except" else None
    if handler is None:
        return False
    return not reraises(handler) and not any(isinstance(part, (cst.Return, cst.Break, cst.Continue)) for part in descend(handler.body))


def _now_and_then(arms: Any, above: Any) -> Any:
    """The branches that a commit stands in, but for one that only waits until there were enough records: `if count % 100 == 0`, `if count >= 100`."""
    last = arms[-1] if len(arms) > len(above) else None
    test = last.test if last is not None and last.kind == "if" else None
    counts = (cst.Modulo, cst.GreaterThan, cst.GreaterThanEqual)
    parts = descend(test) if isinstance(test, cst.BaseExpression) else ()
    counted = any(isinstance(part, (cst.BinaryOperation, cst.ComparisonTarget)) and isinstance(part.operator, counts) for part in parts)
    return arms[:-1] if counted else arms


def _by_the_clock(context: Context, module: Any, one: Committing) -> Iterator[Finding]:
    """Look at the calls in the loops that take the consumer's records."""
    kept = waiting.kept(module, one.consumer, one.loops)
    if kept is not None:
        message = f"records wait in {kept.name} until there are enough of them, and their offsets are committed by the clock meanwhile: those that wait at a crash are lost (commit after the batch is written)"
        at = waiting.kept_at(module, kept)
        yield context.finding(message, at, one.related, confidence=kept.sure if one.known else "low", covers=[at])
        return
    if not one.known:
        return
    given_back = _given_back(module, one)
    if given_back is not None:
        close, keeps = given_back
        message = f"{close.name}() commits all that was read, and the records are only given back here: when the work on them fails, nobody reads them again (commit once it is done)"
        related = [(module.call_place(keeps), "kept here"), *one.related]
        yield context.finding(message, module.call_place(close), related, confidence="low", covers=[module.covers(close)])
        return
    in_field = waiting.kept_in_field(module, one.loops)
    if in_field is not None:
        call, name = in_field
        message = f"records wait in {name} until another method takes them out, and their offsets are committed by the clock meanwhile: those that wait at a crash are lost (commit once they are written)"
        yield context.finding(message, module.call_place(call), one.related, confidence="low", covers=[module.covers(call)])
    for call in module.tree.calls_in(one.loops):
        loop = call.spot.loop_of(one.loops)
        handed = (module.receiver_type(call), call.name) in _HANDED or module.qualified(call) in _STARTS
        if call.name in threaded.AWAITED and call.use == "awaited":
            continue  # the loop goes on once it is done
        if handed and _left_to(module, one.consumer, call, loop):
            message = "the record is handed to other code and its offset is committed by the clock, done or not: what is in flight at a crash is lost"
            yield context.finding(message, module.call_place(call), one.related, covers=[module.covers(call)])
            return
    here = [call for call in module.named(*_WRITES) if clients.in_loops(call.spot, one.loops) and call.use == "dropped"]
    said = [dbapi.statement(module, call) for call in here]
    if any(map(_EMPTIES.match, said)):
        return  # what is written anew each time may be written twice
    write = next((call for call, text in zip(here, said, strict=True) if not _ASKS.match(text)), None)
    if write is not None and not committing.let_go(module, one):
        message = "the write and the commit of the offset are not one: with auto-commit a crash between them writes a record twice or drops it (commit after the write, and make the write idempotent)"
        yield context.finding(message, module.call_place(write), one.related, severity="info", covers=[module.covers(write)])
    elif write is None and (found := _written_in_helper(module, one)) is not None and not committing.let_go(module, one):
        called, write = found
        message = "the offset is committed by the clock, whether or not the record's work is done: a crash between them does that work twice, or not at all (commit after it, and let it be done twice without harm)"
        related = [(module.call_place(called), "called for each record"), (module.call_place(write), "written here")]
        yield context.finding(message, one.related[0][0], related, severity="info", confidence="low")
    elif write is None and (stores := _stored_elsewhere(module, one)) is not None and not committing.let_go(module, one):
        message = f"the offset is committed by the clock, whether or not {stores.name}() is done with the record: a crash between them does that work twice, or not at all (commit after it, and let it be done twice without harm)"
        related = [(module.call_place(stores), "called for each record")]
        yield context.finding(message, one.related[0][0], related, severity="info", confidence="low")


def _given_back(module: Any, one: Committing) -> tuple[Call, Call] | None:
    """The close of a consumer in a function that only collects records in a list and returns it, and what puts them there."""
    for keeps in module.tree.calls_in(one.loops):
        function, held = keeps.function, keeps.receiver_node
        if keeps.name not in ("append", "extend") or keeps.use != "dropped" or function is None or not isinstance(held, cst.Name):
            continue
        close = next(
            (
                call
                for call in clients.uses(module, one.consumer, "close", "stop")
                if call.function is function and call.spot.statement > keeps.spot.statement and not clients.in_loops(call.spot, one.loops)
            ),
            None,
        )
        if close is None or not any(isinstance(node, cst.Name) and node.value == held.value for node, _ in function.returns):
            continue
        others = [call for call in function.calls if call is not keeps and call.name not in _TELLS]
        worked_on = any(clients.mentions(arg.value, {held.value}) for call in others for arg in call.node.args)
        gone_through = any(isinstance(part, cst.For) and dotted(part.iter) == held.value for part in descend(function.body))
        if not worked_on and not gone_through:
            return close, keeps
    return None


def _stored_elsewhere(module: Any, one: Committing) -> Call | None:
    """A call that is given the record and is none of this module's: one that stores it, as its name has it, or what somebody else has given."""
    for call in committing.handed(module, one):
        if module.target(call) is None and (_STORED.search(call.name) or call.name in _GIVEN):
            return call
    return None


def _written_in_helper(module: Any, one: Committing) -> tuple[Call, Call] | None:
    """A call in the loop of a function that writes, itself or through others, and that write; of plain INSERTs consumed-rows-inserted-twice speaks."""
    if any(plain_insert(dbapi.statement(module, call)) is not None for call in module.named(*dbapi.EXECUTES)):
        return None
    for call in module.tree.calls_in(one.loops):
        function = module.target(call)
        write = _write_of(module, function, _LEVELS, set()) if function is not None else None
        if write is not None:
            return call, write
    return None


def _write_of(module: Any, function: Any, levels: int, seen: set[int]) -> Call | None:
    """What a function writes to a database, a store of objects or Kafka; what it does when it fails, or is done, aside."""
    if id(function) in seen:
        return None
    seen.add(id(function))
    for call in function.calls:
        if any(arm.kind == "except" for arm in call.spot.arms):
            continue
        if call.name in _STORES or (call.name in ("send", "produce", "send_and_wait") and module.receiver_type(call) in clients.PRODUCERS):
            return call  # type: ignore[no-any-return]
        if (
            call.name == "commit"
            and call.receiver_node is not None
            and module.receiver_type(call) not in clients.CONSUMERS
            and not call.node.args
        ):
            return call  # type: ignore[no-any-return]
        target = module.target(call) if levels else None
        if target is not None and (found := _write_of(module, target, levels - 1, seen)) is not None:
            return found
    return None


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
        kind in ("py.Executor", "py.Pool") and call.name in ("submit", "apply_async") and _let_go(module, call)
    )


def _let_go(module: Any, call: Call) -> bool:
    """Whether nobody looks at what a call gives back, be it put into a list."""
    return call.use == "dropped" or clients.unread(module, call) or clients.put_by(module, call)


def _started(module: Any, call: Call, commit: Call, loop: Any) -> bool:
    """Whether a call starts a task or a thread for a record, which nothing in the function waits for."""
    if call.name == "Thread":
        starts = module.qualified(call) == "threading.Thread"
    else:
        starts = call.name in ("create_task", "ensure_future") and _let_go(module, call)
    if not starts or commit.function is None or any(other.name in ("gather", "wait_for", "TaskGroup") for other in commit.function.calls):
        return False
    records = {name for consumer in module.receivers(commit) for name in clients.records(module, consumer, loop)}
    return any(clients.mentions(arg.value, records) for arg in call.node.args)


def _side_by_side(context: Context, module: Any) -> Iterator[Finding]:
    """Commits of single records in the task, or job of a pool, that the loop starts for each: the one that is done first commits past those before it."""
    commits = [commit for commit in module.named("commit") if commit.args and module.receiver_type(commit) in clients.CONSUMERS]
    loops = clients.all_record_loops(module) if commits else set()
    for start in module.named("create_task", "ensure_future", "start_soon", "submit") if loops else ():
        if not clients.in_loops(start.spot, loops) or not start.node.args:
            continue
        given = start.node.args[0].value
        started = module.function_of(given.func if isinstance(given, cst.Call) else given, start.spot)
        around = [call for call in module.tree.calls_in(loops) if call.function is start.function]
        if any(call.name in ("gather", "wait", "as_completed", "result") for call in around):
            continue
        commit = next((commit for commit in commits if commit.function in started), None)
        if commit is not None:
            message = "this commits the record of whichever task is done first, past those before it that are still in work or fail: they are never read again (commit only up to the first that is not done)"
            related = [(module.call_place(start), "starts one for each record")]
            yield context.finding(message, module.call_place(commit), related, confidence="low", covers=[module.covers(commit)])
            return


def _early(module: Any, one: Committing) -> tuple[Call, Call] | None:
    """A commit above all work on the record in its loop, and the first call that works on it."""
    for commit in one.by_hand:
        if one.one_by_one and clients.whole(commit) and commit not in one.stored:
            continue
        loop = commit.spot.loop_of(one.loops)
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
        records = clients.records(module, one.consumer, loop)
        for call in inside:
            if call.spot.arms[: len(commit.spot.arms)] == commit.spot.arms and any(
                clients.mentions(arg.value, records) for arg in call.node.args
            ):
                return commit, call
    return None


def _before_its_send(module: Any, one: Committing) -> tuple[Call, Call] | None:
    """A commit in a function that is called for each record, and the call behind it, in the same suite, that sends or stores what the function was given."""
    for commit in one.by_hand:
        function = commit.function
        if function is None or function.yields or commit.spot.cleanup or clients.in_loops(commit.spot, one.loops):
            continue
        if any(arm.kind in ("except", "loop") for arm in commit.spot.arms) or not clients.called_in(module, commit, one.loops, _LEVELS):
            continue
        given = {param.name for param in function.params if param.name != function.self_name}
        for call in function.calls:
            works = (_SENDS.search(call.name) or _STORED.search(call.name)) and call.name not in handlers.APART
            if not works or call.spot.arms != commit.spot.arms or not any(clients.mentions(arg.value, given) for arg in call.node.args):
                continue
            if call.spot.statement <= commit.spot.statement:
                break  # what comes behind may only tell of it
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
