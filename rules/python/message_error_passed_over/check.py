"""`if message.error(): continue`, and nothing else in the module that looks at the error; `"ERROR: %s".format(message.error())`, which does not show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call, contains, descend


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
    return branch is None or (isinstance(branch, cst.IndentedBlock) and all(map(_nothing, branch.body)))


def _nothing(statement: Any) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and all(isinstance(part, (cst.Continue, cst.Pass)) for part in statement.body)
