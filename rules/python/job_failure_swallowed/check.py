"""A handler for all errors around the call that runs the job, which neither raises nor exits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, elsewhere, endings, job_runs
from shoal.python.clients import handlers, inside
from shoal.python.flow import catches_all, caught, endless, exits_well, reraises
from shoal.python.handlers import LOGS, called
from shoal.python.job_runs import RUNS
from shoal.python.tree import ASSIGNMENTS, Call, Function, descend, dotted, is_none, last_name, targets
from shoal.python.values import names

_MADE_UP = pattern(r"(?i)\bimport\s+random\b|\bfaker\b|\bsimulat|data[ _]?generat")
# What a function is called that takes records until it is stopped, or that runs a job.
_TAKES = pattern(r"(?i)consum|listen|poll|process|serve|run|start|loop|main|execute|job|pipeline|stream")
# Calls by which a program hears of a query's end.
_HEARS = ("awaitTermination", "awaitAnyTermination", "addListener", "processAllAvailable")
_SWALLOWED = (
    "the job's failure is caught here and the script ends with exit code 0: whoever started it sees success, and nothing restarts it"
)
_ENDS = "any error ends the {} and is only told here: the program ends with exit code 0, or goes on without {}, and nothing restarts it"
# What the clients raise when they cannot go on.
_CLIENT = ("KafkaException", "KafkaError")
_LEVELS = 2
_TELLS = names("fail abort kill notify alert capture_exception _exit exit send put")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    statements = {id(statement.node): statement for statement in module.tree.statements}
    seen = set()
    for run, call in _ways(module):
        for handler in handlers(call):
            if not catches_all(handler):
                continue
            loop = statements[id(handler)].spot.loop
            if id(handler) in seen or reraises(handler, well=False) or _follows(module, call.function, handler):
                break
            if loop is not None:
                if endless(loop) and not clients.left(loop) and called(handler.body) <= LOGS and _starts_again(module, run, call, handler):
                    seen.add(id(handler))
                    message = "whatever ends the job is only told here, and the job is started again, for ever: one that cannot run looks well to whoever started it (let it raise after so many times)"
                    related = [(module.call_place(run), "the job runs here")]
                    yield context.finding(message, module.handler_place(handler), related, confidence="low")
                break
            seen.add(id(handler))
            # who waits for a while only goes on by itself afterwards: with a sample, a check, another query
            for_a_while = run.name.startswith(("await", "wait")) and bool(run.node.args)
            unclear = not module.receiver_type(run)
            yield context.finding(
                _SWALLOWED,
                module.place(handler.type or handler, statements[id(handler)].spot),
                [(module.call_place(run), "the job runs here")],
                confidence="low" if for_a_while or _by_hand(module) else "medium" if unclear else "",
            )
            break
    yield from _services(context, module, statements)
    yield from _returned_over(context, module)
    yield from _broken_off(context, module, statements)
    yield from _run_elsewhere(context, module, statements)
    yield from _never_started(context, module, statements)
    yield from _never_asked(context, module)


def _starts_again(module: Any, run: Call, call: Call, handler: Any) -> bool:
    """Whether what a handler is for also starts the job, and waits for it as long as it runs."""
    if run.node.args and run.name.startswith(("await", "wait")):
        return False
    tried = clients.tried(call.spot, handler)
    return call is not run or not run.name.startswith("await") or any(tried in one.spot.guarded for one in module.named("start", "toTable"))


def _by_hand(module: Any) -> bool:
    """Whether cells are run here one by one: whoever runs one reads what it prints."""
    return bool(module.notebook) and module.path.endswith(".ipynb")


def _ways(module: Any) -> Iterator[tuple[Call, Call]]:
    """The calls that run a job; each with itself, or with a call of the function that lets its failure through."""
    subscribed = _subscribed(module)
    sure = {id(call) for call in job_runs.runs(module)}
    for run in (*module.named(*RUNS, "result"), *job_runs.entered(module)):
        kind = module.receiver_type(run)
        unclear = not kind and run.name.startswith("await") and run.receiver_node is not None and "pyspark" in module.raw
        pulls = run.name == "result" and not run.node.args and dotted(run.receiver_node) in subscribed
        if id(run) not in sure and not ((unclear or pulls) and not module.contexts.of(run.function)):
            continue
        waiting, met = [(run, 0)], set()
        while waiting:
            call, levels = waiting.pop(0)
            if any(catches_all(handler) for handler in handlers(call)):
                yield run, call
            elif levels < 3 and call.function is not None and id(call.function) not in met and not module.contexts.of(call.function):
                met.add(id(call.function))
                waiting += [(site, levels + 1) for site in module.call_sites(call.function)]


def _subscribed(module: Any) -> set[str]:
    """The names of what `subscriber.subscribe(…, callback)` of Pub/Sub gives back: its `result()` ends with the subscription."""
    if "SubscriberClient" not in module.raw:
        return set()
    nodes = (one.node for one in module.tree.statements if isinstance(one.node, ASSIGNMENTS))
    made = [node for node in nodes if isinstance(node.value, cst.Call) and last_name(node.value.func) == "subscribe"]
    return {dotted(target) for node in made for target in targets(node)} - {""}


def _never_started(context: Context, module: Any, statements: dict[int, Any]) -> Iterator[Finding]:
    """`spark = connect()` with a failure that is told there and gives None, and the job under `if spark is not None:` alone."""
    conditions = {id(one.node.test): one.node for one in module.tree.statements if isinstance(one.node, cst.If)}
    seen = set()
    for call in module.named(*RUNS):
        if module.receiver_type(call) not in RUNS[call.name]:
            continue
        for spot in (call.spot, *(site.spot for site in (module.call_sites(call.function) if call.function is not None else ()))):
            for arm in spot.arms:
                name, condition = _asked_for(arm.test) if arm.kind == "if" else "", conditions.get(id(arm.test))
                if not name or condition is None or condition.orelse is not None:
                    continue
                for made in (binding.node for binding, _ in module.lookup(name, spot) if binding.kind == "assign"):
                    handler = _gives_none(module, made, spot) if isinstance(made, cst.Call) else None
                    if handler is None or id(handler) in seen:
                        continue
                    seen.add(id(handler))
                    message = "what cannot be made is only told here and None comes back: the job is left out, and the script ends with exit code 0: whoever started it sees success, and nothing restarts it"
                    related = [(module.place(condition.test, spot), "the job runs under this alone"), (module.call_place(call), "the job")]
                    place = module.place(handler.type or handler, statements[id(handler)].spot)
                    yield context.finding(message, place, related, confidence="low" if _by_hand(module) else "medium")


def _never_asked(context: Context, module: Any) -> Iterator[Finding]:
    """`while query.isActive: time.sleep(1)`, and nothing that asks the query how it ended."""
    hears = [*module.named(*_HEARS), *(call for call in module.named("exception") if not call.node.args)]
    for statement in module.tree.statements if not hears and not module.notebook else ():
        loop, spot = statement.node, statement.spot
        if not isinstance(loop, cst.While) or module.contexts.of(spot.function):
            continue
        parts = [loop.test.left, loop.test.right] if isinstance(loop.test, cst.BooleanOperation) else [loop.test]
        asked = next((part for part in parts if isinstance(part, cst.Attribute) and part.attr.value == "isActive"), None)
        if asked is None or isinstance(getattr(loop.test, "operator", None), cst.Or):
            continue
        behind = [one for one in module.tree.statements if one.spot.function is spot.function and one.spot.statement > spot.statement]
        fails = any(isinstance(one.node, cst.Raise) for one in behind) or any(
            call.name in _TELLS and call.function is spot.function and call.spot.statement > spot.statement for call in module.calls
        )
        if module.type_of(asked.value, spot) == "spark.StreamingQuery" and not fails:
            message = "when the query fails this loop ends, nobody asks why, and the script ends with exit code 0: whoever started it sees success, and nothing restarts it (query.awaitTermination(1) in its place raises the failure)"
            yield context.finding(message, module.place(asked, spot))


def _asked_for(test: Any) -> str:
    """The name in `name`, `name is not None` and `name != None`."""
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        operator, other = test.comparisons[0].operator, test.comparisons[0].comparator
        unlike = isinstance(operator, (cst.IsNot, cst.NotEqual)) and is_none(other)
        test = test.left if unlike else None
    return test.value if isinstance(test, cst.Name) else ""


def _gives_none(module: Any, made: cst.Call, spot: Any) -> Any:
    """The handler of a function that gives None where anything failed; None for any other function."""
    function = module.target(Call(made, last_name(made.func), spot, spot.function, ""))
    if function is None:
        return None
    own = [one for one in module.tree.statements if one.spot.function is function]
    empty = {
        target.target.value
        for one in own
        if isinstance(one.node, cst.Assign) and is_none(one.node.value)
        for target in one.node.targets
        if isinstance(target.target, cst.Name)
    }
    for one in own:
        handler = one.node
        if not isinstance(handler, cst.ExceptHandler) or not catches_all(handler) or reraises(handler) or one.spot.in_loop():
            continue
        if _told(module, handler):
            continue
        answers = [node for node, at in function.returns if inside(at, handler)]
        behind = [node for node, at in function.returns if not inside(at, handler) and not at.guarded]
        if answers:
            nothing = all(node is None or is_none(node) for node in answers)
        else:
            nothing = not behind or all(isinstance(node, cst.Name) and node.value in empty for node in behind)
        if nothing:
            return handler
    return None


def _services(context: Context, module: Any, statements: dict[int, Any]) -> Iterator[Finding]:
    """The same around the loop of a Kafka consumer, or around the endless one that feeds Kafka: the first record that fails is the last one."""
    reading = clients.all_record_loops(module)
    feeding = set(_feeding(module)) - reading
    loops = reading | feeding
    seen = set()
    for loop in (statement for statement in statements.values() if id(statement.node) in loops):
        handler, function = _around(module, loop.spot, loop.spot.function, id(loop.node) in reading, 0)
        if function is not loop.spot.function and _goes_on(loop.node):
            continue
        if handler is None or id(handler) in seen or clients.in_loops(statements[id(handler)].spot, loops):
            continue
        seen.add(id(handler))
        spot = statements[id(handler)].spot
        if reraises(handler, well=False) or spot.in_loop() or _keeps(module, handler, function) or _follows(module, function, handler):
            continue
        what, without = ("loop that feeds Kafka", "it") if id(loop.node) in feeding else ("consumer's loop", "its consumer")
        place = module.place(handler.type or handler, spot)
        yield context.finding(_ENDS.format(what, without), place, [(module.place(loop.node, loop.spot), "the loop")], confidence="low")


def _returned_over(context: Context, module: Any) -> Iterator[Finding]:
    """A `return` in a `finally` around the loop of a Kafka consumer: it takes the place of whatever failed."""
    reading = clients.all_record_loops(module) if "finally" in module.raw else set()
    for statement in module.tree.statements:
        for guard in statement.spot.guarded if id(statement.node) in reading else ():
            answer = _answer(guard)
            if answer is None:
                continue
            noted = {
                target.value
                for handler in getattr(guard, "handlers", ())
                for part in descend(handler.body)
                for target in targets(part)
                if isinstance(target, cst.Name)
            }
            if any(isinstance(part, cst.Name) and part.value in noted for part in descend(answer)):
                continue
            message = "the return in this finally takes the place of any error that ends the consumer's loop: the program ends with exit code 0, or goes on without its consumer, and nothing restarts it"
            related = [(module.place(statement.node, statement.spot), "the loop")]
            yield context.finding(message, module.place(answer, statement.spot), related, confidence="low")


def _answer(guard: Any) -> Any:
    """The `return` in the `finally` of a `try`."""
    final = getattr(guard, "finalbody", None)
    return next((part for part in descend(final) if isinstance(part, cst.Return)), None) if final is not None else None


def _around(module: Any, spot: Any, function: Any, reads: bool, level: int) -> tuple[Any, Any]:
    """What catches the failure of a loop, or of the one call of the function it stands in, and the function that does; of a consumer also what catches its client's errors alone."""
    for guard in reversed(spot.guarded):
        for one in getattr(guard, "handlers", ()):
            if catches_all(one) or (reads and not set(caught(one)).isdisjoint(_CLIENT)):
                return one, function
        if _answer(guard) is not None:
            return None, None
    sites = module.call_sites(function) if function is not None and level < _LEVELS else []
    # a coroutine, or a generator, runs where it is awaited
    at_once = function is not None and not function.is_async and not function.yields
    runs = ("dropped", "awaited", "assigned", "argument") if at_once else ("dropped", "awaited")
    if len(sites) != 1 or sites[0].use not in runs or sites[0].spot.in_loop():
        return None, None
    return _around(module, sites[0].spot, sites[0].function, reads, level + 1)


def _goes_on(loop: Any) -> bool:
    """Whether a loop has a handler of its own after which it goes on: what is around it then hardly hears of anything."""
    return any(
        catches_all(handler)
        and not reraises(handler)
        and not any(isinstance(part, (cst.Break, cst.Return)) for part in descend(handler.body))
        for node in descend(loop.body)
        if isinstance(node, cst.Try)
        for handler in node.handlers
    )


def _keeps(module: Any, handler: Any, function: Any) -> bool:
    """Whether a handler keeps something that is looked at elsewhere, and may say how it ended."""
    kept = [target for part in descend(handler.body) if isinstance(part, (cst.Assign, cst.AugAssign)) for target in targets(part)]
    names = {target.value for target in kept if isinstance(target, cst.Name)}
    if not kept or any(not isinstance(target, cst.Name) for target in kept):
        return bool(kept)
    given = {id(target) for statement in module.tree.statements for target in targets(statement.node)}
    apart = given | {id(part) for part in descend(handler)}
    around = descend(function.body if function is not None else module.tree.node)
    return any(isinstance(part, cst.Name) and part.value in names and id(part) not in apart for part in around)


def _broken_off(context: Context, module: Any, statements: dict[int, Any]) -> Iterator[Finding]:
    """A handler for every failure in the loop of a Kafka consumer that ends the loop with `break`, or the program with exit code 0."""
    reading = clients.all_record_loops(module)
    for statement in statements.values():
        tried, loop = statement.node, statement.spot.loop
        if not isinstance(tried, cst.Try) or id(loop) not in reading or statements[id(loop)].spot.in_loop():
            continue
        handler = next((one for one in tried.handlers if catches_all(one)), None)
        last = handler.body.body[-1] if handler is not None else None
        end = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
        leaves = isinstance(end, cst.Break) or (isinstance(end, cst.Expr) and exits_well(end.value))
        if handler is None or not leaves or reraises(handler, well=False):
            continue
        if (
            _keeps(module, handler, statement.spot.function)
            or _follows(module, statement.spot.function, handler)
            or any(
                call.function is statement.spot.function and call.spot.statement > statement.spot.statement
                for call in module.named("exit", "_exit")
                if not exits_well(call.node)
            )
        ):
            continue
        related = [(module.place(loop, statements[id(loop)].spot), "the loop")]
        yield context.finding(_ENDS.format("consumer's loop", "its consumer"), module.handler_place(handler), related, confidence="low")
        return


def _run_elsewhere(context: Context, module: Any, statements: dict[int, Any]) -> Iterator[Finding]:
    """The same where the loop of the consumer, or what runs the job, stands in another module: `worker.start_consuming(handle)`, `orders.run()`."""
    for call in module.calls:
        if call.use not in ("dropped", "awaited") or not _TAKES.search(call.name) or module.target(call) is not None or call.spot.in_loop():
            continue
        handler = next((one for one in handlers(call) if catches_all(one)), None)
        spot = statements[id(handler)].spot if handler is not None else None
        if handler is None or spot is None or reraises(handler, well=False) or spot.in_loop() or _follows(module, call.function, handler):
            continue
        ending = endings.elsewhere(module, call.node.func, call.spot)
        if ending is not None:
            related = [(module.call_place(call), "runs the loop"), (ending.at, ending.why)]
            yield context.finding(_ENDS.format("consumer's loop", "its consumer"), module.handler_place(handler), related, confidence="low")
            return
        run = module.others.said(module.others.callee(call.node.func, call.spot), elsewhere.RUNS)
        if run is not None:
            related = [(module.call_place(call), "runs the job"), run]
            yield context.finding(_SWALLOWED, module.handler_place(handler), related, confidence="medium")
            return


def _feeding(module: Any) -> Iterator[int]:
    """Ids of the endless loops in which a producer sends, itself or in a function that is called there. Made-up records are for a demonstration."""
    waiting = [
        (call, 3)
        for _, producer in clients.made(module, clients.PRODUCERS)
        for call in clients.uses(module, producer, "send", "produce", "send_and_wait")
    ]
    if not waiting or _MADE_UP.search(module.raw):
        return
    while waiting:
        call, levels = waiting.pop()
        found = [loop for loop in call.spot.loops if endless(loop)]
        yield from (id(loop) for loop in found if not any(isinstance(at, cst.Break) for at in descend(loop.body, (cst.For, cst.While))))
        if not found and levels and call.function is not None and not module.contexts.of(call.function):
            waiting += [(site, levels - 1) for site in module.call_sites(call.function)]


def _follows(module: Any, function: Function | None, handler: Any) -> bool:
    """Whether the handler answers with a value (a code, False), as code of a library does, or calls something that may end the process."""
    returns = function.returns if function is not None else ()
    if any(node is not None and inside(spot, handler) for node, spot in returns):
        return True
    return _told(module, handler)


def _told(module: Any, handler: Any) -> bool:
    """Whether a handler calls something that may tell others, or end the process with a code."""
    return any(
        ((other.name in _TELLS and not exits_well(other.node)) or module.target(other) is not None) and inside(other.spot, handler)
        for other in module.calls
    )
