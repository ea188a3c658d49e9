"""`Application(use_changelog_topics=False)` in a module whose frames keep state: windows, joins, stateful functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import names

# Methods of a StreamingDataFrame that store something whatever they are given.
_KEEPS = names(
    "tumbling_window hopping_window sliding_window session_window tumbling_count_window hopping_count_window sliding_count_window "
    "join_asof join_interval"
)
_MAY_KEEP = ("apply", "update", "filter")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    kept = next((call for call in module.named(*_KEEPS, *_MAY_KEEP) if _keeps(module, call)), None)
    if kept is None:
        return
    for call in module.named("Application", "Quix"):
        given = next((arg for arg in call.node.args if arg.keyword is not None and arg.keyword.value == "use_changelog_topics"), None)
        if given is None or not module.qualified(call).startswith("quixstreams.") or module.constant(given.value, call.spot) is not False:
            continue
        message = (
            "the state of this application is on the local disk alone: without changelog topics a new container, or another member of the "
            "group that takes the partition, begins with none, and the offsets behind it are committed"
        )
        related = [(module.call_place(kept), "keeps state")]
        sure = "low" if _invented(module) else ""
        yield context.finding(message, module.place(given, call.spot), related, confidence=sure, covers=[module.covers(call)])


def _invented(module: Any) -> bool:
    """Whether all records come from sources that the module itself defines and runs, as in a tutorial: what is lost was made up."""
    frames = [call for call in module.named("dataframe") if call.receiver_node is not None]
    sources = [(call.argument(-1, "source"), call.spot) for call in frames]
    return bool(sources) and all(node is not None and module.class_of(node, spot) is not None for node, spot in sources)


def _keeps(module: Any, call: Call) -> bool:
    """Whether a step of a frame keeps state; a frame that came through a filter in brackets has lost its type here, and the names of windows say enough."""
    if call.receiver_node is None:
        return False
    if call.name in _KEEPS:
        return True
    return any(
        arg.keyword is not None and arg.keyword.value == "stateful" and module.constant(arg.value, call.spot) is True
        for arg in call.node.args
    )
