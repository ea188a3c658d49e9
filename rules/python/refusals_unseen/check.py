"""Writes that do not raise for what is refused, but return it: dropped, or only logged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.clients import all_record_loops, called_in, in_loops, reads, unread
from shoal.python.contexts import TASK
from shoal.python.tree import Call, Statement, descend, dotted, last_name, targets, unawaited
from shoal.python.values import Known

# The call, an argument that only this call has (or a word that the module must have), and who refuses and how it says so.
_WRITES = {
    "insert_rows_json": ("", "bigquery", "BigQuery gives out the rows it refuses as a list"),
    "insert_rows": ("", "bigquery", "BigQuery gives out the rows it refuses as a list"),
    "insert_rows_from_dataframe": ("", "bigquery", "BigQuery gives out the rows it refuses as lists"),
    "put_records": ("Records", "boto", "Kinesis counts what it refuses in FailedRecordCount"),
    "put_record_batch": ("Records", "boto", "Firehose counts what it refuses in FailedPutCount"),
    "send_message_batch": ("Entries", "boto", "SQS lists what it refuses under Failed"),
    "batch_write_item": ("RequestItems", "boto", "DynamoDB gives back what it did not write as UnprocessedItems"),
}
_BULK = ("elasticsearch.helpers.bulk", "opensearchpy.helpers.bulk", "elasticsearch7.helpers.bulk", "elasticsearch8.helpers.bulk")
# What puts a record somewhere over HTTP; neither library raises for an answer of 4xx or 5xx unless it is asked to.
_PUTS = ("post", "put", "patch")
_HTTP = ("requests.", "httpx.")
# Requests that tell people something: what becomes of one is of less weight than the records.
_TELLS = pattern(r"(?i)hooks?\b|hook_|slack|telegram|discord|notif|alert|teams|pagerduty|mail")
_HOOKS = pattern(r"\.hooks\b|\bhooks\s*=")
_RUN = (*TASK, "foreach", "foreach-batch", "rdd", "step", "dataflow", "record")
_LOGS = ("print", "error", "warning", "exception", "info", "debug", "warn", "critical", "log", "str", "repr", "format", "len", "dumps")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_WRITES):
        argument, word, how = _WRITES[call.name]
        if word not in module.raw.lower() or call.receiver_node is None or (argument and not call.has_keyword(argument)):
            continue
        if call.use == "dropped" or unread(module, call) or _only_status(module, call) or _given_back_to_nobody(module, call):
            message = f"what is refused here is lost unseen: the call does not raise, {how}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
            continue
        logged = _logged(module, call)
        if logged is not None:
            message = "what is refused is only logged: the call does not raise, and whoever called this goes on as if all were written"
            place = module.place(logged.node, logged.spot)
            yield context.finding(message, place, [(module.call_place(call), how)], confidence="low")
        elif (name := module.assigned(call)) and _logged_alone(module, call, name):
            message = f"what is refused here is only logged, whatever it is: the call does not raise, {how}"
            yield context.finding(message, module.call_place(call), confidence="low", covers=[module.covers(call)])
    yield from _bulks(context)
    yield from _posts(context)


def _posts(context: Context) -> Iterator[Finding]:
    """Records that are put somewhere over HTTP, by functions that an engine runs or in the loop of a consumer, and of whose answer nobody sees anything."""
    module = context.module
    posts = [(call, _shown(module, call)) for call in module.named(*_PUTS, "request") if _is_request(module, call)]
    posts = [(call, shown) for call, shown in posts if shown is not None]
    loops = all_record_loops(module) if posts else set()
    for call, shown in posts:
        run = any(where.kind in _RUN for where in module.contexts.of(call.function))
        if not run and not in_loops(call.spot, loops) and not called_in(module, call, loops, 3):
            continue
        to = call.argument(1 if call.name == "request" else 0, "url")
        names = (
            " ".join([module.string(to, call.spot), *(part.value for part in descend(to) if isinstance(part, cst.Name))])
            if to is not None
            else ""
        )
        told = _TELLS.search(names) is not None
        message = (
            "what is refused here is lost unseen: an answer of 4xx or 5xx raises nothing, and nobody looks at this one (raise_for_status())"
        )
        if shown:
            message = "what is refused here is only shown: an answer of 4xx or 5xx raises nothing, and the record counts as written (raise_for_status())"
        yield context.finding(message, module.call_place(call), confidence="low" if told or shown else "", covers=[module.covers(call)])


def _shown(module: Any, call: Call) -> bool | None:
    """Whether an answer is printed, and that is all that becomes of it; None where more does."""
    if _dropped(module, call) or unread(module, call):
        return False
    name = module.assigned(call)
    if not name or call.function is None or not _logged_alone(module, call, name):
        return None
    # who is given something where it was printed, and the same in any case, hears nothing of it
    return None if any(_reads(node, name) for node, _ in call.function.returns if node is not None) else True


def _is_request(module: Any, call: Call) -> bool:
    """Whether a call is one of requests or httpx that puts something somewhere, or of a session of requests that does not look at its answers itself."""
    if call.name == "request":
        method = call.argument(0, "method")
        if method is None or module.string(method, call.spot).lower() not in _PUTS:
            return False
    if module.qualified(call).startswith(_HTTP):
        return True
    return module.receiver_type(call) == "py.HttpSession" and _HOOKS.search(module.raw) is None


def _bulks(context: Context) -> Iterator[Finding]:
    """`helpers.bulk(client, actions, raise_on_error=False)` of Elasticsearch and OpenSearch, which then gives out the errors beside what it wrote."""
    module = context.module
    for call in module.named("bulk"):
        if _of_client(module, call) and (_dropped(module, call) or unread(module, call)):
            message = (
                "what is refused here is lost unseen: the call does not raise, `errors` of its answer says whether something was refused"
            )
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
            continue
        raises = call.argument(9, "raise_on_error")
        if module.qualified(call) not in _BULK or raises is None or module.value(raises, call.spot) != Known(False):
            continue
        node = module.tree.statements[call.spot.statement].node
        given = targets(node)[0] if isinstance(node, cst.Assign) and node.value is call.node else None
        both = given.elements if isinstance(given, cst.Tuple) and len(given.elements) == 2 else ()
        errors = both[1].value.value if both and isinstance(both[1].value, cst.Name) else ""
        how = "raise_on_error is off, and the errors are the second thing that it gives"
        if call.use == "dropped" or unread(module, call) or (errors and reads(module, errors, call.spot.scope) == 0):
            message = f"what is refused here is lost unseen: {how}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        elif errors and _logged_alone(module, call, errors):
            message = f"what is refused here is only logged, and whoever called this goes on as if all were written: {how}"
            yield context.finding(message, module.call_place(call), confidence="medium", covers=[module.covers(call)])


def _of_client(module: Any, call: Call) -> bool:
    """Whether a call is the request of a client of Elasticsearch or OpenSearch, and not the helper, which raises."""
    given = call.has_keyword("operations", "body")
    return given and call.receiver_node is not None and re.search(r"(?i)elasticsearch|opensearch", module.raw) is not None


def _dropped(module: Any, call: Call) -> bool:
    node = module.tree.statements[call.spot.statement].node
    return isinstance(node, cst.Expr) and unawaited(node.value) is call.node


def _logged_alone(module: Any, call: Call, name: str) -> bool:
    """Whether all reads of a name stand in lines that log, or ask for it around such lines."""
    seen = 0
    for statement in module.tree.statements:
        node = statement.node
        if statement.spot.scope is not call.spot.scope:
            continue
        if isinstance(node, cst.If) and _reads(node.test, name):
            if _names_a_success(node, name):  # `if not errors: errors = "none"`, for the line that logs it
                seen += _reads(node.test, name)
                continue
            if not _only_logs(node.body) or (node.orelse is not None and not _only_logs(node.orelse)):
                return False
            seen += _reads(node.test, name)
        elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call) and last_name(node.value.func) in _LOGS:
            seen += _reads(node, name)
    return seen == reads(module, name, call.spot.scope)


def _names_a_success(test: cst.If, name: str) -> bool:
    """Whether an `if` gives a name a text, and does nothing else."""
    body: Any = test.body
    while isinstance(body, (cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite)) and len(body.body) == 1:
        body = body.body[0]
    given = isinstance(body, cst.Assign) and isinstance(body.value, cst.SimpleString)
    return test.orelse is None and given and [dotted(one.target) for one in body.targets] == [name]


def _only_status(module: Any, call: Call) -> bool:
    """Whether all that is read of an answer is that AWS has given one: `response["ResponseMetadata"]["HTTPStatusCode"] == 200`."""
    name = module.assigned(call)
    if not name or not call.node.args or not any(arg.keyword is not None for arg in call.node.args):
        return False
    scope = call.spot.scope
    inside = [statement.node for statement in module.tree.statements if statement.spot.scope is scope]
    status = {
        id(part)
        for node in inside
        for part in descend(node)
        if isinstance(part, cst.Subscript)
        and isinstance(part.value, cst.Name)
        and part.value.value == name
        and any(
            isinstance(at, cst.SimpleString) and at.evaluated_value == "ResponseMetadata" for item in part.slice for at in descend(item)
        )
    }
    return bool(status) and len(status) == reads(module, name, scope)


def _given_back_to_nobody(module: Any, call: Call) -> bool:
    """Whether a function does no more with an answer than to return it: that of a loop's last round alone, or to callers that all drop it."""
    name, function = module.assigned(call), call.function
    if not name or function is None:
        return False
    returns = [spot for node, spot in function.returns if isinstance(node, cst.Name) and node.value == name]
    if not returns or len(returns) != reads(module, name, call.spot.scope):
        return False
    if call.spot.in_loop() and not any(spot.in_loop() for spot in returns):
        return True
    sites = module.call_sites(function)
    return bool(sites) and all(site.use == "dropped" for site in sites)


def _logged(module: Any, call: Call) -> Statement | None:
    """The first of the lines that log what a call gave back, where that is all that becomes of it."""
    name = module.assigned(call)
    if not name:
        return None
    tests = [
        statement
        for statement in module.tree.statements
        if isinstance(statement.node, cst.If) and statement.spot.scope is call.spot.scope and _reads(statement.node.test, name)
    ]
    if len(tests) != 1:
        return None
    test = tests[0].node
    arms = [test.body] if test.orelse is None else [test.body, test.orelse]
    seen = _reads(test.test, name) + sum(_reads(arm, name) for arm in arms)
    # who is given something in one of the cases alone can tell them apart
    tells = call.function is not None and any(node is not None for node, _ in call.function.returns)
    if seen != reads(module, name, call.spot.scope) or not all(_only_logs(arm, tells) for arm in arms):
        return None
    told = next((arm for arm in arms if _reads(arm, name)), arms[0])
    inside = {id(part) for part in descend(told)}
    return next((one for one in module.tree.statements if id(one.node) in inside), None)


def _reads(node: Any, name: str) -> int:
    return sum(isinstance(part, cst.Name) and part.value == name for part in descend(node))


def _only_logs(body: Any, tells: bool = True) -> bool:
    for part in descend(body):
        if isinstance(part, cst.Return) and part.value is None and not tells:
            continue
        if isinstance(part, (cst.Return, cst.Raise, cst.Continue, cst.Break, cst.Assign, cst.AugAssign, cst.Yield, cst.Await)):
            return False
        if isinstance(part, cst.Call):
            name = last_name(part.func)
            if name not in _LOGS:
                return False
    return True
