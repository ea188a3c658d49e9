"""`wait()` on a result of Table API in a program that Amazon's managed service starts, and that only a local run should wait in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.flink_methods import MANAGED
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.templates import tables

_MARKS = tuple(mark for mark, where in MANAGED if where == "aws-managed-flink")
# A way out above the wait, which the service may take.
_LEAVES = pattern(r"\bif\b[^\n]*:\s*\n\s+(?:return|sys\.exit|exit|os\._exit)\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook or not any(mark in module.raw for mark in _MARKS):
        return
    waits = [call for call in module.named("wait") if module.receiver_type(call) == "flink.TableResult" and not call.node.args]
    sources = tables.sources(job) if waits else []
    if not sources or tables.is_batch(job) or not all(tables.never_ends(job, block) for block in sources):
        return
    for call in waits:
        if _always(module, call):
            message = (
                "the service waits for main() to end once the job is handed over, and this waits for the job, which does not end: "
                "wait only where the program runs on its own (if is_local)"
            )
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
            return


def _always(module: Any, call: Call, levels: int = 3) -> bool:
    """Whether a call is made wherever the program runs."""
    if call.spot.conditional:
        return False
    function = call.function
    if function is None:
        return True
    if _LEAVES.search(module.tree.node.code_for_node(function.node)):
        return False
    sites = [site for site in module.call_sites(function) if site.function is not function]
    called = [site for site in sites if site.function is not None]
    # at the end of the module it is `if __name__ == "__main__"` that calls it
    return bool(sites) and levels > 0 and all(_always(module, site, levels - 1) for site in called)
