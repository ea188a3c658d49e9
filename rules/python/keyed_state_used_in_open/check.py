"""`self.state.put(…)` in `open`, which runs before there is a record, and with it a key."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.flink_methods import KEYED_STATE
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import names

_USES = names("value update get put put_all add add_all remove contains keys values items is_empty clear")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for cls in module.classes:
        function = cls.methods.get("open")
        if function is None or module.contexts.classes.get(id(cls)) != "flink":
            continue
        states = {
            attribute
            for attribute, bindings in cls.attributes.items()
            for binding in bindings
            if binding.spot.function is function
            and isinstance(binding.node, cst.Call)
            and isinstance(binding.node.func, cst.Attribute)
            and binding.node.func.attr.value in KEYED_STATE
        }
        for call in function.calls:
            target = call.receiver_node
            mine = isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name) and target.value.value == function.self_name
            if call.name in _USES and mine and isinstance(target, cst.Attribute) and target.attr.value in states:
                message = f"self.{target.attr.value} belongs to a key, and open() runs before the first record brings one: use it where records and timers come"
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
