"""`from_avro(expr("substring(value, 6)"), schema)`: the first five bytes say by which schema a record is written, and nobody looks at them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_READS = "pyspark.sql.avro.functions.from_avro"
# Where the header ends, and the four bytes of the id in it.
_CUT = pattern(r"(?i)\bsubstr(?:ing)?\(\s*(?:[^,()\n]*(?:\([^()\n]*\))?\s*,\s*)?(?:\w+\.)?(?:lit\()?6\b")
_ID = pattern(
    r"(?i)\bsubstr(?:ing)?\(\s*(?:[^,()\n]*(?:\([^()\n]*\))?\s*,\s*)?(?:\w+\.)?(?:lit\()?[12]\)?\s*,\s*(?:\w+\.)?(?:lit\()?[45]\b"
)
_NAMED = pattern(r"withColumn\(\s*[\"'](\w+)[\"']")
# Other ways to the id: bytes taken apart in Python, and clients of a registry that are asked by it.
_ASKED = pattern(r"struct\.unpack|\[1:5\]|\[:5\]|schemas/ids|get_by_id|get_schema\(\s*\w*id|getSchemaById|schema_id\s*==")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    calls = [call for call in module.calls if module.qualified(call) == _READS]
    cut = _CUT.search(module.raw) if calls else None
    if cut is None or _looks(module.raw):
        return
    said: set[Any] = set()
    for call in calls:
        if call.function in said:
            continue
        said.add(call.function)
        message = "the id of each record's schema is cut off and never looked at: all are read by this one schema, and what is written by another version fails or is misread (read by the schema of the id, which the registry knows)"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _looks(text: str) -> bool:
    """Whether a program does anything with the id of a schema: takes it out of the header into a column that it names again."""
    if _ASKED.search(text):
        return True
    for found in _ID.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        named = _NAMED.search(line)
        if named is None or len(re.findall(rf"\b{re.escape(named[1])}\b", text)) > 1:
            return True
    return False
