"""One option under two names with two values, of which one is ignored."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, blocks, schema
from shoal.templates.options import Reader, judged, reader_of

PARAMETERS = schema(["message"], message=TEXT, readers=TEXTS)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The message may use {key}, {other} (the name that counts) and {value}."""
    for block in blocks(job, context):
        reader = reader_of(job, block)
        if reader is None or reader.name not in context.parameters.get("readers", (reader.name,)):
            continue
        groups: dict[str, dict[str, Setting]] = {}
        for setting in judged(job, block):
            option = reader.option(setting.key, reader.at)
            if option is not None and not option.prefix and "<" not in option.key:  # one key of several reporters, pools, …
                groups.setdefault(reader.spellings(option.key)[0], {})[setting.key] = setting
        for settings in groups.values():
            if len(settings) > 1 and all(setting.known for setting in settings.values()):
                yield from _judge(context, reader, settings)


def _judge(context: Context, reader: Reader, settings: dict[str, Setting]) -> Iterator[Finding]:
    if len({setting.text.strip().lower() for setting in settings.values()}) < 2:
        return
    option = reader.option(next(iter(settings)), reader.at)
    assert option is not None
    order = [option.key, *(alias.key for alias in option.aliases)]
    first, *others = sorted(settings.values(), key=lambda setting: order.index(setting.key) if setting.key in order else len(order))
    if reader.name == "librdkafka":  # one property, set twice: the last time counts
        *others, first = sorted(settings.values(), key=lambda setting: setting.key_span)
    for loser in others:
        message = context.parameters["message"].format(key=loser.key, other=first.key, value=first.text.strip())
        yield context.finding(
            message, loser, [(first, "this one counts")], confidence="" if reader.version or reader.name == "librdkafka" else "medium"
        )
