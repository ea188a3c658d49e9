"""`window.start.to_utc_datetime().strftime("%H:%M")` in the name of a file that is opened to be written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.texts import text_of
from shoal.python.tree import Call, Function, Spot, descend, dotted, last_name
from shoal.python.values import Known
from shoal.records import NamedTuple
from shoal.templates import beam
from shoal.text import MASK

# What writes a file or an object whole, and where its name stands.
_WRITES = {"open": ("filename", "file", "path"), "create": ("path",), "blob": ("blob_name",)}
_JOINS = ("join", "Path", "PurePath", "str", "format", "replace")
_HOUR = pattern(r"%-?[HI]")
# What sets one day apart from the next, or the same day of another week.
_DAY = pattern(r"%-?[dejDFxcsuwaAUVWG]")
_LEVELS = 8


class _Time(NamedTuple):
    """A time of the window in a name."""

    node: Any
    spot: Spot


def check(job: Job, context: Context) -> Iterator[Finding]:
    """All that a name is made of has to be seen, but for the key, which a DoFn is given with its batch."""
    module = context.module
    if beam.unbounded(job, module) is False:
        return
    for function, _ in module.contexts.running("dofn"):
        window = next((one.name for one in function.params if one.default is not None and dotted(one.default).endswith("WindowParam")), "")
        if not window:
            continue
        for call in function.calls:
            node = _name(module, call)
            if node is None:
                continue
            made = list(_made_of(module, function, window, node, call.spot, 0))
            times = [one for one in made if one is not None]
            if times and None not in made:
                message = "each day's windows write over those of the day before: the name tells the time of day and no date, and what is opened to be written replaces what is there (%Y-%m-%d)"
                related = [(module.place(one.node, one.spot), "tells no day") for one in times[:2]]
                yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _name(module: Any, call: Call) -> Any:
    """The name of the file that a call writes whole; None for any other call."""
    if call.name not in _WRITES:
        return None
    if call.name == "create" and not dotted(call.node.func).endswith("FileSystems.create"):
        return None
    if call.name == "open":
        mode = call.argument(1, "mode")
        value = module.value(mode, call.spot) if mode is not None else None
        if not isinstance(value, Known) or not str(value.value).startswith("w"):
            return None
    return next((node for word in _WRITES[call.name] if (node := call.argument(0, word)) is not None), None)


def _made_of(module: Any, function: Function, window: str, node: Any, spot: Spot, level: int) -> Iterator[_Time | None]:
    """The parts of a name that change: times of the window that tell no day, and None for what may be anything."""

    def parts(inner: Any, at: Spot = spot) -> Iterator[_Time | None]:
        return _made_of(module, function, window, inner, at, level + 1)

    if level > _LEVELS:
        yield None
    elif isinstance(node, cst.FormattedString):
        for part in node.parts:
            if isinstance(part, cst.FormattedStringExpression):
                spec = "".join(one.value for one in part.format_spec or () if isinstance(one, cst.FormattedStringText))
                yield from [_time(module, part.expression, spot, window, spec)] if "%" in spec else parts(part.expression)
    elif isinstance(node, (cst.ConcatenatedString, cst.BinaryOperation)):
        yield from parts(node.left)
        yield from parts(node.right)
    elif isinstance(node, (cst.Tuple, cst.List)):
        for element in node.elements:
            yield from parts(element.value)
    elif isinstance(node, cst.Call) and last_name(node.func) == "strftime" and isinstance(node.func, cst.Attribute) and len(node.args) == 1:
        value = module.value(node.args[0].value, spot)
        yield _time(module, node.func.value, spot, window, str(value.value) if isinstance(value, Known) else "")
    elif isinstance(node, cst.Call) and last_name(node.func) in _JOINS:
        if isinstance(node.func, cst.Attribute) and last_name(node.func) in ("format", "replace", "join"):
            yield from parts(node.func.value) if not _is_module(node.func.value) else ()
        for arg in node.args:
            yield from parts(arg.value)
    elif ((text := text_of(module, node, spot)) is not None and MASK not in text.text) or isinstance(module.value(node, spot), Known):
        return
    elif isinstance(node, cst.Attribute) and dotted(node).startswith(f"{function.self_name}."):
        return  # what the DoFn was made with
    elif isinstance(node, cst.Name):
        bound = [one for one, _ in module.lookup(node.value, spot)]
        if len(bound) == 1 and bound[0].kind == "assign" and bound[0].spot.function is function:
            yield from parts(bound[0].node, bound[0].spot)
        elif not (len(bound) == 1 and bound[0].kind == "unpack" and _is_record(function, bound[0].node)):
            yield None
    else:
        yield None


def _is_module(node: Any) -> bool:
    """`os.path` in `os.path.join`."""
    return dotted(node) in ("os.path", "posixpath", "os")


def _is_record(function: Function, node: Any) -> bool:
    """Whether a value is what a DoFn is called with: a key and its batch."""
    given = function.given_names
    return isinstance(node, cst.Name) and given[:1] == [node.value]


def _time(module: Any, node: Any, spot: Spot, window: str, form: str) -> _Time | None:
    """A time of the window in a format that has the hour and no day."""
    bound = [one.node for one, _ in module.lookup(node.value, spot) if one.kind == "assign"] if isinstance(node, cst.Name) else []
    made = bound[0] if len(bound) == 1 else node
    of_window = any(isinstance(one, cst.Name) and one.value == window for one in descend(made))
    return _Time(node, spot) if of_window and _HOUR.search(form) and not _DAY.search(form) else None
