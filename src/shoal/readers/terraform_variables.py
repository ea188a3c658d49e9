"""Variables of a Terraform module: what they default to, and which of them whoever calls a module gives a value.

Read by lines, as `terraform fmt` writes them: a file of variables names no engine often, and parsing it would cost more than it tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Span
    from shoal.readers import Reading
    from shoal.text import Text

_HEAD = pattern(r'(?m)^(variable|module)[ \t]+"([\w-]+)"[ \t]*\{(?:[^\n{}]*(\}))?')
_DEFAULT = pattern(r'(?m)(?:^|\{)[ \t]*default[ \t]*=[ \t]*("[^"\\\n$%]*"|-?\d+(?:\.\d+)?|true|false|null)[ \t]*(?:#.*|//.*|\}.*)?\r?$')
# What a module of Amazon's brokers tells them, unless its caller has something else.
_PROPERTIES = pattern(r"\w*server_properties")
_HEREDOC = pattern(r"(?m)^[ \t]*default[ \t]*=[ \t]*<<-?(\w+)[ \t]*\r?\n((?:.*\n)*?)[ \t]*\1[ \t]*\r?$")
_SOURCE = pattern(r'(?m)^[ \t]*source[ \t]*=[ \t]*"(\.{1,2}/[^"\n]*|\.{1,2})"')
_GIVEN = pattern(r"(?m)^[ \t]*(\w+)[ \t]*=")


def read(text: Text, out: Reading) -> None:
    """A `terraform-variable` (`name=default`) for each variable with a single value, a `terraform-given` for each argument of a module that lies here."""
    end, last = 0, text.text.rfind("\n}")
    for head in _HEAD.finditer(text.text):
        if head.start() < end or (not head.group(3) and last < head.end()):
            continue  # inside another, or without an end
        end = head.end() if head.group(3) else text.text.index("\n}", head.end()) + 2
        kind, name, body = head.group(1), head.group(2), text.text[head.start() : end]
        if kind == "variable":
            found = _DEFAULT.search(body)
            if found and found.group(1) != "null":
                span = text.span(head.start() + found.start(1), head.start() + found.end(1))
                value = found.group(1).strip('"')
                out.facts.append(Usage("terraform-variable", f"{name}={value}", out.place(span)))
            elif _PROPERTIES.fullmatch(name) and (told := _HEREDOC.search(body)):
                at = head.start()
                read_brokers(text.slice(at + told.start(2), at + told.end(2)), text.span(head.start(2), head.end(2)), name, out, "default")
        elif source := _SOURCE.search(body):
            for given in dict.fromkeys(_GIVEN.findall(body)):
                detail = f"{source.group(1)}#{given}"
                out.facts.append(Usage("terraform-given", detail, out.place(text.span(head.start(2), head.end(2)))))


def read_brokers(told: Text, place: Span, name: str, out: Reading, sure: str = "") -> Block:
    """What Amazon's brokers are told, as properties, beside what the service sets by itself."""
    from shoal.readers import properties

    entries = [entry for entry in properties.parse(told) if entry.key]
    block = out.block("kafka", "broker", "terraform", place, name, traits=(("service", "msk"),), open=True)
    properties.add(entries, told, out, block, sure)
    return block
