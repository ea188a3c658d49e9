"""Micro-batches of Spark: what a foreachBatch function, and the helpers that it calls, do with the frame that they are given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python.frame import ACTIONS, GROUPINGS, KEEPERS, MICRO_BATCH, SAVES, VIEWS, Env, Frame
from shoal.python.frames_followed import Followed
from shoal.python.threaded import handed_on
from shoal.python.tree import Call, Function, Spot, beginning, descend
from shoal.python.values import names
from shoal.records import NamedTuple
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.python.module import Module

_LOOKS = frozenset({"isEmpty", "take", "first", "head"})  # at a few rows
_WRITES = pattern(r"(?i)\s*(?:merge\s+into|insert\s+(?:into|overwrite)|create\s+(?:or\s+replace\s+)?table)\b")
_HELPERS = 4  # that call each other
_DETAILS = names("partitionBy bucketBy sortBy option options")

# What brings the rows of a frame to the driver, and steps with one of which above it they are few.
COLLECTS = names("collect toPandas")
FEW = frozenset((*GROUPINGS, *names("agg limit count distinct sample head take")))
_WEIGHT = ("", "action", "collect", "save")


class BatchCall(NamedTuple):
    """An `action` or `save` on a micro-batch, or on what is made from it; the call of a helper counts as what the helper does.

    `collect`: an action by which a helper of another module brings the batch to the driver.

    `merge`: Delta's `merge(batch, …)`, or a statement that writes what it reads from a view of the batch.
    """

    call: Call
    kind: str
    frames: tuple[Frame, ...]


class Batches(Followed):
    """The same, and what becomes of those that are micro-batches."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._pooled: dict[int, cst.Call] = {}  # id of a call that has a pool run a helper -> the call that the pool makes

    def helps(self, function: Function) -> list[tuple[int, str, str]]:
        """The parameters whose frames a function saves or computes, each by position and name; none where it keeps one of them."""
        names = [param.name for param in function.params if param.kind == "plain" and param.name != function.self_name]
        if any(call.name in KEEPERS for call in function.calls):
            return []
        found: dict[str, str] = {}
        for call in function.calls:
            kind = (
                "save"
                if call.name in SAVES and {"write", "writeTo"} & _attributes(call)
                else ""
                if call.name not in ACTIONS - _LOOKS or GROUPINGS & _attributes(call)
                else "collect"
                if call.name in COLLECTS and not FEW & _attributes(call)
                else "action"
            )
            name = beginning(call.node.func)
            if kind and name in names and not call.spot.conditional:
                found[name] = max(kind, found.get(name, ""), key=_WEIGHT.index)
        return [(names.index(name), name, kind) for name, kind in found.items()]

    def batch_calls(self, function: Function) -> list[BatchCall]:
        """What a foreachBatch function does with its batch, in source order."""
        found = []
        for call in function.calls:
            helper, node = self._run(call)
            if helper is not None:
                ways, kind = (
                    self._handed(node, call.spot),
                    self._helps(helper, self._entered(helper, node, call.spot, None)) if helper is not function else "",
                )
            elif call.name in SAVES:
                ways, kind = self._saved(call, function), "save"
            elif call.name in ACTIONS:
                ways, kind = self.receivers(call), "action"
            elif call.name == "merge":
                ways, kind = self._handed(call.node, call.spot), "merge"
            elif call.name == "sql":
                ways, kind = self._viewed(call, function), "merge"
            else:
                ways, kind = self._handed_elsewhere(call)
            if kind and self._of_batch(ways) and not any(frame.op in GROUPINGS for frame in ways):
                found.append(BatchCall(call, kind, ways))
        return found

    def _viewed(self, call: Call, function: Function) -> tuple[Frame, ...]:
        """The frames behind the temporary views of a function's batch that a statement reads while it writes."""
        from shoal.python.texts import text_of

        asked = call.argument(0, "sqlQuery")
        text = text_of(self.module, asked, call.spot) if asked is not None else None
        if text is None or not _WRITES.match(text.text):
            return ()
        for made in function.calls:
            given = made.argument(0, "name") if made.name in VIEWS else None
            called = text_of(self.module, given, made.spot) if given is not None else None  # also `f"{TABLE}_new"`, masked the same in both
            name = called.text if called is not None and called.text.strip(f"{MASK}_") else ""
            if name and re.search(rf"(?i)(?<![\w.])`?(?:global_temp\.)?{re.escape(name)}\b", text.text):
                return self.receivers(made)
        return ()

    def follows(self, function: Function, one: Call, other: Call) -> bool:
        """Whether the second call happens after the first in one run of a function; a handler's do not."""
        arms = {arm.group: arm.index for arm in one.spot.arms}
        if any(arms.get(arm.group, arm.index) != arm.index or arm.kind == "except" for arm in other.spot.arms):
            return False
        first, second = (self.module.tree.statements[at.spot.statement].node for at in (one, other))
        return first is second or id(second) in self.module.flow(function).after(first)

    def written(self, call: Call, env: Env | None = None) -> tuple[Frame, ...]:
        """The frames that a batch writer's last call saves: those before `.write` or `.writeTo(…)`; none when it is no such call."""
        node, spot = call.receiver_node, call.spot
        while node is not None:
            if isinstance(node, cst.Attribute):
                if node.attr.value == "write":
                    return self.of(node.value, spot, env)
                node = node.value
            elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
                if node.func.attr.value == "writeTo":
                    return self.of(node.func.value, spot, env)
                node = node.func.value
            elif (held := self.goes_on_from(node, spot)) is not None:
                node, spot = held
            else:
                return ()
        return ()

    def goes_on_from(self, node: Any, spot: Spot) -> tuple[Any, Spot] | None:
        """The call that the name at the start of a chain was given, where it was given one thing only, but for a `writer = writer.partitionBy(…)`."""
        name = beginning(node)
        found = [binding for binding, _ in self.module.lookup(name, spot)] if name else []
        if len(found) > 1:
            found = [one for one in found if not _adds(one.node, name)]
        if len(found) != 1 or found[0].kind != "assign" or found[0].spot.statement >= spot.statement:
            return None
        return (found[0].node, found[0].spot) if isinstance(found[0].node, cst.Call) else None

    def _saved(self, call: Call, function: Function) -> tuple[Frame, ...]:
        """What a call saves; of a helper that is given several frames a micro-batch, if that is one of them."""
        ways = self.written(call)
        if ways and not self._of_batch(ways) and self.module.contexts.kinds(function) == {"foreach-batch"}:
            sites = self.module.call_sites(function)
            given = (self.written(call, self._entered(function, site.node, site.spot, None)) for site in sites)
            return next(filter(self._of_batch, given), ways)
        return ways

    def _helps(self, helper: Function, env: Env, depth: int = 0) -> str:
        """What a helper does with the micro-batch it is given, itself or by helpers of its own."""
        kinds = set()
        for call in helper.calls:
            inner, node = self._run(call)
            if inner is not None:
                if inner is not helper and depth < _HELPERS and self._of_batch(self._handed(node, call.spot, env)):
                    kinds.add(self._helps(inner, self._entered(inner, node, call.spot, env), depth + 1))
            elif call.name in SAVES and self._of_batch(self.written(call, env)):
                kinds.add("save")
            elif call.name in ACTIONS and call.receiver_node is not None and self._of_batch(self.of(call.receiver_node, call.spot, env)):
                kinds.add("action")
        return "save" if "save" in kinds else "action" if "action" in kinds else ""

    def _handed_elsewhere(self, call: Call) -> tuple[tuple[Frame, ...], str]:
        """What a helper of another module is given and writes or computes."""
        for node, kind in self.module.others.helped(call):
            ways = self.of(node, call.spot)
            if self._of_batch(ways):
                return ways, kind
        return (), ""

    def _run(self, call: Call) -> tuple[Function | None, cst.Call]:
        """The helper of this module that a call runs, itself or by a pool, and the call of it."""
        helper = self.module.target(call)
        pooled = self.module.contexts.of_pool(call) if helper is None else None
        handed = handed_on(call) if pooled is not None else None
        if handed is None:
            return helper, call.node
        if id(call.node) not in self._pooled:
            self._pooled[id(call.node)] = cst.Call(handed[0], handed[1])
        return pooled, self._pooled[id(call.node)]

    def _handed(self, node: cst.Call, spot: Spot, env: Env | None = None) -> tuple[Frame, ...]:
        """The first micro-batch among the arguments of a call."""
        for arg in node.args:
            ways = self.of(arg.value, spot, env)
            if self._of_batch(ways):
                return ways
        return ()

    def _of_batch(self, ways: tuple[Frame, ...]) -> bool:
        return bool(ways) and all(MICRO_BATCH in frame.roots() for frame in ways)


def _adds(node: Any, name: str) -> bool:
    """Whether a writer is made from the one of that name, and told neither what to write nor how: `name.partitionBy(…).option(…)`."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _DETAILS:
        node = node.func.value
        if isinstance(node, cst.Name) and node.value == name:
            return True
    return False


def _attributes(call: Call) -> set[str]:
    """The attributes and methods in the chain before a call."""
    return (
        {at.attr.value for at in descend(call.receiver_node, (cst.Arg,)) if isinstance(at, cst.Attribute)} if call.receiver_node else set()
    )
