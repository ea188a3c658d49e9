"""`to_timestamp(time, "yyyy-mm-dd hh:mm:ss")`: patterns of Spark whose letters mean something else than where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import ASSIGNMENTS
from shoal.python.values import Mapping
from shoal.values.datepatterns import wrong_letter

# Functions of Spark and where they take the pattern.
_FUNCTIONS = {
    "to_timestamp": 1,
    "to_timestamp_ntz": 1,
    "to_timestamp_ltz": 1,
    "try_to_timestamp": 1,
    "to_date": 1,
    "try_to_date": 1,
    "date_format": 1,
    "from_unixtime": 1,
    "unix_timestamp": 1,
    "to_unix_timestamp": 1,
}
_OPTIONS = ("timestampFormat", "timestampNTZFormat", "dateFormat")
# Hudi's key generators take a pattern of Joda's, or several of them; only those for times look at it.
_OF_HUDI = pattern(r"hoodie\.(?:deltastreamer\.)?keygen\.timebased\.(?:input|output)\.dateformat")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_FUNCTIONS, "option"):
        if call.name == "option":
            key = call.argument(0, "key")
            node = call.argument(1, "value") if key is not None and module.string(key, call.spot) in _OPTIONS else None
        else:
            node = call.argument(_FUNCTIONS[call.name], "format") if module.qualified(call).startswith("pyspark.sql.") else None
        why = wrong_letter(module.string(node, call.spot)) if node is not None else ""
        if why:
            message = f"the time is not the one that is written: {why}; what does not fit is null, or fails the query"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
    for node, spot in _of_hudi(module):
        why = wrong_letter(module.string(node, spot), years_of_weeks=False)
        if why:
            message = f"Hudi's key generators read and write another time here than the one that is meant: {why}"
            yield context.finding(message, module.place(node, spot), confidence="low")


def _of_hudi(module: Any) -> Iterator[tuple[Any, Any]]:
    for call in module.named("option"):
        key, value = call.argument(0, "key"), call.argument(1, "value")
        if key is not None and value is not None and _OF_HUDI.fullmatch(module.string(key, call.spot)):
            yield value, call.spot
    for node, _, spot in module.tree.of_kind(*ASSIGNMENTS):
        options = module.value(node.value, spot) if isinstance(node.value, cst.Dict) else None
        for pair in options.pairs if isinstance(options, Mapping) else ():
            if pair.key is not None and _OF_HUDI.fullmatch(pair.key):
                yield pair.value_node, pair.spot
