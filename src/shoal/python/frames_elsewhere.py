"""Spark data frames and clients that pass between the modules of a project: what a function of another one makes of the frames that it is given, and
what is given to it here.

A frame is told by its steps' names and where they stand, as lists: `[step, [what it was made from …], [path, start, end]]`. Arguments of steps are not
told, so what rules ask them for is unknown of such frames.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.facts import Origin, Usage
from shoal.lazy import pattern
from shoal.model import Place, Span
from shoal.python import batch_writes, elsewhere
from shoal.python.frame import BATCH, GROUPINGS, MICRO_BATCH, STREAM, UNKNOWN, Argument, Env, Frame
from shoal.python.threaded import handed_on
from shoal.python.tree import Call
from shoal.python.values import UNKNOWN as NO_VALUE
from shoal.python.values import Known, Object, Standin, names, options
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Function, Spot

# Types of which it matters that a function of another module is given them; a session of Spark is known there by what is done with it.
TOLD_TYPES = names(
    "kafka.Producer kafka.Consumer confluent.Producer confluent.Consumer aiokafka.Producer aiokafka.Consumer spark.StreamingQuery "
    "flink.Environment flink.TableEnvironment flink.DataStream flink.KeyedStream flink.Table flink.StatementSet"
)
_NAMING = (cst.Name, cst.Attribute, cst.Call, cst.Tuple, cst.List, cst.Subscript)  # what may be an object or a frame
# Classes whose objects may read or write streams, by their names.
_STREAMING = pattern(r"(?:Writer|Sink|Job|Stream|Pipeline|Processor|Loader|Ingest|Reader|Source)\w*\.__init__$")
_PARAM = "(parameter)"  # no method is called so
# Steps after which a row of a batch is another one, or is left out where it is known already.
_WEIGHS = (*GROUPINGS, "agg", "count", "distinct", "dropDuplicates", "drop_duplicates", "exceptAll", "subtract")
_MOST = 60  # steps that are told of one frame
_ITEMS = 10  # of one tuple


def made(module: Module, function: Function) -> Any:
    """What a function returns, of the frames that it is given or reads itself; None where that is no frame, or not known.

    Of a tuple it is `{"items": [of each …]}`.
    """
    params = [param.name for param in function.params if param.kind == "plain" and param.name != function.self_name]
    given = {name: (Frame(_PARAM, (index, name), None),) for index, name in enumerate(params)}
    env = Env(function, given, None)
    size = min((len(node.elements) if isinstance(node, cst.Tuple) else 0 for node, _ in function.returns), default=0)
    if size and not function.yields:
        items = [_made(module, module.frames.returned(function, env, index)) for index in range(min(size, _ITEMS))]
        return {"items": items} if any(items) else None
    return _made(module, module.frames.returned(function, env))


def _made(module: Module, ways: tuple[Frame, ...]) -> list[Any] | None:
    steps = any(frame.inputs or frame.op in (STREAM, BATCH) for frame in ways)
    if not steps or not any({STREAM, BATCH, _PARAM} & frame.roots() for frame in ways):
        return None
    return _ways(module, ways)


def given(module: Module) -> list[Usage]:
    """The calls that give a stream, a Spark session or an object of a library to a function of another module, with what they give.

    Each as `[name, [[position, keyword, frames, text, type, where the text stands] …]]`.
    """
    found: dict[str, Usage] = {}

    def add(name: str, arguments: list[Any], place: Place) -> None:
        detail = json.dumps([name, arguments], separators=(",", ":"))
        found.setdefault(detail, Usage("gives", detail, place))

    for text in module.told.given:  # to a function that this module takes from another one itself, to hand it on
        named, arguments = json.loads(text)
        for name in elsewhere.where_from(module, named):
            add(name, arguments, Place(module.path, Span(0, 0)))
    for call in module.calls:
        if not any(isinstance(arg.value, _NAMING) for arg in call.node.args) and not _STREAMING.search(f"{call.name}.__init__"):
            continue
        func, args = handed_on(call) or (call.node.func, call.node.args)
        if name := module.others.runs_of(func, call.spot):
            arguments = [_argument(module, index, arg, call.spot) for index, arg in enumerate(args)]
        elif call.name == "transform" and (name := module.others.callee(call.node.args[0].value, call.spot)):
            arguments = [_argument(module, 0, cst.Arg(call.receiver_node), call.spot)]
        else:
            continue
        if call.has_stars:
            continue
        batch = any(_of_batch(way) for _, _, ways, _, _, _ in arguments for way in ways or ()) and _hands_on(module, call)
        tells = batch or any(kind or any(map(_streams, ways or ())) for _, _, ways, _, kind, _ in arguments)
        texts = module.of_spark and any(text for _, _, _, text, _, _ in arguments)
        if tells or (texts and (_STREAMING.search(name) or any(_is_session(module, arg.value, call.spot) for arg in args))):
            add(name, arguments, module.call_place(call))
    return list(found.values())


def _argument(module: Module, index: int, arg: cst.Arg, spot: Spot) -> list[Any]:
    ways = module.frames.of(arg.value, spot) if module.of_spark or module.told else ()
    told = _ways(module, ways) if ways and all(frame.followed for frame in ways) else None
    text = module.string(arg.value, spot) or None
    at = [module.path, *module.span(arg.value, spot)] if text is not None else None
    return [index, arg.keyword.value if arg.keyword else "", told, text, _type(module, arg.value, spot), at]


def _is_session(module: Module, node: Any, spot: Spot) -> bool:
    return isinstance(node, (cst.Name, cst.Attribute)) and any(one.type == "spark.Session" for one in module.objects(node, spot))


def _type(module: Module, node: Any, spot: Spot) -> str:
    """The library type that an expression surely has, and that a function of another module is told of."""
    types = {option.type if isinstance(option, Object) else "" for option in options(module.value(node, spot))}
    kind = types.pop() if len(types) == 1 else ""
    return kind if kind in TOLD_TYPES else ""


def _streams(way: list[Any]) -> bool:
    """Whether a told frame is a stream."""
    op, inputs, _ = way
    return any(map(_streams, inputs)) if inputs else op == STREAM


def _of_batch(way: list[Any]) -> bool:
    """Whether a told frame has the rows of a batch of foreachBatch, each by itself."""
    op, inputs, _ = way
    return (len(inputs) == 1 and op not in _WEIGHS and _of_batch(inputs[0])) if inputs else op == MICRO_BATCH


def _hands_on(module: Module, call: Call) -> bool:
    """Whether a batch function leaves all that is done with its batch to the function that it calls: it makes nothing of the batch's id, and keeps no copy of it."""
    function = call.function
    if function is None or not any((id(function), param.name) in module.contexts.param_types for param in function.params):
        return False
    given = batch_writes.parameters(module, function)
    return not any(batch_writes.does_with(module, function, name) for name in given[1:2]) and not any(
        other.name in ("persist", "cache") for other in function.calls
    )


def of_call(
    module: Module, data: Any, node: cst.Call, spot: Spot, env: Env | None, first: Frame | None = None, item: int | None = None
) -> tuple[Frame, ...]:
    """The frames that a call of another module's function gives, of what that module says of it (`made`).

    `first`: its first argument, where `transform` calls it; `item`: which one of the tuple that it gives.
    """
    if isinstance(data, dict) or item is not None:
        items = data["items"] if isinstance(data, dict) and item is not None else []
        data = items[item] if item is not None and item < len(items) else None
        if data is None:
            return (Frame(UNKNOWN, None, None),)

    def argument(position: int, name: str) -> tuple[Frame, ...]:
        if first is not None and position == 0:
            return (first,)
        given = Call(node, "", spot, None, "").argument(position, name)
        return module.frames.of(given, spot, env) if given is not None else (Frame(UNKNOWN, None, None),)

    return tuple(frame for way in data for frame in _decoded(way, node, spot, argument))


def calls_of(module: Module, function: Function) -> list[Env]:
    """The calls of a function by which other modules give it streams."""
    params = [param for param in function.params if param.name != function.self_name]
    found = []
    for arguments in _given_to(module, function):
        if not any(one.frames for one in arguments.values()):
            continue
        given: dict[str, Any] = {param.name: Argument(param.default, function.spot, None) for param in params if param.default is not None}
        for name, one in arguments.items():
            ways = [frame for way in one.frames or () for frame in _decoded(way, function.node.name, function.spot, None)]
            value = Known(one.text) if one.text is not None else NO_VALUE
            given[name] = tuple(ways) if ways else Argument(Standin(value, function.node.name, function.spot), function.spot, None)
        found.append(Env(function, given, None))
    return found


def type_of(module: Module, function: Function, name: str) -> str:
    """The library type of what other modules give a function for a parameter, where all that is told is of one."""
    found = {arguments[name].type for arguments in _given_to(module, function) if name in arguments}
    return found.pop() if len(found) == 1 else ""


def types_of(module: Module, function: Function, name: str) -> set[str]:
    """All library types of what other modules give a function for a parameter."""
    return {arguments[name].type for arguments in _given_to(module, function) if name in arguments} - {""}


def texts_of(module: Module, function: Function, name: str) -> list[tuple[str | None, Origin | None]]:
    """The texts that other modules give a function for a parameter, each with where it stands; none of the two where that is not known."""
    found = []
    for arguments in _given_to(module, function):
        one = arguments.get(name)
        param = function.param(name)
        default = module.string(param.default, function.spot) if one is None and param is not None and param.default is not None else ""
        text = one.text if one is not None else default or None
        found.append((text, Origin(one.at[0], Span(*one.at[1:])) if one is not None and one.at is not None else None))
    return found


class _Given(NamedTuple):
    frames: Any
    text: str | None
    type: str
    at: list[Any] | None


def _given_to(module: Module, function: Function) -> Iterator[dict[str, _Given]]:
    """The calls of a function by other modules: by parameter the frames, the text and the library type that it is given."""
    params = function.given_names
    for arguments in module.others.calls_of.get(function.qualname, ()):
        yield {
            keyword or (params[index] if index < len(params) else ""): _Given(told, known, kind, at)
            for index, keyword, told, known, kind, at in arguments
        }


def _ways(module: Module, ways: tuple[Frame, ...]) -> list[Any] | None:
    told = [_encoded(module, frame, [_MOST]) for frame in ways]
    return told if all(way is not None for way in told) else None


def _encoded(module: Module, frame: Frame, left: list[int]) -> list[Any] | None:
    """A frame as lists; None for one of too many steps."""
    left[0] -= 1
    if left[0] < 0:
        return None
    if frame.op == _PARAM:
        return [_PARAM, list(frame.node), None]
    inputs = [_encoded(module, one, left) for one in frame.inputs]
    if any(one is None for one in inputs):
        return None
    return [frame.op, inputs, _at(module, frame)]


def _at(module: Module, frame: Frame) -> list[Any] | None:
    """Where a step is written."""
    if frame.origin is not None:
        return [frame.origin.path, *frame.origin.span]
    if not isinstance(frame.node, cst.Call):
        return None
    return [module.path, *module.name_place(frame.node, frame.spot).span]


def _decoded(data: list[Any], node: Any, spot: Any, argument: Any) -> tuple[Frame, ...]:
    """The inverse of `_encoded`, for what stands here at a node; `argument` gives the frames of a parameter."""
    op, inputs, at = data
    if op == _PARAM:
        return tuple(argument(*inputs))
    origin = Origin(at[0], Span(at[1], at[2])) if at is not None else None
    sides = [_decoded(one, node, spot, argument) for one in inputs]
    ways: list[tuple[Frame, ...]] = [()]
    for side in sides:
        ways = [(*way, frame) for way in ways for frame in side]
    return tuple(Frame(op, Standin(NO_VALUE, node, spot), spot, way, None, origin) for way in ways)
