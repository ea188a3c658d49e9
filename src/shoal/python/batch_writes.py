"""What functions of foreachBatch write, as the last call of a writer and its chain say it, and whether they make anything of the batch's id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from shoal.python.clients import reads
from shoal.python.tree import Call, Function, chain, descend, last_name
from shoal.python.values import names

if TYPE_CHECKING:
    from shoal.python.module import Module

# Formats that add rows, unless told otherwise.
APPENDS = ("jdbc", "parquet", "csv", "json", "orc", "delta", "iceberg", "kafka", "bigquery", "snowflake", "text", "avro", "hive", "table")
_TABLES = ("saveAsTable", "insertInto")
# Where the save mode stands among a call's own arguments.
_MODES = {"save": 2, "saveAsTable": 2, "jdbc": 2, "parquet": 1, "json": 1, "csv": 1, "orc": 1}

_TELLING = frozenset(["print", "debug", "info", "warning", "warn", "error", "exception", "critical", "log"])

# What shows a batch or counts it, and what takes the rows apart to tell of them.
LOOKING = _TELLING | names(
    "show count collect take head first tail isEmpty printSchema limit select orderBy sort toPandas asDict append extend len str int enumerate range "
    "items keys values get join format now time isoformat "
    # what only makes another frame or column of it
    "alias withColumn withColumns withColumnRenamed drop filter where distinct dropDuplicates fillna dropna groupBy groupby agg avg mean sum max min "
    "corr round lit col expr desc asc when otherwise cast describe summary"
)


def parameters(module: Module, function: Function) -> list[str]:
    """The names of a function's parameters from the batch on, without the instance: the batch and its id."""
    names = function.given_names
    batch = next((at for at, name in enumerate(names) if (id(function), name) in module.contexts.param_types), 0)
    return names[batch:]


def does_with(module: Module, function: Function, name: str, apart: Sequence[Call] = (), level: int = 2) -> bool:
    """Whether a function does more with a parameter than tell people of it, note it with what went wrong, or put it into what nobody reads.

    `apart`: calls that may have it, too. What it hands the parameter to is followed as many levels down.
    """
    telling = [
        call for call in function.calls if last_name(call.node.func) in _TELLING or any(arm.kind == "except" for arm in call.spot.arms)
    ]
    dropped = [
        binding.node
        for to, bindings in function.scope.bindings.items()
        for binding in bindings
        if binding.kind == "assign" and not reads(module, to, function.scope)
    ]
    parts = [at for node in (*(call.node for call in (*telling, *apart)), *dropped) for at in descend(node)]
    keywords = {id(at.keyword) for at in parts if isinstance(at, cst.Arg)}
    idle = {id(at) for at in parts if isinstance(at, cst.Name) and at.value == name and id(at) not in keywords}
    if level:
        idle |= _only_told(module, function, name, level - 1)
    return reads(module, name, function.scope) > len(idle)


def _only_told(module: Module, function: Function, name: str, level: int) -> set[int]:
    """Where a parameter is handed to functions of this module that do no more with it: `self.log_counts(batch, batch_id)`."""
    found = set()
    for call in function.calls:
        handed = any(isinstance(arg.value, cst.Name) and arg.value.value == name for arg in call.node.args)
        target = module.target(call) if handed else None
        if target is None or target is function:
            continue
        for param in target.params:
            node = module.given(call, target, param)
            if isinstance(node, cst.Name) and node.value == name and not does_with(module, target, param.name, level=level):
                found.add(id(node))
    return found


def only_looks(module: Module, call: Call) -> bool:
    """Whether all that the function given to `foreachBatch` does is to show, count or note what is in the batch, to tell people of it."""
    node = call.argument(0, "func")
    functions = module.function_of(node, call.spot) if node is not None else []
    return bool(functions) and all(
        function.calls and all(last_name(one.node.func) in LOOKING for one in function.calls) for function in functions
    )


def save_mode(module: Module, call: Call) -> str:
    """The save mode: of `mode()`, of the last call's argument, or that of `insertInto` and of `writeTo(…).append()`. Empty when it is not said."""
    before = steps(module, call)
    if "writeTo" in before:
        return call.name
    position = _MODES.get(call.name)
    mode = _text(module, before.get("mode"), 0) or (_text(module, call, position, "mode") if position is not None else "")
    if call.name == "insertInto" and not mode and call.argument(1, "overwrite") is None:
        return "append"
    return mode


def save_format(module: Module, call: Call) -> str:
    """`jdbc`, `parquet` …, `table` for one of the catalog; empty when it is not said."""
    before = steps(module, call)
    name = "table" if call.name in _TABLES or "writeTo" in before else call.name if call.name in APPENDS else ""
    given = _text(module, call, 1, "format") if call.name in ("save", "saveAsTable") else ""
    return given or _text(module, before.get("format"), 0) or name


def save_target(module: Module, call: Call) -> str:
    """The name or path that is written to, in lower case; empty when it is not known."""
    to = steps(module, call).get("writeTo")
    node = (
        to.argument(0, "table") if to is not None else call.argument(0, "name") or call.argument(0, "path") or call.argument(0, "tableName")
    )
    return module.string(node, call.spot).lower()


def steps(module: Module, call: Call) -> dict[str, Call]:
    """The calls before this one, by name, in its chain and in those of the names that it goes on from: `writer = df.write.mode("append")`."""
    found = chain(call)
    held = module.frames.goes_on_from(call.receiver_node, call.spot)
    if held is not None:
        before = Call(held[0], last_name(held[0].func), held[1], call.function, "")
        found = {before.name: before, **steps(module, before), **found}
    return found


def _text(module: Module, call: Call | None, position: int, keyword: str = "") -> str:
    return module.string(call.argument(position, keyword), call.spot).lower() if call is not None else ""
