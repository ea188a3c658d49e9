"""`self.model.predict(…)` in a `DoFn` or a function of PyFlink's that never gets a `model`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Function, descend

# Bases whose objects have nothing but what the class says, and methods.
_BASES = pattern(r"(?:apache_beam\.(?:transforms\.core\.)?(?:DoFn|CombineFn)|pyflink\.[\w.]*Function)$")
_BY_NAME = pattern(r"\b(?:[sg]etattr|vars|__getattr__|__getattribute__|__dict__|__slots__|__setstate__)\b")
_UNFINISHED = pattern(r"(?i)^_?(?:base|abstract)|(?:base|mixin)$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    derived = {base.value for cls in module.classes for node in cls.bases for base in descend(node) if isinstance(base, cst.Name)}
    for cls in module.classes:
        bases = module.bases(cls)
        if len(bases) != 1 or len(cls.bases) != 1 or not _BASES.match(bases[0]) or cls.decorators or cls.keywords:
            continue
        if not all(_BASES.match(name) for name in module.written_bases(cls)):
            continue
        if cls.name in derived or _UNFINISHED.search(cls.name):  # what derives from it may set what it lacks
            continue
        if _BY_NAME.search(module.tree.node.code_for_node(cls.node)):
            continue
        shared = {
            part.value for statement in cls.node.body.body for part in descend(statement, (cst.FunctionDef,)) if isinstance(part, cst.Name)
        }
        said: set[str] = set()
        for function in cls.methods.values():
            for node in _asked(function):
                name = node.attr.value
                if name in said or name in shared or name in cls.attributes or name in cls.methods or _set(name, module.text.text):
                    continue
                said.add(name)
                made = any(True for _ in module.named(cls.name))
                message = f"nothing gives {cls.name} a `{name}`: the first record ends with an AttributeError, and so does every attempt to do it again"
                yield context.finding(message, module.place(node, function.spot), confidence="" if made else "medium")


def _asked(function: Function) -> Iterator[Any]:
    """Attributes of the object whose own methods are called."""
    parameters = function.node.params.params
    own = parameters[0].name.value if parameters else ""
    for node in descend(function.node.body):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            value = node.func.value
            if isinstance(value, cst.Attribute) and isinstance(value.value, cst.Name) and value.value.value == own:
                yield value


def _set(name: str, code: str) -> bool:
    """Whether anything in the module sets an attribute of this name, whosever it is."""
    attribute = rf"\.{re.escape(name)}\b[ \t]*"
    return re.search(rf"{attribute}(?::|[-+|]?=(?!=)|,[^()\n]*=(?!=))|\bas \w+{attribute}|\bfor \w+{attribute}", code) is not None
