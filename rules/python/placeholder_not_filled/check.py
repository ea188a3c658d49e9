"""Texts that name a variable of the program in braces and reach the engine with the braces in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding, Place, Span
from shoal.python.tree import Call

# `{{x}}` is a template's, `${x}` a variable of what reads the text.
_PLACEHOLDER = pattern(r"(?<![{$])\{([A-Za-z_]\w*)\}(?!\})")
# Calls with a path, a topic, an address or a statement, and the argument that holds it.
_CALLS = {
    "option": (1, "value"),
    "config": (1, "value"),
    "load": (0, "path"),
    "start": (0, "path"),
    "table": (0, "tableName"),
    "toTable": (0, "tableName"),
    "sql": (0, "sqlQuery"),
    "execute_sql": (0, "stmt"),
    "add_insert_sql": (0, "stmt"),
    "set_topics": (0, ""),
    "set_bootstrap_servers": (0, "bootstrap_servers"),
    "set_group_id": (0, "group_id"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_CALLS):
        node = call.argument(*_CALLS[call.name])
        if (
            node is None or call.receiver_node is None or (call.name == "sql" and len(call.node.args) > 1)
        ):  # Spark fills in what is given beside it
            continue
        found = next((name for name in _PLACEHOLDER.findall(module.string(node, call.spot)) if _is_variable(module, name, call)), "")
        if found:
            message = f"{{{found}}} goes to the engine as it stands, braces and all: the text is no f-string, so the variable {found} is not filled in"
            yield context.finding(message, _place(module, node, call, f"{{{found}}}"), covers=[module.covers(call)])


def _place(module: Any, node: Any, call: Call, text: str) -> Place:
    """Where the braces are, in a text that stands in the call itself; else the argument."""
    place: Place = module.place(node, call.spot)
    at = module.raw.find(text, place.span.start, place.span.end)
    return place if at < 0 else place._replace(span=Span(at, at + len(text)))


def _is_variable(module: Any, name: str, call: Call) -> bool:
    return any(binding.kind in ("assign", "param", "for", "unpack", "with") for binding, _ in module.lookup(name, call.spot))
