"""`spark.jars.packages` beside `configure_spark_with_delta_pip(builder)`, which sets that option as well: the later of the two wins, and nothing is joined.

Read in delta-spark 3.2.0 (`pip_utils.py`): it ends with `.config("spark.jars.packages", …)` of Delta's package and of `extra_packages`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, contains
from shoal.python.values import Sequence

_KEY = "spark.jars.packages"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for delta in module.named("configure_spark_with_delta_pip"):
        builder = delta.argument(0, "spark_session_builder")
        roots = {id(one.root.node) for one in module.objects(builder, delta.spot)} if builder is not None else set()
        for call in module.named("config"):
            value = call.argument(1, "value")
            if (
                value is None
                or call.spot.scope is not delta.spot.scope
                or not roots & {id(one.root.node) for one in module.receivers(call)}
            ):
                continue
            packages = module.string(value, call.spot)
            if module.string(call.argument(0, "key"), call.spot) != _KEY or not packages:
                continue
            related = [(module.call_place(delta), "sets the option as well")]
            if _before(call, delta):
                extra = _extra(module, delta)
                lost = [one.strip() for one in packages.split(",") if one.strip() and not one.strip().startswith("io.delta:")]
                lost = [one for one in lost if extra is not None and one not in extra]
                if lost:
                    message = f"{lost[0]} is never fetched: configure_spark_with_delta_pip sets {_KEY} anew, with Delta's package and extra_packages alone (give it extra_packages=[…])"
                    yield context.finding(
                        message, module.place(value, call.spot), related, confidence="medium" if delta.spot.conditional else ""
                    )
            elif "io.delta:" not in packages:
                message = f"Delta's package is never fetched: this sets {_KEY} anew, behind configure_spark_with_delta_pip (give that extra_packages=[…])"
                yield context.finding(
                    message, module.place(value, call.spot), related, confidence="medium" if call.spot.conditional else ""
                )


def _extra(module: Any, delta: Call) -> list[str] | None:
    """What is brought beside Delta; None where that is not known."""
    node = delta.argument(1, "extra_packages")
    value = module.value(node, delta.spot) if node is not None else None
    if not isinstance(value, Sequence) or value.open:
        return [] if node is None else None
    named = [module.string(one, value.spot) for one in value.nodes]
    return named if all(named) else None


def _before(call: Call, delta: Call) -> bool:
    """Whether the option is set first: inside what the function is given, or in a statement above."""
    if call.spot.statement != delta.spot.statement:
        return bool(call.spot.statement < delta.spot.statement)
    return any(contains(arg.value, call.node) for arg in delta.node.args)
