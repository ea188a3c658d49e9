"""`parser.add_argument("--interval", default=300)` of a `PipelineOptions`: argparse converts nothing without a `type`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("add_argument", "add_value_provider_argument"):
        node = call.argument(99, "default")
        if node is None or call.has_stars or call.has_keyword("type", "action", "choices", "nargs"):
            continue
        if call.function is None or call.function.name != "_add_argparse_args":
            continue
        value = module.value(node, call.spot)
        flag = next(
            (text for arg in call.node.args if arg.keyword is None and (text := module.string(arg.value, call.spot)).startswith("--")), ""
        )
        name = module.string(call.argument(99, "dest"), call.spot) or flag.lstrip("-").replace("-", "_")
        if re.search(rf"\b(?:int|float)\([\w.]*\b{re.escape(name)}\b", module.raw):
            continue  # the program does it where it needs the number
        if flag and isinstance(value, Known) and isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
            kind = type(value.value).__name__
            message = f"`{flag} {value.value}` gives the text '{value.value}', not the number that the default is: what counts, waits or compares with it fails (type={kind})"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
