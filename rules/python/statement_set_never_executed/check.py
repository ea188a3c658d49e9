"""`create_statement_set()` whose result gets INSERTs and no `execute()`; or nothing at all."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import kept_in
from shoal.python.values import names

_ADDS = names("add_insert add_insert_sql")
_SUBMITS = names("execute attach_as_datastream compile_plan explain")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only of a set in a plain name that stays in the module: what holds it otherwise may execute it anywhere."""
    module = context.module
    if module.notebook:
        return
    for call in module.named("create_statement_set"):
        given = kept_in(module.tree, call)
        made = next((obj for obj in module.objects(call.node, call.spot) if obj.node is call.node), None)
        if made is None or len(given) != 1 or not isinstance(given[0], cst.Name) or given[0].value in call.spot.scope.uses_globals:
            continue
        if call.spot.scope.kind == "class" or clients.handed_on(module, made) or clients.given_back(module, made):
            continue
        added = clients.uses(module, made, *_ADDS)
        if added:
            # what a name stands for where it is not known may be the set
            if any(made in module.receivers(other) or not module.receivers(other) for other in module.named(*_SUBMITS)):
                continue
            message = "these INSERTs never run: nothing executes the statement set, and the script ends with exit code 0"
            yield context.finding(
                message, module.call_place(added[0]), [(module.call_place(call), "the set")], covers=[module.covers(call)]
            )
        elif not clients.reads(module, given[0].value, call.spot.scope) and any(other.name == "execute_sql" for other in module.calls):
            message = (
                f"{given[0].value} is never used: no INSERT goes into this set, and each that is submitted by itself is a job of its own"
            )
            place = module.place(given[0], call.spot)
            yield context.finding(message, place, severity="info", confidence="low", covers=[module.covers(call)])
