"""`get_state(MapStateDescriptor(…))`: PyFlink takes what it finds in the descriptor (read in 2.1)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.descriptors import STATES
from shoal.python.tree import last_name

# Types that have what the states of lists and maps look for, in whatever descriptor.
_HAVE = pattern(r"\b(?:LIST|MAP|\w+_ARRAY)\(")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*STATES):
        node = call.argument(0, "state_descriptor")
        made = [one for one in module.objects(node, call.spot) if one.type == "flink.StateDescriptor"] if node is not None else []
        kinds = {last_name(one.root.node.func) for one in made}
        if len(kinds) != 1 or not kinds <= set(STATES.values()) or STATES[call.name] in kinds:
            continue
        kind = kinds.pop()
        right = next(name for name, takes in STATES.items() if takes == kind)
        if call.name == "get_state":
            message = f"a value state is made of a {kind}: all of it is one value, read and written as a whole, with value() and update() alone ({right})"
        else:
            message = (
                f"the job fails when the function is opened: {call.name}() takes a {STATES[call.name]}, and is given a {kind} ({right})"
            )
        related = [(module.place(made[0].root.node, made[0].root.spot), "the descriptor")]
        yield context.finding(
            message, module.call_place(call), related, "warning" if call.name == "get_state" else "", covers=[module.covers(call)]
        )
