"""`datetime.fromisoformat(text.replace("Z", "")).timestamp()`, and `strptime` with a Z that is a letter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import last_name

# What takes the mark of UTC away from a text and leaves the rest as it is.
_UNMARKED = pattern(
    r"\.(?:replace\(\s*['\"](?:Z|\+00:00)['\"]\s*,\s*(?:''|\"\")\s*\)|(?:r?strip|removesuffix)\(\s*['\"](?:Z|\+00:00)['\"]\s*\))"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("timestamp"):
        made = _made(module, call.receiver_node, call.spot)
        if call.node.args or not isinstance(made, cst.Call) or not made.args:
            continue
        how = last_name(made.func)
        if how == "fromisoformat":
            text = _made(module, made.args[0].value, call.spot)
            lost = text is not None and _UNMARKED.search(module.tree.node.code_for_node(text)) is not None
        else:
            form = module.string(made.args[1].value, call.spot) if how == "strptime" and len(made.args) == 2 else ""
            lost = form.endswith("Z") and "%z" not in form
        if lost:
            message = (
                "the text says UTC, and what is made of it no longer does: timestamp() counts a time without a zone in that of the machine, so that event times are off by its distance from UTC "
                "wherever TZ is set (replace(tzinfo=timezone.utc), or fromisoformat with +00:00 in the place of Z)"
            )
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _made(module: Any, node: Any, spot: Any) -> Any:
    """What a name is given once, else the expression itself."""
    if not isinstance(node, cst.Name):
        return node
    made = [binding for binding, _ in module.lookup(node.value, spot)]
    return made[0].node if len(made) == 1 and made[0].kind == "assign" else None
