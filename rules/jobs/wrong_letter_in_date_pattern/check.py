"""`yyyy-mm-dd`, `hh:mm` without am or pm, `HH:MM`, `YYYY-MM-dd` and `MM-DD` in patterns of Java's; tried on Spark 3.5.9 and 4.1.4."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

# What each function does with a pattern: it writes a text, or reads one.
_WRITES = ("date_format", "from_unixtime")
_SAYS = {
    "month": "mm is the minute: no month is {done}, and each {one} is of January or of the minute's number (MM)",
    "minute": "MM behind the hour is the month, which is {done} where the minutes belong (mm)",
    "hour": "hh runs from 1 to 12, and nothing here tells morning from afternoon: {hour} (HH, or an a for am and pm)",
    "year": "YYYY is the year of the week: {year} (yyyy)",
    "day": "DD is the day of the year: {day} (dd)",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("date-pattern"):
        said = json.loads(usage.detail)
        wrong = said["wrong"]
        writes, spark = said["by"].lower() in _WRITES, said["engine"] == "spark"
        reading = (
            "13:10 is NULL, or ends the query in ANSI mode, as Spark 4 is by default"
            if spark
            else "the hour is not understood, and every time is one of midnight"
        )
        refused = "Spark 3 and later refuse the pattern"
        year = "the last days of December are written as of the next year" if writes else "no year is read, and every date is of 1970"
        message = _SAYS[wrong].format(
            done="written" if writes else "read",
            one="text" if writes else "date",
            hour="13:10 is written as 01:10" if writes else reading,
            year=refused if spark else year,
            day="30 December is written as 12-365" if writes else "it contradicts the month, and the date is NULL or an error",
        )
        sure = "low" if said["engine"] == "hudi" else "medium" if wrong == "hour" else ""
        yield context.finding(f"{said['by']}: {message}", usage.place, confidence=sure)
