"""`spark.conf.set` of options that no session can change: those of the core, and the static ones of SQL; and on the configuration of a context that is there already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.python.tree import last_name
from shoal.templates.spark import refused_at_runtime


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("session",)):
        for setting in job.of(block):
            why = refused_at_runtime(setting.key)
            if why:
                yield context.finding(f"{setting.key} {why}", setting.key_place(label=setting.key), covers=[setting])
    for key, place in _set(context.module):
        why = refused_at_runtime(key)
        if why:
            yield context.finding(f"{key} {why}", place)
    for key, place in _on_a_copy(context.module):
        if key.startswith("spark."):
            message = f"{key} has no effect: the context was made before, and reads this configuration no more (give it to the builder)"
            yield context.finding(message, place)


def _set(module: Any) -> Iterator[tuple[str, Place]]:
    """Keys given to `spark.conf.set`, and where."""
    for call in module.named("set"):
        node = call.argument(0, "key")
        if node is not None and any(found.type == "spark.RuntimeConf" for found in module.receivers(call)):
            key = module.string(node, call.spot)
            if key:
                yield key, module.place(node, call.spot, label=key)


def _on_a_copy(module: Any) -> Iterator[tuple[str, Place]]:
    """Keys given to `spark.sparkContext._conf` or to what `getConf()` gives, which no context reads again; where none is made below."""
    sessions = module.named("getOrCreate", "SparkContext")
    known = catalogue.load("spark")
    for call in module.named("set", "setAll"):
        of = call.receiver_node
        if isinstance(of, cst.Call):
            read, owner, live = last_name(of.func) == "getConf", of.func, False
        else:
            read, owner, live = isinstance(of, cst.Attribute) and of.attr.value == "_conf", of, True
        context = owner.value if read and isinstance(owner, cst.Attribute) else None
        if call.use != "dropped" or context is None or any(one.spot.statement > call.spot.statement for one in sessions):
            continue
        if last_name(context) != "sparkContext" and module.type_of(context, call.spot) != "spark.Context":
            continue
        given = call.argument(0, "pairs" if call.name == "setAll" else "key")
        pairs = given.elements if isinstance(given, (cst.List, cst.Tuple)) else []
        firsts = [pair.value.elements[0].value for pair in pairs if isinstance(pair.value, cst.Tuple) and pair.value.elements]
        for node in firsts if call.name == "setAll" else [given]:
            key = module.string(node, call.spot) if node is not None else ""
            # what is no option of Spark's own is read by whoever it is for (MLflow), and from the context's own configuration
            if key and not (live and known.option(key) is None):
                yield key, module.place(node, call.spot, label=key)
