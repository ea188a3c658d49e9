"""`run_main(flow)`, `cluster_main(…)` or `spawn_cluster(…)` of Bytewax without `recovery_config`, in a module whose dataflow keeps state or reads Kafka."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import names

_RUNS = ("run_main", "cluster_main", "spawn_cluster")
# Operators that keep something for each key: methods of a dataflow (before 0.18), and functions since.
_METHODS = names("stateful_map reduce reduce_window fold_window collect_window")
_OPERATORS = names(
    "stateful stateful_batch stateful_map stateful_flat_map join window collect_window count_window fold_window join_window max_window min_window reduce_window"
)
# Input that a program makes up, and that ends.
_TRIED = pattern(r"\bTesting(?:Source|Input)\b")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A state of its own has a Kafka source, too: where it is in each partition; without a store that is only in memory."""
    module = context.module
    runs = [call for call in module.named(*_RUNS) if module.qualified(call).startswith("bytewax.")]
    runs = [call for call in runs if not call.has_stars and not call.has_keyword("recovery_config")]
    kept = next((call for call in module.calls if _keeps(module, call)), None) if runs else None
    if kept is None or _TRIED.search(module.raw):
        return
    for call in runs:
        message = "no recovery store is given: after a crash or a redeploy the dataflow begins with no state, and its Kafka source where it began the first time (recovery_config=RecoveryConfig(…))"
        related = [(module.call_place(kept), "keeps state")]
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _keeps(module: Any, call: Call) -> bool:
    if call.name == "KafkaSource":
        return bool(module.qualified(call).startswith("bytewax."))
    if call.name in _OPERATORS and module.qualified(call).startswith("bytewax.operators."):
        return True
    return call.name in _METHODS and any(obj.type == "bytewax.Dataflow" for obj in module.receivers(call))
