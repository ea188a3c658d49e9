"""Pub/Sub topics of a Terraform module: which of them take dead letters, and which are given to anything that may read them.

Read by blocks and lines, like variables: a topic and its subscriptions need not stand in one file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.text import Text

_TOPIC = "google_pubsub_topic"
_BLOCK = pattern(
    r'(?m)^(resource|module|locals|data|variable|output|provider|terraform|moved|import|check|removed|ephemeral)\b(?:[ \t]+"([\w-]+)")?(?:[ \t]+"([\w-]+)")?'
)
_NAMED = pattern(r"\bgoogle_pubsub_topic\.(\w+)")
_DEAD = pattern(r"(?m)^[ \t]*dead_letter_topic[ \t]*=[ \t]*(?:resource\.)?(google_pubsub_topic\.\w+)")
_KEPT = pattern(r"(?m)^[ \t]*message_retention_duration[ \t]*=")


def read(text: Text, out: Reading) -> None:
    """A `dead-letters` for each topic that takes those of a subscription, a `topic-given` for one that keeps its messages, or that anything else is given but a right to it."""
    if _TOPIC not in text.text:
        return
    heads = list(_BLOCK.finditer(text.text))
    ends = [*(head.start() for head in heads[1:]), len(text.text)]
    for head, end in zip(heads, ends, strict=False):
        word, kind, name = head.groups()
        body = text.text[head.start() : end]
        if word == "output" or (kind or "").startswith(f"{_TOPIC}_iam_"):
            continue
        dead = {found.start(1): found for found in _DEAD.finditer(body)}
        for at, found in dead.items():
            out.facts.append(Usage("dead-letters", found[1], out.place(text.span(head.start() + at, head.start() + found.end(1)))))
        given = [found[0] for found in _NAMED.finditer(body) if found.start() not in dead]
        if kind == _TOPIC and _KEPT.search(body):
            given.append(f"{_TOPIC}.{name}")
        place = out.place(text.span(head.start(), head.end()))
        out.facts.extend(Usage("topic-given", topic, place) for topic in dict.fromkeys(given))
