"""`LogAndContinueExceptionHandler` and its like: the record is logged and counted, and its offset committed.

Spring Cloud Stream calls it `logAndContinue`, and `skipAndContinue` without the log (DeserializationExceptionHandler of its binder 4.3.0).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka, spring

_HANDLERS = {
    "default.deserialization.exception.handler": "cannot be decoded",
    "deserialization.exception.handler": "cannot be decoded",
    "processing.exception.handler": "cannot be processed",
    "binding.deserialization-exception-handler": "cannot be decoded",
}
_GOES_ON = pattern(
    r"(?:[\w.]+\.)?LogAndContinue(?:Processing)?ExceptionHandler(?:\.class)?(?:\.getName\(\))?|(?i:(?:log|skip)-?and-?continue)"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.streams(job):
        for key, why in _HANDLERS.items():
            handler = job.written(block, key)
            if handler is not None and _GOES_ON.fullmatch(handler.text.strip()) and not spring.of_tests(handler.path):
                yield context.finding(
                    f"a record that {why} is passed over: its offset is committed, and nothing keeps it (a dead letter topic would)",
                    handler,
                )
