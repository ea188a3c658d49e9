"""What runs in Python workers: the steps of an audit, rows in, rows out, in Arrow batches. No module that is imported here knows a session or a
DataFrame.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from importlib import import_module

from shoal.spark import wheel
from shoal.spark.checking import check, scan_and_check
from shoal.spark.concluding import conclude_trees
from shoal.spark.fact_rows import fact_rows
from shoal.spark.listing import list_folders, list_repository, list_top
from shoal.spark.plan import Plan
from shoal.spark.rows import Batches
from shoal.spark.scanning import file_rows, scan, scan_contents

STEPS: dict[str, Callable[[Plan, Batches], Batches]] = {
    "list-top": list_top,
    "list-folders": list_folders,
    "list-repository": list_repository,
    "scan": scan,
    "scan-contents": scan_contents,
    "check": check,
    "scan-and-check": scan_and_check,
    "conclude": conclude_trees,
    "files": file_rows,
    "facts": fact_rows,
}


# Steps of which this Python worker has loaded what they need.
_settled: set[str] = set()


def run(step: str, plan: Plan, found: Batches) -> Batches:
    """One step of an audit over the batches of a partition."""
    if wheel.archive():
        told = pickle.dumps(plan)
        wheel.unpack()
        unpacked = import_module("shoal.spark.executor")
        yield from unpacked.run(step, pickle.loads(told), found)
        return
    yield from STEPS[step](plan, found)
    if step not in _settled:
        # PySpark collects garbage after each task. To look through modules and rules for it takes longer than most tasks
        _settled.add(step)
        gc.collect()
        gc.freeze()
