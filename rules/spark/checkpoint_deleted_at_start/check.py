"""`shutil.rmtree` (or `dbutils.fs.rm`) of a folder in which a query of the file has its checkpoint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import dotted
from shoal.templates import spark

# What throws away tables as well: a demonstration that begins from nothing.
_DROPS = re.compile(r"(?i)\s*(?:drop\s+table|create\s+or\s+replace\s+table|truncate\s+table)\b")
# Conditions that only ask whether there is something to delete.
_THERE = re.compile(r"\b(?:exists|isdir|is_dir)\(")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    folders = [
        option
        for block in job.select("spark", ("writer",))
        if (option := spark.option(job, block, "checkpointLocation")) is not None and option.known
    ]
    anew = any(call.node.args and _DROPS.match(module.string(call.node.args[0].value, call.spot)) for call in module.named("sql"))
    for call in module.named("rmtree", "rm"):
        if call.name == "rm" and not dotted(call.node.func).endswith("dbutils.fs.rm"):
            continue
        node = call.argument(0, "path")
        deleted = _plain(module.string(node, call.spot)) if node is not None else ""
        option = next((one for one in folders if deleted and f"{_plain(one.text)}/".startswith(f"{deleted}/")), None)
        if option is None:
            continue
        asked = [arm.test for arm in call.spot.arms if arm.kind in ("if", "else", "except")]
        sure = all(isinstance(test, cst.BaseExpression) and _THERE.search(module.tree.node.code_for_node(test)) for test in asked)
        message = "every start throws away what the last one read and counted: the query begins anew, skips what came meanwhile or reads all of it again"
        related = [(option, "its checkpoint")]
        yield context.finding(
            message, module.call_place(call), related, confidence="" if sure and not anew else "low", covers=[module.covers(call)]
        )


def _plain(path: Any) -> str:
    """A path without the scheme of the machine's own files."""
    return re.sub(r"^(?:file:)?/+", "/", str(path or "")).rstrip("/")
