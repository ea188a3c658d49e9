"""What a StatefulProcessor may not ask its handle for, and when. All of it was tried on PySpark 4.3.0."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, ClassInfo, Function, dotted

_STATES = ("getValueState", "getListState", "getMapState")
_LIVES = {"getValueState": 2, "getListState": 2, "getMapState": 3}  # where ttlDurationMs stands
_EXPIRED = ["key", "timerValues", "expiredTimerInfo"]
_ENTRIES = ("handleInputRows", "handleExpiredTimer", "handleInitialState", "close")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    modes: dict[int, tuple[ClassInfo, set[str]]] = {}
    for call in module.named("transformWithState", "transformWithStateInPandas"):
        given = call.argument(0, "statefulProcessor")
        cls = module.class_of(given, call.spot) if given is not None else None
        mode = call.argument(3, "timeMode")
        if cls is not None and mode is not None:
            modes.setdefault(id(cls), (cls, set()))[1].add(module.string(mode, call.spot).lower())
    for cls, said in modes.values():
        mode = said.pop() if len(said) == 1 else ""
        timeless = mode == "eventtime" and "withWatermark" not in module.raw and "readStream" in module.raw
        for function in cls.methods.values():
            for call in function.calls:
                if call.name in _STATES and _of_handle(call):
                    yield from _state(context, call, function, mode)
                elif call.name == "registerTimer" and _of_handle(call) and mode == "none":
                    yield context.finding(
                        "fails the query with the first record: there are no timers with the time mode None", module.call_place(call)
                    )
                elif call.name == "registerTimer" and _of_handle(call) and timeless:
                    message = (
                        "never fires: it waits for a watermark, and none is set on the stream, so that what it should clear stays in state"
                    )
                    yield context.finding(message, module.call_place(call), severity="warning", confidence="medium")
        expired = cls.methods.get("handleExpiredTimer")
        names = [param.name for param in expired.params if param.kind == "plain"] if expired is not None else []
        if expired is not None and len(names) == 4 and names[1:] != _EXPIRED:
            message = f"fails the query when the first timer expires: Spark names what it hands over ({', '.join(_EXPIRED)}), and here it is {', '.join(names[1:])}"
            yield context.finding(message, module.def_place(expired))


def _state(context: Context, call: Call, function: Function, mode: str) -> Iterator[Finding]:
    module = context.module
    if function.name in _ENTRIES:
        yield context.finding(
            f"fails the query with the first record: {call.name}() is for init(), once it is done no state can be added",
            module.call_place(call),
        )
    life = call.argument(_LIVES[call.name], "ttlDurationMs")
    if life is not None and mode in ("none", "eventtime") and isinstance(module.constant(life, call.spot), int):
        message = "fails the query with the first record: a time to live needs the time mode ProcessingTime"
        yield context.finding(message, module.place(life, call.spot))


def _of_handle(call: Call) -> bool:
    """Whether this is asked of the handle that Spark gives a processor, or of what it was kept as."""
    return "handle" in dotted(call.receiver_node).lower()
