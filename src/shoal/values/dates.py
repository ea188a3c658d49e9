"""Patterns of dates in Java's letters, as Flink's and Spark's functions take them: what is written with the letter of something else."""

from __future__ import annotations

import json

from shoal.lazy import pattern

OPTIONS = frozenset({"dateFormat", "timestampFormat", "timestampNTZFormat"})  # of Spark's sources and sinks
_QUOTED = pattern(r"'[^']*'")
_DAY_AND_MINUTE = pattern(r"(?:y{2,4}|u{4})[-/._ ]?m{1,2}[-/._ ]?d{1,2}(?!\w)|(?<!\w)d{1,2}[-/._ ]?m{1,2}[-/._ ]?(?:y{2,4}|u{4})")
_HALF_DAY = pattern(r"(?<!\w)hh?:?mm|(?<=[dT ])hh?:?mm|hhmmss")
_MONTH_AS_MINUTE = pattern(r"[Hh]{1,2}:MM\b")
_WEEK_YEAR = pattern(r"Y{4}[-/._ ]?(?:MM|dd)|(?:MM|dd)[-/._ ]?Y{4}")
_DAY_OF_YEAR = pattern(r"MM[-/._ ]?DD(?!D)|(?<!D)DD[-/._ ]?MM")


def mistake(text: str, years_of_weeks: bool = True) -> str:
    """Which letters of a pattern surely stand for something else than what is meant; empty where none do.

    `month` for `mm` between the year and the day, `minute` for `MM` behind the hour, `hour` for `hh` with nothing that tells morning from afternoon,
    `year` for `YYYY`, the year of the week (to Joda a plain one: `years_of_weeks`), beside a month or a day, `day` for `DD`, the day of the year,
    beside the month.
    """
    bare = _QUOTED.sub(" ", text)
    if "%" in bare:  # as C and Python write patterns
        return ""
    if _DAY_AND_MINUTE.search(bare) and "M" not in bare and "L" not in bare:
        return "month"
    if _MONTH_AS_MINUTE.search(bare):
        return "minute"
    if years_of_weeks and _WEEK_YEAR.search(bare) and "w" not in bare and "y" not in bare and "u" not in bare:
        return "year"
    if _DAY_OF_YEAR.search(bare) and "d" not in bare:
        return "day"
    if _HALF_DAY.search(bare) and not set("aBHkK") & set(bare):
        return "hour"
    return ""


def told(engine: str, by: str, text: str, years_of_weeks: bool = True) -> str:
    """The detail of a fact `date-pattern` about a pattern; empty where nothing is wrong with it."""
    wrong = mistake(text, years_of_weeks)
    return json.dumps({"engine": engine, "by": by, "pattern": text, "wrong": wrong}) if wrong else ""
