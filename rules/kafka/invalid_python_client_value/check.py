"""Words and numbers that kafka-python and aiokafka do not take; looked up in the code of kafka-python 2.0 and 2.2 and of aiokafka 0.10."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
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
_RESET = ("earliest", "latest", "none", "smallest", "largest")
_NUMBERS = frozenset({"int", "long", "double"})
_FALSE = ("false", "no", "off", "0")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer", "producer", "admin"), ("python",)):
        reader = reader_of(job, block)
        if reader is None or reader.name not in PURE_PYTHON:
            continue
        for setting in judged(job, block):
            option = reader.option(setting.key) if setting.known else None
            value = setting.text.strip()
            if option is None or value in ("", "None"):
                continue
            name = option.key
            if name == "auto_offset_reset" and value.lower() not in _RESET:
                said = f"`{value}` is no value of auto_offset_reset, {reader.name} goes on with none: a group without an offset fails"
                yield context.finding(said, setting)
            elif name in _WORDS:
                if value in _WORDS[name]:
                    continue
                yield context.finding(f"the client refuses to start: {name} is one of {', '.join(_WORDS[name])}, not `{value}`", setting)
            elif option.type in _NUMBERS and _is_no_number(value):
                yield context.finding(f"{reader.name} calculates with {name} and fails: `{value}` is not a number", setting)
            elif option.type == "boolean" and value.lower() in _FALSE and context.module.raw[setting.value_span.start - 1] in "\"'":
                committing = name != "enable_auto_commit" or job.written(block, "group.id") is not None
                said = f"`{name}` stays on: {reader.name} converts no texts, and any text that is not empty counts as true (write False without quotes)"
                yield context.finding(said, setting, severity="warning", confidence="" if committing else "low")


def _is_no_number(value: str) -> bool:
    """Any number in Python's own writing is one, whatever the default's type."""
    try:
        float(value.replace("_", ""))
    except ValueError:
        return value not in ("True", "False", "true", "false", "inf")
    return False
