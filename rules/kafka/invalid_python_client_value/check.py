"""Words and numbers that kafka-python and aiokafka do not take; looked up in the code of kafka-python 2.0 and 2.2 and of aiokafka 0.10.

`api_version` was tried with kafka-python 2.0.2, 2.1.5, 2.2.15, 2.3.0 and 3.0.12; the others with 2.0.2, 2.2.15 and 3.0.12 and with aiokafka 0.12 and 0.14, against a
broker 3.9.1. kafka-python 3.0 takes a protocol that it does not know for PLAINTEXT, and isolation levels in capitals; a broker refuses each record with `acks=2`; what is
for a group alone (`session_timeout_ms` and the like) nobody calculates with where there is none.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.options import PURE_PYTHON, judged, reader_of

_CODECS = ("gzip", "snappy", "lz4", "zstd")
_WORDS = {
    "acks": ("0", "1", "-1", "all"),
    "compression_type": _CODECS,
    "isolation_level": ("read_uncommitted", "read_committed"),
    "security_protocol": ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
}
# An unknown word here does not stop the client: it has no strategy then, and fails when it finds no offset.
_RESET = ("earliest", "latest", "none")
_OLD_RESET = ("smallest", "largest")  # which kafka-python translates, and aiokafka does not
# What kafka-python does with a word of its own that is none of these, if it starts.
_STARTED = {
    "acks": "kafka-python starts, and the brokers refuse each record",
    "security_protocol": "kafka-python before 3.0 refuses to start, and 3.0 sends everything in plain text",
}
_OF_GROUPS = frozenset({"session_timeout_ms", "heartbeat_interval_ms", "max_poll_interval_ms"})
_NUMBERS = frozenset({"int", "long", "double"})
_NUMBER = pattern(r"\d+(?:\.\d+)?")
_RELEASE = pattern(r"\d+(?:\.\d+)*")
_FALSE = ("false", "no", "off", "0")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer", "producer", "admin"), ("python",)):
        reader = reader_of(job, block)
        if reader is None or reader.name not in PURE_PYTHON:
            continue
        for setting in judged(job, block):
            if setting.key == "api.version" and setting.known and reader.name == "kafka-python":
                yield from _version(context, block.role, setting)
            option = reader.option(setting.key) if setting.known else None
            value = setting.text.strip()
            if option is None or value in ("", "None"):
                continue
            name = option.key
            if name == "auto_offset_reset" and value.lower() not in (*_RESET, *(_OLD_RESET if reader.name == "kafka-python" else ())):
                said = f"`{value}` is no value of auto_offset_reset, {reader.name} goes on with none: a group without an offset fails"
                yield context.finding(said, setting)
            elif name == "acks" and _NUMBER.fullmatch(value.lstrip("-")) and context.module.raw[setting.value_span.start - 1] in "\"'":
                how = (
                    "every send fails in the client's thread, which goes on"
                    if reader.name == "kafka-python"
                    else "the client refuses to start"
                )
                yield context.finding(
                    f"{how}: acks is the number {value} or the text all, not the text `{value}` (write it without quotes)", setting
                )
            elif name in _WORDS:
                lower = name == "isolation_level" and reader.name == "kafka-python"  # which 3.0 takes in capitals, too
                if value in _WORDS[name] or (lower and value.lower() in _WORDS[name]):
                    continue
                how = _STARTED.get(name, "") if reader.name == "kafka-python" else ""
                said = f"{how or 'the client refuses to start'}: {name} is one of {', '.join(_WORDS[name])}, not `{value}`"
                yield context.finding(said, setting)
            elif option.type in _NUMBERS and _is_no_number(value):
                if name in _OF_GROUPS and not block.open and job.written(block, "group.id") is None:
                    continue
                yield context.finding(f"{reader.name} calculates with {name} and fails: `{value}` is not a number", setting)
            elif option.type == "boolean" and value.lower() in _FALSE and context.module.raw[setting.value_span.start - 1] in "\"'":
                committing = name != "enable_auto_commit" or job.written(block, "group.id") is not None
                said = f"`{name}` stays on: {reader.name} converts no texts, and any text that is not empty counts as true (write False without quotes)"
                yield context.finding(said, setting, severity="warning", confidence="" if committing else "low")


def _version(context: Context, role: str, setting: Setting) -> Iterator[Finding]:
    """The version of the brokers, which is a tuple; aiokafka has it as a text, and nothing reads it since 0.13."""
    before = context.module.raw[setting.value_span.start - 1]
    written = context.module.raw[setting.value_span.start : setting.value_span.end]
    value = setting.text.strip()
    number = _NUMBER.fullmatch(written)
    if number or written.startswith("["):
        meant = written.strip("[]") if not number else f"{written.replace('.', ', ')}{'' if '.' in written else ', 0'}"
        what = "a number" if number else "a list"
        yield context.finding(f"the client refuses to start: api_version is {what} and must be a tuple, ({meant})", setting)
    elif before in "\"'" and value not in ("", "auto"):
        if not _RELEASE.fullmatch(value):
            yield context.finding(f"the client refuses to start: api_version is a tuple of numbers such as (2, 6), not `{value}`", setting)
        elif role == "admin":
            said = f"the admin client of kafka-python 2.1 to 2.3 refuses to start: api_version is the text `{value}` and must be a tuple"
            yield context.finding(said, setting, confidence="low")


def _is_no_number(value: str) -> bool:
    """Any number in Python's own writing is one, whatever the default's type."""
    try:
        float(value.replace("_", ""))
    except ValueError:
        return value not in ("True", "False", "true", "false", "inf")
    return False
