"""The letters of date patterns that Java has (`SimpleDateFormat`, `DateTimeFormatter`), and with them Spark and Flink SQL."""

from __future__ import annotations

from shoal.lazy import pattern

_QUOTED = pattern(r"'[^']*'")
_YEAR = r"[yuY]{2,4}"
_MINUTES_FOR_MONTHS = pattern(rf"{_YEAR}\W?mm\W?[dD]{{2}}|[dD]{{2}}\W?mm\W?{_YEAR}|mm\W?[dD]{{2}}\W?{_YEAR}")
_MONTHS_FOR_MINUTES = pattern(r"[HhKk]{1,2}\W?MM")
_DAYS_OF_YEAR = pattern(rf"M{{2,4}}\W?DD|DD\W?M{{2,4}}\W?{_YEAR}")
_YEAR_OF_WEEKS = pattern(r"Y{2,4}\W?[Mm]{2}|M{2,4}\W?Y{2,4}|[dD]{2}\W?Y{2,4}")
_HALF_DAY = pattern(r"\b(?<![hK])(?:hh?|KK?)\W?[mM]{2}|[dT ]hh\W?[mM]{2}")


def wrong_letter(written: str, years_of_weeks: bool = True) -> str:
    """What a pattern says with a letter that surely means another thing there; empty where there is none. `years_of_weeks`: what `YYYY` is (to Joda it is a plain year)."""
    letters = _QUOTED.sub(" ", written)
    if "%" in letters:
        return ""  # as C and Python write patterns
    if _MINUTES_FOR_MONTHS.search(letters):
        return "mm is minutes, and months are MM"
    if _MONTHS_FOR_MINUTES.search(letters):
        return "MM is months, and minutes are mm"
    if _DAYS_OF_YEAR.search(letters):
        return "DD is days of the year, and those of the month are dd"
    if years_of_weeks and _YEAR_OF_WEEKS.search(letters) and "w" not in letters:
        return "YYYY is the year that a week belongs to, another one around New Year, and years are yyyy"
    if _HALF_DAY.search(letters) and "a" not in letters and "B" not in letters:
        return "hh is hours of half a day, and nothing says which half; those of a day are HH"
    return ""
