"""A checkpoint location with `uuid4()`, `time()`, `now()` or `mkdtemp()` in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Spot, last_name
from shoal.python.values import Instance, Symbol
from shoal.templates import spark

_KEY = "spark.sql.streaming.checkpointlocation"
_ANEW = {
    **dict.fromkeys(
        (
            "uuid.uuid1",
            "uuid.uuid4",
            "secrets.token_hex",
            "random.randint",
            "random.random",
            "random.randrange",
            "random.getrandbits",
            "numpy.random.randint",
            "numpy.random.rand",
            "numpy.random.random",
        ),
        "a random part",
    ),
    **dict.fromkeys(
        ("time.time", "time.time_ns", "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today"), "the time"
    ),
    **dict.fromkeys(("time.strftime", "datetime.date.today"), "the time"),
    **dict.fromkeys(("tempfile.mkdtemp", "tempfile.TemporaryDirectory"), "a new folder"),
}
# Of what is new they make something that is new, too.
_METHODS = frozenset({"strftime", "isoformat", "timestamp", "replace", "date", "time", "astimezone", "lower", "format"})
_WRAPS = frozenset({"str", "int", "round", "join", "Path"})
_LOOKS = frozenset({"memory", "console", "noop"})
_LEVELS = 8


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    local = any(spark.is_local(job, block) for block in job.select("spark", ("job", "writer")))
    for call, node in _locations(module):
        what = _anew(module, node, call.spot)
        if what:
            message = f"no start finds the offsets and the state of the last one: the checkpoint location has {what} in its name"
            if what == "a new folder":
                message = (
                    "no start finds the offsets and the state of the last one: the checkpoint location is a new temporary folder each time"
                )
            yield context.finding(message, module.place(node, call.spot), confidence="low" if local else "", covers=[module.covers(call)])


def _locations(module: Any) -> Iterator[tuple[Call, Any]]:
    for call in module.named("option", "options", "start", "toTable"):
        if call.name == "option":
            key, node = call.argument(0, "key"), call.argument(1, "value")
            if key is None or module.string(key, call.spot).lower() != "checkpointlocation":
                continue
        else:
            node = call.argument(99, "checkpointLocation")
        if node is not None and module.receiver_type(call) == "spark.Writer" and not _only_looks(module, call):
            yield call, node
    for call in module.named("set", "config"):
        key, node = call.argument(0, "key"), call.argument(1, "value")
        if key is not None and node is not None and module.string(key, call.spot).lower() == _KEY:
            yield call, node


def _only_looks(module: Any, call: Call) -> bool:
    """Whether the query of this call shows its rows, or keeps them in memory."""
    writers = {id(obj.root) for obj in module.receivers(call)} | {id(obj.node) for obj in module.receivers(call)}
    return any(
        module.string(one.argument(0, "source"), one.spot).lower() in _LOOKS
        for one in module.named("format")
        if one.node.args and any(id(obj.node) in writers for obj in module.receivers(one))
    )


def _anew(module: Any, node: Any, spot: Spot, level: int = 0) -> str:
    """What is new in a text each time; empty where nothing is, or only where nothing else is given."""
    if level > _LEVELS:
        return ""
    inner: list[Any] = []
    if isinstance(node, cst.FormattedString):
        inner = [part.expression for part in node.parts if isinstance(part, cst.FormattedStringExpression)]
    elif isinstance(node, (cst.BinaryOperation, cst.ConcatenatedString)):
        inner = [node.left, node.right]
    elif isinstance(node, (cst.Subscript, cst.Attribute)):
        inner = [node.value]
        owner = module.value(node.value, spot) if isinstance(node, cst.Attribute) else None
        kept = owner.cls.attributes.get(last_name(node), []) if isinstance(owner, Instance) else []
        if len(kept) == 1:  # a field that is set in one place
            return _anew(module, kept[0].node, kept[0].spot, level + 1)
    elif isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        if len(found) == 1 and found[0].kind == "assign":
            return _anew(module, found[0].node, found[0].spot, level + 1)
    elif isinstance(node, cst.Call):
        value = module.value(node.func, spot)
        if isinstance(value, Symbol) and value.name in _ANEW:
            return _ANEW[value.name]
        name = last_name(node.func)
        if name in _METHODS and isinstance(node.func, cst.Attribute):
            inner = [node.func.value]
        if name in _WRAPS or name == "format":
            inner += [arg.value for arg in node.args]
    return next((what for part in inner if (what := _anew(module, part, spot, level + 1))), "")
