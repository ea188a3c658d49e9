"""No rule fails over a value that Flink would refuse."""

from __future__ import annotations

import pytest

from shoal import catalogue, rulebook
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

RULEBOOK = rulebook.load().only(lambda rule: rule.engine_folder == "flink")
VALUES = [
    "",
    "-",
    "²",
    "٣",
    "9" * 5000,
    "-1",
    "1e9",
    "NaN",
    "{}",
    "{0}",
    "%s",
    "'",
    '""',
    "a b c",
    "::",
    "file:",
    "file://",
    "s3:",
    "C:\\x",
    "\x00",
    "é" * 500,
]


def problems(path: str, kind: str, text: str) -> list[str]:
    result = check_source(Source(path, kind, text.encode()), RULEBOOK, Settings())
    _, found = conclude([result], RULEBOOK, Settings(), {path: text})
    return [problem.message for problem in found]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_no_rule_fails(value: str) -> None:
    keys = [key for key in catalogue.load("flink").keys("1.20") if "<" not in key]
    conf = "\n".join(f"{key}: {value}" for key in keys)
    assert problems("flink-conf.yaml", "flink-conf", conf) == []
    settings = "\n".join(
        f"SET '{key}' = '{value.replace(chr(39), chr(39) * 2)}';" for key in keys if key.startswith(("execution.", "state.", "restart-"))
    )
    assert problems("job.sql", "sql", f"{settings}\nINSERT INTO b SELECT * FROM a;") == []
