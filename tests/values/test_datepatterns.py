"""Letters of date patterns that mean something else than where they stand."""

from __future__ import annotations

import pytest

from shoal.values.datepatterns import wrong_letter


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("yyyy-mm-dd", "mm is minutes"),
        ("dd/mm/yyyy HH:mm", "mm is minutes"),
        ("yyyymmdd", "mm is minutes"),
        ("yyyy-MM-dd HH:MM:ss", "MM is months"),
        ("yyyy-MM-DD", "DD is days"),
        ("YYYY-MM-dd", "YYYY is the year"),
        ("MMM dd YYYY", "YYYY is the year"),
        ("yyyy-MM-dd hh:mm:ss", "hh is hours"),
        ("yyyy-MM-dd'T'hh:mm:ss.SSSX", "hh is hours"),
        ("hh:mm", "hh is hours"),
    ],
)
def test_what_is_wrong(written: str, said: str) -> None:
    assert wrong_letter(written).startswith(said)


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
    assert not wrong_letter(written)


def test_a_plain_year_to_joda() -> None:
    assert not wrong_letter("YYYY-MM-dd", years_of_weeks=False)
