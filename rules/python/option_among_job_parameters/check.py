"""Global job parameters are the user's own: shown by the web interface and read by functions. Options go into a configuration (run on PyFlink 1.20.5)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.catalogue import load
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Mapping

_SHOWN = 3


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A parameter that a function of the program asks for by its name is none of Flink's there."""
    module = context.module
    asked = {module.string(node, call.spot) for call in module.named("get_job_parameter") if (node := call.argument(0, "key")) is not None}
    for call in module.named("set_global_job_parameters"):
        node = call.argument(0, "global_job_parameters_dict")
        value = module.value(node, call.spot) if node is not None else None
        if not isinstance(value, Mapping):
            continue
        known = load("flink")
        found = [pair for pair in value.pairs if pair.key and pair.key not in asked and known.known(pair.key)]
        if not found:
            continue
        names = list(dict.fromkeys(str(pair.key) for pair in found))
        shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
        message = (
            f"{shown} {'is' if len(names) == 1 else 'are'} not set: global job parameters are the program's own, which its functions read; options "
            "go into a Configuration, which get_execution_environment() or the environment's configure() takes"
        )
        places = [(module.place(pair.key_node, pair.spot), "") for pair in found[1:]]
        yield context.finding(message, module.place(found[0].key_node, found[0].spot), places, covers=[module.covers(call)])
