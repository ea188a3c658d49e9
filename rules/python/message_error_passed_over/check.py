"""`if message.error(): continue`, or `if message is None or message.error(): print("nothing")`, and nothing else in the module that looks at the error; `"ERROR: %s".format(message.error())`, which does not show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, handlers
from shoal.python.tree import Call, contains, descend, dotted, is_none, last_name, unawaited

_WRONG = pattern(r"(?i)err|fail|exception|problem|wrong|bad|invalid")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Any other use of the error may tell somebody, and so may an `error_cb`."""
    module = context.module
    calls = [call for call in module.named("error") if call.receiver_node is not None and not call.node.args]
    if "error_cb" in module.raw or not any(module.receiver_type(call) == "confluent.Message" for call in calls):
        return
    silent = [call for call in calls if _silent(module, call)]
    if silent and len(silent) == len(calls):
        message = "what a message says is wrong is passed over without a word: a topic that is not there, or may not be read, leaves a consumer that waits for ever and looks well"
        yield context.finding(message, module.call_place(silent[0]), covers=[module.covers(silent[0])])
        return
    lost = {id(part): call for call in module.named("format") if _shows_nothing(module, call) for part in descend(call.node)}
    shown = [call for call in calls if id(call.node) not in lost and not _asked(module, call)]
    for call in calls if not shown else ():
        if id(call.node) not in lost:
            continue
        told = lost[id(call.node)]
        text = module.string(told.receiver_node, told.spot)
        message = f"the error is not in what is told: format() puts nothing into {text!r}, which has no braces; whoever reads this cannot know what is wrong"
        yield context.finding(message, module.call_place(told), severity="warning", confidence="high", covers=[module.covers(told)])


def _shows_nothing(module: Any, call: Call) -> bool:
    """Whether a text is formatted that is known, and has no place for anything."""
    text = module.string(call.receiver_node, call.spot) if call.receiver_node is not None else None
    return isinstance(text, str) and bool(text) and "{" not in text


def _asked(module: Any, call: Call) -> bool:
    """Whether a call only decides about a branch."""
    node = module.tree.statements[call.spot.statement].node
    return isinstance(node, cst.If) and contains(node.test, call.node)


def _silent(module: Any, call: Call) -> bool:
    """Whether a call only decides about a branch, and the one for errors does nothing."""
    node = module.tree.statements[call.spot.statement].node
    if not isinstance(node, cst.If) or not contains(node.test, call.node):
        return False
    wrong = clients.where_wrong(node.test, call.node)
    if wrong is None:
        return False
    branch = node.body if wrong else node.orelse.body if isinstance(node.orelse, cst.Else) else node.orelse
    # one branch for an error and for no message at all: what is told there is told of both
    both = isinstance(node.test, cst.BooleanOperation) and _asks_for_none(node.test, call)
    return branch is None or (isinstance(branch, cst.IndentedBlock) and all(_nothing(one, both) for one in branch.body))


def _asks_for_none(test: Any, call: Call) -> bool:
    """Whether the same message is also compared with None: `m is not None and m.error() is None`."""
    message = dotted(call.receiver_node)
    compared = [part for part in descend(test) if isinstance(part, cst.Comparison)] if message else []
    return any(dotted(part.left) == message and is_none(part.comparisons[0].comparator) for part in compared)


def _nothing(statement: Any, told: bool) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    return all(isinstance(part, (cst.Continue, cst.Pass)) or (told and _fixed(part)) for part in statement.body)


def _fixed(part: Any) -> bool:
    """Whether a statement prints a fixed text that does not speak of errors, or sleeps."""
    if not isinstance(part, cst.Expr):
        return False
    value = part.value.value if isinstance(part.value, cst.Yield) else part.value
    call = unawaited(value.item) if isinstance(value, cst.From) else unawaited(value) if value is not None else None
    if not isinstance(call, cst.Call) or last_name(call.func) not in handlers.LOGS:
        return False
    texts = [arg.value for arg in call.args]
    return all(isinstance(text, (cst.SimpleString, cst.Integer, cst.Float)) and not _WRONG.search(text.value) for text in texts)
