"""A file for each record of a consumer, named by the second it is written in, or by a number that begins anew with the program; the latter also for each batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients
from shoal.python.texts import text_of
from shoal.python.tree import Call, Spot, dotted, given_to, last_name
from shoal.python.values import Known
from shoal.text import MASK

# What writes a file or an object whole, and where its name stands.
_WRITES: dict[str, tuple[int, tuple[str, ...]]] = {
    "open": (0, ("file", "path")),
    "put_object": (1, ("Key", "object_name")),
    "upload_fileobj": (2, ("Key",)),
    "upload_file": (2, ("Key",)),
    "to_parquet": (0, ("path",)),
    "to_csv": (0, ("path_or_buf",)),
    "to_json": (0, ("path_or_buf",)),
    "to_pickle": (0, ("path",)),
    "write_table": (1, ("where",)),
    "blob": (0, ("blob_name",)),
}
_NOW = ("now", "utcnow", "today")
_JOINS = ("join", "Path", "str", "PurePath", "fspath")
_SETTINGS = ("getenv", "environ.get")
_TIME = pattern(r"%-?[HIMSsTXcrR]")
# What a name is made of, beside what is always the same.
_CLOCK, _DAY, _COUNTER, _OTHER = "clock", "day", "counter", "other"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    loops = _loops(job, module)
    for call in module.named(*_WRITES) if loops else ():
        position, keywords = _WRITES[call.name]
        node = call.argument(position, *keywords[:1]) or next(
            (given for word in keywords[1:] if (given := call.argument(-1, word)) is not None), None
        )
        if node is None or not _whole(module, call):
            continue
        every = _round(module, call, loops)
        loop = every if every is not None else _sometimes(module, call, loops)
        if loop is None:
            continue
        made = set(_made_of(module, node, call.spot, loop, 0))
        # a day, or a folder of one, has room for several starts
        if made - {_DAY} == {_COUNTER} and loops[id(loop)]:
            message = "the numbers begin anew with each start: what this run writes takes the place of what the one before has written (name it by topic, partition and offset)"
        elif every is not None and made and made <= {_CLOCK, _DAY}:
            message = "records that come within one second get one name, and only the last of them is left (add partition and offset to it, or a uuid)"
        else:
            continue
        yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _loops(job: Job, module: Any) -> dict[int, bool]:
    """Ids of the loops over records, with whether a new start goes on behind what was read before."""
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    made = {id(consumer.node): call for call, consumer in clients.made(module, clients.CONSUMERS)}
    found: dict[int, bool] = {}
    numbered = [(one, given[0].value) for one in module.tree.of_kind(cst.For) if (given := _numbered(one.node))]
    for consumer in clients.held(module, clients.CONSUMERS):
        call = made.get(id(consumer.node))
        block = blocks.get(module.call_place(call).span) if call is not None else None
        group, reset = (job.written(block, name) if block is not None else None for name in ("group.id", "auto.offset.reset"))
        goes_on = block is not None and (group is not None or reset is None or (reset.known and reset.text.strip().lower() == "latest"))
        ids = clients.record_loops(module, consumer)
        ids |= {id(one.node) for one, over in numbered if any(obj.node is consumer.node for obj in module.objects(over, one.spot))}
        found |= dict.fromkeys(ids, goes_on)
    return found


def _numbered(node: Any) -> Any:
    """The arguments of the `enumerate(…)` that a `for` goes over; none for anything else."""
    over = node.iter if isinstance(node, cst.For) else None
    return over.args if isinstance(over, cst.Call) and last_name(over.func) == "enumerate" else ()


def _whole(module: Any, call: Call) -> bool:
    """Whether a call replaces what is there: not one that opens a file to read or to append."""
    if call.name not in ("open", "to_csv"):
        return True
    mode = call.argument(1, "mode") if call.name == "open" else call.argument(-1, "mode")
    value = module.value(mode, call.spot) if mode is not None else None
    if call.name == "to_csv":
        return mode is None or (isinstance(value, Known) and value.value == "w")
    return isinstance(value, Known) and str(value.value).startswith("w")


def _round(module: Any, call: Call, loops: dict[int, bool]) -> Any:
    """The loop over records each round of which comes to a call, here or in a helper that it calls there."""
    ids = set(loops)
    spots = [call.spot]
    if call.function is not None and not clients.in_loops(call.spot, ids):
        if call.spot.conditional or call.spot.in_loop():
            return None
        spots = [site.spot for site in module.call_sites(call.function)]
    found = [spot for spot in spots if clients.in_each_round(spot, ids)]
    return next(loop for loop in reversed(found[0].loops) if id(loop) in ids) if found and len(found) == len(spots) else None


def _sometimes(module: Any, call: Call, loops: dict[int, bool]) -> Any:
    """The loop over records some rounds of which come to a call, here or in a helper: numbers begin anew whatever one file holds."""
    spots = [call.spot, *(site.spot for site in module.call_sites(call.function))] if call.function is not None else [call.spot]
    return next((loop for spot in spots for loop in reversed(spot.loops) if id(loop) in loops), None)


def _made_of(module: Any, node: Any, spot: Spot, loop: Any, level: int) -> Iterator[str]:
    """The changing parts of a name."""
    if level > 8:
        yield _OTHER
    elif isinstance(node, cst.FormattedString):
        for part in node.parts:
            if isinstance(part, cst.FormattedStringExpression):
                spec = "".join(one.value for one in part.format_spec or () if isinstance(one, cst.FormattedStringText))
                yield from (
                    [_now(module, part.expression, spot, loop, spec)]
                    if "%" in spec
                    else _made_of(module, part.expression, spot, loop, level + 1)
                )
    elif isinstance(node, cst.ConcatenatedString):
        yield from _made_of(module, node.left, spot, loop, level + 1)
        yield from _made_of(module, node.right, spot, loop, level + 1)
    elif isinstance(node, cst.BinaryOperation):
        for side in (node.left, node.right):
            yield from _made_of(module, side, spot, loop, level + 1)
    elif isinstance(node, (cst.Tuple, cst.List)):
        for item in node.elements:
            yield from _made_of(module, item.value, spot, loop, level + 1)
    elif isinstance(node, cst.Call):
        yield from _called(module, node, spot, loop, level)
    elif isinstance(node, cst.Name) and _counts(module, node.value, loop):
        yield _COUNTER
    elif isinstance(node, cst.Name) and (given := _given(module, node, spot)):
        for value, at in given:
            yield from _made_of(module, value, at, loop, level + 1) if value is not None else [_OTHER]
    elif ((text := text_of(module, node, spot)) is not None and MASK not in text.text) or isinstance(module.value(node, spot), Known):
        return
    elif isinstance(node, cst.Name):
        bound = [(one.node, one.spot) for one, _ in module.lookup(node.value, spot) if one.kind == "assign"]
        # a name that is made once, before the loop, says which run this is
        yield from _made_of(module, *bound[0], loop, level + 1) if len(bound) == 1 and _each_time(bound[0], spot, loop) else [_OTHER]
    else:
        yield _OTHER


def _given(module: Any, node: cst.Name, spot: Spot) -> list[tuple[Any, Spot]]:
    """What the callers of a helper give it for a parameter, and where; nothing for a name that is none."""
    bound = [one for one, _ in module.lookup(node.value, spot)]
    if len(bound) != 1 or bound[0].kind != "param" or bound[0].detail is None:
        return []
    function = bound[0].detail
    param = function.param(node.value)
    return [(module.given(site, function, param), site.spot) for site in module.call_sites(function)] if param is not None else []


def _called(module: Any, node: cst.Call, spot: Spot, loop: Any, level: int) -> Iterator[str]:
    name, func = last_name(node.func), node.func
    on = func.value if isinstance(func, cst.Attribute) else None
    if dotted(func).endswith(_SETTINGS):
        return
    if name == "format" and on is not None:
        yield from _made_of(module, on, spot, loop, level + 1)
    if name in (*_JOINS, "format"):
        for arg in node.args:
            yield from _made_of(module, arg.value, spot, loop, level + 1)
    elif name == "strftime" and node.args:
        value = module.value(node.args[0].value, spot)
        form = value.value if isinstance(value, Known) and isinstance(value.value, str) else None
        if form is None:
            yield _OTHER
        elif dotted(on) == "time":
            yield _told(form) if len(node.args) == 1 else _OTHER
        else:
            yield _now(module, on, spot, loop, form)
    elif name in ("int", "round") and len(node.args) == 1 and _clock(node.args[0].value, "time", "timestamp"):
        yield _CLOCK
    else:
        yield _OTHER


def _now(module: Any, node: Any, spot: Spot, loop: Any, form: str) -> str:
    """What a point in time becomes in a format: the clock's, where it tells no more than seconds."""
    if isinstance(node, cst.Name):
        bound = [(one.node, one.spot) for one, _ in module.lookup(node.value, spot)]
        if len(bound) != 1 or not _each_time(bound[0], spot, loop):
            return _OTHER
        node = bound[0][0]
    return _told(form) if _clock(node, *_NOW) and "%f" not in form else _OTHER


def _told(form: str) -> str:
    """How much of the clock a format shows: a day, or the time of it."""
    return _CLOCK if _TIME.search(form) else _DAY


def _clock(node: Any, *names: str) -> bool:
    """`datetime.now(timezone.utc)`, `time.time()`, `datetime.now().timestamp()`."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or last_name(node.func) not in names:
        return False
    on = node.func.value
    return dotted(on).rpartition(".")[2] in ("datetime", "time", "date", "dt") or _clock(on, *_NOW)


def _each_time(bound: tuple[Any, Spot], spot: Spot, loop: Any) -> bool:
    """Whether a name is given its value for each record: in the loop, or in the helper that writes."""
    at = bound[1]
    return loop in at.loops or (at.function is not None and at.function is spot.function and loop not in spot.loops)


def _counts(module: Any, name: str, loop: Any) -> bool:
    """Whether a name counts the rounds from a number that stands in the program."""
    if (numbered := _numbered(loop)) and isinstance(loop.target, cst.Tuple):
        first = loop.target.elements[0].value
        start = [arg.value for arg in numbered[1:]]
        return isinstance(first, cst.Name) and first.value == name and all(isinstance(one, cst.Integer) for one in start)
    given = given_to(module.tree, name)
    steps = [one for one in given if isinstance(one.node, cst.AugAssign)]
    begins = [one for one in given if not isinstance(one.node, cst.AugAssign)]
    return (
        bool(steps)
        and len(begins) == 1
        and all(
            loop in step.spot.loops and isinstance(step.node.operator, cst.AddAssign) and isinstance(step.node.value, cst.Integer)
            for step in steps
        )
        and isinstance(begins[0].node, cst.Assign)
        and isinstance(begins[0].node.value, cst.Integer)
        and loop not in begins[0].spot.loops
    )
