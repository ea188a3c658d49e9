"""Pub/Sub on the direct runner in a pipeline without `streaming` (2.64 and 2.77: `PubSub I/O is only available in streaming mode`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.facts import text_value
from shoal.python.tree import Call
from shoal.python.values import Object, Sequence, options

# Options are made elsewhere in the module, too: whichever of them the pipeline gets.
_ASKED = pattern(r"--streaming|\bstreaming['\"]?\s*[=:]")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    used = [call for call in module.named("ReadFromPubSub", "WriteToPubSub") if module.qualified(call).startswith("apache_beam.")]
    made = [call for call in module.named("Pipeline", "TestPipeline") if "Pipeline" in module.qualified(call)]
    if not used or not made or _ASKED.search(module.raw) or not all(_is_batch(module, call) for call in made):
        return
    if all(dofns.never_run(module, call) for call in made):
        return  # which another rule says
    message = "the pipeline ends with an exception: the direct runner has Pub/Sub in streaming mode only, and nothing says streaming here"
    related = [(module.call_place(made[0]), "the pipeline")] if len(made) == 1 else []
    for call in used:
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _is_batch(module: Any, call: Call) -> bool:
    """Whether a pipeline surely has no options but flags that are written out, and runs on the direct runner."""
    if call.name != "Pipeline" or not any(isinstance(one, Object) and one.type == "beam.Pipeline" for one in options(module.result(call))):
        return False
    runner, given, argv = call.argument(0, "runner"), call.argument(1, "options"), call.argument(2, "argv")
    if call.has_stars or (runner is not None and "Direct" not in (text_value(module, module.value(runner, call.spot)) or "")):
        return False
    if given is None:
        return argv is None
    objects = module.objects(given, call.spot)
    return bool(objects) and all(_flags_alone(module, one) for one in objects)


def _flags_alone(module: Any, made: Object) -> bool:
    args = getattr(made.node, "args", [])
    if made.type != "beam.Options" or len(args) != 1 or args[0].star or args[0].keyword is not None:
        return False
    value = module.value(args[0].value, made.spot)
    if not isinstance(value, Sequence) or value.open:
        return False
    flags = [text_value(module, module.value(node, value.spot)) for node in value.nodes]
    runners = [flag for flag in flags if flag is None or "runner" in flag.lower()]
    return None not in flags and all(flag is not None and "direct" in flag.lower() for flag in runners)
