"""Futures of async operators that nobody completes, and retries that last longer than an operator's timeout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from shoal.flink_time import retry_pauses
from shoal.java.functions import EVERYTHING, asks, following, lambda_of, leaves, on_task_thread, own_nodes, preceding, statements_of
from shoal.java.sheet import Sheet
from shoal.java.source import below
from shoal.lazy import pattern
from shoal.python.values import Known, names

# Handlers that catch all that a wait for another future throws, and those that catch everything.
_BROAD = pattern(r"\b(?:Exception|RuntimeException|Throwable|InterruptedException|ExecutionException)\b")
_STAGES = names("thenAccept thenAcceptAsync thenApply thenApplyAsync thenRun thenRunAsync thenCompose thenComposeAsync")
_BOTH = names("whenComplete whenCompleteAsync handle handleAsync")
_ANSWERS = ("exceptionally", "whenComplete", "handle", "completeExceptionally", "onFailure", "onError", "orTimeout", "completeOnTimeout")
# Methods of a callback that a client is given as an object: what it calls with an answer, and what with none.
_ANSWERED = names("onResponse onSuccess onComplete onCompleted onNext completed success")
_FAILED = names("onFailure onError failed failure onException onThrowable")
# Retry strategies of async operators, by how many numbers they are made with.
_RETRIES = {"FixedDelayRetryStrategyBuilder": 2, "ExponentialBackoffDelayRetryStrategyBuilder": 4}


def unfinished_futures(sheet: Sheet, method: Node, body: Node) -> None:
    """Paths through `asyncInvoke` or `timeout` on which nothing is done with the result's future."""
    source = sheet.source
    name = source.name(method)
    parameters = method.child_by_field_name("parameters")
    found = parameters.named_children[-1] if parameters is not None and parameters.named_children else None
    future = source.written(found.child_by_field_name("name")) if found is not None else ""
    if not future or len(parameters.named_children if parameters else ()) != 2:
        return
    mention = _mention(future)
    statements = statements_of(body)

    def mentions(node: Node) -> bool:
        return any(source.written(one) == future and not _is_field(one) for one in below(node, "identifier"))

    if not mentions(body):
        if not any(node.type == "throw_statement" for node in statements) and f"super.{name}" not in source.written(body):
            sheet.out.oddity("future-not-completed", name, sheet.name_span(method), "is never completed")
        return
    callbacks = list(_callbacks(sheet, body, future))
    alone = [inner for inner, _ in callbacks if not mention.search(_around(sheet, body, inner))]
    for block, known in ((body, set[str]()), *callbacks):
        left = _left_open(sheet, statements_of(block), known, mentions)
        left = _only_way(statements_of(block), mentions) if left is None and block in alone else left
        if left is not None:
            sheet.out.oddity("future-not-completed", name, source.span(left), "is not completed when this is false")
        elif (block == body or block in alone) and (bare := _bare_arm(statements_of(block), mentions)) is not None:
            sheet.out.oddity("future-not-completed", name, source.span(bare[0]), f"is not completed when this is {bare[1]}")
    for block in (body, *alone):
        for node in own_nodes(block, "return_statement"):
            empty = block == body or not node.named_children  # what a stage gives goes on to the next one
            if empty and not any(mentions(before) for before in preceding(node, block)):
                sheet.out.oddity("future-not-completed", name, source.span(node), "is not completed before this return")
        for node in own_nodes(block, "catch_clause"):
            attempt = node.parent
            inner = node.child_by_field_name("body")
            if attempt is None or inner is None or mentions(inner) or any(own_nodes(inner, "throw_statement")):
                continue
            if mentions(attempt) and not any(mentions(after) for after in following(attempt, block)):
                sheet.out.oddity(
                    "future-not-completed", name, source.span(node.children[0]), "is not completed when this catches an exception"
                )
    _dropped(sheet, body, future, name)
    _handed_over(sheet, body, future)
    _called_back(sheet, body, future)
    for call in source.within(body):
        given = source.arguments(call) if source.name(call) in _STAGES else []
        if not given or not mentions(given[0]) or any(answer in source.written(given[0]) for answer in ("completeExceptionally", "catch")):
            continue
        before = call.child_by_field_name("object")
        if before is not None and any(_answered(sheet, clause) for clause in below(before, "catch_clause")):
            continue  # what comes before answers for its own failures
        # a handler of another future, inside of what the stage runs, hears nothing when an earlier stage fails or this one throws before it
        if not any(answer in _around(sheet, body, given[0]) for answer in _ANSWERS):
            sheet.out.oddity("future-failure-unseen", name, sheet.name_span(call), _after_all(sheet, body))
            break


def _is_field(node: Node) -> bool:
    """Whether a name is that of a field, as in `System.out`."""
    return node.parent is not None and node.parent.type == "field_access" and node.parent.child_by_field_name("field") == node


def _answered(sheet: Sheet, clause: Node) -> bool:
    """Whether a handler catches all that can go wrong in its block: everything, or what the wait for another future throws where that is all the block does."""
    source, attempt = sheet.source, clause.parent
    if EVERYTHING.search(source.written(clause.named_children[0])):
        return True
    guarded = attempt.child_by_field_name("body") if attempt is not None else None
    gives = statements_of(guarded)[:2] if guarded is not None else []
    waits = gives[0].named_children[0] if len(gives) == 1 and gives[0].type == "return_statement" and gives[0].named_children else None
    waits_alone = waits is not None and waits.type == "method_invocation" and source.name(waits) in ("get", "join")
    return waits_alone and "ExecutionException" in source.written(clause.named_children[0])


def _after_all(sheet: Sheet, body: Node) -> str:
    """What still completes the future of a record that nobody answers for: the class's own `timeout`, where it has one; empty for Flink's, which fails the job."""
    source, owner = sheet.source, sheet.source.class_of(body)
    mine = (method for method in source.methods if source.name(method) == "timeout" and source.class_of(method) == owner)
    return "timeout" if any("super.timeout" not in source.written(method) for method in mine) else ""


def _mention(future: str) -> re.Pattern[str]:
    """A parameter by its name: `out` is not that of `System.out`."""
    return re.compile(rf"(?<![\w.]){re.escape(future)}\b")


# Ways to give no result.
_NOTHING = pattern(
    r"(?:Collections\s*\.\s*(?:emptyList|emptySet|<\w+>\s*emptyList)|(?:List|Set)\s*\.\s*of|Collections\.EMPTY_LIST|new ArrayList<\w*>)(?:\(\s*\))?"
)


def _dropped(sheet: Sheet, body: Node, future: str, method: str) -> None:
    """Failures that are answered with no result at all, and so is what took too long: the record is gone."""
    source = sheet.source
    for call in source.within(body):
        given = source.arguments(call)
        if source.name(call) != "complete" or len(given) != 1 or source.written(call.child_by_field_name("object")) != future:
            continue
        clause, within = call.parent, lambda_of(call)
        while clause is not None and clause != body and clause.type != "catch_clause":
            clause = clause.parent
        stage = within.parent.parent if within is not None and within.parent is not None else None
        then = source.name(stage) if stage is not None and stage.type == "method_invocation" else ""
        failed = (
            method == "timeout"
            or _method_around(sheet, call, body) in _FAILED
            or (clause is not None and clause.type == "catch_clause")
            or then == "exceptionally"
            or (then in _BOTH and within is not None and _where_it_failed(sheet, call, within))
        )
        if failed and _NOTHING.fullmatch(source.written(given[0])):
            sheet.out.oddity("record-maybe-dropped", method, sheet.name_span(call), "answered with no result")


def _last_parameter(sheet: Sheet, work: Node) -> str:
    """The name of a lambda's last parameter: of the failure, where it is told of a result and a failure."""
    return next(reversed(re.findall(r"\w+", sheet.source.written(work.child_by_field_name("parameters")))), "")


def _where_it_failed(sheet: Sheet, call: Node, work: Node) -> bool:
    """Whether a call stands where a stage's lambda of a result and a failure has looked, and there is a failure: `if (error != null)`."""
    failure = _last_parameter(sheet, work)
    inner, at = call, call.parent
    while failure and at is not None and at != work:
        condition = at.child_by_field_name("condition") if at.type == "if_statement" else None
        asked = re.sub(r"[\s()]", "", sheet.source.written(condition)) if condition is not None else ""
        arm = next((name for name in ("consequence", "alternative") if at.child_by_field_name(name) == inner), "")
        if (asked, arm) in ((f"{failure}!=null", "consequence"), (f"{failure}==null", "alternative")):
            return True
        inner, at = at, at.parent
    return False


def _callbacks(sheet: Sheet, body: Node, future: str) -> Iterator[tuple[Node, set[str]]]:
    """The blocks of lambdas that are given to other futures and alone complete this one, with the name of the failure that they are told of."""
    source = sheet.source
    for call in source.within(body):
        work = next(iter(source.arguments(call)), None) if source.name(call) in (*_STAGES, *_BOTH) else None
        inner = work.child_by_field_name("body") if work is not None and work.type == "lambda_expression" else None
        if work is None or inner is None or inner.type != "block" or not on_task_thread(call, body):
            continue
        if not re.search(rf"{_mention(future).pattern}(?!\s*\.\s*completeExceptionally\b)", _around(sheet, body, work)):
            yield inner, {_last_parameter(sheet, work)} if source.name(call) in _BOTH else set()


def _left_open(sheet: Sheet, statements: list[Node], known: set[str], mentions: Callable[[Node], bool]) -> Node | None:
    """The condition of the last `if` of a block that does anything with the future, where nothing is done with it when that is false.

    An `if` before it that deals with the future and leaves the block is another path; what it asks of is settled by then, as `known` is.
    """
    asked, last = set(known), None
    for node in statements:
        if node.type == "throw_statement":
            return None
        if not mentions(node):
            continue
        ways = _ways(node, mentions)
        if not ways or (last is not None and not all(map(leaves, _ways(last, mentions).values()))):
            return None
        if any(mentions(condition) or not mentions(work) for condition, work in ways.items()):
            return None
        *before, condition = ([*_ways(last, mentions)] if last is not None else []) + [*ways]
        asked.update(name for one in before for name in asks(sheet, one))
        last = node
    return condition if last is not None and not asks(sheet, condition) <= asked else None


def _only_way(statements: list[Node], mentions: Callable[[Node], bool]) -> Node | None:
    """The condition of an `if` that is all in a block to do anything with the future, and does so on one way only."""
    found = [node for node in statements if mentions(node)]
    ways = _ways(found[0], mentions) if len(found) == 1 else {}
    condition = next(iter(ways), None)
    return condition if len(ways) == 1 and condition is not None and mentions(ways[condition]) else None


def _bare_arm(statements: list[Node], mentions: Callable[[Node], bool]) -> tuple[Node, str] | None:
    """The condition of an arm, written out in the one `if` of a block that does anything with the future, that does nothing with it; and whether it holds
    there. An arm that throws, or leaves by a `return` of its own, is spoken of elsewhere."""
    found = [node for node in statements if mentions(node)]
    arms = _arms(found[0]) if len(found) == 1 else []
    if any(mentions(condition) for condition, _, _ in arms):
        return None
    for condition, holds, work in arms:
        if not mentions(work):
            if not any(below(work, "throw_statement")) and not any(below(work, "return_statement")):
                return condition, holds
        elif inner := _bare_arm(statements_of(work) if work.type == "block" else [work], mentions):
            return inner
    return None


def _arms(node: Node) -> list[tuple[Node, str, Node]]:
    """The conditions of an `if` statement with `true` and what is done then, and the last of them with `false` and what its `else` does."""
    found: list[tuple[Node, str, Node]] = []
    at: Node | None = node
    while at is not None and at.type == "if_statement":
        condition, work = at.child_by_field_name("condition"), at.child_by_field_name("consequence")
        if condition is None or work is None:
            return []
        found.append((condition, "true", work))
        at = at.child_by_field_name("alternative")
    return [*found, (found[-1][0], "false", at)] if at is not None and found else found


def _ways(node: Node, mentions: Callable[[Node], bool]) -> dict[Node, Node]:
    """The conditions of an `if` with what is done when they hold, where there is no last `else`, or one that does nothing with the future; none for any
    other statement."""
    arms = _arms(node)
    if any(holds == "false" and (mentions(work) or any(below(work, "throw_statement"))) for _, holds, work in arms):
        return {}
    return {condition: work for condition, holds, work in arms if holds == "true"}


def _around(sheet: Sheet, body: Node, work: Node) -> str:
    """The text of a body without that of a part of it."""
    text = sheet.source.text
    return text[body.start_byte : work.start_byte] + text[work.end_byte : body.end_byte]


def _handed_over(sheet: Sheet, body: Node, future: str) -> None:
    """Lambdas given to other threads that complete the future, where an exception that is not expected reaches nobody."""
    source = sheet.source
    for call in source.within(body):
        given = source.arguments(call) if source.name(call) in ("submit", "execute", "runAsync") else []
        if not given or given[0].type != "lambda_expression":
            continue
        work = given[0]
        inner = work.child_by_field_name("body")
        completes = [
            done
            for done in source.within(work)
            if source.name(done) == "complete" and source.written(done.child_by_field_name("object")) == future and lambda_of(done) == work
        ]
        if inner is None or not completes or any(answer in _around(sheet, body, work) for answer in _ANSWERS):
            continue
        mention = _mention(future)
        catches = [node for node in below(inner, "catch_clause") if mention.search(source.written(node))]
        broad = any(_BROAD.search(source.written(node.named_children[0])) for node in catches)
        if not broad and not any(mention.search(source.written(node)) for node in below(inner, "finally_clause")):
            if catches:
                caught = re.sub(r"\s*\w+$", "", source.written(catches[-1].named_children[0])).removeprefix("final ")
                sheet.out.oddity("future-failure-narrow", caught, source.span(catches[-1].children[0]))
            else:
                sheet.out.oddity("future-failure-unseen", "asyncInvoke", sheet.name_span(call), _after_all(sheet, body))


def _method_around(sheet: Sheet, node: Node, body: Node) -> str:
    """The name of the method of an object's own class, made in a body, in which something stands itself."""
    at = node.parent
    while at is not None and at != body and at.type not in ("lambda_expression", "method_declaration"):
        at = at.parent
    return sheet.source.name(at) if at is not None and at != body and at.type == "method_declaration" else ""


def _called_back(sheet: Sheet, body: Node, future: str) -> None:
    """Objects given to a client that complete the future with its answer, and do nothing with it when there is none."""
    source, mention = sheet.source, _mention(future)
    for made in below(body, "class_body"):
        if made.parent is None or made.parent.type != "object_creation_expression":
            continue
        methods = {source.name(one): one for one in made.named_children if one.type == "method_declaration"}
        told = {name: inner for name, one in methods.items() if (inner := one.child_by_field_name("body")) is not None}
        if not any(mention.search(source.written(inner)) for name, inner in told.items() if name in _ANSWERED):
            continue
        for name in told.keys() & _FAILED:
            if not mention.search(source.written(told[name])) and not any(below(told[name], "throw_statement")):
                where = methods[name].child_by_field_name("name")
                sheet.out.oddity("future-failure-unseen", name, source.span(where or methods[name]), _after_all(sheet, body))


def retries_that_outlast(sheet: Sheet, call: Node, given: list[Node], wait: int) -> None:
    """A retry strategy whose pauses alone last as long as the timeout of the operator, which covers all attempts together."""
    source = sheet.source
    made = source.origin(given[-1]) if source.name(call).endswith("WithRetry") else None
    if made is None or source.type_of(made) not in _RETRIES:
        return
    values = [source.value(node) for node in source.arguments(made)]
    numbers = [float(value.value) for value in values if isinstance(value, Known) and isinstance(value.value, (int, float))]
    if len(numbers) != len(values) or len(numbers) != _RETRIES[source.type_of(made)] or min(numbers) <= 0:
        return
    pauses = retry_pauses(*numbers)
    if pauses >= wait:
        place = sheet.out.place(source.span(given[2]))._replace(role="related", label="the timeout")
        where = source.span(made.child_by_field_name("type") or made)
        sheet.out.oddity("retries-outlast", f"{pauses / 1000:g} s", where, f"{wait / 1000:g} s", related=(place,))
