"""`poll(1.0)` is one second in confluent-kafka and one millisecond in kafka-python, whose other timeouts are in seconds, too."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Edit, Finding, Fix
from shoal.python.clients import NAMES
from shoal.python.values import Known, options

# type and method -> position and keyword of the timeout, its unit
_METHODS = {
    ("kafka.Consumer", "poll"): (0, "timeout_ms", "ms"),
    ("aiokafka.Consumer", "getmany"): (99, "timeout_ms", "ms"),
    ("confluent.Consumer", "poll"): (0, "timeout", "s"),
    ("confluent.Consumer", "consume"): (1, "timeout", "s"),
    ("quix.Consumer", "poll"): (0, "timeout", "s"),
    ("confluent.Producer", "poll"): (0, "timeout", "s"),
    ("confluent.Producer", "flush"): (0, "timeout", "s"),
    **{(kind, "list_topics"): (1, "timeout", "s") for kind in ("confluent.Consumer", "confluent.Producer", "confluent.Admin")},
    **{("confluent.Consumer", name): (1, "timeout", "s") for name in ("get_watermark_offsets", "committed", "offsets_for_times")},
    ("kafka.Producer", "flush"): (0, "timeout", "s"),
    ("kafka.Producer", "close"): (0, "timeout", "s"),
    ("kafka.Future", "get"): (0, "timeout", "s"),
}
# Seconds from which on a number was meant as milliseconds: of polls, and of what is called once in a while.
_LONG, _LONGER = 500, 1000
_MAYBE = 50  # usual numbers of milliseconds, and hardly any of seconds


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*dict.fromkeys(name for _, name in _METHODS)):
        entry = _METHODS.get((module.receiver_type(call), call.name))
        if entry is None:
            continue
        position, keyword, unit = entry
        node = call.argument(position, keyword)
        value = module.value(node, call.spot)
        amounts = [option.value for option in options(value) if isinstance(option, Known)]
        if node is None or not amounts or not all(isinstance(amount, (int, float)) and not isinstance(amount, bool) for amount in amounts):
            continue
        amount = max(amounts)
        named = call.has_keyword(keyword)
        library = NAMES[module.receiver_type(call).split(".")[0]]
        place = module.place(node, call.spot)
        if unit == "ms" and 0 < amount < 10:
            written = isinstance(amount, float)
            if not written and named:
                continue  # `timeout_ms=1` says what it means
            fixed = str(int(amount * 1000))
            fixes = (Fix(f"wait {amount:g} s", "unsafe", (Edit(module.path, place.span, fixed),)),) if len(amounts) == 1 else ()
            message = f"{call.name} of {library} takes milliseconds: it waits {amount:g} ms, not {amount:g} s, so the loop spins (confluent-kafka's takes seconds)"
            yield context.finding(message, place, confidence="high" if written else "medium", fixes=fixes, covers=[module.covers(call)])
        elif unit == "s" and amount >= (_MAYBE if call.name in ("poll", "consume") else _LONGER):
            fixed = f"{amount / 1000:g}"
            fixes = (Fix(f"wait {fixed} s", "unsafe", (Edit(module.path, place.span, fixed),)),) if len(amounts) == 1 else ()
            other = "its poll" if library == "kafka-python" else "kafka-python's poll"
            time = f"{amount / 60:.0f} minutes" if amount >= _LONG else f"{amount:g} s"
            message = (
                f"{call.name} of {library} takes seconds: this waits up to {time} without seeing a signal ({other} takes milliseconds)"
            )
            sure = "medium" if amount >= _LONG else "low"
            yield context.finding(message, place, confidence=sure, fixes=fixes, covers=[module.covers(call)])
