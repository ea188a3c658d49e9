"""`pipeline.run()` inside `with beam.Pipeline() as pipeline`, whose end runs it as well (run on 2.77)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    ends = [call.spot for call in module.named("exit", "_exit", "quit")]
    for call in module.named("run"):
        made = [one.node for one in module.objects(call.receiver_node, call.spot) if one.type == "beam.Pipeline"]
        entered = next((node for node in call.spot.withs if any(node is one for one in made)), None)
        # an exception that ends the block keeps it from running
        if entered is None or any(node is entered for end in ends for node in end.withs):
            continue
        message = (
            "the pipeline runs twice: the end of its with block runs it again, and every record is read and written once more; "
            "leave out this run()"
        )
        related = [(module.place(entered, call.spot), "runs it at its end")]
        yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
