"""`shutil.rmtree` (or `dbutils.fs.rm`) of a folder in which a query of the file has its checkpoint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call, dotted
from shoal.python.values import Known, Partial, options
from shoal.templates import spark

# What throws away tables as well: a demonstration that begins from nothing.
_DROPS = pattern(r"(?i)\s*(?:drop\s+table|create\s+or\s+replace\s+table|truncate\s+table)\b")
_MESSAGE = (
    "every start throws away what the last one read and counted: the query begins anew, skips what came meanwhile or reads all of it again"
)
_CHECKPOINTS = pattern(r"(?i)check_?points?")
# Conditions that only ask whether there is something to delete.
_THERE = pattern(r"\b(?:exists|isdir|is_dir)\(")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    folders = [
        found
        for block in job.select("spark", ("writer",))
        if (found := spark.option(job, block, "checkpointLocation")) is not None and found.known
    ]
    anew = any(call.node.args and _DROPS.match(module.string(call.node.args[0].value, call.spot)) for call in module.named("sql"))
    written = [
        _plain(module.string(node, call.spot)) for call in module.named("start", "save") if (node := call.argument(0, "path")) is not None
    ]
    for call in module.named("rmtree", "rm"):
        if call.name == "rm" and not dotted(call.node.func).endswith("dbutils.fs.rm"):
            continue
        node = call.argument(0, "path")
        deleted = _plain(module.string(node, call.spot)) if node is not None else ""
        option: Any = next((one for one in folders if deleted and f"{_plain(one.text)}/".startswith(f"{deleted}/")), None)
        alike = option is None and not deleted
        if alike and node is not None:
            option = _below(module, node, call)
        if option is None:
            if node is not None and (waits := _queries_elsewhere(module, node, call, deleted)) is not None:
                yield context.finding(
                    _MESSAGE, module.call_place(call), [(waits, "the queries run here")], confidence="medium", covers=[module.covers(call)]
                )
            continue
        # what was written goes as well: a demonstration, too
        begins = anew or (not alike and any(path.startswith(f"{deleted}/") for path in written))
        code = module.tree.node.code_for_node
        begins = begins or any(not _CHECKPOINTS.search(code(row)) for row in (_rows(module, node, call.spot) if alike else ()))
        asked = [arm.test for arm in call.spot.arms if arm.kind in ("if", "else", "except")]
        sure = all(isinstance(test, cst.BaseExpression) and _THERE.search(module.tree.node.code_for_node(test)) for test in asked)
        related = [(option, "its checkpoint")]
        # a notebook that somebody goes through by hand may well begin with an empty folder, and clear up in its last cell
        by_hand = module.notebook and (alike or not any(_behind(call, other) for other in module.named("start", "toTable")))
        confidence = "low" if not sure or begins or by_hand else "medium" if alike else ""
        yield context.finding(_MESSAGE, module.call_place(call), related, confidence=confidence, covers=[module.covers(call)])


def _behind(deletes: Call, other: Call) -> bool:
    return other.function is not deletes.function or other.spot.statement > deletes.spot.statement


def _queries_elsewhere(module: Any, node: Any, deletes: Call, deleted: str) -> Any:
    """Where a program that starts its queries in other modules waits for them, when what it deletes first calls itself their checkpoints."""
    if "checkpointlocation" in module.raw.lower() or deletes.spot.in_loop() or any(arm.kind in ("if", "else") for arm in deletes.spot.arms):
        return None
    if not (_CHECKPOINTS.search(dotted(node).rpartition(".")[2]) or _CHECKPOINTS.search(deleted)):
        return None
    for call in module.named("awaitTermination", "awaitAnyTermination"):
        if call.function is deletes.function and call.spot.statement > deletes.spot.statement:
            return module.call_place(call)
    return None


def _below(module: Any, node: Any, deletes: Call) -> Any:
    """The place of a checkpoint below a folder of which only a part is known: both begin with the same name."""
    folders = {text.rstrip("/") for text in _shapes(module, node, deletes.spot)}
    for call in module.named("option", "start", "toTable", "table"):
        if call.spot.statement < deletes.spot.statement:
            continue  # cleaned up at the end
        if call.name != "option":
            given = call.argument(99, "checkpointLocation")
        else:
            key = call.argument(0, "key")
            given = call.argument(1, "value") if key is not None and module.string(key, call.spot).lower() == "checkpointlocation" else None
        if given is not None and any(
            f"{text}/".startswith(f"{one}/") for text in _shapes(module, given, call.spot) for one in folders if one
        ):
            return module.place(given, call.spot)
    return None


def _shapes(module: Any, node: Any, spot: Any, level: int = 0) -> list[str]:
    """What a path may be made of, with a name for each part that is not known, one of its own where that may change."""
    if level > 6:
        return []
    made = [one for one in options(module.value(node, spot)) if isinstance(one, (Known, Partial))]
    if made and not (len(made) == 1 and isinstance(made[0], Partial) and made[0].node is node):
        texts = [[one.value] if isinstance(one, Known) else _shapes(module, one.node, one.spot, level + 1) for one in made]
        return [text for some in texts for text in some if isinstance(text, str)]
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        return _joined([_shapes(module, side, spot, level + 1) for side in (node.left, node.right)])
    if isinstance(node, cst.FormattedString):
        return _joined(
            [
                [part.value] if isinstance(part, cst.FormattedStringText) else _shapes(module, part.expression, spot, level + 1)
                for part in node.parts
                if isinstance(part, (cst.FormattedStringText, cst.FormattedStringExpression))
            ]
        )
    name = dotted(node)
    bindings = [binding for binding, _ in module.lookup(name.partition(".")[0], spot)] if name else []
    if rows := _rows(module, node, spot):
        return [text for one in rows for text in _shapes(module, one, bindings[0].spot, level + 1)]
    if not name or len(bindings) > 1 or any(binding.kind not in ("assign", "import") for binding in bindings):
        return [f"<{id(node)}>"]
    return [f"<{name} {id(bindings[0].node) if bindings else 0}>"]


def _rows(module: Any, node: Any, spot: Any) -> list[Any]:
    """What a name stands for in turn: `for path in (CHECKPOINTS, OUTPUT):`."""
    bindings = [binding for binding, _ in module.lookup(node.value, spot)] if isinstance(node, cst.Name) else []
    rows = bindings[0].node if len(bindings) == 1 and bindings[0].kind == "for" else None
    return [one.value for one in rows.elements] if isinstance(rows, (cst.Tuple, cst.List)) else []


def _joined(parts: list[list[str]]) -> list[str]:
    """One text of each part, in every way; nothing where these are too many."""
    found = [""]
    for texts in parts:
        found = [before + text for before in found for text in texts]
        if len(found) > 20:
            return []
    return found


def _plain(path: Any) -> str:
    """A path without the scheme of the machine's own files."""
    return re.sub(r"^(?:file:)?/+", "/", str(path or "")).rstrip("/")
