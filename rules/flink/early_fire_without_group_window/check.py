"""`table.exec.emit.early-fire.enabled` or `…late-fire.enabled` beside aggregates over window table functions, or no windows at all."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates.common import text

_OVER_WINDOW = "windowed-group-by"
_FUNCTION = "window-tvf"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """As WindowUtil.checkEmitConfiguration has it: only the older GROUP BY TUMBLE(…) fires early."""
    if questions.batch(job):
        return
    for block in job.select("flink", ("session", "job")):
        found = [job.get(block, f"table.exec.emit.{when}-fire.enabled") for when in ("early", "late")]
        fires = next((option for option in found if text(option) == "true"), None)
        if fires is None:
            continue
        beside = [statement for statement in job.statements() if statement.place.path == fires.place().path]
        refused = next((one for one in beside if {_OVER_WINDOW, _FUNCTION} <= set(one.features)), None)
        name = fires.key.rpartition(".")[0].rpartition(".")[2]
        if refused is not None:
            message = f"the job does not start: an aggregate over a window table function refuses {name}, which only the older GROUP BY TUMBLE(…) does (CUMULATE gives results before a window ends)"
            yield context.finding(message, fires, [(refused.place, "aggregates over a window table function")], severity="error")
        elif (
            block.role == "session"
            and not block.parent
            and not block.open
            and any(one.kind == "insert" for one in beside)
            and not any({_OVER_WINDOW, _FUNCTION} & set(one.features) for one in beside)
        ):
            message = f"{name} does nothing: no statement here groups by a window, and other results change with each record anyhow"
            yield context.finding(message, fires, severity="info", confidence="medium")
