"""Letters of date patterns that mean something else than where they stand."""

from __future__ import annotations

import json

import pytest

from shoal.values.dates import mistake, told


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("yyyy-mm-dd", "month"),
        ("dd/mm/yyyy HH:mm", "month"),
        ("yyyymmdd", "month"),
        ("yyyy-MM-dd HH:MM:ss", "minute"),
        ("yyyy-MM-DD", "day"),
        ("YYYY-MM-dd", "year"),
        ("MMM dd YYYY", "year"),
        ("yyyy-MM-dd hh:mm:ss", "hour"),
        ("yyyy-MM-dd'T'hh:mm:ss.SSSX", "hour"),
        ("hh:mm", "hour"),
    ],
)
def test_what_is_wrong(written: str, said: str) -> None:
    assert mistake(written) == said


@pytest.mark.parametrize(
    "written",
    [
        "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
        "M/d/yyyy hh:mm:ss a",
        "yyyyMMddHHmmss",
        "mm:ss",
        "yyyy-DDD",
        "YYYY-'W'ww",
        "%Y-%m-%d %H:%M",
        "HH:mm",
        "",
        "yyyy-MM-dd-HH-mm",
    ],
)
def test_what_is_right(written: str) -> None:
    assert not mistake(written)


def test_a_plain_year_to_joda() -> None:
    assert not mistake("YYYY-MM-dd", years_of_weeks=False)


def test_what_is_told_of_a_pattern_of_joda() -> None:
    assert json.loads(told("hudi", "dateformat", "YYYY/MM/DD", years_of_weeks=False))["wrong"] == "day"
    assert json.loads(told("spark", "to_date", "YYYY/MM/DD"))["wrong"] == "year"
    assert told("hudi", "dateformat", "YYYY/MM/dd", years_of_weeks=False) == ""
