"""The constructors of ReadFromPubSub and WriteToPubSub look at what they are given (2.64 to 2.77: `Only one of topic or subscription should be provided`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.values import Known

_BLANK = pattern(r"[<>{}$\[\]]|//|(?i:your[-_ ]|replace)")  # to be filled in
_OTHER = {"topic": "subscription", "subscription": "topic"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if "apache_beam" in module.path.split("/")[:-1]:
        return  # Beam's own tests of it
    for call in module.named("ReadFromPubSub", "WriteToPubSub"):
        if not module.qualified(call).startswith("apache_beam.") or call.has_stars:
            continue
        reads = call.name == "ReadFromPubSub"
        given = {name: call.argument(at, name) for at, name in enumerate(("topic", "subscription")[: 1 + reads])}
        values = {name: module.value(node, call.spot) if node is not None else None for name, node in given.items()}
        texts = {name: value.value for name, value in values.items() if isinstance(value, Known) and isinstance(value.value, str)}
        # an option's default is what runs only where nobody gives another
        sure = {name: "" if value is None or getattr(value, "sure", "") == "sure" else "medium" for name, value in values.items()}
        if reads and all(texts.get(name) for name in given):
            message = "the program stops here with a ValueError: it reads a topic or a subscription, and not both; the subscription says which topic it is of"
            yield context.finding(message, module.call_place(call), confidence=max(sure.values()), covers=[module.covers(call)])
            continue
        if reads and all(node is None for node in given.values()):
            yield context.finding("the program stops here with a ValueError: nothing is said of what to read", module.call_place(call))
            continue
        for name, text in texts.items():
            if text and not re.match(rf"projects/[^/]+/{name}s/.", text) and not _BLANK.search(text):
                message = f"the program stops here with a ValueError: a {name} is written projects/<project>/{name}s/<{name}>, not `{text}`{_meant(name, text)}"
                at = module.place(given[name], call.spot)
                yield context.finding(message, at, confidence=sure[name], covers=[module.covers(call)])


def _meant(name: str, text: str) -> str:
    other = _OTHER[name]
    return f" (it is a {other}, so {other}=)" if re.match(rf"projects/[^/]+/{other}s/.", text) else ""
