"""The functions of declarative pipelines: `pyspark.pipelines`, and `dlt` of Databricks, which came before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from shoal.python.tree import decorating
from shoal.python.values import Symbol, names

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Function

MODULES = ("pyspark.pipelines", "dlt")
_TABLES = names("table materialized_view temporary_view view append_flow")


def decorator(module: Module, function: Function) -> tuple[str, str]:
    """Which module's which decorator makes a function one of a pipeline's; empty where none does."""
    for made in function.decorators:
        value = module.value(decorating(made), function.spot)
        place, _, name = value.name.rpartition(".") if isinstance(value, Symbol) else ("", "", "")
        if place in MODULES and name in _TABLES:
            return place, name
    return "", ""


def defines(module: Module, function: Function) -> str:
    """The module of pipelines that a function defines a table or a view for."""
    return decorator(module, function)[0]


def table_name(module: Module, function: Function) -> str:
    """The last part of the name of a table or view of a pipeline: the decorator's, or the function's own."""
    for made in function.decorators:
        for arg in made.args if isinstance(made, cst.Call) else ():
            if arg.keyword is not None and arg.keyword.value == "name":
                return module.string(arg.value, function.spot).rpartition(".")[2]
    return function.name
